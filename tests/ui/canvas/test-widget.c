/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gstdio.h>
#include <gtk/gtk.h>
#include <math.h>
#include <string.h>

#include "tests/ui/canvas/fixture.h"
#include "ui/canvas/canvas.h"

typedef struct
{
  GtkWidget *window;
  SluiceCanvas *canvas;
  guint selections; /* signals so far */
  guint layouts;
  char *selected; /* of the last signal */
  char *activated;
  char *failed;
  double width_before; /* of an item, pixels */
  double fitted;       /* the zoom at which all is in view */
} Fixture;

static void
selection_cb (Fixture *f, const char *name)
{
  f->selections++;
  g_free (f->selected);
  f->selected = g_strdup (name);
}

static void
activated_cb (Fixture *f, const char *name)
{
  g_free (f->activated);
  f->activated = g_strdup (name);
}

static void
failed_cb (Fixture *f, const char *message)
{
  g_free (f->failed);
  f->failed = g_strdup (message);
}

static void
layout_cb (Fixture *f)
{
  f->layouts++;
}

static void
set_up (Fixture *f, gconstpointer data)
{
  f->window = gtk_window_new ();
  f->canvas = SLUICE_CANVAS (sluice_canvas_new ());
  gtk_window_set_default_size (GTK_WINDOW (f->window), 900, 700);
  gtk_window_set_child (GTK_WINDOW (f->window), GTK_WIDGET (f->canvas));
  g_signal_connect_swapped (f->canvas, "selection-changed", G_CALLBACK (selection_cb), f);
  g_signal_connect_swapped (f->canvas, "activated", G_CALLBACK (activated_cb), f);
  g_signal_connect_swapped (f->canvas, "failed", G_CALLBACK (failed_cb), f);
  g_signal_connect_swapped (f->canvas, "layout-changed", G_CALLBACK (layout_cb), f);
  gtk_window_present (GTK_WINDOW (f->window));
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  gtk_window_destroy (GTK_WINDOW (f->window));
  g_free (f->selected);
  g_free (f->activated);
  g_free (f->failed);
}

static gboolean
expired_cb (gpointer data)
{
  g_error ("still waiting after 30 s: %s", (const char *) data);
  return G_SOURCE_REMOVE;
}

/* Runs the main loop until @done; a guard ends a wait that would never end. */
static void
wait_until (Fixture *f, gboolean (*done) (Fixture *), const char *what)
{
  guint guard = g_timeout_add_seconds (30, expired_cb, (gpointer) what);
  while (!done (f))
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (guard);
}

static gboolean
is_at_rest (Fixture *f)
{
  return gtk_widget_get_width (GTK_WIDGET (f->canvas)) > 0 && !sluice_canvas_is_busy (f->canvas);
}

static void
settle (Fixture *f)
{
  wait_until (f, is_at_rest, "the canvas to come to rest");
}

static void
show_mlp (Fixture *f)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  sluice_canvas_set_model (f->canvas, model);
  settle (f);
}

static void
act (Fixture *f, const char *action)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (f->canvas), action, NULL));
  settle (f);
}

static gboolean
is_open (Fixture *f, const char *scope)
{
  g_autoptr (SluiceViewState) state = sluice_canvas_dup_view_state (f->canvas);
  return sluice_view_state_is_open (state, scope);
}

static void
assert_state (Fixture *f, const char *part)
{
  g_autofree char *state = sluice_canvas_dump_state (f->canvas);
  if (strstr (state, part) == NULL)
    g_error ("no %s in %s", part, state);
}

/* Is there a button that leads out of a state without a graph? */
static gboolean
says_way_out (Fixture *f)
{
  for (GtkWidget *box = gtk_widget_get_first_child (GTK_WIDGET (f->canvas)); box != NULL;
       box = gtk_widget_get_next_sibling (box))
    {
      GtkWidget *last = gtk_widget_get_last_child (box);
      if (last != NULL && GTK_IS_BUTTON (last)
          && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (last)), "Open another") == 0)
        return gtk_widget_get_visible (last) && gtk_widget_get_visible (box);
    }
  g_assert_not_reached ();
}

