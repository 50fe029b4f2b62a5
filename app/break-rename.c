/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/break-rename.h"

#include <string.h>

#include "engine/graph/scope.h"
#include "engine/runtime/debug/breakpoint.h"

GHashTable *
sluice_break_list_renamed (const SluiceGraphDelta *delta)
{
  GHashTable *renamed = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < delta->n_changed; i++)
    if (delta->changed[i].what & SLUICE_CHANGED_NAME)
      g_hash_table_insert (renamed, (gpointer) delta->changed[i].old_name,
                           (gpointer) delta->changed[i].node->name);
  return renamed;
}

/* "b" of a/x -> b/x; a scope that was dissolved has no name. (transfer full) (nullable) */
static char *
find_scope (SluiceGraph *graph, GHashTable *renamed, const char *scope)
{
  GHashTableIter iter;
  gpointer was, is;
  g_hash_table_iter_init (&iter, renamed);
  while (g_hash_table_iter_next (&iter, &was, &is))
    {
      if (!sluice_name_is_below (was, scope))
        continue;
      const char *rest = (const char *) was + strlen (scope); /* "/x" */
      gsize length = strlen (is), n = strlen (rest);
      if (length > n && g_str_equal ((const char *) is + length - n, rest)
          && !sluice_graph_has_scope (graph, scope))
        return g_strndup (is, length - n);
    }
  return NULL;
}

/* (transfer full) (nullable): it stays */
static char *
dup_text_now (const char *text, SluiceGraph *graph, GHashTable *renamed)
{
  SluiceBreakpoint what;
  if (!sluice_breakpoint_parse (&what, text, NULL) || *what.name == '\0')
    return NULL;
  g_autofree char *scope = what.is_scope ? find_scope (graph, renamed, what.name) : NULL;
  const char *name = what.is_scope ? scope : g_hash_table_lookup (renamed, what.name);
  if (name == NULL)
    return NULL;
  what.name = g_intern_string (name);
  return sluice_breakpoint_to_text (&what);
}

void
sluice_break_rename (GHashTable *breakpoints, SluiceGraph *graph, GHashTable *renamed)
{
  g_autoptr (GHashTable) moved =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL); /* names may be exchanged */
  GHashTableIter iter;
  gpointer text, value;
  g_hash_table_iter_init (&iter, breakpoints);
  while (g_hash_table_iter_next (&iter, &text, &value))
    {
      char *now = dup_text_now (text, graph, renamed);
      if (now == NULL)
        continue;
      g_hash_table_insert (moved, now, value);
      g_hash_table_iter_remove (&iter);
    }
  g_hash_table_iter_init (&iter, moved);
  while (g_hash_table_iter_next (&iter, &text, &value))
    {
      g_hash_table_insert (breakpoints, text, value);
      g_hash_table_iter_steal (&iter);
    }
}

char *
sluice_break_rename_edge (const char *edge, GHashTable *renamed)
{
  const char *colon = strrchr (edge, ':');
  g_autofree char *node = g_strndup (edge, colon != NULL ? (gsize) (colon - edge) : strlen (edge));
  const char *name = g_hash_table_lookup (renamed, node);
  return name != NULL ? g_strconcat (name, colon, NULL) : NULL;
}
