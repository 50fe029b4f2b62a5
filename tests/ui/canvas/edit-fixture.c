/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "tests/ui/canvas/edit-fixture.h"

#include <stdio.h>
#include <string.h>

/* fc wants two axes and pool has four; labels are int64. */
static const char graph[] = "x Placeholder ?×28\n"
                            "w Placeholder 28×10\n"
                            "image Image ?×9\n"
                            "pool Relu ?×7×7×64 -\n"
                            "fc MatMul ?×10 - w:0\n"
                            "act Relu ?×10 fc:0\n"
                            "labels Labels ?\n"
                            "loss Loss 1 act:0 -\n";

void
edit_set_up (EditFixture *f, gconstpointer data)
{
  f->window = gtk_window_new ();
  f->canvas = SLUICE_CANVAS (sluice_canvas_new ());
  sluice_canvas_set_reduced_motion (f->canvas, TRUE);
  gtk_window_set_decorated (GTK_WINDOW (f->window), FALSE);
  gtk_window_set_default_size (GTK_WINDOW (f->window), 900, 700);
  gtk_window_set_child (GTK_WINDOW (f->window), GTK_WIDGET (f->canvas));
  gtk_window_present (GTK_WINDOW (f->window));
  f->editor = fake_editor_new (f->canvas, data != NULL ? data : graph);
  fake_editor_attach (f->editor);
}

void
edit_tear_down (EditFixture *f, gconstpointer data)
{
  /* With nothing under the pointer GTK 4.8 forgets the tooltip that it was about to show: else it
   * asks a menu that is gone where the pointer is. */
  gtk_window_set_child (GTK_WINDOW (f->window), NULL);
  gtk_widget_trigger_tooltip_query (f->window);
  gtk_window_destroy (GTK_WINDOW (f->window));
  fake_editor_free (f->editor);
}

gboolean
edit_expired_cb (gpointer data)
{
  g_error ("still waiting after 30 s");
  return G_SOURCE_REMOVE;
}

void
edit_settle (EditFixture *f)
{
  guint guard = g_timeout_add_seconds (30, edit_expired_cb, NULL);
  while (gtk_widget_get_width (GTK_WIDGET (f->canvas)) == 0 || sluice_canvas_is_busy (f->canvas)
         || g_main_context_pending (NULL))
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (guard);
}

gboolean
edit_has_state (EditFixture *f, const char *part)
{
  g_autofree char *state = sluice_canvas_dump_state (f->canvas);
  return strstr (state, part) != NULL;
}

void
edit_wait_for_state (EditFixture *f, const char *part)
{
  guint guard = g_timeout_add_seconds (30, edit_expired_cb, NULL);
  while (!edit_has_state (f, part))
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (guard);
}

void
edit_assert_log (EditFixture *f, const char *wanted)
{
  g_assert_cmpstr (f->editor->log->str, ==, wanted);
  g_string_truncate (f->editor->log, 0);
}

void
edit_assert_inputs (EditFixture *f, const char *node, const char *wanted)
{
  g_autofree char *inputs = fake_editor_dup_inputs (f->editor, node);
  g_assert_cmpstr (inputs, ==, wanted);
}

/* ---- the pointer ---- */

GtkEventController *
edit_controller_of (EditFixture *f, GType type)
{
  g_autoptr (GListModel) all = gtk_widget_observe_controllers (GTK_WIDGET (f->canvas));
  GtkEventController *found = NULL; /* the widget's */
  for (guint i = 0; i < g_list_model_get_n_items (all) && found == NULL; i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (all, i);
      gboolean is_menu = GTK_IS_GESTURE_SINGLE (controller)
                         && gtk_gesture_single_get_button (GTK_GESTURE_SINGLE (controller))
                                == GDK_BUTTON_SECONDARY;
      if (G_TYPE_CHECK_INSTANCE_TYPE (controller, type) && !is_menu)
        found = controller;
    }
  g_assert_nonnull (found);
  return found;
}

/* Pixels of a port that is in view. */
SluicePoint
edit_port_at (EditFixture *f, const char *node, guint index, gboolean is_output)
{
  g_autofree char *state = sluice_canvas_dump_state (f->canvas);
  g_autofree char *key = g_strdup_printf ("{\"node\":\"%s\",\"index\":%u,\"output\":%s,", node,
                                          index, is_output ? "true" : "false");
  const char *at = strstr (state, key);
  if (at == NULL)
    g_error ("no %s in %s", key, state);
  int x, y;
  g_assert_cmpint (sscanf (strstr (at, "\"x\":"), "\"x\":%d,\"y\":%d", &x, &y), ==, 2);
  return (SluicePoint){ x, y };
}

/* Pixels of a box that is in view. */
SluiceRect
edit_box_of (EditFixture *f, const char *name)
{
  g_autofree char *state = sluice_canvas_dump_state (f->canvas);
  g_autofree char *key = g_strdup_printf ("\"name\":\"%s\"", name);
  const char *at = strstr (strstr (state, "\"items\":["), key);
  double number[4];
  if (at == NULL)
    g_error ("no %s in %s", key, state);
  while (!g_str_has_prefix (at, "{\"x\":"))
    at--;
  g_assert_cmpint (sscanf (at, "{\"x\":%lf,\"y\":%lf,\"width\":%lf,\"height\":%lf", &number[0],
                           &number[1], &number[2], &number[3]),
                   ==, 4);
  return (SluiceRect){ number[0], number[1], number[2], number[3] };
}

void
edit_press (EditFixture *f, SluicePoint at)
{
  g_signal_emit_by_name (edit_controller_of (f, GTK_TYPE_GESTURE_DRAG), "drag-begin", at.x, at.y);
}

void
edit_drag (EditFixture *f, SluicePoint from, SluicePoint to)
{
  g_signal_emit_by_name (edit_controller_of (f, GTK_TYPE_GESTURE_DRAG), "drag-update",
                         to.x - from.x, to.y - from.y);
}

void
edit_let_go (EditFixture *f, SluicePoint from, SluicePoint to)
{
  g_signal_emit_by_name (edit_controller_of (f, GTK_TYPE_GESTURE_DRAG), "drag-end", to.x - from.x,
                         to.y - from.y);
  edit_settle (f);
}

void
edit_drag_all (EditFixture *f, SluicePoint from, SluicePoint to)
{
  edit_press (f, from);
  edit_drag (f, from, to);
  edit_let_go (f, from, to);
}

gboolean
edit_key (EditFixture *f, guint keyval, GdkModifierType modifiers)
{
  gboolean handled = FALSE;
  g_signal_emit_by_name (edit_controller_of (f, GTK_TYPE_EVENT_CONTROLLER_KEY), "key-pressed",
                         keyval, 0, modifiers, &handled);
  return handled;
}

void
edit_act (EditFixture *f, const char *action)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (f->canvas), action, NULL));
  edit_settle (f);
}

gboolean
edit_is_said (EditFixture *f, const char *text)
{
  g_autofree char *other = gtk_test_accessible_check_property (GTK_ACCESSIBLE (f->canvas),
                                                               GTK_ACCESSIBLE_PROPERTY_LABEL, text);
  return other == NULL;
}

GtkEditable *
edit_rename_entry (EditFixture *f)
{
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (f->canvas)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_BOX (child) && GTK_IS_ENTRY (gtk_widget_get_first_child (child)))
      return GTK_EDITABLE (gtk_widget_get_first_child (child));
  return NULL;
}
