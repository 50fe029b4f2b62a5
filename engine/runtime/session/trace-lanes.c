/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/session/trace-lanes.h"

#include <pthread.h>
#include <stdatomic.h>

#include "engine/base/pool.h"

struct _SluiceTraceLanes
{
  _Atomic int ref_count;
  guint n_records;
  pthread_mutex_t lock;
  GPtrArray *rings; /* under lock; a ring lives as long as the lanes */
  GArray *taken;    /* of gboolean, under lock */
};

SluiceTraceLanes *
sluice_trace_lanes_new (guint n_records)
{
  SluiceTraceLanes *self = g_new0 (SluiceTraceLanes, 1);
  self->ref_count = 1;
  self->n_records = n_records;
  pthread_mutex_init (&self->lock, NULL);
  self->rings = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_trace_ring_free);
  self->taken = g_array_new (FALSE, TRUE, sizeof (gboolean));
  return self;
}

SluiceTraceLanes *
sluice_trace_lanes_ref (SluiceTraceLanes *self)
{
  atomic_fetch_add (&self->ref_count, 1);
  return self;
}

void
sluice_trace_lanes_unref (SluiceTraceLanes *self)
{
  if (atomic_fetch_sub (&self->ref_count, 1) != 1)
    return;
  g_ptr_array_unref (self->rings);
  g_array_unref (self->taken);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

SluiceTraceRing *
sluice_trace_lanes_take (SluiceTraceLanes *self, guint *lane)
{
  pthread_mutex_lock (&self->lock);
  guint i = 0;
  while (i < self->taken->len && g_array_index (self->taken, gboolean, i))
    i++;
  if (i == self->taken->len)
    {
      g_array_set_size (self->taken, i + 1);
      g_ptr_array_add (self->rings, sluice_trace_ring_new (self->n_records));
    }
  g_array_index (self->taken, gboolean, i) = TRUE;
  SluiceTraceRing *ring = self->rings->pdata[i];
  pthread_mutex_unlock (&self->lock);
  sluice_trace_ring_settle (ring);
  *lane = i;
  return ring;
}

void
sluice_trace_lanes_give_back (SluiceTraceLanes *self, guint lane)
{
  pthread_mutex_lock (&self->lock);
  g_array_index (self->taken, gboolean, lane) = FALSE;
  pthread_mutex_unlock (&self->lock);
}

guint
sluice_trace_lanes_get_n (SluiceTraceLanes *self)
{
  pthread_mutex_lock (&self->lock);
  guint n = self->rings->len;
  pthread_mutex_unlock (&self->lock);
  return n;
}

SluiceTraceRing *
sluice_trace_lanes_get (SluiceTraceLanes *self, guint lane)
{
  pthread_mutex_lock (&self->lock);
  SluiceTraceRing *ring = self->rings->pdata[lane];
  pthread_mutex_unlock (&self->lock);
  return ring;
}

void
sluice_trace_lanes_note_host (SluiceTraceLanes *self,
                              SluiceHostWork work,
                              guint64 step,
                              guint64 since)
{
  guint64 now = sluice_clock_ticks ();
  guint lane;
  if ((double) (now - since) * sluice_clock_ns_per_tick () < SLUICE_HOST_MIN_NS)
    return;
  SluiceTraceRing *ring = sluice_trace_lanes_take (self, &lane);
  const SluiceTraceRecord record = { .scheduled = since,
                                     .start = since,
                                     .end = now,
                                     .node = work,
                                     .step = (guint32) step,
                                     .lane = lane,
                                     .kind = SLUICE_TRACE_HOST };
  sluice_trace_ring_add (ring, &record);
  sluice_trace_lanes_give_back (self, lane);
}
