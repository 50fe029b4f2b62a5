/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * What ran when: one ring per lane (thread that runs nodes), always on. Writers never wait; readers
 * copy and drop what was overwritten meanwhile.
 */
typedef struct
{
  guint64 scheduled, start, end; /* sluice_clock_ticks() */
  guint32 node;                  /* id of the origin in the session's graph */
  guint32 bytes;                 /* of its outputs, in units of 64 */
  guint32 step;                  /* low bits of the step's number */
  guint32 iteration;             /* of the innermost frame */
  guint32 frame;
  guint32 kind; /* SluiceTraceKind, and from bit 8 the number of the device */
} SluiceTraceRecord;

typedef enum
{
  SLUICE_TRACE_NODE,
  SLUICE_TRACE_WAIT,
  SLUICE_TRACE_SEND,
  SLUICE_TRACE_RECV,
} SluiceTraceKind;

typedef struct _SluiceTraceRing SluiceTraceRing;

SluiceTraceRing *
sluice_trace_ring_new (guint n_records); /* kept at least; a power of two is held */
void sluice_trace_ring_free (SluiceTraceRing *self);
/* The next slot to fill: a store each, published by sluice_trace_ring_commit(). One writer at a
 * time. */
SluiceTraceRecord *sluice_trace_ring_slot (SluiceTraceRing *self);
void sluice_trace_ring_commit (SluiceTraceRing *self);
/* Copies what is there from *cursor on and moves it. Returns the records lost between two calls. */
guint64 sluice_trace_ring_read (SluiceTraceRing *self, guint64 *cursor, GArray *records);
