/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/trace/trace-view-private.h"

#include <string.h>

static void
lane_free (gpointer data)
{
  SluiceViewLane *self = data;
  g_ptr_array_unref (self->rows);
  g_array_unref (self->waiting);
  g_free (self);
}

static guint
hash_title (gconstpointer data)
{
  const SluiceSpanTitle *self = data;
  guint hash = g_direct_hash (self->name);
  hash = hash * 31 + g_direct_hash (self->op);
  hash = hash * 31 + self->lane;
  return hash * 31 + (guint) self->bytes_out;
}

static gboolean
equal_titles (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (SluiceSpanTitle)) == 0;
}
G_STATIC_ASSERT (sizeof (SluiceSpanTitle) == 5 * sizeof (gpointer) + 8); /* no bytes between */

SluiceTraceView *
sluice_trace_view_new (void)
{
  SluiceTraceView *self = g_new0 (SluiceTraceView, 1);
  self->lanes = g_ptr_array_new_with_free_func (lane_free);
  self->lane_of_title = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->titles = g_ptr_array_new_with_free_func (g_free);
  self->title_numbers = g_hash_table_new (hash_title, equal_titles);
  SluiceSpanColumn *const columns[] = { SLUICE_VIEW_COLUMNS (self) };
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    sluice_span_column_init (columns[i]);
  self->steps = g_array_new (FALSE, FALSE, sizeof (SluiceTraceStep));
  self->together = g_hash_table_new (g_str_hash, g_str_equal);
  self->texts = g_hash_table_new (g_str_hash, g_str_equal);
  self->chunk = g_string_chunk_new (4096);
  sluice_trace_view_init_beside (self);
  return self;
}

void
sluice_trace_view_free (SluiceTraceView *self)
{
  SluiceSpanColumn *const columns[] = { SLUICE_VIEW_COLUMNS (self) };
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    sluice_span_column_clear (columns[i]);
  g_ptr_array_unref (self->lanes);
  g_hash_table_unref (self->lane_of_title);
  g_hash_table_unref (self->title_numbers);
  g_ptr_array_unref (self->titles);
  g_array_unref (self->steps);
  g_hash_table_unref (self->together);
  g_hash_table_unref (self->texts);
  sluice_trace_view_clear_beside (self);
  g_string_chunk_free (self->chunk);
  g_clear_pointer (&self->bytes, g_bytes_unref);
  g_free (self);
}

void
sluice_trace_view_set_start (SluiceTraceView *self, gint64 start)
{
  self->start = start;
}

gint64
sluice_trace_view_get_start (const SluiceTraceView *self)
{
  return self->start;
}

guint64
sluice_trace_view_get_n_damaged (const SluiceTraceView *self)
{
  return self->file.n_damaged;
}

const char *
sluice_trace_view_keep_text (SluiceTraceView *self, const char *text)
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
sluice_trace_view_new_lane (SluiceTraceView *self,
                            SluiceLaneKind kind,
                            const char *device,
                            const char *name)
{
  SluiceViewLane *lane = g_new0 (SluiceViewLane, 1);
  lane->told.kind = kind;
  lane->told.device = sluice_trace_view_keep_text (self, device);
  lane->told.name = sluice_trace_view_keep_text (self, name);
  lane->told.n_rows = 1;
  lane->rows = g_ptr_array_new_with_free_func (sluice_row_free);
  lane->waiting = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_ptr_array_add (self->lanes, lane);
  char *title = g_strdup_printf ("%d\n%s\n%s", kind, device, name);
  if (g_hash_table_contains (self->lane_of_title, title))
    g_free (title);
  else
    g_hash_table_insert (self->lane_of_title, title, GUINT_TO_POINTER (self->lanes->len - 1));
  return self->lanes->len - 1;
}

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
  return sluice_trace_view_new_lane (self, kind, device, name);
}

guint
sluice_trace_view_add_title (SluiceTraceView *self, const SluiceSpanTitle *title)
{
  SluiceSpanTitle *kept = g_memdup2 (title, sizeof *title);
  g_hash_table_insert (self->title_numbers, kept, GUINT_TO_POINTER (self->titles->len));
  g_ptr_array_add (self->titles, kept);
  return self->titles->len - 1;
}

