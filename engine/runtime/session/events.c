/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/session/events.h"

#include "engine/base/lock.h"

/* Records that are copied and given names at a time: half a megabyte. */
#define AT_ONCE 4096

struct _SluiceEventReaders
{
  pthread_mutex_t lock; /* guards the list, not what has been read */
  GPtrArray *readers;   /* of GArray of guint64: a cursor a lane; NULL: free for the next */
};

static void
free_reader (gpointer cursors)
{
  if (cursors != NULL)
    g_array_unref (cursors);
}

SluiceEventReaders *
sluice_event_readers_new (void)
{
  SluiceEventReaders *self = g_new0 (SluiceEventReaders, 1);
  pthread_mutex_init (&self->lock, NULL);
  self->readers = g_ptr_array_new_with_free_func (free_reader);
  return self;
}

void
sluice_event_readers_free (SluiceEventReaders *self)
{
  g_ptr_array_unref (self->readers);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

/* The number that stands for a reader, from 1: the first that is free. */
static guint
take_number (SluiceEventReaders *self)
{
  guint i = 0;
  while (i < self->readers->len && self->readers->pdata[i] != NULL)
    i++;
  if (i == self->readers->len)
    g_ptr_array_add (self->readers, NULL);
  self->readers->pdata[i] = g_array_new (FALSE, TRUE, sizeof (guint64));
  return i + 1;
}

static gboolean
is_known (SluiceEventReaders *self, guint64 cursor)
{
  return cursor > 0 && cursor <= self->readers->len && self->readers->pdata[cursor - 1] != NULL;
}

/* (transfer full): who drops the cursor meanwhile takes nothing away. */
static GArray *
dup_cursors (SluiceEventReaders *self, guint64 *cursor, guint n_lanes)
{
  pthread_mutex_lock (&self->lock);
  if (!is_known (self, *cursor))
    *cursor = take_number (self);
  GArray *cursors = g_array_ref (self->readers->pdata[*cursor - 1]);
  pthread_mutex_unlock (&self->lock);
  if (cursors->len < n_lanes)
    g_array_set_size (cursors, n_lanes);
  return cursors;
}

void
sluice_event_readers_drop (SluiceEventReaders *self, guint64 *cursor)
{
  pthread_mutex_lock (&self->lock);
  if (is_known (self, *cursor))
    g_clear_pointer ((GArray **) &self->readers->pdata[*cursor - 1], g_array_unref);
  pthread_mutex_unlock (&self->lock);
  *cursor = 0;
}

/* (nullable) */
static const SluiceDevice *
find_device (const SluiceEventSource *source, const char *short_name)
{
  for (guint i = 0; short_name != NULL && i < source->devices->len; i++)
    if (g_str_equal (((const SluiceDevice *) source->devices->pdata[i])->short_name, short_name))
      return source->devices->pdata[i];
  return NULL;
}

/* Which queue did it, and whose; what the executor does itself, without a call, asks for no live
 * bytes. What a node receives comes through a queue of where it stands, or, over the host, through
 * one of where its value was made. */
static void
find_queue (SluiceTraceEvent *event,
            const SluiceEventSource *source,
            const SluiceDevice *stands,
            const SluiceNodeTitle *node)
{
  const SluiceDevice *made =
      event->kind == SLUICE_TRACE_RECV ? find_device (source, node->device) : NULL;
  gboolean comes_out = made != NULL && made->klass->queues != NULL && made->klass != stands->klass;
  if (comes_out)
    {
      event->queue = 1 + SLUICE_QUEUE_OUT;
      event->device = made->name;
      event->live = 0; /* it was asked for elsewhere */
    }
  else if (stands->klass->queues != NULL && event->kind == SLUICE_TRACE_LOCK)
    event->queue = 1 + SLUICE_QUEUE_COMPUTE;
  else if (stands->klass->queues != NULL && event->kind != SLUICE_TRACE_SEND && event->live > 0)
    event->queue = 1 + (event->kind == SLUICE_TRACE_RECV ? SLUICE_QUEUE_IN : SLUICE_QUEUE_COMPUTE);
}

/* Of no node: what they are is all that there is to say. FALSE: it is of one */
static gboolean
fill_host_work (SluiceTraceEvent *event, const SluiceTraceRecord *record)
{
  if (event->kind != SLUICE_TRACE_HOST)
    return FALSE;
  event->number = 0;
  event->node = sluice_host_work_name (record->node);
  event->op = "host";
  event->device = "host";
  event->with = NULL;
  return TRUE;
}

static const char *
get_op (SluiceTraceKind kind, const SluiceTraceRecord *record, const char *op)
{
  switch (kind)
    {
    case SLUICE_TRACE_SEND:
      return "_Send";
    case SLUICE_TRACE_RECV:
      return "_Recv";
    case SLUICE_TRACE_LOCK:
      return sluice_lock_kind_name (record->bytes_in);
    case SLUICE_TRACE_NODE:
    case SLUICE_TRACE_WAIT:
    case SLUICE_TRACE_HOST:
    default:
      return op;
    }
}

/* Under the titles' lock. */
static void
append_event (GArray *events,
              const SluiceTraceRecord *record,
              const SluiceEventSource *source,
              double us_per_tick)
{
  const SluiceTitles *titles = source->titles;
  const SluiceNodeTitle none = { NULL };
  SluiceTraceKind kind = record->kind & 0x7f;
  const SluiceTransferTitle *transfer =
      (kind == SLUICE_TRACE_SEND || kind == SLUICE_TRACE_RECV) && record->node > 0
              && record->node <= titles->transfers->len
          ? &g_array_index (titles->transfers, SluiceTransferTitle, record->node - 1)
          : NULL;
  guint32 number = transfer != NULL ? transfer->node : record->node;
  const SluiceNodeTitle *node = number > 0 && number <= titles->nodes->len
                                    ? &g_array_index (titles->nodes, SluiceNodeTitle, number - 1)
                                    : &none;
  const SluiceDevice *device = source->devices->pdata[record->kind >> 8];
  SluiceTraceEvent event = {
    .number = number,
    .node = node->name,
    .op = get_op (kind, record, node->op),
    .with = record->kind & SLUICE_TRACE_TOGETHER
                ? g_hash_table_lookup (titles->together, GUINT_TO_POINTER (record->node))
                : NULL,
    .transfer = transfer != NULL ? transfer->text : NULL,
    .device = device->name,
    .kind = kind,
    .lane = record->lane,
    .step = record->step,
    .frame = record->frame ? titles->frames->pdata[record->frame] : NULL,
    .iteration = record->iteration,
    .scheduled_us = (double) (gint64) (record->scheduled - source->first_tick) * us_per_tick,
    .start_us = (double) (gint64) (record->start - source->first_tick) * us_per_tick,
    .end_us = (double) (gint64) (record->end - source->first_tick) * us_per_tick,
    .bytes_in = kind == SLUICE_TRACE_LOCK ? 0 : (gsize) record->bytes_in * SLUICE_TRACE_UNIT,
    .bytes_out = (gsize) record->bytes_out * SLUICE_TRACE_UNIT,
    .live = (gsize) record->live * SLUICE_TRACE_UNIT,
  };
  if (!fill_host_work (&event, record))
    find_queue (&event, source, device, node);
  g_array_append_val (events, event);
}

/* What a lane has had committed by now, a piece at a time: its writer may be as fast. */
static guint64
each_of_lane (SluiceTraceRing *ring,
              guint64 *cursor,
              const SluiceEventSource *source,
              SluiceTraceEventFunc func,
              gpointer data)
{
  g_autoptr (GArray) records = g_array_new (FALSE, FALSE, sizeof (SluiceTraceRecord));
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (SluiceTraceEvent));
  double us_per_tick = sluice_clock_ns_per_tick () / 1000;
  guint64 end = atomic_load_explicit (&ring->count, memory_order_acquire), n_lost = 0;
  while (*cursor < end)
    {
      g_array_set_size (records, 0);
      g_array_set_size (events, 0);
      n_lost += sluice_trace_ring_read_some (ring, cursor, AT_ONCE, records);
      pthread_mutex_lock (&source->titles->lock);
      for (guint i = 0; i < records->len; i++)
        append_event (events, &g_array_index (records, SluiceTraceRecord, i), source, us_per_tick);
      pthread_mutex_unlock (&source->titles->lock);
      for (guint i = 0; i < events->len; i++)
        func (&g_array_index (events, SluiceTraceEvent, i), data);
    }
  return n_lost;
}

guint64
sluice_event_readers_each (SluiceEventReaders *self,
                           guint64 *cursor,
                           const SluiceEventSource *source,
                           SluiceTraceEventFunc func,
                           gpointer data)
{
  guint n = sluice_trace_lanes_get_n (source->lanes);
  g_autoptr (GArray) cursors = dup_cursors (self, cursor, n);
  guint64 n_lost = 0;
  for (guint lane = 0; lane < n; lane++)
    n_lost += each_of_lane (sluice_trace_lanes_get (source->lanes, lane),
                            &g_array_index (cursors, guint64, lane), source, func, data);
  return n_lost;
}
