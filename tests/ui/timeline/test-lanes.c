/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "ui/timeline/area-sums.h"
#include "ui/timeline/heat-draw.h"
#include "ui/timeline/lanes-draw.h"
#include "ui/timeline/steps-draw.h"
#include "ui/timeline/time-bins.h"

#define MS G_GINT64_CONSTANT (1000000)

/* ---- time ---- */

static SluiceTimeAxis
make_axis (gint64 from, gint64 to)
{
  return (SluiceTimeAxis){ from, to, 100, 1100 };
}

/* An hour after the start a nanosecond is still a place of its own. */
static void
test_places (void)
{
  gint64 hour = 3600 * 1000 * MS;
  SluiceTimeAxis axis = make_axis (hour, hour + 100);

  g_assert_cmpfloat (sluice_time_axis_to_x (&axis, hour), ==, 100);
  g_assert_cmpfloat (sluice_time_axis_to_x (&axis, hour + 1), ==, 110);
  for (gint64 t = 0; t <= 100; t++)
    g_assert_cmpint (sluice_time_axis_to_time (&axis, 100 + 10.0 * (double) t), ==, hour + t);
  g_assert_cmpint (sluice_time_axis_get_grain (&axis, 1), ==, 1); /* never none */
}

static void
test_zoom (void)
{
  SluiceTimeAxis axis = make_axis (0, 1000 * MS);
  gint64 under = sluice_time_axis_to_time (&axis, 350);

  sluice_time_axis_zoom (&axis, 350, 0.5, 0, 1000 * MS);
  g_assert_cmpint (axis.to - axis.from, ==, 500 * MS);
  g_assert_cmpint (sluice_time_axis_to_time (&axis, 350), ==, under);
  for (guint i = 0; i < 100; i++)
    sluice_time_axis_zoom (&axis, 350, 0.5, 0, 1000 * MS);
  g_assert_cmpint (axis.to - axis.from, ==, SLUICE_TIME_LEAST);
  for (guint i = 0; i < 200; i++)
    sluice_time_axis_zoom (&axis, 350, 2, 0, 1000 * MS);
  g_assert_cmpint (axis.from, ==, 0);
  g_assert_cmpint (axis.to, ==, 1000 * MS);
}

static void
test_pan (void)
{
  SluiceTimeAxis axis = make_axis (10 * MS, 20 * MS);

  sluice_time_axis_pan (&axis, 100, 0, 100 * MS); /* a tenth of what is seen */
  g_assert_cmpint (axis.from, ==, 11 * MS);
  sluice_time_axis_pan (&axis, -1e9, 0, 100 * MS);
  g_assert_cmpint (axis.from, ==, 0);
  g_assert_cmpint (axis.to, ==, 10 * MS);
  sluice_time_axis_pan (&axis, 1e9, 0, 100 * MS);
  g_assert_cmpint (axis.to, ==, 100 * MS);
  sluice_time_axis_reveal (&axis, 40 * MS, 42 * MS, 0, 100 * MS);
  g_assert_cmpint (axis.from, ==, 40 * MS);
  g_assert_cmpint (axis.to, ==, 50 * MS);
  sluice_time_axis_reveal (&axis, 41 * MS, 49 * MS, 0, 100 * MS); /* it is seen: nothing moves */
  g_assert_cmpint (axis.from, ==, 40 * MS);
}

static void
test_ticks (void)
{
  static const gint64 spans[] = {
    20, 999, 4321, 70 * MS, 61000 * MS, 3600 * 1000 * MS, G_GINT64_CONSTANT (86400) * 90 * 1000 * MS
  };

  for (guint i = 0; i < G_N_ELEMENTS (spans); i++)
    {
      SluiceTimeTicks ticks;
      gint64 zero = 12345;

      sluice_time_ticks (&ticks, zero + 7, zero + 7 + spans[i], zero, 6);
      g_assert_cmpuint (ticks.n, >=, 2);
      g_assert_cmpuint (ticks.n, <=, 8);
      for (guint k = 0; k < ticks.n; k++)
        {
          g_assert_cmpint (ticks.values[k], >=, zero + 7);
          g_assert_cmpint (ticks.values[k], <=, zero + 7 + spans[i]);
          g_assert_cmpint ((ticks.values[k] - zero) % ticks.step, ==, 0);
        }
    }
}

static void
assert_tick (gint64 time, gint64 step, gint64 shown, const char *wanted)
{
  g_autofree char *text = sluice_time_format_tick (time, step, shown);
  g_assert_cmpstr (text, ==, wanted);
}