static guint
find_title (SluiceTraceView *self, const SluiceTraceSpan *span)
{
  const SluiceSpanTitle title = {
    .name = sluice_trace_view_keep_text (self, span->name),
    .op = sluice_trace_view_keep_text (self, span->op),
    .frame = sluice_trace_view_keep_text (self, span->frame),
    .bytes_in = span->bytes_in,
    .bytes_out = span->bytes_out,
    .lane = span->lane,
    .kind = span->kind,
  };
  gpointer found;
  if (g_hash_table_lookup_extended (self->title_numbers, &title, NULL, &found))
    return GPOINTER_TO_UINT (found);
  return sluice_trace_view_add_title (self, &title);
}

/* The place of a step among the others: most spans belong to that which was added to last. */
static guint
find_step (const SluiceTraceView *self, guint64 number)
{
  const SluiceTraceStep *steps = (const SluiceTraceStep *) self->steps->data;
  if (self->last_step < self->steps->len && steps[self->last_step].step == number)
    return self->last_step;
  guint from = 0, to = self->steps->len;
  while (from < to)
    {
      guint middle = from + (to - from) / 2;
      if (steps[middle].step < number)
        from = middle + 1;
      else
        to = middle;
    }
  return from;
}

static void
add_to_step (SluiceTraceView *self, guint64 number, gint64 start, gint64 end)
{
  guint i = find_step (self, number);
  if (i == self->steps->len || g_array_index (self->steps, SluiceTraceStep, i).step != number)
    {
      const SluiceTraceStep step = { number, start, end, FALSE };
      g_array_insert_val (self->steps, i, step);
    }
  SluiceTraceStep *step = &g_array_index (self->steps, SluiceTraceStep, i);
  step->start = MIN (step->start, start);
  step->end = MAX (step->end, end);
  self->last_step = i;
  self->knows_slow = FALSE;
}

/* When a lane is free of all that is in it. */
static gint64
get_covered (const SluiceTraceView *self, const SluiceViewLane *lane)
{
  gint64 covered = G_MININT64;
  for (guint i = 0; i < lane->rows->len; i++)
    {
      const SluiceRow *row = lane->rows->pdata[i];
      if (row->order.n > 0)
        covered =
            MAX (covered, sluice_span_end (&self->times, sluice_row_at (row, row->order.n - 1)));
    }
  return covered;
}

/* In the lowest row where nothing runs any more. */
static void
push (SluiceTraceView *self, SluiceViewLane *lane, guint64 number)
{
  gint64 start = sluice_span_start (&self->times, number);
  gint64 end = sluice_span_end (&self->times, number);
  SluiceRow *row = NULL;
  guint i = 0;
  for (; i < lane->rows->len; i++)
    {
      row = lane->rows->pdata[i];
      if (row->order.n == 0
          || sluice_span_end (&self->times, sluice_row_at (row, row->order.n - 1)) <= start)
        break;
    }
  if (i == lane->rows->len)
    g_ptr_array_add (lane->rows, row = sluice_row_new ());
  sluice_row_push (row, &self->times, number);
  sluice_span_column_set (&self->row, number, i);
  SluiceTraceLane *told = &lane->told;
  told->busy += MAX (0, end - (told->n_spans ? MAX (start, told->end) : start));
  told->begin = told->n_spans ? MIN (told->begin, start) : start;
  told->end = told->n_spans ? MAX (told->end, end) : end;
  told->n_spans++;
  told->n_rows = MAX (1, lane->rows->len);
}

/* Of a lane those that begin first come first; of these what takes no time, then the longest: what
 * nests lies below what it is part of. */
static gboolean
comes_last (const SluiceTraceView *self, const SluiceViewLane *lane, gint64 start)
{
  if (lane->waiting->len > 0)
    return FALSE;
  for (guint i = 0; i < lane->rows->len; i++)
    {
      const SluiceRow *row = lane->rows->pdata[i];
      if (row->order.n == 0)
        continue;
      guint64 last = sluice_row_at (row, row->order.n - 1);
      if (sluice_span_start (&self->times, last) >= start
          && sluice_span_end (&self->times, last) > start)
        return FALSE;
      if (sluice_span_start (&self->times, last) > start)
        return FALSE;
    }
  return TRUE;
}

void
sluice_trace_view_place (SluiceTraceView *self, guint64 number)
{
  const SluiceSpanTitle *title = self->titles->pdata[sluice_span_column_get (&self->title, number)];
  SluiceViewLane *lane = self->lanes->pdata[title->lane];
  gint64 start = sluice_span_start (&self->times, number);
  guint64 step = (guint64) sluice_span_column_get (&self->step, number);
  if (comes_last (self, lane, start))
    push (self, lane, number);
  else
    g_array_append_val (lane->waiting, number);
  if (step != 0)
    add_to_step (self, step, start, sluice_span_end (&self->times, number));
}

