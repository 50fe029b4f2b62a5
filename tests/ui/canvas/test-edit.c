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
  gtk_window_set_decorated (GTK_WINDOW (f->window), FALSE);
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

/* Pixels of a box that is in view. */
static SluiceRect
box_of (Fixture *f, const char *name)
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

/* What a pointer that rests on a port is told, and a screen reader of its box. */
static void
test_words (Fixture *f, gconstpointer data)
{
  settle (f);
  SluicePoint at = port_at (f, "x", 0, TRUE);
  g_signal_emit_by_name (controller_of (f, GTK_TYPE_EVENT_CONTROLLER_MOTION), "motion", at.x,
                         at.y - 3);
  wait_for_state (f, "\"tip\":\"output 0, float32 ?×28, nothing reads it\"");
  GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (f->canvas));
  const char *wanted = "Loss loss, inputs act float32 ?×10. input logits, float32; input labels, "
                       "int64, open; output 0, float32 1, nothing reads it";
  guint guard = g_timeout_add_seconds (30, expired_cb, NULL);
  for (gboolean found = FALSE; !found; child = gtk_widget_get_next_sibling (child))
    {
      if (child == NULL) /* they come when the picture has been at rest for a while */
        {
          g_main_context_iteration (NULL, TRUE);
          child = gtk_widget_get_first_child (GTK_WIDGET (f->canvas));
        }
      g_autofree char *other = gtk_test_accessible_check_property (
          GTK_ACCESSIBLE (child), GTK_ACCESSIBLE_PROPERTY_LABEL, wanted);
      found = other == NULL;
    }
  g_source_remove (guard);
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

/* A box onto a wire, which is cut open for it. */
static void
test_splice (Fixture *f, gconstpointer data)
{
  settle (f);
  SluiceRect pool = box_of (f, "pool");
  SluicePoint from = { pool.x + pool.width / 2, pool.y + pool.height / 2 };
  SluicePoint below = port_at (f, "fc", 0, TRUE), above = port_at (f, "act", 0, FALSE);
  SluicePoint on = { (below.x + above.x) / 2, (below.y + above.y) / 2 };
  press (f, from);
  drag (f, from, on);
  g_assert_true (has_state (f, "\"splice\":true"));
  drag (f, from, (SluicePoint){ 20, 40 });
  g_assert_true (has_state (f, "\"splice\":false"));
  drag (f, from, on);
  let_go (f, from, on);
  assert_log (f, "splice pool:0 fc:0 act:0; ");
  assert_inputs (f, "act", "pool:0");
  assert_inputs (f, "pool", "fc:0");
}

/* ---- keys ---- */

static gboolean
key (Fixture *f, guint keyval, GdkModifierType modifiers)
{
  gboolean handled = FALSE;
  g_signal_emit_by_name (controller_of (f, GTK_TYPE_EVENT_CONTROLLER_KEY), "key-pressed", keyval, 0,
                         modifiers, &handled);
  return handled;
}

static void
act (Fixture *f, const char *action)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (f->canvas), action, NULL));
  settle (f);
}

static gboolean
is_said (Fixture *f, const char *text)
{
  g_autofree char *other = gtk_test_accessible_check_property (GTK_ACCESSIBLE (f->canvas),
                                                               GTK_ACCESSIBLE_PROPERTY_LABEL, text);
  return other == NULL;
}

