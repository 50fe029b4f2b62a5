/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What devices with queues of their own do beside each other, on simulated ones, whose links and
 * kernels take a known time: transfers beside kernels, the copy of the next batch beside a step,
 * what a node costs that stands behind others in a queue, and what a step does in half of the
 * memory. A JSON line each.
 *
 * usage: bench-device PROJECT
 */
#include <stdio.h>

#include "engine/base/pool.h"
#include "engine/passes/passes.h"
#include "engine/train/replica.h"
#include "kernels/registry.h"
#include "tests/bench/median.h"
#include "tests/bench/rounds.h"
#include "tests/engine/runtime/lstm.h"

#define N_LINKS  10
#define LINK_MS  10
#define N_VALUES 250000 /* floats, of which a link brings so many in LINK_MS */
#define N_CHAIN  200
#define N_ROUNDS 15
#define N_STEPS  32 /* at a time: two of them differ by more than the copies cost */
#define N_TURNS  31
#define BATCH    4096

static void
check (gboolean ok, GError *error)
{
  if (!ok)
    rounds_fatal (error);
}

/* ---- a kernel of LINK_MS ---- */

static gboolean
take_time (SluiceKernelCall *call)
{
  g_usleep (LINK_MS * 1000);
  sluice_call_forward (call, 0, 0);
  return TRUE;
}

static gboolean
hand_on (SluiceKernelCall *call)
{
  sluice_call_forward (call, 0, 0);
  return TRUE;
}

static const SluiceRecipe in_benches = { .why_none = "exists in benchmarks only" };
static const SluiceOpDef slow_op = { .name = "BenchSlow",
                                     .signature = "x: float -> y: float",
                                     .summary = "BenchSlow",
                                     .flags = SLUICE_OP_STATEFUL,
                                     .recipe = &in_benches };
static const SluiceOpDef link_op = { .name = "BenchLink",
                                     .signature = "x: float -> y: float",
                                     .summary = "BenchLink",
                                     .flags = SLUICE_OP_STATEFUL,
                                     .recipe = &in_benches };
static const SluiceOpDef *const ops[] = { &slow_op, &link_op };
static const SluiceKernel kernels[] = {
  { .op = "BenchSlow", .device = "CPU", .compute = take_time },
  { .op = "BenchLink", .device = "CPU", .compute = hand_on },
};
static const SluiceKernelModule module = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};

static void
init_registry (void)
{
  g_autoptr (GPtrArray) modules = g_ptr_array_new ();
  for (const SluiceKernelModule *const *m = sluice_kernel_modules (); *m != NULL; m++)
    g_ptr_array_add (modules, (gpointer) *m);
  g_ptr_array_add (modules, (gpointer) &module);
  g_ptr_array_add (modules, NULL);
  sluice_registry_init ((const SluiceKernelModule *const *) modules->pdata);
}

static SluiceNode *
add_on (SluiceGraph *graph, const char *device, const char *op, SluiceEdge input)
{
  GError *error = NULL;
  const SluiceNodeSpec spec = { .op = op, .device = device, .inputs = &input, .n_inputs = 1 };
  SluiceNode *node = sluice_graph_add (graph, &spec, &error);
  check (node != NULL, error);
  return node;
}

/* ---- transfers beside kernels ---- */

static double
time_run (SluiceCallable *run, SluiceTensor *feed, guint n_outputs)
{
  GError *error = NULL;
  g_autofree SluiceTensor **outputs = g_new0 (SluiceTensor *, n_outputs);
  gint64 start = g_get_monotonic_time ();
  check (sluice_callable_run (run, &feed, outputs, NULL, &error), error);
  double us = (double) (g_get_monotonic_time () - start);
  for (guint i = 0; i < n_outputs; i++)
    g_clear_pointer (&outputs[i], sluice_tensor_unref);
  return us;
}

