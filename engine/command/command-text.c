/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The command that an edit of a graph's text is. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/command/command-private.h"

/* ---- the line ---- */

/* (transfer full) */
static char *
dup_text_line (const SluiceTextChange *change)
{
  GString *line = g_string_new ("text");
  for (guint i = 0; i < change->nodes->len; i++)
    {
      g_autofree char *name =
          sluice_line_quote (((const SluiceNode *) change->nodes->pdata[i])->name);
      g_string_append_printf (line, " %s", name);
    }
  g_autofree char *text = sluice_line_quote (change->text);
  g_string_append_printf (line, " %s", text);
  return g_string_free (line, FALSE);
}

static char *
dup_rename_line (const SluiceTextRename *rename)
{
  g_autofree char *from = sluice_line_quote (rename->from), *to = sluice_line_quote (rename->to);
  return g_strdup_printf ("rename %s %s", from, to);
}

/* Where there are renames. */
static char *
dup_rename_words (const SluiceTextChange *change)
{
  const SluiceTextRename *first = &g_array_index (change->renames, SluiceTextRename, 0);
  guint n = change->renames->len + change->n_blocks + change->nodes->len,
        more = change->renames->len - 1;
  if (change->text != NULL)
    return g_strdup_printf (ngettext ("edit %u node as text", "edit %u nodes as text", n), n);
  if (more == 0)
    return g_strdup_printf (_ ("rename %s to %s"), first->from, first->to);
  return g_strdup_printf (
      ngettext ("rename %s to %s and %u more", "rename %s to %s and %u more", more), first->from,
      first->to, more);
}

static void
append_part (GString *line, char *take_part)
{
  g_autofree char *part = take_part, *quoted = sluice_line_quote (part);
  g_string_append_printf (line, " %s", quoted);
}

char *
sluice_command_dup_text_line (const SluiceTextChange *change, const char *layout)
{
  guint n = change->renames->len;
  if (n == 0)
    return change->text != NULL ? dup_text_line (change) : NULL;
  if (n == 1 && change->text == NULL && layout == NULL)
    return dup_rename_line (&g_array_index (change->renames, SluiceTextRename, 0));
  GString *line = g_string_new ("together");
  append_part (line, dup_rename_words (change));
  for (guint i = 0; i < n; i++)
    append_part (line, dup_rename_line (&g_array_index (change->renames, SluiceTextRename, i)));
  if (change->text != NULL)
    append_part (line, dup_text_line (change));
  if (layout != NULL)
    append_part (line, g_strdup (layout));
  return g_string_free (line, FALSE);
}

/* ---- the commands ---- */

static char *
dup_words (const SluiceRewritten *done)
{
  guint n = done->n_added + done->n_changed + done->n_removed;
  if (n != 1)
    return g_strdup_printf (ngettext ("edit %u node as text", "edit %u nodes as text", n), n);
  return g_strdup_printf (done->n_added > 0     ? _ ("add %s as text")
                          : done->n_removed > 0 ? _ ("take %s out of the text")
                                                : _ ("edit %s as text"),
                          done->name);
}

static gboolean
rewrite (SluiceCommandCall *call, SluiceRewritten *done, GError **error)
{
  guint n = call->n_arguments - 1;
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  for (guint i = 0; i < n; i++)
    {
      SluiceNode *node = sluice_command_find_node (call, call->arguments[i], error);
      if (node == NULL)
        return FALSE;
      g_ptr_array_add (nodes, node);
    }
  if (!sluice_graph_rewrite (call->graph, (SluiceNode *const *) nodes->pdata, n, call->arguments[n],
                             done, error))
    return FALSE;
  call->text = g_strdup (call->arguments[n]);
  return TRUE;
}

gboolean
sluice_command_text (SluiceCommandCall *call, GError **error)
{
  SluiceRewritten done;
  if (!rewrite (call, &done, error))
    return FALSE;
  call->words = dup_words (&done);
  return TRUE;
}

char *
sluice_command_dup_paste_words (const SluiceRewritten *done, GError **error)
{
  if (done->n_added == 0 || done->n_changed + done->n_removed > 0)
    {
      sluice_fail (error, SLUICE_ERROR_ALREADY_EXISTS,
                   "a node that the text names is there already; the command text changes such "
                   "nodes");
      return NULL;
    }
  return done->n_added == 1
             ? g_strdup_printf (_ ("paste %s"), done->name)
             : g_strdup_printf (ngettext ("paste %u node", "paste %u nodes", done->n_added),
                                done->n_added);
}

/* The same, of nodes that were not there. */
gboolean
sluice_command_paste (SluiceCommandCall *call, GError **error)
{
  SluiceRewritten done;
  if (!rewrite (call, &done, error))
    return FALSE;
  call->words = sluice_command_dup_paste_words (&done, error);
  return call->words != NULL;
}
