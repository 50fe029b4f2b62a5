/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The palette, the list of problems and the budget, each in a window: what they show, what they ask
 * for. */
#include <string.h>

#include "app/build/budget-bar.h"
#include "app/build/palette.h"
#include "app/build/problems-list.h"
#include "engine/command/stack.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"
#include "ui/chart/ticks.h"

typedef struct
{
  SluiceGraph *graph;
  SluiceCommandStack *stack;
  GtkWidget *window, *place;
  char *line; /* (nullable): that was asked for */
  char *node;
} Fixture;

static void
run (Fixture *f, const char *script)
{
  g_autoptr (GError) error = NULL;
  sluice_command_stack_run (f->stack, script, FALSE, NULL, NULL, &error);
  g_assert_no_error (error);
}

static void
turn (void)
{
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

static void
set_up (Fixture *f, gconstpointer data)
{
  f->graph = sluice_graph_new ();
  f->stack = sluice_command_stack_new (f->graph);
  run (f, "add Placeholder x dtype=DT_FLOAT shape=[?,28,28,1]\n"
          "add Placeholder labels dtype=DT_INT64 shape=[?]\n"
          "layer conv2d conv input=x filters=64\n"
          "layer pool pool2 input=conv/output size=4 stride=4\n"
          "add Placeholder matrix dtype=DT_FLOAT shape=[3136,128]\n"
          "add MatMul fc1 \"\" matrix\n");
  f->window = gtk_window_new ();
  f->place = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_window_set_child (GTK_WINDOW (f->window), f->place);
  gtk_window_set_default_size (GTK_WINDOW (f->window), 900, 600);
  gtk_window_present (GTK_WINDOW (f->window));
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  gtk_window_destroy (GTK_WINDOW (f->window));
  turn ();
  sluice_command_stack_free (f->stack);
  sluice_graph_unref (f->graph);
  g_free (f->line);
  g_free (f->node);
}

static void
line_cb (Fixture *f, const char *line)
{
  g_free (f->line);
  f->line = g_strdup (line);
}

static void
node_cb (Fixture *f, const char *node)
{
  g_free (f->node);
  f->node = g_strdup (node);
}

static const char *
get_words (GtkWidget *button)
{
  GtkWidget *child = gtk_button_get_child (GTK_BUTTON (button));
  return GTK_IS_LABEL (child) ? gtk_label_get_label (GTK_LABEL (child)) : NULL;
}

/* The first widget of that type in another one. */
static GtkWidget *
find (GtkWidget *in, GType type, const char *label)
{
  for (GtkWidget *child = gtk_widget_get_first_child (in); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      if (g_type_is_a (G_OBJECT_TYPE (child), type) && gtk_widget_get_visible (child)
          && (label == NULL
              || (GTK_IS_BUTTON (child) && g_strcmp0 (get_words (child), label) == 0)))
        return child;
      GtkWidget *found = find (child, type, label);
      if (found != NULL)
        return found;
    }
  return NULL;
}

/* Does a label in sight say that? */
static gboolean
shows (GtkWidget *in, const char *words)
{
  for (GtkWidget *child = gtk_widget_get_first_child (in); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_get_visible (child)
        && ((GTK_IS_LABEL (child) && g_str_equal (gtk_label_get_label (GTK_LABEL (child)), words))
            || shows (child, words)))
      return TRUE;
  return FALSE;
}

/* ---- the palette ---- */

static SluicePalette *
open_palette (Fixture *f, const char *text)
{
  GtkWidget *palette = sluice_palette_new (NULL);
  SluiceNode *refused = sluice_graph_find (f->graph, "fc1");
  const SluiceHand hand = { .edge = { sluice_graph_find (f->graph, "pool2/output"), 0 },
                            .refused = refused };
  gtk_widget_set_parent (palette, f->place);
  g_signal_connect_swapped (palette, "chosen", G_CALLBACK (line_cb), f);
  sluice_palette_open (SLUICE_PALETTE (palette), f->graph, &hand, 100, 50, text);
  turn ();
  return SLUICE_PALETTE (palette);
}

static const char *
get_title (SluicePalette *palette)
{
  const SluiceOffer *offer = sluice_palette_get_selected (palette);
  return offer != NULL ? offer->title : NULL;
}

static void
press_enter (SluicePalette *palette)
{
  GtkWidget *entry = find (GTK_WIDGET (palette), GTK_TYPE_ENTRY, NULL);
  g_signal_emit_by_name (entry, "activate");
  turn ();
}

/* Enter takes the first, which makes it fit. */
static void
test_first (Fixture *f, gconstpointer data)
{
  SluicePalette *palette = open_palette (f, NULL);
  GtkWidget *entry = find (GTK_WIDGET (palette), GTK_TYPE_ENTRY, NULL);
  g_assert_cmpstr (gtk_entry_get_placeholder_text (GTK_ENTRY (entry)), ==,
                   "what reads float32 of 4 axes");
  g_assert_cmpstr (get_title (palette), ==, "Reshape");
  press_enter (palette);
  g_assert_nonnull (f->line);
  run (f, f->line);
  g_assert_null (sluice_graph_find (f->graph, "fc1")->error);
}

static void
test_walk (Fixture *f, gconstpointer data)
{
  SluicePalette *palette = open_palette (f, NULL);
  static const char *const wanted[] = { "Dense", "Convolution", "Pooling" };
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      gtk_widget_activate_action (GTK_WIDGET (palette), "palette.walk", "i", 1);
      g_assert_cmpstr (get_title (palette), ==, wanted[i]);
    }
  /* Over the heading, and not beyond the ends. */
  for (guint i = 0; i < 9; i++)
    gtk_widget_activate_action (GTK_WIDGET (palette), "palette.walk", "i", -1);
  g_assert_cmpstr (get_title (palette), ==, "Reshape");
  gtk_widget_activate_action (GTK_WIDGET (palette), "palette.walk", "i", 100000);
  g_assert_nonnull (get_title (palette));
}

