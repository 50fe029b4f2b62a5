/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Gestures of the canvas' editing side, and what comes of them. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/ui/canvas/edit-fixture.h"

static void
test_ports (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  SluicePoint out = edit_port_at (f, "x", 0, TRUE), a = edit_port_at (f, "fc", 0, FALSE),
              b = edit_port_at (f, "fc", 1, FALSE), gives = edit_port_at (f, "fc", 0, TRUE);
  g_assert_true (gives.y < a.y); /* data flows up: outputs are on top */
  g_assert_true (a.x < b.x && a.y == b.y);
  g_assert_true (edit_has_state (f, "\"node\":\"fc\",\"index\":0,\"output\":false,\"open\":true"));
  g_assert_true (edit_has_state (f, "\"node\":\"fc\",\"index\":1,\"output\":false,\"open\":false"));
  sluice_canvas_set_flow (f->canvas, SLUICE_FLOW_DOWN);
  edit_settle (f);
  g_assert_true (edit_port_at (f, "fc", 0, TRUE).y > edit_port_at (f, "fc", 0, FALSE).y);
  sluice_canvas_set_editor (f->canvas, NULL, NULL);
  g_assert_false (edit_has_state (f, "\"ports\""));
  g_assert_true (out.x > 0);
}

/* What a pointer that rests on a port is told, and a screen reader of its box. */
static void
test_words (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  SluicePoint at = edit_port_at (f, "x", 0, TRUE);
  g_signal_emit_by_name (edit_controller_of (f, GTK_TYPE_EVENT_CONTROLLER_MOTION), "motion", at.x,
                         at.y - 3);
  edit_wait_for_state (f, "\"tip\":\"output 0, float32 ?×28, nothing reads it\"");
  GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (f->canvas));
  const char *wanted = "Loss loss, inputs act float32 ?×10. input logits, float32; input labels, "
                       "int64, open; output 0, float32 1, nothing reads it";
  guint guard = g_timeout_add_seconds (30, edit_expired_cb, NULL);
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
test_connect (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  edit_drag_all (f, edit_port_at (f, "x", 0, TRUE), edit_port_at (f, "fc", 0, FALSE));
  edit_assert_log (f, "connect x:0 fc:0; ");
  edit_assert_inputs (f, "fc", "x:0 w:0");
  /* From an input to an output it is the same. */
  edit_drag_all (f, edit_port_at (f, "loss", 1, FALSE), edit_port_at (f, "labels", 0, TRUE));
  edit_assert_log (f, "connect labels:0 loss:1; ");
}

/* What the wire says of each box while it is dragged. */
static void
test_judged (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  SluicePoint from = edit_port_at (f, "x", 0, TRUE), to = { from.x, from.y - 30 };
  edit_press (f, from);
  edit_drag (f, from, to);
  edit_wait_for_state (f, "\"fits\":true,\"words\":\"?×10\",\"port\":{\"node\":\"fc\",\"index\":0");
  edit_wait_for_state (f,
                       "\"words\":\"labels reads int64\",\"port\":{\"node\":\"loss\",\"index\":1");
  /* What is in use is asked about when the pointer comes to it. */
  g_assert_false (edit_has_state (f, "\"port\":{\"node\":\"act\""));
  SluicePoint in_use = edit_port_at (f, "act", 0, FALSE);
  edit_drag (f, from, in_use);
  g_assert_true (edit_has_state (f, "\"port\":{\"node\":\"act\""));
  edit_let_go (f, from, in_use);
  edit_assert_log (f, "connect x:0 act:0; ");
}

