/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart-private.h"
#include "ui/chart/pair-source.h"
#include "ui/chart/pen.h"

#include <math.h>
#include <string.h>

#define RAW_WIDTH    1.0
#define MANY_SERIES  64 /* of more, those behind are drawn as one stroke a pixel column each */
#define MANY_WIDTH   1.6
#define SMOOTH_WIDTH 2.2
#define BAND_ALPHA   0.16
#define PALE_ALPHA   0.2
#define MARK_SIZE    4.5
#define MARK_LINE    1.5 /* pixels: between two marks of one stretch */
#define DOT_RADIUS   3.0 /* of a point that stands alone */
#define PAIR_RADIUS  2.0
#define PAIR_ALPHA   0.45
#define PAIR_WIDTH   1.4

static inline const SluiceTrace *
get_trace (const SluiceColumn *column, gboolean smooth)
{
  return smooth ? &column->smooth : &column->raw;
}

/* A curve that is being drawn from left to right. */
typedef struct
{
  gboolean open; /* there is a point to go on from */
  guint vertices;
  double x, y;
  guint swung; /* the column after the last one drawn as a swing, or 0, and what that covers */
  double top, bottom;
} Walk;

static void
walk_jump (Walk *walk, double x, double y)
{
  walk->vertices++;
  walk->open = TRUE;
  walk->x = x;
  walk->y = y;
}

static void
walk_to (Walk *walk, const SluicePen *pen, double x, double y)
{
  if (walk->open)
    sluice_pen_segment (pen, walk->x, walk->y, x, y);
  walk_jump (walk, x, y);
}

/* A gap follows, or the end. A point that nothing joins would not be seen: it becomes a dot. */
static void
walk_break (Walk *walk, const SluicePen *pen)
{
  if (walk->open && walk->vertices == 1)
    sluice_pen_disc (pen, walk->x, walk->y, MAX (pen->width, DOT_RADIUS));
  *walk = (Walk){ 0 };
}

/* A column of many points that go further than from the first to the last: one upright stroke. */
static void
draw_swing (const SluicePen *pen,
            Walk *walk,
            guint i,
            double middle,
            double first,
            double top,
            double bottom)
{
  gboolean touches = walk->swung == i && i > 0 && walk->top <= bottom && top <= walk->bottom;

  /* Two strokes side by side that overlap already are one curve. */
  if (!touches)
    walk_to (walk, pen, middle, first);
  sluice_pen_span (pen, middle, top, bottom);
  walk->swung = i + 1;
  walk->top = top;
  walk->bottom = bottom;
}

/* More points than a column can show one by one. */
static inline gboolean
is_dense (const SluiceColumn *column)
{
  return column->n_finite > 2;
}

/* The trend: through the mean of a column of many points. */
static void
draw_mean (
    const SluiceChart *self, const SluicePen *pen, Walk *walk, const SluiceColumn *column, guint i)
{
  double mean =
      self->smoothing > 0 ? sluice_column_get_smooth_mean (column, self->smoothing) : column->mean;
  double middle = self->plot.x + (i + 0.5) * self->plot.width / self->read_key.n_columns;

  walk_to (walk, pen, middle, sluice_chart_y_pixel (self, mean));
}

static void
draw_column (const SluiceChart *self,
             const SluicePen *pen,
             Walk *walk,
             const SluiceColumn *column,
             guint i,
             gboolean smooth)
{
  const SluiceTrace *t = get_trace (column, smooth);
  double middle = self->plot.x + (i + 0.5) * self->plot.width / self->read_key.n_columns;
  double first = sluice_chart_y_pixel (self, t->first);
  double last = sluice_chart_y_pixel (self, t->last);
  double top = sluice_chart_y_pixel (self, t->max);
  double bottom = sluice_chart_y_pixel (self, t->min);

  if (is_dense (column) && (MIN (first, last) - top > 0.5 || bottom - MAX (first, last) > 0.5))
    {
      draw_swing (pen, walk, i, middle, first, top, bottom);
      walk_jump (walk, middle, last);
      return;
    }
  walk_to (walk, pen, sluice_scale_to_pixel (&self->x_scale, t->first_x), first);
  if (column->n_finite > 1)
    walk_to (walk, pen, sluice_scale_to_pixel (&self->x_scale, t->last_x), last);
}

/* What a curve follows. */
typedef enum
{
  CURVE_VALUES, /* every value: where there are many to a pixel, how far they swing */
  CURVE_TREND,  /* smoothed values, where the chart smooths; of many the mean */
} Curve;