static void
test_typed (Fixture *f, gconstpointer data)
{
  SluicePalette *palette = open_palette (f, "tan");
  GtkEditable *entry = GTK_EDITABLE (find (GTK_WIDGET (palette), GTK_TYPE_ENTRY, NULL));
  g_assert_cmpstr (get_title (palette), ==, "Tan");
  g_assert_false (gtk_editable_get_selection_bounds (entry, NULL, NULL));
  gtk_editable_set_text (entry, "tanh");
  g_assert_cmpstr (get_title (palette), ==, "Tanh");
  gtk_editable_set_text (entry, "nothing like it");
  g_assert_null (get_title (palette));
  press_enter (palette);
  g_assert_null (f->line);
}

/* What does not fit says why, in its row and, whole, below the list. */
static void
test_why (Fixture *f, gconstpointer data)
{
  SluicePalette *palette = open_palette (f, "LogicalNot");
  const SluiceOffer *offer = sluice_palette_get_selected (palette);
  g_assert_cmpint (offer->reason, ==, SLUICE_OFFER_OTHER);
  g_assert_true (shows (GTK_WIDGET (palette), "reads bool, this is float32"));
  g_assert_true (
      shows (GTK_WIDGET (palette), "LogicalNot, does not fit: reads bool, this is float32"));
  GtkEditable *entry = GTK_EDITABLE (find (GTK_WIDGET (palette), GTK_TYPE_ENTRY, NULL));
  gtk_editable_set_text (entry, "tanh");
  g_assert_false (
      shows (GTK_WIDGET (palette), "LogicalNot, does not fit: reads bool, this is float32"));
}

/* What is pinned comes first of what fits; what was taken comes behind it the next time. */
static void
test_habits (Fixture *f, gconstpointer data)
{
  SluicePalette *palette = open_palette (f, "elu");
  g_assert_cmpstr (get_title (palette), ==, "Elu");
  gtk_widget_activate_action (GTK_WIDGET (palette), "palette.pin", NULL);
  g_assert_cmpstr (get_title (palette), ==, "Elu");
  GtkEditable *entry = GTK_EDITABLE (find (GTK_WIDGET (palette), GTK_TYPE_ENTRY, NULL));
  gtk_editable_set_text (entry, "");
  gtk_widget_activate_action (GTK_WIDGET (palette), "palette.walk", "i", 1);
  g_assert_cmpstr (get_title (palette), ==, "Elu");
  gtk_widget_activate_action (GTK_WIDGET (palette), "palette.pin", NULL);
  gtk_widget_activate_action (GTK_WIDGET (palette), "palette.walk", "i", -1000);
  gtk_widget_activate_action (GTK_WIDGET (palette), "palette.walk", "i", 1);
  g_assert_cmpstr (get_title (palette), ==, "Dense");
}

/* ---- the problems ---- */

