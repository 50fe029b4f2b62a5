/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/base/near.h"

#include <string.h>

/* Levenshtein's distance without regard to case, given up beyond limit. */
static guint
distance (const char *a, const char *b, guint limit)
{
  gsize n = strlen (a), m = strlen (b);
  if ((n > m ? n - m : m - n) > limit)
    return limit + 1;
  g_autofree guint *row = g_new (guint, m + 1);
  for (gsize j = 0; j <= m; j++)
    row[j] = j;
  for (gsize i = 1; i <= n; i++)
    {
      guint diagonal = row[0];
      row[0] = i;
      for (gsize j = 1; j <= m; j++)
        {
          guint cost = g_ascii_tolower (a[i - 1]) != g_ascii_tolower (b[j - 1]);
          guint best = MIN (MIN (row[j], row[j - 1]) + 1, diagonal + cost);
          diagonal = row[j];
          row[j] = best;
        }
    }
  return row[m];
}

const char *
sluice_near_name (const char *name, const char *const *names, gsize n)
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