static void
test_drop (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  SluicePoint from = edit_port_at (f, "x", 0, TRUE), ground = { 20, 40 };
  /* On ground: the palette, with the wire still there until it is dropped. */
  edit_drag_all (f, from, ground);
  edit_assert_log (f, "palette reads x:0; ");
  g_assert_true (edit_has_state (f, "\"wire\":{\"state\":\"waits\""));
  sluice_canvas_drop_wire (f->canvas);
  g_assert_false (edit_has_state (f, "\"wire\""));
  /* On what refuses it: the palette is told who did. */
  edit_drag_all (f, from, edit_port_at (f, "loss", 1, FALSE));
  edit_assert_log (f, "palette reads x:0 near loss:1; ");
  sluice_canvas_drop_wire (f->canvas);
  /* On its own box: nothing. */
  edit_drag_all (f, from, (SluicePoint){ from.x, from.y + 12 });
  edit_assert_log (f, "");
  g_assert_false (edit_has_state (f, "\"wire\""));
}

static void
test_take_off (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  /* Off an input onto ground, and onto another input. */
  edit_drag_all (f, edit_port_at (f, "act", 0, FALSE), (SluicePoint){ 20, 40 });
  edit_assert_log (f, "disconnect act:0; ");
  edit_drag_all (f, edit_port_at (f, "fc", 1, FALSE), edit_port_at (f, "act", 0, FALSE));
  edit_assert_log (f, "connect w:0 act:0 off fc:1; ");
  edit_assert_inputs (f, "fc", "- -");
  /* Back where it was: nothing. */
  SluicePoint at = edit_port_at (f, "act", 0, FALSE);
  edit_press (f, at);
  edit_drag (f, at, (SluicePoint){ 20, 40 });
  edit_drag (f, at, at);
  edit_let_go (f, at, at);
  edit_assert_log (f, "");
}

/* The port that is dragged may go away meanwhile. */
static void
test_vanishes (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  SluicePoint from = edit_port_at (f, "x", 0, TRUE), to = edit_port_at (f, "fc", 0, FALSE);
  edit_press (f, from);
  edit_drag (f, from, to);
  g_ptr_array_remove_index (f->editor->nodes, 0);
  fake_editor_show (f->editor);
  edit_settle (f);
  edit_drag (f, from, to);
  edit_let_go (f, from, to);
  edit_assert_log (f, "");
  edit_press (f, to);
  sluice_canvas_set_model (f->canvas, NULL);
  edit_drag (f, to, from);
  edit_let_go (f, to, from);
  edit_assert_log (f, "");
}

/* A box onto a wire, which is cut open for it. */
static void
test_splice (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  SluiceRect pool = edit_box_of (f, "pool");
  SluicePoint from = { pool.x + pool.width / 2, pool.y + pool.height / 2 };
  SluicePoint below = edit_port_at (f, "fc", 0, TRUE), above = edit_port_at (f, "act", 0, FALSE);
  SluicePoint on = { (below.x + above.x) / 2, (below.y + above.y) / 2 };
  edit_press (f, from);
  edit_drag (f, from, on);
  g_assert_true (edit_has_state (f, "\"splice\":true"));
  edit_drag (f, from, (SluicePoint){ 20, 40 });
  g_assert_true (edit_has_state (f, "\"splice\":false"));
  edit_drag (f, from, on);
  edit_let_go (f, from, on);
  edit_assert_log (f, "splice pool:0 fc:0 act:0; ");
  edit_assert_inputs (f, "act", "pool:0");
  edit_assert_inputs (f, "pool", "fc:0");
}

/* Escape gives up whatever is dragged. */
static void
test_escape (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  gtk_widget_grab_focus (GTK_WIDGET (f->canvas));
  SluicePoint from = edit_port_at (f, "x", 0, TRUE), to = edit_port_at (f, "fc", 0, FALSE);
  edit_press (f, from);
  edit_drag (f, from, to);
  g_assert_true (edit_key (f, GDK_KEY_Escape, 0));
  g_assert_false (edit_has_state (f, "\"wire\""));
  edit_drag (f, from, (SluicePoint){ 20, 40 });
  edit_let_go (f, from, to);
  SluiceRect pool = edit_box_of (f, "pool");
  from = (SluicePoint){ pool.x + pool.width / 2, pool.y + pool.height / 2 };
  edit_press (f, from);
  edit_drag (f, from, to);
  g_assert_true (edit_key (f, GDK_KEY_Escape, 0));
  edit_let_go (f, from, to);
  SluiceRect still = edit_box_of (f, "pool");
  g_assert_cmpfloat (fabs (still.x - pool.x) + fabs (still.y - pool.y), <, 1);
  edit_assert_log (f, "");
}