static void
draw_trace (const SluiceChart *self,
            const SluiceChartSeries *series,
            const SluicePen *pen,
            Curve curve)
{
  guint n = (guint) self->read_key.n_columns;
  gboolean smooth = curve == CURVE_TREND && self->smoothing > 0;
  const SluicePauses *pauses =
      self->axis == SLUICE_X_WALL ? sluice_series_source_get_pauses (series->source) : NULL;
  double last_x = series->edges.has_before ? series->edges.before.x : INFINITY;
  Walk walk = { 0 };

  if (series->edges.has_before)
    {
      const SluiceSeriesSample *s = &series->edges.before;

      walk_to (&walk, pen, sluice_scale_to_pixel (&self->x_scale, s->x),
               sluice_chart_y_pixel (self, smooth ? s->smoothed : s->value));
    }
  for (guint i = 0; i < n; i++)
    {
      const SluiceColumn *column = &series->columns[i];

      if (column->n_finite > 0)
        {
          /* A line through the time that the run stood still would be a lie. */
          if (sluice_pauses_lie_between (pauses, last_x, column->raw.first_x))
            walk_break (&walk, pen);
          last_x = column->raw.last_x;
        }
      if (curve == CURVE_TREND && is_dense (column))
        draw_mean (self, pen, &walk, column, i);
      else if (column->n_finite > 0)
        draw_column (self, pen, &walk, column, i, smooth);
      else if (column->n_nan + column->n_above + column->n_below > 0)
        walk_break (&walk, pen);
    }
  if (series->edges.has_after && walk.open
      && !sluice_pauses_lie_between (pauses, last_x, series->edges.after.x))
    {
      const SluiceSeriesSample *s = &series->edges.after;

      walk_to (&walk, pen, sluice_scale_to_pixel (&self->x_scale, s->x),
               sluice_chart_y_pixel (self, smooth ? s->smoothed : s->value));
    }
  walk_break (&walk, pen);
}

static void
draw_band (const SluiceChart *self,
           const SluiceChartSeries *series,
           const SluicePen *pen,
           gboolean smooth)
{
  guint n = (guint) self->read_key.n_columns;
  double step = self->plot.width / n;
  double x0 = 0;
  double top0 = 0;
  double bottom0 = 0;
  gboolean open = FALSE;

  for (guint i = 0; i < n; i++)
    {
      const SluiceColumn *column = &series->columns[i];
      double x = self->plot.x + (i + 0.5) * step;
      double top;
      double bottom;

      if (column->n_finite == 0)
        continue;
      top = sluice_chart_y_pixel (self, get_trace (column, smooth)->max);
      bottom = sluice_chart_y_pixel (self, get_trace (column, smooth)->min);
      if (open)
        sluice_pen_trapezoid (pen, x0, top0, bottom0, x, top, bottom);
      open = TRUE;
      x0 = x;
      top0 = top;
      bottom0 = bottom;
    }
}

static void
draw_triangle (const SluicePen *pen, double x, double y, gboolean up)
{
  double h = MARK_SIZE;
  double foot = up ? y + h : y - h;

  sluice_pen_trapezoid (pen, x - h, foot, foot, x, y - h, y + h);
  sluice_pen_trapezoid (pen, x, y - h, y + h, x + h, foot, foot);
}

/* A triangle; neighbours that would overlap become its two ends with a line between their feet. */
static void
draw_mark (const SluicePen *pen, double x0, double x1, double y, gboolean up)
{
  double top = up ? y + MARK_SIZE - MARK_LINE : y - MARK_SIZE;

  draw_triangle (pen, x0, y, up);
  if (x1 <= x0)
    return;
  draw_triangle (pen, x1, y, up);
  sluice_pen_trapezoid (pen, x0, top, top + MARK_LINE, x1, top, top + MARK_LINE);
}

typedef struct
{
  gboolean open;
  double x0, x1, y;
} MarkRun;

static void
mark_run_add (MarkRun *run, const SluicePen *pen, gboolean up, double x, double y)
{
  if (run->open && x - run->x1 <= 2 * MARK_SIZE && fabs (y - run->y) < 2 * MARK_SIZE)
    {
      run->x1 = x;
      return;
    }
  if (run->open)
    draw_mark (pen, run->x0, run->x1, run->y, up);
  *run = (MarkRun){ TRUE, x, x, y };
}