/* A chain of kernels on the device, of which each one's value goes to the host. */
static void
bench_overlap (void)
{
  GError *error = NULL;
  double ms[N_ROUNDS];
  const SluiceSessionOptions options = { .device_options = "bandwidth=100M", .device = "SIM:0" };
  SluiceGraph *graph = sluice_graph_new ();
  SluiceEdge at = rounds_placeholder (graph, "x", &SLUICE_SHAPE (N_VALUES));
  const char *targets[N_LINKS];
  for (guint i = 0; i < N_LINKS; i++)
    {
      at = (SluiceEdge){ add_on (graph, "/device:SIM:0", "BenchSlow", at), 0 };
      targets[i] = add_on (graph, "/device:CPU:0", "BenchLink", at)->name;
    }
  SluiceSession *session = rounds_session (graph, &options);
  const SluiceFeed feed = { "x", NULL };
  const SluiceStepNames names = {
    .feeds = &feed, .n_feeds = 1, .targets = targets, .n_targets = N_LINKS
  };
  SluiceCallable *run = sluice_session_prepare (session, &names, &error);
  check (run != NULL, error);
  g_autoptr (SluiceTensor) value = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (N_VALUES));
  GArray *sent =
      sluice_callable_send (run, &value); /* the feed's own way is not what is measured */
  for (guint i = 0; i < N_ROUNDS; i++)
    ms[i] = time_run (run, value, 0) / 1000;
  g_array_unref (sent);
  rounds_report ("device/10-kernels-beside-10-transfers", "ms", ms, N_ROUNDS, 130, LESS_IS_BETTER);
  sluice_callable_unref (run);
  g_object_unref (session);
  sluice_graph_unref (graph);
}

/* ---- a node behind others ---- */

static void
bench_chain (void)
{
  GError *error = NULL;
  double us[N_ROUNDS];
  SluiceGraph *graph = sluice_graph_new ();
  SluiceEdge at = rounds_placeholder (graph, "x", &SLUICE_SHAPE_SCALAR);
  for (guint i = 0; i < N_CHAIN; i++)
    at = (SluiceEdge){ add_on (graph, "/device:SIM:0", "BenchLink", at), 0 };
  SluiceSession *session = rounds_session (graph, &(SluiceSessionOptions){ .device = "SIM:0" });
  const SluiceFeed feed = { "x", NULL };
  const SluiceStepNames names = {
    .feeds = &feed, .n_feeds = 1, .fetches = (const char *[]){ at.node->name }, .n_fetches = 1
  };
  SluiceCallable *run = sluice_session_prepare (session, &names, &error);
  check (run != NULL, error);
  g_autoptr (SluiceTensor) value = sluice_tensor_new_float (1);
  time_run (run, value, 1);
  for (guint i = 0; i < N_ROUNDS; i++)
    us[i] = time_run (run, value, 1) / N_CHAIN;
  rounds_report ("device/node-in-a-chain", "us", us, N_ROUNDS, 0, LESS_IS_BETTER);
  sluice_callable_unref (run);
  g_object_unref (session);
  sluice_graph_unref (graph);
}

/* ---- the next batch beside a step ---- */

static SluiceReplica *
begin (SluiceProject *project, const SluiceExamples *examples, const char *device_options)
{
  GError *error = NULL;
  const SluiceSessionOptions host = { .device = "SIM:0", .device_options = device_options };
  SluiceReplica *replica = sluice_replica_new (project, examples, NULL, 1, &host, &error);
  check (replica && sluice_replica_initialize (replica, &error), error);
  return replica;
}

static double
time_steps (SluiceReplica *replica)
{
  GError *error = NULL;
  g_autofree double *scalars = g_new (double, replica->n_scalars);
  gint64 start = g_get_monotonic_time ();
  for (guint i = 0; i < N_STEPS; i++)
    {
      const SluiceRunOptions options = { .step = (guint64) replica->n_done + 1 };
      replica->limit = replica->n_done + 1;
      check (sluice_replica_step (replica, scalars, NULL, &options, &error), error);
    }
  return (double) (g_get_monotonic_time () - start) / N_STEPS;
}

/* In turns: over a link that brings a batch in half of a step, and over one that takes no time. */
static void
bench_input (SluiceProject *project, const SluiceExamples *examples)
{
  SluiceReplica *fast = begin (project, examples, NULL);
  double us[N_TURNS], ratios[N_TURNS];
  for (guint i = 0; i < N_TURNS; i++)
    us[i] = time_steps (fast);
  double copy_us = bench_median (us, N_TURNS) / 2;
  gsize bytes = 0;
  for (guint i = 0; i < fast->n_batch; i++)
    bytes += sluice_tensor_bytes (fast->feeds[i]);
  g_autofree char *options = g_strdup_printf ("bandwidth=%.0f", (double) bytes / copy_us * 1e6);
  SluiceReplica *slow = begin (project, examples, options);
  time_steps (slow);
  for (guint i = 0; i < N_TURNS; i++)
    {
      double of_slow = i % 2 ? time_steps (slow) : 0;
      us[i] = time_steps (fast);
      if (i % 2 == 0)
        of_slow = time_steps (slow);
      ratios[i] = of_slow / us[i];
    }
  printf ("{\"name\": \"device/step-with-copies-to-without\", \"value\": %.4f, \"unit\": \"x\", "
          "\"goal\": 1.03, \"step_us\": %.1f, \"copy_us\": %.1f}\n",
          bench_median (ratios, N_TURNS), bench_median (us, N_TURNS), copy_us);
  sluice_replica_free (slow);
  sluice_replica_free (fast);
}

