/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * How true predictions are: steps of graphs on one and two CPU devices and on simulated ones with
 * latency and bandwidth, as predicted from what was measured of them all before, and as they then
 * take.
 *
 * usage: bench-truth [--threads N] [--seconds S] [--graphs N] [PROJECT|CASES.pb.gz...]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/pool.h"
#include "engine/passes/fold.h"
#include "engine/runtime/session/session.h"
#include "engine/train/measuring.h"
#include "engine/train/replica.h"
#include "engine/train/step-prediction.h"
#include "kernels/registry.h"
#include "tests/bench/median.h"
#include "tests/bench/truth-subject.h"
#include "tests/bench/truth-trace.h"

#define GOAL 0.15

static int n_threads = 1, n_graphs = 40;
static double seconds = 0.5;
static gboolean explains;

static const GOptionEntry entries[] = {
  { "threads", 0, 0, G_OPTION_ARG_INT, &n_threads, "Threads that compute (1)", "N" },
  { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "To measure each, twice (0.5)", "S" },
  { "graphs", 0, 0, G_OPTION_ARG_INT, &n_graphs, "Graphs to draw (40)", "N" },
  { "explain", 0, 0, G_OPTION_ARG_NONE, &explains, "Print a step of each", NULL },
  G_OPTION_ENTRY_NULL,
};

/* ---- measuring ---- */

/* Steps of one kind at a stretch, in so many events: reading a trace after each step would empty
 * the caches, and what is not read for long is overwritten. */
#define STRETCH        50
#define STRETCH_EVENTS 20000
#define LEAST          4 /* what a loop took is known when the next step has begun */

typedef struct
{
  double median_us, p5_us, p95_us;
  double before_us; /* of the steps that calibrate */
  double parts[TRUTH_N_PARTS];
} Timing;

/* Stretches by turns: what disturbs the machine meanwhile disturbs both. */
static void
calibrate_and_measure (TruthSubject *self, SluiceMeasured *measured, Timing *timing)
{
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) before = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (SluiceMeasuring) measuring =
      sluice_measuring_new (self->session, measured, self->batch);
  sluice_measured_set_options (measured, TRUTH_SIM_OPTIONS);
  g_autoptr (TruthTrace) trace = truth_trace_new (self->session);
  truth_subject_step (self);
  truth_trace_skip (trace);
  truth_subject_step (self);
  truth_trace_read (trace);
  guint stretch =
      (guint) CLAMP (STRETCH_EVENTS / truth_trace_get (trace, TRUTH_N_EVENTS), LEAST, STRETCH);
  for (guint i = 0; i < stretch; i++)
    truth_subject_step (self);
  sluice_measuring_skip (measuring);
  truth_trace_skip (trace);
  gint64 end = g_get_monotonic_time () + (gint64) (2 * seconds * G_USEC_PER_SEC);
  while (g_get_monotonic_time () < end)
    {
      for (guint i = 0; i < stretch; i++)
        {
          double us = truth_subject_step (self);
          g_array_append_val (before, us);
        }
      sluice_measuring_read (measuring);
      truth_trace_skip (trace);
      for (guint i = 0; i < stretch; i++)
        {
          double us = truth_subject_step (self);
          g_array_append_val (times, us);
        }
      truth_trace_read (trace);
      sluice_measuring_skip (measuring);
    }
  double *sorted = (double *) times->data;
  timing->median_us = bench_median (sorted, times->len);
  timing->before_us = bench_median ((double *) before->data, before->len);
  timing->p5_us = sorted[times->len / 20];
  timing->p95_us = sorted[times->len - 1 - times->len / 20];
  for (guint part = 0; part < TRUTH_N_PARTS; part++)
    timing->parts[part] = truth_trace_get (trace, part);
  if (explains)
    truth_trace_print (trace);
}

/* ---- predicting ---- */

static SluicePrediction
predict (const TruthSubject *self, SluiceMeasured *measured)
{
  GError *error = NULL;
  g_autoptr (GPtrArray) targets = g_ptr_array_new ();
  g_autoptr (GArray) fetches = g_array_new (FALSE, FALSE, sizeof (SluiceEdge));
  SluicePrediction told;
  truth_subject_add_targets (self, targets, fetches);
  sluice_measured_set_options (measured, TRUTH_SIM_OPTIONS);
  if (!sluice_session_predict_step (self->session, measured, self->batch, targets, fetches, &told,
                                    &error))
    truth_fatal (self->name, error);
  return told;
}

/* ---- the table ---- */

