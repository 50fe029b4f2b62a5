/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/critical-path.h"

#include <math.h>

static const SluiceTraceItem *
get_items (const SluiceCriticalPath *self)
{
  return (const SluiceTraceItem *) self->depends->items->data;
}

/* Calls @func with what an item had to wait for. */
typedef void (*BeforeFunc) (guint before, gboolean by_lane, gpointer data);

static void
each_before (const SluiceTraceDepends *depends, guint i, BeforeFunc func, gpointer data)
{
  const SluiceTraceItem *item = &g_array_index (depends->items, SluiceTraceItem, i);
  for (guint k = 0; k < item->n_needs; k++)
    func (g_array_index (depends->needs, SluiceTraceNeed, item->first_need + k).item, FALSE, data);
  if (item->before != SLUICE_DEPENDS_NONE)
    func (item->before, TRUE, data);
}

typedef struct
{
  const gint64 *ends; /* by item */
  gint64 latest;
  guint item; /* that ended then */
  gboolean by_lane;
} Latest;

/* A value before a lane: who made it is what one can do something about. */
static void
find_latest (guint before, gboolean by_lane, gpointer data)
{
  Latest *self = data;
  if (self->ends[before] <= self->latest)
    return;
  self->latest = self->ends[before];
  self->item = before;
  self->by_lane = by_lane;
}

static Latest
get_latest (const SluiceCriticalPath *self, const gint64 *ends, guint i)
{
  Latest latest = { ends, self->depends->start, SLUICE_DEPENDS_NONE, FALSE };
  each_before (self->depends, i, find_latest, &latest);
  return latest;
}

static gint64 *
dup_ends (const SluiceTraceDepends *depends)
{
  gint64 *ends = g_new (gint64, depends->items->len + 1);
  for (guint i = 0; i < depends->items->len; i++)
    ends[i] = g_array_index (depends->items, SluiceTraceItem, i).end;
  return ends;
}

/* ---- slack ---- */

typedef struct
{
  gint64 *latest; /* by item: when it must have ended */
  gint64 start;   /* when the one behind must have been able to begin */
} Backwards;

static void
pull (guint before, gboolean by_lane, gpointer data)
{
  const Backwards *self = data;
  self->latest[before] = MIN (self->latest[before], self->start);
}

/* Whoever waits comes later in the order: one walk from its end. */
static void
find_slack (SluiceCriticalPath *self, gint64 end)
{
  const SluiceTraceItem *items = get_items (self);
  guint n = self->depends->items->len;
  g_autofree gint64 *latest = g_new (gint64, n + 1);
  for (guint i = 0; i < n; i++)
    latest[i] = end;
  for (guint i = n; i-- > 0;)
    {
      self->slack[i] = latest[i] - items[i].end;
      Backwards backwards = { latest,
                              latest[i] - (items[i].end - items[i].start) - self->delay[i] };
      each_before (self->depends, i, pull, &backwards);
    }
}

/* ---- path ---- */

static void
find_path (SluiceCriticalPath *self, const gint64 *ends)
{
  const SluiceTraceItem *items = get_items (self);
  guint at = SLUICE_DEPENDS_NONE;
  for (guint i = 0; i < self->depends->items->len; i++)
    if (at == SLUICE_DEPENDS_NONE || ends[i] > ends[at])
      at = i;
  while (at != SLUICE_DEPENDS_NONE)
    {
      Latest latest = get_latest (self, ends, at);
      const SluiceCriticalItem step = { at, items[at].start - latest.latest, latest.by_lane };
      g_array_append_val (self->path, step);
      self->busy += items[at].end - items[at].start;
      at = latest.item;
    }
  SluiceCriticalItem *path = (SluiceCriticalItem *) self->path->data;
  for (guint i = 0, k = self->path->len; i + 1 < k--; i++)
    {
      SluiceCriticalItem first = path[i];
      path[i] = path[k];
      path[k] = first;
    }
}

SluiceCriticalPath *
sluice_critical_path_new (const SluiceTraceDepends *depends)
{
  SluiceCriticalPath *self = g_new0 (SluiceCriticalPath, 1);
  guint n = depends->items->len;
  self->depends = depends;
  self->path = g_array_new (FALSE, FALSE, sizeof (SluiceCriticalItem));
  self->slack = g_new0 (gint64, n + 1);
  self->delay = g_new0 (gint64, n + 1);
  g_autofree gint64 *ends = dup_ends (depends);
  gint64 end = depends->start;
  for (guint i = 0; i < n; i++)
    {
      self->delay[i] = get_items (self)[i].start - get_latest (self, ends, i).latest;
      end = MAX (end, ends[i]);
    }
  find_slack (self, end);
  find_path (self, ends);
  return self;
}

void
sluice_critical_path_free (SluiceCriticalPath *self)
{
  g_array_unref (self->path);
  g_free (self->slack);
  g_free (self->delay);
  g_free (self);
}

gint64
sluice_critical_path_what_if (const SluiceCriticalPath *self,
                              SluiceFactorFunc factor,
                              gpointer data,
                              gint64 *starts)
{
  const SluiceTraceItem *items = get_items (self);
  gint64 start = self->depends->start, last = start;
  g_autofree gint64 *ends = dup_ends (self->depends);
  for (guint i = 0; i < self->depends->items->len; i++)
    {
      gint64 begin = get_latest (self, ends, i).latest + self->delay[i];
      double time = (double) (items[i].end - items[i].start) * factor (i, data);
      ends[i] = begin + (gint64) llround (MAX (0, time));
      last = MAX (last, ends[i]);
      if (starts != NULL)
        starts[i] = begin;
    }
  return last - start;
}
