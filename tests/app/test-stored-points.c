/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/stored-points.h"
#include "tests/remove-tree.h"
#include "ui/chart/series-buffer.h"

#include <malloc.h>
#include <math.h>

enum
{
  N_SERIES = 4,
  N_STEPS = 250000, /* 6 MB each: all of them are more than the cache holds */
  N_COLUMNS = 700,
};

static double
value_at (guint series, gint64 step)
{
  guint odd = (guint) (step * 31 + series) % 1000;
  return odd == 3 ? NAN : odd == 4 ? INFINITY : sin (step / 9000.0) + odd * 1e-3 * (series + 1);
}

typedef struct
{
  char *folder;
  SluiceStore *store;
  SluiceRunLog *log;
  gint64 ids[N_SERIES];
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  GError *error = NULL;
  self->folder = g_dir_make_tmp ("sluice-stored-XXXXXX", NULL);
  self->store = sluice_store_open (self->folder, &error);
  g_assert_no_error (error);
  SluiceRunInfo run = { .name = g_strdup ("run"), .state = SLUICE_RUN_RUNNING };
  g_assert_true (sluice_store_add_run (self->store, &run, NULL));
  g_free (run.name);
  self->log = sluice_store_open_log (self->store, run.id, NULL);
  for (guint i = 0; i < N_SERIES; i++)
    {
      g_autofree char *tag = g_strdup_printf ("series/%u", i);
      self->ids[i] = sluice_run_log_series (self->log, tag, SLUICE_SERIES_SCALAR, NULL);
    }
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  sluice_run_log_close (self->log, NULL);
  g_clear_object (&self->store);
  remove_tree (self->folder);
  g_free (self->folder);
}

static void
log_points (Fixture *self, guint series, gint64 from, gint64 end)
{
  for (gint64 step = from; step < end; step++)
    {
      /* Each hundredth is logged twice: the second takes the first one's place. */
      if (step % 100 == 0)
        sluice_run_log_scalar (self->log, self->ids[series], step, step, 1e9);
      sluice_run_log_scalar (self->log, self->ids[series], step, 2 * step, value_at (series, step));
    }
  g_assert_true (sluice_run_log_flush (self->log, NULL));
}

/* As the workspace does it. */
static void
append_news (Fixture *self, SluiceSeriesBuffer *buffer, guint series, gint64 from)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  g_assert_true (
      sluice_store_read_points (self->store, self->ids[series], from, G_MAXSIZE, points, NULL));
  for (guint i = 0; i < points->len; i++)
    {
      const SluiceScalar *p = &g_array_index (points, SluiceScalar, i);
      sluice_series_buffer_append (buffer, p->step, p->wall, p->value);
    }
}

static void
assert_trace (const SluiceTrace *a, const SluiceTrace *b)
{
  g_assert_cmpfloat (a->first_x, ==, b->first_x);
  g_assert_cmpfloat (a->last_x, ==, b->last_x);
  g_assert_cmpfloat (a->first, ==, b->first);
  g_assert_cmpfloat (a->last, ==, b->last);
  g_assert_cmpfloat (a->min, ==, b->min);
  g_assert_cmpfloat (a->max, ==, b->max);
}

/* The columns from the store are those of a series that holds all its points. */
static void
check_columns (SluiceSeriesBuffer *stored, SluiceSeriesBuffer *whole, double x0, double x1)
{
  g_autofree SluiceColumn *a = g_new (SluiceColumn, N_COLUMNS);
  g_autofree SluiceColumn *b = g_new (SluiceColumn, N_COLUMNS);
  SluiceSeriesSource *source = sluice_series_buffer_as_source (stored);
  SluiceEdges edges;
  sluice_series_source_read_columns (source, SLUICE_X_STEP, x0, x1, N_COLUMNS, a, &edges);
  while (!sluice_series_source_refine (source, 1000))
    g_thread_yield ();
  sluice_series_source_read_columns (source, SLUICE_X_STEP, x0, x1, N_COLUMNS, a, &edges);
  sluice_series_source_read_columns (sluice_series_buffer_as_source (whole), SLUICE_X_STEP, x0, x1,
                                     N_COLUMNS, b, &edges);
  for (guint i = 0; i < N_COLUMNS; i++)
    {
      g_assert_cmpuint (a[i].n_finite, ==, b[i].n_finite);
      g_assert_cmpuint (a[i].n_nan, ==, b[i].n_nan);
      g_assert_cmpuint (a[i].n_above, ==, b[i].n_above);
      if (a[i].n_finite == 0)
        continue;
      assert_trace (&a[i].raw, &b[i].raw);
      assert_trace (&a[i].smooth, &b[i].smooth);
    }
}

