/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What is arranged by hand is a command like others, and no change of the graph: lines of the
 * layout file that go and that come. Who keeps these is told of each, so that the same undo leads
 * back through both.
 */
#include "engine/command/command-private.h"

gboolean
sluice_command_layout (SluiceCommandCall *call, GError **error)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 1; i < call->n_arguments; i++)
    {
      const char *line = call->arguments[i];
      if (*line != '+' && *line != '-')
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "'%s' says neither that it comes nor that it goes; write '+' or '-' "
                            "before it",
                            line);
      g_ptr_array_add (lines, g_strdup (line));
    }
  call->arranged = g_steal_pointer (&lines);
  return TRUE;
}

void
sluice_layout_lines_invert (GPtrArray *lines)
{
  for (guint i = 0; i < lines->len; i++)
    {
      char *line = lines->pdata[i];
      *line = *line == '+' ? '-' : '+';
    }
  for (guint i = 0; i < lines->len / 2; i++)
    {
      gpointer other = lines->pdata[lines->len - 1 - i];
      lines->pdata[lines->len - 1 - i] = lines->pdata[i];
      lines->pdata[i] = other;
    }
}
