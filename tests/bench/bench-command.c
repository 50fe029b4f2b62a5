/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What one command costs, and to take it back, with a journal that keeps it: `bench-command
 * FILE.pb.gz`. Each kind is done to nodes and scopes all over the graph. To do something to a scope
 * costs so much a node: scopes of up to MAX_SCOPE nodes are chosen, by the number that the report
 * names. At the end all of it is replayed, as after a crash. */
#include <glib/gstdio.h>
#include <string.h>

#include "engine/command/journal.h"
#include "engine/command/line.h"
#include "engine/graph/graphdef.h"
#include "kernels/registry.h"
#include "tests/bench/rounds.h"
#include "tests/fuzz/fuzz-folder.h"

#define GOAL_MS   16.0
#define MAX_SCOPE 500
#define N_HISTORY 1000

typedef struct
{
  SluiceGraph *graph;
  SluiceCommandStack *stack;
  SluiceJournal *journal;
  guint number;
} Bench;

/* Far from each other, so that no command finds the caches warm for it. */
static SluiceNode *
next_node (Bench *b)
{
  b->number = b->number * 1103515245u + 12345u;
  guint n = sluice_graph_get_n_nodes (b->graph);
  return sluice_graph_get_node (b->graph, (b->number >> 8) % n);
}

static guint
count_below (Bench *b, const char *scope)
{
  guint n = 0;
  gsize length = strlen (scope);
  for (guint i = 0; i < sluice_graph_get_n_nodes (b->graph); i++)
    {
      const char *name = sluice_graph_get_node (b->graph, i)->name;
      n += strncmp (name, scope, length) == 0 && name[length] == '/';
    }
  return n;
}

/* The largest one around some node that is not too large. (transfer full) (nullable) */
static char *
next_scope (Bench *b)
{
  g_autofree char *found = NULL, *scope = g_strdup (next_node (b)->name);
  for (char *slash; (slash = strrchr (scope, '/')) != NULL;)
    {
      *slash = '\0';
      if (count_below (b, scope) > MAX_SCOPE)
        break;
      g_free (found);
      found = g_strdup (scope);
    }
  return sluice_graph_find (b->graph, found != NULL ? found : "") == NULL ? g_steal_pointer (&found)
                                                                          : NULL;
}

/* A line of each kind; NULL where the node that was drawn has none. $N, $S: a node and a scope. */
static const struct
{
  const char *name, *line;
} kinds[] = {
  { "set", "set $N _note=\"%u\"" },
  { "add", "add Identity bench/n%u $N" },
  { "connect", "connect $I:0 $N:0" },
  { "disconnect", "disconnect $N:0" },
  { "control", "control $N bench_before" },
  { "device", "device $N /device:CPU:0" },
  { "insert", "insert Identity bench/i%u $N" },
  { "rename", "rename $N bench/r%u" },
  { "delete", "delete $N" },
  { "duplicate", "duplicate $N bench/d%u" },
  { "rename-scope", "rename $S bench/s%u" },
  { "delete-scope", "delete $S" },
  { "duplicate-scope", "duplicate $S bench/e%u" },
  { "group", "group bench/g%u $S $N" },
  { "ungroup", "ungroup $S" },
};

/* (transfer full) (nullable) */
static char *
next_line (Bench *b, const char *pattern, guint round)
{
  SluiceNode *node = next_node (b);
  g_autofree char *scope = strstr (pattern, "$S") != NULL ? next_scope (b) : g_strdup ("");
  const char *input =
      node->n_inputs > 0 && node->inputs[0].node != NULL ? node->inputs[0].node->name : NULL;
  gboolean needs_input = strstr (pattern, ":0") != NULL;
  if (scope == NULL || (needs_input && input == NULL))
    return NULL;
  GString *line = g_string_new (NULL);
  g_string_printf (line, "%s", pattern);
  g_autofree char *number = g_strdup_printf ("%u", round);
  g_string_replace (line, "$N", node->name, 0);
  g_string_replace (line, "$S", scope, 0);
  g_string_replace (line, "$I", input != NULL ? input : "", 0);
  g_string_replace (line, "%u", number, 0);
  return g_string_free (line, FALSE);
}

/* Milliseconds of one command that was taken, and of its undo. */
static void
measure_one (Bench *b, const char *pattern, guint round, double *done, double *undone)
{
  for (;;)
    {
      g_autofree char *line = next_line (b, pattern, round);
      if (line == NULL)
        continue;
      double start = rounds_thread_ns ();
      if (!sluice_command_stack_do (b->stack, line, NULL, NULL))
        continue;
      double end = rounds_thread_ns ();
      if (!sluice_command_stack_undo (b->stack, 1, NULL))
        g_error ("a command cannot be undone");
      *undone = (rounds_thread_ns () - end) / 1e6;
      *done = (end - start) / 1e6;
      return;
    }
}

