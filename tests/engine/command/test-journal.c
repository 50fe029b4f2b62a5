/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A journal on disk: what comes back of it, and what becomes of one that is torn, damaged, held by
 * somebody else or has no room. What kill -9 leaves is tested by test-journal-kills.py. */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/command/journal.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"
#include "tests/fuzz/fuzz-folder.h"

static const char base_text[] =
    "node { name: \"x\" op: \"Placeholder\" attr { key: \"dtype\" value "
    "{ type: DT_FLOAT } } }\n";

typedef struct
{
  char *top, *folder, *name; /* name: of the journal in the folder */
  GBytes *base;
  SluiceJournal *journal; /* (nullable) */
  SluiceCommandStack *stack;
} Fixture;

/* A SluiceCommandKeep. */
static gboolean
keep (const char *line, gpointer journal, GError **error)
{
  return sluice_journal_append (journal, line, error);
}

static SluiceCommandStack *
new_stack (GBytes *bytes)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  g_assert_true (sluice_graph_import (graph, bytes, NULL));
  return sluice_command_stack_new (graph);
}

static void
begin (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  f->stack = new_stack (f->base);
  f->journal = sluice_journal_create (f->folder, "/a \"b\"/model.pbtxt", f->base, NULL, -1, &error);
  g_assert_no_error (error);
  sluice_command_stack_set_keep (f->stack, keep, f->journal);
}

static void
end (Fixture *f)
{
  g_clear_pointer (&f->stack, sluice_command_stack_free);
  g_clear_pointer (&f->journal, sluice_journal_unref);
}

static void
set_up (Fixture *f, gconstpointer data)
{
  f->top = fuzz_folder_new ();
  f->folder = g_build_filename (f->top, "a", "draft", NULL);
  f->name = g_build_filename (f->folder, "journal", NULL);
  f->base = g_bytes_new_static (base_text, sizeof base_text - 1);
  begin (f);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  end (f);
  g_bytes_unref (f->base);
  fuzz_folder_remove (f->top);
  g_free (f->top);
  g_free (f->folder);
  g_free (f->name);
}

static void
run (Fixture *f, const char *script)
{
  g_autoptr (GError) error = NULL;
  sluice_command_stack_run (f->stack, script, FALSE, NULL, NULL, &error);
  g_assert_no_error (error);
}

static GBytes *
dup_graph (const Fixture *f)
{
  return sluice_graph_export (sluice_command_stack_get_graph (f->stack), SLUICE_EXPORT_BINARY,
                              NULL);
}

/* What a new program finds. (nullable): the error says why */
static gboolean
recover (Fixture *f, const char *file, SluiceJournalOutcome *outcome, GError **error)
{
  end (f);
  f->journal = sluice_journal_open (f->folder, error);
  if (f->journal == NULL)
    return FALSE;
  g_autoptr (GBytes) base = sluice_journal_dup_base (f->journal, NULL, error);
  if (base == NULL)
    return FALSE;
  f->stack = new_stack (base);
  sluice_command_stack_take_file (f->stack, base);
  gboolean ok = sluice_journal_replay (f->journal, f->stack, file, outcome, error);
  sluice_command_stack_set_keep (f->stack, keep, f->journal);
  return ok;
}

static void
assert_recovers (Fixture *f, GBytes *graph)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (recover (f, NULL, NULL, &error));
  g_assert_no_error (error);
  g_autoptr (GBytes) now = dup_graph (f);
  g_assert_true (g_bytes_equal (now, graph));
}

static const char script[] = "add Neg n x\nadd Tanh t n\nset t _note=\"a # b\"  # said\n"
                             "rename n s/n\nundo 2\nredo\nadd Abs a t\nundo\n";

static void
test_recover (Fixture *f, gconstpointer data)
{
  run (f, script);
  g_autoptr (GBytes) graph = dup_graph (f);
  guint n_undo = sluice_command_stack_get_n_undo (f->stack);
  guint n_redo = sluice_command_stack_get_n_redo (f->stack);
  assert_recovers (f, graph);
  g_assert_cmpuint (sluice_journal_get_n_commands (f->journal), ==, 8);
  g_assert_cmpstr (sluice_journal_get_path (f->journal), ==, "/a \"b\"/model.pbtxt");
  g_assert_cmpuint (sluice_command_stack_get_n_undo (f->stack), ==, n_undo);
  g_assert_cmpuint (sluice_command_stack_get_n_redo (f->stack), ==, n_redo);
  /* It goes on where it was. */
  run (f, "redo\nadd Neg more a\n");
  g_autoptr (GBytes) more = dup_graph (f);
  assert_recovers (f, more);
  g_autoptr (GError) error = NULL;
  g_assert_true (sluice_journal_sync (f->journal, &error));
  /* What was refused is not in it. */
  g_assert_false (sluice_command_stack_do (f->stack, "add Neg more a", NULL, NULL));
  g_assert_false (sluice_command_stack_do (f->stack, "set a _n=\"two\nlines\"", NULL, NULL));
  assert_recovers (f, more);
}