/* ---- in half of the memory ---- */

static const LstmSize lstm = { 128, 128, 32, TRUE };
#define N_ITERATIONS 100
#define LINK_GIB     "8G"

/* memory 0: no limit */
static SluiceSession *
begin_lstm (gsize memory)
{
  GError *error = NULL;
  g_autofree char *options =
      memory > 0 ? g_strdup_printf ("bandwidth=" LINK_GIB ",memory=%" G_GSIZE_FORMAT, memory)
                 : g_strdup ("bandwidth=" LINK_GIB);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  lstm_build (graph, &lstm);
  SluiceSession *session = rounds_session (
      graph, &(SluiceSessionOptions){ .device = "SIM:0", .device_options = options, .seed = 1 });
  const char *init = "init";
  check (sluice_session_run (session, &(SluiceStepNames){ .targets = &init, .n_targets = 1 }, NULL,
                             NULL, &error),
         error);
  return session;
}

/* Milliseconds. */
static double
time_lstm (SluiceSession *session)
{
  GError *error = NULL;
  const char *target = "train";
  g_autoptr (SluiceTensor) n = sluice_tensor_new_int32 (N_ITERATIONS);
  const SluiceFeed feed = { "steps:0", n };
  gint64 start = g_get_monotonic_time ();
  check (sluice_session_run (
             session,
             &(SluiceStepNames){ .feeds = &feed, .targets = &target, .n_feeds = 1, .n_targets = 1 },
             NULL, NULL, &error),
         error);
  return (double) (g_get_monotonic_time () - start) / 1000;
}

static void
bench_swap (void)
{
  SluiceMemoryStats stats;
  SluiceSwapStats before, after;
  double ratios[N_ROUNDS], ms[N_ROUNDS];
  SluiceSession *free = begin_lstm (0);
  time_lstm (free);
  sluice_allocator_get_stats (sluice_session_get_device (free, 1)->allocator, &stats);
  SluiceSession *tight = begin_lstm (stats.peak_bytes / 2);
  SluiceSwap *swap = sluice_session_get_device (tight, 1)->swap;
  time_lstm (tight);
  sluice_swap_get_stats (swap, &before);
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      double of_tight = i % 2 ? time_lstm (tight) : 0;
      ms[i] = time_lstm (free);
      if (i % 2 == 0)
        of_tight = time_lstm (tight);
      ratios[i] = of_tight / ms[i];
    }
  sluice_swap_get_stats (swap, &after);
  printf ("{\"name\": \"device/step-in-half-the-memory-to-all\", \"value\": %.3f, \"unit\": \"x\", "
          "\"goal\": 1.15, \"step_ms\": %.2f, \"peak_mib\": %.1f, \"values_out\": %.0f}\n",
          bench_median (ratios, N_ROUNDS), bench_median (ms, N_ROUNDS),
          (double) stats.peak_bytes / (1 << 20),
          (double) (after.n_written - before.n_written) / N_ROUNDS);
  g_object_unref (tight);
  g_object_unref (free);
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  if (argc != 2)
    {
      fprintf (stderr, "usage: bench-device PROJECT\n");
      return 2;
    }
  g_set_prgname ("bench-device");
  sluice_pool_set_threads (1);
  init_registry ();
  sluice_passes_init ();
  SluiceProject *project = sluice_project_load (argv[1], &error);
  SluiceExamples *examples = project ? sluice_examples_load (project, FALSE, &error) : NULL;
  check (examples != NULL, error);
  project->batch = MIN (BATCH, examples->n);
  bench_overlap ();
  bench_chain ();
  bench_input (project, examples);
  bench_swap ();
  sluice_examples_free (examples);
  sluice_project_free (project);
  return 0;
}
