/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The text beside the picture, in a window: what is chosen shows in it before it comes, and what is
 * typed while the graph changes elsewhere. */
#include "app/build/text-twin.h"

#include <adwaita.h>
#include <string.h>

#include "engine/graph/edit.h"
#include "kernels/registry.h"

typedef struct
{
  GtkWidget *window;
  SluiceTextTwin *twin;
  SluiceDocument *document;
  GtkTextBuffer *buffer;
} Fixture;

static void
run (Fixture *f, const char *line)
{
  g_autoptr (GError) error = NULL;
  sluice_document_do (f->document, line, &error);
  g_assert_no_error (error);
}

/* Until the state says that. */
static void
wait_for (Fixture *f, const char *words)
{
  while (TRUE)
    {
      g_autofree char *state = sluice_text_twin_dump_state (f->twin);
      if (strstr (state, words) != NULL)
        return;
      g_main_context_iteration (NULL, TRUE);
    }
}

static GtkWidget *
find_view (GtkWidget *widget)
{
  if (GTK_IS_TEXT_VIEW (widget))
    return widget;
  GtkWidget *found = NULL;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_view (child);
  return found;
}

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  f->document = sluice_document_new ();
  sluice_document_open (f->document, graph);
  run (f, "add Placeholder x dtype=DT_FLOAT shape=[?,2]");
  run (f, "add Neg y x");
  f->twin = g_object_new (SLUICE_TYPE_TEXT_TWIN, NULL);
  f->window = gtk_window_new ();
  gtk_window_set_child (GTK_WINDOW (f->window), GTK_WIDGET (f->twin));
  sluice_text_twin_set_document (f->twin, f->document);
  gtk_window_present (GTK_WINDOW (f->window));
  f->buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (find_view (GTK_WIDGET (f->twin))));
  wait_for (f, "\"state\":\"valid\"");
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  gtk_window_destroy (GTK_WINDOW (f->window));
  g_object_unref (f->document);
}

static char *
dup_text (Fixture *f)
{
  GtkTextIter begin, end;
  gtk_text_buffer_get_bounds (f->buffer, &begin, &end);
  return gtk_text_buffer_get_text (f->buffer, &begin, &end, TRUE);
}

/* The same as the document's, which is asked last: it may have something to do. */
static void
assert_in_step (Fixture *f)
{
  g_autofree char *wanted = sluice_graph_text_dup_text (sluice_document_get_text (f->document));
  g_autofree char *text = dup_text (f);
  g_assert_cmpstr (text, ==, wanted);
}

static void
test_preview (Fixture *f, gconstpointer data)
{
  g_autofree char *before = dup_text (f);
  sluice_text_twin_select (f->twin, "x");
  sluice_text_twin_preview (f->twin, "node {\n  name: \"r\"\n  op: \"Relu\"\n  input: \"x\"\n}\n",
                            NULL, "with Relu inserted");
  g_autofree char *state = sluice_text_twin_dump_state (f->twin);
  g_assert_nonnull (strstr (state, "\"block\":[1,8],"));
  g_assert_nonnull (strstr (state, "\"preview\":[9,13]"));
  g_assert_nonnull (strstr (state, "with Relu inserted"));
  sluice_text_twin_preview (f->twin, NULL, NULL, NULL);
  g_autofree char *after = dup_text (f);
  g_assert_cmpstr (after, ==, before);

  /* So does what reads it, before the block and behind it. */
  SluicePreviewInput reader = { "y", 0, "r" };
  sluice_text_twin_preview (f->twin, "node {\n  name: \"r\"\n}\n", &reader, NULL);
  g_autofree char *both = sluice_text_twin_dump_state (f->twin);
  g_assert_nonnull (strstr (both, "\"preview\":[9,11],\"preview-input\":[15,15]"));
  g_autofree char *shown = dup_text (f);
  g_assert_nonnull (strstr (shown, "  input: \"r\"\n  input: \"x\"\n"));
  sluice_text_twin_select (f->twin, "y");
  sluice_text_twin_preview (f->twin, "node {\n  name: \"r\"\n}\n", &reader, NULL);
  g_autofree char *behind = sluice_text_twin_dump_state (f->twin);
  g_assert_nonnull (strstr (behind, "\"preview-input\":[12,12]"));
  sluice_text_twin_preview (f->twin, NULL, NULL, NULL);
  g_autofree char *as_before = dup_text (f);
  g_assert_cmpstr (as_before, ==, before);
  sluice_text_twin_select (f->twin, "x");

  sluice_text_twin_preview (f->twin, "node {\n  name: \"r\"\n}\n", NULL, NULL);
  run (f, "add Relu r x");
  assert_in_step (f);
}

