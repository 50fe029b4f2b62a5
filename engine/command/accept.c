/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/command/accept.h"

#include "engine/command/line.h"
#include "engine/command/offers-private.h"
#include "engine/graph/node-text.h"

/* node: (nullable). (transfer full) (nullable) */
static char *
dup_block (const SluiceNode *node)
{
  if (node == NULL)
    return NULL;
  GString *text = g_string_new (NULL);
  sluice_node_text_write (text, node);
  return g_string_free (text, FALSE);
}

SluiceDiffAuthor
sluice_accept_find_author (const SluiceNodeDiff *diff, SluiceGraph *base)
{
  if (base == NULL)
    return SLUICE_MADE_BY_THEM;
  const SluiceNode *node = diff->was != NULL ? sluice_graph_find (base, diff->was->name) : NULL;
  if (node == NULL && diff->is != NULL)
    node = sluice_graph_find (base, diff->is->name);
  g_autofree char *was = dup_block (node);
  g_autofree char *ours = dup_block (diff->was), *theirs = dup_block (diff->is);
  return g_strcmp0 (was, ours) == 0     ? SLUICE_MADE_BY_THEM
         : g_strcmp0 (was, theirs) == 0 ? SLUICE_MADE_BY_US
                                        : SLUICE_MADE_BY_BOTH;
}

/* Names first: what is read by its new name is there then. */
static void
add_renames (GPtrArray *lines, const GPtrArray *diffs)
{
  for (guint i = 0; i < diffs->len; i++)
    {
      const SluiceNodeDiff *diff = diffs->pdata[i];
      if (diff->kind != SLUICE_DIFF_RENAMED)
        continue;
      g_autofree char *was = sluice_line_quote (diff->was->name);
      g_autofree char *is = sluice_line_quote (diff->is->name);
      g_ptr_array_add (lines, g_strdup_printf ("rename %s %s", was, is));
    }
}

/* The others are the text of their nodes, as `text` takes it. */
static void
add_text (GPtrArray *lines, const GPtrArray *diffs)
{
  g_autoptr (GString) line = g_string_new ("text"), blocks = g_string_new (NULL);
  gboolean has_any = FALSE;
  for (guint i = 0; i < diffs->len; i++)
    {
      const SluiceNodeDiff *diff = diffs->pdata[i];
      if (diff->kind == SLUICE_DIFF_RENAMED && diff->fields->len == 0)
        continue;
      const SluiceNode *node = diff->kind == SLUICE_DIFF_REMOVED ? diff->was : diff->is;
      g_autofree char *name = sluice_line_quote (node->name);
      if (diff->kind != SLUICE_DIFF_ADDED)
        g_string_append_printf (line, " %s", name);
      if (diff->kind != SLUICE_DIFF_REMOVED)
        sluice_node_text_write (blocks, node);
      has_any = TRUE;
    }
  g_autofree char *quoted = sluice_line_quote (blocks->str);
  if (has_any)
    g_ptr_array_add (lines, g_strdup_printf ("%s %s", line->str, quoted));
}

char *
sluice_accept_dup_line (const GPtrArray *diffs, const char *words)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  add_renames (lines, diffs);
  add_text (lines, diffs);
  g_ptr_array_add (lines, NULL);
  return sluice_offer_join (words, (const char *const *) lines->pdata);
}
