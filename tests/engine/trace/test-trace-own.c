/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Sluice's own trace files: what was written is what is read, cut short it is what came before, and
 * a changed byte is noticed. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/trace/trace-own.h"
#include "engine/trace/trace-remarks.h"
#include "engine/trace/trace-view-private.h"

#define N_SPANS 20000
#define N_LANES 3

static SluiceTraceView *
make_view (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (9);
  SluiceTraceView *view = sluice_trace_view_new ();
  sluice_trace_view_set_start (view, 1234567890);
  for (guint i = 0; i < N_LANES; i++)
    {
      g_autofree char *name = g_strdup_printf ("lane %u", i / 2); /* names need not differ */
      sluice_trace_view_new_lane (view, i == 2 ? SLUICE_LANE_WAIT : SLUICE_LANE_THREAD, "CPU:0",
                                  name);
    }
  for (guint i = 0; i < N_SPANS; i++)
    {
      gint64 start = (gint64) i * 70 + g_rand_int_range (rand, 0, 500);
      g_autofree char *name = g_strdup_printf ("node%u", i % 31);
      const SluiceTraceSpan span = { .scheduled = start - g_rand_int_range (rand, 0, 90),
                                     .start = start,
                                     .end = start + (i % 997 == 0 ? (gint64) 5e9 : 60),
                                     .name = name,
                                     .op = i % 2 ? "Neg" : NULL,
                                     .frame = i % 5 ? NULL : "loop",
                                     .iteration = i % 5 ? 0 : i,
                                     .kind = i % SLUICE_SPAN_OTHER,
                                     .lane = g_rand_int_range (rand, 0, N_LANES),
                                     .step = i / 100,
                                     .bytes_in = i % 7,
                                     .bytes_out = i % 3,
                                     .live = (gsize) i << 20 };
      sluice_trace_view_add (view, &span);
    }
  sluice_trace_view_add_together (view, "node1", "fused");
  guint counter = sluice_trace_view_add_counter (view, "CPU:0", "live bytes");
  for (guint i = 0; i < 10; i++)
    {
      sluice_trace_view_add_count (view, counter, 900 - 90 * (gint64) i, i * 0.5);
      sluice_trace_view_add_mark (view, i % 2 ? SLUICE_LANE_NONE : 1, 800 - 80 * (gint64) i, "NaN");
      sluice_trace_view_add_flow (view, 100 - i, 200 + i);
    }
  sluice_trace_view_settle (view);
  return view;
}

static void
check_spans (const SluiceTraceView *a, const SluiceTraceView *b, guint64 n)
{
  for (guint64 i = 0; i < n; i++)
    {
      SluiceTraceSpan x, y;
      sluice_trace_view_get_span (a, i, &x);
      sluice_trace_view_get_span (b, i, &y);
      g_assert_cmpint (x.scheduled, ==, y.scheduled);
      g_assert_cmpint (x.start, ==, y.start);
      g_assert_cmpint (x.end, ==, y.end);
      g_assert_cmpstr (x.name, ==, y.name);
      g_assert_cmpstr (x.op, ==, y.op);
      g_assert_cmpstr (x.frame, ==, y.frame);
      g_assert_cmpint (x.kind, ==, y.kind);
      g_assert_cmpuint (x.lane, ==, y.lane);
      g_assert_cmpuint (x.row, ==, y.row);
      g_assert_cmpuint (x.step, ==, y.step);
      g_assert_cmpuint (x.iteration, ==, y.iteration);
      g_assert_cmpuint (x.bytes_in, ==, y.bytes_in);
      g_assert_cmpuint (x.bytes_out, ==, y.bytes_out);
      g_assert_cmpuint (x.live, ==, y.live);
      g_assert_cmpuint (sluice_trace_view_get_beside (a, i, TRUE), ==,
                        sluice_trace_view_get_beside (b, i, TRUE));
    }
}

static void
add_piece (const SluiceTracePiece *piece, gpointer data)
{
  g_array_append_val ((GArray *) data, *piece);
}

static void
check_lanes (const SluiceTraceView *a, const SluiceTraceView *b)
{
  gint64 begin, end;
  sluice_trace_view_get_extent (a, &begin, &end);
  g_assert_cmpuint (sluice_trace_view_get_n_lanes (a), ==, sluice_trace_view_get_n_lanes (b));
  for (guint i = 0; i < sluice_trace_view_get_n_lanes (a); i++)
    {
      const SluiceTraceLane *x = sluice_trace_view_get_lane (a, i);
      const SluiceTraceLane *y = sluice_trace_view_get_lane (b, i);
      g_assert_cmpstr (x->device, ==, y->device);
      g_assert_cmpstr (x->name, ==, y->name);
      g_assert_cmpint (x->kind, ==, y->kind);
      g_assert_cmpuint (x->n_rows, ==, y->n_rows);
      g_assert_cmpuint (x->n_spans, ==, y->n_spans);
      g_assert_cmpint (x->busy, ==, y->busy);
      g_assert_cmpint (x->begin, ==, y->begin);
      g_assert_cmpint (x->end, ==, y->end);
      for (guint row = 0; row < x->n_rows; row++)
        {
          g_autoptr (GArray) p = g_array_new (FALSE, FALSE, sizeof (SluiceTracePiece));
          g_autoptr (GArray) q = g_array_new (FALSE, FALSE, sizeof (SluiceTracePiece));
          sluice_trace_view_each_piece (a, i, row, begin, end + 1, 9000, add_piece, p);
          sluice_trace_view_each_piece (b, i, row, begin, end + 1, 9000, add_piece, q);
          g_assert_cmpmem (p->data, p->len * sizeof (SluiceTracePiece), q->data,
                           q->len * sizeof (SluiceTracePiece));
        }
    }
}

