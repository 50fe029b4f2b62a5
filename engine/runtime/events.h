/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/lanes.h"
#include "engine/runtime/session.h"

/* Who has read how far in which lane: what a trace cursor stands for. Guarded by its session. */
typedef struct _SluiceEventReaders SluiceEventReaders;

SluiceEventReaders *sluice_event_readers_new (void);
void sluice_event_readers_free (SluiceEventReaders *self);
/* Records since *cursor with names filled in. (transfer full) (element-type SluiceTraceEvent) */
GArray *sluice_event_readers_read (SluiceEventReaders *self,
                                   guint64 *cursor,
                                   SluiceLanes *lanes,
                                   SluiceGraph *graph,
                                   GPtrArray *devices,
                                   guint64 first_tick);
