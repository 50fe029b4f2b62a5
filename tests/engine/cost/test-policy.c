/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/cost/policy.h"
#include "tests/engine/cost/brute-force.h"
#include "tests/engine/cost/checker.h"
#include "tests/engine/cost/random-workload.h"

/* (transfer full) (nullable): a schedule that keeps all rules */
static SluiceChoice *
run (const char *policy, const SluiceWorkload *w, GError **error)
{
  const SluicePolicyOptions options = { .explains = TRUE };
  g_autoptr (SluiceChoice) choice =
      sluice_policy_run (sluice_policies_find (policy, NULL), w, &options, error);
  if (choice == NULL)
    return NULL;
  g_autofree char *wrong = check_schedule (w, choice->schedule);
  g_assert_cmpstr (wrong, ==, NULL);
  g_assert_cmpmem (choice->devices, w->n_nodes * sizeof (guint), choice->schedule->devices,
                   w->n_nodes * sizeof (guint));
  g_assert_cmpstr (choice->policy, ==, policy);
  g_assert_cmpfloat (choice->schedule->us, <=, choice->single_us);
  return g_steal_pointer (&choice);
}

/* Every device is a candidate; the one that was taken is possible, and its parts are its whole. */
static void
check_candidates (const SluiceWorkload *w, const SluiceChoice *choice)
{
  for (guint v = 0; v < w->n_nodes; v++)
    {
      const SluiceDecision *decision = &choice->decisions[v];
      g_assert_cmpuint (decision->candidates->len, ==, w->machine->n_devices);
      g_assert_nonnull (decision->reason);
      for (guint d = 0; d < w->machine->n_devices; d++)
        {
          const SluiceCandidate *at = &g_array_index (decision->candidates, SluiceCandidate, d);
          g_assert_cmpuint (at->device, ==, d);
          if (d == choice->devices[v])
            g_assert_null (at->why_not);
          if (at->why_not != NULL)
            continue;
          g_assert_cmpfloat (at->transfer_us, >=, 0);
          g_assert_cmpfloat (at->queue_us, >=, 0);
          g_assert_cmpfloat_with_epsilon (
              at->ready_us + at->transfer_us + at->queue_us + at->compute_us, at->finish_us, 1e-6);
          g_assert_cmpfloat (at->peak_bytes, <=, w->machine->devices[d].memory);
        }
    }
}

static void
test_best (void)
{
  g_autoptr (GRand) lot = g_rand_new_with_seed (2);
  guint n_none = 0, n_ten = 0;
  for (guint round = 0; round < 200; round++)
    {
      guint n_devices = 2 + round % 3;
      /* Brute force takes a minute to see that ten nodes do not fit. */
      gboolean is_limited = round % 2 == 0;
      guint most = n_devices > 2 ? 9 - n_devices : is_limited ? 8 : 10;
      guint n_nodes = (guint) g_rand_int_range (lot, 2, (gint32) most + 1);
      const WorkloadKind kind = {
        .n_nodes = n_nodes,
        .n_devices = n_devices,
        .most_reads = 3,
        .before_chance = 30,
        .group_chance = 15,
        .missing_chance = round % 4 == 1 ? 25 : 0,
        .gap_chance = round % 4 == 2 ? 25 : 0,
        .memory = is_limited ? g_rand_double_range (lot, 0.3, 0.9) : 0,
      };
      g_autoptr (SluiceMachine) machine = draw_machine (lot, &kind);
      g_autoptr (SluiceWorkload) w = draw_workload (lot, &kind, machine);
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceChoice) best = run ("best", w, &error);
      g_assert_cmpfloat (best != NULL ? best->schedule->us : INFINITY, ==, find_shortest (w));
      g_assert_true ((best == NULL) == (error != NULL));
      n_none += best == NULL;
      n_ten += w->n_nodes == 10;
    }
  g_test_message ("%u had no schedule, %u had ten nodes", n_none, n_ten);
  g_assert_cmpuint (n_none, >, 5);
  g_assert_cmpuint (n_ten, >, 5);
}

/* On 500: every policy's schedules are feasible and no worse than 'single'; what it says is what
 * the schedule has. */
static void
test_all (void)
{
  static const char *const names[] = { "greedy", "single", "round-robin" };
  g_autoptr (GRand) lot = g_rand_new_with_seed (500);
  guint n_better = 0, n_instead = 0, n_none = 0;
  for (guint round = 0; round < 500; round++)
    {
      const WorkloadKind kind = {
        .n_nodes = (guint) g_rand_int_range (lot, 1, 60),
        .n_devices = (guint) g_rand_int_range (lot, 1, 6),
        .most_reads = 4,
        .before_chance = 20,
        .group_chance = round % 3 == 0 ? 30 : 0,
        .missing_chance = round % 4 == 1 ? 15 : 0,
        .gap_chance = round % 4 == 2 ? 20 : 0,
        .memory = round % 5 == 0 ? g_rand_double_range (lot, 0.1, 0.7) : 0,
      };
      g_autoptr (SluiceMachine) machine = draw_machine (lot, &kind);
      g_autoptr (SluiceWorkload) w = draw_workload (lot, &kind, machine);
      for (guint i = 0; i < G_N_ELEMENTS (names); i++)
        {
          g_autoptr (GError) error = NULL;
          g_autoptr (SluiceChoice) choice = run (names[i], w, &error);
          g_assert_true ((choice == NULL) == (error != NULL));
          n_none += choice == NULL;
          if (choice == NULL)
            continue;
          g_autoptr (SluiceChoice) again = run (names[i], w, NULL);
          g_assert_cmpmem (choice->devices, w->n_nodes * sizeof (guint), again->devices,
                           w->n_nodes * sizeof (guint));
          check_candidates (w, choice);
          n_instead += choice->instead != NULL;
          n_better += i == 0 && choice->schedule->us < choice->single_us;
        }
    }
  g_test_message ("%u greedy are better than single, %u are something else, %u found none",
                  n_better, n_instead, n_none);
  g_assert_cmpuint (n_better, >, 150);
}