static void
test_states (Fixture *f, gconstpointer data)
{
  settle (f);
  assert_state (f, "\"nodes\":0");
  sluice_canvas_set_loading (f->canvas, "Reading “a\\b\"…");
  assert_state (f, "\"loading\":\"Reading “a\\\\b\\\"…\"");
  sluice_canvas_set_loading (f->canvas, NULL);
  show_mlp (f);
  assert_state (f, "\"name\":\"hidden\"");
  sluice_canvas_set_way_out (f->canvas, "Open another", "test.open");
  g_assert_false (says_way_out (f));
  sluice_canvas_set_failure (f->canvas, "broken");
  g_assert_true (says_way_out (f));
  assert_state (f, "\"failure\":\"broken\"");
  sluice_canvas_set_failure (f->canvas, NULL);
  sluice_canvas_set_model (f->canvas, NULL);
  settle (f);
  assert_state (f, "\"items\":[]");
  g_assert_null (sluice_canvas_get_model (f->canvas));
}

/* Nobody has found the scopes yet: the page that is shown next selects what was selected before. */
static void
test_select_early (Fixture *f, gconstpointer data)
{
  g_autoptr (SluiceGraphModel) model = fixture_mlp ();
  sluice_canvas_set_model (f->canvas, model);
  g_assert_null (sluice_canvas_get_hierarchy (f->canvas));
  g_assert_false (sluice_canvas_select (f->canvas, "hid"));
  g_assert_true (sluice_canvas_select (f->canvas, "hidden"));
  settle (f);
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "hidden");
}

static void
test_select (Fixture *f, gconstpointer data)
{
  show_mlp (f);
  g_assert_true (sluice_canvas_select (f->canvas, "hidden/MatMul"));
  settle (f);
  g_assert_true (is_open (f, "hidden"));
  g_assert_cmpstr (f->selected, ==, "hidden/MatMul");
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "hidden/MatMul");
  g_assert_cmpuint (f->selections, ==, 1);
  g_assert_true (sluice_canvas_select (f->canvas, "hidden/MatMul"));
  g_assert_cmpuint (f->selections, ==, 1); /* nothing changed */
  g_assert_false (sluice_canvas_select (f->canvas, "no/such"));
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "hidden/MatMul");
  g_assert_true (sluice_canvas_select (f->canvas, NULL));
  g_assert_null (f->selected);
  g_auto (GStrv) names = sluice_canvas_dup_selected (f->canvas);
  g_assert_cmpuint (g_strv_length (names), ==, 0);
}

static void
test_open_close (Fixture *f, gconstpointer data)
{
  show_mlp (f);
  sluice_canvas_select (f->canvas, "logits");
  act (f, "canvas.open");
  g_assert_true (is_open (f, "logits"));
  g_assert_cmpuint (f->layouts, ==, 1);
  assert_state (f, "\"open\":[\"logits\"]");
  sluice_canvas_select (f->canvas, "logits/Relu");
  act (f, "canvas.close"); /* an op closes what it stands in, which takes the selection over */
  g_assert_false (is_open (f, "logits"));
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "logits");
  act (f, "canvas.toggle");
  act (f, "canvas.toggle");
  g_assert_false (is_open (f, "logits"));
  act (f, "canvas.select-none");
  act (f, "canvas.open-all-here");
  g_assert_true (is_open (f, "hidden") && is_open (f, "loss") && !is_open (f, "hidden/weights"));
  act (f, "canvas.close-all");
  assert_state (f, "\"open\":[]");
  sluice_canvas_select (f->canvas, "loss/mean");
  settle (f);
  act (f, "canvas.toggle");
  g_assert_cmpstr (f->activated, ==, "loss/mean");
}

