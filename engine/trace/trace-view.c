/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/trace-view.h"

#include <string.h>

typedef struct
{
  SluiceTraceLane told;
  GArray *spans; /* of guint64: their numbers, by row and start once settled */
  GArray *rows;  /* of guint: where in spans each row begins, and the end of the last */
  guint n_settled;
} Lane;

struct _SluiceTraceView
{
  GPtrArray *lanes; /* of Lane */
  GHashTable *lane_of_title;
  GArray *spans;     /* of SluiceTraceSpan */
  GArray *steps;     /* of SluiceTraceStep */
  GHashTable *texts; /* set of what texts holds */
  GStringChunk *chunk;
};

static void
lane_free (gpointer data)
{
  Lane *self = data;
  g_array_unref (self->spans);
  g_array_unref (self->rows);
  g_free (self);
}

SluiceTraceView *
sluice_trace_view_new (void)
{
  SluiceTraceView *self = g_new0 (SluiceTraceView, 1);
  self->lanes = g_ptr_array_new_with_free_func (lane_free);
  self->lane_of_title = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->spans = g_array_new (FALSE, FALSE, sizeof (SluiceTraceSpan));
  self->steps = g_array_new (FALSE, FALSE, sizeof (SluiceTraceStep));
  self->texts = g_hash_table_new (g_str_hash, g_str_equal);
  self->chunk = g_string_chunk_new (4096);
  return self;
}

void
sluice_trace_view_free (SluiceTraceView *self)
{
  g_ptr_array_unref (self->lanes);
  g_hash_table_unref (self->lane_of_title);
  g_array_unref (self->spans);
  g_array_unref (self->steps);
  g_hash_table_unref (self->texts);
  g_string_chunk_free (self->chunk);
  g_free (self);
}

static const char *
keep_text (SluiceTraceView *self, const char *text)
{
  if (!text)
    return NULL;
  const char *kept = g_hash_table_lookup (self->texts, text);
  if (kept)
    return kept;
  kept = g_string_chunk_insert (self->chunk, text);
  g_hash_table_add (self->texts, (gpointer) kept);
  return kept;
}

/* ---- adding ---- */

guint
sluice_trace_view_add_lane (SluiceTraceView *self,
                            SluiceLaneKind kind,
                            const char *device,
                            const char *name)
{
  g_autofree char *title = g_strdup_printf ("%d\n%s\n%s", kind, device, name);
  gpointer found;
  if (g_hash_table_lookup_extended (self->lane_of_title, title, NULL, &found))
    return GPOINTER_TO_UINT (found);
  Lane *lane = g_new0 (Lane, 1);
  lane->told.kind = kind;
  lane->told.device = keep_text (self, device);
  lane->told.name = keep_text (self, name);
  lane->spans = g_array_new (FALSE, FALSE, sizeof (guint64));
  lane->rows = g_array_new (FALSE, TRUE, sizeof (guint));
  g_hash_table_insert (self->lane_of_title, g_steal_pointer (&title),
                       GUINT_TO_POINTER (self->lanes->len));
  g_ptr_array_add (self->lanes, lane);
  return self->lanes->len - 1;
}

static SluiceTraceSpan *
span_at (const SluiceTraceView *self, guint64 number)
{
  return &g_array_index (self->spans, SluiceTraceSpan, number);
}

static int
compare_steps (gconstpointer a, gconstpointer b)
{
  const SluiceTraceStep *x = a, *y = b;
  return x->step < y->step ? -1 : x->step > y->step;
}

/* Most spans belong to the step that was added to last. */
static void
add_to_step (SluiceTraceView *self, const SluiceTraceSpan *span)
{
  if (span->step == 0)
    return;
  for (guint i = self->steps->len; i-- > 0;)
    {
      SluiceTraceStep *step = &g_array_index (self->steps, SluiceTraceStep, i);
      if (step->step != span->step)
        continue;
      step->start = MIN (step->start, span->start);
      step->end = MAX (step->end, span->end);
      return;
    }
  const SluiceTraceStep step = { span->step, span->start, span->end, FALSE };
  g_array_append_val (self->steps, step);
}

