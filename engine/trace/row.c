/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/row.h"

SluiceRow *
sluice_row_new (void)
{
  SluiceRow *self = g_new0 (SluiceRow, 1);
  sluice_span_column_init (&self->order);
  return self;
}

void
sluice_row_free (gpointer data)
{
  SluiceRow *self = data;
  sluice_span_column_clear (&self->order);
  for (guint i = 0; i < SLUICE_ROW_LEVELS; i++)
    g_clear_pointer (&self->levels[i], g_array_unref);
  g_free (self);
}

guint64
sluice_row_count_blocks (const SluiceRow *self, guint level)
{
  return self->order.n >> (5 * (level + 1));
}
G_STATIC_ASSERT (SLUICE_ROW_FANOUT == 1 << 5);

gsize
sluice_row_get_bytes (const SluiceRow *self)
{
  gsize bytes = sizeof *self + sluice_span_column_get_bytes (&self->order);
  for (guint i = 0; i < SLUICE_ROW_LEVELS; i++)
    bytes += self->levels[i] ? self->levels[i]->len * sizeof (SluiceRowBlock) : 0;
  return bytes;
}

/* ---- adding ---- */

/* What stands below position @first of the level below makes a block. */
static SluiceRowBlock
sum_blocks (const SluiceRow *self, guint level, guint64 first)
{
  SluiceRowBlock sum = { .longest_time = -1 };
  for (guint i = 0; i < SLUICE_ROW_FANOUT; i++)
    {
      const SluiceRowBlock *block =
          &g_array_index (self->levels[level - 1], SluiceRowBlock, first + i);
      sum.busy += block->busy;
      sum.start = i == 0 ? block->start : sum.start;
      sum.end = block->end;
      if (block->longest_time <= sum.longest_time)
        continue;
      sum.longest_time = block->longest_time;
      sum.longest = block->longest;
    }
  return sum;
}

static SluiceRowBlock
sum_spans (const SluiceRow *self, const SluiceSpanTimes *times, guint64 first)
{
  SluiceRowBlock sum = { .longest_time = -1 };
  for (guint i = 0; i < SLUICE_ROW_FANOUT; i++)
    {
      guint64 number = sluice_row_at (self, first + i);
      gint64 time = sluice_span_column_get (&times->time, number);
      sum.busy += time;
      sum.start = i == 0 ? sluice_span_start (times, number) : sum.start;
      sum.end = sluice_span_end (times, number);
      if (time <= sum.longest_time)
        continue;
      sum.longest_time = time;
      sum.longest = number;
    }
  return sum;
}

void
sluice_row_push (SluiceRow *self, const SluiceSpanTimes *times, guint64 number)
{
  sluice_span_column_add (&self->order, (gint64) number);
  guint64 n = self->order.n;
  for (guint level = 0; level < SLUICE_ROW_LEVELS && n % SLUICE_ROW_FANOUT == 0; level++)
    {
      guint64 first = n - SLUICE_ROW_FANOUT;
      SluiceRowBlock block =
          level == 0 ? sum_spans (self, times, first) : sum_blocks (self, level, first);
      if (self->levels[level] == NULL)
        self->levels[level] = g_array_new (FALSE, FALSE, sizeof block);
      g_array_append_val (self->levels[level], block);
      n /= SLUICE_ROW_FANOUT;
    }
}

void
sluice_row_truncate (SluiceRow *self, guint64 n)
{
  sluice_span_column_truncate (&self->order, n);
  for (guint level = 0; level < SLUICE_ROW_LEVELS; level++)
    if (self->levels[level] != NULL)
      g_array_set_size (self->levels[level], (guint) sluice_row_count_blocks (self, level));
}

/* ---- asking ---- */

