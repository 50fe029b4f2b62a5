/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Node by node through loops with gradients, a branch, a queue and two devices: what each node
 * makes is what TensorFlow makes there, iteration by iteration (debugger/make-values.py). */
#include <math.h>
#include <string.h>

#include "engine/graph/graphdef.h"
#include "kernels/registry.h"
#include "tests/engine/runtime/debugged.h"

typedef struct
{
  const char *name; /* of the files */
  const char *feed;
  SluiceShape shape;
  float x[4];
} Case;

static const Case cases[] = {
  { "loop", "x:0", { .rank = 0 }, { 0.75f } },
  { "cond", "x:0", { .rank = 1, .dim = { 3 } }, { 1, 2, 0.5f } },
  { "queue", "x:0", { .rank = 1, .dim = { 2 } }, { 1, 2 } },
  { "devices", "x:0", { .rank = 2, .dim = { 2, 2 } }, { 1, 2, 3, 4 } },
};

/* ---- what TensorFlow has seen ---- */

static char *
read_file (const Case *of, const char *suffix)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_strconcat (of->name, suffix, NULL);
  g_autofree char *path = g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "tests", "engine",
                                            "runtime", "debugger", name, NULL);
  char *text;
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return text;
}

/* The lines of each output, in order: edge -> GPtrArray of char *, "float 1 0.5". */
static GHashTable *
read_values (const Case *of, char ***fetches)
{
  g_autofree char *text = read_file (of, ".txt");
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GHashTable *values =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  *fetches = g_strsplit (lines[2] + strlen ("# fetches "), " ", -1);
  for (guint i = 3; lines[i] != NULL && *lines[i] != '\0'; i++)
    {
      char *blank = strchr (lines[i], ' ');
      g_autofree char *edge = g_strndup (lines[i], (gsize) (blank - lines[i]));
      GPtrArray *list = g_hash_table_lookup (values, edge);
      if (list == NULL)
        {
          list = g_ptr_array_new_with_free_func (g_free);
          g_hash_table_insert (values, g_steal_pointer (&edge), list);
        }
      g_ptr_array_add (list, g_strdup (blank + 1));
    }
  return values;
}

static double
element (const SluiceTensor *tensor, gint64 i)
{
  return tensor->dtype == SLUICE_FLOAT ? ((const float *) tensor->data)[i]
                                       : (double) sluice_tensor_get_int (tensor, i);
}

static void
check_value (const SluiceDebugValue *value, const char *line, const SluiceDebugNode *node)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  const SluiceTensor *tensor = value->tensor;
  g_assert_nonnull (tensor);
  g_assert_cmpstr (sluice_dtype_name (tensor->dtype), ==, words[0]);
  g_assert_cmpint (tensor->n_elements, ==, g_ascii_strtoll (words[1], NULL, 10));
  for (gint64 i = 0; i < tensor->n_elements; i++)
    {
      double want = g_ascii_strtod (words[2 + i], NULL), got = element (tensor, i);
      if (fabs (got - want) > 1e-6 * MAX (1, fabs (want)))
        g_error ("%s at %s: %.9g, and TensorFlow has %.9g", value->edge,
                 node->loops != NULL ? node->loops : "the graph", got, want);
    }
}

/* ---- the walk ---- */

typedef struct
{
  GHashTable *values; /* of TensorFlow: what is left of them */
  guint n_seen, n_stops;
} Walk;

/* Takes the next value of the output; FALSE: TensorFlow has told none of it. */
static gboolean
see (Walk *walk, const SluiceDebugValue *value, const SluiceDebugNode *node)
{
  GPtrArray *list = g_hash_table_lookup (walk->values, value->edge);
  if (list == NULL || value->tensor == NULL)
    return FALSE;
  if (list->len == 0)
    g_error ("%s runs more often than in TensorFlow", value->edge);
  g_autofree char *line = g_ptr_array_steal_index (list, 0);
  check_value (value, line, node);
  walk->n_seen++;
  return TRUE;
}

static void
look (Walk *walk, const SluiceStop *stop)
{
  walk->n_stops++;
  for (guint i = 0; stop->has_ran && i < stop->ran_outputs->len; i++)
    see (walk, &g_array_index (stop->ran_outputs, SluiceDebugValue, i), &stop->ran);
}

/* All that is left are constants that wait for nothing: they are there and do not run. */
static void
check_all_seen (Walk *walk, SluiceGraph *graph)
{
  GHashTableIter iter;
  gpointer edge, list;
  g_hash_table_iter_init (&iter, walk->values);
  while (g_hash_table_iter_next (&iter, &edge, &list))
    {
      g_autoptr (GError) error = NULL;
      SluiceEdge of;
      sluice_graph_parse_edge (graph, edge, &of, &error);
      g_assert_no_error (error);
      if (((GPtrArray *) list)->len > 0
          && (strcmp (of.node->op_name, "Const") != 0 || of.node->n_control_inputs > 0))
        g_error ("%s runs less often than in TensorFlow", (const char *) edge);
    }
}

static void
test_values (gconstpointer data)
{
  const Case *of = data;
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) fetches = NULL;
  g_autoptr (GHashTable) values = read_values (of, &fetches);
  g_autofree char *text = read_file (of, ".pbtxt");
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  sluice_graph_import (graph, bytes, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceSession) session =
      sluice_session_new (&(SluiceSessionOptions){ .n_cpus = 2 }, &error);
  g_assert_no_error (error);
  sluice_session_extend (session, graph, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceTensor) x = sluice_tensor_new_from (SLUICE_FLOAT, &of->shape, of->x);
  const SluiceFeed feed = { of->feed, x };
  const SluiceStepNames names = { &feed, (const char *const *) fetches, NULL,
                                  1,     g_strv_length (fetches),       0 };
  g_auto (Debugged) run = { NULL };
  debugged_init (&run, session);
  Walk walk = { values, 0, 0 };
  sluice_debugger_step (run.debugger);
  debugged_begin (&run, &names);
  for (SluiceStop *stop; (stop = debugged_wait (&run)) != NULL; sluice_debugger_step (run.debugger))
    {
      look (&walk, stop);
      sluice_stop_free (stop);
    }
  g_assert_no_error (run.error);
  check_all_seen (&walk, graph);
  g_test_message ("%u stops, %u values", walk.n_stops, walk.n_seen);
  /* No bit is another one where nobody stops. */
  SluiceTensor *alone[4] = { NULL };
  sluice_session_run (session, &names, alone, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < names.n_fetches; i++)
    {
      g_assert_true (sluice_tensor_identical (alone[i], run.outputs[i]));
      sluice_tensor_unref (alone[i]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/runtime/debugger-values/", cases[i].name, NULL);
      g_test_add_data_func (path, &cases[i], test_values);
    }
  return g_test_run ();
}