static void
print (const TruthSubject *self,
       const Timing *was,
       const SluicePrediction *told,
       guint *n_near,
       guint *n_inside)
{
  double off = told->us / was->median_us - 1;
  gboolean is_inside = fabs (told->us - was->median_us) <= told->plus_minus;
  *n_near += fabs (off) <= GOAL;
  *n_inside += is_inside;
  printf ("%-26s %9.1f ±%7.1f %9.1f %9.1f %9.1f %6.1f %%  %s %s", self->name, told->us,
          told->plus_minus, was->median_us, was->p5_us, was->p95_us, 100 * off,
          fabs (off) <= GOAL ? "near" : "    ", is_inside ? "inside" : "      ");
  printf ("  host %.1f/%.1f queues %.1f/%.1f copies %.1f meetings %.1f span %.1f events %.0f\n",
          told->host_us, was->parts[TRUTH_NODES_HOST], told->queues_us,
          was->parts[TRUTH_NODES_QUEUE], was->parts[TRUTH_COPIES], was->parts[TRUTH_MEETINGS],
          was->parts[TRUTH_SPAN], was->parts[TRUTH_N_EVENTS]);
  fflush (stdout);
}

static void
print_overheads (SluiceMeasured *measured)
{
  static const char *const names[] = { "between", "wake", "give", "news" };
  static const char *const devices[] = { "CPU:0", "SIM:0", "SIM:1" };
  for (guint d = 0; d < G_N_ELEMENTS (devices); d++)
    for (guint k = 0; k < SLUICE_N_OVERHEADS; k++)
      {
        SluiceMeasuredFigure figure;
        sluice_measured_get_overhead (measured, devices[d], k, &figure);
        printf ("%s %s: %.2f us, mean %.2f, p95 %.2f, of %" G_GUINT64_FORMAT "\n", devices[d],
                names[k], figure.us, figure.mean_us, figure.p95, figure.n);
      }
  for (guint a = 0; a < G_N_ELEMENTS (devices); a++)
    for (guint b = 0; b < G_N_ELEMENTS (devices); b++)
      {
        SluiceMeasuredLink link;
        if (sluice_measured_get_link (measured, devices[a], devices[b], &link))
          printf ("%s > %s: %.2f us, waits %.2f, %.0f bytes/us, residual %.2f\n", devices[a],
                  devices[b], link.latency_us, link.wait_us, link.bytes_per_us, link.residual);
      }
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context = g_option_context_new ("[PROJECT...]");
  g_autoptr (GPtrArray) subjects = g_ptr_array_new_with_free_func (truth_subject_free);
  g_autoptr (SluiceMeasured) measured = sluice_measured_new ();
  guint n_near = 0, n_inside = 0;
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    truth_fatal ("arguments", error);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  sluice_pool_set_threads ((guint) n_threads);
  for (int i = 1; i < argc; i++)
    if (g_str_has_suffix (argv[i], ".pb.gz"))
      {
        TruthSubject *subject = truth_subject_load_case (argv[i]);
        if (subject != NULL)
          g_ptr_array_add (subjects, subject);
      }
  for (int i = 1; i < argc; i++)
    for (guint n_cpus = 1; n_cpus <= 2 && !g_str_has_suffix (argv[i], ".pb.gz"); n_cpus++)
      g_ptr_array_add (subjects, truth_subject_load (argv[i], n_cpus));
  for (int i = 0; i < n_graphs; i++)
    g_ptr_array_add (subjects, truth_subject_draw ((guint) i));
  g_autofree Timing *timings = g_new0 (Timing, subjects->len + 1);
  for (guint i = 0; i < subjects->len; i++)
    calibrate_and_measure (subjects->pdata[i], measured, &timings[i]);
  /* How far off the table is together, by the steps that it was made of. */
  for (guint i = 0; i < subjects->len; i++)
    sluice_measured_add_prediction (measured, predict (subjects->pdata[i], measured).us,
                                    timings[i].before_us);
  print_overheads (measured);
  printf ("%-26s %9s %8s %9s %9s %9s %6s\n", "graph", "predicted", "", "measured", "p5", "p95",
          "off");
  for (guint i = 0; i < subjects->len; i++)
    {
      SluicePrediction told = predict (subjects->pdata[i], measured);
      print (subjects->pdata[i], &timings[i], &told, &n_near, &n_inside);
    }
  printf ("within %.0f %%: %u of %u; inside the ±: %u of %u\n", 100 * GOAL, n_near, subjects->len,
          n_inside, subjects->len);
  return EXIT_SUCCESS;
}
