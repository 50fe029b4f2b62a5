/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/series-buffer.h"

#include "ui/chart/smoothing.h"

#include <math.h>

/*
 * Points lie in chunks that never move, so an append never copies the series. Each chunk has a
 * pyramid over its own points: nodes of 16, 64, 256, 1024 and 4096. A node is written once, when
 * its last point arrives, and is read only by ranges that cover it whole. Above the chunks no level
 * is needed: one read passes each chunk once.
 */
#define CHUNK_POINTS 4096
#define LEAF_POINTS  16
#define N_NODES      (256 + 64 + 16 + 4 + 1)

static const guint level_start[] = { 0, 256, 256 + 64, 256 + 64 + 16, 256 + 64 + 16 + 4 };
#define N_LEVELS G_N_ELEMENTS (level_start)

typedef struct
{
  double min, max, sum;
  guint32 n_finite, n_nan, n_above, n_below;
} Node;

typedef struct
{
  double min, max;
} Span;

/* 150 kB, of which a short series touches a few pages: it is never cleared. */
typedef struct
{
  gint64 step[CHUNK_POINTS];
  double wall[CHUNK_POINTS];
  double value[CHUNK_POINTS];
  double smooth[CHUNK_POINTS];
  Node nodes[N_NODES];
  Span spans[N_NODES];
} Chunk;

struct _SluiceSeriesBuffer
{
  SluiceSeriesSource parent;
  GPtrArray *chunks;
  guint64 n_points;
  guint64 serial;
  double min, max, min_positive;
  gboolean constant; /* every value equals the first: shown as it is, not smoothed */
  double weight;
  SluiceEma ema;
  guint64 n_smoothed; /* points whose smoothed value is up to date */
};

static const Node empty_node = { INFINITY, -INFINITY, 0, 0, 0, 0, 0 };
static const Span empty_span = { INFINITY, -INFINITY };

static inline gboolean
is_finite (double v)
{
  return v - v == 0;
}

static inline Chunk *
get_chunk (SluiceSeriesBuffer *self, guint64 index)
{
  return g_ptr_array_index (self->chunks, index / CHUNK_POINTS);
}

static inline double
get_x (SluiceSeriesBuffer *self, SluiceXAxis axis, guint64 index)
{
  Chunk *chunk = get_chunk (self, index);
  guint i = index % CHUNK_POINTS;

  switch (axis)
    {
    case SLUICE_X_RELATIVE:
      return chunk->wall[i] - get_chunk (self, 0)->wall[0];
    case SLUICE_X_WALL:
      return chunk->wall[i];
    case SLUICE_X_STEP:
    default:
      return (double) chunk->step[i];
    }
}

static inline double
get_value (SluiceSeriesBuffer *self, guint64 index)
{
  return get_chunk (self, index)->value[index % CHUNK_POINTS];
}

static gboolean
passes_through (SluiceSeriesBuffer *self)
{
  return self->weight == 0 || self->constant;
}

static inline double
get_smoothed (SluiceSeriesBuffer *self, guint64 index)
{
  if (passes_through (self) || index >= self->n_smoothed)
    return get_value (self, index);
  return get_chunk (self, index)->smooth[index % CHUNK_POINTS];
}

static inline void
node_add_point (Node *node, double v)
{
  if (is_finite (v))
    {
      node->min = v < node->min ? v : node->min;
      node->max = v > node->max ? v : node->max;
      node->sum += v;
      node->n_finite++;
    }
  else if (v > 0)
    node->n_above++;
  else if (v < 0)
    node->n_below++;
  else
    node->n_nan++;
}

static inline void
node_add (Node *node, const Node *other)
{
  node->min = other->min < node->min ? other->min : node->min;
  node->max = other->max > node->max ? other->max : node->max;
  node->sum += other->sum;
  node->n_finite += other->n_finite;
  node->n_nan += other->n_nan;
  node->n_above += other->n_above;
  node->n_below += other->n_below;
}

static inline void
span_add_point (Span *span, double v)
{
  if (is_finite (v))
    {
      span->min = v < span->min ? v : span->min;
      span->max = v > span->max ? v : span->max;
    }
}

static inline void
span_add (Span *span, const Span *other)
{
  span->min = other->min < span->min ? other->min : span->min;
  span->max = other->max > span->max ? other->max : span->max;
}