guint64
sluice_trace_view_add (SluiceTraceView *self, const SluiceTraceSpan *span)
{
  guint64 number = self->title.n;
  gint64 start = CLAMP (span->start, -SLUICE_VIEW_MAX_TIME, SLUICE_VIEW_MAX_TIME);
  gint64 end = CLAMP (span->end, start, SLUICE_VIEW_MAX_TIME);
  sluice_span_column_add (&self->times.start, start);
  sluice_span_column_add (&self->times.time, end - start);
  sluice_span_column_add (
      &self->waited, start - CLAMP (span->scheduled, -SLUICE_VIEW_MAX_TIME, SLUICE_VIEW_MAX_TIME));
  sluice_span_column_add (&self->title, find_title (self, span));
  sluice_span_column_add (&self->row, 0);
  sluice_span_column_add (&self->step, (gint64) span->step);
  sluice_span_column_add (&self->iteration, (gint64) span->iteration);
  sluice_span_column_add (&self->live, (gint64) span->live);
  sluice_trace_view_place (self, number);
  return number;
}

void
sluice_trace_view_add_together (SluiceTraceView *self, const char *node, const char *name)
{
  g_hash_table_insert (self->together, (gpointer) sluice_trace_view_keep_text (self, name),
                       (gpointer) sluice_trace_view_keep_text (self, node));
}

const char *
sluice_trace_view_get_together (const SluiceTraceView *self, const char *name)
{
  return g_hash_table_lookup (self->together, name);
}

/* ---- settling ---- */

typedef struct
{
  gint64 start, time;
  guint64 number;
} Key;

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  const Key *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->time != y->time && x->time > 0 && y->time > 0)
    return x->time > y->time ? -1 : 1;
  if (x->time != y->time)
    return x->time == 0 ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

static void
take_key (const SluiceTraceView *self, GArray *keys, guint64 number)
{
  const Key key = { sluice_span_start (&self->times, number),
                    sluice_span_column_get (&self->times.time, number), number };
  g_array_append_val (keys, key);
}

/* Takes away all that begins at that time or later, as if it had never been there. */
static void
pop (const SluiceTraceView *self, SluiceViewLane *lane, gint64 time, GArray *keys)
{
  for (guint i = 0; i < lane->rows->len; i++)
    {
      SluiceRow *row = lane->rows->pdata[i];
      guint64 n = row->order.n;
      while (n > 0 && sluice_span_start (&self->times, sluice_row_at (row, n - 1)) >= time)
        take_key (self, keys, sluice_row_at (row, --n));
      sluice_row_truncate (row, n);
    }
  g_array_sort (keys, compare_keys);
  gint64 covered = get_covered (self, lane);
  SluiceTraceLane *told = &lane->told;
  told->n_spans -= keys->len;
  told->end = covered;
  for (guint i = 0; i < keys->len; i++)
    {
      const Key *key = &g_array_index (keys, Key, i);
      told->busy -= MAX (0, key->start + key->time - MAX (key->start, covered));
      covered = MAX (covered, key->start + key->time);
    }
}

/* Rows are as if all had come in order: what was there before the first of those that wait stays.
 */
static void
settle_lane (SluiceTraceView *self, SluiceViewLane *lane)
{
  g_autoptr (GArray) keys = g_array_new (FALSE, FALSE, sizeof (Key));
  gint64 first = G_MAXINT64;
  for (guint i = 0; i < lane->waiting->len; i++)
    first =
        MIN (first, sluice_span_start (&self->times, g_array_index (lane->waiting, guint64, i)));
  pop (self, lane, first, keys);
  for (guint i = 0; i < lane->waiting->len; i++)
    take_key (self, keys, g_array_index (lane->waiting, guint64, i));
  g_array_unref (lane->waiting);
  lane->waiting = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_array_sort (keys, compare_keys);
  for (guint i = 0; i < keys->len; i++)
    push (self, lane, g_array_index (keys, Key, i).number);
  while (lane->rows->len > 0
         && ((SluiceRow *) lane->rows->pdata[lane->rows->len - 1])->order.n == 0)
    g_ptr_array_set_size (lane->rows, (int) lane->rows->len - 1);
  lane->told.n_rows = MAX (1, lane->rows->len);
}

void
sluice_trace_view_settle (SluiceTraceView *self)
{
  for (guint i = 0; i < self->lanes->len; i++)
    {
      SluiceViewLane *lane = self->lanes->pdata[i];
      if (lane->waiting->len > 0)
        settle_lane (self, lane);
    }
  sluice_trace_view_settle_beside (self);
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
  return &((const SluiceViewLane *) self->lanes->pdata[lane])->told;
}

