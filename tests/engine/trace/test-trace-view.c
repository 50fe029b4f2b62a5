/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Lanes of spans drawn by lot: whatever the zoom, nothing is left out, and rows do not overlap. */
#include "engine/trace/trace-view.h"

#define N_LANES 3
#define N_SPANS 400
#define LENGTH  20000

typedef struct
{
  guint64 n;
  gint64 busy, last_end;
} Sum;

/* portion: spans after which somebody may ask */
static SluiceTraceView *
make_view (GRand *rand, guint portion)
{
  SluiceTraceView *view = sluice_trace_view_new ();
  for (guint i = 0; i < N_LANES; i++)
    {
      g_autofree char *name = g_strdup_printf ("lane %u", i);
      g_assert_cmpuint (sluice_trace_view_add_lane (view, SLUICE_LANE_THREAD, "CPU:0", name), ==,
                        i);
    }
  for (guint i = 0; i < N_SPANS; i++)
    {
      gint64 start = g_rand_int_range (rand, 0, LENGTH);
      gint64 time =
          g_rand_boolean (rand) ? g_rand_int_range (rand, 0, 9) : g_rand_int_range (rand, 0, 900);
      g_autofree char *name = g_strdup_printf ("node%u", i % 17);
      const SluiceTraceSpan span = { .scheduled = start,
                                     .start = start,
                                     .end = start + time,
                                     .name = name,
                                     .op = "Add",
                                     .lane = g_rand_int_range (rand, 0, N_LANES),
                                     .step = 1 + (guint64) start / 1000 };
      g_assert_cmpuint (sluice_trace_view_add (view, &span), ==, i);
      if (i % portion == 0)
        sluice_trace_view_settle (view);
    }
  sluice_trace_view_settle (view);
  return view;
}

static void
add_piece (const SluiceTracePiece *piece, gpointer data)
{
  Sum *sum = data;
  g_assert_cmpint (piece->start, >=, sum->last_end);
  g_assert_cmpint (piece->end, >=, piece->start);
  g_assert_cmpint (piece->busy, <=, piece->end - piece->start);
  sum->last_end = piece->end;
  sum->n += piece->n;
  sum->busy += piece->busy;
}

/* By looking at every span. */
static Sum
count (const SluiceTraceView *view, guint lane, guint row, gint64 from, gint64 to)
{
  Sum sum = { 0 };
  for (guint64 i = 0; i < sluice_trace_view_get_n_spans (view); i++)
    {
      SluiceTraceSpan span;
      sluice_trace_view_get_span (view, i, &span);
      if (span.lane != lane || span.row != row || span.start >= to || span.end <= from)
        continue;
      sum.n++;
      sum.busy += span.end - span.start;
    }
  return sum;
}

static void
test_pieces (void)
{
  for (guint32 seed = 1; seed <= 20; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      g_autoptr (SluiceTraceView) view = make_view (rand, N_SPANS);
      for (guint lane = 0; lane < N_LANES; lane++)
        for (guint row = 0; row < sluice_trace_view_get_lane (view, lane)->n_rows; row++)
          for (gint64 grain = 1; grain < 4000; grain *= 3)
            {
              gint64 from = g_rand_int_range (rand, 0, LENGTH);
              gint64 to = from + g_rand_int_range (rand, 1, LENGTH);
              Sum got = { .last_end = G_MININT64 }, want = count (view, lane, row, from, to);
              sluice_trace_view_each_piece (view, lane, row, from, to, grain, add_piece, &got);
              g_assert_cmpuint (got.n, ==, want.n);
              g_assert_cmpint (got.busy, ==, want.busy);
            }
    }
}

/* What comes while somebody looks lies where it would if all had come before. */
static void
test_live (void)
{
  for (guint32 seed = 1; seed <= 20; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      g_autoptr (GRand) again = g_rand_new_with_seed (seed);
      g_autoptr (SluiceTraceView) whole = make_view (rand, N_SPANS);
      g_autoptr (SluiceTraceView) live = make_view (again, seed);
      for (guint64 i = 0; i < N_SPANS; i++)
        {
          SluiceTraceSpan a, b;
          sluice_trace_view_get_span (whole, i, &a);
          sluice_trace_view_get_span (live, i, &b);
          g_assert_cmpint (a.start, ==, b.start);
          g_assert_cmpuint (a.row, ==, b.row);
        }
      for (guint i = 0; i < N_LANES; i++)
        {
          const SluiceTraceLane *a = sluice_trace_view_get_lane (whole, i);
          const SluiceTraceLane *b = sluice_trace_view_get_lane (live, i);
          g_assert_cmpuint (a->n_rows, ==, b->n_rows);
          g_assert_cmpuint (a->n_spans, ==, b->n_spans);
          g_assert_cmpint (a->busy, ==, b->busy);
          g_assert_cmpint (a->begin, ==, b->begin);
          g_assert_cmpint (a->end, ==, b->end);
        }
    }
}