static void
test_words (void)
{
  assert_tick (0, MS, 5 * MS, "0\u202fms");
  assert_tick (1400000, 200000, 2 * MS, "1.4\u202fms");
  assert_tick (20000, 20000, 100000, "20\u202fµs");
  assert_tick (5, 5, 20, "5\u202fns");
  assert_tick (1500 * MS, 500 * MS, 3000 * MS, "1.5\u202fs");
  assert_tick (-200, 200, 1000, "−0.2\u202fµs");
}

/* ---- lanes ---- */

static guint64
add (SluiceTraceView *view, guint lane, const char *name, gint64 start, gint64 end)
{
  const SluiceTraceSpan span = { .scheduled = start,
                                 .start = start,
                                 .end = end,
                                 .name = name,
                                 .op = "Relu",
                                 .kind = SLUICE_SPAN_NODE,
                                 .lane = lane,
                                 .step = 1 };
  return sluice_trace_view_add (view, &span);
}

/* A link, two devices with their lanes in no order, one that nothing ran on, spans that nest. */
static SluiceTraceView *
make_view (void)
{
  SluiceTraceView *view = sluice_trace_view_new ();
  guint link = sluice_trace_view_add_lane (view, SLUICE_LANE_LINK, "CPU:0 → SIM:0", "link");
  guint wait = sluice_trace_view_add_lane (view, SLUICE_LANE_WAIT, "CPU:0", "waits");
  guint queue = sluice_trace_view_add_lane (view, SLUICE_LANE_QUEUE, "SIM:0", "compute");
  guint lane = sluice_trace_view_add_lane (view, SLUICE_LANE_THREAD, "CPU:0", "lane 0");

  sluice_trace_view_add_lane (view, SLUICE_LANE_THREAD, "CPU:0", "lane 1");
  add (view, link, "x", 10 * MS, 20 * MS);
  add (view, wait, "dequeue", 0, 90 * MS);
  add (view, queue, "conv1/relu", 20 * MS, 60 * MS);
  add (view, lane, "body", 0, 50 * MS);
  add (view, lane, "add", 10 * MS, 20 * MS); /* within body */
  add (view, lane, "add", 60 * MS, 100 * MS);
  sluice_trace_view_settle (view);
  return view;
}

static const SluiceLanesRow *
get_row (const SluiceLanesLayout *layout, guint i)
{
  return &g_array_index (layout->rows, SluiceLanesRow, i);
}

static void
test_layout (void)
{
  static const char *const wanted[] = { "lane 0", "lane 0", "waits", "compute", "link" };
  g_autoptr (SluiceTraceView) view = make_view ();
  g_autoptr (SluiceLanesLayout) layout = sluice_lanes_layout_new (view);
  double y = 0;

  g_assert_cmpuint (layout->rows->len, ==, G_N_ELEMENTS (wanted));
  for (guint i = 0; i < layout->rows->len; i++)
    {
      const SluiceLanesRow *row = get_row (layout, i);

      g_assert_cmpstr (sluice_trace_view_get_lane (view, row->lane)->name, ==, wanted[i]);
      g_assert_cmpfloat (row->y, ==, y);
      g_assert_true (sluice_lanes_layout_at (layout, y) == row);
      g_assert_true (sluice_lanes_layout_at (layout, y + row->height - 0.1) == row);
      g_assert_true (sluice_lanes_layout_find (layout, row->lane, row->row) == row);
      y += row->height;
    }
  g_assert_cmpfloat (layout->height, ==, y);
  g_assert_null (sluice_lanes_layout_at (layout, y));
  g_assert_null (sluice_lanes_layout_at (layout, -1));
  g_assert_null (sluice_lanes_layout_find (layout, 4, 0)); /* nothing ran there */
  g_assert_true (get_row (layout, 0)->begins_device);
  g_assert_false (get_row (layout, 1)->begins_lane);
  g_assert_false (get_row (layout, 2)->begins_device);
  g_assert_true (get_row (layout, 3)->begins_device);
  g_assert_true (get_row (layout, 4)->begins_device);
}

static SluiceLanesPicture
make_picture (const SluiceTraceView *view, const SluiceLanesLayout *layout)
{
  return (
      SluiceLanesPicture){ .view = view,
                           .layout = layout,
                           .axis = { 0, 100 * MS, SLUICE_LANES_NAMES, SLUICE_LANES_NAMES + 1000 },
                           .width = SLUICE_LANES_NAMES + 1000 + SLUICE_LANES_END,
                           .height = 400,
                           .selected = SLUICE_SPAN_NONE };
}

