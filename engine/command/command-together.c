/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Several commands that are one: one transaction, one step back. */
#include "engine/command/stack-private.h"
#include "engine/command/command-private.h"

/* What several wrote stands in the text, each. */
static void
take_text (SluiceCommandCall *call, char *take_text)
{
  g_autofree char *text = take_text, *before = g_steal_pointer (&call->text);
  if (text != NULL && before != NULL)
    call->text = g_strconcat (before, "\n", text, NULL);
  else
    call->text = text != NULL ? g_steal_pointer (&text) : g_steal_pointer (&before);
}

static gboolean
do_part (SluiceCommandCall *call, const char *text, GError **error)
{
  g_autoptr (SluiceLine) line = sluice_line_parse (text, error);
  if (line == NULL)
    return FALSE;
  if (line->n == 0 || line->words[0].key != NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' is no command", text);
  SluiceCommandCall part = { .stack = call->stack,
                             .graph = call->graph,
                             .command = sluice_command_find (line->words[0].text, error),
                             .said = call->said };
  if (part.command == NULL)
    return FALSE;
  if (part.command->words == NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%s changes nothing of the graph that is undone with the others; write it "
                        "as a line of its own",
                        part.command->name);
  gboolean ok = sluice_command_run_line (&part, line, error);
  if (!ok)
    g_prefix_error (error, "%s: ", part.command->name);
  if (part.training != NULL)
    call->training = part.training; /* which the others find taken away */
  if (part.arranged != NULL && call->arranged != NULL)
    g_ptr_array_extend_and_steal (call->arranged, part.arranged);
  else if (part.arranged != NULL)
    call->arranged = part.arranged;
  g_free (part.words);
  take_text (call, part.text);
  return ok;
}

gboolean
sluice_command_together (SluiceCommandCall *call, GError **error)
{
  for (guint i = 1; i < call->n_arguments; i++)
    if (!do_part (call, call->arguments[i], error))
      return FALSE;
  return TRUE;
}
