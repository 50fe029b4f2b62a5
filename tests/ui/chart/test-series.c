/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/series-buffer.h"
#include "ui/chart/smoothing.h"

#include <malloc.h>
#include <math.h>

typedef struct
{
  guint n;
  gint64 *step;
  double *wall;
  double *value;
} Points;

static Points
points_new (guint n)
{
  Points p = { n, g_new (gint64, n), g_new (double, n), g_new (double, n) };

  return p;
}

static void
points_clear (Points *p)
{
  g_free (p->step);
  g_free (p->wall);
  g_free (p->value);
}

/* A noisy walk on uneven steps with a few points that are not finite. */
static Points
random_points (guint n, double odd)
{
  Points p = points_new (n);
  gint64 step = -5;
  double wall = 1.7e9;

  for (guint i = 0; i < n; i++)
    {
      double dice = g_test_rand_double ();

      step += g_test_rand_int_range (0, 4);
      wall += g_test_rand_double () * (i % 100 == 0 ? 50 : 1);
      p.step[i] = step;
      p.wall[i] = wall;
      p.value[i] = sin (i / 300.0) + g_test_rand_double ();
      if (dice < odd)
        p.value[i] = dice < odd / 3 ? NAN : dice < odd / 1.5 ? INFINITY : -INFINITY;
    }
  return p;
}

static SluiceSeriesBuffer *
fill (const Points *p)
{
  SluiceSeriesBuffer *buffer = sluice_series_buffer_new ();

  for (guint i = 0; i < p->n; i++)
    sluice_series_buffer_append (buffer, p->step[i], p->wall[i], p->value[i]);
  return buffer;
}

/* TensorBoard's classicSmoothing, as it is written there. */
static double *
brute_smoothing (const Points *p, double weight)
{
  double *out = g_new (double, MAX (p->n, 1));
  double last = 0;
  guint n_accum = 0;
  gboolean constant = TRUE;

  for (guint i = 0; i < p->n; i++)
    constant = constant && p->value[i] == p->value[0];
  for (guint i = 0; i < p->n; i++)
    {
      double next = p->value[i];

      if (constant || !isfinite (next))
        {
          out[i] = next;
          continue;
        }
      last = last * weight + (1 - weight) * next;
      n_accum++;
      out[i] = last / (weight == 1 ? 1 : 1 - pow (weight, n_accum));
    }
  return out;
}

static void
assert_same (double a, double b, double tolerance)
{
  if (isfinite (a) || isfinite (b))
    g_assert_cmpfloat_with_epsilon (a, b, tolerance);
  else
    g_assert_true ((isnan (a) && isnan (b)) || a == b);
}

static void
check_smoothing (SluiceSeriesSource *source, const Points *p, double weight)
{
  g_autofree double *expected = brute_smoothing (p, weight);
  g_autofree SluiceSeriesSample *samples = g_new (SluiceSeriesSample, p->n);

  g_assert_true (sluice_series_source_prepare (source, weight, -1));
  g_assert_cmpuint (sluice_series_source_read_samples (source, SLUICE_X_STEP, 0, p->n, samples), ==,
                    p->n);
  for (guint i = 0; i < p->n; i++)
    assert_same (samples[i].smoothed, expected[i], 1e-12);
}

static void
test_smoothing (void)
{
  static const double weights[] = { 0, 0.3, 0.6, 0.99, 0.999, 1 };
  Points p = random_points (9000, 0.01);
  g_autoptr (SluiceSeriesBuffer) buffer = fill (&p);

  for (guint i = 0; i < G_N_ELEMENTS (weights); i++)
    check_smoothing (sluice_series_buffer_as_source (buffer), &p, weights[i]);
  points_clear (&p);
}

