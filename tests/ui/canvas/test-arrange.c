/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a person arranges on the picture: boxes in line, bent lines, notes and frames. Each is one
 * command, and lines of the layout. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/ui/canvas/edit-fixture.h"

static const char three[] = "a Placeholder ?×28\n"
                            "b Relu ?×10 a:0\n"
                            "c Relu ?×10 b:0\n";

static void
assert_near (double a, double b)
{
  g_assert_cmpfloat (fabs (a - b), <, 1);
}

static char *
dup_layout (EditFixture *f)
{
  g_autoptr (SluiceViewState) none = sluice_view_state_new ();
  g_autoptr (SluiceViewState) state = sluice_canvas_dup_view_state (f->canvas);
  g_autoptr (GPtrArray) lines = sluice_view_state_diff (none, state);
  g_ptr_array_add (lines, NULL);
  return g_strjoinv ("|", (char **) lines->pdata);
}

static void
assert_layout (EditFixture *f, const char *wanted)
{
  g_autofree char *layout = dup_layout (f);
  g_assert_cmpstr (layout, ==, wanted);
}

static void
move_by_pointer (EditFixture *f, const char *name, double dx, double dy)
{
  SluiceRect r = edit_box_of (f, name);
  SluicePoint from = { r.x + 20, r.y + r.height / 2 };
  edit_drag_all (f, from, (SluicePoint){ from.x + dx, from.y + dy });
}

static void
test_lines (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  move_by_pointer (f, "b", 60, 12);
  edit_assert_log (f, "move b; ");
  edit_act (f, "canvas.select-all");
  edit_act (f, "canvas.align-left");
  edit_assert_log (f, "align a and 2 more at the left; ");
  assert_near (edit_box_of (f, "a").x, edit_box_of (f, "b").x);
  edit_act (f, "canvas.align-right");
  SluiceRect a = edit_box_of (f, "a"), b = edit_box_of (f, "b");
  assert_near (a.x + a.width, b.x + b.width);
  edit_act (f, "canvas.distribute-down");
  a = edit_box_of (f, "a"), b = edit_box_of (f, "b");
  SluiceRect c = edit_box_of (f, "c");
  assert_near (a.y - b.y, b.y - c.y); /* data flows up */
  edit_act (f, "canvas.align-row");
  assert_near (edit_box_of (f, "a").y, edit_box_of (f, "c").y);
  edit_act (f, "canvas.align-column");
  a = edit_box_of (f, "a"), c = edit_box_of (f, "c");
  assert_near (a.x + a.width / 2, c.x + c.width / 2);
  edit_act (f, "canvas.align-top");
  edit_act (f, "canvas.align-bottom");
  edit_act (f, "canvas.distribute-across");
  edit_act (f, "canvas.arrange");
  assert_layout (f, "");
}

/* One of several that are selected takes the others along; only what is selected is laid out
 * again. */
static void
test_several (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  edit_act (f, "canvas.select-all");
  move_by_pointer (f, "b", 40, 0);
  edit_assert_log (f, "move a and 2 more; ");
  assert_layout (f, "+moved a 40 0|+moved b 40 0|+moved c 40 0");
  sluice_canvas_select (f->canvas, "b");
  edit_act (f, "canvas.arrange");
  edit_assert_log (f, "arrange b; ");
  assert_layout (f, "+moved a 40 0|+moved c 40 0");
}

static void
test_bend (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  SluicePoint below = edit_port_at (f, "a", 0, TRUE), above = edit_port_at (f, "b", 0, FALSE);
  SluicePoint middle = { (below.x + above.x) / 2, (below.y + above.y) / 2 };
  edit_drag_all (f, middle, (SluicePoint){ middle.x + 50, middle.y });
  edit_assert_log (f, "bend a → b; ");
  g_autofree char *layout = dup_layout (f);
  g_assert_true (g_str_has_prefix (layout, "+bend a b "));
  sluice_canvas_select (f->canvas, "b");
  edit_act (f, "canvas.straighten");
  edit_assert_log (f, "straighten the lines of b; ");
  assert_layout (f, "");
}

static guint
count_bends (EditFixture *f)
{
  g_autoptr (SluiceViewState) state = sluice_canvas_dup_view_state (f->canvas);
  SluiceViewBends bends = { 0 };
  return sluice_view_state_get_bends (state, "a", "b", &bends) ? bends.n : 0;
}

/* The same by keys: as many as there is room for, each moved and taken away. */
static void
test_bend_keys (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  sluice_canvas_select (f->canvas, "a");
  edit_act (f, "canvas.next-line");
  edit_act (f, "canvas.add-bend");
  assert_layout (f, "+bend a b 0 0");
  edit_act (f, "canvas.move-right");
  edit_act (f, "canvas.add-bend");
  g_assert_cmpuint (count_bends (f), ==, 2);
  edit_act (f, "canvas.next-bend");
  edit_act (f, "canvas.move-down");
  edit_act (f, "canvas.remove-bend");
  g_assert_cmpuint (count_bends (f), ==, 1);
  for (guint i = 0; i < 20; i++)
    edit_act (f, "canvas.add-bend");
  g_assert_cmpuint (count_bends (f), ==, SLUICE_MAX_BENDS);
  for (guint i = 0; i < SLUICE_MAX_BENDS; i++)
    {
      edit_act (f, "canvas.next-bend");
      edit_act (f, "canvas.remove-bend");
    }
  assert_layout (f, "");
  /* Without a bend the box moves, which the line is of. */
  edit_act (f, "canvas.move-right");
  g_autofree char *layout = dup_layout (f);
  g_assert_true (g_str_has_prefix (layout, "+moved a "));
}