/* The one scope that holds the model is open at first; whoever closes it finds it closed. */
static void
test_first_sight (Fixture *f, gconstpointer data)
{
  const char *text = "x Placeholder 8\nnet/a/m MatMul 8 x\nnet/a/r Relu 8 net/a/m\n"
                     "net/b/m MatMul 8 net/a/r\nnet/b/r Relu 8 net/b/m\n";
  g_autoptr (SluiceGraphModel) model = fixture_model (text), again = fixture_model (text);
  sluice_canvas_set_model (f->canvas, model);
  settle (f);
  g_assert_true (is_open (f, "net"));
  g_assert_cmpuint (f->layouts, ==, 0); /* nobody did anything that should be kept */
  sluice_canvas_select (f->canvas, "net");
  act (f, "canvas.close");
  g_assert_false (is_open (f, "net"));
  sluice_canvas_set_model (f->canvas, again);
  settle (f);
  g_assert_false (is_open (f, "net"));
  g_autoptr (SluiceViewState) left = sluice_canvas_dup_view_state (f->canvas);
  sluice_canvas_set_view_state (f->canvas, left);
  settle (f);
  g_assert_false (is_open (f, "net"));
  sluice_canvas_set_view_state (f->canvas, NULL);
  settle (f);
  g_assert_true (is_open (f, "net"));
}

static void
test_keyboard_walk (Fixture *f, gconstpointer data)
{
  show_mlp (f);
  sluice_canvas_select (f->canvas, "hidden");
  act (f, "canvas.select-up"); /* data flows upward: the wire to logits */
  g_assert_cmpstr (f->selected, ==, "logits");
  act (f, "canvas.select-down");
  g_assert_cmpstr (f->selected, ==, "hidden");
  act (f, "canvas.select-right");
  g_assert_cmpstr (f->selected, ==, "gradients/hidden");
  act (f, "canvas.select-left");
  g_assert_cmpstr (f->selected, ==, "hidden");
  act (f, "canvas.open");
  sluice_canvas_select (f->canvas, "hidden/BiasAdd");
  act (f, "canvas.select-left"); /* the glyph beside it */
  g_assert_cmpstr (f->selected, ==, "hidden/biases");
  act (f, "canvas.select-parent");
  g_assert_cmpstr (f->selected, ==, "hidden");
  act (f, "canvas.select-parent");
  g_assert_null (f->selected);
  /* next visits everything once before it is back */
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  act (f, "canvas.select-next");
  for (guint i = 0; i < 100 && g_hash_table_add (seen, g_strdup (f->selected)); i++)
    act (f, "canvas.select-next");
  g_assert_true (g_hash_table_contains (seen, "hidden/MatMul"));
  g_assert_true (g_hash_table_contains (seen, "train"));
  g_assert_cmpuint (g_hash_table_size (seen), >, 15);
}

static gboolean
has_minimap (Fixture *f)
{
  g_autofree char *state = sluice_canvas_dump_state (f->canvas);
  g_assert_nonnull (strstr (state, "\"minimap\":"));
  return strstr (state, "\"minimap\":true") != NULL;
}

static void
test_zoom (Fixture *f, gconstpointer data)
{
  show_mlp (f);
  double fitted = sluice_canvas_get_zoom (f->canvas);
  g_assert_cmpfloat (fitted, >, 0.1);
  g_assert_cmpfloat (fitted, <=, 1);
  g_assert_false (has_minimap (f)); /* nothing is out of sight */
  act (f, "canvas.zoom-100");
  g_assert_cmpfloat_with_epsilon (sluice_canvas_get_zoom (f->canvas), 1, 1e-9);
  act (f, "canvas.zoom-in");
  g_assert_cmpfloat_with_epsilon (sluice_canvas_get_zoom (f->canvas), 1.25, 1e-9);
  act (f, "canvas.zoom-out");
  for (guint i = 0; i < 60; i++)
    gtk_widget_activate_action (GTK_WIDGET (f->canvas), "canvas.zoom-in", NULL);
  settle (f);
  g_assert_cmpfloat (sluice_canvas_get_zoom (f->canvas), <=, 4);
  g_assert_true (has_minimap (f));
  act (f, "canvas.fit");
  g_assert_false (has_minimap (f));
  g_assert_cmpfloat_with_epsilon (sluice_canvas_get_zoom (f->canvas), fitted, 1e-9);
}