static void
test_smoothing_grows (void)
{
  /* Reading between appends gives the same numbers as smoothing all at the end. */
  Points p = random_points (5000, 0.02);
  g_autoptr (SluiceSeriesBuffer) buffer = sluice_series_buffer_new ();
  SluiceSeriesSource *source = sluice_series_buffer_as_source (buffer);

  for (guint i = 0; i < p.n; i++)
    {
      sluice_series_buffer_append (buffer, p.step[i], p.wall[i], p.value[i]);
      if (i % 7 == 0)
        sluice_series_source_prepare (source, 0.9, -1);
    }
  check_smoothing (source, &p, 0.9);
  points_clear (&p);
}

static void
test_smoothing_constant (void)
{
  /* 0.1 smoothed is not 0.1 in floating point; a constant series is shown as it is ... */
  Points p = points_new (6000);
  g_autoptr (SluiceSeriesBuffer) buffer = NULL;
  SluiceSeriesSample sample;

  for (guint i = 0; i < p.n; i++)
    {
      p.step[i] = i;
      p.wall[i] = i;
      p.value[i] = 0.1;
    }
  p.n--;
  buffer = fill (&p);
  check_smoothing (sluice_series_buffer_as_source (buffer), &p, 1);
  sluice_series_source_lookup (sluice_series_buffer_as_source (buffer), SLUICE_X_STEP, 77, &sample);
  g_assert_cmpfloat (sample.smoothed, ==, 0.1);
  /* ... until it is no longer constant: then the whole of it is smoothed. */
  p.value[p.n] = 5;
  sluice_series_buffer_append (buffer, p.step[p.n], p.wall[p.n], p.value[p.n]);
  p.n++;
  check_smoothing (sluice_series_buffer_as_source (buffer), &p, 1);
  check_smoothing (sluice_series_buffer_as_source (buffer), &p, 0.6);
  points_clear (&p);
}

static void
test_smoothing_budget (void)
{
  /* With no time at all every call still gets further, and the end is the same. */
  Points p = random_points (50000, 0.001);
  g_autoptr (SluiceSeriesBuffer) buffer = fill (&p);
  SluiceSeriesSource *source = sluice_series_buffer_as_source (buffer);
  guint calls = 1;

  while (!sluice_series_source_prepare (source, 0.5, 0))
    calls++;
  g_assert_cmpuint (calls, >, 1);
  g_assert_cmpuint (calls, <=, 50000 / 4096 + 1);
  check_smoothing (source, &p, 0.5);
  points_clear (&p);
}

static double
point_x (const Points *p, SluiceXAxis axis, guint i)
{
  return axis == SLUICE_X_STEP   ? (double) p->step[i]
         : axis == SLUICE_X_WALL ? p->wall[i]
                                 : p->wall[i] - p->wall[0];
}

static void
trace_add (SluiceTrace *t, gboolean first, double x, double v)
{
  if (first)
    *t = (SluiceTrace){ x, v, x, v, v, v };
  t->last_x = x;
  t->last = v;
  t->min = MIN (t->min, v);
  t->max = MAX (t->max, v);
}

static void
scan_column (const Points *p,
             const double *smooth,
             SluiceXAxis axis,
             double left,
             double right,
             gboolean closed,
             SluiceColumn *c)
{
  double sum = 0;

  *c = (SluiceColumn){ 0 };
  for (guint i = 0; i < p->n; i++)
    {
      double x = point_x (p, axis, i);
      double v = p->value[i];

      if (x < left || x > right || (x == right && !closed))
        continue;
      if (isfinite (v))
        {
          trace_add (&c->raw, c->n_finite == 0, x, v);
          trace_add (&c->smooth, c->n_finite == 0, x, smooth[i]);
          sum += v;
          c->n_finite++;
        }
      else if (isnan (v))
        c->n_nan++;
      else if (v > 0)
        c->n_above++;
      else
        c->n_below++;
    }
  c->mean = sum / c->n_finite;
}