static void
check_steps (const SluiceTraceView *a, const SluiceTraceView *b)
{
  guint n, m;
  const SluiceTraceStep *x = sluice_trace_view_get_steps (a, &n);
  const SluiceTraceStep *y = sluice_trace_view_get_steps (b, &m);
  g_assert_cmpuint (n, ==, m);
  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpuint (x[i].step, ==, y[i].step);
      g_assert_cmpint (x[i].start, ==, y[i].start);
      g_assert_cmpint (x[i].end, ==, y[i].end);
      g_assert_cmpint (x[i].is_slow, ==, y[i].is_slow);
    }
}

static GBytes *
write_bytes (const SluiceTraceView *view)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("sluice-trace-XXXXXX", &error);
  g_autofree char *path = g_build_filename (folder, "t" SLUICE_TRACE_OWN_ENDING, NULL);
  char *data;
  gsize length;
  sluice_trace_own_write (view, path, &error);
  g_assert_no_error (error);
  g_file_get_contents (path, &data, &length, &error);
  g_assert_no_error (error);
  g_unlink (path);
  g_rmdir (folder);
  return g_bytes_new_take (data, length);
}

static void
check_beside (const SluiceTraceView *a, const SluiceTraceView *b)
{
  SluiceTraceCounter x, y;
  guint64 n, m;
  g_assert_cmpuint (sluice_trace_view_get_n_counters (b), ==, 1);
  sluice_trace_view_get_counter (a, 0, &x);
  sluice_trace_view_get_counter (b, 0, &y);
  g_assert_cmpstr (y.device, ==, "CPU:0");
  g_assert_cmpstr (y.name, ==, "live bytes");
  g_assert_cmpint (y.counts[0].time, ==, 90);
  g_assert_cmpfloat (y.counts[0].value, ==, 4.5);
  g_assert_cmpmem (x.counts, x.n * sizeof *x.counts, y.counts, y.n * sizeof *y.counts);
  const SluiceTraceMark *p = sluice_trace_view_get_marks (a, &n);
  const SluiceTraceMark *q = sluice_trace_view_get_marks (b, &m);
  g_assert_cmpuint (n, ==, 10);
  g_assert_cmpuint (m, ==, 10);
  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpint (p[i].time, ==, q[i].time);
      g_assert_cmpstr (p[i].name, ==, q[i].name);
      g_assert_cmpuint (p[i].lane, ==, q[i].lane);
    }
  const SluiceTraceFlow *from = sluice_trace_view_get_flows (a, &n);
  const SluiceTraceFlow *to = sluice_trace_view_get_flows (b, &m);
  g_assert_cmpuint (from[0].from, ==, 91);
  g_assert_cmpmem (from, n * sizeof *from, to, m * sizeof *to);
}

static void
check_same (const SluiceTraceView *a, const SluiceTraceView *b)
{
  check_lanes (a, b);
  check_steps (a, b);
  check_beside (a, b);
  check_spans (a, b, N_SPANS);
  g_assert_cmpint (sluice_trace_view_get_start (b), ==, 1234567890);
  g_assert_cmpstr (sluice_trace_view_get_together (b, "fused"), ==, "node1");
}

static void
test_whole (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) remarks = sluice_trace_remarks_new ();
  g_autoptr (SluiceTraceView) view = make_view ();
  g_autoptr (GBytes) bytes = write_bytes (view);
  g_assert_true (sluice_trace_own_is (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes)));
  g_autoptr (SluiceTraceView) again = sluice_trace_own_open_bytes (bytes, remarks, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (remarks->len, ==, 0);
  check_same (view, again);
  g_assert_cmpuint (sluice_trace_view_get_n_damaged (again), ==, 0);
  g_autoptr (GBytes) copy = write_bytes (again); /* of what lies in a file */
  g_assert_true (g_bytes_equal (bytes, copy));
}

/* What comes later goes on behind what was opened. */
static void
test_append (void)
{
  g_autoptr (GArray) remarks = sluice_trace_remarks_new ();
  g_autoptr (SluiceTraceView) view = make_view ();
  g_autoptr (GBytes) bytes = write_bytes (view);
  g_autoptr (SluiceTraceView) again = sluice_trace_own_open_bytes (bytes, remarks, NULL);
  for (gint64 i = 0; i < 5000; i++)
    {
      const SluiceTraceSpan span = { .start = 100 + 400 * i,
                                     .end = 150 + 400 * i,
                                     .name = "late",
                                     .lane = i % N_LANES,
                                     .step = 300 };
      sluice_trace_view_add (view, &span);
      sluice_trace_view_add (again, &span);
    }
  sluice_trace_view_settle (view);
  sluice_trace_view_settle (again);
  check_lanes (view, again);
  check_steps (view, again);
  check_spans (view, again, N_SPANS + 5000);
}

