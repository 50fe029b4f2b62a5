/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * How long a run goes on after it was cancelled: runs are cancelled at moments drawn by lot. A JSON
 * line each: the worst time from the cancel to the return. What a kernel cannot leave is one call
 * of a library on one chunk.
 *
 * usage: bench-cancel PROJECT...
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "engine/train/replica.h"
#include "kernels/registry.h"
#include "tests/bench/rounds.h"

#define N_TRIES    25
#define LONGEST_US 120000 /* before the cancel */

/* Runs until it is cancelled, again and again if need be. */
typedef gboolean (*Run) (gpointer data, const SluiceRunOptions *options, GError **error);

typedef struct
{
  Run run;
  gpointer data;
  GCancellable *cancellable;
  gint64 returned; /* the monotonic clock, µs */
  gint64 cpu;      /* then, the process's time, µs */
} Try;

static gint64
cpu_us (void)
{
  struct timespec now;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (gint64) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void *
run_main (void *data)
{
  Try *self = data;
  GError *error = NULL;
  SluiceRunOptions options = { .cancellable = self->cancellable, .may_wait = TRUE };
  while (self->run (self->data, &options, &error))
    ;
  self->returned = g_get_monotonic_time ();
  self->cpu = cpu_us ();
  if (!g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED))
    rounds_fatal (error);
  g_clear_error (&error);
  return NULL;
}

static void
measure (const char *name, Run run, gpointer data)
{
  double worst = 0, worst_cpu = 0;
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  for (guint i = 0; i < N_TRIES; i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      Try attempt = { .run = run, .data = data, .cancellable = cancellable };
      pthread_t thread;
      if (pthread_create (&thread, NULL, run_main, &attempt) != 0)
        exit (1);
      g_usleep ((gulong) g_rand_int_range (random, 0, LONGEST_US));
      gint64 start = g_get_monotonic_time (), cpu = cpu_us ();
      g_cancellable_cancel (cancellable);
      pthread_join (thread, NULL);
      worst = MAX (worst, (double) (attempt.returned - start) / 1000);
      worst_cpu = MAX (worst_cpu, (double) (attempt.cpu - cpu) / 1000);
    }
  printf ("{\"name\": \"cancel/%s\", \"value\": %.2f, \"unit\": \"ms\", \"goal\": 100, "
          "\"cpu_ms\": %.2f}\n",
          name, worst, worst_cpu);
  fflush (stdout);
}

/* ---- training steps ---- */

static gboolean
run_step (gpointer data, const SluiceRunOptions *options, GError **error)
{
  SluiceReplica *replica = data;
  g_autofree double *scalars = g_new (double, replica->n_scalars);
  return sluice_replica_step (replica, scalars, NULL, options, error);
}

static void
bench_project (const char *folder)
{
  GError *error = NULL;
  SluiceExamples *examples = NULL, *test = NULL;
  SluiceProject *project = sluice_project_load (folder, &error);
  if (!project || !sluice_examples_load_all (project, &examples, &test, &error))
    rounds_fatal (error);
  SluiceReplica *replica = sluice_replica_new (project, examples, test, 0, NULL, &error);
  if (!replica || !sluice_replica_initialize (replica, &error))
    rounds_fatal (error);
  measure (project->name, run_step, replica);
  sluice_replica_free (replica);
  g_clear_pointer (&examples, sluice_examples_free);
  g_clear_pointer (&test, sluice_examples_free);
  sluice_project_free (project);
}

/* ---- single nodes ---- */

#define TYPE(name, type) "attr { key: '" name "' value { type: " type " } } "
#define CONST(name, type, value)                                                                   \
  "node { name: '" name                                                                            \
  "' op: 'Const' " TYPE ("dtype", type) "attr { key: 'value' value { tensor { dtype: " type        \
                                        " " value " tensor_shape {} } } } } "
#define ELEMENT                                                                                    \
  "attr { key: 'output_types' value { list { type: DT_INT64 } } } "                                \
  "attr { key: 'output_shapes' value { list { shape {} } } } "
#define SHAPE(name, a, b, c, d)                                                                    \
  "node { name: '" name "' op: 'Const' " TYPE (                                                    \
      "dtype", "DT_INT32") "attr { key: 'value' value { tensor { dtype: DT_INT32 int_val: [" #a    \
                           "," #b "," #c "," #d "] "                                               \
                           "tensor_shape { dim { size: 4 } } } } } } "