/* Who points at a bar means it, at every zoom and however far down the lanes are. */
static void
test_pick (void)
{
  g_autoptr (SluiceTraceView) view = make_view ();
  g_autoptr (SluiceLanesLayout) layout = sluice_lanes_layout_new (view);
  SluiceLanesPicture picture = make_picture (view, layout);

  for (picture.scroll = 0; picture.scroll < 60; picture.scroll += 20)
    for (guint64 span = 0; span < sluice_trace_view_get_n_spans (view); span++)
      {
        SluiceRect bar;

        g_assert_true (sluice_lanes_get_bar (&picture, span, &bar));
        SluicePoint p = sluice_rect_centre (&bar);
        if (p.y < SLUICE_LANES_HEAD)
          continue; /* under the axis */
        g_assert_cmpuint (sluice_lanes_pick (&picture, p.x, p.y), ==, span);
      }
  picture.scroll = 0;
  SluiceRect bar;
  g_assert_true (sluice_lanes_get_bar (&picture, 5, &bar));
  g_assert_cmpuint (sluice_lanes_pick (&picture, bar.x - 2, bar.y + 3), ==, 5); /* near it */
  g_assert_cmpuint (sluice_lanes_pick (&picture, bar.x - 20, bar.y + 3), ==, SLUICE_SPAN_NONE);
  g_assert_cmpuint (sluice_lanes_pick (&picture, 20, bar.y + 3), ==, SLUICE_SPAN_NONE);
  g_assert_cmpuint (sluice_lanes_pick (&picture, bar.x + 3, 399), ==, SLUICE_SPAN_NONE);
}

static void
test_names (void)
{
  static const char *const names[][2] = {
    { "conv1/filter", "conv1/filter" },
    { "gradients/conv1/filter_grad/Mul", "conv1/filter_grad/Mul ∇" },
    { "gradients", "gradients" },
  };
  const SluiceTheme *theme = sluice_theme_get (SLUICE_THEME_DARK);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const SluiceTraceSpan span = { .name = names[i][0], .kind = SLUICE_SPAN_NODE };
      const SluiceColor white = { 1, 1, 1, 1 };
      g_autofree char *name = sluice_lanes_dup_name (&span);

      g_assert_cmpstr (name, ==, names[i][1]);
      g_assert_cmpfloat (sluice_color_contrast (sluice_lanes_get_color (&span, theme), white), >=,
                         4.49);
    }
}

/* ---- drawing ---- */

static cairo_surface_t *
draw (const SluiceLanesPicture *picture, SluiceThemeKind theme)
{
  cairo_surface_t *surface =
      cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) picture->width, (int) picture->height);
  cairo_t *cr = cairo_create (surface);

  sluice_lanes_draw (picture, cr, sluice_theme_get (theme));
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

static guint32
get_pixel (cairo_surface_t *surface, double x, double y)
{
  const unsigned char *data = cairo_image_surface_get_data (surface);
  const unsigned char *row = data + (gsize) y * (gsize) cairo_image_surface_get_stride (surface);
  guint32 pixel;

  memcpy (&pixel, row + 4 * (gsize) x, sizeof pixel);
  return pixel;
}

/* Each bar is where it is picked; with time from the right all stands at the other side. */
static void
test_draw (void)
{
  g_autoptr (SluiceTraceView) view = make_view ();
  g_autoptr (SluiceLanesLayout) layout = sluice_lanes_layout_new (view);
  SluiceLanesPicture picture = make_picture (view, layout);
  cairo_surface_t *plain = draw (&picture, SLUICE_THEME_LIGHT);
  SluiceRect bar;

  picture.mirrored = TRUE;
  cairo_surface_t *mirrored = draw (&picture, SLUICE_THEME_LIGHT);
  g_assert_true (sluice_lanes_get_bar (&picture, 5, &bar));
  double x = bar.x + bar.width - 8;
  guint32 inside = get_pixel (plain, x, bar.y + 4);
  g_assert_cmphex (inside >> 24, ==, 0xff);
  g_assert_cmphex (get_pixel (plain, bar.x - 20, bar.y + 4), !=, inside);
  g_assert_cmphex (get_pixel (mirrored, picture.width - 1 - x, bar.y + 4), ==, inside);
  cairo_surface_destroy (plain);
  cairo_surface_destroy (mirrored);
}