/* Without its end it is what came before, in rows as they would have been. */
static void
test_cut (void)
{
  g_autoptr (SluiceTraceView) view = make_view ();
  g_autoptr (GBytes) bytes = write_bytes (view);
  gsize length = g_bytes_get_size (bytes);
  guint n_opened = 0;
  guint64 last = 0;
  for (guint i = 1; i <= 20; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GArray) remarks = sluice_trace_remarks_new ();
      g_autofree guint8 *copy = g_memdup2 (g_bytes_get_data (bytes, NULL), length);
      g_autoptr (GBytes) part = g_bytes_new_static (copy, length * i / 20 - 1);
      g_autoptr (SluiceTraceView) cut = sluice_trace_own_open_bytes (part, remarks, &error);
      if (cut == NULL)
        {
          g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS);
          continue;
        }
      guint64 n = sluice_trace_view_get_n_spans (cut);
      g_assert_cmpuint (n, >=, last);
      g_assert_cmpuint (remarks->len, ==, n < N_SPANS ? 2 : 1);
      if (n < N_SPANS)
        g_assert_cmpuint (g_array_index (remarks, SluiceTraceRemark, 1).n, ==, N_SPANS - n);
      last = n;
      n_opened++;
      for (guint64 k = 0; k < n; k++)
        {
          SluiceTraceSpan x, y;
          sluice_trace_view_get_span (view, k, &x);
          sluice_trace_view_get_span (cut, k, &y);
          g_assert_cmpint (x.start, ==, y.start);
          g_assert_cmpstr (x.name, ==, y.name);
        }
      if (n == N_SPANS)
        check_same (view, cut);
    }
  g_assert_cmpuint (last, ==, N_SPANS);
  g_assert_cmpuint (n_opened, >, 10);
}

static void
look_at_all (const SluiceTraceView *view)
{
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (SluiceTracePiece));
  for (guint lane = 0; lane < sluice_trace_view_get_n_lanes (view); lane++)
    for (guint row = 0; row < sluice_trace_view_get_lane (view, lane)->n_rows; row++)
      sluice_trace_view_each_piece (view, lane, row, G_MININT64, G_MAXINT64, 0, add_piece, pieces);
  for (guint64 i = 0; i < sluice_trace_view_get_n_spans (view); i++)
    {
      SluiceTraceSpan span;
      sluice_trace_view_get_span (view, i, &span);
      sluice_trace_view_get_beside (view, i, FALSE);
    }
}

/* One byte changed anywhere: refused, said or counted, or it stood where nothing is written. */
static void
test_damaged (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  g_autoptr (SluiceTraceView) view = make_view ();
  g_autoptr (GBytes) bytes = write_bytes (view);
  gsize length = g_bytes_get_size (bytes);
  guint n_noticed = 0;
  for (guint i = 0; i < 200; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GArray) remarks = sluice_trace_remarks_new ();
      guint8 *copy = g_memdup2 (g_bytes_get_data (bytes, NULL), length);
      copy[g_rand_int_range (rand, 0, (gint32) length)] ^= 1 << g_rand_int_range (rand, 0, 8);
      g_autoptr (GBytes) part = g_bytes_new_take (copy, length);
      g_autoptr (SluiceTraceView) damaged = sluice_trace_own_open_bytes (part, remarks, &error);
      if (damaged != NULL)
        look_at_all (damaged);
      n_noticed +=
          damaged == NULL || remarks->len > 0 || sluice_trace_view_get_n_damaged (damaged) > 0;
    }
  g_assert_cmpuint (n_noticed, >=, 195); /* between blocks, and in the heads of orders' blocks */
}

static void
test_version (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) remarks = sluice_trace_remarks_new ();
  g_autoptr (SluiceTraceView) view = make_view ();
  g_autoptr (GBytes) bytes = write_bytes (view);
  guint8 *copy = g_memdup2 (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  copy[8] = 2;
  g_autoptr (GBytes) newer = g_bytes_new_take (copy, g_bytes_get_size (bytes));
  g_assert_null (sluice_trace_own_open_bytes (newer, remarks, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_UNIMPLEMENTED);
  g_autoptr (SluiceTraceView) none = sluice_trace_view_new ();
  g_autoptr (GBytes) empty = write_bytes (none);
  g_clear_error (&error);
  g_autoptr (SluiceTraceView) again = sluice_trace_own_open_bytes (empty, remarks, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sluice_trace_view_get_n_spans (again), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace/trace-own/whole", test_whole);
  g_test_add_func ("/trace/trace-own/append", test_append);
  g_test_add_func ("/trace/trace-own/cut", test_cut);
  g_test_add_func ("/trace/trace-own/damaged", test_damaged);
  g_test_add_func ("/trace/trace-own/version", test_version);
  return g_test_run ();
}