static void
test_link (Fixture *f, gconstpointer data)
{
  settle (f);
  gtk_widget_grab_focus (GTK_WIDGET (f->canvas));
  sluice_canvas_select (f->canvas, "x");
  act (f, "canvas.link");
  g_assert_true (is_said (f, "Wire at x, output 0, float32 ?×28, nothing reads it. Tab: another "
                             "port, arrows: where it goes"));
  /* Legal ends come first, the last one refuses: Return asks the palette for what helps. */
  g_assert_true (key (f, GDK_KEY_Down, 0));
  g_assert_true (has_state (f, "\"wire\":{\"state\":\"keys\",\"chosen\":0"));
  g_assert_true (key (f, GDK_KEY_Up, 0));
  g_assert_true (is_said (f, "loss, input labels, int64, open: does not fit: labels reads int64 "
                             "(6 of 6)"));
  g_assert_true (key (f, GDK_KEY_Return, 0));
  assert_log (f, "palette reads x:0 near loss:1; ");
  g_assert_true (key (f, GDK_KEY_Escape, 0));
  g_assert_false (has_state (f, "\"wire\""));
  g_assert_false (key (f, GDK_KEY_Escape, 0)); /* which selects nothing, then */

  act (f, "canvas.link");
  key (f, GDK_KEY_Down, 0);
  if (!is_said (f, "fc, input a, float32, open: gives ?×10 (1 of 6)"))
    key (f, GDK_KEY_Tab, 0);
  g_assert_true (is_said (f, "fc, input a, float32, open: gives ?×10 (1 of 6)")
                 || is_said (f, "fc, input a, float32, open: gives ?×10 (2 of 6)"));
  g_assert_true (key (f, GDK_KEY_Return, 0));
  assert_log (f, "connect x:0 fc:0; ");
  g_assert_true (is_said (f, "Graph"));
}

/* Tab goes over the ports, Delete takes off a wire, a letter asks for a node at the port. */
static void
test_link_ports (Fixture *f, gconstpointer data)
{
  settle (f);
  gtk_widget_grab_focus (GTK_WIDGET (f->canvas));
  sluice_canvas_select (f->canvas, "fc");
  act (f, "canvas.link");
  g_assert_true (key (f, GDK_KEY_Tab, 0)); /* from the output round to the first input */
  g_assert_true (key (f, GDK_KEY_Tab, 0));
  g_assert_true (is_said (f, "Wire at fc, input b, float32. Tab: another port, arrows: where it "
                             "goes"));
  g_assert_true (key (f, GDK_KEY_Delete, 0));
  assert_log (f, "disconnect fc:1; ");
  act (f, "canvas.link");
  g_assert_true (key (f, GDK_KEY_ISO_Left_Tab, GDK_SHIFT_MASK));
  g_assert_true (key (f, GDK_KEY_Return, 0));
  g_assert_true (key (f, GDK_KEY_r, 0));
  g_assert_true (g_str_has_prefix (f->editor->log->str, "palette gives fc:1 near "));
  g_assert_true (g_str_has_suffix (f->editor->log->str, " “r”; "));
}

static void
test_splice_keys (Fixture *f, gconstpointer data)
{
  settle (f);
  gtk_widget_grab_focus (GTK_WIDGET (f->canvas));
  sluice_canvas_select (f->canvas, "loss");
  act (f, "canvas.splice"); /* its output is open, but what it reads is no wire's */
  key (f, GDK_KEY_Escape, 0);
  g_assert_true (is_said (f, "Graph"));
  sluice_canvas_select (f->canvas, "pool");
  act (f, "canvas.splice");
  for (guint i = 0; i < 4 && !is_said (f, "Into the wire from fc to act (1 of 3)")
                    && !is_said (f, "Into the wire from fc to act (2 of 3)")
                    && !is_said (f, "Into the wire from fc to act (3 of 3)");
       i++)
    g_assert_true (key (f, GDK_KEY_Down, 0));
  g_assert_true (key (f, GDK_KEY_Return, 0));
  assert_log (f, "splice pool:0 fc:0 act:0; ");
  g_assert_true (is_said (f, "Graph"));
}

static void
test_letters (Fixture *f, gconstpointer data)
{
  settle (f);
  gtk_widget_grab_focus (GTK_WIDGET (f->canvas));
  g_assert_false (key (f, GDK_KEY_c, 0)); /* nothing is selected */
  sluice_canvas_select (f->canvas, "x");
  g_assert_true (key (f, GDK_KEY_c, 0));
  g_assert_true (key (f, GDK_KEY_M, GDK_SHIFT_MASK));
  assert_log (f, "palette “c”; palette “M”; ");
  /* Those that mean something else, and what is no letter. */
  g_assert_false (key (f, GDK_KEY_m, 0));
  g_assert_false (key (f, GDK_KEY_A, GDK_SHIFT_MASK));
  g_assert_false (key (f, GDK_KEY_9, 0));
  g_assert_false (key (f, GDK_KEY_c, GDK_CONTROL_MASK));
  act (f, "canvas.palette");
  assert_log (f, "palette; ");
}