static void
assert_trace (const SluiceTrace *a, const SluiceTrace *b, double tolerance)
{
  g_assert_cmpfloat (a->first_x, ==, b->first_x);
  g_assert_cmpfloat (a->last_x, ==, b->last_x);
  g_assert_cmpfloat_with_epsilon (a->first, b->first, tolerance);
  g_assert_cmpfloat_with_epsilon (a->last, b->last, tolerance);
  g_assert_cmpfloat_with_epsilon (a->min, b->min, tolerance);
  g_assert_cmpfloat_with_epsilon (a->max, b->max, tolerance);
}

static void
check_columns (SluiceSeriesSource *source,
               const Points *p,
               const double *smooth,
               SluiceXAxis axis,
               double x0,
               double x1,
               guint n)
{
  g_autofree SluiceColumn *columns = g_new (SluiceColumn, n);
  SluiceEdges edges;

  sluice_series_source_read_columns (source, axis, x0, x1, n, columns, &edges);
  for (guint i = 0; i < n; i++)
    {
      double left = i == 0 ? x0 : x0 + (x1 - x0) * i / n;
      double right = i + 1 == n ? x1 : x0 + (x1 - x0) * (i + 1) / n;
      SluiceColumn c;

      scan_column (p, smooth, axis, left, right, i + 1 == n, &c);
      g_assert_cmpuint (columns[i].n_finite, ==, c.n_finite);
      g_assert_cmpuint (columns[i].n_nan, ==, c.n_nan);
      g_assert_cmpuint (columns[i].n_above, ==, c.n_above);
      g_assert_cmpuint (columns[i].n_below, ==, c.n_below);
      if (c.n_finite == 0)
        continue;
      g_assert_cmpfloat_with_epsilon (columns[i].mean, c.mean, 1e-9);
      assert_trace (&columns[i].raw, &c.raw, 1e-300);
      assert_trace (&columns[i].smooth, &c.smooth, 1e-12);
    }
}

static void
test_columns (void)
{
  static const SluiceXAxis axes[] = { SLUICE_X_STEP, SLUICE_X_RELATIVE, SLUICE_X_WALL };
  static const guint sizes[] = { 1, 2, 15, 16, 17, 4095, 4096, 4097, 13001 };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      Points p = random_points (sizes[s], 0.05);
      g_autoptr (SluiceSeriesBuffer) buffer = fill (&p);
      SluiceSeriesSource *source = sluice_series_buffer_as_source (buffer);
      g_autofree double *smooth = brute_smoothing (&p, 0.7);

      sluice_series_source_prepare (source, 0.7, -1);
      for (guint a = 0; a < G_N_ELEMENTS (axes); a++)
        {
          double x0 = point_x (&p, axes[a], 0);
          double end = point_x (&p, axes[a], p.n - 1);
          double x1 = end > x0 ? end : x0 + 1;
          double third = (x1 - x0) / 3;

          check_columns (source, &p, smooth, axes[a], x0, x1, 50);
          check_columns (source, &p, smooth, axes[a], x0 - third, x0 + third, 7);
          check_columns (source, &p, smooth, axes[a], x0 + third, x0 + third * 1.01 + 1e-6, 31);
          check_columns (source, &p, smooth, axes[a], x1 + 1, x1 + 2, 3);
        }
      points_clear (&p);
    }
}

/* ---- a series whose points lie elsewhere ---- */

typedef struct
{
  SluiceSeriesPoints parent;
  const Points *points; /* NULL: those of made_up_point() */
  guint64 *n_read;
} Elsewhere;

static SluiceSeriesPoint
made_up_point (guint64 index)
{
  return (SluiceSeriesPoint){ (gint64) index, 1.7e9 + index * 1e-3, index * 37 % 1009 };
}

static guint
elsewhere_read (
    SluiceSeriesPoints *points, guint64 index, gint64 from_step, guint n, SluiceSeriesPoint *out)
{
  const Elsewhere *self = (Elsewhere *) points;
  const Points *p = self->points;

  for (guint i = 0; i < n; i++)
    out[i] = p == NULL ? made_up_point (index + i)
                       : (SluiceSeriesPoint){ p->step[index + i], p->wall[index + i],
                                              p->value[index + i] };
  g_assert_cmpint (out[0].step, >=, from_step);
  *self->n_read += n;
  return n;
}