/* Of the first item that is seen, in pixels. */
static double
first_width (Fixture *f)
{
  g_autofree char *state = sluice_canvas_dump_state (f->canvas);
  const char *items = strstr (state, "\"items\""), *width = strstr (items, "\"width\":");
  return g_ascii_strtod (width + strlen ("\"width\":"), NULL);
}

static gboolean
is_twice (Fixture *f)
{
  return is_at_rest (f) && first_width (f) > 1.5 * f->width_before;
}

static gboolean
is_fitted_again (Fixture *f)
{
  return is_at_rest (f) && fabs (sluice_canvas_get_zoom (f->canvas) - f->fitted) < 1e-6;
}

/* The desktop's text doubles: so do words and boxes, and what was shown whole still is. */
static void
test_text_scale (Fixture *f, gconstpointer data)
{
  GtkSettings *settings = gtk_widget_get_settings (GTK_WIDGET (f->canvas));
  int dpi;
  g_object_get (settings, "gtk-xft-dpi", &dpi, NULL);
  show_mlp (f);
  f->fitted = sluice_canvas_get_zoom (f->canvas);
  act (f, "canvas.zoom-100");
  f->width_before = first_width (f);
  g_object_set (settings, "gtk-xft-dpi", 2 * dpi, NULL);
  wait_until (f, is_twice, "the graph to grow");
  g_assert_cmpfloat_with_epsilon (sluice_canvas_get_zoom (f->canvas), 1, 1e-9);
  g_assert_cmpfloat_with_epsilon (first_width (f), 2 * f->width_before, 0.5);
  act (f, "canvas.fit");
  g_assert_false (has_minimap (f));
  g_assert_cmpfloat (sluice_canvas_get_zoom (f->canvas), <, f->fitted);
  act (f, "canvas.zoom-100");
  g_assert_cmpfloat_with_epsilon (first_width (f), 2 * f->width_before, 0.5);
  act (f, "canvas.fit");
  g_object_set (settings, "gtk-xft-dpi", dpi, NULL);
  wait_until (f, is_fitted_again, "the graph to shrink");
  g_assert_false (has_minimap (f));
}

static void
test_color_by (Fixture *f, gconstpointer data)
{
  show_mlp (f);
  gtk_widget_activate_action (GTK_WIDGET (f->canvas), "canvas.color-by", "s", "time");
  g_assert_cmpint (sluice_canvas_get_color_by (f->canvas), ==, SLUICE_COLOR_BY_TIME);
}

static char *
positions (Fixture *f)
{
  g_autofree char *state = sluice_canvas_dump_state (f->canvas);
  return g_strdup (strstr (state, "\"items\""));
}

static void
test_values_never_move (Fixture *f, gconstpointer data)
{
  show_mlp (f);
  g_autofree char *before = positions (f);
  SluiceCanvasValue values[] = {
    { .name = "hidden", .text = "a long, long, long live value", .share = 0.5 },
    { .name = "not there", .text = "x", .share = 1 }
  };
  sluice_canvas_set_values (f->canvas, values, 2);
  settle (f);
  g_autofree char *after = positions (f);
  g_assert_cmpstr (before, ==, after);
  sluice_canvas_clear_values (f->canvas);
}

