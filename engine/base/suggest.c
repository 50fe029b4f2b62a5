/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/base/suggest.h"

#include <string.h>

/* Letters to change, add, drop or swap with the next one to make b of a, without regard to case;
 * given up beyond limit. */
static guint
distance (const char *a, const char *b, guint limit)
{
  gsize n = strlen (a), m = strlen (b);
  if ((n > m ? n - m : m - n) > limit)
    return limit + 1;
  g_autofree guint *rows = g_new0 (guint, 3 * (m + 1));
  guint *before = rows, *last = rows + m + 1, *row = rows + 2 * (m + 1);
  for (gsize j = 0; j <= m; j++)
    row[j] = j;
  for (gsize i = 1; i <= n; i++)
    {
      guint *oldest = before;
      before = last;
      last = row;
      row = oldest;
      row[0] = i;
      for (gsize j = 1; j <= m; j++)
        {
          char x = g_ascii_tolower (a[i - 1]), y = g_ascii_tolower (b[j - 1]);
          row[j] = MIN (MIN (last[j], row[j - 1]) + 1, last[j - 1] + (x != y));
          if (i > 1 && j > 1 && x == g_ascii_tolower (b[j - 2]) && y == g_ascii_tolower (a[i - 2]))
            row[j] = MIN (row[j], before[j - 2] + 1);
        }
    }
  return row[m];
}

const char *
sluice_suggest_name (const char *name, const char *const *names, gsize n)
{
  const char *best = NULL;
  guint best_distance = MAX (strlen (name) / 3, 1) + 1;
  for (gsize i = 0; i < n; i++)
    {
      guint d = names[i] != NULL ? distance (name, names[i], best_distance - 1) : best_distance;
      if (d < best_distance)
        {
          best = names[i];
          best_distance = d;
        }
    }
  return best;
}