/* Who sees all of a graph goes on seeing all of it, though a new box is brought into view. */
static void
test_fitted (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  sluice_canvas_place_next (f->canvas, 3000, 0);
  fake_editor_add (f->editor, "d Relu ?×10 c:0");
  fake_editor_show (f->editor);
  edit_settle (f);
  SluiceRect d = edit_box_of (f, "d"); /* and a is in view as well */
  g_assert_cmpfloat (d.x - edit_box_of (f, "a").x, >, 0);
  g_assert_cmpfloat (d.x + d.width, <, gtk_widget_get_width (GTK_WIDGET (f->canvas)));
}

/* ---- words ---- */

static GtkWidget *
find_entry (EditFixture *f)
{
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (f->canvas)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_BOX (child) && GTK_IS_TEXT_VIEW (gtk_widget_get_first_child (child)))
      return child;
  return NULL;
}

/* Types, and leaves by this key. */
static void
write_words (EditFixture *f, const char *text, guint key)
{
  GtkWidget *box = find_entry (f);
  gboolean handled = FALSE;
  g_assert_nonnull (box);
  GtkWidget *entry = gtk_widget_get_first_child (box);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (entry)), text, -1);
  g_autoptr (GListModel) all = gtk_widget_observe_controllers (box);
  for (guint i = 0; i < g_list_model_get_n_items (all) && !handled; i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (all, i);
      if (GTK_IS_EVENT_CONTROLLER_KEY (controller)
          && gtk_event_controller_get_propagation_phase (controller) == GTK_PHASE_CAPTURE)
        g_signal_emit_by_name (controller, "key-pressed", key, 0, 0, &handled);
    }
  g_assert_true (handled);
  edit_settle (f);
  g_assert_null (find_entry (f));
}

static void
test_note (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  sluice_canvas_select (f->canvas, "b");
  edit_act (f, "canvas.note");
  write_words (f, "given up", GDK_KEY_Escape);
  assert_layout (f, "");
  sluice_canvas_select (f->canvas, "b");
  edit_act (f, "canvas.note");
  write_words (f, "why ünder\nline two", GDK_KEY_Return);
  edit_assert_log (f, "note why ünder; ");
  g_assert_true (edit_has_state (f, "\"selected\":true,\"text\":\"why ünder\\u000aline two\""));
  edit_act (f, "canvas.rename");
  write_words (f, "why", GDK_KEY_Return);
  edit_assert_log (f, "write why; ");
  edit_act (f, "canvas.move-right");
  edit_assert_log (f, "move the note why; ");
  /* It stays beside its box. */
  g_autofree char *before = dup_layout (f);
  move_by_pointer (f, "b", 0, 30);
  g_autofree char *after = dup_layout (f);
  g_assert_nonnull (strstr (after, strstr (before, "+note")));
  g_string_truncate (f->editor->log, 0);
  edit_act (f, "canvas.next-note");
  edit_act (f, "canvas.delete");
  edit_assert_log (f, "delete the note why; ");
}

static void
test_frame (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  sluice_canvas_select (f->canvas, "c");
  edit_act (f, "canvas.frame");
  write_words (f, "Head", GDK_KEY_Return);
  edit_assert_log (f, "frame Head; ");
  assert_layout (f, "+frame 1 Head c");
  /* Its title is a handle, by which its boxes move. */
  SluiceRect c = edit_box_of (f, "c");
  SluicePoint title = { c.x + 4, c.y - 12 };
  edit_drag_all (f, title, (SluicePoint){ title.x - 50, title.y });
  edit_assert_log (f, "move c; ");
  assert_near (edit_box_of (f, "c").x, c.x - 50);
  /* Of boxes that are gone nothing is drawn, and the line is kept. */
  sluice_canvas_select (f->canvas, "c");
  edit_act (f, "canvas.delete");
  g_assert_true (edit_has_state (f, "\"notes\":[]"));
  g_autofree char *layout = dup_layout (f);
  g_assert_nonnull (strstr (layout, "+frame 1 Head c"));
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
  g_test_add ("/canvas/arrange/" name, EditFixture, three, edit_set_up, function, edit_tear_down)
  ADD ("lines", test_lines);
  ADD ("several", test_several);
  ADD ("bend", test_bend);
  ADD ("bend-keys", test_bend_keys);
  ADD ("fitted", test_fitted);
  ADD ("note", test_note);
  ADD ("frame", test_frame);
  return g_test_run ();
}