/* The same picture, twice; and another one where something is selected. */
static void
test_same (void)
{
  g_autoptr (SluiceTraceView) view = make_view ();
  g_autoptr (SluiceLanesLayout) layout = sluice_lanes_layout_new (view);
  SluiceLanesPicture picture = make_picture (view, layout);
  g_autoptr (GArray) flows = g_array_new (FALSE, FALSE, sizeof (SluiceLanesFlow));
  g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (guint64));
  const SluiceLanesFlow flow = { 0, 2 };
  const guint64 spans[] = { 0, 2, 5 };

  g_array_append_val (flows, flow);
  g_array_append_vals (path, spans, G_N_ELEMENTS (spans));
  for (SluiceThemeKind theme = 0; theme <= SLUICE_THEME_HIGH_CONTRAST_DARK; theme++)
    {
      picture.selected = SLUICE_SPAN_NONE;
      picture.flows = picture.path = NULL;
      cairo_surface_t *a = draw (&picture, theme);
      cairo_surface_t *b = draw (&picture, theme);
      picture.selected = 2;
      picture.flows = flows;
      picture.path = path;
      cairo_surface_t *c = draw (&picture, theme);
      gsize size = (gsize) cairo_image_surface_get_stride (a) * (gsize) picture.height;

      g_assert_cmpint (
          memcmp (cairo_image_surface_get_data (a), cairo_image_surface_get_data (b), size), ==, 0);
      g_assert_cmpint (
          memcmp (cairo_image_surface_get_data (a), cairo_image_surface_get_data (c), size), !=, 0);
      cairo_surface_destroy (a);
      cairo_surface_destroy (b);
      cairo_surface_destroy (c);
    }
}

/* ---- sums ---- */

static void
assert_sum (const GArray *sums, guint i, const char *name, guint64 n, gint64 total, gint64 self)
{
  const SluiceAreaSum *sum = &g_array_index (sums, SluiceAreaSum, i);

  g_assert_cmpstr (sum->name, ==, name);
  g_assert_cmpuint (sum->n, ==, n);
  g_assert_cmpint (sum->total, ==, total);
  g_assert_cmpint (sum->self, ==, self);
}

static void
test_sums (void)
{
  g_autoptr (SluiceTraceView) view = make_view ();
  g_autoptr (SluiceLanesLayout) layout = sluice_lanes_layout_new (view);
  SluiceLanesArea area = { 0, 100 * MS, 0, 1 }; /* both rows of lane 0 */
  g_autoptr (GArray) sums = sluice_area_sums_new (view, layout, &area);

  g_assert_cmpuint (sums->len, ==, 2);
  assert_sum (sums, 0, "add", 2, 50 * MS, 50 * MS);
  assert_sum (sums, 1, "body", 1, 50 * MS, 40 * MS); /* what ran within it is not its own */
  g_assert_cmpint (g_array_index (sums, SluiceAreaSum, 0).p50, ==, 10 * MS);
  area = (SluiceLanesArea){ 15 * MS, 16 * MS, 0, layout->rows->len - 1 };
  g_autoptr (GArray) few = sluice_area_sums_new (view, layout, &area);
  g_assert_cmpuint (few->len, ==, 4); /* whole spans that touch it, one of each name */
  assert_sum (few, 0, "dequeue", 1, 90 * MS, 90 * MS);
  assert_sum (few, 3, "x", 1, 10 * MS, 10 * MS);
  area = (SluiceLanesArea){ 55 * MS, 56 * MS, 0, 0 };
  g_autoptr (GArray) none = sluice_area_sums_new (view, layout, &area);
  g_assert_cmpuint (none->len, ==, 0);
}

/* ---- steps ---- */

static void
test_steps (void)
{
  SluiceTraceStep steps[50];

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    steps[i] = (SluiceTraceStep){ i + 1, i * 10 * MS, i * 10 * MS + (i % 5 + 1) * MS, i == 7 };
  SluiceStepsPicture picture = {
    steps, G_N_ELEMENTS (steps), 3, G_N_ELEMENTS (steps), 100, 1100, 56
  };
  g_assert_cmpint (sluice_steps_get_median (steps, G_N_ELEMENTS (steps)), ==, 3 * MS);
  g_assert_cmpint (sluice_steps_get_median (steps, 0), ==, 0);
  for (guint i = 0; i < picture.n; i++)
    g_assert_cmpuint (sluice_steps_pick (&picture, 100 + (i + 0.5) * 20), ==, i);
  g_assert_cmpuint (sluice_steps_pick (&picture, 0), ==, 0);
  g_assert_cmpuint (sluice_steps_pick (&picture, 5000), ==, 49);
  picture.n = 0;
  g_assert_cmpuint (sluice_steps_pick (&picture, 500), ==, 0);
}