static void
measure_kind (Bench *b, const char *file, guint k)
{
  double done[ROUNDS], undone[ROUNDS], worst = 0;
  for (guint r = 0; r < ROUNDS; r++)
    {
      measure_one (b, kinds[k].line, r, &done[r], &undone[r]);
      worst = MAX (worst, MAX (done[r], undone[r]));
    }
  g_autofree char *name = g_strdup_printf ("command/%s/%s", file, kinds[k].name);
  g_autofree char *undo = g_strconcat (name, "-undo", NULL);
  g_autofree char *worst_name = g_strconcat (name, "-worst", NULL);
  rounds_report (name, "ms", done, ROUNDS, GOAL_MS, LESS_IS_BETTER);
  rounds_report (undo, "ms", undone, ROUNDS, GOAL_MS, LESS_IS_BETTER);
  rounds_report (worst_name, "ms", &worst, 1, GOAL_MS, LESS_IS_BETTER);
}

static gboolean
keep (const char *line, gpointer journal, GError **error)
{
  return sluice_journal_append (journal, line, error);
}

static SluiceGraph *
import (GBytes *bytes)
{
  GError *error = NULL;
  SluiceGraph *graph = sluice_graph_new ();
  if (!sluice_graph_import (graph, bytes, &error))
    rounds_fatal (error);
  return graph;
}

/* Commands of all kinds, one on top of the other, all of them taken back at once: the graph is to
 * be the same to the last byte. */
static void
measure_history (Bench *b, const char *file)
{
  double start, done_ms, undone_ms;
  guint n = 0, before = sluice_command_stack_get_n_undo (b->stack);
  g_autoptr (GBytes) was = sluice_graph_export (b->graph, SLUICE_EXPORT_BINARY, NULL);
  start = rounds_thread_ns ();
  for (guint i = 0; n < N_HISTORY; i++)
    {
      g_autofree char *line = next_line (b, kinds[i % G_N_ELEMENTS (kinds)].line, 1000 + i);
      n += line != NULL && sluice_command_stack_do (b->stack, line, NULL, NULL);
    }
  done_ms = (rounds_thread_ns () - start) / 1e6 / n;
  start = rounds_thread_ns ();
  if (!sluice_command_stack_undo (b->stack, sluice_command_stack_get_n_undo (b->stack) - before,
                                  NULL))
    g_error ("commands cannot be undone");
  undone_ms = (rounds_thread_ns () - start) / 1e6 / n;
  g_autoptr (GBytes) is = sluice_graph_export (b->graph, SLUICE_EXPORT_BINARY, NULL);
  if (!g_bytes_equal (was, is))
    g_error ("%u commands were undone, and the graph is another one", n);
  g_autofree char *name = g_strdup_printf ("command/%s/history-each", file);
  g_autofree char *undo = g_strconcat (name, "-undo", NULL);
  rounds_report (name, "ms", &done_ms, 1, GOAL_MS, LESS_IS_BETTER);
  rounds_report (undo, "ms", &undone_ms, 1, GOAL_MS, LESS_IS_BETTER);
}

/* Milliseconds a command, of all that was done. */
static void
measure_replay (const char *file, const char *folder, GBytes *base)
{
  GError *error = NULL;
  g_autoptr (SluiceGraph) graph = import (base);
  g_autoptr (SluiceCommandStack) stack = sluice_command_stack_new (graph);
  double start = rounds_thread_ns ();
  g_autoptr (SluiceJournal) journal = sluice_journal_open (folder, &error);
  if (journal == NULL || !sluice_journal_replay (journal, stack, NULL, NULL, &error))
    rounds_fatal (error);
  double each = (rounds_thread_ns () - start) / 1e6 / sluice_journal_get_n_commands (journal);
  g_autofree char *name = g_strdup_printf ("command/%s/replay-each", file);
  rounds_report (name, "ms", &each, 1, GOAL_MS, LESS_IS_BETTER);
}

static void
measure_file (const char *path)
{
  GError *error = NULL;
  g_autofree char *folder = fuzz_folder_new (), *file = g_path_get_basename (path);
  g_autofree char *data = NULL;
  gsize length;
  if (!g_file_get_contents (path, &data, &length, &error))
    rounds_fatal (error);
  *strchrnul (file, '.') = '\0';
  g_autoptr (GBytes) base = g_bytes_new (data, length);
  g_autoptr (SluiceGraph) graph = import (base);
  g_autoptr (SluiceCommandStack) stack = sluice_command_stack_new (graph);
  g_autoptr (SluiceJournal) journal = sluice_journal_create (folder, path, base, NULL, -1, &error);
  if (journal == NULL || !sluice_command_stack_do (stack, "add NoOp bench_before", NULL, &error)
      || !sluice_journal_append (journal, "add NoOp bench_before", &error))
    rounds_fatal (error);
  sluice_command_stack_set_keep (stack, keep, journal);
  Bench b = { graph, stack, journal, 1 };
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    measure_kind (&b, file, k);
  measure_history (&b, file);
  g_clear_pointer (&journal, sluice_journal_unref);
  measure_replay (file, folder, base);
  fuzz_folder_remove (folder);
}

int
main (int argc, char **argv)
{
  sluice_registry_init (sluice_kernel_modules ());
  for (int i = 1; i < argc; i++)
    measure_file (argv[i]);
  return 0;
}