/* Writes the nodes that point @i of @chunk completes. */
static void
complete_nodes (Chunk *chunk, guint i)
{
  guint end = i + 1;
  guint points = LEAF_POINTS;

  for (guint level = 0; level < N_LEVELS && end % points == 0; level++, points *= 4)
    {
      guint k = end / points - 1;
      Node node = empty_node;

      if (level == 0)
        for (guint j = end - LEAF_POINTS; j < end; j++)
          node_add_point (&node, chunk->value[j]);
      else
        for (guint j = 4 * k; j < 4 * k + 4; j++)
          node_add (&node, &chunk->nodes[level_start[level - 1] + j]);
      chunk->nodes[level_start[level] + k] = node;
    }
}

static void
complete_spans (Chunk *chunk, guint i)
{
  guint end = i + 1;
  guint points = LEAF_POINTS;

  for (guint level = 0; level < N_LEVELS && end % points == 0; level++, points *= 4)
    {
      guint k = end / points - 1;
      Span span = empty_span;

      if (level == 0)
        for (guint j = end - LEAF_POINTS; j < end; j++)
          span_add_point (&span, chunk->smooth[j]);
      else
        for (guint j = 4 * k; j < 4 * k + 4; j++)
          span_add (&span, &chunk->spans[level_start[level - 1] + j]);
      chunk->spans[level_start[level] + k] = span;
    }
}

/* The greatest node that starts at @a, a multiple of a leaf's points, and ends by @b. */
static inline guint
widest_node (guint a, guint b, guint *points)
{
  guint size = LEAF_POINTS;
  guint level = 0;

  while (level + 1 < N_LEVELS && a % (size * 4) == 0 && a + size * 4 <= b)
    {
      size *= 4;
      level++;
    }
  *points = size;
  return level_start[level] + a / size;
}

/* Where the leaves begin in [a, b): points before it and after the last leaf are read one by one.
 */
static inline guint
first_leaf (guint a, guint b)
{
  return MIN (b, (a + LEAF_POINTS - 1) / LEAF_POINTS * LEAF_POINTS);
}

static void
collect_nodes (SluiceSeriesBuffer *self, guint64 first, guint64 end, Node *sum)
{
  Node total = *sum;

  while (first < end)
    {
      const Chunk *chunk = get_chunk (self, first);
      guint a = first % CHUNK_POINTS;
      guint b = (guint) MIN ((guint64) CHUNK_POINTS, a + (end - first));
      guint leaf = first_leaf (a, b);
      guint points;

      first += b - a;
      for (; a < leaf; a++)
        node_add_point (&total, chunk->value[a]);
      for (; a + LEAF_POINTS <= b; a += points)
        node_add (&total, &chunk->nodes[widest_node (a, b, &points)]);
      for (; a < b; a++)
        node_add_point (&total, chunk->value[a]);
    }
  *sum = total;
}

static void
collect_spans (SluiceSeriesBuffer *self, guint64 first, guint64 end, Span *sum)
{
  Span total = *sum;

  while (first < end)
    {
      const Chunk *chunk = get_chunk (self, first);
      guint a = first % CHUNK_POINTS;
      guint b = (guint) MIN ((guint64) CHUNK_POINTS, a + (end - first));
      guint leaf = first_leaf (a, b);
      guint points;

      first += b - a;
      for (; a < leaf; a++)
        span_add_point (&total, chunk->smooth[a]);
      for (; a + LEAF_POINTS <= b; a += points)
        span_add (&total, &chunk->spans[widest_node (a, b, &points)]);
      for (; a < b; a++)
        span_add_point (&total, chunk->smooth[a]);
    }
  *sum = total;
}

static inline gboolean
is_past (SluiceSeriesBuffer *self, SluiceXAxis axis, guint64 index, double x, gboolean strictly)
{
  double v = get_x (self, axis, index);

  return strictly ? v > x : v >= x;
}

/*
 * The first point whose x is at least @x (or, @strictly, greater). @guess costs little when it is
 * near: columns are read left to right and mostly have as many points as the one before.
 */
