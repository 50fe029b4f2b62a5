/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * A trace of many events as pages look at it: seconds to build it, bytes a span, milliseconds of
 * the first frame, of a frame while panning and zooming, microseconds of what a training step adds
 * while somebody looks; its file, opened until the first frame is there. JSON lines.
 *
 * usage: bench-trace-view [SPANS]
 */
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engine/trace/trace-own.h"
#include "engine/trace/trace-remarks.h"
#include "engine/trace/trace-view.h"

#define N_LANES  16
#define N_NODES  400 /* of a step, on each lane */
#define N_PIXELS 1920
#define N_FRAMES 200

static SluiceTraceView *view;
static gint64 now[N_LANES];
static guint64 n_pieces;

/* Of this thread: what else runs on the machine does not count. */
static double
ms_now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return (double) time.tv_sec * 1e3 + (double) time.tv_nsec / 1e6;
}

/* With what is waited for: the disk. */
static double
wall_ms_now (void)
{
  return (double) g_get_monotonic_time () / 1000;
}

static void
add_step (GRand *rand, guint64 step)
{
  for (guint lane = 0; lane < N_LANES; lane++)
    for (guint i = 0; i < N_NODES; i++)
      {
        char name[32];
        g_snprintf (name, sizeof name, "layer%u/node%u", i % 20, i);
        gint64 start = now[lane] + g_rand_int_range (rand, 100, 3000);
        now[lane] = start + g_rand_int_range (rand, 200, 20000);
        const SluiceTraceSpan span = { .scheduled = start - 90,
                                       .start = start,
                                       .end = now[lane],
                                       .name = name,
                                       .op = "MatMul",
                                       .lane = lane,
                                       .step = step,
                                       .bytes_in = 64 * i,
                                       .bytes_out = 64,
                                       .live = 64 * i };
        sluice_trace_view_add (view, &span);
      }
}

static void
count_piece (const SluiceTracePiece *piece, gpointer data)
{
  guint64 *n = data;
  *n += piece->n;
  n_pieces++;
}

/* What all rows show; returns the spans that they stand for. */
static guint64
draw (gint64 from, gint64 to)
{
  guint64 n = 0;
  gint64 grain = MAX (1, (to - from) / N_PIXELS);
  for (guint lane = 0; lane < sluice_trace_view_get_n_lanes (view); lane++)
    for (guint row = 0; row < sluice_trace_view_get_lane (view, lane)->n_rows; row++)
      sluice_trace_view_each_piece (view, lane, row, from, to, grain, count_piece, &n);
  return n;
}

static void
print (const char *name, double value, const char *unit, double goal)
{
  printf ("{\"name\": \"trace-view/%s\", \"value\": %.3f, \"unit\": \"%s\", \"goal\": %g}\n", name,
          value, unit, goal);
}

/* Zoomed in by more and more, each time from another place: the slowest frame counts. */
static void
bench_frames (GRand *rand)
{
  gint64 begin, end;
  sluice_trace_view_get_extent (view, &begin, &end);
  double worst = 0;
  for (guint i = 0; i < N_FRAMES; i++)
    {
      gint64 width = MAX (1, (end - begin) >> (i % 30));
      gint64 from = begin + (gint64) (g_rand_double (rand) * (double) (end - begin - width));
      double before = ms_now ();
      draw (from, from + width);
      worst = MAX (worst, ms_now () - before);
    }
  print ("pan-zoom", worst, "ms", 16);
}

/* Written, and opened again: until the first frame is there. */
static void
bench_file (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) remarks = sluice_trace_remarks_new ();
  g_autofree char *folder = g_dir_make_tmp ("sluice-bench-XXXXXX", &error);
  g_autofree char *path = g_build_filename (folder, "t.sltrace", NULL);
  double before = wall_ms_now ();
  guint64 n = sluice_trace_view_get_n_spans (view);
  sluice_trace_own_write (view, path, &error);
  g_assert_no_error (error);
  print ("write", (wall_ms_now () - before) / 1000, "s", 30);
  sluice_trace_view_free (view);
  before = wall_ms_now ();
  view = sluice_trace_own_open (path, remarks, &error);
  g_assert_no_error (error);
  gint64 begin, end;
  sluice_trace_view_get_extent (view, &begin, &end);
  g_assert_cmpuint (draw (begin, end + 1), ==, n);
  print ("open-to-first-frame", wall_ms_now () - before, "ms", 1000);
  GStatBuf info;
  g_stat (path, &info);
  print ("file", (double) info.st_size / (double) n, "bytes a span", 32);
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  guint64 n_spans = argc > 1 ? strtoull (argv[1], NULL, 10) : 50000000;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  view = sluice_trace_view_new ();
  for (guint i = 0; i < N_LANES; i++)
    {
      g_autofree char *name = g_strdup_printf ("lane %u", i);
      sluice_trace_view_add_lane (view, SLUICE_LANE_THREAD, "CPU:0", name);
    }
  double before = ms_now ();
  guint64 step = 0;
  while (sluice_trace_view_get_n_spans (view) < n_spans)
    add_step (rand, ++step);
  sluice_trace_view_settle (view);
  print ("build", (ms_now () - before) / 1000, "s", 30);
  n_spans = sluice_trace_view_get_n_spans (view);
  print ("bytes", (double) sluice_trace_view_get_bytes (view) / (double) n_spans, "bytes", 32);
  gint64 begin, end;
  sluice_trace_view_get_extent (view, &begin, &end);
  before = ms_now ();
  guint64 n = draw (begin, end + 1);
  print ("first-frame", ms_now () - before, "ms", 1000);
  g_assert_cmpuint (n, ==, n_spans);
  print ("pieces", (double) n_pieces / (N_LANES * N_PIXELS), "a pixel", 2);
  bench_frames (rand);
  before = ms_now ();
  add_step (rand, ++step);
  sluice_trace_view_settle (view);
  print ("append", (ms_now () - before) * 1e6 / (N_LANES * N_NODES), "ns a span", 500);
  bench_file ();
  sluice_trace_view_free (view);
  return 0;
}
