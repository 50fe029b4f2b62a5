/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Fuzzes journals: any bytes are recovered as far as they are right, and what is written behind
 * them comes back. */
#include <glib/gstdio.h>

#include "engine/command/journal-text.h"
#include "engine/command/journal.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"
#include "tests/fuzz/fuzz-driver.h"
#include "tests/fuzz/fuzz-folder.h"

static char *folder;

static SluiceCommandStack *
recover (SluiceJournal *journal)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceCommandStack *stack = sluice_command_stack_new (graph);
  gboolean ok = sluice_journal_replay (journal, stack, NULL, NULL, &error);
  g_assert_true (ok == (error == NULL));
  return stack;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *path = g_build_filename (folder, "journal", NULL);
  g_autofree char *kept = g_build_filename (folder, "journal.1", NULL);
  g_assert_true (g_file_set_contents (path, (const char *) data, (gssize) size, NULL));
  g_autoptr (SluiceJournal) journal = sluice_journal_open (folder, NULL);
  if (journal == NULL)
    return 0;
  g_autoptr (SluiceCommandStack) stack = recover (journal);
  g_unlink (kept);
  guint n = sluice_journal_get_n_commands (journal);
  g_assert_true (sluice_journal_append (journal, "undo 9", NULL));
  g_clear_pointer (&journal, sluice_journal_unref);
  journal = sluice_journal_open (folder, NULL);
  g_assert_nonnull (journal);
  g_assert_cmpuint (sluice_journal_get_n_commands (journal), ==, n + 1);
  return 0;
}

void
fuzz_init (void)
{
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  folder = fuzz_folder_new ();
}

static GBytes *
make_journal (const char *const *lines, guint n)
{
  guint32 sum;
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, "", 0);
  g_autofree char *header = sluice_journal_text_begin ("/a/b.pbtxt", hash, &sum);
  GString *text = g_string_new (header);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *line = sluice_journal_text_line (lines[i], &sum);
      g_string_append (text, line);
    }
  return g_string_free_to_bytes (text);
}

GPtrArray *
fuzz_seeds (void)
{
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, "a", 1);
  g_autofree char *saved = sluice_journal_text_mark (SLUICE_JOURNAL_SAVED, hash);
  g_autofree char *read = sluice_journal_text_mark (SLUICE_JOURNAL_READ, hash);
  const char *const lines[] = { "add NoOp a", saved,    "add NoOp b", "# not saved",
                                "undo 2",     "redo 1", read,         "rename a c" };
  GPtrArray *seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (guint n = 0; n <= G_N_ELEMENTS (lines); n += 2)
    g_ptr_array_add (seeds, make_journal (lines, n));
  return seeds;
}

void
fuzz_check_met (void)
{
  fuzz_folder_remove (folder);
  g_free (folder);
}
