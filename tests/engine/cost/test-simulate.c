/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "tests/engine/cost/checker.h"
#include "tests/engine/cost/random-workload.h"

/* Schedules by lot keep every rule; those that do not fit say so, and fit without the limit. */
static void
test_rules (void)
{
  g_autoptr (GRand) lot = g_rand_new_with_seed (23);
  guint n_run = 0, n_linkless = 0, n_full = 0;
  for (guint round = 0; round < 600; round++)
    {
      const WorkloadKind kind = {
        .n_nodes = (guint) g_rand_int_range (lot, 1, 40),
        .n_devices = (guint) g_rand_int_range (lot, 1, 5),
        .most_reads = 4,
        .before_chance = 30,
        .group_chance = 20,
        .missing_chance = round % 3 == 0 ? 20 : 0,
        .gap_chance = round % 5 == 0 ? 4 : 0,
        .memory = round % 2 == 0 ? g_rand_double_range (lot, 0.1, 0.5) : 0,
      };
      g_autoptr (SluiceMachine) machine = draw_machine (lot, &kind);
      g_autoptr (SluiceWorkload) w = draw_workload (lot, &kind, machine);
      g_autoptr (SluiceSimulator) simulator = sluice_simulator_new (w);
      g_autofree guint *devices = g_new (guint, w->n_nodes);
      g_autofree double *ranks = g_new (double, w->n_nodes);
      for (guint i = 0; i < 4 && draw_devices (lot, w, devices); i++)
        {
          g_autoptr (GError) error = NULL;
          for (guint v = 0; v < w->n_nodes; v++)
            ranks[v] = g_rand_int_range (lot, 0, 10);
          double us = sluice_simulator_run (simulator, devices, i % 2 ? ranks : NULL, &error);
          g_autoptr (SluiceSimulation) again =
              sluice_simulate (w, devices, i % 2 ? ranks : NULL, NULL);
          if (!isfinite (us))
            {
              n_full += g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
              n_linkless += g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
              g_assert_nonnull (error);
              g_assert_null (again);
              continue;
            }
          g_assert_no_error (error);
          g_autoptr (SluiceSimulation) schedule = sluice_simulator_dup_simulation (simulator);
          g_autofree char *wrong = check_schedule (w, schedule);
          g_assert_cmpstr (wrong, ==, NULL);
          g_assert_cmpfloat (schedule->us, ==, us);
          g_assert_cmpmem (again->spans, w->n_nodes * sizeof *again->spans, schedule->spans,
                           w->n_nodes * sizeof *schedule->spans);
          n_run++;
        }
    }
  g_test_message ("%u ran, %u did not fit, %u had no link", n_run, n_full, n_linkless);
  g_assert_cmpuint (n_run, >, 1000);
  g_assert_cmpuint (n_full, >, 50);
  g_assert_cmpuint (n_linkless, >, 50);
}

static void
set_links (SluiceMachine *machine, double latency_us, double bytes_per_us)
{
  for (guint i = 0; i < machine->n_devices * machine->n_devices; i++)
    machine->links[i] = (SluiceMachineLink){ latency_us, bytes_per_us };
}

static void
test_by_hand (void)
{
  g_autoptr (GRand) lot = g_rand_new_with_seed (1);
  g_autoptr (SluiceMachine) machine = draw_machine (lot, &(WorkloadKind){ .n_devices = 2 });
  g_autoptr (SluiceWorkload) w = make_diamond (machine);
  set_links (machine, 2, 10);
  g_autoptr (SluiceSimulation) one = sluice_simulate (w, (guint[]){ 0, 0, 0, 0 }, NULL, NULL);
  g_assert_cmpfloat (one->us, ==, 95);
  g_assert_cmpfloat (one->spans[2].start_us, ==, 10); /* the longer way first */
  g_assert_cmpfloat (one->peak_bytes[0], ==, 160);
  g_assert_cmpuint (one->transfers->len, ==, 0);
  /* a 0..10, its value 10..22 and its end 22..24 to the other, c 22..72, 40 bytes 72..78, d */
  g_autoptr (SluiceSimulation) two = sluice_simulate (w, (guint[]){ 0, 0, 1, 0 }, NULL, NULL);
  g_assert_cmpfloat (two->spans[1].start_us, ==, 10);
  g_assert_cmpfloat (two->spans[2].start_us, ==, 22);
  g_assert_cmpfloat (two->us, ==, 83);
  g_assert_cmpuint (two->transfers->len, ==, 2);
  g_assert_cmpfloat (two->peak_bytes[0], ==, 120);
  g_assert_cmpfloat (two->peak_bytes[1], ==, 140);
  /* d on the other waits for a's end by a transfer of its own */
  g_autoptr (SluiceSimulation) far = sluice_simulate (w, (guint[]){ 0, 0, 0, 1 }, NULL, NULL);
  g_assert_cmpuint (far->transfers->len, ==, 3);
  const SluiceSimulatedTransfer *end = &g_array_index (far->transfers, SluiceSimulatedTransfer, 0);
  g_assert_cmpuint (end->output, ==, G_MAXUINT);
  g_assert_cmpfloat (end->end_us, ==, 12);
  g_assert_cmpfloat (end->bytes, ==, 0);
  g_assert_cmpfloat (far->us, ==, 99); /* b is done at 90, 20 bytes take 4 */
}