static guint64
find_x (SluiceSeriesBuffer *self, SluiceXAxis axis, double x, guint64 guess, gboolean strictly)
{
  guint64 lo = 0;
  guint64 hi = self->n_points;
  guint64 stride = 1;

  if (guess >= hi || is_past (self, axis, guess, x, strictly))
    {
      for (hi = MIN (guess, hi); hi > stride && is_past (self, axis, hi - stride, x, strictly);
           stride *= 4)
        hi -= stride;
      lo = hi > stride ? hi - stride + 1 : 0;
    }
  else
    {
      for (lo = MIN (guess, hi);
           lo + stride < hi && !is_past (self, axis, lo + stride, x, strictly); stride *= 4)
        lo += stride;
      hi = MIN (lo + stride, hi);
      lo += lo < hi;
    }
  while (lo < hi)
    {
      guint64 mid = lo + (hi - lo) / 2;

      if (is_past (self, axis, mid, x, strictly))
        hi = mid;
      else
        lo = mid + 1;
    }
  return lo;
}

static void
get_sample (SluiceSeriesBuffer *self, SluiceXAxis axis, guint64 index, SluiceSeriesSample *sample)
{
  Chunk *chunk = get_chunk (self, index);
  guint i = index % CHUNK_POINTS;

  *sample = (SluiceSeriesSample){ .index = index,
                                  .step = chunk->step[i],
                                  .wall = chunk->wall[i],
                                  .x = get_x (self, axis, index),
                                  .value = chunk->value[i],
                                  .smoothed = get_smoothed (self, index) };
}

static void
buffer_get_extent (SluiceSeriesSource *source, SluiceXAxis axis, SluiceExtent *extent)
{
  SluiceSeriesBuffer *self = (SluiceSeriesBuffer *) source;
  gboolean has_finite = self->min <= self->max;

  *extent = (SluiceExtent){ .x0 = NAN, .x1 = NAN, .n_points = self->n_points };
  extent->min = has_finite ? self->min : NAN;
  extent->max = has_finite ? self->max : NAN;
  extent->min_positive = isfinite (self->min_positive) ? self->min_positive : NAN;
  if (self->n_points > 0)
    {
      extent->x0 = get_x (self, axis, 0);
      extent->x1 = get_x (self, axis, self->n_points - 1);
    }
}

static gboolean
buffer_prepare (SluiceSeriesSource *source, double smoothing, gint64 budget_us)
{
  SluiceSeriesBuffer *self = (SluiceSeriesBuffer *) source;
  gint64 end_time;

  if (smoothing != self->weight)
    {
      self->weight = smoothing;
      self->n_smoothed = 0;
      self->serial++;
    }
  if (passes_through (self) || self->n_smoothed == self->n_points)
    return TRUE;
  if (self->n_smoothed == 0)
    sluice_ema_init (&self->ema, self->weight);
  end_time = budget_us < 0 ? G_MAXINT64 : g_get_monotonic_time () + budget_us;
  self->serial++;
  do
    {
      Chunk *chunk = get_chunk (self, self->n_smoothed);
      guint a = self->n_smoothed % CHUNK_POINTS;
      guint b = (guint) MIN ((guint64) CHUNK_POINTS, a + (self->n_points - self->n_smoothed));

      for (guint i = a; i < b; i++)
        {
          chunk->smooth[i] = sluice_ema_next (&self->ema, chunk->value[i]);
          complete_spans (chunk, i);
        }
      self->n_smoothed += b - a;
    }
  while (self->n_smoothed < self->n_points && g_get_monotonic_time () < end_time);
  return self->n_smoothed == self->n_points;
}

static gboolean
find_finite_before (SluiceSeriesBuffer *self, guint64 end, guint64 *index)
{
  while (end > 0)
    {
      end--;
      /* A long stretch of NaN must not cost a pass over it. */
      if (end % CHUNK_POINTS == CHUNK_POINTS - 1
          && get_chunk (self, end)->nodes[N_NODES - 1].n_finite == 0)
        {
          end -= CHUNK_POINTS - 1;
          continue;
        }
      if (is_finite (get_value (self, end)))
        {
          *index = end;
          return TRUE;
        }
    }
  return FALSE;
}

static gboolean
find_finite_from (SluiceSeriesBuffer *self, guint64 from, guint64 *index)
{
  while (from < self->n_points)
    {
      if (from % CHUNK_POINTS == 0 && from + CHUNK_POINTS <= self->n_points
          && get_chunk (self, from)->nodes[N_NODES - 1].n_finite == 0)
        {
          from += CHUNK_POINTS;
          continue;
        }
      if (is_finite (get_value (self, from)))
        {
          *index = from;
          return TRUE;
        }
      from++;
    }
  return FALSE;
}

