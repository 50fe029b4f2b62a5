/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* More differences than the list has rows for at once. */
#include "app/build/compare-dialog.h"
#include "engine/command/stack.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"
#include "tests/fuzz/fuzz-folder.h"

#define N_ALL 1203

/* The first widget of that type; back: the last one. */
static GtkWidget *
find (GtkWidget *in, GType type, const char *label, gboolean back)
{
  for (GtkWidget *child = back ? gtk_widget_get_last_child (in) : gtk_widget_get_first_child (in);
       child != NULL;
       child = back ? gtk_widget_get_prev_sibling (child) : gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find (child, type, label, back);
      if (found != NULL)
        return found;
      if (g_type_is_a (G_OBJECT_TYPE (child), type)
          && (label == NULL || g_strcmp0 (gtk_button_get_label (GTK_BUTTON (child)), label) == 0))
        return child;
    }
  return NULL;
}

static void
click (GtkWidget *dialog, const char *label)
{
  GtkWidget *button = find (dialog, GTK_TYPE_BUTTON, label, FALSE);
  g_assert_nonnull (button);
  g_signal_emit_by_name (button, "clicked");
}

static SluiceGraph *
new_graph (guint n)
{
  SluiceGraph *graph = sluice_graph_new ();
  SluiceCommandStack *stack = sluice_command_stack_new (graph);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *line = g_strdup_printf ("add NoOp n%u", i);
      g_assert_true (sluice_command_stack_do (stack, line, NULL, NULL));
    }
  sluice_command_stack_free (stack);
  return graph;
}

/* What is not listed yet is taken over as well; listed, it can be left out. */
static void
test_many (void)
{
  g_autoptr (SluiceDocument) document = sluice_document_new ();
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  sluice_document_open (document, graph);
  GtkWidget *dialog = sluice_compare_dialog_new (document, NULL, "theirs", new_graph (N_ALL));
  gtk_window_present (GTK_WINDOW (dialog));
  g_assert_nonnull (find (dialog, GTK_TYPE_BUTTON, "Take Over 1203", FALSE));
  click (dialog, "List 203 more; what is ticked there counts already");
  GtkWidget *last = find (dialog, GTK_TYPE_CHECK_BUTTON, NULL, TRUE);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (last), FALSE);
  g_assert_null (find (dialog, GTK_TYPE_BUTTON, "Take Over 1203", FALSE));
  click (dialog, "Take Over 1202");
  g_assert_cmpuint (sluice_graph_get_n_nodes (graph), ==, N_ALL - 1);
  g_assert_nonnull (sluice_graph_find (graph, "n1201"));
  g_assert_null (sluice_graph_find (graph, "n1202"));
}

int
main (int argc, char **argv)
{
  g_autofree char *top = fuzz_folder_new ();
  g_setenv ("XDG_STATE_HOME", top, TRUE);
  gtk_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  adw_init ();
  g_test_add_func ("/compare/many", test_many);
  int status = g_test_run ();
  fuzz_folder_remove (top);
  return status;
}