/* The graph changes before and behind what is being typed, and then that is read. */
static void
test_both (Fixture *f, gconstpointer data)
{
  GtkTextIter at;
  run (f, "add Neg z y");
  assert_in_step (f);
  g_autofree char *text = dup_text (f);
  const char *op = strstr (strstr (text, "name: \"y\""), "Neg");
  gtk_text_buffer_get_iter_at_offset (f->buffer, &at, (int) (op - text));
  gtk_text_buffer_insert (f->buffer, &at, "Q", 1);
  wait_for (f, "did you mean");
  run (f, "set x shape=[?,3]");
  run (f, "set x _note=3");
  run (f, "rename z end");
  sluice_graph_text_dup_text (sluice_document_get_text (f->document));
  g_autofree char *now = dup_text (f);
  g_assert_nonnull (strstr (now, "QNeg"));
  g_assert_nonnull (strstr (now, "_note"));
  g_assert_nonnull (strstr (now, "name: \"end\""));
  gtk_text_buffer_get_iter_at_offset (f->buffer, &at, (int) (strstr (now, "QNeg") - now));
  GtkTextIter behind = at;
  gtk_text_iter_forward_char (&behind);
  gtk_text_buffer_delete (f->buffer, &at, &behind);
  wait_for (f, "\"state\":\"valid\"");
  assert_in_step (f);
}

/* n characters from the text are typed over. */
static void
type_over (Fixture *f, const char *where, guint n, const char *words)
{
  GtkTextIter at, behind;
  g_autofree char *text = dup_text (f);
  const char *found = strstr (text, where);
  g_assert_nonnull (found);
  gtk_text_buffer_get_iter_at_offset (f->buffer, &at, (int) (found - text));
  behind = at;
  gtk_text_iter_forward_chars (&behind, (int) n);
  gtk_text_buffer_delete (f->buffer, &at, &behind);
  gtk_text_buffer_insert (f->buffer, &at, words, -1);
}

static char *
arrange_cb (const char *const *from, const char *const *to, gpointer data)
{
  g_assert_null (from[1]);
  g_assert_null (to[1]);
  return g_strdup_printf ("layout moved \"-moved %s 20 0\" \"+moved %s 20 0\"", from[0], to[0]);
}

static void
arranged_cb (SluiceDocument *document, const GPtrArray *lines, GString *told)
{
  for (guint i = 0; i < lines->len; i++)
    g_string_append_printf (told, "%s;", (const char *) lines->pdata[i]);
}

/* A name that is typed is a rename, as on the canvas: what is arranged goes along, one step takes
 * all of it back, and what is wrong with a name is said where it stands. */
static void
test_rename (Fixture *f, gconstpointer data)
{
  g_autoptr (GString) told = g_string_new (NULL);
  SluiceCommandStack *stack = sluice_document_get_stack (f->document);
  g_signal_connect (f->document, "arranged", G_CALLBACK (arranged_cb), told);
  sluice_text_twin_set_renamed (f->twin, arrange_cb, NULL);
  guint n = sluice_command_stack_get_n_undo (stack);
  type_over (f, "\"x\"", 3, "\"no name\"");
  wait_for (f, "line 2, column 3: Placeholder 'x': 'no name' is no name");
  type_over (f, "\"no name\"", 9, "\"in\"");
  wait_for (f, "\"state\":\"valid\"");
  assert_in_step (f);
  g_assert_cmpuint (sluice_command_stack_get_n_undo (stack), ==, n + 1);
  g_autofree char *words = sluice_command_stack_dup_undo_words (stack);
  g_assert_cmpstr (words, ==, "rename x to in");
  g_assert_cmpstr (told->str, ==, "-moved x 20 0;+moved in 20 0;");
  SluiceGraph *graph = sluice_document_get_graph (f->document);
  g_assert_cmpstr (sluice_graph_find (graph, "y")->inputs[0].node->name, ==, "in");
  g_string_truncate (told, 0);
  g_assert_true (sluice_document_go_to (f->document, n, NULL));
  g_assert_nonnull (sluice_graph_find (graph, "x"));
  g_assert_cmpstr (told->str, ==, "-moved in 20 0;+moved x 20 0;");
  wait_for (f, "\"state\":\"valid\"");
  assert_in_step (f);
}

/* Another graph is opened while something is typed. */
static void
test_opened (Fixture *f, gconstpointer data)
{
  GtkTextIter at;
  gtk_text_buffer_get_start_iter (f->buffer, &at);
  gtk_text_buffer_insert (f->buffer, &at, "node {", -1);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  sluice_document_open (f->document, graph);
  wait_for (f, "\"state\":\"valid\"");
  run (f, "add NoOp alone");
  assert_in_step (f);
}

/* ---- a long text, of which a part is shown ---- */

static void
open_long (Fixture *f)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  for (guint i = 0; i < 3000; i++)
    {
      g_autofree char *name = g_strdup_printf ("n%u", i);
      sluice_graph_add (graph, &(SluiceNodeSpec){ .name = name, .op = "NoOp" }, NULL);
    }
  sluice_document_open (f->document, graph);
  wait_for (f, "\"state\":\"valid\"");
}

