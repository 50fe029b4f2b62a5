/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What outlives a step: queues, checkpoints in memory, blocks of an allocator. */
#include <glib/gstdio.h>
#include <string.h>
#include <time.h>

#include "engine/device/device.h"
#include "engine/graph/graphdef.h"
#include "kernels/registry.h"
#include "tests/bench/rounds.h"

static SluiceGraph *
parse (const char *text)
{
  GError *error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  SluiceGraph *graph = sluice_graph_new ();
  if (!sluice_graph_import (graph, bytes, &error))
    rounds_fatal (error);
  return graph;
}

static SluiceCallable *
prepare (SluiceSession *session, const char *target)
{
  GError *error = NULL;
  SluiceCallable *callable = sluice_session_prepare (
      session, &(SluiceStepNames){ .targets = &target, .n_targets = 1 }, &error);
  if (!callable)
    rounds_fatal (error);
  return callable;
}

/* ---- queues ---- */

/* clang-format off */
#define NODE(name, op, rest)  "node { name: '" name "' op: '" op "' " rest "} "
#define TYPE(type)            "attr { key: 'dtype' value { type: " type " } } "
#define TYPES(key)            "attr { key: '" key "' value { list { type: DT_FLOAT } } } "
#define VALUE(type, rest)     "attr { key: 'value' value { tensor { dtype: " type " " rest "} } } "
#define SHAPE_AND_CAPACITY    "attr { key: 'shapes' value { list { shape { } } } } "              \
                              "attr { key: 'capacity' value { i: 10000 } } "
#define THOUSAND              "tensor_shape { dim { size: 1000 } } "

static const char queue[] =
  NODE ("q", "FIFOQueueV2", TYPES ("component_types") SHAPE_AND_CAPACITY)
  NODE ("one", "Const", TYPE ("DT_FLOAT") VALUE ("DT_FLOAT", "tensor_shape { } float_val: 1 "))
  NODE ("many", "Const", TYPE ("DT_FLOAT") VALUE ("DT_FLOAT", THOUSAND "float_val: 1 "))
  NODE ("n", "Const", TYPE ("DT_INT32") VALUE ("DT_INT32", "tensor_shape { } int_val: 1000 "))
  NODE ("put", "QueueEnqueueV2", "input: 'q' input: 'one' " TYPES ("Tcomponents"))
  NODE ("take", "QueueDequeueV2", "input: 'q' " TYPES ("component_types"))
  NODE ("put_many", "QueueEnqueueManyV2", "input: 'q' input: 'many' " TYPES ("Tcomponents"))
  NODE ("take_many", "QueueDequeueManyV2", "input: 'q' input: 'n' " TYPES ("component_types"));
/* clang-format on */

/* Items a second, each put in by a run and taken out by another. */
static void
bench_queue (const char *name, const char *put, const char *take, guint n_items, double goal)
{
  GError *error = NULL;
  g_autoptr (SluiceGraph) graph = parse (queue);
  g_autoptr (SluiceSession) session = rounds_session (graph, NULL);
  g_autoptr (SluiceCallable) in = prepare (session, put), out = prepare (session, take);
  double rates[ROUNDS];
  for (int i = -3; i < ROUNDS; i++)
    {
      double start = rounds_thread_ns ();
      for (int k = 0; k < 1000; k++)
        if (!sluice_callable_run (in, NULL, NULL, NULL, &error)
            || !sluice_callable_run (out, NULL, NULL, NULL, &error))
          rounds_fatal (error);
      if (i >= 0)
        rates[i] = 1000.0 * n_items / ((rounds_thread_ns () - start) / 1e9);
    }
  rounds_report (name, "items/s", rates, ROUNDS, goal, MORE_IS_BETTER);
}

/* ---- checkpoints ---- */

enum
{
  N_VARIABLES = 16,
  MIB_EACH = 32,
};

static SluiceGraph *
checkpoint_graph (const char *prefix)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) names = g_string_new (NULL), empty = g_string_new (NULL);
  g_autoptr (GString) types = g_string_new (NULL), inputs = g_string_new (NULL);
  for (int i = 0; i < N_VARIABLES; i++)
    {
      g_string_append_printf (text,
                              "node { name: 'v%d' op: 'Placeholder' attr { key: 'dtype' value { "
                              "type: DT_FLOAT } } }\n",
                              i);
      g_string_append_printf (names, "string_val: 'v%d' ", i);
      g_string_append (empty, "string_val: '' ");
      g_string_append (types, "type: DT_FLOAT ");
      g_string_append_printf (inputs, "input: 'v%d' ", i);
    }
  const struct
  {
    const char *name, *shape, *values;
  } consts[] = { { "prefix", "", NULL },
                 { "names", "dim { size: 16 }", names->str },
                 { "slices", "dim { size: 16 }", empty->str } };
  G_STATIC_ASSERT (N_VARIABLES == 16);
  for (guint i = 0; i < G_N_ELEMENTS (consts); i++)
    {
      g_autofree char *one = g_strdup_printf ("string_val: '%s'", prefix);
      g_string_append_printf (
          text,
          "node { name: '%s' op: 'Const' attr { key: 'dtype' value { type: DT_STRING } } attr { "
          "key: 'value' value { tensor { dtype: DT_STRING tensor_shape { %s } %s } } } }\n",
          consts[i].name, consts[i].shape, consts[i].values ? consts[i].values : one);
    }
  g_string_append_printf (text,
                          "node { name: 'save' op: 'SaveV2' input: 'prefix' input: 'names' input: "
                          "'slices' %s attr { key: 'dtypes' value { list { %s } } } }\n"
                          "node { name: 'restore' op: 'RestoreV2' input: 'prefix' input: 'names' "
                          "input: 'slices' attr { key: 'dtypes' value { list { %s } } } }\n",
                          inputs->str, types->str, types->str);
  return parse (text->str);
}