guint64
sluice_trace_view_get_n_spans (const SluiceTraceView *self)
{
  return self->title.n;
}

void
sluice_trace_view_get_span (const SluiceTraceView *self, guint64 number, SluiceTraceSpan *span)
{
  const SluiceSpanTitle *title = self->titles->pdata[sluice_span_column_get (&self->title, number)];
  gint64 start = sluice_span_start (&self->times, number);
  *span = (SluiceTraceSpan){
    .scheduled = start - sluice_span_column_get (&self->waited, number),
    .start = start,
    .end = start + sluice_span_column_get (&self->times.time, number),
    .name = title->name,
    .op = title->op,
    .kind = title->kind,
    .lane = title->lane,
    .row = (guint) sluice_span_column_get (&self->row, number),
    .step = (guint64) sluice_span_column_get (&self->step, number),
    .iteration = (guint64) sluice_span_column_get (&self->iteration, number),
    .frame = title->frame,
    .bytes_in = title->bytes_in,
    .bytes_out = title->bytes_out,
    .live = (gsize) sluice_span_column_get (&self->live, number),
  };
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

static int
compare_times (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return x < y ? -1 : x > y;
}

static void
mark_slow_steps (GArray *all)
{
  guint n = all->len;
  SluiceTraceStep *steps = (SluiceTraceStep *) all->data;
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

const SluiceTraceStep *
sluice_trace_view_get_steps (const SluiceTraceView *self, guint *n)
{
  if (!self->knows_slow)
    mark_slow_steps (self->steps);
  ((SluiceTraceView *) self)->knows_slow = TRUE;
  *n = self->steps->len;
  return (const SluiceTraceStep *) self->steps->data;
}

/* (nullable): the lane has nothing yet. */
static const SluiceRow *
get_row (const SluiceTraceView *self, guint number, guint row)
{
  const SluiceViewLane *lane = self->lanes->pdata[number];
  return row < lane->rows->len ? lane->rows->pdata[row] : NULL;
}

void
sluice_trace_view_each_piece (const SluiceTraceView *self,
                              guint lane,
                              guint row,
                              gint64 from,
                              gint64 to,
                              gint64 grain,
                              SluiceTracePieceFunc func,
                              gpointer data)
{
  const SluiceRow *found = get_row (self, lane, row);
  if (found != NULL)
    sluice_row_each_piece (found, &self->times, from, to, grain, func, data);
}

guint64
sluice_trace_view_find (const SluiceTraceView *self, guint lane, guint row, gint64 time)
{
  const SluiceRow *found = get_row (self, lane, row);
  guint64 i = found != NULL ? sluice_row_find (found, &self->times, time) : 0;
  if (found == NULL || i == found->order.n)
    return SLUICE_SPAN_NONE;
  guint64 number = sluice_row_at (found, i);
  return sluice_span_start (&self->times, number) <= time ? number : SLUICE_SPAN_NONE;
}

guint64
sluice_trace_view_get_beside (const SluiceTraceView *self, guint64 number, gboolean after)
{
  SluiceTraceSpan span;
  sluice_trace_view_get_span (self, number, &span);
  const SluiceRow *row = get_row (self, span.lane, span.row);
  if (row == NULL) /* of a damaged file */
    return SLUICE_SPAN_NONE;
  guint64 i = sluice_row_find (row, &self->times, span.start - 1); /* it may take no time */
  while (i < row->order.n && sluice_row_at (row, i) != number)
    i++;
  if (after ? i + 1 >= row->order.n : i == 0)
    return SLUICE_SPAN_NONE;
  return sluice_row_at (row, after ? i + 1 : i - 1);
}

gsize
sluice_trace_view_get_bytes (const SluiceTraceView *self)
{
  SluiceTraceView *view = (SluiceTraceView *) self;
  const SluiceSpanColumn *const columns[] = { SLUICE_VIEW_COLUMNS (view) };
  gsize bytes =
      self->titles->len * sizeof (SluiceSpanTitle) + self->steps->len * sizeof (SluiceTraceStep);
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    bytes += sluice_span_column_get_bytes (columns[i]);
  for (guint i = 0; i < self->lanes->len; i++)
    {
      const SluiceViewLane *lane = self->lanes->pdata[i];
      for (guint k = 0; k < lane->rows->len; k++)
        bytes += sluice_row_get_bytes (lane->rows->pdata[k]);
    }
  return bytes;
}