guint64
sluice_trace_view_add (SluiceTraceView *self, const SluiceTraceSpan *span)
{
  guint64 number = self->spans->len;
  SluiceTraceSpan copy = *span;
  copy.end = MAX (copy.start, copy.end);
  copy.name = keep_text (self, span->name);
  copy.op = keep_text (self, span->op);
  copy.frame = keep_text (self, span->frame);
  g_array_append_val (self->spans, copy);
  Lane *lane = self->lanes->pdata[span->lane];
  g_array_append_val (lane->spans, number);
  add_to_step (self, &copy);
  return number;
}

static int
compare_spans (gconstpointer a, gconstpointer b, gpointer data)
{
  const SluiceTraceView *self = data;
  guint64 i = *(const guint64 *) a, k = *(const guint64 *) b;
  const SluiceTraceSpan *x = span_at (self, i), *y = span_at (self, k);
  if (x->row != y->row)
    return x->row < y->row ? -1 : 1;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->end != y->end)
    return x->end > y->end ? -1 : 1;
  return i < k ? -1 : i > k;
}

/* Each in the lowest row where nothing else runs at its time. */
static void
settle_lane (SluiceTraceView *self, Lane *lane)
{
  guint64 *numbers = (guint64 *) lane->spans->data;
  guint n = lane->spans->len;
  for (guint i = 0; i < n; i++)
    span_at (self, numbers[i])->row = 0;
  g_array_sort_with_data (lane->spans, compare_spans, self);
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 covered = G_MININT64;
  lane->told.busy = 0;
  for (guint i = 0; i < n; i++)
    {
      SluiceTraceSpan *span = span_at (self, numbers[i]);
      guint row = 0;
      while (row < ends->len && g_array_index (ends, gint64, row) > span->start)
        row++;
      if (row == ends->len)
        g_array_append_val (ends, span->end);
      g_array_index (ends, gint64, row) = span->end;
      span->row = row;
      lane->told.begin = i == 0 ? span->start : lane->told.begin;
      lane->told.end = i == 0 ? span->end : MAX (lane->told.end, span->end);
      lane->told.busy += MAX (0, span->end - MAX (span->start, covered));
      covered = MAX (covered, span->end);
    }
  g_array_sort_with_data (lane->spans, compare_spans, self);
  lane->told.n_rows = MAX (1, ends->len);
  lane->told.n_spans = n;
  g_array_set_size (lane->rows, 0);
  g_array_set_size (lane->rows, lane->told.n_rows + 1);
  for (guint i = 0; i < n; i++)
    for (guint row = span_at (self, numbers[i])->row + 1; row <= lane->told.n_rows; row++)
      g_array_index (lane->rows, guint, row) = i + 1;
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return x < y ? -1 : x > y;
}

static void
mark_slow_steps (SluiceTraceView *self)
{
  guint n = self->steps->len;
  SluiceTraceStep *steps = (SluiceTraceStep *) self->steps->data;
  g_array_sort (self->steps, compare_steps);
  if (n < 3)
    return;
  g_autofree gint64 *times = g_new (gint64, n);
  for (guint i = 0; i < n; i++)
    times[i] = steps[i].end - steps[i].start;
  qsort (times, n, sizeof *times, compare_times);
  for (guint i = 0; i < n; i++)
    steps[i].is_slow =
        (double) (steps[i].end - steps[i].start) > SLUICE_TRACE_SLOW * (double) times[n / 2];
}

void
sluice_trace_view_settle (SluiceTraceView *self)
{
  for (guint i = 0; i < self->lanes->len; i++)
    {
      Lane *lane = self->lanes->pdata[i];
      if (lane->n_settled != lane->spans->len)
        settle_lane (self, lane);
      lane->n_settled = lane->spans->len;
    }
  mark_slow_steps (self);
}

/* ---- asking ---- */

guint
sluice_trace_view_get_n_lanes (const SluiceTraceView *self)
{
  return self->lanes->len;
}

const SluiceTraceLane *
sluice_trace_view_get_lane (const SluiceTraceView *self, guint lane)
{
  return &((const Lane *) self->lanes->pdata[lane])->told;
}

guint64
sluice_trace_view_get_n_spans (const SluiceTraceView *self)
{
  return self->spans->len;
}

void
sluice_trace_view_get_span (const SluiceTraceView *self, guint64 number, SluiceTraceSpan *span)
{
  *span = *span_at (self, number);
}

