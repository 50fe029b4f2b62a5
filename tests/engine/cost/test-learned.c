/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The policy that learns and searches. */
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/cost/cluster.h"
#include "tests/engine/cost/checker.h"
#include "tests/engine/cost/networks.h"
#include "tests/engine/cost/random-workload.h"

/* (transfer full) (nullable): a schedule that keeps all rules */
static SluiceChoice *
run (const char *policy, const SluiceWorkload *w, guint64 seed, guint64 n_steps)
{
  const SluicePolicyOptions options = { .seed = seed, .n_steps = n_steps };
  g_autoptr (SluiceChoice) choice =
      sluice_policy_run (sluice_policies_find (policy, NULL), w, &options, NULL);
  if (choice == NULL)
    return NULL;
  g_autofree char *wrong = check_schedule (w, choice->schedule);
  g_assert_cmpstr (wrong, ==, NULL);
  g_assert_cmpfloat (choice->schedule->us, <=, choice->single_us);
  return g_steal_pointer (&choice);
}

/* On 150: never worse than greedy, by the same lot the same. */
static void
test_random (void)
{
  g_autoptr (GRand) lot = g_rand_new_with_seed (7);
  guint n_better = 0;
  for (guint round = 0; round < 150; round++)
    {
      const WorkloadKind kind = {
        .n_nodes = (guint) g_rand_int_range (lot, 1, 60),
        .n_devices = (guint) g_rand_int_range (lot, 1, 6),
        .most_reads = 4,
        .before_chance = 20,
        .group_chance = round % 3 == 0 ? 30 : 0,
        .missing_chance = round % 4 == 1 ? 15 : 0,
        .gap_chance = round % 4 == 2 ? 20 : 0,
        .memory = round % 5 == 0 ? g_rand_double_range (lot, 0.3, 0.9) : 0,
      };
      g_autoptr (SluiceMachine) machine = draw_machine (lot, &kind);
      g_autoptr (SluiceWorkload) w = draw_workload (lot, &kind, machine);
      g_autoptr (SluiceChoice) greedy = run ("greedy", w, 0, 0);
      g_autoptr (SluiceChoice) learned = run ("learned", w, 3, 400);
      g_autoptr (SluiceChoice) again = run ("learned", w, 3, 400);
      g_assert_true ((learned == NULL) == (again == NULL));
      if (greedy != NULL)
        g_assert_cmpfloat (learned->schedule->us, <=, greedy->schedule->us);
      if (learned == NULL)
        continue;
      g_assert_cmpmem (learned->devices, w->n_nodes * sizeof (guint), again->devices,
                       w->n_nodes * sizeof (guint));
      n_better += greedy != NULL && learned->schedule->us < greedy->schedule->us;
    }
  g_test_message ("%u of 150 are better than greedy", n_better);
  g_assert_cmpuint (n_better, >, 50);
}

/* Of those that the papers take: REINFORCE alone beats one device, and with the search greedy. */
static void
test_networks (void)
{
  g_autoptr (SluiceMachine) machine = make_gpus (4);
  guint n_better = 0;
  for (guint i = 0; i < n_networks; i++)
    {
      g_autoptr (SluiceWorkload) w = networks[i].make (machine, 0.3);
      g_autoptr (SluiceChoice) greedy = run ("greedy", w, 0, 0);
      g_autoptr (SluiceChoice) learned = run ("learned", w, 1, 6000);
      g_test_message ("%s: greedy %g, REINFORCE %g, learned %g us", networks[i].name,
                      greedy->schedule->us, learned->learned_us, learned->schedule->us);
      g_assert_cmpfloat (learned->schedule->us, <=, greedy->schedule->us);
      g_assert_cmpfloat (learned->learned_us, <, learned->single_us);
      g_assert_cmpfloat (learned->schedule->us, <=, learned->learned_us);
      g_assert_cmpuint (learned->n_tried, >=, 3000);
      g_assert_cmpuint (learned->n_tried, <=, 6100);
      n_better += learned->schedule->us < 0.99 * greedy->schedule->us;
    }
  g_assert_cmpuint (n_better, >=, 2);
}

static void
test_clusters (void)
{
  g_autoptr (GRand) lot = g_rand_new_with_seed (9);
  const WorkloadKind kind = { .n_nodes = 80, .n_devices = 3, .most_reads = 3, .group_chance = 20 };
  g_autoptr (SluiceMachine) machine = draw_machine (lot, &kind);
  g_autoptr (SluiceWorkload) w = draw_workload (lot, &kind, machine);
  g_autoptr (SluicePolicyGroups) groups = sluice_policy_groups_new (w, NULL);
  for (guint most = 1; most <= groups->n + 1; most++)
    {
      g_autoptr (SluiceClusters) clusters = sluice_clusters_new (w, groups, most);
      g_autofree guint *seen = g_new0 (guint, groups->n + 1);
      g_assert_cmpuint (clusters->n, ==, MIN (most, groups->n));
      for (guint i = 0; i < clusters->first_member[clusters->n]; i++)
        seen[clusters->members[i]]++;
      for (guint group = 0; group < groups->n; group++)
        g_assert_cmpuint (seen[group], ==, 1);
    }
}

static void
test_ends (void)
{
  g_autoptr (SluiceMachine) machine = make_gpus (4);
  g_autoptr (SluiceWorkload) w = networks[0].make (machine, 0.1);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  const SluicePolicyOptions options = { .cancellable = cancellable, .seconds = 1e6 };
  g_cancellable_cancel (cancellable);
  g_assert_null (sluice_policy_run (sluice_policies_find ("learned", NULL), w, &options, &error));
  g_assert_true (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
                 || g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/learned/random", test_random);
  g_test_add_func ("/learned/networks", test_networks);
  g_test_add_func ("/learned/clusters", test_clusters);
  g_test_add_func ("/learned/ends", test_ends);
  return g_test_run ();
}
