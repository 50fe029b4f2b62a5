/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/trace-file.h"

#include <string.h>

#include "engine/base/pool.h"
#include "engine/store/file.h"
#include "engine/trace/fill.h"
#include "engine/trace/trace-own.h"
#include "engine/trace/trace-sql.h"

static const struct
{
  const char *name;
  const char *endings[3];
} formats[SLUICE_N_TRACE_FORMATS] = {
  [SLUICE_TRACE_CHROME] = { "chrome", { ".json" } },
  [SLUICE_TRACE_PERFETTO] = { "perfetto", { ".pftrace", ".perfetto-trace" } },
  [SLUICE_TRACE_RUN_METADATA] = { "run-metadata", { ".pb" } },
  [SLUICE_TRACE_EVENT_FILE] = { "event-file", { NULL } },
  [SLUICE_TRACE_SQL] = { "sqlite", { ".db", ".sqlite" } },
  [SLUICE_TRACE_OWN] = { "sltrace", { SLUICE_TRACE_OWN_ENDING } },
};

gboolean
sluice_trace_format_from_name (const char *name, SluiceTraceFormat *format)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (strcmp (formats[i].name, name) == 0)
      {
        *format = i;
        return TRUE;
      }
  return FALSE;
}

gboolean
sluice_trace_format_from_path (const char *path, SluiceTraceFormat *format)
{
  g_autofree char *base = g_path_get_basename (path);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint k = 0; formats[i].endings[k]; k++)
      if (g_str_has_suffix (base, formats[i].endings[k]))
        {
          *format = i;
          return TRUE;
        }
  *format = SLUICE_TRACE_EVENT_FILE;
  return strstr (base, "tfevents") != NULL;
}

/* ---- tracks ---- */

#define QUEUE_TRACKS 4096 /* more than there are lanes */
G_STATIC_ASSERT (QUEUE_TRACKS > SLUICE_MAX_THREADS);

guint
sluice_trace_track (const SluiceTraceEvent *event)
{
  return event->queue > 0 ? QUEUE_TRACKS + event->queue : event->lane;
}

char *
sluice_trace_dup_track_name (const SluiceTraceEvent *event)
{
  static const char *const queues[SLUICE_N_QUEUE_KINDS] = {
    [SLUICE_QUEUE_COMPUTE] = "compute", [SLUICE_QUEUE_IN] = "in", [SLUICE_QUEUE_OUT] = "out"
  };
  return event->queue > 0 ? g_strdup (queues[event->queue - 1])
                          : g_strdup_printf ("lane %u", event->lane);
}

/* ---- order ---- */

static int
compare_events (gconstpointer a, gconstpointer b)
{
  const SluiceTraceEvent *x = *(const SluiceTraceEvent *const *) a;
  const SluiceTraceEvent *y = *(const SluiceTraceEvent *const *) b;
  int by_device = x->device == y->device ? 0 : strcmp (x->device, y->device);
  if (by_device != 0)
    return by_device;
  if (sluice_trace_track (x) != sluice_trace_track (y))
    return sluice_trace_track (x) < sluice_trace_track (y) ? -1 : 1;
  if (x->start_us != y->start_us)
    return x->start_us < y->start_us ? -1 : 1;
  return x->end_us < y->end_us ? -1 : x->end_us > y->end_us;
}

/* Waits for locks lie within what the queue did. */
static void
begin_in_turn (GPtrArray *order)
{
  const SluiceTraceEvent *before = NULL;
  for (guint i = 0; i < order->len; i++)
    {
      SluiceTraceEvent *event = order->pdata[i];
      if (event->kind == SLUICE_TRACE_LOCK)
        continue;
      if (before != NULL && event->queue > 0 && event->queue == before->queue
          && strcmp (event->device, before->device) == 0)
        event->start_us = CLAMP (before->end_us, event->start_us, event->end_us);
      before = event;
    }
}