static double
view_x (EditFixture *f)
{
  double zoom, x;
  g_autofree char *state = sluice_canvas_dump_state (f->canvas);
  g_assert_cmpint (sscanf (state, "{\"zoom\":%lf,\"x\":%lf", &zoom, &x), ==, 2);
  return x;
}

/* At the edge the picture scrolls under a wire for as long as it is there. */
static void
test_scroll (EditFixture *f, gconstpointer data)
{
  guint guard = g_timeout_add_seconds (30, edit_expired_cb, NULL);
  edit_settle (f);
  SluicePoint from = edit_port_at (f, "x", 0, TRUE), edge = { 898, 350 };
  double before = view_x (f);
  edit_press (f, from);
  edit_drag (f, from, edge);
  while (view_x (f) < before + 100)
    g_main_context_iteration (NULL, TRUE);
  edit_let_go (f, from, edge);
  edit_assert_log (f, "palette reads x:0 near loss:1; ");
  g_source_remove (guard);
}

static void
test_empty (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  g_ptr_array_set_size (f->editor->nodes, 0);
  fake_editor_show (f->editor);
  edit_settle (f);
  edit_act (f, "canvas.palette");
  edit_assert_log (f, "palette; ");
  g_signal_emit_by_name (edit_controller_of (f, GTK_TYPE_GESTURE_CLICK), "released", 2, 300.0,
                         300.0);
  edit_assert_log (f, "palette; ");
  sluice_canvas_place_next (f->canvas, 10, 10);
  fake_editor_add (f->editor, "first Placeholder 1");
  fake_editor_show (f->editor);
  edit_settle (f);
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "first");
  g_assert_true (edit_box_of (f, "first").x > 0);
}

/* ---- a new model ---- */

static void
test_place (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  g_autofree char *state = sluice_canvas_dump_state (f->canvas);
  double zoom, x, y;
  g_assert_cmpint (sscanf (state, "{\"zoom\":%lf,\"x\":%lf,\"y\":%lf", &zoom, &x, &y), ==, 3);
  sluice_canvas_select (f->canvas, "loss");
  SluiceRect loss = edit_box_of (f, "loss");
  fake_editor_add (f->editor, "new/a Relu ?×10 act:0");
  fake_editor_add (f->editor, "new/b Relu ?×10 new/a:0");
  sluice_canvas_place_next (f->canvas, x + 700 / zoom, y + 500 / zoom);
  fake_editor_show (f->editor);
  edit_settle (f);
  SluiceRect new = edit_box_of (f, "new"), still = edit_box_of (f, "loss");
  g_assert_cmpfloat (fabs (new.x + new.width / 2 - 700), <, 3);
  g_assert_cmpfloat (fabs (new.y + new.height / 2 - 500), <, 3);
  g_assert_cmpfloat (fabs (still.x - loss.x) + fabs (still.y - loss.y), <, 3);
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "new");
  /* What is taken back is selected no longer. */
  sluice_canvas_place_next (f->canvas, 0, 0);
  g_ptr_array_set_size (f->editor->nodes, (int) f->editor->nodes->len - 2);
  fake_editor_show (f->editor);
  edit_settle (f);
  g_assert_null (sluice_canvas_get_selection (f->canvas));
  /* Once only. */
  sluice_canvas_select (f->canvas, "loss");
  fake_editor_add (f->editor, "later Relu ?×10 -");
  fake_editor_show (f->editor);
  edit_settle (f);
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "loss");
}

