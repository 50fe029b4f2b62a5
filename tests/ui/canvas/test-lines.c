/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The line that is chosen, by the pointer and by keys, and what its menu is about. */

#include <string.h>

#include "tests/ui/canvas/edit-fixture.h"

static const char nodes[] = "a Placeholder ?×28\n"
                            "b Relu ?×10 a:0\n"
                            "c Relu ?×10 a:0\n"
                            "s Split ?×10 c:0\n"
                            "d Relu ?×10 s:1\n";

static const SluiceCanvasCommand commands[] = {
  { "Do it", "test.place", TRUE, TRUE, FALSE },
  { "Do it to a value", "test.value", TRUE, FALSE, FALSE },
  { "Do it to a scope", "test.scope", FALSE, TRUE, TRUE },
};

static void
assert_place (EditFixture *f, const char *wanted)
{
  g_autofree char *place = sluice_canvas_dup_place (f->canvas);
  g_assert_cmpstr (place, ==, wanted);
}

static SluicePoint
middle_between (EditFixture *f, const char *from, guint output, const char *to)
{
  SluicePoint a = edit_port_at (f, from, output, TRUE), b = edit_port_at (f, to, 0, FALSE);
  return (SluicePoint){ (a.x + b.x) / 2, (a.y + b.y) / 2 };
}

static void
click (EditFixture *f, SluicePoint at)
{
  g_signal_emit_by_name (edit_controller_of (f, GTK_TYPE_GESTURE_CLICK), "released", 1, at.x, at.y);
}

static void
test_pointer (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  assert_place (f, NULL);
  click (f, middle_between (f, "s", 1, "d"));
  assert_place (f, "s:1");
  g_assert_true (edit_is_said (f, "Line from s to d: s:1"));
  SluiceRect box = edit_box_of (f, "c");
  click (f, (SluicePoint){ box.x + 20, box.y + box.height / 2 });
  assert_place (f, "c");
  g_assert_true (edit_is_said (f, "Graph to change"));
}

static void
test_keys (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  sluice_canvas_select (f->canvas, "s");
  edit_act (f, "canvas.next-line"); /* what leaves, then what arrives, and around */
  assert_place (f, "s:1");
  edit_act (f, "canvas.next-line");
  assert_place (f, "c:0");
  edit_act (f, "canvas.next-line");
  assert_place (f, "s:1");
  edit_act (f, "canvas.previous-line");
  assert_place (f, "c:0");
  /* It stays chosen in another picture, and goes with what it joined. */
  sluice_canvas_set_flow (f->canvas, SLUICE_FLOW_DOWN);
  edit_settle (f);
  assert_place (f, "c:0");
  edit_act (f, "canvas.select-none");
  assert_place (f, "s");
}

static guint
count_entries (GMenuModel *menu, const char *action, const char *place)
{
  guint n = 0;
  for (int i = 0; i < g_menu_model_get_n_items (menu); i++)
    {
      g_autoptr (GMenuModel) section = g_menu_model_get_item_link (menu, i, G_MENU_LINK_SECTION);
      g_autofree char *name = NULL, *target = NULL;
      if (section != NULL)
        n += count_entries (section, action, place);
      if (g_menu_model_get_item_attribute (menu, i, "action", "s", &name)
          && g_menu_model_get_item_attribute (menu, i, "target", "s", &target)
          && g_str_equal (name, action) && g_str_equal (target, place))
        n++;
    }
  return n;
}

static GMenuModel *
get_menu (EditFixture *f)
{
  GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (f->canvas));
  while (child != NULL && !GTK_IS_POPOVER_MENU (child))
    child = gtk_widget_get_next_sibling (child);
  g_assert_nonnull (child);
  return gtk_popover_menu_get_menu_model (GTK_POPOVER_MENU (child));
}

static void
test_menu (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  sluice_canvas_set_place_commands (f->canvas, commands, G_N_ELEMENTS (commands));
  sluice_canvas_select (f->canvas, "s");
  edit_act (f, "canvas.next-line");
  edit_act (f, "canvas.menu");
  g_assert_cmpuint (count_entries (get_menu (f), "test.place", "s:1"), ==, 1);
  g_assert_cmpuint (count_entries (get_menu (f), "test.value", "s:1"), ==, 1);
  edit_act (f, "canvas.select-none");
  edit_act (f, "canvas.menu");
  g_assert_cmpuint (count_entries (get_menu (f), "test.place", "s"), ==, 1);
}