static void
elsewhere_forget (SluiceSeriesPoints *points)
{
}

static SluiceSeriesBuffer *
elsewhere_new (const Points *points, guint64 *n_read)
{
  Elsewhere *self = g_new (Elsewhere, 1);

  *self = (Elsewhere){ { elsewhere_read, elsewhere_forget, (gpointer) g_free }, points, n_read };
  return sluice_series_buffer_new_over (&self->parent);
}

static guint64
count_points (const SluiceColumn *columns, guint n)
{
  guint64 total = 0;

  for (guint i = 0; i < n; i++)
    total += columns[i].n_finite + columns[i].n_nan + columns[i].n_above + columns[i].n_below;
  return total;
}

/* At once no point is missing, then every one is in its column. */
static void
check_refining (SluiceSeriesSource *source,
                const Points *p,
                const double *smooth,
                SluiceXAxis axis,
                double x0,
                double x1,
                guint n)
{
  g_autofree SluiceColumn *columns = g_new (SluiceColumn, n);
  SluiceEdges edges;
  guint64 n_inside = 0;

  sluice_series_source_read_columns (source, axis, x0, x1, n, columns, &edges);
  for (guint i = 0; i < p->n; i++)
    n_inside += point_x (p, axis, i) >= x0 && point_x (p, axis, i) <= x1;
  g_assert_cmpuint (count_points (columns, n), >=, n_inside);
  /* Drawing in between does not start it over. */
  while (!sluice_series_source_refine (source, 0))
    sluice_series_source_read_columns (source, axis, x0, x1, n, columns, &edges);
  check_columns (source, p, smooth, axis, x0, x1, n);
}

static void
test_elsewhere (void)
{
  static const SluiceXAxis axes[] = { SLUICE_X_STEP, SLUICE_X_RELATIVE, SLUICE_X_WALL };
  static const guint sizes[] = { 1, 511, 513, 4096, 4097, 40000 };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      Points p = random_points (sizes[s], 0.05);
      guint64 n_read = 0;
      g_autoptr (SluiceSeriesBuffer) buffer = elsewhere_new (&p, &n_read);
      SluiceSeriesSource *source = sluice_series_buffer_as_source (buffer);
      g_autofree double *smooth = brute_smoothing (&p, 0.7);

      for (guint i = 0; i < p.n; i++)
        {
          sluice_series_buffer_append (buffer, p.step[i], p.wall[i], p.value[i]);
          /* Smoothing begins among the points and goes on over each joining of stretches. */
          if (i == p.n / 3)
            sluice_series_source_prepare (source, 0.7, 0);
        }
      while (!sluice_series_source_prepare (source, 0.7, 0))
        ;
      for (guint a = 0; a < G_N_ELEMENTS (axes); a++)
        {
          double x0 = point_x (&p, axes[a], 0);
          double end = point_x (&p, axes[a], p.n - 1);
          double x1 = end > x0 ? end : x0 + 1;
          double third = (x1 - x0) / 3;

          check_refining (source, &p, smooth, axes[a], x0, x1, 300);
          check_refining (source, &p, smooth, axes[a], x0, x1, 700);
          check_refining (source, &p, smooth, axes[a], x0 - third, x0 + third, 77);
          check_refining (source, &p, smooth, axes[a], x0 + third, x0 + third * 1.2 + 1e-6, 300);
          check_refining (source, &p, smooth, axes[a], x0 + third, x0 + third * 1.01 + 1e-6, 31);
        }
      points_clear (&p);
    }
}

static gsize
allocated (void)
{
  struct mallinfo2 info = mallinfo2 ();

  return info.uordblks + info.hblkhd;
}