/* Who saw all of the graph still does when it has grown; who looked closer still looks there. */
static void
test_fitted (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  static const char *const names[] = { "loss",  "ash", "birch", "cedar", "elm", "fir",
                                       "hazel", "ivy", "larch", "maple", "oak", "pine" };
  for (guint i = 1; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *line = g_strdup_printf ("%s %s ?×10 %s:0", names[i],
                                               i % 3 == 0 ? "Split" : "Relu", names[i - 1]);
      fake_editor_add (f->editor, line);
    }
  fake_editor_show (f->editor);
  edit_settle (f);
  g_assert_true (edit_has_state (f, "\"minimap\":false"));
  for (guint i = 0; i < 5; i++)
    edit_act (f, "canvas.zoom-in");
  sluice_canvas_select (f->canvas, "x");
  edit_settle (f);
  SluiceRect before = edit_box_of (f, "x");
  fake_editor_add (f->editor, "yew Relu ?×10 pine:0");
  fake_editor_show (f->editor);
  edit_settle (f);
  SluiceRect after = edit_box_of (f, "x");
  g_assert_true (edit_has_state (f, "\"minimap\":true"));
  g_assert_cmpfloat (fabs (after.x - before.x) + fabs (after.y - before.y), <, 2);
}

static SluiceRect
rect_of (EditFixture *f, const char *name)
{
  g_autofree char *state = sluice_canvas_dump_state (f->canvas);
  g_autofree char *key = g_strdup_printf ("\"%s\":[", name);
  const char *at = strstr (state, key);
  SluiceRect r = { 0 };
  g_assert_nonnull (at);
  g_assert_cmpint (sscanf (at + strlen (key), "%lf,%lf,%lf,%lf", &r.x, &r.y, &r.width, &r.height),
                   ==, 4);
  return r;
}

static void
allocate (EditFixture *f, int width)
{
  gtk_widget_size_allocate (GTK_WIDGET (f->canvas), &(GtkAllocation){ 0, 0, width, 500 }, -1);
}

/* What the ports' types look like stands beside what colours mean, as long as both have room. */
static void
test_foot (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  allocate (f, 1200);
  SluiceRect bar = rect_of (f, "bar"), legend = rect_of (f, "legend");
  g_assert_cmpfloat (legend.x + legend.width, <, bar.x);
  g_assert_cmpfloat (legend.y, ==, bar.y);
  g_assert_cmpfloat (legend.height, ==, bar.height);
  int needed = (int) (bar.x + bar.width - legend.x);
  allocate (f, needed);
  SluiceRect folded = rect_of (f, "bar");
  legend = rect_of (f, "legend");
  g_assert_cmpfloat (folded.width, <, bar.width);
  g_assert_cmpfloat (legend.x, >=, 0);
  g_assert_cmpfloat (legend.y, ==, folded.y);
  g_assert_cmpfloat (legend.x + legend.width, <, folded.x);
  allocate (f, (int) legend.width + 80);
  folded = rect_of (f, "bar");
  legend = rect_of (f, "legend");
  g_assert_cmpfloat (legend.y + legend.height, <, folded.y);
  g_assert_cmpfloat (folded.x + folded.width, <=, legend.width + 80);
}

/* An editor may show what it did later than it did it. */
static void
test_late (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  f->editor->is_late = TRUE;
  sluice_canvas_select (f->canvas, "loss");
  edit_act (f, "canvas.delete");
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "act");
  edit_act (f, "canvas.rename");
  gtk_editable_set_text (edit_rename_entry (f), "relu");
  g_signal_emit_by_name (edit_rename_entry (f), "activate");
  edit_settle (f);
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "relu");
  sluice_canvas_place_next (f->canvas, 0, 0);
  fake_editor_add (f->editor, "new Relu ?×10 relu:0");
  fake_editor_show (f->editor);
  edit_settle (f);
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "new");
  /* Meanwhile a wire is dragged to what is gone already. */
  SluicePoint from = edit_port_at (f, "x", 0, TRUE), to = edit_port_at (f, "pool", 0, FALSE);
  edit_press (f, from);
  edit_drag (f, from, to);
  g_ptr_array_remove_index (f->editor->nodes, 3);
  fake_editor_show (f->editor);
  edit_settle (f);
  edit_let_go (f, from, to);
  g_assert_null (strstr (f->editor->log->str, "connect"));
}

