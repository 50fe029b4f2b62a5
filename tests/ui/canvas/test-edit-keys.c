/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Keys of the canvas' editing side, and commands on what is selected. */

#include <string.h>

#include "tests/ui/canvas/edit-fixture.h"

static void
test_link (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  gtk_widget_grab_focus (GTK_WIDGET (f->canvas));
  sluice_canvas_select (f->canvas, "x");
  edit_act (f, "canvas.link");
  g_assert_true (edit_is_said (f,
                               "Wire at x, output 0, float32 ?×28, nothing reads it. Tab: another "
                               "port, arrows: where it goes"));
  /* Legal ends come first, the last one refuses: Return asks the palette for what helps. */
  g_assert_true (edit_key (f, GDK_KEY_Down, 0));
  g_assert_true (edit_has_state (f, "\"wire\":{\"state\":\"keys\",\"chosen\":0"));
  g_assert_true (edit_key (f, GDK_KEY_Up, 0));
  g_assert_true (edit_is_said (f,
                               "loss, input labels, int64, open: does not fit: labels reads int64 "
                               "(6 of 6)"));
  g_assert_true (edit_key (f, GDK_KEY_Return, 0));
  edit_assert_log (f, "palette reads x:0 near loss:1; ");
  g_assert_true (edit_key (f, GDK_KEY_Escape, 0));
  g_assert_false (edit_has_state (f, "\"wire\""));
  g_assert_false (edit_key (f, GDK_KEY_Escape, 0)); /* which selects nothing, then */

  edit_act (f, "canvas.link");
  edit_key (f, GDK_KEY_Down, 0);
  if (!edit_is_said (f, "fc, input a, float32, open: gives ?×10 (1 of 6)"))
    edit_key (f, GDK_KEY_Tab, 0);
  g_assert_true (edit_is_said (f, "fc, input a, float32, open: gives ?×10 (1 of 6)")
                 || edit_is_said (f, "fc, input a, float32, open: gives ?×10 (2 of 6)"));
  g_assert_true (edit_key (f, GDK_KEY_Return, 0));
  edit_assert_log (f, "connect x:0 fc:0; ");
  g_assert_true (edit_is_said (f, "Graph to change"));
}

/* Tab goes over the ports, Delete takes off a wire, a letter asks for a node at the port. */
static void
test_link_ports (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  gtk_widget_grab_focus (GTK_WIDGET (f->canvas));
  sluice_canvas_select (f->canvas, "fc");
  edit_act (f, "canvas.link");
  g_assert_true (edit_key (f, GDK_KEY_Tab, 0)); /* from the output round to the first input */
  g_assert_true (edit_key (f, GDK_KEY_Tab, 0));
  g_assert_true (edit_is_said (f,
                               "Wire at fc, input b, float32. Tab: another port, arrows: where it "
                               "goes"));
  g_assert_true (edit_key (f, GDK_KEY_Delete, 0));
  edit_assert_log (f, "disconnect fc:1; ");
  edit_act (f, "canvas.link");
  g_assert_true (edit_key (f, GDK_KEY_ISO_Left_Tab, GDK_SHIFT_MASK));
  g_assert_true (edit_key (f, GDK_KEY_Return, 0));
  g_assert_true (edit_key (f, GDK_KEY_r, 0));
  g_assert_true (g_str_has_prefix (f->editor->log->str, "palette gives fc:1 near "));
  g_assert_true (g_str_has_suffix (f->editor->log->str, " “r”; "));
}

static void
test_splice_keys (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  gtk_widget_grab_focus (GTK_WIDGET (f->canvas));
  sluice_canvas_select (f->canvas, "loss");
  edit_act (f, "canvas.splice"); /* its output is open, but what it reads is no wire's */
  edit_key (f, GDK_KEY_Escape, 0);
  g_assert_true (edit_is_said (f, "Graph to change"));
  sluice_canvas_select (f->canvas, "pool");
  edit_act (f, "canvas.splice");
  for (guint i = 0; i < 4 && !edit_is_said (f, "Into the wire from fc to act (1 of 3)")
                    && !edit_is_said (f, "Into the wire from fc to act (2 of 3)")
                    && !edit_is_said (f, "Into the wire from fc to act (3 of 3)");
       i++)
    g_assert_true (edit_key (f, GDK_KEY_Down, 0));
  g_assert_true (edit_key (f, GDK_KEY_Return, 0));
  edit_assert_log (f, "splice pool:0 fc:0 act:0; ");
  g_assert_true (edit_is_said (f, "Graph to change"));
}

static void
test_letters (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  gtk_widget_grab_focus (GTK_WIDGET (f->canvas));
  g_assert_false (edit_key (f, GDK_KEY_c, 0)); /* nothing is selected */
  sluice_canvas_select (f->canvas, "x");
  g_assert_true (edit_key (f, GDK_KEY_c, 0));
  g_assert_true (edit_key (f, GDK_KEY_M, GDK_SHIFT_MASK));
  edit_assert_log (f, "palette “c”; palette “M”; ");
  /* Those that mean something else, and what is no letter. */
  g_assert_false (edit_key (f, GDK_KEY_m, 0));
  g_assert_false (edit_key (f, GDK_KEY_A, GDK_SHIFT_MASK));
  g_assert_false (edit_key (f, GDK_KEY_9, 0));
  g_assert_false (edit_key (f, GDK_KEY_c, GDK_CONTROL_MASK));
  edit_act (f, "canvas.palette");
  edit_assert_log (f, "palette; ");
  /* A line that was chosen is what it goes into. */
  sluice_canvas_select (f->canvas, "act");
  edit_act (f, "canvas.next-line");
  edit_act (f, "canvas.palette");
  edit_assert_log (f, "palette in act:0 loss:0; ");
}

