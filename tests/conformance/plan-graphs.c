/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * plan-graphs [--rounds N] [--steps N] [--limit MIB] [--tap] FILE...: loads training graphs that
 * come without data, plans what trains them, and makes steps on made-up input. A step after the
 * first must do no work on the graph: that is counted. JSON lines: CPU milliseconds of the thread
 * that loads and plans, the best of the rounds; in these figures goals are for 36,000 nodes.
 */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/graph/graphdef.h"
#include "engine/runtime/session/session.h"
#include "kernels/registry.h"

#define GOAL_NODES  36000
#define UNKNOWN_DIM 8 /* what a batch has, say; towers can share it */

static int n_rounds = 3, n_steps = 2, limit_mib, n_threads;
static gboolean tap;

static double
thread_ms (void)
{
  struct timespec now;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6;
}

static void
report (const char *path, const char *what, const char *unit, double value, double goal)
{
  g_autofree char *file = g_path_get_basename (path);
  *strchr (file, '.') = '\0';
  printf ("%s{\"name\": \"graph/%s/%s\", \"value\": %.2f, \"unit\": \"%s\"", tap ? "# " : "", file,
          what, value, unit);
  if (goal > 0)
    printf (", \"goal\": %g", goal);
  printf ("}\n");
  fflush (stdout);
}

/* ---- what to run ---- */

typedef struct
{
  SluiceGraph *graph;
  GPtrArray *targets; /* names */
  GPtrArray *feeds;   /* names, owned */
  GPtrArray *values;  /* of SluiceTensor, beside feeds */
} Training;

static void
training_clear (Training *self)
{
  g_clear_pointer (&self->targets, g_ptr_array_unref);
  g_clear_pointer (&self->feeds, g_ptr_array_unref);
  g_clear_pointer (&self->values, g_ptr_array_unref);
}

static gboolean
is_update (const SluiceNode *node)
{
  return g_str_has_prefix (node->op_name, "Apply")
         || g_str_has_prefix (node->op_name, "SparseApply")
         || g_str_has_prefix (node->op_name, "ResourceApply")
         || g_str_has_prefix (node->op_name, "ResourceSparseApply")
         || g_str_has_prefix (node->op_name, "ScatterSub");
}

static void
reach (GPtrArray *stack, guint8 *seen, SluiceNode *node)
{
  if (seen[node->id - 1])
    return;
  seen[node->id - 1] = TRUE;
  g_ptr_array_add (stack, node);
}

/* What nobody uses and is behind an optimizer's update trains the graph. */
static void
find_targets (Training *self)
{
  guint n = sluice_graph_get_n_nodes (self->graph);
  g_autofree guint8 *seen = g_new0 (guint8, n + 1);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  for (guint i = 0; i < n; i++)
    if (is_update (sluice_graph_get_node (self->graph, i)))
      reach (stack, seen, sluice_graph_get_node (self->graph, i));
  while (stack->len > 0)
    {
      SluiceNode *node = g_ptr_array_steal_index_fast (stack, stack->len - 1);
      guint n_uses;
      const SluiceUse *uses = sluice_graph_get_uses (self->graph, node, &n_uses);
      for (guint i = 0; i < n_uses; i++)
        reach (stack, seen, uses[i].node);
      if (n_uses == 0)
        g_ptr_array_add (self->targets, (gpointer) node->name);
    }
}

/* Fractions, and numbers of the two classes or words that everything has at least. */
static SluiceTensor *
make_value (SluiceDType dtype, const SluiceShape *shape)
{
  gint64 dims[SLUICE_MAX_RANK];
  SluiceShape known;
  for (int i = 0; i < shape->rank; i++)
    dims[i] = shape->dim[i] < 0 ? UNKNOWN_DIM : shape->dim[i];
  if (!sluice_shape_make (&known, dims, (gsize) MAX (shape->rank, 0), NULL))
    return NULL;
  SluiceTensor *value = sluice_tensor_new (NULL, dtype, &known, SLUICE_OWNER_NONE);
  for (gint64 i = 0; value != NULL && i < value->n_elements; i++)
    switch (dtype)
      {
      case SLUICE_FLOAT:
        ((float *) value->data)[i] = (float) (i * 2654435761u % 1000) / 1000;
        break;
      case SLUICE_DOUBLE:
        ((double *) value->data)[i] = (double) (i * 2654435761u % 1000) / 1000;
        break;
      case SLUICE_INT32:
        ((gint32 *) value->data)[i] = (gint32) (i % 2);
        break;
      case SLUICE_INT64:
        ((gint64 *) value->data)[i] = i % 2;
        break;
      case SLUICE_UINT8:
        ((guint8 *) value->data)[i] = (guint8) i;
        break;
      case SLUICE_BOOL:
        ((guint8 *) value->data)[i] = TRUE;
        break;
      default:
        g_clear_pointer (&value, sluice_tensor_unref);
        return NULL;
      }
  return value;
}