static void
test_commands (Fixture *f, gconstpointer data)
{
  settle (f);
  sluice_canvas_select (f->canvas, "fc");
  act (f, "canvas.group");
  act (f, "canvas.ungroup");
  act (f, "canvas.duplicate");
  act (f, "canvas.mute");
  act (f, "canvas.bypass");
  act (f, "canvas.undo");
  act (f, "canvas.redo");
  assert_log (f, "group fc; ungroup fc; duplicate fc; mute fc; bypass fc; undo; redo; ");
  act (f, "canvas.detach");
  assert_log (f, "detach fc; ");
  assert_inputs (f, "fc", "- -");
  /* What was selected is gone: what it read, or what read it, is. */
  sluice_canvas_select (f->canvas, "loss");
  act (f, "canvas.delete");
  assert_log (f, "remove loss; ");
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "act");
  sluice_canvas_set_editor (f->canvas, NULL, NULL);
  g_assert_false (gtk_widget_activate_action (GTK_WIDGET (f->canvas), "canvas.delete", NULL)
                  && f->editor->log->len > 0);
}

/* What stands in a selected scope is not named beside it. */
static void
test_names (Fixture *f, gconstpointer data)
{
  settle (f);
  fake_editor_add (f->editor, "head/a Relu ?×10 -");
  fake_editor_add (f->editor, "head/b Relu ?×10 head/a:0");
  fake_editor_show (f->editor);
  settle (f);
  sluice_canvas_select (f->canvas, "head/a");
  act (f, "canvas.group");
  assert_log (f, "group head/a; ");
  sluice_canvas_select (f->canvas, "head");
  act (f, "canvas.close");
  g_assert_true (has_state (f, "\"node\":\"head/a\",\"index\":0,\"output\":false,\"open\":true"));
  g_assert_true (has_state (f, "\"node\":\"head/b\",\"index\":0,\"output\":true,\"open\":true"));
  drag_all (f, port_at (f, "x", 0, TRUE), port_at (f, "head/a", 0, FALSE));
  assert_log (f, "connect x:0 head/a:0; ");
  g_assert_true (has_state (f, "\"node\":\"head/a\",\"index\":0,\"output\":false,\"open\":false"));
  act (f, "canvas.copy");
  assert_log (f, "copy head; ");
}

static gboolean
pasted (Fixture *f)
{
  return strstr (f->editor->log->str, "paste ") != NULL;
}

static void
test_clipboard (Fixture *f, gconstpointer data)
{
  guint guard = g_timeout_add_seconds (30, expired_cb, NULL);
  settle (f);
  sluice_canvas_select (f->canvas, "act");
  act (f, "canvas.cut");
  assert_log (f, "copy act; remove act; ");
  assert_inputs (f, "loss", "fc:0 -");
  act (f, "canvas.paste");
  while (!pasted (f))
    g_main_context_iteration (NULL, TRUE);
  assert_log (f, "paste act; ");
  act (f, "canvas.paste-wired");
  while (!pasted (f))
    g_main_context_iteration (NULL, TRUE);
  assert_log (f, "paste act wired; ");
  g_source_remove (guard);
}

static GtkEditable *
rename_entry (Fixture *f)
{
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (f->canvas)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_BOX (child) && GTK_IS_ENTRY (gtk_widget_get_first_child (child)))
      return GTK_EDITABLE (gtk_widget_get_first_child (child));
  return NULL;
}

static void
test_rename (Fixture *f, gconstpointer data)
{
  settle (f);
  sluice_canvas_select (f->canvas, "fc");
  act (f, "canvas.rename");
  g_assert_cmpstr (gtk_editable_get_text (rename_entry (f)), ==, "fc");
  /* What is refused stays, with the reason. */
  gtk_editable_set_text (rename_entry (f), "loss");
  g_signal_emit_by_name (rename_entry (f), "activate");
  assert_log (f, "");
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (rename_entry (f)),
                                       GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                       "There is a “loss” already");
  gtk_editable_set_text (rename_entry (f), "logits");
  g_signal_emit_by_name (rename_entry (f), "activate");
  assert_log (f, "rename fc logits; ");
  g_assert_null (rename_entry (f));
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "logits");
  /* A new model, and looking away, give it up. */
  act (f, "canvas.rename");
  fake_editor_show (f->editor);
  settle (f);
  g_assert_null (rename_entry (f));
  act (f, "canvas.rename");
  gtk_widget_grab_focus (GTK_WIDGET (f->canvas));
  settle (f);
  g_assert_null (rename_entry (f));
}