/* ---- a real pointer, for what is done with modifiers ---- */

static void
send_input (EditFixture *f, const char *format, ...)
{
  va_list args;
  g_autoptr (GError) error = NULL;
  va_start (args, format);
  g_autofree char *words = g_strdup_vprintf (format, args),
                  *command = g_strconcat ("xdotool ", words, NULL);
  va_end (args);
  g_assert_true (g_spawn_command_line_sync (command, NULL, NULL, NULL, &error));
  edit_settle (f);
}

static gboolean
has_pointer (void)
{
  g_autofree char *path = g_find_program_in_path ("xdotool");
  return path != NULL;
}

static void
drag_with (EditFixture *f, const char *keys, SluicePoint from, SluicePoint to)
{
  send_input (f, "keydown %s", keys);
  send_input (f, "mousemove %d %d mousedown 1", (int) from.x, (int) from.y);
  for (int i = 1; i <= 4; i++)
    send_input (f, "mousemove %d %d", (int) (from.x + (to.x - from.x) * i / 4),
                (int) (from.y + (to.y - from.y) * i / 4));
  send_input (f, "mouseup 1 keyup %s", keys);
}

static void
wait_for_log (EditFixture *f)
{
  guint guard = g_timeout_add_seconds (30, edit_expired_cb, NULL);
  while (f->editor->log->len == 0)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (guard);
}

static void
test_modifiers (EditFixture *f, gconstpointer data)
{
  if (!has_pointer ())
    {
      g_test_skip ("xdotool is not installed");
      return;
    }
  edit_settle (f);
  /* A line across the wires of fc and act. */
  SluicePoint below = edit_port_at (f, "fc", 0, TRUE), above = edit_port_at (f, "act", 0, FALSE);
  double y = (below.y + above.y) / 2;
  drag_with (f, "ctrl+shift", (SluicePoint){ below.x - 40, y - 6 },
             (SluicePoint){ below.x + 40, y + 6 });
  wait_for_log (f);
  edit_assert_log (f, "disconnect act:0; ");
  /* A box out of its wires, which stands where it is dropped. */
  SluiceRect act = edit_box_of (f, "act");
  SluicePoint from = { act.x + act.width / 2, act.y + act.height / 2 };
  drag_with (f, "alt", from, (SluicePoint){ 120, 80 });
  wait_for_log (f);
  edit_assert_log (f, "detach act; ");
  edit_assert_inputs (f, "loss", "- -");
  act = edit_box_of (f, "act");
  g_assert_cmpfloat (fabs (act.x + act.width / 2 - 120), <, 4);
  g_assert_cmpfloat (fabs (act.y + act.height / 2 - 80), <, 4);
  /* Keys as they come: a wire begins, and Escape is its before it is the selection's. */
  send_input (f, "mousemove %d %d click 1", (int) edit_port_at (f, "x", 0, TRUE).x,
              (int) edit_port_at (f, "x", 0, TRUE).y + 14);
  send_input (f, "key l");
  edit_wait_for_state (f, "\"state\":\"ports\"");
  send_input (f, "key Down");
  edit_wait_for_state (f, "\"state\":\"keys\"");
  send_input (f, "key Escape");
  while (edit_has_state (f, "\"wire\""))
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "x");
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
  g_test_add ("/canvas/edit/" name, EditFixture, NULL, edit_set_up, function, edit_tear_down)
  ADD ("ports", test_ports);
  ADD ("words", test_words);
  ADD ("connect", test_connect);
  ADD ("judged", test_judged);
  ADD ("drop", test_drop);
  ADD ("take-off", test_take_off);
  ADD ("vanishes", test_vanishes);
  ADD ("splice", test_splice);
  ADD ("escape", test_escape);
  ADD ("scroll", test_scroll);
  ADD ("empty", test_empty);
  ADD ("place", test_place);
  ADD ("fitted", test_fitted);
  ADD ("foot", test_foot);
  ADD ("late", test_late);
  ADD ("modifiers", test_modifiers);
  return g_test_run ();
}