static gboolean
feed_node (Training *self, const SluiceNode *node, GError **error)
{
  for (guint i = 0; i < node->n_outputs; i++)
    {
      const SluiceOutput *output = &node->outputs[i];
      SluiceTensor *value = make_value (output->dtype, &output->shape);
      if (value == NULL)
        return sluice_fail (error, SLUICE_ERROR_UNIMPLEMENTED, "no input is made up for %s '%s'",
                            node->op_name, node->name);
      g_ptr_array_add (self->values, value);
      g_ptr_array_add (self->feeds, g_strdup_printf ("%s:%u", node->name, i));
    }
  return TRUE;
}

/* Placeholders, and what comes out of input queues, which have no files to read. */
static gboolean
find_feeds (Training *self, GError **error)
{
  g_autofree guint8 *seen = g_new0 (guint8, sluice_graph_get_n_nodes (self->graph) + 1);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  for (guint i = 0; i < self->targets->len; i++)
    reach (stack, seen, sluice_graph_find (self->graph, self->targets->pdata[i]));
  while (stack->len > 0)
    {
      const SluiceNode *node = g_ptr_array_steal_index_fast (stack, stack->len - 1);
      if (sluice_node_get_role (node) == SLUICE_ROLE_PLACEHOLDER
          || g_str_has_prefix (node->op_name, "QueueDequeue"))
        {
          if (!feed_node (self, node, error))
            return FALSE;
          continue;
        }
      for (guint i = 0; i < node->n_inputs; i++)
        if (node->inputs[i].node != NULL)
          reach (stack, seen, node->inputs[i].node);
      for (guint i = 0; i < node->n_control_inputs; i++)
        reach (stack, seen, node->control_inputs[i]);
    }
  return TRUE;
}

static gboolean
training_init (Training *self, SluiceGraph *graph, GError **error)
{
  *self = (Training){ graph, g_ptr_array_new (), g_ptr_array_new_with_free_func (g_free),
                      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_tensor_unref) };
  find_targets (self);
  if (self->targets->len == 0)
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "the graph holds no update of an optimizer");
  return find_feeds (self, error);
}

/* ---- one file ---- */

static SluiceCallable *
prepare (SluiceSession *session, const Training *training, GError **error)
{
  g_autofree SluiceFeed *feeds =
      sluice_feeds_new ((const char *const *) training->feeds->pdata, training->feeds->len);
  const SluiceStepNames names = { .feeds = feeds,
                                  .targets = (const char *const *) training->targets->pdata,
                                  .n_feeds = training->feeds->len,
                                  .n_targets = training->targets->len };
  return sluice_session_prepare (session, &names, error);
}

static SluiceSession *
open_session (SluiceGraph *graph, GError **error)
{
  SluiceSessionOptions options = { .seed = 1, .memory_limit = (gsize) limit_mib << 20 };
  SluiceSession *session = sluice_session_new (&options, error);
  if (session != NULL && !sluice_session_extend (session, graph, error))
    g_clear_object (&session);
  return session;
}

typedef struct
{
  double load, place, plan;
} Times;

/* load: from the bytes of the GraphDef. place: what a session does when the graph is added. plan:
 * what the first run of a signature does before it runs. */
static gboolean
time_once (GBytes *bytes, Times *times, GError **error)
{
  double start = thread_ms ();
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  if (!sluice_graph_import (graph, bytes, error))
    return FALSE;
  times->load = MIN (times->load, thread_ms () - start);
  Training training;
  gboolean ok = training_init (&training, graph, error);
  start = thread_ms ();
  g_autoptr (SluiceSession) session = ok ? open_session (graph, error) : NULL;
  times->place = MIN (times->place, thread_ms () - start);
  start = thread_ms ();
  g_autoptr (SluiceCallable) callable =
      session != NULL ? prepare (session, &training, error) : NULL;
  times->plan = MIN (times->plan, thread_ms () - start);
  training_clear (&training);
  return callable != NULL;
}

/* The steps after the first find everything as the first left it. */
static gboolean
check_steady (const char *path,
              SluiceSession *session,
              const SluiceSessionStats *before,
              guint64 version,
              GError **error)
{
  SluiceSessionStats now;
  sluice_session_get_stats (session, &now);
  guint64 n_plans = now.n_plans - before->n_plans;
  guint64 n_changes = sluice_graph_get_version (sluice_session_get_graph (session)) - version;
  report (path, "later-plans", "", (double) n_plans, 0);
  report (path, "later-changes", "", (double) n_changes, 0);
  return (n_plans == 0 && n_changes == 0)
         || sluice_fail (error, SLUICE_ERROR_INTERNAL,
                         "later steps made %" G_GUINT64_FORMAT " plans and changed the graph "
                         "%" G_GUINT64_FORMAT " times",
                         n_plans, n_changes);
}

