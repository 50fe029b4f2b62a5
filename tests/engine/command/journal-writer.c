/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Edits with a journal, to be killed: journal-writer FOLDER BASE SCRIPT prints how many commands
 * were recovered, reads from which line of the script on it is to go on, which follows from that,
 * and does them behind what the journal has. It prints of each line whether it was done, and before
 * it ends where the graph can be undone to: with OUT behind the others it writes the graph there,
 * takes all back and does it again. */
#include <stdio.h>
#include <stdlib.h>

#include "engine/command/journal.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"

static void
check (gboolean ok, GError *error, const char *what)
{
  if (ok)
    return;
  printf ("failed: %s: %s\n", what, error != NULL ? error->message : "");
  exit (1);
}

/* A SluiceCommandKeep. */
static gboolean
keep (const char *line, gpointer journal, GError **error)
{
  return sluice_journal_append (journal, line, error);
}

static GBytes *
dup_bytes (SluiceGraph *graph)
{
  return sluice_graph_export (graph, SLUICE_EXPORT_BINARY, NULL);
}

/* Back to the base and again to here, by what can be undone and redone. */
static void
check_history (SluiceCommandStack *stack, GBytes *base)
{
  SluiceGraph *graph = sluice_command_stack_get_graph (stack);
  guint n = sluice_command_stack_get_n_undo (stack);
  GError *error = NULL;
  g_autoptr (SluiceGraph) first = sluice_graph_new ();
  check (sluice_graph_import (first, base, &error), error, "import");
  g_autoptr (GBytes) wanted = dup_bytes (first), now = dup_bytes (graph);
  check (sluice_command_stack_undo (stack, n, &error), error, "undo");
  g_autoptr (GBytes) undone = dup_bytes (graph);
  check (g_bytes_equal (undone, wanted), NULL, "what was undone is not the base");
  check (sluice_command_stack_redo (stack, n, &error), error, "redo");
  g_autoptr (GBytes) redone = dup_bytes (graph);
  check (g_bytes_equal (redone, now), NULL, "what was done again is not what was done");
  printf ("history %u\n", n);
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  g_autofree char *base_text = NULL, *script = NULL;
  gsize length = 0;
  setvbuf (stdout, NULL, _IOLBF, 0);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  check (argc >= 4 && g_file_get_contents (argv[2], &base_text, &length, &error)
             && g_file_get_contents (argv[3], &script, NULL, &error),
         error, "usage");
  g_autoptr (GBytes) base = g_bytes_new (base_text, length);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  check (sluice_graph_import (graph, base, &error), error, "import");
  g_autoptr (SluiceCommandStack) stack = sluice_command_stack_new (graph);
  g_autoptr (SluiceJournal) journal = sluice_journal_open (argv[1], NULL);
  if (journal == NULL)
    journal = sluice_journal_create (argv[1], argv[2], base, NULL, -1, &error);
  else
    check (sluice_journal_replay (journal, stack, NULL, NULL, &error), error, "replay");
  check (journal != NULL, error, "journal");
  printf ("recovered %u\n", sluice_journal_get_n_commands (journal));
  guint first = 0;
  check (scanf ("%u", &first) == 1, NULL, "no line to go on at");
  sluice_command_stack_set_keep (stack, keep, journal);
  g_auto (GStrv) lines = g_strsplit (script, "\n", -1);
  guint n_lines = g_strv_length (lines);
  for (guint i = first; i < n_lines && *lines[i] != '\0'; i++)
    printf ("%u %d\n", i, sluice_command_stack_do (stack, lines[i], NULL, NULL));
  if (argc > 4)
    {
      check (sluice_command_write (graph, argv[4], &error), error, "write");
      check_history (stack, base);
    }
  return 0;
}
