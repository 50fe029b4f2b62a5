/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/passes/diff.h"

#include <string.h>

#define NONE G_MAXUINT

typedef struct
{
  const SluiceWorkText *before, *after;
  guint *now; /* by line before: its line after; NONE: went */
  guint *was; /* by line after: its line before; NONE: new */
  GArray *changes;
} Diff;

static const SluiceWorkLine *
line_at (const SluiceWorkText *text, guint i)
{
  return &g_array_index (text->lines, SluiceWorkLine, i);
}

/* Lines of one name, and where there are several, of one place among these. */
static void
match (Diff *diff)
{
  g_autoptr (GHashTable) last = g_hash_table_new (g_str_hash, g_str_equal);
  guint n = diff->before->lines->len;
  g_autofree guint *next = g_new (guint, n + 1);
  for (guint i = n; i-- > 0;)
    {
      gpointer name = (gpointer) line_at (diff->before, i)->name;
      next[i] = GPOINTER_TO_UINT (g_hash_table_lookup (last, name));
      g_hash_table_insert (last, name, GUINT_TO_POINTER (i + 1));
      diff->now[i] = NONE;
    }
  for (guint k = 0; k < diff->after->lines->len; k++)
    {
      gpointer name = (gpointer) line_at (diff->after, k)->name;
      guint i = GPOINTER_TO_UINT (g_hash_table_lookup (last, name));
      diff->was[k] = i ? i - 1 : NONE;
      if (!i)
        continue;
      diff->now[i - 1] = k;
      g_hash_table_insert (last, name, GUINT_TO_POINTER (next[i - 1]));
    }
}

/* By line after: is it one of those that stay? Patience sorting: tops[m] is the line after that
 * ends, with the lowest line before, an increasing subsequence of m + 1. */
static guint8 *
find_unmoved (const Diff *diff)
{
  guint n = diff->after->lines->len, length = 0;
  guint8 *stays = g_new0 (guint8, n + 1);
  g_autofree guint *tops = g_new (guint, n + 1);
  g_autofree guint *previous = g_new (guint, n + 1);
  for (guint k = 0; k < n; k++)
    {
      guint low = 0, high = length;
      if (diff->was[k] == NONE)
        continue;
      while (low < high)
        {
          guint middle = (low + high) / 2;
          if (diff->was[tops[middle]] < diff->was[k])
            low = middle + 1;
          else
            high = middle;
        }
      previous[k] = low ? tops[low - 1] : NONE;
      tops[low] = k;
      length = MAX (length, low + 1);
    }
  for (guint k = length ? tops[length - 1] : NONE; k != NONE; k = previous[k])
    stays[k] = 1;
  return stays;
}

static void
add (Diff *diff, SluiceWorkChangeKind kind, guint i, guint k)
{
  const SluiceWorkLine *before = i == NONE ? NULL : line_at (diff->before, i);
  const SluiceWorkLine *after = k == NONE ? NULL : line_at (diff->after, k);
  SluiceWorkChange change = { kind, after ? after->name : before->name,
                              before ? before->text : NULL, after ? after->text : NULL };
  if (kind != SLUICE_WORK_CHANGED || strcmp (change.before, change.after) != 0)
    g_array_append_val (diff->changes, change);
}

GArray *
sluice_work_diff (const SluiceWorkText *before, const SluiceWorkText *after)
{
  guint n = before->lines->len, at = 0;
  g_autofree guint *now = g_new (guint, n + 1);
  g_autofree guint *was = g_new (guint, after->lines->len + 1);
  Diff diff = { before, after, now, was, g_array_new (FALSE, FALSE, sizeof (SluiceWorkChange)) };
  match (&diff);
  g_autofree guint8 *stays = find_unmoved (&diff);
  for (guint k = 0; k < after->lines->len; k++)
    {
      if (was[k] == NONE)
        add (&diff, SLUICE_WORK_ADDED, NONE, k);
      else if (!stays[k])
        add (&diff, SLUICE_WORK_MOVED, was[k], k);
      else
        {
          for (; at < was[k]; at++)
            if (now[at] == NONE)
              add (&diff, SLUICE_WORK_REMOVED, at, NONE);
          add (&diff, SLUICE_WORK_CHANGED, was[k], k);
        }
    }
  for (; at < n; at++)
    if (now[at] == NONE)
      add (&diff, SLUICE_WORK_REMOVED, at, NONE);
  return diff.changes;
}