static void
test_commands (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  sluice_canvas_select (f->canvas, "fc");
  edit_act (f, "canvas.group");
  edit_act (f, "canvas.duplicate");
  edit_act (f, "canvas.mute");
  edit_act (f, "canvas.bypass");
  edit_act (f, "canvas.undo");
  edit_act (f, "canvas.redo");
  edit_assert_log (f, "group fc; duplicate fc; mute fc; bypass fc; undo; redo; ");
  edit_act (f, "canvas.detach");
  edit_assert_log (f, "detach fc; ");
  edit_assert_inputs (f, "fc", "- -");
  /* What was selected is gone: what it read, or what read it, is. */
  sluice_canvas_select (f->canvas, "loss");
  edit_act (f, "canvas.delete");
  edit_assert_log (f, "remove loss; ");
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "act");
  sluice_canvas_set_editor (f->canvas, NULL, NULL);
  g_assert_false (gtk_widget_activate_action (GTK_WIDGET (f->canvas), "canvas.delete", NULL)
                  && f->editor->log->len > 0);
}

/* What stands in a selected scope is not named beside it. */
static void
test_names (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  fake_editor_add (f->editor, "head/a Relu ?×10 -");
  fake_editor_add (f->editor, "head/b Relu ?×10 head/a:0");
  fake_editor_show (f->editor);
  edit_settle (f);
  sluice_canvas_select (f->canvas, "head/a");
  edit_act (f, "canvas.group");
  edit_assert_log (f, "group head/a; ");
  sluice_canvas_select (f->canvas, "head");
  edit_act (f, "canvas.close");
  g_assert_true (
      edit_has_state (f, "\"node\":\"head/a\",\"index\":0,\"output\":false,\"open\":true"));
  g_assert_true (
      edit_has_state (f, "\"node\":\"head/b\",\"index\":0,\"output\":true,\"open\":true"));
  edit_drag_all (f, edit_port_at (f, "x", 0, TRUE), edit_port_at (f, "head/a", 0, FALSE));
  edit_assert_log (f, "connect x:0 head/a:0; ");
  g_assert_true (
      edit_has_state (f, "\"node\":\"head/a\",\"index\":0,\"output\":false,\"open\":false"));
  edit_act (f, "canvas.copy");
  edit_act (f, "canvas.ungroup");
  edit_assert_log (f, "copy head; ungroup head; ");
}

static gboolean
pasted (EditFixture *f)
{
  return strstr (f->editor->log->str, "paste ") != NULL;
}

static void
test_clipboard (EditFixture *f, gconstpointer data)
{
  guint guard = g_timeout_add_seconds (30, edit_expired_cb, NULL);
  edit_settle (f);
  sluice_canvas_select (f->canvas, "act");
  edit_act (f, "canvas.cut");
  edit_assert_log (f, "copy act; remove act; ");
  /* Bytes, which other programs fetch in pieces: GTK 4.8 hangs over a long string. */
  GdkContentProvider *content =
      gdk_clipboard_get_content (gtk_widget_get_clipboard (GTK_WIDGET (f->canvas)));
  g_autoptr (GdkContentFormats) formats = gdk_content_provider_ref_formats (content);
  g_assert_false (gdk_content_formats_contain_gtype (formats, G_TYPE_STRING));
  g_assert_true (gdk_content_formats_contain_mime_type (formats, "text/plain;charset=utf-8"));
  edit_assert_inputs (f, "loss", "fc:0 -");
  edit_act (f, "canvas.paste");
  while (!pasted (f))
    g_main_context_iteration (NULL, TRUE);
  edit_assert_log (f, "paste act; ");
  edit_act (f, "canvas.paste-wired");
  while (!pasted (f))
    g_main_context_iteration (NULL, TRUE);
  edit_assert_log (f, "paste act wired; ");
  g_source_remove (guard);
}

static void
test_rename (EditFixture *f, gconstpointer data)
{
  edit_settle (f);
  sluice_canvas_select (f->canvas, "fc");
  edit_act (f, "canvas.rename");
  g_assert_cmpstr (gtk_editable_get_text (edit_rename_entry (f)), ==, "fc");
  /* What is refused stays, with the reason. */
  gtk_editable_set_text (edit_rename_entry (f), "loss");
  g_signal_emit_by_name (edit_rename_entry (f), "activate");
  edit_assert_log (f, "");
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (edit_rename_entry (f)),
                                       GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                       "There is a “loss” already");
  gtk_editable_set_text (edit_rename_entry (f), "logits");
  g_signal_emit_by_name (edit_rename_entry (f), "activate");
  edit_assert_log (f, "rename fc logits; ");
  g_assert_null (edit_rename_entry (f));
  g_assert_cmpstr (sluice_canvas_get_selection (f->canvas), ==, "logits");
  /* A new model, and looking away, give it up. */
  edit_act (f, "canvas.rename");
  fake_editor_show (f->editor);
  edit_settle (f);
  g_assert_null (edit_rename_entry (f));
  edit_act (f, "canvas.rename");
  gtk_widget_grab_focus (GTK_WIDGET (f->canvas));
  edit_settle (f);
  g_assert_null (edit_rename_entry (f));
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
  g_test_add ("/canvas/edit-keys/" name, EditFixture, NULL, edit_set_up, function, edit_tear_down)
  ADD ("link", test_link);
  ADD ("link-ports", test_link_ports);
  ADD ("splice-keys", test_splice_keys);
  ADD ("letters", test_letters);
  ADD ("commands", test_commands);
  ADD ("names", test_names);
  ADD ("clipboard", test_clipboard);
  ADD ("rename", test_rename);
  return g_test_run ();
}