/* 2 million points take no more than one million; and what is drawn of them is all of them. */
static void
test_bounded (void)
{
  enum
  {
    N = 2000000,
    N_COLUMNS = 480,
  };
  guint64 n_read = 0;
  gsize before = allocated ();
  g_autoptr (SluiceSeriesBuffer) buffer = elsewhere_new (NULL, &n_read);
  SluiceSeriesSource *source = sluice_series_buffer_as_source (buffer);
  g_autofree SluiceColumn *columns = g_new (SluiceColumn, N_COLUMNS);
  SluiceSeriesSample sample;
  SluiceEdges edges;
  gsize half = 0;

  sluice_series_source_prepare (source, 0.6, 0);
  for (guint64 i = 0; i < N; i++)
    {
      SluiceSeriesPoint point = made_up_point (i);

      sluice_series_buffer_append (buffer, point.step, point.wall, point.value);
      if (i % 10000 == 0)
        sluice_series_source_read_columns (source, SLUICE_X_STEP, 0, i + 1, N_COLUMNS, columns,
                                           &edges);
      half = i == N / 2 ? allocated () : half;
    }
  g_assert_cmpuint (allocated (), <=, half + 4096);
  g_assert_cmpuint (allocated (), <, before + (1250 << 10));
  /* The first picture reads no more than it may, and the smoothing nothing twice. */
  while (!sluice_series_source_prepare (source, 0.6, 0))
    ;
  n_read = 0;
  sluice_series_source_read_columns (source, SLUICE_X_STEP, 0, N, N_COLUMNS, columns, &edges);
  g_assert_cmpuint (n_read, <=, 1024);
  g_assert_cmpuint (count_points (columns, N_COLUMNS), ==, N);
  while (!sluice_series_source_refine (source, 1000))
    g_thread_yield ();
  sluice_series_source_read_columns (source, SLUICE_X_STEP, 0, N, N_COLUMNS, columns, &edges);
  for (guint i = 0; i < N_COLUMNS; i++)
    {
      guint from = (guint) ceil ((double) N * i / N_COLUMNS);
      guint end = i + 1 == N_COLUMNS ? N : (guint) ceil ((double) N * (i + 1) / N_COLUMNS);

      g_assert_cmpuint (columns[i].n_finite, ==, end - from);
      g_assert_cmpfloat (columns[i].raw.first, ==, made_up_point (from).value);
      g_assert_cmpfloat (columns[i].raw.last, ==, made_up_point (end - 1).value);
    }
  for (guint64 i = 0; i < N; i += 99991)
    {
      g_assert_true (sluice_series_source_lookup (source, SLUICE_X_STEP, i + 0.3, &sample));
      g_assert_cmpuint (sample.index, ==, i);
      g_assert_cmpfloat (sample.value, ==, made_up_point (i).value);
    }
  g_assert_cmpuint (allocated (), <, before + (1250 << 10));
}

static void
test_edges (void)
{
  g_autoptr (SluiceSeriesBuffer) buffer = sluice_series_buffer_new ();
  SluiceSeriesSource *source = sluice_series_buffer_as_source (buffer);
  SluiceColumn columns[4];
  SluiceEdges edges;

  sluice_series_source_read_columns (source, SLUICE_X_STEP, 0, 10, 4, columns, &edges);
  g_assert_false (edges.has_before || edges.has_after);
  g_assert_cmpuint (columns[0].n_finite, ==, 0);
  sluice_series_buffer_append (buffer, 0, 0, 1);
  /* Long stretches of NaN on either side are passed over. */
  for (int i = 1; i < 10000; i++)
    sluice_series_buffer_append (buffer, i, i, NAN);
  sluice_series_buffer_append (buffer, 10000, 10000, 2);
  sluice_series_source_read_columns (source, SLUICE_X_STEP, 9000, 9004, 4, columns, &edges);
  g_assert_true (edges.has_before && edges.has_after);
  g_assert_cmpint (edges.before.step, ==, 0);
  g_assert_cmpint (edges.after.step, ==, 10000);
  g_assert_cmpuint (columns[3].n_nan, ==, 2);
  g_assert_cmpuint (columns[3].n_finite, ==, 0);
}

