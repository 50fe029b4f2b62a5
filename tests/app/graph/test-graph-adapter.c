/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What the canvas draws after edits, one from the other, is what it draws of the graph anew.
 *
 * SLUICE_EDIT_GRAPHS=FILE:FILE… takes other graphs, SLUICE_EDIT_TRANSACTIONS=1000 more of them. */
#include "app/graph/graph-adapter.h"

#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"
#include "tests/engine/graph/random-edit.h"
#include "tests/ui/canvas/fixture.h"

#define N_TRANSACTIONS 30

static void
follow_cb (SluiceGraph *graph, const SluiceGraphDelta *delta, gpointer data)
{
  SluiceGraphModel **model = data;
  SluiceGraphModel *next = sluice_graph_model_after (*model, graph, NULL, delta);
  sluice_graph_model_unref (*model);
  *model = next;
}

static void
assert_same_node (const SluiceModelNode *a, const SluiceModelNode *b)
{
  g_assert_cmpstr (a->name, ==, b->name);
  g_assert_cmpstr (a->op, ==, b->op);
  g_assert_cmpstr (a->device, ==, b->device);
  g_assert_cmpstr (a->loop, ==, b->loop);
  g_assert_cmpstr (a->error, ==, b->error);
  g_assert_cmpint (a->node_class, ==, b->node_class);
  g_assert_cmpfloat (a->cost, ==, b->cost);
  g_assert_cmpuint (a->bytes, ==, b->bytes);
  g_assert_cmpuint (a->params, ==, b->params);
}

static void
assert_same (SluiceGraphModel *a, SluiceGraphModel *b)
{
  guint n = sluice_graph_model_get_n_nodes (a), n_edges = sluice_graph_model_get_n_edges (a);
  g_assert_cmpuint (n, ==, sluice_graph_model_get_n_nodes (b));
  g_assert_cmpuint (n_edges, ==, sluice_graph_model_get_n_edges (b));
  for (guint i = 0; i < n; i++)
    {
      const SluiceModelNode *node = sluice_graph_model_get_node (a, i);
      assert_same_node (node, sluice_graph_model_get_node (b, i));
      g_assert_cmpuint (sluice_graph_model_lookup (a, node->name), ==, i);
    }
  for (guint i = 0; i < n_edges; i++)
    {
      const SluiceModelEdge *x = sluice_graph_model_get_edge (a, i);
      const SluiceModelEdge *y = sluice_graph_model_get_edge (b, i);
      g_assert_cmpuint (x->from, ==, y->from);
      g_assert_cmpuint (x->to, ==, y->to);
      g_assert_cmpuint (x->port, ==, y->port);
      g_assert_cmpuint (x->slot, ==, y->slot);
      g_assert_cmpint (x->kind, ==, y->kind);
      g_assert_cmpstr (x->dtype, ==, y->dtype);
      g_assert_cmpstr (x->shape, ==, y->shape);
      g_assert_cmpuint (x->bytes, ==, y->bytes);
    }
}

/* The hierarchy becomes the model's. */
static void
check (SluiceGraph *graph, SluiceGraphModel *model, SluiceHierarchy **hierarchy)
{
  g_autoptr (SluiceGraphModel) anew = sluice_graph_model_from_graph (graph, NULL);
  assert_same (model, anew);
  g_autoptr (SluiceHierarchy) expected = sluice_hierarchy_new (anew);
  SluiceHierarchy *after = sluice_hierarchy_new_after (*hierarchy, model);
  fixture_assert_same (after, expected);
  sluice_hierarchy_unref (*hierarchy);
  *hierarchy = after;
}

static void
test_file (gconstpointer path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_load_file (path, &error);
  g_assert_no_error (error);
  const char *more = g_getenv ("SLUICE_EDIT_TRANSACTIONS");
  guint n = more != NULL ? (guint) g_ascii_strtoull (more, NULL, 10) : N_TRANSACTIONS;
  g_autoptr (GPtrArray) edits = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_edit_free);
  SluiceGraphModel *model = sluice_graph_model_from_graph (graph, NULL);
  g_autoptr (SluiceGraphModel) first = sluice_graph_model_ref (model);
  SluiceHierarchy *hierarchy = sluice_hierarchy_new (model);
  guint number = sluice_graph_follow (graph, follow_cb, &model);
  for (guint i = 0; i < n; i++)
    {
      SluiceEdit *edit = random_edit (graph);
      if (edit != NULL)
        g_ptr_array_add (edits, edit);
      if (g_test_rand_int_range (0, 4) > 0) /* a canvas may be late for some */
        check (graph, model, &hierarchy);
    }
  for (guint i = edits->len; i-- > 0;)
    {
      g_assert_true (sluice_edit_apply (edits->pdata[i], NULL));
      if (g_test_rand_bit ())
        check (graph, model, &hierarchy);
    }
  check (graph, model, &hierarchy);
  assert_same (model, first);
  sluice_graph_unfollow (graph, number);
  sluice_hierarchy_unref (hierarchy);
  sluice_graph_model_unref (model);
}

int
main (int argc, char **argv)
{
  static const char *const names[] = { "mid_resnet_inception", "lstm_dynamic_stacked",
                                       "dev_sync_towers", "nested_2", "higher_order" };
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  const char *graphs = g_getenv ("SLUICE_EDIT_GRAPHS");
  g_auto (GStrv) paths = graphs != NULL ? g_strsplit (graphs, ":", 0) : NULL;
  for (char **path = paths; path != NULL && *path != NULL; path++)
    {
      g_autofree char *base = g_path_get_basename (*path);
      g_autofree char *test = g_strconcat ("/app/graph-adapter/", base, NULL);
      g_test_add_data_func_full (test, g_strdup (*path), test_file, g_free);
    }
  for (guint i = 0; graphs == NULL && i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *base = g_strconcat (names[i], ".pb.gz", NULL);
      g_autofree char *test = g_strconcat ("/app/graph-adapter/", names[i], NULL);
      g_test_add_data_func_full (test,
                                 g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "tests",
                                                   "conformance", "graphs", base, NULL),
                                 test_file, g_free);
    }
  return g_test_run ();
}
