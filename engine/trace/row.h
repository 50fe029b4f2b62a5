/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/trace/span-column.h"
#include "engine/trace/trace-view.h"

/*
 * A row of a lane: spans that do not overlap, by start. Above them blocks of thirty-two, blocks of
 * thirty-two blocks, and so on, each only when it is full: whoever looks from afar walks these.
 */
#define SLUICE_ROW_FANOUT 32
#define SLUICE_ROW_LEVELS 7 /* of more spans than have a number */

typedef struct
{
  gint64 busy, start, end, longest_time;
  guint64 longest; /* number of a span */
} SluiceRowBlock;

typedef struct
{
  SluiceSpanColumn start, time; /* of all spans of the view, by number */
} SluiceSpanTimes;

typedef struct
{
  SluiceSpanColumn order; /* numbers of spans */
  GArray *levels[SLUICE_ROW_LEVELS];
} SluiceRow;

SluiceRow *sluice_row_new (void);
void sluice_row_free (gpointer self);
/* It begins after all that are there have ended. */
void sluice_row_push (SluiceRow *self, const SluiceSpanTimes *times, guint64 number);
void sluice_row_truncate (SluiceRow *self, guint64 n);
/* Blocks of a level that are full. */
guint64 sluice_row_count_blocks (const SluiceRow *self, guint level);
gsize sluice_row_get_bytes (const SluiceRow *self);

/* The first position that ends after a time. */
guint64 sluice_row_find (const SluiceRow *self, const SluiceSpanTimes *times, gint64 time);
/* As sluice_trace_view_each_piece(). */
void sluice_row_each_piece (const SluiceRow *self,
                            const SluiceSpanTimes *times,
                            gint64 from,
                            gint64 to,
                            gint64 grain,
                            SluiceTracePieceFunc func,
                            gpointer data);

static inline gint64
sluice_span_start (const SluiceSpanTimes *times, guint64 number)
{
  return sluice_span_column_get (&times->start, number);
}

static inline gint64
sluice_span_end (const SluiceSpanTimes *times, guint64 number)
{
  return sluice_span_column_get (&times->start, number)
         + sluice_span_column_get (&times->time, number);
}

static inline guint64
sluice_row_at (const SluiceRow *self, guint64 position)
{
  return (guint64) sluice_span_column_get (&self->order, position);
}
