/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/hierarchy-fold.h"

#include <stdlib.h>
#include <string.h>

/* An order of a level's boxes in which data flows forward: that in which they were made, which
 * keeps together what belongs together; where it does not flow, by how far they are from the end.
 */

#define FEW_BACKWARD 50 /* of so many lines one may lead against the order of making */
#define MAX_ROUNDS   5  /* lines from a box to what tells it from others of its op */

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
  for (guint i = 0; i < n; i++)
    self->position[i] = SLUICE_NONE;
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

/* Per child: what it does and what stands around it. The gates of a cell are told apart by it, and
 * those of the next cell in the same way. */
static guint64 *
refine_colours (const SluiceFoldLevel *self)
{
  const SluiceGroup *groups = self->hierarchy->groups + self->base;
  const guint *start = self->hierarchy->bundle_start;
  guint64 *colour = g_new (guint64, self->n + 1);
  g_autofree guint64 *sum = g_new (guint64, self->n + 1);
  for (guint i = 0; i < self->n; i++)
    colour[i] = sluice_mix_hashes (groups[i].structure, groups[i].node_class);
  for (guint round = 0; round < MAX_ROUNDS; round++)
    {
      guint from, to;
      memset (sum, 0, self->n * sizeof *sum);
      for (guint b = start[self->scope]; b < start[self->scope + 1]; b++)
        if (ends_of (self, b, &from, &to) && self->part[from] != SLUICE_FOLD_GRADIENT
            && self->part[to] != SLUICE_FOLD_GRADIENT)
          {
            sum[from] += sluice_mix_hashes (colour[to], 2);
            sum[to] += sluice_mix_hashes (colour[from], 7);
          }
      for (guint i = 0; i < self->n; i++)
        if (self->part[i] == SLUICE_FOLD_MAIN)
          colour[i] = sluice_mix_hashes (colour[i], sum[i]);
    }
  return colour;
}

/* The later ones are compared among equals, so that cells are in the same order; all 0: that of
 * making. */
typedef struct
{
  guint64 key;
  guint64 structure;
  guint64 colour;
  guint reader; /* position of the last box that reads it */
  guint child;
} Place;

#define COMPARE(a, b) ((a) < (b) ? -1 : (a) > (b))

static int
compare_places (const void *pa, const void *pb)
{
  const Place *a = pa, *b = pb;
  int order = COMPARE (a->key, b->key);
  if (order == 0)
    order = COMPARE (a->structure, b->structure);
  if (order == 0)
    order = COMPARE (a->colour, b->colour);
  if (order == 0)
    order = COMPARE (a->reader, b->reader);
  return order != 0 ? order : COMPARE (a->child, b->child);
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

guint
sluice_fold_level_first_bundle (const SluiceFoldLevel *self, guint child)
{
  const SluiceHierarchy *h = self->hierarchy;
  guint low = h->bundle_start[self->scope], high = h->bundle_start[self->scope + 1];
  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      if (h->bundles[middle].from < self->base + child)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Boxes that nothing else tells apart stand as those that read them do: from the end on. */
static void
follow_readers (SluiceFoldLevel *self, Place *places)
{
  const SluiceHierarchy *h = self->hierarchy;
  for (guint end = self->n_main, first; end > 0; end = first)
    {
      for (first = end; first > 0 && places[first - 1].key == places[end - 1].key; first--)
        {
          Place *place = &places[first - 1];
          guint b = sluice_fold_level_first_bundle (self, place->child), from, to;
          for (; b < h->bundle_start[self->scope + 1]
                 && h->bundles[b].from == self->base + place->child;
               b++)
            if (main_ends_of (self, b, &from, &to) && self->position[to] != SLUICE_NONE)
              place->reader = MAX (place->reader, self->position[to]);
        }
      qsort (places + first, end - first, sizeof *places, compare_places);
      for (guint p = first; p < end; p++)
        self->position[places[p].child] = p;
    }
}

void
sluice_fold_level_order (SluiceFoldLevel *self)
{
  g_autofree Place *places = g_new (Place, self->n + 1);
  find_late (self);
  gboolean in_order = self->in_order = is_in_order (self);
  g_autofree guint *distance = in_order ? NULL : find_distances (self);
  g_autofree guint64 *colour = in_order ? NULL : refine_colours (self);
  for (guint i = 0; i < self->n; i++)
    {
      if (self->part[i] != SLUICE_FOLD_MAIN)
        continue;
      Place place = { .key = (guint64) self->late[i] << 32, .child = i };
      if (!in_order)
        {
          place.key |= self->n - distance[i];
          place.structure = self->hierarchy->groups[self->base + i].structure;
          place.colour = colour[i];
        }
      places[self->n_main++] = place;
    }
  qsort (places, self->n_main, sizeof *places, compare_places);
  if (!in_order)
    follow_readers (self, places);
  for (guint p = 0; p < self->n_main; p++)
    {
      self->order[p] = places[p].child;
      self->position[places[p].child] = p;
    }
  count_cuts (self);
}
