/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/stored-points.h"

/* Room of a chunk in the cache: points, list node, arrays. */
#define OVERHEAD 128

typedef struct
{
  SluiceSeriesPoints parent;
  SluiceStore *store;
  gint64 series;
} StoredPoints;

typedef struct
{
  const StoredPoints *owner;
  GArray *points; /* of SluiceScalar, in order of steps, never empty */
} CachedChunk;

/* Those read last come first. */
static GQueue cache = G_QUEUE_INIT;
static gsize cache_bytes;

static gsize
chunk_bytes (const CachedChunk *chunk)
{
  return OVERHEAD + chunk->points->len * sizeof (SluiceScalar);
}

static void
cache_remove (GList *link)
{
  CachedChunk *chunk = link->data;
  cache_bytes -= chunk_bytes (chunk);
  g_array_unref (chunk->points);
  g_free (chunk);
  g_queue_delete_link (&cache, link);
}

static GArray *
cache_find (const StoredPoints *owner, gint64 step)
{
  for (GList *link = cache.head; link != NULL; link = link->next)
    {
      CachedChunk *chunk = link->data;
      GArray *points = chunk->points;
      if (chunk->owner != owner || g_array_index (points, SluiceScalar, 0).step > step
          || g_array_index (points, SluiceScalar, points->len - 1).step < step)
        continue;
      g_queue_unlink (&cache, link);
      g_queue_push_head_link (&cache, link);
      return points;
    }
  return NULL;
}

/* Takes the place of what was kept of the same chunk, which has grown. */
static void
cache_put (const StoredPoints *owner, GArray *take)
{
  gint64 first = g_array_index (take, SluiceScalar, 0).step;
  for (GList *link = cache.head, *next; link != NULL; link = next)
    {
      CachedChunk *chunk = link->data;
      next = link->next;
      if (chunk->owner == owner && g_array_index (chunk->points, SluiceScalar, 0).step == first)
        cache_remove (link);
    }
  CachedChunk *chunk = g_new (CachedChunk, 1);
  *chunk = (CachedChunk){ owner, take };
  g_queue_push_head (&cache, chunk);
  cache_bytes += chunk_bytes (chunk);
  while (cache_bytes > SLUICE_STORED_POINTS_CACHE && cache.length > 1)
    cache_remove (cache.tail);
}

static GArray *
get_chunk (const StoredPoints *self, gint64 step)
{
  GArray *points = cache_find (self, step);
  if (points != NULL)
    return points;
  points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  if (!sluice_store_read_chunk (self->store, self->series, step, points, NULL) || points->len == 0)
    {
      g_array_unref (points);
      return NULL;
    }
  cache_put (self, points);
  return points;
}

/* The position of the first step that is not below. */
static guint
lower_bound (GArray *points, gint64 step)
{
  guint low = 0, high = points->len;
  while (low < high)
    {
      guint middle = (low + high) / 2;
      if (g_array_index (points, SluiceScalar, middle).step < step)
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
      GArray *chunk = get_chunk (self, from_step);
      if (chunk == NULL)
        break;
      guint at = lower_bound (chunk, from_step);
      for (; at < chunk->len && n_read < n; at++, n_read++)
        {
          const SluiceScalar *p = &g_array_index (chunk, SluiceScalar, at);
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
      next = link->next;
      if (((CachedChunk *) link->data)->owner == self)
        cache_remove (link);
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
