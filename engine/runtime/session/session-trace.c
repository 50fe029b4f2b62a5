/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a session has seen run, and on which clock. */
#include "engine/runtime/session/session-private.h"

guint64
sluice_session_each_trace (SluiceSession *self,
                           guint64 *cursor,
                           SluiceTraceEventFunc func,
                           gpointer data)
{
  const SluiceEventSource source = { self->host->lanes, &self->cache->titles, self->host->devices,
                                     self->first_tick };
  return sluice_event_readers_each (self->readers, cursor, &source, func, data);
}

static void
keep_event (const SluiceTraceEvent *event, gpointer events)
{
  g_array_append_vals (events, event, 1);
}

GArray *
sluice_session_dup_trace (SluiceSession *self, guint64 *cursor, guint64 *lost)
{
  GArray *events = g_array_new (FALSE, FALSE, sizeof (SluiceTraceEvent));
  guint64 n_lost = sluice_session_each_trace (self, cursor, keep_event, events);
  if (lost != NULL)
    *lost = n_lost;
  return events;
}

void
sluice_session_drop_trace (SluiceSession *self, guint64 *cursor)
{
  sluice_event_readers_drop (self->readers, cursor);
}

void
sluice_session_note_host (SluiceSession *self, SluiceHostWork work, guint64 step, guint64 since)
{
  if (!self->options.no_trace)
    sluice_trace_lanes_note_host (self->host->lanes, work, step, since);
}

double
sluice_session_get_us (SluiceSession *self, guint64 ticks)
{
  return (double) (gint64) (ticks - self->first_tick) * sluice_clock_ns_per_tick () / 1000;
}

gint64
sluice_session_get_start (SluiceSession *self)
{
  return self->start_us;
}