#define RANDOM(name, shape)                                                                        \
  "node { name: '" name "' op: 'RandomUniform' input: '" shape "' " TYPE ("dtype", "DT_FLOAT")     \
      TYPE ("T", "DT_INT32") "} "
/* Runs NODE over the first elements of a range that has no end. */
#define DATASET(node)                                                                              \
  CONST ("zero", "DT_INT64", "int64_val: 0")                                                       \
  CONST ("one", "DT_INT64", "int64_val: 1")                                                        \
  CONST ("most", "DT_INT64", "int64_val: 4611686018427387904")                                     \
  "node { name: 'range' op: 'RangeDataset' input: ['zero', 'most', 'one'] " ELEMENT "} " node      \
  "node { name: 'iterator' op: 'IteratorV2' attr { key: 'shared_name' value { s: '' } } "          \
  "attr { key: 'container' value { s: '' } } " ELEMENT "} "                                        \
  "node { name: 'begin' op: 'MakeIterator' input: ['made', 'iterator'] } "                         \
  "node { name: 'go' op: 'IteratorGetNext' input: 'iterator' " ELEMENT "} "

typedef struct
{
  const char *name, *graph;
  const char *begin; /* (nullable): run once */
} Single;

static const Single singles[] = {
  { "queue",
    "node { name: 'queue' op: 'FIFOQueueV2' "
    "attr { key: 'component_types' value { list { type: DT_FLOAT } } } } "
    "node { name: 'go' op: 'QueueDequeueV2' input: 'queue' "
    "attr { key: 'component_types' value { list { type: DT_FLOAT } } } }",
    NULL },
  { "dataset-skip",
    DATASET ("node { name: 'made' op: 'SkipDataset' input: ['range', 'most'] " ELEMENT "} "),
    "begin" },
  { "dataset-shuffle",
    DATASET (
        "node { name: 'made' op: 'ShuffleDataset' input: ['range', 'most', 'one', 'one'] " ELEMENT
        "} "),
    "begin" },
  { "dataset-batch",
    DATASET ("node { name: 'made' op: 'BatchDataset' input: ['range', 'most'] " ELEMENT "} "),
    "begin" },
  { "convolution",
    SHAPE ("image", 32, 128, 128, 64) SHAPE ("window", 5, 5, 64, 64) RANDOM ("x", "image")
        RANDOM ("filter", "window") "node { name: 'go' op: 'Conv2D' input: ['x', 'filter'] " TYPE (
            "T", "DT_FLOAT") "attr { key: 'strides' value { list { i: [1, 1, 1, 1] } } } "
                             "attr { key: 'padding' value { s: 'SAME' } } } ",
    NULL },
  { "product",
    "node { name: 'shape' op: 'Const' " TYPE (
        "dtype", "DT_INT32") "attr { key: 'value' value { tensor { dtype: DT_INT32 int_val: [4000, "
                             "4000] "
                             "tensor_shape { dim { size: 2 } } } } } } " RANDOM (
                                 "x", "shape") "node { name: 'go' op: 'MatMul' input: ['x', "
                                               "'x'] " TYPE ("T", "DT_FLOAT") "} ",
    NULL },
};

static gboolean
run_single (gpointer data, const SluiceRunOptions *options, GError **error)
{
  const char *target = "go";
  return sluice_session_run (data, &(SluiceStepNames){ .targets = &target, .n_targets = 1 }, NULL,
                             options, error);
}

static void
bench_single (const Single *single)
{
  GError *error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_autoptr (GBytes) bytes = g_bytes_new_static (single->graph, strlen (single->graph));
  SluiceSessionOptions options = { .seed = 1 };
  SluiceSession *session = NULL;
  if (!sluice_graph_import (graph, bytes, &error)
      || (session = sluice_session_new (&options, &error)) == NULL
      || !sluice_session_extend (session, graph, &error)
      || (single->begin
          && !sluice_session_run (session,
                                  &(SluiceStepNames){ .targets = &single->begin, .n_targets = 1 },
                                  NULL, NULL, &error)))
    rounds_fatal (error);
  measure (single->name, run_single, session);
  g_object_unref (session);
}

int
main (int argc, char **argv)
{
  g_set_prgname ("bench-cancel");
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  for (int i = 1; i < argc; i++)
    bench_project (argv[i]);
  for (guint i = 0; i < G_N_ELEMENTS (singles); i++)
    bench_single (&singles[i]);
  return 0;
}