/* Escape gives up whatever is dragged. */
static void
test_escape (Fixture *f, gconstpointer data)
{
  settle (f);
  gtk_widget_grab_focus (GTK_WIDGET (f->canvas));
  SluicePoint from = port_at (f, "x", 0, TRUE), to = port_at (f, "fc", 0, FALSE);
  press (f, from);
  drag (f, from, to);
  g_assert_true (key (f, GDK_KEY_Escape, 0));
  g_assert_false (has_state (f, "\"wire\""));
  drag (f, from, (SluicePoint){ 20, 40 });
  let_go (f, from, to);
  SluiceRect pool = box_of (f, "pool");
  from = (SluicePoint){ pool.x + pool.width / 2, pool.y + pool.height / 2 };
  press (f, from);
  drag (f, from, to);
  g_assert_true (key (f, GDK_KEY_Escape, 0));
  let_go (f, from, to);
  SluiceRect still = box_of (f, "pool");
  g_assert_cmpfloat (fabs (still.x - pool.x) + fabs (still.y - pool.y), <, 1);
  assert_log (f, "");
}

static double
view_x (Fixture *f)
{
  double zoom, x;
  g_autofree char *state = sluice_canvas_dump_state (f->canvas);
  g_assert_cmpint (sscanf (state, "{\"zoom\":%lf,\"x\":%lf", &zoom, &x), ==, 2);
  return x;
}

/* At the edge the picture scrolls under a wire for as long as it is there. */
static void
test_scroll (Fixture *f, gconstpointer data)
{
  guint guard = g_timeout_add_seconds (30, expired_cb, NULL);
  settle (f);
  SluicePoint from = port_at (f, "x", 0, TRUE), edge = { 898, 350 };
  double before = view_x (f);
  press (f, from);
  drag (f, from, edge);
  while (view_x (f) < before + 100)
    g_main_context_iteration (NULL, TRUE);
  let_go (f, from, edge);
  assert_log (f, "palette reads x:0 near loss:1; ");
  g_source_remove (guard);
}

static void
test_empty (Fixture *f, gconstpointer data)
{
  settle (f);
  g_ptr_array_set_size (f->editor->nodes, 0);
  fake_editor_show (f->editor);
  settle (f);
  act (f, "canvas.palette");
  assert_log (f, "palette; ");
  g_signal_emit_by_name (controller_of (f, GTK_TYPE_GESTURE_CLICK), "released", 2, 300.0, 300.0);
  assert_log (f, "palette; ");
  sluice_canvas_place_next (f->canvas, 10, 10);
  fake_editor_add (f->editor, "first Placeholder 1");
  fake_editor_show (f->editor);
  settle (f);
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "first");
  g_assert_true (box_of (f, "first").x > 0);
}

/* ---- a new model ---- */

static void
test_place (Fixture *f, gconstpointer data)
{
  settle (f);
  g_autofree char *state = sluice_canvas_dump_state (f->canvas);
  double zoom, x, y;
  g_assert_cmpint (sscanf (state, "{\"zoom\":%lf,\"x\":%lf,\"y\":%lf", &zoom, &x, &y), ==, 3);
  sluice_canvas_select (f->canvas, "loss");
  SluiceRect loss = box_of (f, "loss");
  fake_editor_add (f->editor, "new/a Relu ?×10 act:0");
  fake_editor_add (f->editor, "new/b Relu ?×10 new/a:0");
  sluice_canvas_place_next (f->canvas, x + 700 / zoom, y + 500 / zoom);
  fake_editor_show (f->editor);
  settle (f);
  SluiceRect new = box_of (f, "new"), still = box_of (f, "loss");
  g_assert_cmpfloat (fabs (new.x + new.width / 2 - 700), <, 3);
  g_assert_cmpfloat (fabs (new.y + new.height / 2 - 500), <, 3);
  g_assert_cmpfloat (fabs (still.x - loss.x) + fabs (still.y - loss.y), <, 3);
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "new");
  /* Once only. */
  sluice_canvas_select (f->canvas, "loss");
  fake_editor_add (f->editor, "later Relu ?×10 -");
  fake_editor_show (f->editor);
  settle (f);
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "loss");
}