static void
read_edges (
    SluiceSeriesBuffer *self, SluiceXAxis axis, guint64 first, guint64 end, SluiceEdges *edges)
{
  guint64 index;

  *edges = (SluiceEdges){ FALSE };
  if (find_finite_before (self, first, &index))
    {
      edges->has_before = TRUE;
      get_sample (self, axis, index, &edges->before);
    }
  if (find_finite_from (self, end, &index))
    {
      edges->has_after = TRUE;
      get_sample (self, axis, index, &edges->after);
    }
}

static void
read_smooth (SluiceSeriesBuffer *self, guint64 first, guint64 end, SluiceColumn *column)
{
  guint64 done = CLAMP (self->n_smoothed, first, end);
  Span span = empty_span;
  Node rest = empty_node;

  collect_spans (self, first, done, &span);
  collect_nodes (self, done, end, &rest);
  column->smooth.min = MIN (span.min, rest.min);
  column->smooth.max = MAX (span.max, rest.max);
}

static void
read_column (
    SluiceSeriesBuffer *self, SluiceXAxis axis, guint64 first, guint64 end, SluiceColumn *column)
{
  Node sum = empty_node;
  guint64 a;
  guint64 b;

  collect_nodes (self, first, end, &sum);
  *column = (SluiceColumn){ .n_finite = sum.n_finite,
                            .n_nan = sum.n_nan,
                            .n_above = sum.n_above,
                            .n_below = sum.n_below,
                            .mean = NAN };
  if (sum.n_finite == 0 || !find_finite_from (self, first, &a)
      || !find_finite_before (self, end, &b))
    return;
  /* A sum past the greatest double still has a mean between the two ends. */
  column->mean = CLAMP (sum.sum / sum.n_finite, sum.min, sum.max);
  column->raw = (SluiceTrace){ .first_x = get_x (self, axis, a),
                               .first = get_value (self, a),
                               .last_x = get_x (self, axis, b),
                               .last = get_value (self, b),
                               .min = sum.min,
                               .max = sum.max };
  column->smooth = column->raw;
  if (passes_through (self))
    return;
  column->smooth.first = get_smoothed (self, a);
  column->smooth.last = get_smoothed (self, b);
  read_smooth (self, first, end, column);
}

static void
buffer_read_columns (SluiceSeriesSource *source,
                     SluiceXAxis axis,
                     double x0,
                     double x1,
                     guint n_columns,
                     SluiceColumn *columns,
                     SluiceEdges *edges)
{
  SluiceSeriesBuffer *self = (SluiceSeriesBuffer *) source;
  guint64 first = find_x (self, axis, x0, 0, FALSE);
  guint64 begin = first;
  guint64 n_before = 0; /* points of the last column */

  for (guint i = 0; i < n_columns; i++)
    {
      gboolean last = i + 1 == n_columns;
      double right = last ? x1 : x0 + (x1 - x0) * (i + 1) / n_columns;
      guint64 end = find_x (self, axis, right, first + n_before, last);

      read_column (self, axis, first, end, &columns[i]);
      n_before = end - first;
      first = end;
    }
  read_edges (self, axis, begin, first, edges);
}

static gboolean
buffer_lookup (SluiceSeriesSource *source, SluiceXAxis axis, double x, SluiceSeriesSample *sample)
{
  SluiceSeriesBuffer *self = (SluiceSeriesBuffer *) source;
  guint64 index;

  if (self->n_points == 0)
    return FALSE;
  index = MIN (find_x (self, axis, x, 0, FALSE), self->n_points - 1);
  if (index > 0 && x - get_x (self, axis, index - 1) <= get_x (self, axis, index) - x)
    index--;
  get_sample (self, axis, index, sample);
  return TRUE;
}

static guint
buffer_read_samples (SluiceSeriesSource *source,
                     SluiceXAxis axis,
                     guint64 first,
                     guint n,
                     SluiceSeriesSample *samples)
{
  SluiceSeriesBuffer *self = (SluiceSeriesBuffer *) source;
  guint n_read;

  if (first >= self->n_points)
    return 0;
  n_read = (guint) MIN ((guint64) n, self->n_points - first);
  for (guint i = 0; i < n_read; i++)
    get_sample (self, axis, first + i, &samples[i]);
  return n_read;
}