/* The copy was written before the first command: as if it were written then, also over one that a
 * program left that was killed, and nothing is left of it where no journal begins. */
static void
test_prepared (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *copy = g_build_filename (f->folder, "base", NULL);
  sluice_journal_remove (f->journal);
  end (f);
  int prepared = sluice_journal_prepare (f->folder, f->base); /* -1: not on this disk */
  g_assert_false (g_file_test (f->folder, G_FILE_TEST_EXISTS));
  g_assert_cmpint (g_mkdir_with_parents (f->folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (copy, "left behind", -1, NULL));
  f->stack = new_stack (f->base);
  f->journal = sluice_journal_create (f->folder, "m.pbtxt", f->base, NULL, prepared, &error);
  g_assert_no_error (error);
  struct stat made, named;
  g_assert_cmpint (stat (copy, &named), ==, 0);
  if (prepared >= 0)
    {
      g_assert_cmpint (fstat (prepared, &made), ==, 0);
      g_assert_cmpuint (made.st_ino, ==, named.st_ino);
      close (prepared);
    }
  sluice_command_stack_set_keep (f->stack, keep, f->journal);
  run (f, script);
  g_autoptr (GBytes) graph = dup_graph (f);
  end (f);
  assert_recovers (f, graph);
}

/* Never overwritten; gone when it is removed. */
static void
test_exists (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  run (f, script);
  g_autoptr (GBytes) graph = dup_graph (f);
  g_assert_null (sluice_journal_create (f->folder, "model.pbtxt", f->base, NULL, -1, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_UNAVAILABLE); /* held */
  g_autofree char *pid = g_strdup_printf ("process %d", (int) getpid ());
  g_assert_nonnull (strstr (error->message, pid));
  g_clear_error (&error);
  g_assert_null (sluice_journal_open (f->folder, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_UNAVAILABLE);
  g_clear_error (&error);
  end (f);
  g_assert_null (sluice_journal_create (f->folder, "model.pbtxt", f->base, NULL, -1, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_ALREADY_EXISTS);
  g_clear_error (&error);
  assert_recovers (f, graph);
  end (f);
  g_autofree char *kept = sluice_journal_set_aside (f->folder, &error);
  g_assert_no_error (error);
  g_assert_true (g_str_has_suffix (kept, "/journal.1"));
  g_assert_null (sluice_journal_open (f->folder, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  begin (f);
  sluice_journal_remove (f->journal);
  end (f);
  g_assert_true (g_file_test (kept, G_FILE_TEST_EXISTS));
  g_unlink (kept);
  begin (f);
  sluice_journal_remove (f->journal);
}

static void
write_file (const char *path, const char *data, gsize length)
{
  g_assert_true (g_file_set_contents (path, data, (gssize) length, NULL));
}

/* Half a line at the end was never acknowledged. */
static void
test_torn (Fixture *f, gconstpointer data)
{
  g_autofree char *text = NULL;
  gsize length;
  run (f, "add Neg n x\n");
  g_autoptr (GBytes) graph = dup_graph (f);
  g_assert_true (g_file_get_contents (f->name, &text, &length, NULL));
  gsize whole = length;
  g_free (text);
  run (f, "add Tanh t n\n");
  g_assert_true (g_file_get_contents (f->name, &text, &length, NULL));
  for (gsize n = whole; n < length; n++)
    {
      end (f);
      write_file (f->name, text, n);
      assert_recovers (f, graph);
      run (f, "add Abs b n\n");
      g_autoptr (GBytes) more = dup_graph (f);
      assert_recovers (f, more);
    }
}

/* Any bit that changes, any line that goes: what stands before comes back, all of it is kept, and
 * it is said where. */
static void
test_damaged (Fixture *f, gconstpointer data)
{
  g_autofree char *text = NULL;
  gsize length;
  run (f, script);
  g_assert_true (g_file_get_contents (f->name, &text, &length, NULL));
  gsize header = (gsize) (strstr (text, "add Neg") - text);
  for (gsize i = 0; i + 1 < length; i += 3)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *bad = g_memdup2 (text, length + 1);
      bad[i] ^= 4;
      end (f);
      write_file (f->name, bad, length);
      gboolean ok = recover (f, NULL, NULL, &error);
      guint line = 1;
      for (gsize k = 0; k < i; k++)
        line += text[k] == '\n';
      /* Where an end of a line is gone, two are one. */
      g_assert_false (ok);
      g_autofree char *said = g_strdup_printf ("line %u", line);
      g_assert_nonnull (strstr (error->message, said));
      if (i < header)
        {
          g_assert_null (f->journal);
          continue;
        }
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS);
      g_autofree char *kept = g_build_filename (f->folder, "journal.1", NULL);
      g_autofree char *was = NULL;
      g_assert_nonnull (strstr (error->message, kept));
      g_assert_true (g_file_get_contents (kept, &was, NULL, NULL));
      g_assert_cmpmem (was, length, bad, length);
      g_unlink (kept);
      run (f, "add Abs other x\n");
      g_autoptr (GBytes) graph = dup_graph (f);
      assert_recovers (f, graph);
    }
}

static void
test_wrong_base (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *copy = g_build_filename (f->folder, "base", NULL);
  run (f, script);
  end (f);
  write_file (copy, "node { name: \"y\" op: \"NoOp\" }", 30);
  g_assert_false (recover (f, NULL, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS);
  g_assert_nonnull (strstr (error->message, copy));
  /* The file itself is as good, where it is what it was. */
  g_autoptr (GBytes) base = sluice_journal_dup_base (f->journal, f->base, NULL);
  g_assert_true (base == f->base);
  f->stack = new_stack (f->base);
}

/* A line that does not fit is not there, nothing has changed, and when there is room all goes on.
 */
static void
test_full (Fixture *f, gconstpointer data)
{
  struct rlimit before, none;
  g_autoptr (GError) error = NULL;
  run (f, script);
  g_autoptr (GBytes) graph = dup_graph (f);
  GStatBuf info;
  g_assert_cmpint (g_stat (f->name, &info), ==, 0);
  getrlimit (RLIMIT_FSIZE, &before);
  none = before;
  none.rlim_cur = (rlim_t) info.st_size + 5;
  static const char *const lines[] = { "add Tanh full n", "redo", "undo" };
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &none), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      gboolean ok = sluice_command_stack_do (f->stack, lines[i], NULL, &error);
      g_autoptr (GBytes) now = dup_graph (f);
      g_assert_false (ok);
      g_assert_nonnull (strstr (error->message, "the journal in"));
      g_clear_error (&error);
      g_assert_true (g_bytes_equal (now, graph));
    }
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
  assert_recovers (f, graph);
  run (f, "redo\nadd Neg roomy t\n");
  g_autoptr (GBytes) more = dup_graph (f);
  assert_recovers (f, more);
}

static void
test_no_folder (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *file = g_build_filename (f->top, "file", NULL);
  g_autofree char *below = g_build_filename (file, "draft", NULL);
  write_file (file, "", 0);
  g_assert_null (sluice_journal_create (below, "model.pbtxt", f->base, NULL, -1, &error));
  g_assert_nonnull (strstr (error->message, below));
}

/* What the file holds is known by what was saved and read, and what of it was not yet done. */
static void
test_saved (Fixture *f, gconstpointer data)
{
  SluiceJournalOutcome outcome;
  g_autofree char *base = sluice_journal_hash (f->base);
  g_assert_true (recover (f, base, &outcome, NULL));
  g_assert_true (!outcome.is_changed && outcome.n_unsaved == 0);
  g_assert_true (sluice_command_stack_is_saved (f->stack));
  run (f, "add Neg n x\nadd Neg m x\n");
  g_assert_false (sluice_command_stack_is_saved (f->stack));
  g_autoptr (GBytes) first = dup_graph (f);
  g_autofree char *first_hash = sluice_journal_hash (first);
  g_assert_true (sluice_journal_begin_save (f->journal, first, NULL));
  sluice_journal_end_save (f->journal, TRUE);
  run (f, "add Neg k x\n");
  g_assert_true (recover (f, first_hash, &outcome, NULL));
  g_assert_true (!outcome.is_changed && outcome.n_unsaved == 1);
  run (f, "undo");
  g_assert_true (sluice_command_stack_is_saved (f->stack));
  g_autoptr (GBytes) known = sluice_journal_dup_known (f->journal, NULL);
  g_assert_true (g_bytes_equal (known, first));
  /* A save that did not come about, told or not. */
  run (f, "redo");
  g_autoptr (GBytes) second = dup_graph (f);
  g_autofree char *second_hash = sluice_journal_hash (second);
  g_assert_true (sluice_journal_begin_save (f->journal, second, NULL));
  g_assert_true (recover (f, first_hash, &outcome, NULL));
  g_assert_true (!outcome.is_changed && outcome.n_unsaved == 3);
  g_assert_cmpstr (sluice_journal_get_known (f->journal), ==, first_hash);
  g_assert_true (sluice_journal_begin_save (f->journal, second, NULL));
  sluice_journal_end_save (f->journal, FALSE);
  g_assert_true (recover (f, second_hash, &outcome, NULL));
  g_assert_true (outcome.is_changed);
  /* What another program wrote. */
  g_autoptr (GBytes) other = g_bytes_new_static ("node { name: \"x\" op: \"NoOp\" }", 29);
  g_autofree char *other_hash = sluice_journal_hash (other);
  g_assert_true (sluice_journal_note_read (f->journal, other, NULL));
  g_assert_true (recover (f, other_hash, &outcome, NULL));
  g_assert_true (!outcome.is_changed && outcome.n_unsaved == 0);
  g_assert_false (sluice_command_stack_is_saved (f->stack));
  sluice_journal_remove (f->journal);
  g_assert_false (g_file_test (f->folder, G_FILE_TEST_EXISTS));
}

/* A merge is a line as others are, with copies that stay. */
static void
test_merge (Fixture *f, gconstpointer data)
{
  g_autofree char *known = sluice_journal_keep (f->journal, f->base, NULL);
  g_autofree char *text = g_strconcat (base_text, "node { name: \"theirs\" op: \"NoOp\" }", NULL);
  g_autoptr (GBytes) theirs = g_bytes_new (text, strlen (text));
  g_autoptr (GBytes) before = dup_graph (f);
  run (f, "add Neg ours x\n");
  g_autofree char *copy = sluice_journal_keep (f->journal, theirs, NULL);
  g_autofree char *line = g_strdup_printf ("merge \"%s\" \"%s\"", known, copy);
  run (f, line);
  g_assert_nonnull (sluice_graph_find (sluice_command_stack_get_graph (f->stack), "theirs"));
  g_autoptr (GBytes) merged = dup_graph (f);
  assert_recovers (f, merged);
  run (f, "undo 2");
  g_autoptr (GBytes) undone = dup_graph (f);
  g_assert_true (g_bytes_equal (undone, before));
  run (f, "redo 2");
  assert_recovers (f, merged);
}

/* Comments of the file come back as they were saved last. */
static void
test_comments (Fixture *f, gconstpointer data)
{
  g_autoptr (GBytes) base = g_steal_pointer (&f->base);
  sluice_journal_remove (f->journal);
  end (f);
  g_autofree char *said = g_strconcat ("# one\n", base_text, NULL);
  f->base = g_bytes_new (said, strlen (said));
  begin (f);
  sluice_command_stack_take_file (f->stack, f->base);
  run (f, "rename x y\n");
  g_autoptr (GBytes) text = sluice_command_stack_export (f->stack, TRUE, NULL);
  GString *other =
      g_string_new_len (g_bytes_get_data (text, NULL), (gssize) g_bytes_get_size (text));
  g_assert_true (g_str_has_prefix (other->str, "# one\n"));
  g_string_replace (other, "# one", "# two", 1);
  g_autoptr (GBytes) saved = g_string_free_to_bytes (other);
  g_autofree char *hash = sluice_journal_hash (saved);
  g_assert_true (sluice_journal_begin_save (f->journal, saved, NULL));
  sluice_journal_end_save (f->journal, TRUE);
  run (f, "add Neg n y\nrename y z\n");
  g_assert_true (recover (f, hash, NULL, NULL));
  g_autoptr (GBytes) now = sluice_command_stack_export (f->stack, TRUE, NULL);
  g_assert_nonnull (g_strstr_len (g_bytes_get_data (now, NULL), (gssize) g_bytes_get_size (now),
                                  "# two\nnode { name: \"z\""));
}

static void
test_folder (void)
{
  g_autofree char *a = sluice_journal_dup_folder ("/tmp/../tmp/a"),
                  *b = sluice_journal_dup_folder ("/tmp/a"),
                  *c = sluice_journal_dup_folder ("/tmp/b");
  g_assert_cmpstr (a, ==, b);
  g_assert_cmpstr (a, !=, c);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  signal (SIGXFSZ, SIG_IGN);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
#define ADD(name, function) g_test_add (name, Fixture, NULL, set_up, function, tear_down)
  ADD ("/command/journal/recover", test_recover);
  ADD ("/command/journal/exists", test_exists);
  ADD ("/command/journal/torn", test_torn);
  ADD ("/command/journal/damaged", test_damaged);
  ADD ("/command/journal/wrong-base", test_wrong_base);
  ADD ("/command/journal/full", test_full);
  ADD ("/command/journal/no-folder", test_no_folder);
  ADD ("/command/journal/saved", test_saved);
  ADD ("/command/journal/merge", test_merge);
  ADD ("/command/journal/comments", test_comments);
  ADD ("/command/journal/prepared", test_prepared);
  g_test_add_func ("/command/journal/folder", test_folder);
  return g_test_run ();
}