/* NaN stands at the last finite value, +infinity at the top, -infinity at the bottom. */
static void
draw_marks (const SluiceChart *self, const SluiceChartSeries *series, const SluicePen *pen)
{
  guint n = (guint) self->read_key.n_columns;
  double step = self->plot.width / n;
  double lowest = self->plot.y + self->plot.height - MARK_SIZE;
  double highest = self->plot.y + MARK_SIZE;
  double y = lowest;
  MarkRun nan = { FALSE };
  MarkRun above = { FALSE };
  MarkRun below = { FALSE };

  if (series->edges.has_before)
    y = sluice_chart_y_pixel (self, series->edges.before.value);
  for (guint i = 0; i < n; i++)
    {
      const SluiceColumn *column = &series->columns[i];
      double x = self->plot.x + (i + 0.5) * step;

      if (column->n_finite > 0)
        y = sluice_chart_y_pixel (self, get_trace (column, self->smoothing > 0)->last);
      if (column->n_nan > 0)
        mark_run_add (&nan, pen, TRUE, x, CLAMP (y, highest, lowest));
      if (column->n_above > 0)
        mark_run_add (&above, pen, TRUE, x, highest);
      if (column->n_below > 0)
        mark_run_add (&below, pen, FALSE, x, lowest);
    }
  if (nan.open)
    draw_mark (pen, nan.x0, nan.x1, nan.y, TRUE);
  if (above.open)
    draw_mark (pen, above.x0, above.x1, above.y, TRUE);
  if (below.open)
    draw_mark (pen, below.x0, below.x1, below.y, FALSE);
}

SluiceColor
sluice_chart_series_color (const SluiceChartSeries *series, const SluiceTheme *theme)
{
  return sluice_color_readable (series->color, theme->card, 3);
}

static gboolean
has_dense_column (const SluiceChart *self, const SluiceChartSeries *series)
{
  for (guint i = 0; i < self->read_key.n_columns; i++)
    if (is_dense (&series->columns[i]))
      return TRUE;
  return FALSE;
}

/* Where another one is marked, paler. */
static SluiceColor
curve_color (const SluiceChart *self, const SluiceChartSeries *series, const SluiceTheme *theme)
{
  gboolean pale = self->marked != 0 && series->id != self->marked
                  && sluice_chart_find_series (self, self->marked) != NULL;

  return sluice_color_with_alpha (sluice_chart_series_color (series, theme), pale ? PALE_ALPHA : 1);
}

/* Far outside of the plot nothing is lost: what is drawn has whole numbers of pixels there. */
static double
near_plot (double pixel)
{
  return CLAMP (pixel, -1e4, 1e4);
}

/* Values over those of another series: a line that follows the steps, or a dot a point. */
static void
draw_pairs_as (const SluiceChart *self,
               const SluiceChartSeries *series,
               const SluicePen *pen,
               gboolean dots)
{
  SluiceSeriesSample samples[256];
  Walk walk = { 0 };
  guint64 at = 0;
  guint n;

  while ((n = sluice_pair_source_read_steps (series->source, at, G_N_ELEMENTS (samples), samples))
         > 0)
    for (guint i = 0; i < n; i++, at++)
      {
        gboolean raw = dots || self->smoothing == 0;
        double value = raw ? samples[i].value : samples[i].smoothed;
        double x = near_plot (sluice_scale_to_pixel (&self->x_scale, samples[i].x));
        double y = near_plot (sluice_chart_y_pixel (self, value));

        if (!isfinite (samples[i].value))
          walk_break (&walk, pen);
        else if (dots)
          sluice_pen_disc (pen, x, y, PAIR_RADIUS);
        else
          walk_to (&walk, pen, x, y);
      }
}

static void
draw_pairs (const SluiceChart *self,
            const SluiceChartSeries *series,
            SluicePen *pen,
            const SluiceTheme *theme)
{
  SluiceColor color = curve_color (self, series, theme);

  draw_pairs_as (self, series, pen, TRUE);
  sluice_pen_paint (pen, sluice_color_with_alpha (color, PAIR_ALPHA * color.a), TRUE);
  pen->width = PAIR_WIDTH;
  draw_pairs_as (self, series, pen, FALSE);
  sluice_pen_paint (pen, color, FALSE);
}