static void
test_columns (Fixture *self, gconstpointer data)
{
  SluiceSeriesBuffer *stored[N_SERIES], *whole[N_SERIES];
  for (guint i = 0; i < N_SERIES; i++)
    {
      log_points (self, i, 0, N_STEPS);
      stored[i] =
          sluice_series_buffer_new_over (sluice_stored_points_new (self->store, self->ids[i]));
      whole[i] = sluice_series_buffer_new ();
      append_news (self, stored[i], i, G_MININT64);
      append_news (self, whole[i], i, G_MININT64);
      g_assert_cmpuint (sluice_series_buffer_get_n_points (stored[i]), ==, N_STEPS);
      while (!sluice_series_source_prepare (sluice_series_buffer_as_source (stored[i]), 0.8, 500))
        ;
      sluice_series_source_prepare (sluice_series_buffer_as_source (whole[i]), 0.8, -1);
    }
  for (guint i = 0; i < N_SERIES; i++)
    {
      check_columns (stored[i], whole[i], 0, N_STEPS - 1);
      check_columns (stored[i], whole[i], -1000, N_STEPS / 3.0);
      check_columns (stored[i], whole[i], 100000.5, 133333.25);
      check_columns (stored[i], whole[i], 100000.5, 100100);
      g_assert_cmpuint (sluice_stored_points_get_cached (), <=, SLUICE_STORED_POINTS_CACHE);
    }
  g_assert_cmpuint (sluice_stored_points_get_cached (), >, SLUICE_STORED_POINTS_CACHE / 2);
  for (guint i = 0; i < N_SERIES; i++)
    {
      sluice_series_buffer_unref (stored[i]);
      sluice_series_buffer_unref (whole[i]);
    }
  g_assert_cmpuint (sluice_stored_points_get_cached (), ==, 0);
}

static gsize
allocated (void)
{
  struct mallinfo2 info = mallinfo2 ();
  return info.uordblks + info.hblkhd;
}

static void
read_all (SluiceSeriesPoints *points)
{
  SluiceSeriesPoint read[500];
  gint64 from = 0;
  for (guint n; (n = points->read (points, 0, from, G_N_ELEMENTS (read), read)) > 0;)
    from = read[n - 1].step + 1;
}

/* What is kept takes as much as it is said to. */
static void
test_size (Fixture *self, gconstpointer data)
{
  SluiceSeriesPoints *points = sluice_stored_points_new (self->store, self->ids[0]);
  log_points (self, 0, 0, N_STEPS);
  read_all (points); /* SQLite's own pages are there from now on */
  points->forget (points);
  g_assert_cmpuint (sluice_stored_points_get_cached (), ==, 0);
  gsize before = allocated ();
  read_all (points);
  gsize taken = allocated () - before, said = sluice_stored_points_get_cached ();
  g_assert_cmpuint (said, >, SLUICE_STORED_POINTS_CACHE / 2);
  g_assert_cmpuint (taken, <=, said + said / 20);
  points->free (points);
}

/* A chunk that was read while it was short is read again when it has grown; a run that was cut and
 * goes on with other values shows those. */
static void
test_grows (Fixture *self, gconstpointer data)
{
  g_autoptr (SluiceSeriesBuffer) stored =
      sluice_series_buffer_new_over (sluice_stored_points_new (self->store, self->ids[0]));
  SluiceSeriesSource *source = sluice_series_buffer_as_source (stored);
  SluiceSeriesSample sample;
  for (gint64 step = 0; step < 30000; step += 300)
    {
      log_points (self, 0, step, step + 300);
      append_news (self, stored, 0, step);
      for (gint64 k = MAX (0, step - 300); k < step + 300; k += 50)
        {
          g_assert_true (sluice_series_source_lookup (source, SLUICE_X_STEP, k, &sample));
          g_assert_cmpint (sample.step, ==, k);
          g_assert_true (sample.value == value_at (0, k) || isnan (value_at (0, k)));
        }
    }
  g_assert_true (sluice_run_log_truncate (self->log, 14999, NULL));
  log_points (self, 0, 15000, 16000);
  sluice_run_log_scalar (self->log, self->ids[0], 15500, 0, -7);
  g_assert_true (sluice_run_log_flush (self->log, NULL));
  sluice_series_buffer_clear (stored);
  append_news (self, stored, 0, G_MININT64);
  g_assert_cmpuint (sluice_series_buffer_get_n_points (stored), ==, 16000);
  g_assert_true (sluice_series_source_lookup (source, SLUICE_X_STEP, 15500, &sample));
  g_assert_cmpfloat (sample.value, ==, -7);
  g_assert_cmpuint (sluice_series_source_read_samples (source, SLUICE_X_STEP, 15999, 1, &sample),
                    ==, 1);
  g_assert_cmpint (sample.step, ==, 15999);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/app/stored-points/columns", Fixture, NULL, set_up, test_columns, tear_down);
  g_test_add ("/app/stored-points/size", Fixture, NULL, set_up, test_size, tear_down);
  g_test_add ("/app/stored-points/grows", Fixture, NULL, set_up, test_grows, tear_down);
  return g_test_run ();
}