static void
test_errors (void)
{
  g_autoptr (GRand) lot = g_rand_new_with_seed (1);
  g_autoptr (SluiceMachine) machine = draw_machine (lot, &(WorkloadKind){ .n_devices = 2 });
  g_autoptr (SluiceWorkload) w = make_diamond (machine);
  g_autoptr (GError) error = NULL;
  set_links (machine, 2, 10);
  machine->devices[0].memory = 130;
  g_assert_null (sluice_simulate (w, (guint[]){ 0, 0, 0, 0 }, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
  g_assert_nonnull (strstr (error->message, "device:CPU:0 has 130 bytes"));
  g_assert_nonnull (strstr (error->message, "160 bytes would do"));
  g_clear_error (&error);
  machine->devices[0].memory = 160;
  g_autoptr (SluiceSimulation) enough = sluice_simulate (w, (guint[]){ 0, 0, 0, 0 }, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (enough->us, ==, 95);
  machine->links[1].latency_us = INFINITY;
  g_assert_null (sluice_simulate (w, (guint[]){ 0, 0, 1, 0 }, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  g_assert_nonnull (strstr (error->message, "no link"));
  g_assert_nonnull (strstr (error->message, "'c'"));
  g_clear_error (&error);
  w->us[3] = INFINITY;
  g_assert_null (sluice_simulate (w, (guint[]){ 1, 1, 1, 1 }, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  g_assert_nonnull (strstr (error->message, "'b' cannot stand on"));
}

/* A checker that finds nothing would prove nothing: each break of a schedule is found. */
static void
test_checker (void)
{
  g_autoptr (GRand) lot = g_rand_new_with_seed (1);
  g_autoptr (SluiceMachine) machine = draw_machine (lot, &(WorkloadKind){ .n_devices = 2 });
  g_autoptr (SluiceWorkload) w = make_diamond (machine);
  set_links (machine, 2, 10);
  for (guint i = 0; i < 9; i++)
    {
      g_autoptr (SluiceSimulation) s = sluice_simulate (w, (guint[]){ 0, 0, 0, 1 }, NULL, NULL);
      SluiceSimulatedTransfer *t = &g_array_index (s->transfers, SluiceSimulatedTransfer, 1);
      g_autofree char *right = check_schedule (w, s);
      g_assert_cmpstr (right, ==, NULL);
      if (i == 0)
        s->spans[1].start_us -= 1, s->spans[1].end_us -= 1; /* beside c */
      else if (i == 1)
        s->spans[2].end_us -= 1;
      else if (i == 2)
        s->us -= 1;
      else if (i == 3)
        t->start_us -= 55, t->end_us -= 55; /* before c has ended */
      else if (i == 4)
        t->start_us += 100, t->end_us += 100;
      else if (i == 5)
        s->transfers->len--;
      else if (i == 6)
        s->peak_bytes[0] -= 1;
      else if (i == 7)
        machine->devices[0].memory = 150;
      else
        s->devices[3] = 0;
      g_autofree char *wrong = check_schedule (w, s);
      g_test_message ("%s", wrong);
      g_assert_nonnull (wrong);
      machine->devices[0].memory = INFINITY;
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cost/simulate/rules", test_rules);
  g_test_add_func ("/cost/simulate/by-hand", test_by_hand);
  g_test_add_func ("/cost/simulate/errors", test_errors);
  g_test_add_func ("/cost/simulate/checker", test_checker);
  return g_test_run ();
}