static void
test_set_aside (Fixture *f, gconstpointer data)
{
  show_mlp (f);
  sluice_canvas_select (f->canvas, "hidden");
  act (f, "canvas.set-aside");
  g_autoptr (SluiceViewState) state = sluice_canvas_dup_view_state (f->canvas);
  g_assert_cmpint (sluice_view_state_get_place (state, "hidden"), ==, SLUICE_PLACE_EXCLUDE);
  act (f, "canvas.bring-back");
  act (f, "canvas.reset-positions");
  act (f, "canvas.use-dot");
  act (f, "canvas.use-dot");
}

/* The graph is replaced under the view: what was open and selected stays so, by name. */
static void
test_rebuild_keeps_state (Fixture *f, gconstpointer data)
{
  show_mlp (f);
  sluice_canvas_select (f->canvas, "hidden/Relu");
  settle (f);
  show_mlp (f);
  g_assert_true (is_open (f, "hidden"));
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "hidden/Relu");
  g_autoptr (SluiceViewState) saved = sluice_canvas_dup_view_state (f->canvas);
  sluice_canvas_set_view_state (f->canvas, NULL);
  settle (f);
  g_assert_false (is_open (f, "hidden"));
  sluice_canvas_set_view_state (f->canvas, saved);
  settle (f);
  g_assert_true (is_open (f, "hidden"));
}

/* Requests to the worker overtake each other: the last one is shown. */
static void
test_worker (Fixture *f, gconstpointer data)
{
  g_autoptr (SluiceGraphModel) big = fixture_random (1, 4000);
  sluice_canvas_set_model (f->canvas, big);
  g_assert_true (sluice_canvas_is_busy (f->canvas));
  sluice_canvas_select (f->canvas, sluice_graph_model_get_node (big, 100)->name);
  show_mlp (f);
  assert_state (f, "\"name\":\"hidden\"");
  sluice_canvas_set_model (f->canvas, big);
  settle (f);
  assert_state (f, "\"nodes\":4000");
  const char *name = sluice_graph_model_get_node (big, 3000)->name;
  g_assert_true (sluice_canvas_select (f->canvas, name));
  settle (f);
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, name);
  sluice_canvas_set_model (f->canvas, NULL);
  sluice_canvas_set_model (f->canvas, big); /* and the window goes while the worker runs */
}

/* What nobody sees is not laid out: its scopes are known, the picture comes when it is seen. */
static void
test_hidden (Fixture *f, gconstpointer data)
{
  show_mlp (f);
  sluice_canvas_select (f->canvas, "hidden");
  gtk_widget_set_visible (GTK_WIDGET (f->canvas), FALSE);
  g_autoptr (SluiceGraphModel) next = fixture_mlp ();
  sluice_canvas_set_model (f->canvas, next);
  assert_state (f, "\"items\":[]");
  g_assert_true (sluice_hierarchy_get_model (sluice_canvas_get_hierarchy (f->canvas)) == next);
  g_assert_true (sluice_canvas_select (f->canvas, "hidden/MatMul"));
  assert_state (f, "\"items\":[]");
  gtk_widget_set_visible (GTK_WIDGET (f->canvas), TRUE);
  settle (f);
  assert_state (f, "\"name\":\"hidden/MatMul\"");
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "hidden/MatMul");
  gtk_widget_set_visible (GTK_WIDGET (f->canvas), FALSE);
  sluice_canvas_set_flow (f->canvas, SLUICE_FLOW_DOWN);
  assert_state (f, "\"items\":[]");
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "sluice-hidden.dot", NULL);
  g_assert_true (sluice_canvas_export (f->canvas, SLUICE_EXPORT_DOT, path, NULL));
  g_unlink (path);
}

static gboolean
has_proxies (Fixture *f)
{
  for (GtkWidget *w = gtk_widget_get_first_child (GTK_WIDGET (f->canvas)); w != NULL;
       w = gtk_widget_get_next_sibling (w))
    if (strcmp (G_OBJECT_TYPE_NAME (w), "SluiceCanvasProxy") == 0)
      return TRUE;
  return FALSE;
}