static void
test_lookup (void)
{
  g_autoptr (SluiceSeriesBuffer) buffer = sluice_series_buffer_new ();
  SluiceSeriesSource *source = sluice_series_buffer_as_source (buffer);
  SluiceSeriesSample sample;

  g_assert_false (sluice_series_source_lookup (source, SLUICE_X_STEP, 3, &sample));
  for (int i = 0; i < 5000; i++)
    sluice_series_buffer_append (buffer, 10 * i, 100 + i, i);
  sluice_series_source_lookup (source, SLUICE_X_STEP, -1e9, &sample);
  g_assert_cmpint (sample.step, ==, 0);
  sluice_series_source_lookup (source, SLUICE_X_STEP, 41, &sample);
  g_assert_cmpint (sample.step, ==, 40);
  sluice_series_source_lookup (source, SLUICE_X_STEP, 46, &sample);
  g_assert_cmpint (sample.step, ==, 50);
  sluice_series_source_lookup (source, SLUICE_X_RELATIVE, 4711.2, &sample);
  g_assert_cmpuint (sample.index, ==, 4711);
  sluice_series_source_lookup (source, SLUICE_X_WALL, 1e12, &sample);
  g_assert_cmpuint (sample.index, ==, 4999);
}

static void
test_out_of_order (void)
{
  /* Points that come late go to their place; the summary is what it would have been. */
  Points p = random_points (9000, 0.01);
  g_autoptr (SluiceSeriesBuffer) buffer = sluice_series_buffer_new ();
  SluiceSeriesSource *source = sluice_series_buffer_as_source (buffer);
  g_autofree double *smooth = brute_smoothing (&p, 0.4);

  for (guint i = 0; i < p.n; i++)
    p.step[i] = 3 * (gint64) i;
  for (guint i = 0; i < p.n; i++)
    if (i % 1000 != 500)
      sluice_series_buffer_append (buffer, p.step[i], p.wall[i], p.value[i]);
  sluice_series_source_prepare (source, 0.4, -1);
  for (guint i = 8500; i < p.n; i -= 1000)
    sluice_series_buffer_append (buffer, p.step[i], p.wall[i], p.value[i]);
  g_assert_cmpuint (sluice_series_buffer_get_n_points (buffer), ==, p.n);
  sluice_series_source_prepare (source, 0.4, -1);
  check_columns (source, &p, smooth, SLUICE_X_STEP, 0, p.step[p.n - 1], 40);
  check_columns (source, &p, smooth, SLUICE_X_RELATIVE, 0, p.wall[p.n - 1] - p.wall[0], 40);
  points_clear (&p);
}

static void
test_clock_set_back (void)
{
  g_autoptr (SluiceSeriesBuffer) buffer = sluice_series_buffer_new ();
  SluiceSeriesSource *source = sluice_series_buffer_as_source (buffer);
  SluiceExtent extent;

  sluice_series_buffer_append (buffer, 1, 100, 1);
  sluice_series_buffer_append (buffer, 2, 50, 2);
  sluice_series_buffer_append (buffer, 3, NAN, 3);
  sluice_series_source_get_extent (source, SLUICE_X_RELATIVE, &extent);
  g_assert_cmpfloat (extent.x0, ==, 0);
  g_assert_cmpfloat (extent.x1, ==, 0);
  g_assert_cmpuint (extent.n_points, ==, 3);
}

