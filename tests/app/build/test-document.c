/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A graph that begins without a file, and one that is saved under another name: its history goes
 * along, and comes back. What is seen of it stands in test-document-window.py. */
#include <glib/gstdio.h>

#include "app/build/document.h"
#include "engine/base/error.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/rewrite.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"
#include "tests/fuzz/fuzz-folder.h"

typedef struct
{
  char *path, *other;
  SluiceDocument *document;
} Fixture;

static char *top; /* of all tests: the state's folder is read once */

static void
set_up (Fixture *f, gconstpointer data)
{
  f->path = g_build_filename (top, "model.pbtxt", NULL);
  f->other = g_build_filename (top, "other.pb", NULL);
  f->document = sluice_document_new ();
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  sluice_document_open (f->document, graph);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_object_unref (f->document);
  g_unlink (f->path);
  g_unlink (f->other);
  g_free (f->path);
  g_free (f->other);
}

static void
edit (Fixture *f, const char *line)
{
  g_autoptr (GError) error = NULL;
  sluice_document_do (f->document, line, &error);
  g_assert_no_error (error);
}

static void
note_error (SluiceDocument *document, const GError *error, gpointer data)
{
  if (error != NULL)
    *(GError **) data = g_error_copy (error);
}

/* Waits until it is there. */
static gboolean
save (Fixture *f, GError **error)
{
  GError *kept = NULL;
  sluice_document_save_then (f->document, note_error, &kept);
  sluice_document_settle (f->document);
  if (kept != NULL)
    g_propagate_error (error, kept);
  return kept == NULL;
}

static void
save_as (Fixture *f, const char *path)
{
  g_autoptr (GError) error = NULL;
  sluice_document_save_as_then (f->document, path, note_error, &error);
  sluice_document_settle (f->document);
  g_assert_no_error (error);
  g_assert_false (sluice_document_is_changed (f->document));
}

/* As a window does that opens the file later. */
static void
open_again (Fixture *f, const char *path)
{
  g_autoptr (GError) error = NULL;
  sluice_document_close (f->document);
  SluiceOpenedGraph *opened = sluice_opened_graph_read (path, &error);
  g_assert_no_error (error);
  g_assert_no_error (opened->problem);
  sluice_document_take (f->document, opened);
}

static void
assert_history (Fixture *f, guint n_undo, guint n_redo)
{
  SluiceCommandStack *stack = sluice_document_get_stack (f->document);
  g_assert_cmpuint (sluice_command_stack_get_n_undo (stack), ==, n_undo);
  g_assert_cmpuint (sluice_command_stack_get_n_redo (stack), ==, n_redo);
}

static void
test_new (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_assert_false (save (f, &error));
  g_assert_nonnull (error);
  edit (f, "add Placeholder x dtype=DT_FLOAT");
  edit (f, "add Neg y x");
  save_as (f, f->path);
  edit (f, "add Neg z y");
  g_assert_true (sluice_document_go_to (f->document, 2, NULL));
  g_assert_true (sluice_document_go_to (f->document, 1, NULL));
  open_again (f, f->path);
  assert_history (f, 1, 2);
  g_assert_true (sluice_document_is_changed (f->document));
  g_assert_true (sluice_document_go_to (f->document, 3, NULL));
  g_assert_nonnull (sluice_graph_find (sluice_document_get_graph (f->document), "z"));
  g_assert_true (save (f, NULL));
  /* Saved and closed, there is nothing left. */
  open_again (f, f->path);
  assert_history (f, 0, 0);
}

static void
test_save_as (Fixture *f, gconstpointer data)
{
  edit (f, "add Placeholder x dtype=DT_FLOAT");
  save_as (f, f->path);
  edit (f, "add Neg y x");
  save_as (f, f->other);
  edit (f, "add Neg z y");
  open_again (f, f->other);
  assert_history (f, 3, 0);
  /* Nothing of it is left where it was before. */
  open_again (f, f->path);
  assert_history (f, 0, 0);
  g_assert_null (sluice_graph_find (sluice_document_get_graph (f->document), "y"));
  open_again (f, f->other);
  g_assert_true (sluice_document_drop_recovered (f->document, NULL));
  g_assert_true (save (f, NULL));
}

/* ---- a save under way ---- */

typedef struct
{
  guint n;
  GError *error; /* of the last one */
} Outcome;

static void
note_saved (SluiceDocument *document, const GError *error, gpointer data)
{
  Outcome *outcome = data;
  outcome->n++;
  g_clear_error (&outcome->error);
  outcome->error = error != NULL ? g_error_copy (error) : NULL;
}

