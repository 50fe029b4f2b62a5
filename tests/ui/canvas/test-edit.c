/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Gestures and keys of the canvas' editing side, against an editor without an engine. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/ui/canvas/fake-editor.h"

typedef struct
{
  GtkWidget *window;
  SluiceCanvas *canvas;
  FakeEditor *editor;
} Fixture;

/* fc wants two axes and pool has four; labels are int64. */
static const char graph[] = "x Placeholder ?×28\n"
                            "w Placeholder 28×10\n"
                            "image Image ?×9\n"
                            "pool Relu ?×7×7×64 -\n"
                            "fc MatMul ?×10 - w:0\n"
                            "act Relu ?×10 fc:0\n"
                            "labels Labels ?\n"
                            "loss Loss 1 act:0 -\n";

static void
set_up (Fixture *f, gconstpointer data)
{
  f->window = gtk_window_new ();
  f->canvas = SLUICE_CANVAS (sluice_canvas_new ());
  sluice_canvas_set_reduced_motion (f->canvas, TRUE);
  gtk_window_set_default_size (GTK_WINDOW (f->window), 900, 700);
  gtk_window_set_child (GTK_WINDOW (f->window), GTK_WIDGET (f->canvas));
  gtk_window_present (GTK_WINDOW (f->window));
  f->editor = fake_editor_new (f->canvas, data != NULL ? data : graph);
  fake_editor_attach (f->editor);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  gtk_window_destroy (GTK_WINDOW (f->window));
  fake_editor_free (f->editor);
}

static gboolean
expired_cb (gpointer data)
{
  g_error ("still waiting after 30 s");
  return G_SOURCE_REMOVE;
}

static void
settle (Fixture *f)
{
  guint guard = g_timeout_add_seconds (30, expired_cb, NULL);
  while (gtk_widget_get_width (GTK_WIDGET (f->canvas)) == 0 || sluice_canvas_is_busy (f->canvas)
         || g_main_context_pending (NULL))
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (guard);
}

static gboolean
has_state (Fixture *f, const char *part)
{
  g_autofree char *state = sluice_canvas_dump_state (f->canvas);
  return strstr (state, part) != NULL;
}

static void
wait_for_state (Fixture *f, const char *part)
{
  guint guard = g_timeout_add_seconds (30, expired_cb, NULL);
  while (!has_state (f, part))
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (guard);
}

static void
assert_log (Fixture *f, const char *wanted)
{
  g_assert_cmpstr (f->editor->log->str, ==, wanted);
  g_string_truncate (f->editor->log, 0);
}

static void
assert_inputs (Fixture *f, const char *node, const char *wanted)
{
  g_autofree char *inputs = fake_editor_dup_inputs (f->editor, node);
  g_assert_cmpstr (inputs, ==, wanted);
}

/* ---- the pointer ---- */

static GtkEventController *
controller_of (Fixture *f, GType type)
{
  g_autoptr (GListModel) all = gtk_widget_observe_controllers (GTK_WIDGET (f->canvas));
  for (guint i = 0; i < g_list_model_get_n_items (all); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (all, i);
      if (G_TYPE_CHECK_INSTANCE_TYPE (controller, type))
        return controller; /* the widget's */
    }
  g_assert_not_reached ();
}

/* Pixels of a port that is in view. */
static SluicePoint
port_at (Fixture *f, const char *node, guint index, gboolean is_output)
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

static void
press (Fixture *f, SluicePoint at)
{
  g_signal_emit_by_name (controller_of (f, GTK_TYPE_GESTURE_DRAG), "drag-begin", at.x, at.y);
}

static void
drag (Fixture *f, SluicePoint from, SluicePoint to)
{
  g_signal_emit_by_name (controller_of (f, GTK_TYPE_GESTURE_DRAG), "drag-update", to.x - from.x,
                         to.y - from.y);
}

static void
let_go (Fixture *f, SluicePoint from, SluicePoint to)
{
  g_signal_emit_by_name (controller_of (f, GTK_TYPE_GESTURE_DRAG), "drag-end", to.x - from.x,
                         to.y - from.y);
  settle (f);
}

static void
drag_all (Fixture *f, SluicePoint from, SluicePoint to)
{
  press (f, from);
  drag (f, from, to);
  let_go (f, from, to);
}