/* All are counted, those that are far behind the axis, too. */
static void
test_bins (void)
{
  gint64 times[100];
  SluiceTimeBins bins;
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    times[i] = MS + i * 1000;
  g_assert_cmpint (sluice_time_outlier (times, G_N_ELEMENTS (times)), >, times[99]);
  times[99] = 50 * MS;
  gint64 limit = sluice_time_outlier (times, G_N_ELEMENTS (times));
  g_assert_cmpint (limit, <, times[99]);
  g_assert_cmpint (limit, >=, times[98]);
  sluice_time_bins (&bins, times, G_N_ELEMENTS (times), limit);
  for (guint i = 0; i < SLUICE_TIME_BINS; i++)
    n += bins.n[i];
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (times));
  g_assert_true (bins.is_far[SLUICE_TIME_BINS - 1]);
  g_assert_cmpuint (bins.longest[SLUICE_TIME_BINS - 1], ==, 99);
  g_assert_false (bins.is_far[0]);
  times[0] = 5;
  sluice_time_bins (&bins, times, 1, 5); /* only one */
  g_assert_cmpuint (bins.n[0], ==, 1);
}

/* Each step has its column; where several share a pixel the longest is seen and met. */
static void
test_heat (void)
{
  g_autoptr (SluiceTraceView) view = sluice_trace_view_new ();
  guint lane = sluice_trace_view_add_lane (view, SLUICE_LANE_THREAD, "CPU:0", "lane 0");
  for (guint i = 0; i < 4000; i++)
    for (guint k = 0; k < 2; k++)
      {
        const SluiceTraceSpan span = { .scheduled = i * 1000,
                                       .start = i * 1000 + k * 500,
                                       .end =
                                           i * 1000 + k * 500 + (i == 2345 && k == 1 ? 400 : 100),
                                       .name = k == 0 ? "a" : "b",
                                       .kind = SLUICE_SPAN_NODE,
                                       .lane = lane,
                                       .step = i + 1 };
        sluice_trace_view_add (view, &span);
      }
  sluice_trace_view_settle (view);
  g_autoptr (SluiceTraceHeat) heat = sluice_trace_heat_new (view);
  const SluiceHeatPicture picture = { .heat = heat,
                                      .x0 = 100,
                                      .x1 = 500,
                                      .width = 510,
                                      .height = 2 * SLUICE_HEAT_ROW,
                                      .node = SLUICE_HEAT_NODE,
                                      .cursor_node = SLUICE_HEAT_NODE };
  const SluiceTheme *theme = sluice_theme_get (SLUICE_THEME_LIGHT);
  cairo_surface_t *surface =
      cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 400, (int) picture.height);
  guint node, step, n_hot = 0;
  sluice_heat_paint (&picture, surface, 1, theme);
  cairo_surface_flush (surface);
  const guint32 *row = (const guint32 *) cairo_image_surface_get_data (surface);
  for (guint x = 1; x < 400; x++)
    n_hot += row[x] != row[0];
  g_assert_cmpuint (n_hot, ==, 1);
  g_assert_cmphex (row[234], !=, row[0]);
  g_assert_true (sluice_heat_pick (&picture, 100 + 234.5, 4, &node, &step));
  g_assert_cmpuint (node, ==, 0); /* "b" took longer in all */
  g_assert_cmpuint (step, ==, 2345);
  g_assert_false (sluice_heat_pick (&picture, 90, 4, &node, &step));
  g_assert_false (sluice_heat_pick (&picture, 200, 2 * SLUICE_HEAT_ROW, &node, &step));
  cairo_surface_destroy (surface);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/timeline/places", test_places);
  g_test_add_func ("/timeline/zoom", test_zoom);
  g_test_add_func ("/timeline/pan", test_pan);
  g_test_add_func ("/timeline/ticks", test_ticks);
  g_test_add_func ("/timeline/words", test_words);
  g_test_add_func ("/timeline/layout", test_layout);
  g_test_add_func ("/timeline/pick", test_pick);
  g_test_add_func ("/timeline/names", test_names);
  g_test_add_func ("/timeline/draw", test_draw);
  g_test_add_func ("/timeline/same", test_same);
  g_test_add_func ("/timeline/sums", test_sums);
  g_test_add_func ("/timeline/steps", test_steps);
  g_test_add_func ("/timeline/bins", test_bins);
  g_test_add_func ("/timeline/heat", test_heat);
  return g_test_run ();
}
