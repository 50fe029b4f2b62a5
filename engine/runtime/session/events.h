/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"
#include "engine/runtime/session/titles.h"
#include "engine/runtime/session/trace-lanes.h"

/* Who has read how far in which lane: what a trace cursor stands for. Any thread may call; one
 * cursor is read by one thread at a time. */
typedef struct _SluiceEventReaders SluiceEventReaders;

SluiceEventReaders *sluice_event_readers_new (void);
void sluice_event_readers_free (SluiceEventReaders *self);
/* Forgets how far a cursor has read, and sets it to 0: whoever comes next has its place. */
void sluice_event_readers_drop (SluiceEventReaders *self, guint64 *cursor);
typedef struct
{
  SluiceTraceLanes *lanes;
  SluiceTitles *titles; /* what numbers in records stand for */
  const GPtrArray *devices;
  guint64 first_tick;
} SluiceEventSource;

/* Calls @func with each record since *cursor, names filled in. Returns: how many were lost */
guint64 sluice_event_readers_each (SluiceEventReaders *self,
                                   guint64 *cursor,
                                   const SluiceEventSource *source,
                                   SluiceTraceEventFunc func,
                                   gpointer data);
