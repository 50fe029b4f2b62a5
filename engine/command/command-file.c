/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Commands that change nothing of the graph. */
#include "engine/command/command-private.h"
#include "engine/command/problems.h"
#include "engine/graph/graphdef.h"

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

gboolean
sluice_command_is_text_name (const char *path)
{
  return g_str_has_suffix (path, ".pbtxt") || g_str_has_suffix (path, ".txt");
}

gboolean
sluice_command_write_as (SluiceGraph *graph, const char *path, gboolean is_text, GError **error)
{
  g_autoptr (GError) problem = NULL;
  g_autoptr (GBytes) bytes =
      sluice_graph_export (graph, is_text ? SLUICE_EXPORT_TEXT : SLUICE_EXPORT_BINARY, error);
  gsize length;
  if (bytes == NULL)
    return FALSE;
  const char *data = g_bytes_get_data (bytes, &length);
  if (g_file_set_contents_full (path, data, (gssize) length, G_FILE_SET_CONTENTS_CONSISTENT, 0666,
                                &problem))
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_UNAVAILABLE, "the graph is not saved: %s",
                      problem->message);
}

gboolean
sluice_command_write (SluiceGraph *graph, const char *path, GError **error)
{
  return sluice_command_write_as (graph, path, sluice_command_is_text_name (path), error);
}

gboolean
sluice_command_save (SluiceCommandCall *call, GError **error)
{
  return sluice_command_write (call->graph, call->arguments[0], error);
}