/* Of twelve nodes nothing that is tried is better; of thirteen it says no. */
static void
test_twelve (void)
{
  g_autoptr (GRand) lot = g_rand_new_with_seed (12);
  for (guint round = 0; round < 12; round++)
    {
      const WorkloadKind kind = { .n_nodes = 12,
                                  .n_devices = 2 + round % 3,
                                  .most_reads = 3,
                                  .before_chance = 20,
                                  .memory = round % 2 == 0 ? 0.8 : 0 };
      g_autoptr (SluiceMachine) machine = draw_machine (lot, &kind);
      g_autoptr (SluiceWorkload) w = draw_workload (lot, &kind, machine);
      g_autoptr (SluiceSimulator) simulator = sluice_simulator_new (w);
      g_autoptr (SluiceChoice) best = run ("best", w, NULL);
      g_autoptr (SluiceChoice) greedy = run ("greedy", w, NULL);
      g_assert_nonnull (best);
      g_assert_cmpfloat (best->schedule->us, <=, greedy->schedule->us);
      for (guint i = 0; i < 2000; i++)
        {
          guint devices[12];
          double ranks[12];
          g_assert_true (draw_devices (lot, w, devices));
          for (guint v = 0; v < 12; v++)
            ranks[v] = g_rand_double (lot);
          g_assert_cmpfloat (best->schedule->us, <=,
                             sluice_simulator_run (simulator, devices, ranks, NULL));
        }
    }
  const WorkloadKind kind = { .n_nodes = 13, .n_devices = 2, .most_reads = 2 };
  g_autoptr (SluiceMachine) machine = draw_machine (lot, &kind);
  g_autoptr (SluiceWorkload) w = draw_workload (lot, &kind, machine);
  g_autoptr (GError) error = NULL;
  g_assert_null (run ("best", w, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "up to 12"));
}

/* A chain of nodes of 100 bytes each. */
static SluiceWorkload *
draw_chain (GRand *lot, SluiceMachine *machine)
{
  const WorkloadKind kind = { .n_nodes = 4, .n_devices = machine->n_devices };
  SluiceWorkload *w = draw_workload (lot, &kind, machine);
  g_free (w->outputs);
  g_free (w->reads);
  w->outputs = g_new0 (SluiceWorkloadOutput, 4);
  w->reads = g_new0 (guint, 4);
  w->n_outputs = 4;
  w->n_reads = 3;
  for (guint v = 0; v < 4; v++)
    {
      w->outputs[v] = (SluiceWorkloadOutput){ v, 100 };
      w->nodes[v].first_output = v;
      w->nodes[v].n_outputs = 1;
      w->nodes[v].first_read = v > 0 ? v - 1 : 0;
      w->nodes[v].n_reads = v > 0;
      w->reads[v] = v;
      for (guint d = 0; d < machine->n_devices; d++)
        w->us[v * machine->n_devices + d] = 10;
    }
  return w;
}

static void
test_words (void)
{
  g_autoptr (GRand) lot = g_rand_new_with_seed (5);
  g_autoptr (SluiceMachine) machine = draw_machine (lot, &(WorkloadKind){ .n_devices = 2 });
  g_autoptr (SluiceWorkload) w = draw_chain (lot, machine);
  g_autoptr (GError) error = NULL;
  guint n;
  g_assert_null (sluice_policies_find ("gredy", &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "did you mean 'greedy'?"));
  g_clear_error (&error);
  g_assert_cmpstr (sluice_policies_list (&n)[0]->name, ==, "greedy");
  /* A second device helps nothing here, and it says so. */
  g_autoptr (SluiceChoice) chain = run ("greedy", w, NULL);
  g_assert_cmpstr (chain->instead, ==, "single");
  g_assert_cmpfloat (chain->schedule->us, ==, 40);
  g_assert_cmpfloat (chain->single_us, ==, 40);
  /* Two values of the chain are there at a time. */
  machine->devices[0].memory = machine->devices[1].memory = 150;
  for (guint i = 0; i < n; i++)
    {
      g_assert_null (run (sluice_policies_list (&n)[i]->name, w, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
      g_assert_nonnull (strstr (error->message, "200 bytes on"));
      g_assert_nonnull (strstr (error->message, "which has 150"));
      g_assert_nonnull (strstr (error->message, "no placement and no order fits"));
      g_clear_error (&error);
    }
  machine->devices[1].memory = 200;
  g_autoptr (SluiceChoice) larger = run ("round-robin", w, NULL);
  g_assert_cmpuint (larger->devices[0], ==, 1);
  g_assert_nonnull (larger->why);
  /* Nodes that must stand together, and cannot. */
  w->nodes[1].group = w->nodes[0].group;
  w->us[0] = w->us[3] = INFINITY;
  g_assert_null (run ("greedy", w, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  g_assert_nonnull (strstr (error->message, "'n0', 'n1' must stand together"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cost/policy/best", test_best);
  g_test_add_func ("/cost/policy/all", test_all);
  g_test_add_func ("/cost/policy/twelve", test_twelve);
  g_test_add_func ("/cost/policy/words", test_words);
  return g_test_run ();
}