/* ---- a real pointer, for what is done with modifiers ---- */

static void
send_input (Fixture *f, const char *format, ...)
{
  va_list args;
  g_autoptr (GError) error = NULL;
  va_start (args, format);
  g_autofree char *words = g_strdup_vprintf (format, args),
                  *command = g_strconcat ("xdotool ", words, NULL);
  va_end (args);
  g_assert_true (g_spawn_command_line_sync (command, NULL, NULL, NULL, &error));
  settle (f);
}

static gboolean
has_pointer (void)
{
  g_autofree char *path = g_find_program_in_path ("xdotool");
  return path != NULL;
}

static void
drag_with (Fixture *f, const char *keys, SluicePoint from, SluicePoint to)
{
  send_input (f, "keydown %s", keys);
  send_input (f, "mousemove %d %d mousedown 1", (int) from.x, (int) from.y);
  for (int i = 1; i <= 4; i++)
    send_input (f, "mousemove %d %d", (int) (from.x + (to.x - from.x) * i / 4),
                (int) (from.y + (to.y - from.y) * i / 4));
  send_input (f, "mouseup 1 keyup %s", keys);
}

static void
wait_for_log (Fixture *f)
{
  guint guard = g_timeout_add_seconds (30, expired_cb, NULL);
  while (f->editor->log->len == 0)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (guard);
}

static void
test_modifiers (Fixture *f, gconstpointer data)
{
  if (!has_pointer ())
    {
      g_test_skip ("xdotool is not installed");
      return;
    }
  settle (f);
  /* A line across the wires of fc and act. */
  SluicePoint below = port_at (f, "fc", 0, TRUE), above = port_at (f, "act", 0, FALSE);
  double y = (below.y + above.y) / 2;
  drag_with (f, "ctrl+shift", (SluicePoint){ below.x - 40, y - 6 },
             (SluicePoint){ below.x + 40, y + 6 });
  wait_for_log (f);
  assert_log (f, "disconnect act:0; ");
  /* A box out of its wires, which stands where it is dropped. */
  SluiceRect act = box_of (f, "act");
  SluicePoint from = { act.x + act.width / 2, act.y + act.height / 2 };
  drag_with (f, "alt", from, (SluicePoint){ 120, 80 });
  wait_for_log (f);
  assert_log (f, "detach act; ");
  assert_inputs (f, "loss", "- -");
  act = box_of (f, "act");
  g_assert_cmpfloat (fabs (act.x + act.width / 2 - 120), <, 4);
  g_assert_cmpfloat (fabs (act.y + act.height / 2 - 80), <, 4);
  /* Two clicks on ground. */
  send_input (f, "mousemove 30 300 click --repeat 2 --delay 40 1");
  wait_for_log (f);
  assert_log (f, "palette; ");
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
  g_test_add ("/canvas/edit/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("ports", test_ports);
  ADD ("words", test_words);
  ADD ("connect", test_connect);
  ADD ("judged", test_judged);
  ADD ("drop", test_drop);
  ADD ("take-off", test_take_off);
  ADD ("vanishes", test_vanishes);
  ADD ("splice", test_splice);
  ADD ("link", test_link);
  ADD ("link-ports", test_link_ports);
  ADD ("splice-keys", test_splice_keys);
  ADD ("letters", test_letters);
  ADD ("escape", test_escape);
  ADD ("scroll", test_scroll);
  ADD ("empty", test_empty);
  ADD ("commands", test_commands);
  ADD ("names", test_names);
  ADD ("clipboard", test_clipboard);
  ADD ("rename", test_rename);
  ADD ("place", test_place);
  ADD ("modifiers", test_modifiers);
  return g_test_run ();
}