GPtrArray *
sluice_trace_sort (const SluiceTraceContent *self, GPtrArray **devices)
{
  GPtrArray *order = g_ptr_array_sized_new (self->events->len);
  for (guint i = 0; i < self->events->len; i++)
    g_ptr_array_add (order, &g_array_index (self->events, SluiceTraceEvent, i));
  g_ptr_array_sort (order, compare_events);
  begin_in_turn (order);
  *devices = g_ptr_array_new ();
  for (guint i = 0; i < order->len; i++)
    {
      const SluiceTraceEvent *event = order->pdata[i];
      if (!(*devices)->len || strcmp ((*devices)->pdata[(*devices)->len - 1], event->device) != 0)
        g_ptr_array_add (*devices, (gpointer) event->device);
    }
  return order;
}

guint
sluice_trace_device_number (const GPtrArray *devices, const SluiceTraceEvent *event)
{
  for (guint i = 0; i < devices->len; i++)
    if (strcmp (devices->pdata[i], event->device) == 0)
      return i;
  g_return_val_if_reached (0);
}

/* ---- flows ---- */

/* FNV-1a. */
static guint64
mix (guint64 hash, const void *data, gsize length)
{
  const guint8 *bytes = data;
  for (gsize i = 0; i < length; i++)
    hash = (hash ^ bytes[i]) * G_GUINT64_CONSTANT (0x100000001b3);
  return hash;
}

guint64
sluice_trace_flow_id (const SluiceTraceEvent *event)
{
  if (event->transfer == NULL
      || (event->kind != SLUICE_TRACE_SEND && event->kind != SLUICE_TRACE_RECV))
    return 0;
  guint64 hash = G_GUINT64_CONSTANT (0xcbf29ce484222325);
  hash = mix (hash, event->transfer, strlen (event->transfer));
  hash = mix (hash, &event->step, sizeof event->step);
  hash = mix (hash, &event->iteration, sizeof event->iteration);
  if (event->frame != NULL)
    hash = mix (hash, event->frame, strlen (event->frame));
  return MAX (1, hash >> 1); /* readers take it for a signed number */
}

static gboolean
has_no_end (gpointer id, gpointer send, gpointer data)
{
  return !g_hash_table_contains (data, id);
}

GHashTable *
sluice_trace_find_sends (const GArray *events)
{
  GHashTable *sends = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GHashTable) received =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  for (guint i = 0; i < events->len; i++)
    {
      const SluiceTraceEvent *event = &g_array_index (events, SluiceTraceEvent, i);
      guint64 id = sluice_trace_flow_id (event);
      if (id != 0)
        g_hash_table_insert (event->kind == SLUICE_TRACE_SEND ? sends : received,
                             g_memdup2 (&id, sizeof id), (gpointer) event);
    }
  g_hash_table_foreach_remove (sends, has_no_end, received);
  return sends;
}

/* ---- files ---- */

GByteArray *
sluice_trace_encode (const SluiceTraceContent *self, SluiceTraceFormat format)
{
  switch (format)
    {
    case SLUICE_TRACE_CHROME:
      return sluice_trace_encode_chrome (self);
    case SLUICE_TRACE_PERFETTO:
      return sluice_trace_encode_perfetto (self);
    case SLUICE_TRACE_RUN_METADATA:
      return sluice_trace_encode_run_metadata (self);
    case SLUICE_TRACE_EVENT_FILE:
      return sluice_trace_encode_event_file (self);
    case SLUICE_TRACE_OWN:
    case SLUICE_TRACE_SQL:
    case SLUICE_N_TRACE_FORMATS:
      break;
    }
  g_return_val_if_reached (NULL);
}

static gboolean
write_view (const SluiceTraceContent *self,
            SluiceTraceFormat format,
            const char *path,
            GError **error)
{
  g_autoptr (SluiceTraceView) view = sluice_trace_view_new ();
  sluice_trace_view_set_start (view, self->start);
  sluice_trace_view_add_events (view, self->events);
  return format == SLUICE_TRACE_OWN ? sluice_trace_own_write (view, path, error)
                                    : sluice_trace_sql_write (view, self->graph, path, error);
}

gboolean
sluice_trace_write (const SluiceTraceContent *self,
                    SluiceTraceFormat format,
                    const char *path,
                    GError **error)
{
  if (format == SLUICE_TRACE_OWN || format == SLUICE_TRACE_SQL)
    return write_view (self, format, path, error);
  g_autoptr (GByteArray) bytes = sluice_trace_encode (self, format);
  return sluice_file_put ("trace", path, bytes->data, bytes->len, error);
}
