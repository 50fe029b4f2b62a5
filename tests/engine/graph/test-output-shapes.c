/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What TensorFlow's shape inference said of every node of the conformance graphs (_output_shapes)
 * against ours: the same, or more exact without contradiction. */
#include <string.h>

#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"

/* Does b say all that a says? */
static gboolean
says_as_much (const SluiceShape *a, const SluiceShape *b)
{
  if (a->rank < 0)
    return TRUE;
  if (a->rank != b->rank)
    return FALSE;
  for (int i = 0; i < a->rank; i++)
    if (a->dim[i] >= 0 && a->dim[i] != b->dim[i])
      return FALSE;
  return TRUE;
}

/* TensorFlow's Python says more than its ops do: that reduce_all over all dimensions gives a scalar
 * also where the rank is not known. */
static gboolean
python_said_so (const char *file, const SluiceNode *node)
{
  return g_str_has_suffix (file, "run_time_errors.pb.gz")
         && (strcmp (node->name, "All") == 0
             || g_str_has_prefix (node->name, "check/AssertGuard/"));
}

static void
check_node (const char *file, const SluiceNode *node)
{
  const SluiceAttrValue *shapes = sluice_node_get_attr (node, "_output_shapes");
  if (shapes == NULL || node->op == NULL || node->error != NULL)
    return;
  if (shapes->list.n != node->n_outputs)
    {
      g_test_message ("%s: %s '%s' has %u outputs, not %u", file, node->op_name, node->name,
                      node->n_outputs, shapes->list.n);
      g_test_fail ();
      return;
    }
  for (guint i = 0; i < node->n_outputs; i++)
    {
      const SluiceShape *want = &shapes->list.items[i].shape, *got = &node->outputs[i].shape;
      if (sluice_shape_compatible (want, got)
          && (says_as_much (want, got) || python_said_so (file, node)))
        continue;
      char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
      g_test_message ("%s: %s '%s:%u' is %s, TensorFlow says %s", file, node->op_name, node->name,
                      i, sluice_shape_str (got, a), sluice_shape_str (want, b));
      g_test_fail ();
    }
}

/* What stands behind an op that is not known yet is not known either. */
static gboolean *
find_shadowed (SluiceGraph *graph)
{
  guint n = sluice_graph_get_n_nodes (graph);
  gboolean *shadowed = g_new0 (gboolean, n), more = TRUE;
  while (more)
    {
      more = FALSE;
      for (guint i = 0; i < n; i++)
        {
          const SluiceNode *node = sluice_graph_get_node (graph, i);
          gboolean is = node->op == NULL;
          for (guint k = 0; k < node->n_inputs; k++)
            is |= shadowed[node->inputs[k].node->id - 1];
          more |= is && !shadowed[i];
          shadowed[i] |= is;
        }
    }
  return shadowed;
}

/* A node that TensorFlow imported must be without error here, or of an op not known yet. */
static void
test_file (gconstpointer data)
{
  const char *path = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_load_file (path, &error);
  g_assert_no_error (error);
  g_autofree gboolean *shadowed = find_shadowed (graph);
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      if (node->op != NULL && node->error != NULL)
        {
          g_test_message ("%s: %s", path, node->error->message);
          g_test_fail ();
        }
      if (!shadowed[i])
        check_node (path, node);
    }
}

static char *supported; /* names of the files that are claimed to pass, a line each */

/* @path: of a file, from tests/conformance on. */
static gboolean
is_supported (const char *path)
{
  g_autofree char *line =
      g_strdup_printf ("\n%.*s\n", (int) (strlen (path) - strlen (".pb.gz")), path);
  return strstr (supported, line) != NULL;
}

static void
add_folder (const char *folder, const char *name)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *entry;
  while (dir != NULL && (entry = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, entry, NULL);
      g_autofree char *test = g_strdup_printf ("%s/%s", name, entry);
      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        add_folder (path, test);
      /* bad_*: made to be wrong; test-graphdef knows what they must answer. */
      else if (g_str_has_suffix (entry, ".pb.gz") && !g_str_has_prefix (entry, "bad_")
               && is_supported (test + strlen ("/output-shapes/")))
        g_test_add_data_func_full (test, g_strdup (path), test_file, g_free);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  g_autofree char *folder =
      g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "tests", "conformance", NULL);
  g_autofree char *list = g_build_filename (folder, "supported.txt", NULL);
  g_assert_true (g_file_get_contents (list, &supported, NULL, NULL));
  add_folder (folder, "/output-shapes");
  int status = g_test_run ();
  g_free (supported);
  return status;
}