void
sluice_trace_view_get_extent (const SluiceTraceView *self, gint64 *begin, gint64 *end)
{
  gboolean is_first = TRUE;
  *begin = *end = 0;
  for (guint i = 0; i < self->lanes->len; i++)
    {
      const SluiceTraceLane *lane = sluice_trace_view_get_lane (self, i);
      if (lane->n_spans == 0)
        continue;
      *begin = is_first ? lane->begin : MIN (*begin, lane->begin);
      *end = is_first ? lane->end : MAX (*end, lane->end);
      is_first = FALSE;
    }
}

const SluiceTraceStep *
sluice_trace_view_get_steps (const SluiceTraceView *self, guint *n)
{
  *n = self->steps->len;
  return (const SluiceTraceStep *) self->steps->data;
}

/* The first of a row, as a position in the lane, that ends after a time. */
static guint
find_first (const SluiceTraceView *self, const Lane *lane, guint row, gint64 time)
{
  guint from = g_array_index (lane->rows, guint, row);
  guint to = g_array_index (lane->rows, guint, row + 1);
  while (from < to)
    {
      guint middle = from + (to - from) / 2;
      if (span_at (self, g_array_index (lane->spans, guint64, middle))->end > time)
        to = middle;
      else
        from = middle + 1;
    }
  return from;
}

static void
begin_piece (SluiceTracePiece *piece, guint64 number, const SluiceTraceSpan *span)
{
  *piece = (SluiceTracePiece){ span->start, span->end, 1, number, span->end - span->start };
}

static void
add_to_piece (SluiceTracePiece *piece, gint64 *longest, guint64 number, const SluiceTraceSpan *span)
{
  gint64 time = span->end - span->start;
  if (time > *longest)
    {
      *longest = time;
      piece->span = number;
    }
  piece->end = span->end;
  piece->busy += time;
  piece->n++;
}

void
sluice_trace_view_each_piece (const SluiceTraceView *self,
                              guint number,
                              guint row,
                              gint64 from,
                              gint64 to,
                              gint64 grain,
                              SluiceTracePieceFunc func,
                              gpointer data)
{
  const Lane *lane = self->lanes->pdata[number];
  guint end = g_array_index (lane->rows, guint, row + 1);
  SluiceTracePiece piece = { 0 };
  gint64 longest = 0;
  for (guint i = find_first (self, lane, row, from); i < end; i++)
    {
      guint64 k = g_array_index (lane->spans, guint64, i);
      const SluiceTraceSpan *span = span_at (self, k);
      if (span->start >= to)
        break;
      gboolean is_small = span->end - span->start < grain && longest < grain;
      if (piece.n > 0 && is_small && span->end - piece.start <= grain)
        {
          add_to_piece (&piece, &longest, k, span);
          continue;
        }
      if (piece.n > 0)
        func (&piece, data);
      begin_piece (&piece, k, span);
      longest = span->end - span->start;
    }
  if (piece.n > 0)
    func (&piece, data);
}

guint64
sluice_trace_view_find (const SluiceTraceView *self, guint number, guint row, gint64 time)
{
  const Lane *lane = self->lanes->pdata[number];
  guint i = find_first (self, lane, row, time);
  if (i == g_array_index (lane->rows, guint, row + 1))
    return SLUICE_SPAN_NONE;
  guint64 found = g_array_index (lane->spans, guint64, i);
  return span_at (self, found)->start <= time ? found : SLUICE_SPAN_NONE;
}

guint64
sluice_trace_view_get_beside (const SluiceTraceView *self, guint64 number, gboolean after)
{
  const SluiceTraceSpan *span = span_at (self, number);
  const Lane *lane = self->lanes->pdata[span->lane];
  guint begin = g_array_index (lane->rows, guint, span->row);
  guint end = g_array_index (lane->rows, guint, span->row + 1);
  guint i = find_first (self, lane, span->row, span->start - 1); /* it may take no time */
  while (i < end && g_array_index (lane->spans, guint64, i) != number)
    i++;
  if (after ? i + 1 >= end : i <= begin)
    return SLUICE_SPAN_NONE;
  return g_array_index (lane->spans, guint64, after ? i + 1 : i - 1);
}
