/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/hierarchy-fold.h"

#include <stdlib.h>
#include <string.h>

/* An order of a level's boxes in which data flows forward: that in which they were made, which
 * keeps together what belongs together; where it does not flow, by how far they are from the end.
 */

#define FEW_BACKWARD 50 /* of so many lines one may lead against the order of making */

void
sluice_fold_level_init (SluiceFoldLevel *self,
                        SluiceFolds *folds,
                        SluiceHierarchy *hierarchy,
                        guint scope)
{
  guint n = hierarchy->groups[scope].n_children;
  *self = (SluiceFoldLevel){
    .folds = folds,
    .hierarchy = hierarchy,
    .scope = scope,
    .base = hierarchy->groups[scope].first_child,
    .n = n,
    .first_fold = folds->made->len + 1,
    .part = g_new0 (SluiceFoldPart, n + 1),
    .pair = g_new0 (guint, n + 1),
    .late = g_new0 (guint8, n + 1),
    .order = g_new (guint, n + 1),
    .position = g_new (guint, n + 1),
    .cut = g_new0 (guint, n + 2),
  };
}

void
sluice_fold_level_clear (SluiceFoldLevel *self)
{
  g_free (self->part);
  g_free (self->pair);
  g_free (self->late);
  g_free (self->order);
  g_free (self->position);
  g_free (self->cut);
}

/* The children that a data bundle joins; FALSE: it does not count. */
static gboolean
ends_of (const SluiceFoldLevel *self, guint bundle, guint *from, guint *to)
{
  const SluiceEdgeBundle *b = &self->hierarchy->bundles[bundle];
  *from = b->from - self->base;
  *to = b->to - self->base;
  return b->kind == SLUICE_EDGE_DATA && self->part[*from] != SLUICE_FOLD_OUT
         && self->part[*to] != SLUICE_FOLD_OUT;
}

/* Everything that is computed from gradients. Bundles are sorted by where they come from: most of
 * it is found in the first pass. */
static void
find_late (SluiceFoldLevel *self)
{
  const guint *start = self->hierarchy->bundle_start;
  gboolean grown = TRUE;
  for (guint pass = 0; grown && pass < 64; pass++)
    {
      grown = FALSE;
      for (guint b = start[self->scope]; b < start[self->scope + 1]; b++)
        {
          guint from, to;
          if (ends_of (self, b, &from, &to) && !self->late[to]
              && (self->late[from] || self->part[from] == SLUICE_FOLD_GRADIENT)
              && self->part[to] == SLUICE_FOLD_MAIN)
            grown = self->late[to] = TRUE;
        }
    }
}

/* The same between boxes that are put in order. */
static gboolean
main_ends_of (const SluiceFoldLevel *self, guint bundle, guint *from, guint *to)
{
  return ends_of (self, bundle, from, to) && self->part[*from] == SLUICE_FOLD_MAIN
         && self->part[*to] == SLUICE_FOLD_MAIN;
}

/* Lines to the end of what is computed, at most, per child. */
static guint *
find_distances (const SluiceFoldLevel *self)
{
  const guint *start = self->hierarchy->bundle_start;
  guint first = start[self->scope], end = start[self->scope + 1], n = 0;
  guint *distance = g_new0 (guint, self->n + 1);
  g_autofree guint *left = g_new0 (guint, self->n + 1);
  g_autofree guint *queue = g_new (guint, self->n + 1);
  g_autofree guint *into = g_new0 (guint, self->n + 2); /* bundles by where they lead */
  g_autofree guint *list = g_new (guint, end - first + 1);
  guint from, to;
  for (guint b = first; b < end; b++)
    if (main_ends_of (self, b, &from, &to))
      {
        left[from]++;
        into[to + 2]++;
      }
  for (guint i = 0; i < self->n; i++)
    {
      into[i + 2] += into[i + 1];
      if (left[i] == 0)
        queue[n++] = i;
    }
  for (guint b = first; b < end; b++)
    if (main_ends_of (self, b, &from, &to))
      list[into[to + 1]++] = from;
  for (guint k = 0; k < n; k++)
    for (guint e = into[queue[k]]; e < into[queue[k] + 1]; e++)
      {
        distance[list[e]] = MAX (distance[list[e]], distance[queue[k]] + 1);
        if (--left[list[e]] == 0)
          queue[n++] = list[e];
      }
  return distance;
}

typedef struct
{
  guint64 key;
  guint64 structure; /* among equals, so that cells are in the same order; 0: that of making */
  guint child;
} Place;

static int
compare_places (const void *pa, const void *pb)
{
  const Place *a = pa, *b = pb;
  if (a->key != b->key)
    return a->key < b->key ? -1 : 1;
  if (a->structure != b->structure)
    return a->structure < b->structure ? -1 : 1;
  return a->child < b->child ? -1 : a->child > b->child;
}

static gboolean
is_in_order (const SluiceFoldLevel *self)
{
  const guint *start = self->hierarchy->bundle_start;
  guint n = 0, n_backward = 0, from, to;
  for (guint b = start[self->scope]; b < start[self->scope + 1]; b++)
    if (main_ends_of (self, b, &from, &to))
      {
        n++;
        n_backward += from > to;
      }
  return n_backward * FEW_BACKWARD <= n;
}

static void
count_cuts (SluiceFoldLevel *self)
{
  const guint *start = self->hierarchy->bundle_start;
  guint open = 0, from, to;
  g_autofree gint *change = g_new0 (gint, self->n_main + 2);
  for (guint b = start[self->scope]; b < start[self->scope + 1]; b++)
    {
      if (!ends_of (self, b, &from, &to))
        continue;
      guint a = self->position[from], z = self->position[to];
      if (a == SLUICE_NONE || z == SLUICE_NONE || a == z)
        continue;
      change[MIN (a, z) + 1]++;
      change[MAX (a, z) + 1]--;
    }
  for (guint p = 0; p <= self->n_main; p++)
    self->cut[p] = open += change[p];
}

void
sluice_fold_level_order (SluiceFoldLevel *self)
{
  g_autofree Place *places = g_new (Place, self->n + 1);
  find_late (self);
  g_autofree guint *distance = is_in_order (self) ? NULL : find_distances (self);
  for (guint i = 0; i < self->n; i++)
    {
      self->position[i] = SLUICE_NONE;
      if (self->part[i] != SLUICE_FOLD_MAIN)
        continue;
      guint64 from_end = distance != NULL ? self->n - distance[i] : 0;
      guint64 structure = distance != NULL ? self->hierarchy->groups[self->base + i].structure : 0;
      places[self->n_main++] = (Place){ (guint64) self->late[i] << 32 | from_end, structure, i };
    }
  qsort (places, self->n_main, sizeof *places, compare_places);
  for (guint p = 0; p < self->n_main; p++)
    {
      self->order[p] = places[p].child;
      self->position[places[p].child] = p;
    }
  count_cuts (self);
}
