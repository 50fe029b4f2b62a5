/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Commands that ask the graph, and those that other files have to do with. */
#include <stdlib.h>
#include <sys/stat.h>

#include "engine/command/command-private.h"
#include "engine/command/problems.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/merge.h"

gboolean
sluice_command_check (SluiceCommandCall *call, GError **error)
{
  g_autoptr (GPtrArray) problems = sluice_problems_find (call->graph, NULL);
  guint n = sluice_graph_get_n_nodes (call->graph), n_wrong = 0;
  const SluiceNode *last = NULL;
  for (guint i = 0; i < problems->len; i++)
    {
      const SluiceProblem *problem = problems->pdata[i];
      g_string_append_printf (call->said, "%s: %s\n", problem->node->name, problem->text);
      n_wrong += problem->level == SLUICE_PROBLEM_STOPS && problem->node != last;
      last = problem->node;
    }
  if (n_wrong > 0)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION, "%u of %u nodes cannot run",
                        n_wrong, n);
  if (problems->len > 0)
    g_string_append_printf (call->said, "%u nodes, which can run, and %u to look at\n", n,
                            problems->len);
  else
    g_string_append_printf (call->said, "%u nodes, and nothing is wrong with them\n", n);
  return TRUE;
}

/* ---- merge ---- */

gboolean
sluice_command_merge (SluiceCommandCall *call, GError **error)
{
  g_autoptr (SluiceGraph) base = sluice_graph_load_file (call->arguments[0], error);
  g_autoptr (SluiceGraph) theirs =
      base != NULL ? sluice_graph_load_file (call->arguments[1], error) : NULL;
  g_autoptr (GPtrArray) conflicts = NULL;
  if (theirs == NULL || !sluice_graph_merge_into (base, call->graph, theirs, &conflicts, error))
    return FALSE;
  for (guint i = 0; i < conflicts->len; i++)
    {
      g_autofree char *words = sluice_merge_conflict_dup_words (conflicts->pdata[i]);
      g_string_append_printf (call->said, "%s\n", words);
    }
  return TRUE;
}

/* ---- files ---- */

gboolean
sluice_command_is_text_name (const char *path)
{
  return g_str_has_suffix (path, ".pbtxt") || g_str_has_suffix (path, ".txt");
}

gboolean
sluice_command_is_text (const char *data, gsize length)
{
  for (gsize i = 0; i < MIN (length, 4096); i++)
    if ((guchar) data[i] < ' ' && !g_ascii_isspace (data[i]))
      return FALSE;
  return length > 0;
}

gboolean
sluice_command_write_bytes (GBytes *bytes, const char *path, GError **error)
{
  gsize length;
  struct stat info;
  g_autoptr (GError) problem = NULL;
  const char *data = g_bytes_get_data (bytes, &length);
  g_autofree char *real = realpath (path, NULL); /* NULL: it is new */
  const char *target = real != NULL ? real : path;
  gboolean is_there = stat (target, &info) == 0 && S_ISREG (info.st_mode);
  /* What is written beside it has no more rights than it has. */
  if (!g_file_set_contents_full (target, data, (gssize) length,
                                 G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE,
                                 is_there ? (int) (info.st_mode & 0777) : 0666, &problem))
    return sluice_fail (error, SLUICE_ERROR_UNAVAILABLE, "the graph is not saved: %s",
                        problem->message);
  if (is_there)
    chmod (target, info.st_mode & 07777); /* what the umask took */
  return TRUE;
}

gboolean
sluice_command_write_as (SluiceGraph *graph, const char *path, gboolean is_text, GError **error)
{
  g_autoptr (GBytes) bytes =
      sluice_graph_export (graph, is_text ? SLUICE_EXPORT_TEXT : SLUICE_EXPORT_BINARY, error);
  return bytes != NULL && sluice_command_write_bytes (bytes, path, error);
}

gboolean
sluice_command_write (SluiceGraph *graph, const char *path, GError **error)
{
  return sluice_command_write_as (graph, path, sluice_command_is_text_name (path), error);
}

gboolean
sluice_command_save (SluiceCommandCall *call, GError **error)
{
  return sluice_command_stack_write (call->stack, call->arguments[0], error);
}