static void
show_problems (Fixture *f, GtkWidget *list)
{
  g_autoptr (GPtrArray) problems = sluice_problems_find (f->graph, NULL);
  sluice_problems_list_update (SLUICE_PROBLEMS_LIST (list), f->graph, problems);
}

static void
test_problems (Fixture *f, gconstpointer data)
{
  GtkWidget *list = sluice_problems_list_new ();
  gtk_box_append (GTK_BOX (f->place), list);
  g_signal_connect_swapped (list, "do", G_CALLBACK (line_cb), f);
  g_signal_connect_swapped (list, "show-node", G_CALLBACK (node_cb), f);
  run (f, "layer flatten flat input=pool2/output\nlayer dense head input=flat/output units=10\n"
          "add SparseSoftmaxCrossEntropyWithLogits loss head/output \"\"\ndelete fc1\n"
          "delete matrix\n");
  show_problems (f, list);
  g_assert_cmpuint (sluice_problems_list_get_n_stops (SLUICE_PROBLEMS_LIST (list)), ==, 1);
  turn ();
  GtkWidget *show = find (list, GTK_TYPE_BUTTON, "Show");
  GtkWidget *fix = find (list, GTK_TYPE_BUTTON, "Connect labels");
  g_assert_nonnull (show);
  g_assert_nonnull (fix);
  g_signal_emit_by_name (show, "clicked");
  g_assert_cmpstr (f->node, ==, "loss");
  g_signal_emit_by_name (fix, "clicked");
  g_assert_cmpstr (f->line, ==, "connect labels loss:1");
  run (f, f->line);
  show_problems (f, list);
  g_assert_cmpuint (sluice_problems_list_get_n_stops (SLUICE_PROBLEMS_LIST (list)), ==, 0);
  turn ();
  g_assert_nonnull (find (list, GTK_TYPE_BUTTON, "Take the mean"));
  sluice_problems_list_update (SLUICE_PROBLEMS_LIST (list), NULL, NULL);
  turn ();
  g_assert_null (find (list, GTK_TYPE_BUTTON, "Show"));
}

/* ---- the budget ---- */

static gboolean
has_label (GtkWidget *in, const char *begin)
{
  for (GtkWidget *child = gtk_widget_get_first_child (in); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_get_visible (child)
        && ((GTK_IS_LABEL (child)
             && g_str_has_prefix (gtk_label_get_label (GTK_LABEL (child)), begin))
            || has_label (child, begin)))
      return TRUE;
  return FALSE;
}

static void
quit_cb (GMainLoop *loop)
{
  g_main_loop_quit (loop);
}

/* Shows the graph as it is at the last call, though it changed while it was waited for. */
static void
test_budget (Fixture *f, gconstpointer data)
{
  GtkWidget *bar = sluice_budget_bar_new ();
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autofree char *parameters = sluice_format_step (6914);
  gtk_box_append (GTK_BOX (f->place), bar);
  g_signal_connect_swapped (bar, "updated", G_CALLBACK (quit_cb), loop);
  sluice_budget_bar_update (SLUICE_BUDGET_BAR (bar), f->graph, NULL, 64);
  run (f, "delete fc1\ndelete matrix\nlayer flatten flat input=pool2/output\n"
          "layer dense head input=flat/output units=2\n");
  sluice_budget_bar_update (SLUICE_BUDGET_BAR (bar), f->graph, NULL, 64);
  g_main_loop_run (loop);
  /* 3×3×1×64 + 64 and 7×7×64×2 + 2 */
  g_assert_true (has_label (bar, parameters));
  g_assert_true (has_label (bar, "CPU:0"));
  g_assert_true (has_label (bar, "fits"));
  sluice_budget_bar_update (SLUICE_BUDGET_BAR (bar), NULL, NULL, 64);
  g_assert_false (has_label (bar, parameters));
  g_assert_false (has_label (bar, "CPU:0"));
}

#define TEST(path, func) g_test_add ("/app/build/" path, Fixture, NULL, set_up, func, tear_down)

int
main (int argc, char **argv)
{
  g_setenv ("LANGUAGE", "C", TRUE);
  gtk_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  TEST ("palette/first", test_first);
  TEST ("palette/walk", test_walk);
  TEST ("palette/typed", test_typed);
  TEST ("palette/why", test_why);
  TEST ("palette/habits", test_habits);
  TEST ("problems", test_problems);
  TEST ("budget", test_budget);
  return g_test_run ();
}