static void
draw_series (const SluiceChart *self,
             const SluiceChartSeries *series,
             SluicePen *pen,
             const SluiceTheme *theme)
{
  SluiceColor color = curve_color (self, series, theme);
  gboolean has_trend = self->smoothing > 0 || has_dense_column (self, series);

  if (self->axis == SLUICE_X_SERIES)
    {
      draw_pairs (self, series, pen, theme);
      return;
    }
  if (self->band || sluice_series_source_is_mean (series->source))
    {
      draw_band (self, series, pen, !self->band && self->smoothing > 0);
      sluice_pen_paint (pen, sluice_color_with_alpha (color, BAND_ALPHA * color.a), TRUE);
    }
  else if (has_trend)
    {
      pen->width = RAW_WIDTH;
      draw_trace (self, series, pen, CURVE_VALUES);
      sluice_pen_paint (pen, sluice_color_with_alpha (color, theme->raw_alpha * color.a), FALSE);
    }
  pen->width = has_trend ? SMOOTH_WIDTH : 1.6;
  draw_trace (self, series, pen, CURVE_TREND);
  sluice_pen_paint (pen, color, FALSE);
}

/* ---- one of very many ---- */

/* A line that goes from left to right, and where it was in the column that it is in. */
typedef struct
{
  SluiceRaster *raster;
  SluiceRasterInk ink;
  double half; /* of its width */
  gboolean open;
  double x, y; /* pixels of the raster */
  double top, bottom;
} Stroke;

static void
stroke_end_column (Stroke *s, double column)
{
  if (column >= 0)
    sluice_raster_stroke (s->raster, (guint) column, s->top - s->half, s->bottom + s->half, s->ink);
}

static void
stroke_to (Stroke *s, double x, double y)
{
  double slope = x > s->x ? (y - s->y) / (x - s->x) : 0;
  double end = MIN (floor (x), sluice_raster_get_width (s->raster));

  if (!s->open)
    s->top = s->bottom = y;
  for (double c = floor (MAX (s->x, -1)); s->open && c < end; c++)
    {
      double edge = s->y + (c + 1 - s->x) * slope;

      s->top = MIN (s->top, edge);
      s->bottom = MAX (s->bottom, edge);
      stroke_end_column (s, c);
      s->top = s->bottom = edge;
    }
  s->top = MIN (s->top, y);
  s->bottom = MAX (s->bottom, y);
  s->open = TRUE;
  s->x = x;
  s->y = y;
}

static void
stroke_break (Stroke *s)
{
  if (s->open && s->x < sluice_raster_get_width (s->raster))
    stroke_end_column (s, floor (s->x));
  s->open = FALSE;
}

static void
stroke_to_sample (
    const SluiceChart *self, const SluicePen *pen, Stroke *s, double value_x, double value)
{
  double x = sluice_scale_to_pixel (&self->x_scale, value_x);

  stroke_to (s, (x - pen->left) * pen->scale,
             (sluice_chart_y_pixel (self, value) - pen->top) * pen->scale);
}

/* As CURVE_TREND has it, without round joints, and nothing behind it: among hundreds of curves
 * nobody sees either, and they would take half a second. */
static void
draw_among_many (const SluiceChart *self,
                 const SluiceChartSeries *series,
                 const SluicePen *pen,
                 SluiceColor color)
{
  gboolean smooth = self->smoothing > 0;
  Stroke stroke = { .raster = pen->raster,
                    .ink = sluice_raster_get_ink (color),
                    .half = MANY_WIDTH / 2 * pen->scale };

  if (series->edges.has_before)
    stroke_to_sample (self, pen, &stroke, series->edges.before.x,
                      smooth ? series->edges.before.smoothed : series->edges.before.value);
  for (guint i = 0; i < self->read_key.n_columns; i++)
    {
      const SluiceColumn *column = &series->columns[i];
      const SluiceTrace *t = get_trace (column, smooth);

      if (column->n_finite > 0)
        {
          stroke_to_sample (self, pen, &stroke, t->first_x, t->first);
          if (column->n_finite > 1)
            stroke_to_sample (self, pen, &stroke, t->last_x, t->last);
        }
      else if (column->n_nan + column->n_above + column->n_below > 0)
        stroke_break (&stroke);
    }
  if (series->edges.has_after && stroke.open)
    stroke_to_sample (self, pen, &stroke, series->edges.after.x,
                      smooth ? series->edges.after.smoothed : series->edges.after.value);
  stroke_break (&stroke);
}