static guint64
buffer_get_serial (SluiceSeriesSource *source)
{
  return ((SluiceSeriesBuffer *) source)->serial;
}

static void
buffer_finalize (SluiceSeriesSource *source)
{
  SluiceSeriesBuffer *self = (SluiceSeriesBuffer *) source;

  g_ptr_array_unref (self->chunks);
  g_free (self);
}

static const SluiceSeriesSourceClass buffer_class = {
  .get_extent = buffer_get_extent,
  .prepare = buffer_prepare,
  .read_columns = buffer_read_columns,
  .lookup = buffer_lookup,
  .read_samples = buffer_read_samples,
  .get_serial = buffer_get_serial,
  .finalize = buffer_finalize,
};

static void
forget_points (SluiceSeriesBuffer *self)
{
  self->n_points = 0;
  self->n_smoothed = 0;
  self->min = INFINITY;
  self->max = -INFINITY;
  self->min_positive = INFINITY;
  self->constant = TRUE;
}

SluiceSeriesBuffer *
sluice_series_buffer_new (void)
{
  SluiceSeriesBuffer *self = g_new0 (SluiceSeriesBuffer, 1);

  sluice_series_source_init (&self->parent, &buffer_class);
  self->chunks = g_ptr_array_new_with_free_func (g_free);
  self->serial = 1;
  forget_points (self);
  return self;
}

SluiceSeriesSource *
sluice_series_buffer_as_source (SluiceSeriesBuffer *self)
{
  return &self->parent;
}

static void
put_point (SluiceSeriesBuffer *self, guint64 index, gint64 step, double wall, double value)
{
  Chunk *chunk = get_chunk (self, index);
  guint i = index % CHUNK_POINTS;

  chunk->step[i] = step;
  chunk->wall[i] = wall;
  chunk->value[i] = value;
}

/* Moves the last point to its place by step and writes the nodes behind it again. */
static void
sort_last_point (SluiceSeriesBuffer *self)
{
  guint64 i = self->n_points - 1;
  SluiceSeriesSample moved;

  get_sample (self, SLUICE_X_STEP, i, &moved);
  for (; i > 0; i--)
    {
      SluiceSeriesSample before;

      get_sample (self, SLUICE_X_STEP, i - 1, &before);
      if (before.step <= moved.step)
        {
          moved.wall = MAX (moved.wall, before.wall);
          break;
        }
      put_point (self, i, before.step, before.wall, before.value);
      moved.wall = MIN (moved.wall, before.wall);
    }
  put_point (self, i, moved.step, moved.wall, moved.value);
  for (; i < self->n_points; i++)
    complete_nodes (get_chunk (self, i), i % CHUNK_POINTS);
  self->n_smoothed = 0;
}

void
sluice_series_buffer_append (SluiceSeriesBuffer *self, gint64 step, double wall, double value)
{
  guint64 index;
  SluiceSeriesSample last = { 0 };

  g_return_if_fail (self != NULL);

  index = self->n_points;
  if (index > 0)
    get_sample (self, SLUICE_X_STEP, index - 1, &last);
  else
    last.step = G_MININT64;
  if (index / CHUNK_POINTS == self->chunks->len)
    g_ptr_array_add (self->chunks, g_new (Chunk, 1));
  if (!is_finite (wall))
    wall = last.wall;
  put_point (self, index, step, step >= last.step && index > 0 ? MAX (wall, last.wall) : wall,
             value);
  self->n_points++;
  self->serial++;
  if (is_finite (value))
    {
      self->min = MIN (self->min, value);
      self->max = MAX (self->max, value);
      if (value > 0)
        self->min_positive = MIN (self->min_positive, value);
    }
  /* NaN equals nothing, so one makes the series vary, as in TensorBoard. */
  if (!(value == get_value (self, 0)) && self->constant)
    {
      self->constant = FALSE;
      self->n_smoothed = 0;
    }
  if (step < last.step)
    sort_last_point (self);
  else
    complete_nodes (get_chunk (self, index), index % CHUNK_POINTS);
}

void
sluice_series_buffer_clear (SluiceSeriesBuffer *self)
{
  g_return_if_fail (self != NULL);

  g_ptr_array_set_size (self->chunks, 0);
  forget_points (self);
  self->serial++;
}

guint64
sluice_series_buffer_get_n_points (SluiceSeriesBuffer *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_points;
}