guint64
sluice_row_find (const SluiceRow *self, const SluiceSpanTimes *times, gint64 time)
{
  guint64 at = 0;
  for (guint level = SLUICE_ROW_LEVELS; level-- > 0;)
    {
      guint shift = 5 * (level + 1);
      guint64 n = sluice_row_count_blocks (self, level);
      while (at >> shift < n
             && g_array_index (self->levels[level], SluiceRowBlock, at >> shift).end <= time)
        at += (guint64) 1 << shift;
    }
  while (at < self->order.n && sluice_span_end (times, sluice_row_at (self, at)) <= time)
    at++;
  return at;
}

typedef struct
{
  const SluiceRow *row;
  const SluiceSpanTimes *times;
  guint64 at;
  gint64 to, grain;
  gint64 limit;        /* where the piece must have ended */
  gint64 longest_time; /* -1: nothing is in the piece */
  SluiceTracePiece piece;
} Walk;

static void
add_to_piece (Walk *self, guint64 n, const SluiceRowBlock *block)
{
  if (self->piece.n == 0)
    {
      self->piece.start = block->start;
      if (__builtin_add_overflow (block->start, self->grain, &self->limit))
        self->limit = G_MAXINT64;
    }
  self->piece.n += n;
  /* A file may say anything. */
  self->piece.busy = (gint64) ((guint64) self->piece.busy + (guint64) block->busy);
  self->piece.end = block->end;
  if (block->longest_time > self->longest_time)
    {
      self->longest_time = block->longest_time;
      self->piece.span = block->longest;
    }
  self->at += n;
}

static gboolean
does_fit (const Walk *self, const SluiceRowBlock *block)
{
  if (block->end >= self->to || block->longest_time >= self->grain)
    return FALSE;
  return self->piece.n > 0 ? block->end <= self->limit : block->end - block->start <= self->grain;
}

/* The largest block that begins here and fits: of spans in it nothing is looked at. */
static gboolean
add_block (Walk *self)
{
  guint level = 0;
  while (level < SLUICE_ROW_LEVELS && (self->at & (((guint64) 1 << 5 * (level + 1)) - 1)) == 0
         && self->at >> 5 * (level + 1) < sluice_row_count_blocks (self->row, level))
    level++;
  while (level-- > 0)
    {
      const SluiceRowBlock *block =
          &g_array_index (self->row->levels[level], SluiceRowBlock, self->at >> 5 * (level + 1));
      if (!does_fit (self, block))
        continue;
      add_to_piece (self, (guint64) 1 << 5 * (level + 1), block);
      return TRUE;
    }
  return FALSE;
}

/* The first span of a piece fits always. */
static gboolean
add_span (Walk *self)
{
  if (self->at >= self->row->order.n)
    return FALSE;
  guint64 number = sluice_row_at (self->row, self->at);
  gint64 start = sluice_span_start (self->times, number);
  gint64 time = sluice_span_column_get (&self->times->time, number);
  if (start >= self->to)
    return FALSE;
  if (self->piece.n > 0 && (start + time > self->limit || time >= self->grain))
    return FALSE;
  add_to_piece (self, 1, &(SluiceRowBlock){ time, start, start + time, time, number });
  return TRUE;
}

/* One that is half as long as the grain is long enough: what would still fit is found by going down
 * to single spans, and the next piece would have to climb up from there. */
static gboolean
fill_piece (Walk *self)
{
  gboolean goes_on = add_block (self) || add_span (self);
  while (goes_on && self->longest_time < self->grain
         && self->piece.end - self->piece.start < (self->grain + 1) / 2)
    goes_on = add_block (self) || add_span (self);
  return self->piece.n > 0;
}

void
sluice_row_each_piece (const SluiceRow *self,
                       const SluiceSpanTimes *times,
                       gint64 from,
                       gint64 to,
                       gint64 grain,
                       SluiceTracePieceFunc func,
                       gpointer data)
{
  Walk walk = { .row = self, .times = times, .to = to, .grain = grain };
  walk.at = sluice_row_find (self, times, from);
  do
    {
      walk.longest_time = -1;
      walk.piece = (SluiceTracePiece){ 0 };
      if (fill_piece (&walk))
        func (&walk.piece, data);
    }
  while (walk.piece.n > 0);
}
