/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Commands that change nothing of the graph. */
#include <string.h>

#include "engine/command/command-private.h"
#include "engine/graph/graphdef.h"

gboolean
sluice_command_check (SluiceCommandCall *call, GError **error)
{
  guint n = sluice_graph_get_n_nodes (call->graph), n_wrong = 0;
  for (guint i = 0; i < n; i++)
    {
      const SluiceNode *node = sluice_graph_get_node (call->graph, i);
      if (node->error == NULL)
        continue;
      g_string_append_printf (call->said, "%s\n", node->error->message);
      n_wrong++;
    }
  if (n_wrong > 0)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION, "%u of %u nodes cannot run",
                        n_wrong, n);
  g_string_append_printf (call->said, "%u nodes, and nothing is wrong with them\n", n);
  return TRUE;
}

gboolean
sluice_command_is_text_name (const char *path)
{
  return g_str_has_suffix (path, ".pbtxt") || g_str_has_suffix (path, ".txt");
}

static gboolean
write_contents (const char *path, const char *data, gsize length, GError **error)
{
  g_autoptr (GError) problem = NULL;
  if (g_file_set_contents_full (path, data, (gssize) length, G_FILE_SET_CONTENTS_CONSISTENT, 0666,
                                &problem))
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_UNAVAILABLE, "the graph is not saved: %s",
                      problem->message);
}

gboolean
sluice_command_write_as (SluiceGraph *graph, const char *path, gboolean is_text, GError **error)
{
  g_autoptr (GBytes) bytes =
      sluice_graph_export (graph, is_text ? SLUICE_EXPORT_TEXT : SLUICE_EXPORT_BINARY, error);
  gsize length;
  if (bytes == NULL)
    return FALSE;
  const char *data = g_bytes_get_data (bytes, &length);
  return write_contents (path, data, length, error);
}

gboolean
sluice_command_write_text (SluiceGraphText *text, const char *path, GError **error)
{
  g_autofree char *all = sluice_graph_text_dup_text (text);
  return write_contents (path, all, strlen (all), error);
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
