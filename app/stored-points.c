/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/stored-points.h"

#include <string.h>

typedef struct
{
  SluiceSeriesPoints parent;
  SluiceStore *store;
  gint64 series;
} StoredPoints;

/* As large as its points and no larger: an array that grows has room for up to twice as many. */
typedef struct
{
  GList link; /* its data is the chunk */
  const StoredPoints *owner;
  guint n;               /* > 0 */
  SluiceScalar points[]; /* in order of steps */
} CachedChunk;

/* Those read last come first. */
static GQueue cache = G_QUEUE_INIT;
static gsize cache_bytes;

static gsize
chunk_bytes (guint n)
{
  return sizeof (CachedChunk) + n * sizeof (SluiceScalar);
}

static void
cache_remove (CachedChunk *chunk)
{
  g_queue_unlink (&cache, &chunk->link);
  cache_bytes -= chunk_bytes (chunk->n);
  g_free (chunk);
}

static const CachedChunk *
cache_find (const StoredPoints *owner, gint64 step)
{
  for (GList *link = cache.head; link != NULL; link = link->next)
    {
      CachedChunk *chunk = link->data;
      if (chunk->owner != owner || chunk->points[0].step > step
          || chunk->points[chunk->n - 1].step < step)
        continue;
      g_queue_unlink (&cache, link);
      g_queue_push_head_link (&cache, link);
      return chunk;
    }
  return NULL;
}

/* Takes the place of what was kept of the same chunk, which has grown. */
static const CachedChunk *
cache_put (const StoredPoints *owner, const GArray *points)
{
  const SluiceScalar *first = &g_array_index (points, SluiceScalar, 0);
  for (GList *link = cache.head, *next; link != NULL; link = next)
    {
      CachedChunk *chunk = link->data;
      next = link->next;
      if (chunk->owner == owner && chunk->points[0].step == first->step)
        cache_remove (chunk);
    }
  gsize size = chunk_bytes (points->len);
  while (cache.length > 0 && cache_bytes + size > SLUICE_STORED_POINTS_CACHE)
    cache_remove (cache.tail->data);
  CachedChunk *chunk = g_malloc (size);
  chunk->link = (GList){ .data = chunk };
  chunk->owner = owner;
  chunk->n = points->len;
  memcpy (chunk->points, first, points->len * sizeof *first);
  g_queue_push_head_link (&cache, &chunk->link);
  cache_bytes += size;
  return chunk;
}

static const CachedChunk *
get_chunk (const StoredPoints *self, gint64 step)
{
  const CachedChunk *chunk = cache_find (self, step);
  if (chunk != NULL)
    return chunk;
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  if (!sluice_store_read_chunk (self->store, self->series, step, points, NULL) || points->len == 0)
    return NULL;
  return cache_put (self, points);
}

/* The position of the first step that is not below. */
static guint
lower_bound (const CachedChunk *chunk, gint64 step)
{
  guint low = 0, high = chunk->n;
  while (low < high)
    {
      guint middle = (low + high) / 2;
      if (chunk->points[middle].step < step)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static guint
stored_read (
    SluiceSeriesPoints *points, guint64 index, gint64 from_step, guint n, SluiceSeriesPoint *out)
{
  const StoredPoints *self = (StoredPoints *) points;
  guint n_read = 0;
  while (n_read < n)
    {
      const CachedChunk *chunk = get_chunk (self, from_step);
      if (chunk == NULL)
        break;
      guint at = lower_bound (chunk, from_step);
      for (; at < chunk->n && n_read < n; at++, n_read++)
        {
          const SluiceScalar *p = &chunk->points[at];
          out[n_read] = (SluiceSeriesPoint){ p->step, p->wall, p->value };
        }
      gint64 last = out[n_read - 1].step;
      if (last == G_MAXINT64)
        break;
      from_step = last + 1;
    }
  return n_read;
}

static void
stored_forget (SluiceSeriesPoints *points)
{
  const StoredPoints *self = (StoredPoints *) points;
  for (GList *link = cache.head, *next; link != NULL; link = next)
    {
      CachedChunk *chunk = link->data;
      next = link->next;
      if (chunk->owner == self)
        cache_remove (chunk);
    }
}

static void
stored_free (SluiceSeriesPoints *points)
{
  StoredPoints *self = (StoredPoints *) points;
  stored_forget (points);
  g_object_unref (self->store);
  g_free (self);
}

SluiceSeriesPoints *
sluice_stored_points_new (SluiceStore *store, gint64 series)
{
  StoredPoints *self = g_new (StoredPoints, 1);
  *self =
      (StoredPoints){ { stored_read, stored_forget, stored_free }, g_object_ref (store), series };
  return &self->parent;
}

gsize
sluice_stored_points_get_cached (void)
{
  return cache_bytes;
}