/* A breakpoint on a value is a dot on each of its lines, and at its node. */
static void
test_breaks (EditFixture *f, gconstpointer data)
{
  const SluiceCanvasMark marks[] = { { "a:0", SLUICE_MARK_BREAK, "stops" } };
  edit_settle (f);
  sluice_canvas_set_breaks (f->canvas, marks, 1);
  edit_wait_for_state (f, "\"line_breaks\":[{\"kind\":\"break\"");
  g_autofree char *state = sluice_canvas_dump_state (f->canvas);
  const char *first = strstr (state, "{\"kind\":\"break\",");
  g_assert_nonnull (strstr (first + 1, "{\"kind\":\"break\",")); /* b reads it, and c */
  g_assert_true (edit_has_state (f, "\"break\":\"break\""));
  sluice_canvas_set_breaks (f->canvas, NULL, 0);
  edit_wait_for_state (f, "\"line_breaks\":[]");
}

/* ---- at the border of an open scope ---- */

static const char scoped[] = "a Placeholder ?×28\n"
                             "q Placeholder ?×28\n"
                             "in/s Split ?×10 a:0\n"
                             "in/t Relu ?×10 q:0\n"
                             "in/u Relu ?×10 in/s:1\n"
                             "out Relu ?×10 in/u:0\n"
                             "end Relu ?×10 in/u:0\n";

static void
open_scope (EditFixture *f)
{
  edit_settle (f);
  if (edit_has_state (f, "\"name\":\"in/s\""))
    return;
  sluice_canvas_select (f->canvas, "in");
  edit_act (f, "canvas.toggle");
  edit_settle (f);
  edit_wait_for_state (f, "\"name\":\"in/s\"");
}

static void
test_border_keys (EditFixture *f, gconstpointer data)
{
  open_scope (f);
  sluice_canvas_select (f->canvas, "in/s");
  edit_act (f, "canvas.next-line"); /* what leaves, then what comes from the border */
  assert_place (f, "in/s:1");
  edit_act (f, "canvas.next-line");
  assert_place (f, "a:0");
  g_assert_true (edit_is_said (f, "Line from the border of in to s: a:0"));
  sluice_canvas_set_flow (f->canvas, SLUICE_FLOW_DOWN);
  edit_settle (f);
  assert_place (f, "a:0");
  sluice_canvas_select (f->canvas, "in/t"); /* another value */
  edit_act (f, "canvas.next-line");
  assert_place (f, "q:0");
  sluice_canvas_select (f->canvas, "in/u");
  edit_act (f, "canvas.next-line");
  assert_place (f, "in/u:0");
  g_assert_true (edit_is_said (f, "Line from u to the border of in: in/u:0"));
}

/* The piece between the border and the box. */
static void
test_border_pointer (EditFixture *f, gconstpointer data)
{
  open_scope (f);
  SluiceRect frame = edit_box_of (f, "in"), box = edit_box_of (f, "in/t");
  double y = (box.y + box.height + frame.y + frame.height) / 2; /* data flows up */
  for (double x = box.x; x < box.x + box.width; x += 2)
    {
      click (f, (SluicePoint){ x, y });
      if (edit_has_state (f, "\"line\":\"Line from the border"))
        break;
    }
  assert_place (f, "q:0");
  g_assert_true (edit_is_said (f, "Line from the border of in to t: q:0"));
  sluice_canvas_set_place_commands (f->canvas, commands, G_N_ELEMENTS (commands));
  edit_act (f, "canvas.menu");
  g_assert_cmpuint (count_entries (get_menu (f), "test.value", "q:0"), ==, 1);
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
  g_test_add ("/canvas/lines/" name, EditFixture, nodes, edit_set_up, function, edit_tear_down)
  ADD ("pointer", test_pointer);
  ADD ("keys", test_keys);
  ADD ("menu", test_menu);
  ADD ("breaks", test_breaks);
#undef ADD
#define ADD(name, function)                                                                        \
  g_test_add ("/canvas/lines/" name, EditFixture, scoped, edit_set_up, function, edit_tear_down)
  ADD ("border-keys", test_border_keys);
  ADD ("border-pointer", test_border_pointer);
  return g_test_run ();
}