static void
test_ports (Fixture *f, gconstpointer data)
{
  settle (f);
  SluicePoint out = port_at (f, "x", 0, TRUE), a = port_at (f, "fc", 0, FALSE),
              b = port_at (f, "fc", 1, FALSE), gives = port_at (f, "fc", 0, TRUE);
  g_assert_true (gives.y < a.y); /* data flows up: outputs are on top */
  g_assert_true (a.x < b.x && a.y == b.y);
  g_assert_true (has_state (f, "\"node\":\"fc\",\"index\":0,\"output\":false,\"open\":true"));
  g_assert_true (has_state (f, "\"node\":\"fc\",\"index\":1,\"output\":false,\"open\":false"));
  sluice_canvas_set_flow (f->canvas, SLUICE_FLOW_DOWN);
  settle (f);
  g_assert_true (port_at (f, "fc", 0, TRUE).y > port_at (f, "fc", 0, FALSE).y);
  sluice_canvas_set_editor (f->canvas, NULL, NULL);
  g_assert_false (has_state (f, "\"ports\""));
  g_assert_true (out.x > 0);
}

static void
test_connect (Fixture *f, gconstpointer data)
{
  settle (f);
  drag_all (f, port_at (f, "x", 0, TRUE), port_at (f, "fc", 0, FALSE));
  assert_log (f, "connect x:0 fc:0; ");
  assert_inputs (f, "fc", "x:0 w:0");
  /* From an input to an output it is the same. */
  drag_all (f, port_at (f, "loss", 1, FALSE), port_at (f, "labels", 0, TRUE));
  assert_log (f, "connect labels:0 loss:1; ");
}

/* What the wire says of each box while it is dragged. */
static void
test_judged (Fixture *f, gconstpointer data)
{
  settle (f);
  SluicePoint from = port_at (f, "x", 0, TRUE), to = { from.x, from.y - 30 };
  press (f, from);
  drag (f, from, to);
  wait_for_state (f, "\"fits\":true,\"words\":\"?×10\",\"port\":{\"node\":\"fc\",\"index\":0");
  wait_for_state (f, "\"words\":\"labels reads int64\",\"port\":{\"node\":\"loss\",\"index\":1");
  /* What is in use is asked about when the pointer comes to it. */
  g_assert_false (has_state (f, "\"port\":{\"node\":\"act\""));
  SluicePoint in_use = port_at (f, "act", 0, FALSE);
  drag (f, from, in_use);
  g_assert_true (has_state (f, "\"port\":{\"node\":\"act\""));
  let_go (f, from, in_use);
  assert_log (f, "connect x:0 act:0; ");
}

static void
test_drop (Fixture *f, gconstpointer data)
{
  settle (f);
  SluicePoint from = port_at (f, "x", 0, TRUE), ground = { 20, 40 };
  /* On ground: the palette, with the wire still there until it is dropped. */
  drag_all (f, from, ground);
  assert_log (f, "palette reads x:0; ");
  g_assert_true (has_state (f, "\"wire\":{\"state\":\"waits\""));
  sluice_canvas_drop_wire (f->canvas);
  g_assert_false (has_state (f, "\"wire\""));
  /* On what refuses it: the palette is told who did. */
  drag_all (f, from, port_at (f, "loss", 1, FALSE));
  assert_log (f, "palette reads x:0 near loss:1; ");
  sluice_canvas_drop_wire (f->canvas);
  /* On its own box: nothing. */
  drag_all (f, from, (SluicePoint){ from.x, from.y + 12 });
  assert_log (f, "");
  g_assert_false (has_state (f, "\"wire\""));
}

static void
test_take_off (Fixture *f, gconstpointer data)
{
  settle (f);
  /* Off an input onto ground, and onto another input. */
  drag_all (f, port_at (f, "act", 0, FALSE), (SluicePoint){ 20, 40 });
  assert_log (f, "disconnect act:0; ");
  drag_all (f, port_at (f, "fc", 1, FALSE), port_at (f, "act", 0, FALSE));
  assert_log (f, "connect w:0 act:0 off fc:1; ");
  assert_inputs (f, "fc", "- -");
  /* Back where it was: nothing. */
  SluicePoint at = port_at (f, "act", 0, FALSE);
  press (f, at);
  drag (f, at, (SluicePoint){ 20, 40 });
  drag (f, at, at);
  let_go (f, at, at);
  assert_log (f, "");
}

/* The port that is dragged may go away meanwhile. */
static void
test_vanishes (Fixture *f, gconstpointer data)
{
  settle (f);
  SluicePoint from = port_at (f, "x", 0, TRUE), to = port_at (f, "fc", 0, FALSE);
  press (f, from);
  drag (f, from, to);
  g_ptr_array_remove_index (f->editor->nodes, 0);
  fake_editor_show (f->editor);
  settle (f);
  drag (f, from, to);
  let_go (f, from, to);
  assert_log (f, "");
  press (f, to);
  sluice_canvas_set_model (f->canvas, NULL);
  drag (f, to, from);
  let_go (f, to, from);
  assert_log (f, "");
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
  g_test_add ("/canvas/edit/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("ports", test_ports);
  ADD ("connect", test_connect);
  ADD ("judged", test_judged);
  ADD ("drop", test_drop);
  ADD ("take-off", test_take_off);
  ADD ("vanishes", test_vanishes);
  return g_test_run ();
}