static double
wall_ns (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double) now.tv_sec * 1e9 + (double) now.tv_nsec;
}

/* Wall time: files in memory are written and read by several threads. */
static void
time_transfer (const char *name, SluiceCallable *callable, SluiceTensor *const *feeds, double goal)
{
  GError *error = NULL;
  double rates[7];
  for (int i = -1; i < (int) G_N_ELEMENTS (rates); i++)
    {
      double start = wall_ns ();
      if (!sluice_callable_run (callable, feeds, NULL, NULL, &error))
        rounds_fatal (error);
      if (i >= 0)
        rates[i] = (N_VARIABLES * MIB_EACH / 1024.0) / ((wall_ns () - start) / 1e9);
    }
  rounds_report (name, "GiB/s", rates, G_N_ELEMENTS (rates), goal, MORE_IS_BETTER);
}

static void
remove_checkpoint (const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_remove (path);
    }
  if (dir)
    g_dir_close (dir);
  g_rmdir (folder);
}

static void
bench_checkpoint (void)
{
  GError *error = NULL;
  g_autofree char *folder = g_strdup ("/dev/shm/sluice-bench-XXXXXX");
  if (!g_mkdtemp (folder))
    return; /* no file system in memory */
  g_autofree char *prefix = g_build_filename (folder, "checkpoint", NULL);
  g_autoptr (SluiceGraph) graph = checkpoint_graph (prefix);
  g_autoptr (SluiceSession) session = rounds_session (graph, NULL);
  char names[N_VARIABLES][8];
  const char *save = "save";
  SluiceFeed feeds[N_VARIABLES] = { { NULL } };
  SluiceTensor *values[N_VARIABLES];
  for (int i = 0; i < N_VARIABLES; i++)
    {
      g_snprintf (names[i], sizeof names[i], "v%d:0", i);
      feeds[i].edge = names[i];
      values[i] =
          sluice_tensor_new (NULL, SLUICE_FLOAT, &SLUICE_SHAPE (MIB_EACH << 18), SLUICE_OWNER_NONE);
      for (gint64 k = 0; k < values[i]->n_elements; k++)
        ((float *) values[i]->data)[k] = (float) (k % 1000);
    }
  g_autoptr (SluiceCallable) saving = sluice_session_prepare (
      session,
      &(SluiceStepNames){
          .feeds = feeds, .targets = &save, .n_feeds = N_VARIABLES, .n_targets = 1 },
      &error);
  if (!saving)
    rounds_fatal (error);
  g_autoptr (SluiceCallable) restoring = prepare (session, "restore");
  time_transfer ("checkpoint-save", saving, values, 1.5);
  time_transfer ("checkpoint-restore", restoring, NULL, 3);
  for (int i = 0; i < N_VARIABLES; i++)
    sluice_tensor_unref (values[i]);
  remove_checkpoint (folder);
}

/* ---- memory and trace ---- */

static void
bench_allocator (void)
{
  g_autoptr (SluiceAllocator) allocator = sluice_allocator_new ("bench", 0);
  static const gsize sizes[] = { 4, 256, 4096, 65536, 1 << 20 };
  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      double ns[ROUNDS];
      for (int i = 0; i < ROUNDS; i++)
        {
          double start = rounds_thread_ns ();
          for (int k = 0; k < 10000; k++)
            sluice_allocator_free (sluice_allocator_alloc (allocator, sizes[s], SLUICE_OWNER_NONE));
          ns[i] = (rounds_thread_ns () - start) / 10000;
        }
      g_autofree char *name = g_strdup_printf ("allocator-%" G_GSIZE_FORMAT, sizes[s]);
      rounds_report (name, "ns", ns, ROUNDS, 100, LESS_IS_BETTER);
    }
}

int
main (void)
{
  sluice_registry_init (sluice_kernel_modules ());
  sluice_pool_set_threads (1);
  bench_queue ("queue-one-by-one", "put", "take", 1, 300000);
  bench_queue ("queue-by-the-thousand", "put_many", "take_many", 1000, 5e6);
  bench_allocator ();
  sluice_pool_set_threads (g_get_num_processors ());
  bench_checkpoint ();
  return 0;
}