static gboolean
file_has (const char *path, const char *node)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_load_file (path, &error);
  g_assert_no_error (error);
  return sluice_graph_find (graph, node) != NULL;
}

/* What is edited while the graph is taken and written is not in the file, and not lost. */
static void
test_meanwhile (Fixture *f, gconstpointer data)
{
  Outcome outcome = { 0 };
  for (guint i = 0; i < 600; i++) /* several pieces */
    {
      g_autofree char *line = g_strdup_printf ("add NoOp n%u", i);
      edit (f, line);
    }
  save_as (f, f->other);
  edit (f, "add NoOp saved");
  sluice_document_save_then (f->document, note_saved, &outcome);
  g_main_context_iteration (NULL, FALSE);
  g_assert_true (sluice_document_is_changed (f->document));
  edit (f, "add NoOp later");
  while (outcome.n == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_no_error (outcome.error);
  g_assert_true (file_has (f->other, "saved"));
  g_assert_false (file_has (f->other, "later"));
  g_assert_true (sluice_document_is_changed (f->document));
  g_assert_true (sluice_document_go_to (f->document, 601, NULL));
  g_assert_false (sluice_document_is_changed (f->document));
  g_assert_true (sluice_document_go_to (f->document, 602, NULL));

  /* Closing waits; what was not saved comes back. */
  edit (f, "add NoOp last");
  sluice_document_save_then (f->document, note_saved, &outcome);
  edit (f, "add NoOp unsaved");
  open_again (f, f->other);
  g_assert_cmpuint (outcome.n, ==, 2);
  g_assert_no_error (outcome.error);
  g_assert_true (file_has (f->other, "last"));
  assert_history (f, 604, 0);
  guint n;
  g_assert_true (sluice_command_stack_find_saved (sluice_document_get_stack (f->document), &n));
  g_assert_cmpuint (n, ==, 603);
}

/* A text as well; a comment that is typed meanwhile counts as not saved. */
static void
test_text_meanwhile (Fixture *f, gconstpointer data)
{
  Outcome outcome = { 0 };
  g_autofree char *path = g_strconcat (f->other, ".pbtxt", NULL);
  save_as (f, path);
  g_assert_nonnull (sluice_document_get_text (f->document));
  edit (f, "add NoOp saved");
  sluice_document_save_then (f->document, note_saved, &outcome);
  edit (f, "add NoOp later");
  while (outcome.n == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_no_error (outcome.error);
  g_assert_true (file_has (path, "saved"));
  g_assert_false (file_has (path, "later"));
  g_assert_true (sluice_document_is_changed (f->document));
  sluice_document_save_then (f->document, note_saved, &outcome);
  g_main_context_iteration (NULL, FALSE);
  sluice_document_text_changed (f->document);
  sluice_document_settle (f->document);
  g_assert_cmpuint (outcome.n, ==, 2);
  g_assert_true (file_has (path, "later"));
  g_assert_true (sluice_document_is_changed (f->document));
  g_unlink (path);
}

/* Under another name as well, text or not: what is edited meanwhile goes along, and is not saved.
 */
static void
check_moved_meanwhile (Fixture *f, const char *path)
{
  Outcome outcome = { 0 };
  guint n;
  for (guint i = 0; i < 600; i++)
    {
      g_autofree char *line = g_strdup_printf ("add NoOp n%u", i);
      edit (f, line);
    }
  save_as (f, f->other);
  edit (f, "add NoOp saved");
  sluice_document_save_as_then (f->document, path, note_saved, &outcome);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_main_context_iteration (NULL, FALSE);
  edit (f, "add NoOp later");
  g_assert_cmpuint (outcome.n, ==, 0);
  while (outcome.n == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_no_error (outcome.error);
  g_assert_cmpstr (sluice_document_get_path (f->document), ==, path);
  g_assert_true (file_has (path, "saved"));
  g_assert_false (file_has (path, "later"));
  g_assert_true (sluice_document_is_changed (f->document));
  edit (f, "add NoOp last");

  open_again (f, path);
  assert_history (f, 603, 0);
  g_assert_true (sluice_command_stack_find_saved (sluice_document_get_stack (f->document), &n));
  g_assert_cmpuint (n, ==, 601);
  g_assert_true (sluice_document_drop_recovered (f->document, NULL));
  g_assert_false (sluice_document_is_changed (f->document));
  open_again (f, f->other);
  assert_history (f, 0, 0);
  g_unlink (path);
}

static void
test_moved_meanwhile (Fixture *f, gconstpointer data)
{
  g_autofree char *path = g_build_filename (top, "moved.pb", NULL);
  check_moved_meanwhile (f, path);
}

static void
test_moved_to_text (Fixture *f, gconstpointer data)
{
  g_autofree char *path = g_build_filename (top, "moved.pbtxt", NULL), *text = NULL;
  check_moved_meanwhile (f, path);
  save_as (f, path);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_true (g_str_has_prefix (text, "node {\n  name: \"n0\"\n"));
  g_unlink (path);
}

/* Where it cannot be written, the document stays what and where it was. */
static void
test_not_moved (Fixture *f, gconstpointer data)
{
  Outcome outcome = { 0 };
  g_autofree char *path = g_build_filename (top, "nowhere", "model.pb", NULL);
  edit (f, "add NoOp a");
  save_as (f, f->other);
  edit (f, "add NoOp b");
  sluice_document_save_as_then (f->document, path, note_saved, &outcome);
  sluice_document_settle (f->document);
  g_assert_nonnull (outcome.error);
  g_clear_error (&outcome.error);
  g_assert_cmpstr (sluice_document_get_path (f->document), ==, f->other);
  g_assert_true (sluice_document_is_changed (f->document));
  open_again (f, f->other);
  assert_history (f, 2, 0);
}

/* A copy is what the graph is now; the document stays what it was, with what is not saved of it. A
 * name without an ending is written as the file is, and one that says it is packed is refused. */
static void
test_copied (Fixture *f, gconstpointer data)
{
  Outcome outcome = { 0 };
  g_autofree char *same = g_build_filename (top, "copy", NULL);
  g_autofree char *packed = g_build_filename (top, "copy.pb.gz", NULL), *text = NULL;
  edit (f, "add NoOp a");
  save_as (f, f->path);
  edit (f, "add NoOp b");
  sluice_document_save_copy_then (f->document, f->other, note_saved, &outcome);
  sluice_document_settle (f->document);
  g_assert_no_error (outcome.error);
  g_assert_cmpstr (sluice_document_get_path (f->document), ==, f->path);
  g_assert_true (sluice_document_is_changed (f->document));
  g_assert_false (file_has (f->path, "b"));
  g_autoptr (SluiceGraph) copy = sluice_graph_load_file (f->other, NULL);
  g_assert_cmpuint (sluice_graph_get_n_nodes (copy), ==, 2);

  sluice_document_save_copy_then (f->document, same, note_saved, &outcome);
  sluice_document_settle (f->document);
  g_assert_true (g_file_get_contents (same, &text, NULL, NULL));
  g_assert_true (g_str_has_prefix (text, "node {\n  name: \"a\"\n"));
  sluice_document_save_copy_then (f->document, packed, note_saved, &outcome);
  g_assert_error (outcome.error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_clear_error (&outcome.error);
  g_assert_false (g_file_test (packed, G_FILE_TEST_EXISTS));
  open_again (f, f->path);
  assert_history (f, 2, 0);
  g_unlink (same);
}

/* A file is the same bytes, in pieces or not; what cannot be written is told, and still changed. */
static void
test_outcome (Fixture *f, gconstpointer data)
{
  Outcome outcome = { 0 };
  g_autofree char *folder = g_build_filename (top, "folder", NULL);
  g_autofree char *path = g_build_filename (folder, "model.pb", NULL);
  g_autofree char *bytes = NULL;
  gsize length, wanted_length;
  g_mkdir (folder, 0700);
  edit (f, "add Placeholder x dtype=DT_FLOAT");
  save_as (f, path);
  edit (f, "add Neg y x");
  g_assert_true (save (f, NULL));
  g_autoptr (GBytes) wanted =
      sluice_graph_export (sluice_document_get_graph (f->document), SLUICE_EXPORT_BINARY, NULL);
  const char *data_wanted = g_bytes_get_data (wanted, &wanted_length);
  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  g_assert_cmpmem (bytes, length, data_wanted, wanted_length);
  edit (f, "add Neg z y");
  g_unlink (path);
  g_rmdir (folder);
  sluice_document_save_then (f->document, note_saved, &outcome);
  sluice_document_settle (f->document);
  g_assert_cmpuint (outcome.n, ==, 1);
  g_assert_nonnull (outcome.error);
  g_assert_true (sluice_document_is_changed (f->document));
  g_clear_error (&outcome.error);
  g_mkdir (folder, 0700);
  g_assert_true (save (f, NULL));
  g_assert_true (file_has (path, "z"));
  g_unlink (path);
  g_rmdir (folder);
}

/* ---- a paste under way ---- */

typedef struct
{
  guint n;       /* that were over */
  guint n_turns; /* told of */
  GError *error; /* of the last one */
} Pasted;

static void
note_pasted (const GError *error, gpointer data)
{
  Pasted *pasted = data;
  pasted->n++;
  g_clear_error (&pasted->error);
  pasted->error = error != NULL ? g_error_copy (error) : NULL;
}

static void
note_turn (SluiceDocument *document, Pasted *pasted)
{
  pasted->n_turns++;
}

/* Nodes that take more than a few turns. (transfer full) */
static char *
new_blocks (void)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < 20000; i++)
    g_string_append_printf (text, "node { name: \"all/n%u\" op: \"NoOp\" }\n", i);
  return g_string_free (text, FALSE);
}

static gboolean
is_pasting (Fixture *f)
{
  double progress;
  guint n_nodes;
  return sluice_document_get_paste (f->document, &progress, &n_nodes);
}

/* Between turns others have theirs; it is one command, which comes back after a crash. Whoever
 * does something else has all of it before; cancelled, there was nothing. */
static void
test_paste (Fixture *f, gconstpointer data)
{
  Pasted pasted = { 0 };
  g_autofree char *text = new_blocks ();
  SluiceGraph *graph = sluice_document_get_graph (f->document);
  g_signal_connect (f->document, "pasting", G_CALLBACK (note_turn), &pasted);
  edit (f, "add NoOp before");
  save_as (f, f->path);
  g_autoptr (GBytes) before = sluice_graph_export (graph, SLUICE_EXPORT_BINARY, NULL);
  sluice_document_paste (f->document, text, FALSE, note_pasted, &pasted);
  g_assert_true (is_pasting (f));
  while (!sluice_graph_is_in_transaction (graph))
    g_main_context_iteration (NULL, TRUE);
  sluice_document_cancel_paste (f->document);
  g_assert_cmpuint (pasted.n, ==, 1);
  g_assert_error (pasted.error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED);
  g_autoptr (GBytes) after = sluice_graph_export (graph, SLUICE_EXPORT_BINARY, NULL);
  g_assert_true (g_bytes_equal (before, after));
  g_assert_false (sluice_document_is_changed (f->document));
  assert_history (f, 1, 0);

  pasted.n_turns = 0;
  sluice_document_paste (f->document, text, FALSE, note_pasted, &pasted);
  while (pasted.n == 1)
    g_main_context_iteration (NULL, TRUE);
  g_assert_no_error (pasted.error);
  g_assert_cmpuint (pasted.n_turns, >, 3);
  assert_history (f, 2, 0);

  sluice_document_paste (f->document, text, FALSE, note_pasted, &pasted);
  g_assert_true (sluice_document_is_changed (f->document));
  edit (f, "add NoOp later ^all_1/n19999");
  g_assert_cmpuint (pasted.n, ==, 3);
  sluice_document_paste (f->document, text, FALSE, note_pasted, &pasted);
  open_again (f, f->path);
  g_assert_cmpuint (pasted.n, ==, 4);
  g_assert_no_error (pasted.error);
  assert_history (f, 5, 0);
  graph = sluice_document_get_graph (f->document);
  g_assert_cmpuint (sluice_graph_get_n_nodes (graph), ==, 60002);
  g_assert_true (sluice_document_go_to (f->document, 1, NULL));
  g_autoptr (GBytes) undone = sluice_graph_export (graph, SLUICE_EXPORT_BINARY, NULL);
  g_assert_true (g_bytes_equal (before, undone));
}

int
main (int argc, char **argv)
{
  top = fuzz_folder_new ();
  g_setenv ("XDG_STATE_HOME", top, TRUE);
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
#define ADD(name, function) g_test_add (name, Fixture, NULL, set_up, function, tear_down)
  ADD ("/document/new", test_new);
  ADD ("/document/save-as", test_save_as);
  ADD ("/document/meanwhile", test_meanwhile);
  ADD ("/document/text-meanwhile", test_text_meanwhile);
  ADD ("/document/moved-meanwhile", test_moved_meanwhile);
  ADD ("/document/moved-to-text", test_moved_to_text);
  ADD ("/document/not-moved", test_not_moved);
  ADD ("/document/copied", test_copied);
  ADD ("/document/outcome", test_outcome);
  ADD ("/document/paste", test_paste);
  int status = g_test_run ();
  fuzz_folder_remove (top);
  g_free (top);
  return status;
}