static void
test_accessible (Fixture *f, gconstpointer data)
{
  guint n = 0;
  gboolean found = FALSE;
  show_mlp (f);
  wait_until (f, has_proxies, "accessible children");
  for (GtkWidget *w = gtk_widget_get_first_child (GTK_WIDGET (f->canvas)); w != NULL;
       w = gtk_widget_get_next_sibling (w))
    {
      if (strcmp (G_OBJECT_TYPE_NAME (w), "SluiceCanvasProxy") != 0)
        continue;
      n++;
      g_assert_cmpint (gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (w)), ==,
                       GTK_ACCESSIBLE_ROLE_TREE_ITEM);
      /* Told by mismatch: the checker returns the label it found. */
      g_autofree char *label = gtk_test_accessible_check_property (
          GTK_ACCESSIBLE (w), GTK_ACCESSIBLE_PROPERTY_LABEL, "?");
      if (strstr (label, "scope logits, 11 ops · 1.3 k params, inputs hidden float32 ?×128, feeds ")
          == NULL)
        continue;
      found = TRUE;
      g_assert_true (gtk_widget_activate_action (w, "item.select", NULL));
      g_assert_cmpstr (f->selected, ==, "logits");
      g_assert_true (gtk_widget_activate_action (w, "item.toggle", NULL));
      break;
    }
  g_assert_true (found);
  settle (f);
  g_assert_true (is_open (f, "logits"));
  g_assert_cmpuint (n, <=, 200);
}

static gboolean
has_failed (Fixture *f)
{
  return f->failed != NULL;
}

static char *exported;

static gboolean
is_exported (Fixture *f)
{
  /* The worker renames the finished file into place. */
  return g_file_test (exported, G_FILE_TEST_EXISTS);
}

static void
test_export (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("canvas-XXXXXX", &error);
  g_assert_no_error (error);
  g_assert_false (
      sluice_canvas_export (f->canvas, SLUICE_EXPORT_SVG, "x.svg", &error)); /* nothing to draw */
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED);
  show_mlp (f);
  exported = g_build_filename (folder, "graph.svg", NULL);
  gtk_widget_activate_action (GTK_WIDGET (f->canvas), "canvas.export-svg", "s", exported);
  wait_until (f, is_exported, "the picture");
  g_unlink (exported);
  g_clear_pointer (&exported, g_free);
  g_autofree char *nowhere = g_build_filename (folder, "no", "graph.png", NULL);
  gtk_widget_activate_action (GTK_WIDGET (f->canvas), "canvas.export-png", "s", nowhere);
  wait_until (f, has_failed, "the failure");
  g_assert_nonnull (strstr (f->failed, "graph.png"));
  g_rmdir (folder);
}

static void
test_reduced_motion (Fixture *f, gconstpointer data)
{
  show_mlp (f);
  sluice_canvas_set_reduced_motion (f->canvas, TRUE);
  sluice_canvas_select (f->canvas, "hidden");
  gtk_widget_activate_action (GTK_WIDGET (f->canvas), "canvas.open", NULL);
  g_assert_false (sluice_canvas_is_busy (f->canvas)); /* it is there at once */
  sluice_canvas_set_reduced_motion (f->canvas, FALSE);
  gtk_widget_activate_action (GTK_WIDGET (f->canvas), "canvas.close", NULL);
  g_assert_true (sluice_canvas_is_busy (f->canvas));
  settle (f);
  sluice_canvas_set_flow (f->canvas, SLUICE_FLOW_DOWN);
  settle (f);
}

static char *
dump (Fixture *f)
{
  return sluice_canvas_dump_state (f->canvas);
}