/* The buffer's text is a part of the document's, whole blocks; what is told is told of all. */
static void
assert_part (Fixture *f)
{
  SluiceGraphText *map = sluice_document_get_text (f->document);
  g_autofree char *whole = sluice_graph_text_dup_text (map), *text = dup_text (f);
  const char *at = strstr (whole, text);
  g_assert_nonnull (at);
  g_assert_true (at == whole || g_str_has_prefix (at, "node {"));
  const char *behind = at + strlen (text);
  g_assert_true (*behind == '\0' || g_str_has_prefix (behind, "node {"));
  g_autofree char *lines = g_strdup_printf ("\"lines\":%u,", sluice_graph_text_get_n_lines (map));
  g_autofree char *state = sluice_text_twin_dump_state (f->twin);
  g_assert_nonnull (strstr (state, lines));
}

static void
test_long (Fixture *f, gconstpointer data)
{
  open_long (f);
  g_assert_cmpint (gtk_text_buffer_get_line_count (f->buffer), <, 9000);
  assert_part (f);
  sluice_text_twin_select (f->twin, "n2990");
  assert_part (f);
  g_autofree char *state = sluice_text_twin_dump_state (f->twin);
  g_assert_nonnull (strstr (state, "\"block\":[11961,11964]"));

  /* Before it, in it, across its edge and behind it the graph changes. */
  run (f, "rename n5 five_of_them");
  run (f, "rename n2980 other");
  run (f, "control n1 n6");
  assert_part (f);
  g_autofree char *text = dup_text (f);
  char first[32];
  g_assert_cmpint (sscanf (strstr (text, "\"n"), "\"%31[^\"]", first), ==, 1);
  g_autofree char *remove = g_strdup_printf ("delete %s", first);
  run (f, remove);
  run (f, "add NoOp new_one");
  assert_part (f);
  type_over (f, "\"n2990\"", 7, "\"n_2990\"");
  wait_for (f, "\"state\":\"valid\"");
  g_assert_nonnull (sluice_graph_find (sluice_document_get_graph (f->document), "n_2990"));
  assert_part (f);
}

/* Where the part ends, what is typed may join a block that is hidden. */
static void
test_edge (Fixture *f, gconstpointer data)
{
  GtkTextIter end;
  open_long (f);
  g_autofree char *whole = sluice_graph_text_dup_text (sluice_document_get_text (f->document));
  gtk_text_buffer_get_end_iter (f->buffer, &end);
  gtk_text_buffer_insert (f->buffer, &end, "# a comment\n", -1);
  wait_for (f, "\"state\":\"valid\"");
  assert_part (f);
  g_autofree char *now = sluice_graph_text_dup_text (sluice_document_get_text (f->document));
  g_assert_cmpint (strlen (now), ==, strlen (whole) + strlen ("# a comment\n"));
  g_assert_cmpuint (sluice_graph_get_n_nodes (sluice_document_get_graph (f->document)), ==, 3000);
}

/* More comes before its end is seen. */
static void
test_scrolled (Fixture *f, gconstpointer data)
{
  open_long (f);
  sluice_text_twin_select (f->twin, "n1500");
  GtkWidget *view = find_view (GTK_WIDGET (f->twin));
  GtkAdjustment *at = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (view));
  for (guint end = 0; end < 2; end++)
    for (int n = gtk_text_buffer_get_line_count (f->buffer);
         gtk_text_buffer_get_line_count (f->buffer) == n;)
      {
        double page = gtk_adjustment_get_page_size (at), upper = gtk_adjustment_get_upper (at);
        gtk_adjustment_set_value (at, end == 0 ? upper - page : 0);
        g_main_context_iteration (NULL, TRUE);
        gtk_adjustment_set_value (at, end == 0 ? upper - page - 1 : 1);
        g_main_context_iteration (NULL, TRUE);
      }
  assert_part (f);
}

/* Who looks for something has all of it before, and a part again afterwards. */
static void
test_find (Fixture *f, gconstpointer data)
{
  open_long (f);
  gtk_widget_activate_action (GTK_WIDGET (f->twin), "twin.find", NULL);
  wait_for (f, "\"state\":\"valid\"");
  assert_part (f);
  g_assert_cmpint (gtk_text_buffer_get_line_count (f->buffer), >, 12000);
  gtk_widget_activate_action (GTK_WIDGET (f->twin), "twin.end-find", NULL);
  g_assert_cmpint (gtk_text_buffer_get_line_count (f->buffer), <, 2000);
  assert_part (f);
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv, NULL);
  adw_init ();
  sluice_registry_init (sluice_kernel_modules ());
#define ADD(name, func) g_test_add ("/text-twin/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("preview", test_preview);
  ADD ("both", test_both);
  ADD ("rename", test_rename);
  ADD ("opened", test_opened);
  ADD ("long", test_long);
  ADD ("edge", test_edge);
  ADD ("scrolled", test_scrolled);
  ADD ("find", test_find);
  return g_test_run ();
}
