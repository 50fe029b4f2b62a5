/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The page shows what edits make of the graph that is open in it; what is open and selected in it
 * stays. */
#include "app/graph/graph-page.h"

#include <adwaita.h>

#include "app/graph/graph-adapter.h"
#include "app/page.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"
#include "tests/engine/graph/random-edit.h"
#include "tests/ui/canvas/fixture.h"

typedef struct
{
  GtkWidget *window;
  SluiceGraphPage *page;
} Fixture;

static gboolean
expired_cb (gpointer data)
{
  g_error ("still waiting after 60 s for the page to settle");
  return G_SOURCE_REMOVE;
}

static void
settle (Fixture *f)
{
  guint guard = g_timeout_add_seconds (60, expired_cb, NULL);
  while (gtk_widget_get_width (GTK_WIDGET (f->page)) == 0
         || !sluice_page_is_settled (SLUICE_PAGE (f->page)))
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (guard);
}

static void
set_up (Fixture *f, gconstpointer name)
{
  g_autofree char *path = g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "tests", "conformance",
                                            "graphs", name, NULL);
  f->window = gtk_window_new ();
  f->page = g_object_new (SLUICE_TYPE_GRAPH_PAGE, NULL);
  gtk_window_set_default_size (GTK_WINDOW (f->window), 900, 700);
  gtk_window_set_child (GTK_WINDOW (f->window), GTK_WIDGET (f->page));
  gtk_window_present (GTK_WINDOW (f->window));
  sluice_graph_page_open (f->page, path, NULL);
  settle (f);
  g_assert_nonnull (sluice_graph_page_get_graph (f->page));
}

static void
tear_down (Fixture *f, gconstpointer name)
{
  gtk_window_destroy (GTK_WINDOW (f->window));
}

/* What is drawn is what would be drawn of the graph anew. */
static void
assert_drawn (Fixture *f)
{
  settle (f);
  g_autoptr (SluiceGraphModel) model = sluice_graph_model_from_graph (
      sluice_graph_page_get_graph (f->page), sluice_graph_page_get_placed (f->page));
  g_autoptr (SluiceHierarchy) anew = sluice_hierarchy_new (model);
  g_assert_true (sluice_hierarchy_get_model (sluice_graph_page_get_hierarchy (f->page))
                 == sluice_graph_page_get_model (f->page));
  fixture_assert_same (sluice_graph_page_get_hierarchy (f->page), anew);
}

static SluiceEdit *
commit_one (SluiceGraph *graph, const char *name)
{
  g_autoptr (GError) error = NULL;
  SluiceNode *node = sluice_graph_get_node (graph, sluice_graph_get_n_nodes (graph) / 2);
  sluice_edit_begin (graph);
  g_assert_true (sluice_edit_rename (graph, node, name, &error));
  SluiceEdit *edit = sluice_edit_commit (graph, &error);
  g_assert_no_error (error);
  return edit;
}

static void
test_one (Fixture *f, gconstpointer name)
{
  SluiceGraph *graph = sluice_graph_page_get_graph (f->page);
  SluiceGraphModel *before = sluice_graph_page_get_model (f->page);
  SluiceNode *selected = sluice_graph_get_node (graph, 0);
  g_assert_true (sluice_graph_page_select (f->page, selected->name));
  settle (f);
  g_autoptr (SluiceEdit) edit = commit_one (graph, "a_new/name");
  g_assert_true (sluice_graph_page_get_model (f->page) != before);
  assert_drawn (f);
  g_assert_cmpuint (
      sluice_hierarchy_lookup (sluice_graph_page_get_hierarchy (f->page), "a_new/name"), !=,
      SLUICE_NONE);
  g_assert_cmpstr (sluice_graph_page_get_selection (f->page), ==, selected->name);
  g_assert_true (sluice_edit_apply (edit, NULL));
  assert_drawn (f);
  g_assert_cmpuint (
      sluice_hierarchy_lookup (sluice_graph_page_get_hierarchy (f->page), "a_new/name"), ==,
      SLUICE_NONE);
}

/* Some of them before the last one's picture is there. */
static void
test_many (Fixture *f, gconstpointer name)
{
  SluiceGraph *graph = sluice_graph_page_get_graph (f->page);
  for (guint i = 0; i < 60; i++)
    {
      g_autoptr (SluiceEdit) edit = random_edit (graph);
      if (g_test_rand_int_range (0, 4) == 0)
        assert_drawn (f);
    }
  assert_drawn (f);
}

/* The page that goes, or opens another graph, follows no more. */
static void
test_closed (Fixture *f, gconstpointer name)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_ref (sluice_graph_page_get_graph (f->page));
  g_autofree char *path = g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "tests", "conformance",
                                            "graphs", "nested_2.pb.gz", NULL);
  sluice_graph_page_open (f->page, path, NULL);
  settle (f);
  SluiceGraphModel *model = sluice_graph_page_get_model (f->page);
  g_autoptr (SluiceEdit) edit = commit_one (graph, "a_new/name");
  g_assert_true (sluice_graph_page_get_model (f->page) == model);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  adw_init ();
#define ADD(path, data, function)                                                                  \
  g_test_add ("/app/graph-page/" path, Fixture, data, set_up, function, tear_down)
  ADD ("one-edit", "mid_resnet_inception.pb.gz", test_one);
  ADD ("many-edits", "lstm_dynamic_stacked.pb.gz", test_many);
  ADD ("closed", "lstm_dynamic_stacked.pb.gz", test_closed);
#undef ADD
  return g_test_run ();
}