static gboolean
make_steps (const char *path, const Training *training, GError **error)
{
  const char *init = "init"; /* tf.global_variables_initializer() */
  g_autoptr (SluiceSession) session = open_session (training->graph, error);
  if (session == NULL
      || !sluice_session_run (session, &(SluiceStepNames){ .targets = &init, .n_targets = 1 }, NULL,
                              NULL, error))
    return FALSE;
  SluiceSessionStats stats;
  guint64 version = 0;
  for (int i = 0; i < n_steps; i++)
    {
      g_autoptr (SluiceCallable) callable = prepare (session, training, error);
      gint64 start = g_get_monotonic_time ();
      if (callable == NULL
          || !sluice_callable_run (callable, (SluiceTensor **) training->values->pdata, NULL, NULL,
                                   error))
        return FALSE;
      double ms = (double) (g_get_monotonic_time () - start) / 1e3;
      report (path, i == 0 ? "first-step" : "step", "ms", ms, 0);
      if (i == 0)
        {
          sluice_session_get_stats (session, &stats);
          version = sluice_graph_get_version (sluice_session_get_graph (session));
        }
      else if (!check_steady (path, session, &stats, version, error))
        return FALSE;
    }
  return TRUE;
}

/* Unzipped. */
static GBytes *
read_file (const char *path, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GInputStream) raw = (GInputStream *) g_file_read (file, NULL, error);
  g_autoptr (GOutputStream) out = g_memory_output_stream_new_resizable ();
  if (raw == NULL)
    return NULL;
  g_autoptr (GConverter) unzip =
      g_str_has_suffix (path, ".gz")
          ? G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP))
          : NULL;
  g_autoptr (GInputStream) in =
      unzip != NULL ? g_converter_input_stream_new (raw, unzip) : g_object_ref (raw);
  if (g_output_stream_splice (out, in, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL, error) < 0)
    return NULL;
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (out));
}

static gboolean
run_file (const char *path, GError **error)
{
  Times times = { G_MAXDOUBLE, G_MAXDOUBLE, G_MAXDOUBLE };
  g_autoptr (GBytes) bytes = read_file (path, error);
  for (int i = 0; i < n_rounds && bytes != NULL; i++)
    if (!time_once (bytes, &times, error))
      return FALSE;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  if (bytes == NULL || !sluice_graph_import (graph, bytes, error))
    return FALSE;
  guint n = sluice_graph_get_n_nodes (graph);
  report (path, "nodes", "", n, 0);
  report (path, "load", "ms", times.load, n >= GOAL_NODES ? 150 : 0);
  report (path, "place", "ms", times.place, 0);
  report (path, "first-plan", "ms", times.plan, n >= GOAL_NODES ? 200 : 0);
  Training training;
  gboolean ok = training_init (&training, graph, error)
                && (n_steps == 0 || make_steps (path, &training, error));
  training_clear (&training);
  return ok;
}

int
main (int argc, char **argv)
{
  const GOptionEntry entries[] = {
    { "rounds", 0, 0, G_OPTION_ARG_INT, &n_rounds, "loads and plans; the best counts", "N" },
    { "steps", 0, 0, G_OPTION_ARG_INT, &n_steps, "steps to make; 0: only load and plan", "N" },
    { "limit", 0, 0, G_OPTION_ARG_INT, &limit_mib, "memory of the device", "MIB" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &n_threads, "worker threads", "N" },
    { "tap", 0, 0, G_OPTION_ARG_NONE, &tap, "speak TAP", NULL },
    { NULL },
  };
  setlocale (LC_ALL, "");
  g_autoptr (GOptionContext) context = g_option_context_new ("FILE...");
  g_option_context_add_main_entries (context, entries, NULL);
  g_autoptr (GError) error = NULL;
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  sluice_registry_init (sluice_kernel_modules ());
  if (n_threads > 0)
    sluice_pool_set_threads ((guint) n_threads);
  int n_failed = 0;
  if (tap)
    printf ("1..%d\n", argc - 1);
  for (int i = 1; i < argc; i++)
    {
      gboolean ok = run_file (argv[i], &error);
      if (!ok)
        printf ("%sFAIL %s: %s\n", tap ? "# " : "", argv[i], error->message);
      if (tap)
        printf ("%sok %d - %s\n", ok ? "" : "not ", i, argv[i]);
      g_clear_error (&error);
      n_failed += !ok;
    }
  return n_failed > 0;
}
