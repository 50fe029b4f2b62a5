/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/trace.h"

/* The trace rings of a session: a thread that runs nodes takes one for that time. Thread-safe. */
typedef struct _SluiceTraceLanes SluiceTraceLanes;

SluiceTraceLanes *sluice_trace_lanes_new (guint n_records);
SluiceTraceLanes *sluice_trace_lanes_ref (SluiceTraceLanes *self);
void sluice_trace_lanes_unref (SluiceTraceLanes *self);
/* The free lane of the lowest number; a new one where all are taken. */
SluiceTraceRing *sluice_trace_lanes_take (SluiceTraceLanes *self, guint *lane);
void sluice_trace_lanes_give_back (SluiceTraceLanes *self, guint lane);
/* sluice_session_note_host() */
#define SLUICE_HOST_MIN_NS 5000
void sluice_trace_lanes_note_host (SluiceTraceLanes *self,
                                   SluiceHostWork work,
                                   guint64 step,
                                   guint64 since);
guint sluice_trace_lanes_get_n (SluiceTraceLanes *self);
SluiceTraceRing *sluice_trace_lanes_get (SluiceTraceLanes *self, guint lane);