/* Pauses and means are seldom a hundred. */
gboolean
sluice_chart_has_many (const SluiceChart *self)
{
  return self->series->len > MANY_SERIES && self->axis == SLUICE_X_STEP && !self->band;
}

static gboolean
is_among_many (const SluiceChart *self, const SluiceChartSeries *series, const SluicePen *pen)
{
  return pen->raster != NULL && sluice_chart_has_many (self)
         && !sluice_series_source_is_mean (series->source);
}

void
sluice_chart_draw_series (SluiceChart *self, SluicePen *pen, const SluiceTheme *theme)
{
  const SluiceChartSeries *last[] = { sluice_chart_get_front (self),
                                      sluice_chart_find_series (self, self->marked) };

  for (guint i = 0; i < self->series->len; i++)
    {
      SluiceChartSeries *series = g_ptr_array_index (self->series, i);

      if (!series->visible || series->columns == NULL || series == last[0] || series == last[1])
        continue;
      if (is_among_many (self, series, pen))
        draw_among_many (self, series, pen, curve_color (self, series, theme));
      else
        draw_series (self, series, pen, theme);
    }
  for (guint i = 0; i < G_N_ELEMENTS (last); i++)
    if (last[i] != NULL && last[i]->visible && last[i]->columns != NULL
        && (i > 0 || last[0] != last[1]))
      draw_series (self, last[i], pen, theme);
  for (guint i = 0; i < self->series->len; i++)
    {
      SluiceChartSeries *series = g_ptr_array_index (self->series, i);

      if (series->visible && series->columns != NULL)
        draw_marks (self, series, pen);
    }
  sluice_pen_paint (pen, theme->failure, TRUE);
}

static void
update_image (SluiceChart *self, const SluicePen *where, const SluiceTheme *theme)
{
  guint width = (guint) ceil ((self->plot.width + 2 * SLUICE_CURVE_AIR) * where->scale);
  guint height = (guint) ceil ((self->plot.height + 2 * SLUICE_CURVE_AIR) * where->scale);
  SluicePen pen = *where;
  SluiceImageKey key;

  memset (&key, 0, sizeof key);
  key.read_count = self->read_count;
  key.style_count = self->style_count;
  key.y0 = self->y_scale.d0;
  key.y1 = self->y_scale.d1;
  key.width = self->plot.width;
  key.height = self->plot.height;
  key.scale = where->scale;
  key.card = theme->card;
  key.failure = theme->failure;
  key.raw_alpha = theme->raw_alpha;
  if (self->image != NULL && !self->shifted && memcmp (&key, &self->image_key, sizeof key) == 0)
    return;
  self->image_key = key;
  self->shifted = FALSE;
  self->image_x0 = self->x_scale.d0;
  self->image_x1 = self->x_scale.d1;
  if (self->image == NULL || cairo_image_surface_get_width (self->image) != (int) width
      || cairo_image_surface_get_height (self->image) != (int) height)
    {
      g_clear_pointer (&self->image, cairo_surface_destroy);
      self->image = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) width, (int) height);
    }
  g_autoptr (SluiceRaster) raster = sluice_raster_new (width, height);
  pen.raster = raster;
  sluice_chart_draw_series (self, &pen, theme);
  sluice_raster_to_surface (raster, self->image);
}

void
sluice_chart_draw_curves (
    SluiceChart *self, cairo_t *cr, double scale, const SluiceTheme *theme, gboolean vector)
{
  SluicePen pen = { .cr = cr,
                    .scale = scale,
                    .left = self->plot.x - SLUICE_CURVE_AIR,
                    .top = self->plot.y - SLUICE_CURVE_AIR,
                    .width = 1 };

  cairo_save (cr);
  if (vector)
    {
      cairo_rectangle (cr, pen.left, pen.top, self->plot.width + 2 * SLUICE_CURVE_AIR,
                       self->plot.height + 2 * SLUICE_CURVE_AIR);
      cairo_clip (cr);
      cairo_new_path (cr);
      sluice_chart_draw_series (self, &pen, theme);
    }
  else
    {
      if (self->shifts)
        sluice_chart_shift_image (self, &pen, theme);
      else
        update_image (self, &pen, theme);
      cairo_translate (cr, pen.left, pen.top);
      cairo_scale (cr, 1 / scale, 1 / scale);
      cairo_set_source_surface (cr, self->image, 0, 0);
      /* The image's pixels are the device's: no filter may blur them. */
      cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
      cairo_paint (cr);
    }
  cairo_restore (cr);
}