/* What takes no time stands beside what begins then; what nests lies below. */
static void
test_rows (void)
{
  static const struct
  {
    gint64 start, end;
    guint row;
  } spans[] = { { 0, 10, 0 },  { 10, 20, 0 }, { 10, 10, 0 }, { 20, 20, 0 },
                { 20, 60, 0 }, { 20, 30, 1 }, { 25, 30, 2 }, { 60, 60, 0 } };
  g_autoptr (SluiceTraceView) view = sluice_trace_view_new ();
  guint lane = sluice_trace_view_add_lane (view, SLUICE_LANE_THREAD, "CPU:0", "lane 0");
  for (guint i = 0; i < G_N_ELEMENTS (spans); i++)
    {
      const SluiceTraceSpan span = {
        .start = spans[i].start, .end = spans[i].end, .name = "a", .lane = lane
      };
      sluice_trace_view_add (view, &span);
    }
  sluice_trace_view_settle (view);
  for (guint i = 0; i < G_N_ELEMENTS (spans); i++)
    {
      SluiceTraceSpan span;
      sluice_trace_view_get_span (view, i, &span);
      g_assert_cmpuint (span.row, ==, spans[i].row);
    }
}

#define N_MANY 200000

static void
count_piece (const SluiceTracePiece *piece, gpointer data)
{
  Sum *sum = data;
  sum->n += piece->n;
  sum->busy++; /* pieces */
}

/* From afar there are as many pieces as grains, however many spans; a span is thirty bytes. */
static void
test_many (void)
{
  g_autoptr (SluiceTraceView) view = sluice_trace_view_new ();
  guint lane = sluice_trace_view_add_lane (view, SLUICE_LANE_THREAD, "CPU:0", "lane 0");
  static const char *const names[] = { "a", "b", "c", "d", "e" };
  for (guint i = 0; i < N_MANY; i++)
    {
      const SluiceTraceSpan span = { .scheduled = 1000 * (gint64) i - 90 * (i % 7),
                                     .start = 1000 * (gint64) i,
                                     .end = 1000 * (gint64) i + 100 + i % 800,
                                     .name = names[i % G_N_ELEMENTS (names)],
                                     .lane = lane,
                                     .step = 1 + i / 100,
                                     .live = 64 * (i % 999) };
      sluice_trace_view_add (view, &span);
    }
  g_assert_cmpuint (sluice_trace_view_get_bytes (view), <=, 32 * N_MANY);
  for (gint64 grain = 2000; grain < 1000 * (gint64) N_MANY; grain *= 10)
    {
      Sum sum = { 0 };
      sluice_trace_view_each_piece (view, lane, 0, 0, 1000 * (gint64) N_MANY, grain, count_piece,
                                    &sum);
      g_assert_cmpuint (sum.n, ==, N_MANY);
      g_assert_cmpint (sum.busy, <=, 2 * (1000 * (gint64) N_MANY / grain) + 2);
    }
}

static void
test_find (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  g_autoptr (SluiceTraceView) view = make_view (rand, N_SPANS);
  for (guint64 i = 0; i < N_SPANS; i++)
    {
      SluiceTraceSpan span, other;
      sluice_trace_view_get_span (view, i, &span);
      if (span.end > span.start)
        g_assert_cmpuint (sluice_trace_view_find (view, span.lane, span.row, span.start), ==, i);
      guint64 next = sluice_trace_view_get_beside (view, i, TRUE);
      if (next == SLUICE_SPAN_NONE)
        continue;
      sluice_trace_view_get_span (view, next, &other);
      g_assert_cmpint (other.start, >=, span.end);
      g_assert_cmpuint (sluice_trace_view_get_beside (view, next, FALSE), ==, i);
    }
}

static void
test_steps (void)
{
  g_autoptr (SluiceTraceView) view = sluice_trace_view_new ();
  guint lane = sluice_trace_view_add_lane (view, SLUICE_LANE_QUEUE, "SIM:0", "compute");
  for (guint i = 1; i <= 9; i++)
    {
      gint64 time = i == 7 ? 160 : 100;
      const SluiceTraceSpan span = {
        .start = 1000 * i, .end = 1000 * i + time, .name = "a", .lane = lane, .step = i
      };
      sluice_trace_view_add (view, &span);
    }
  sluice_trace_view_settle (view);
  guint n;
  const SluiceTraceStep *steps = sluice_trace_view_get_steps (view, &n);
  g_assert_cmpuint (n, ==, 9);
  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpuint (steps[i].step, ==, i + 1);
      g_assert_cmpint (steps[i].is_slow, ==, steps[i].step == 7);
    }
  gint64 begin, end;
  sluice_trace_view_get_extent (view, &begin, &end);
  g_assert_cmpint (begin, ==, 1000);
  g_assert_cmpint (end, ==, 9100);
  g_assert_cmpint (sluice_trace_view_get_lane (view, lane)->busy, ==, 8 * 100 + 160);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace/trace-view/pieces", test_pieces);
  g_test_add_func ("/trace/trace-view/live", test_live);
  g_test_add_func ("/trace/trace-view/rows", test_rows);
  g_test_add_func ("/trace/trace-view/many", test_many);
  g_test_add_func ("/trace/trace-view/find", test_find);
  g_test_add_func ("/trace/trace-view/steps", test_steps);
  return g_test_run ();
}
