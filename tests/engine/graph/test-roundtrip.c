/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Every graph of the conformance cases, binary -> text -> binary, and through MetaGraphDef-less
 * import again: nothing may change on the second way out. */
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/graphdef.h"
#include "kernels/registry.h"

static GBytes *export(SluiceGraph *graph, guint flags)
{
  g_autoptr (GError) error = NULL;
  GBytes *bytes = sluice_graph_export (graph, flags, &error);
  g_assert_no_error (error);
  return bytes;
}

static SluiceGraph *
import (GBytes *bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  sluice_graph_import (graph, bytes, &error);
  g_assert_no_error (error);
  return g_steal_pointer (&graph);
}

static void
assert_same_nodes (SluiceGraph *a, SluiceGraph *b)
{
  g_assert_cmpuint (sluice_graph_get_n_nodes (a), ==, sluice_graph_get_n_nodes (b));
  for (guint i = 0; i < sluice_graph_get_n_nodes (a); i++)
    {
      const SluiceNode *x = sluice_graph_get_node (a, i), *y = sluice_graph_get_node (b, i);
      g_assert_true (x->name == y->name);
      g_assert_cmpuint (x->n_attrs, ==, y->n_attrs);
      for (guint k = 0; k < x->n_attrs; k++)
        if (!sluice_attr_value_equal (&x->attrs[k].value, &y->attrs[k].value))
          {
            g_autofree char *p = sluice_attr_value_to_string (&x->attrs[k].value);
            g_autofree char *q = sluice_attr_value_to_string (&y->attrs[k].value);
            g_test_message ("%s.%s: %s became %s", x->name, x->attrs[k].name, p, q);
            g_test_fail ();
          }
      g_assert_cmpstr (x->error ? x->error->message : "", ==, y->error ? y->error->message : "");
      g_assert_cmpuint (x->n_outputs, ==, y->n_outputs);
      for (guint k = 0; k < x->n_outputs; k++)
        g_assert_true (sluice_shape_equal (&x->outputs[k].shape, &y->outputs[k].shape));
    }
}

static void
test_file (gconstpointer data)
{
  const char *path = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_load_file (path, &error);
  if (graph == NULL)
    {
      /* Files that must not load say so in their name; what they answer is test-graphdef's. */
      g_assert_nonnull (strstr (path, "/bad_"));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      return;
    }
  g_autoptr (GBytes) binary = export(graph, SLUICE_EXPORT_BINARY);
  g_autoptr (GBytes) text = export(graph, SLUICE_EXPORT_TEXT);
  g_autoptr (SluiceGraph) from_binary = import (binary);
  g_autoptr (SluiceGraph) from_text = import (text);
  g_autoptr (GBytes) binary_again = export(from_binary, SLUICE_EXPORT_BINARY);
  g_autoptr (GBytes) text_again = export(from_text, SLUICE_EXPORT_TEXT);
  g_autoptr (GBytes) binary_of_text = export(from_text, SLUICE_EXPORT_BINARY);
  assert_same_nodes (graph, from_binary);
  assert_same_nodes (graph, from_text);
  g_assert_true (g_bytes_equal (binary, binary_again));
  g_assert_true (g_bytes_equal (binary, binary_of_text));
  g_assert_true (g_bytes_equal (text, text_again));
  g_autofree char *hash = sluice_graph_dup_hash (graph, NULL);
  g_autofree char *hash_of_text = sluice_graph_dup_hash (from_text, NULL);
  g_assert_cmpstr (hash, ==, hash_of_text);
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
      else if (g_str_has_suffix (entry, ".pb.gz"))
        g_test_add_data_func_full (test, g_strdup (path), test_file, g_free);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  g_autofree char *folder =
      g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "tests", "conformance", NULL);
  add_folder (folder, "/roundtrip");
  return g_test_run ();
}