/* Commands that arrange the picture are taken back and done again; what is open is no command. */
static void
test_undo (Fixture *f, gconstpointer data)
{
  show_mlp (f);
  sluice_canvas_select (f->canvas, "hidden");
  settle (f);
  g_autofree char *before = dump (f);
  act (f, "canvas.undo"); /* nothing to take back */
  act (f, "canvas.set-aside");
  g_autofree char *aside = dump (f);
  g_assert_cmpstr (before, !=, aside);
  act (f, "canvas.undo");
  g_autofree char *undone = dump (f);
  g_assert_cmpstr (undone, ==, before);
  act (f, "canvas.redo");
  g_autofree char *again = dump (f);
  g_assert_cmpstr (again, ==, aside);
  act (f, "canvas.undo");
  act (f, "canvas.use-dot"); /* another command: what was undone is gone */
  act (f, "canvas.redo");
  act (f, "canvas.undo");
  g_autofree char *last = dump (f);
  g_assert_cmpstr (last, ==, before);
}

static void
test_move_by_keys (Fixture *f, gconstpointer data)
{
  double x = 0, y = 0;
  show_mlp (f);
  act (f, "canvas.move-left"); /* nothing is selected */
  sluice_canvas_select (f->canvas, "init");
  act (f, "canvas.move-left"); /* what is set aside stays on its shelf */
  sluice_canvas_select (f->canvas, "hidden");
  act (f, "canvas.move-left");
  act (f, "canvas.move-left");
  act (f, "canvas.move-down");
  g_autoptr (SluiceViewState) moved = sluice_canvas_dup_view_state (f->canvas);
  g_assert_false (sluice_view_state_get_move (moved, "init", &x, &y));
  g_assert_true (sluice_view_state_get_move (moved, "hidden", &x, &y));
  g_assert_cmpfloat (x, ==, -40);
  g_assert_cmpfloat (y, ==, 20);
  act (f, "canvas.undo");
  g_autoptr (SluiceViewState) undone = sluice_canvas_dup_view_state (f->canvas);
  g_assert_true (sluice_view_state_get_move (undone, "hidden", &x, &y));
  g_assert_cmpfloat (y, ==, 0);
}

/* Also of one in another, inside out. */
static void
test_close_restores (Fixture *f, gconstpointer data)
{
  show_mlp (f);
  sluice_canvas_select (f->canvas, "hidden");
  settle (f);
  g_autofree char *before = dump (f);
  act (f, "canvas.open");
  g_autofree char *opened = dump (f);
  sluice_canvas_select (f->canvas, "hidden/weights");
  settle (f);
  act (f, "canvas.select-parent");
  act (f, "canvas.close");
  g_autofree char *closed = dump (f);
  g_assert_cmpstr (closed, ==, before);
  act (f, "canvas.open");
  g_autofree char *again = dump (f);
  g_assert_cmpstr (again, ==, opened);
  act (f, "canvas.zoom-in"); /* who looks elsewhere stays there */
  act (f, "canvas.close");
  g_autofree char *elsewhere = dump (f);
  g_assert_cmpstr (elsewhere, !=, before);
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv, NULL);
#define ADD(path, function)                                                                        \
  g_test_add ("/canvas/widget/" path, Fixture, NULL, set_up, function, tear_down)
  ADD ("states", test_states);
  ADD ("select", test_select);
  ADD ("select-early", test_select_early);
  ADD ("open-close", test_open_close);
  ADD ("first-sight", test_first_sight);
  ADD ("keyboard", test_keyboard_walk);
  ADD ("zoom", test_zoom);
  ADD ("text-scale", test_text_scale);
  ADD ("undo", test_undo);
  ADD ("move-by-keys", test_move_by_keys);
  ADD ("close-restores", test_close_restores);
  ADD ("color-by", test_color_by);
  ADD ("values", test_values_never_move);
  ADD ("set-aside", test_set_aside);
  ADD ("rebuild", test_rebuild_keeps_state);
  ADD ("worker", test_worker);
  ADD ("hidden", test_hidden);
  ADD ("accessible", test_accessible);
  ADD ("export", test_export);
  ADD ("reduced-motion", test_reduced_motion);
  return g_test_run ();
}