static void
test_serial (void)
{
  g_autoptr (SluiceSeriesBuffer) buffer = sluice_series_buffer_new ();
  SluiceSeriesSource *source = sluice_series_buffer_as_source (buffer);
  guint64 serial = sluice_series_source_get_serial (source);

  sluice_series_buffer_append (buffer, 1, 1, 1);
  g_assert_cmpuint (sluice_series_source_get_serial (source), !=, serial);
  sluice_series_buffer_append (buffer, 2, 2, 2);
  sluice_series_source_prepare (source, 0.6, -1);
  serial = sluice_series_source_get_serial (source);
  sluice_series_source_prepare (source, 0.6, -1);
  g_assert_cmpuint (sluice_series_source_get_serial (source), ==, serial);
  sluice_series_source_prepare (source, 0.7, -1);
  g_assert_cmpuint (sluice_series_source_get_serial (source), !=, serial);
  serial = sluice_series_source_get_serial (source);
  sluice_series_buffer_clear (buffer);
  g_assert_cmpuint (sluice_series_source_get_serial (source), !=, serial);
  g_assert_cmpuint (sluice_series_buffer_get_n_points (buffer), ==, 0);
}

/* Points a tenth of a second apart, but for an hour after the 50th. */
static void
test_pauses (void)
{
  g_autoptr (SluicePauses) pauses = sluice_pauses_new ();
  g_autoptr (SluiceSeriesBuffer) buffer = sluice_series_buffer_new ();
  SluiceSeriesSource *source = sluice_series_buffer_as_source (buffer);
  SluiceSeriesSample sample;
  SluiceExtent extent;
  guint64 serial;

  sluice_series_buffer_set_pauses (buffer, pauses);
  for (int i = 0; i < 100; i++)
    {
      double wall = 1.7e9 + 0.1 * i + (i >= 50 ? 3600 : 0);

      sluice_pauses_add (pauses, wall);
      sluice_series_buffer_append (buffer, i, wall, i);
    }
  g_assert_cmpuint (pauses->found->len, ==, 1);
  sluice_series_source_get_extent (source, SLUICE_X_RELATIVE, &extent);
  g_assert_cmpfloat_with_epsilon (extent.x1, 9.8, 1e-3);
  sluice_series_source_get_extent (source, SLUICE_X_WALL, &extent);
  g_assert_cmpfloat_with_epsilon (extent.x1 - extent.x0, 3609.9, 1e-3);
  g_assert_true (sluice_series_source_lookup (source, SLUICE_X_RELATIVE, 5.9, &sample));
  g_assert_cmpint (sample.step, ==, 60);
  g_assert_true (sluice_pauses_lie_between (pauses, 1.7e9 + 4.9, 1.7e9 + 3605));
  g_assert_false (sluice_pauses_lie_between (pauses, 1.7e9 + 4.8, 1.7e9 + 4.9));
  /* A pause that is found later changes what was there. */
  serial = sluice_series_source_get_serial (source);
  sluice_pauses_add (pauses, 1.7e9 + 9999);
  g_assert_cmpuint (sluice_series_source_get_serial (source), !=, serial);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/chart/smoothing/formula", test_smoothing);
  g_test_add_func ("/ui/chart/smoothing/pauses", test_pauses);
  g_test_add_func ("/ui/chart/smoothing/grows", test_smoothing_grows);
  g_test_add_func ("/ui/chart/smoothing/constant", test_smoothing_constant);
  g_test_add_func ("/ui/chart/smoothing/budget", test_smoothing_budget);
  g_test_add_func ("/ui/chart/series/columns", test_columns);
  g_test_add_func ("/ui/chart/series/elsewhere", test_elsewhere);
  g_test_add_func ("/ui/chart/series/bounded", test_bounded);
  g_test_add_func ("/ui/chart/series/edges", test_edges);
  g_test_add_func ("/ui/chart/series/lookup", test_lookup);
  g_test_add_func ("/ui/chart/series/out-of-order", test_out_of_order);
  g_test_add_func ("/ui/chart/series/clock-set-back", test_clock_set_back);
  g_test_add_func ("/ui/chart/series/serial", test_serial);
  return g_test_run ();
}
