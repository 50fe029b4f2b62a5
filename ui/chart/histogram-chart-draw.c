/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/histogram-private.h"
#include "ui/chart/pen.h"
#include "ui/common/paint.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#define BINS          SLUICE_HISTOGRAM_BINS
#define PADDING       16.0
#define TITLE_MIDDLE  20.0
#define TITLE_HEIGHT  41.0
#define BOTTOM_HEIGHT 30.0
#define NAMES_HEIGHT  18.0 /* the row of the runs' names, under the title */
#define STEP_ROOM     52.0 /* right of the ridges, for their steps */
#define VALUE_ROOM    52.0 /* left of the heat, for its values */
#define LEAST_SPACING 9.0  /* between two ridges */
#define MORE_ROOM     30.0 /* of the words that count those without room */
#define LEAST_PANEL   130.0
#define TAIL          0.001 /* of the values, at either end */
#define RELIEF        0.36  /* of a panel's height is the highest ridge */
#define PIECES        4     /* straight pieces of a curve between two bins */

void
sluice_histogram_resample (SluiceHistogramStep *step, double lo, double hi)
{
  double width = (hi - lo) / BINS;

  memset (step->bins, 0, sizeof step->bins);
  for (guint i = 0; i < step->n; i++)
    {
      double left = step->edges[i];
      double right = step->edges[i + 1];
      int first = (int) CLAMP ((left - lo) / width, 0, BINS - 1);
      int last = (int) CLAMP ((right - lo) / width, 0, BINS - 1);

      if (right <= left)
        {
          step->bins[first] += step->counts[i];
          continue;
        }
      for (int b = first; b <= last; b++)
        {
          double from = b == first ? left : lo + b * width;
          double to = b == last ? right : lo + (b + 1) * width;

          step->bins[b] += step->counts[i] * MAX (0, to - from) / (right - left);
        }
    }
}

static const SluiceHistogramRun *
get_panel (const SluiceHistogramChart *self, guint i)
{
  return g_ptr_array_index (self->drawn, i);
}

static gboolean
is_over_steps (const SluiceHistogramChart *self)
{
  return self->mode == SLUICE_HISTOGRAM_HEAT || self->mode == SLUICE_HISTOGRAM_BANDS;
}

/* Every 2^k-th step and the newest: what is shown changes only when the count has doubled. */
static void
choose_shown (SluiceHistogramRun *run, guint most)
{
  guint n = run->steps->len;
  guint stride = 1;

  while (n / stride > most)
    stride *= 2;
  run->shown = g_renew (guint, run->shown, n / stride + 2);
  run->n_shown = 0;
  for (guint i = 0; i < n; i += stride)
    run->shown[run->n_shown++] = i;
  if (run->shown[run->n_shown - 1] != n - 1)
    run->shown[run->n_shown++] = n - 1;
}

/* As many as were asked for, the newest among them. */
static void
choose_evenly (SluiceHistogramRun *run, guint n_wanted)
{
  guint n = run->steps->len;

  run->n_shown = MIN (n, n_wanted);
  run->shown = g_renew (guint, run->shown, run->n_shown);
  for (guint i = 0; i < run->n_shown; i++)
    run->shown[i] = run->n_shown > 1 ? (guint) ((guint64) i * (n - 1) / (run->n_shown - 1)) : n - 1;
}

/* Ridges leave out the thinnest tails, which would squeeze all else; what is over steps has them.
 */
static void
fit_range (SluiceHistogramChart *self)
{
  double tail = is_over_steps (self) ? 0 : TAIL;

  self->lo = INFINITY;
  self->hi = -INFINITY;
  for (guint r = 0; r < self->drawn->len; r++)
    for (guint i = 0; i < get_panel (self, r)->steps->len; i++)
      {
        const SluiceHistogramStep *step = _sluice_histogram_get_step (get_panel (self, r), i);

        self->lo = MIN (self->lo, sluice_histogram_quantile (step, tail));
        self->hi = MAX (self->hi, sluice_histogram_quantile (step, 1 - tail));
      }
  if (tail > 0)
    {
      double air = (self->hi - self->lo) * 0.06;

      self->lo -= air;
      self->hi += air;
    }
  if (self->hi - self->lo <= 1e-12 * MAX (fabs (self->lo), fabs (self->hi)))
    {
      double air = self->lo == 0 ? 1 : fabs (self->lo) * 0.1;

      self->lo -= air;
      self->hi += air;
    }
  self->lo = MAX (self->lo, -G_MAXDOUBLE / 8);
  self->hi = MIN (self->hi, G_MAXDOUBLE / 8);
}

/* The last step is as wide as the one before it. */
static void
fit_steps (SluiceHistogramChart *self)
{
  self->first = INFINITY;
  self->end = -INFINITY;
  for (guint r = 0; r < self->drawn->len; r++)
    {
      const SluiceHistogramRun *run = get_panel (self, r);
      guint n = run->steps->len;
      double last = (double) _sluice_histogram_get_step (run, n - 1)->step;
      double before = n > 1 ? (double) _sluice_histogram_get_step (run, n - 2)->step : last - 1;

      self->first = MIN (self->first, (double) _sluice_histogram_get_step (run, 0)->step);
      self->end = MAX (self->end, 2 * last - before);
    }
}

static void
fill_bins (SluiceHistogramChart *self)
{
  fit_range (self);
  fit_steps (self);
  self->highest = 0;
  for (guint r = 0; r < self->drawn->len; r++)
    for (guint i = 0; i < get_panel (self, r)->steps->len; i++)
      {
        SluiceHistogramStep *step = _sluice_histogram_get_step (get_panel (self, r), i);

        sluice_histogram_resample (step, self->lo, self->hi);
        for (guint b = 0; b < BINS; b++)
          self->highest = MAX (self->highest, step->bins[b]);
      }
  if (self->highest == 0)
    self->highest = 1;
  self->fresh = TRUE;
}

/* The highest of the ridges that are seen takes all of the relief. */
static void
fit_relief (SluiceHistogramChart *self, double height)
{
  double highest = 0;

  self->relief = self->mode == SLUICE_HISTOGRAM_OVERLAY ? height - 8 : height * RELIEF;
  for (guint r = 0; r < self->n_panels; r++)
    for (guint i = 0; i < get_panel (self, r)->n_shown; i++)
      {
        const SluiceHistogramRun *run = get_panel (self, r);
        const SluiceHistogramStep *step = _sluice_histogram_get_step (run, run->shown[i]);

        for (guint b = 0; b < BINS; b++)
          highest = MAX (highest, step->bins[b]);
      }
  if (highest > 0 && !is_over_steps (self))
    self->highest = highest;
}

/* Where names stand over panels side by side they have a row of their own: that of the number of
 * steps has no room for the last. */
static double
get_names_height (guint n_beside)
{
  return n_beside > 1 ? 2 * NAMES_HEIGHT : NAMES_HEIGHT;
}

/* Side by side, but where all lie on one ground. */
static void
place_panels (SluiceHistogramChart *self, double width, double height)
{
  gboolean one_ground =
      self->mode == SLUICE_HISTOGRAM_OVERLAY || self->mode == SLUICE_HISTOGRAM_BANDS;
  double left = is_over_steps (self) ? VALUE_ROOM : PADDING + 8;
  double step_room = is_over_steps (self)                   ? 16
                     : self->mode == SLUICE_HISTOGRAM_RIDGE ? STEP_ROOM
                                                            : 24;
  double room = width - left;
  guint n =
      one_ground ? self->drawn->len : MIN (self->drawn->len, (guint) MAX (1, room / LEAST_PANEL));
  double top = TITLE_HEIGHT + get_names_height (one_ground ? 1 : n);

  self->n_panels = n;
  for (guint i = 0; i < n; i++)
    {
      SluiceHistogramRun *run = g_ptr_array_index (self->drawn, i);
      double share = one_ground ? room : room / n;

      run->plot = (SluiceRect){ left + (one_ground ? 0 : i * share), top,
                                MAX (8, share - step_room), MAX (8, height - top - BOTTOM_HEIGHT) };
    }
}

static void
layout (SluiceHistogramChart *self, double width, double height)
{
  place_panels (self, width, height);
  if (!self->fresh)
    fill_bins (self);
  for (guint i = 0; i < self->n_panels; i++)
    {
      SluiceHistogramRun *run = g_ptr_array_index (self->drawn, i);

      if (self->most_steps > 0)
        choose_evenly (run, self->most_steps);
      else
        choose_shown (run, (guint) MAX (2, run->plot.height * (1 - RELIEF) / LEAST_SPACING));
    }
  fit_relief (self, get_panel (self, 0)->plot.height);
}

static double
baseline (const SluiceHistogramChart *self, const SluiceHistogramRun *run, guint shown)
{
  double room = run->plot.height - self->relief - 2;

  if (self->mode == SLUICE_HISTOGRAM_OVERLAY || run->n_shown == 1)
    return run->plot.y + run->plot.height;
  return run->plot.y + self->relief + 2 + room * shown / (run->n_shown - 1);
}

/* Height of the curve at place @t (0 to 1) of the range: cubic, never past the bins it joins. */
static double
bin_height (const SluiceHistogramStep *step, double t)
{
  double place = t * BINS - 0.5;
  int i = (int) floor (place);
  double f = place - i;
  double v[4];
  double slope[2];

  for (int k = 0; k < 4; k++)
    {
      int b = i - 1 + k;

      v[k] = b < 0 || b >= BINS ? 0 : step->bins[b];
    }
  for (int k = 0; k < 2; k++)
    {
      double left = v[k + 1] - v[k];
      double right = v[k + 2] - v[k + 1];

      slope[k] = left * right > 0 ? 2 * left * right / (left + right) : 0;
    }
  return (1 + 2 * f) * (1 - f) * (1 - f) * v[1] + f * (1 - f) * (1 - f) * slope[0]
         + f * f * (3 - 2 * f) * v[2] + f * f * (f - 1) * slope[1];
}

typedef struct
{
  double x0, y0, x1, y1;
} Piece;

static Piece
get_piece (const SluiceHistogramChart *self,
           const SluiceHistogramRun *run,
           const SluiceHistogramStep *step,
           double base,
           guint i)
{
  const double n = BINS * PIECES;
  double scale = self->relief / self->highest;

  return (Piece){ run->plot.x + run->plot.width * i / n, base - scale * bin_height (step, i / n),
                  run->plot.x + run->plot.width * (i + 1) / n,
                  base - scale * bin_height (step, (i + 1) / n) };
}

static void
trace_curve (const SluiceHistogramChart *self,
             const SluiceHistogramRun *run,
             guint shown,
             const SluicePen *pen,
             gboolean fill)
{
  const SluiceHistogramStep *step = _sluice_histogram_get_step (run, run->shown[shown]);
  double base = baseline (self, run, shown);

  for (guint i = 0; i < BINS * PIECES; i++)
    {
      Piece p = get_piece (self, run, step, base, i);

      if (p.y0 >= base - 0.05 && p.y1 >= base - 0.05)
        continue; /* nothing there: no line along the ground */
      if (fill)
        sluice_pen_trapezoid (pen, p.x0, p.y0, base, p.x1, p.y1, base);
      else
        sluice_pen_segment (pen, p.x0, p.y0, p.x1, p.y1);
    }
}

/* Older is paler. */
static SluiceColor
age_color (const SluiceHistogramRun *run, guint shown, const SluiceTheme *theme)
{
  double t = run->n_shown > 1 ? (double) shown / (run->n_shown - 1) : 1;
  SluiceColor color = sluice_color_readable (run->color, theme->card, 3);

  return sluice_color_mix (theme->card, color, 0.24 + 0.66 * t);
}

static void
draw_ridges (const SluiceHistogramChart *self,
             const SluiceHistogramRun *run,
             SluicePen *pen,
             const SluiceTheme *theme)
{
  for (guint i = 0; i < run->n_shown; i++)
    {
      trace_curve (self, run, i, pen, TRUE);
      sluice_pen_paint (pen, sluice_color_with_alpha (age_color (run, i, theme), 0.9), TRUE);
      pen->width = 1;
      trace_curve (self, run, i, pen, FALSE);
      sluice_pen_paint (pen, theme->card, FALSE);
    }
}

static void
draw_overlay (const SluiceHistogramChart *self,
              const SluiceHistogramRun *run,
              SluicePen *pen,
              const SluiceTheme *theme)
{
  for (guint i = 0; i < run->n_shown; i++)
    {
      pen->width = i + 1 == run->n_shown ? 2.2 : 1.2;
      trace_curve (self, run, i, pen, FALSE);
      sluice_pen_paint (pen, age_color (run, i, theme), FALSE);
    }
}

/* That in front over the others. */
static void
draw_layers (const SluiceHistogramChart *self, SluicePen *pen, const SluiceTheme *theme)
{
  static void (*const draw[]) (const SluiceHistogramChart *chart, const SluiceHistogramRun *run,
                               SluicePen *with, const SluiceTheme *look) = {
    [SLUICE_HISTOGRAM_RIDGE] = draw_ridges,
    [SLUICE_HISTOGRAM_OVERLAY] = draw_overlay,
    [SLUICE_HISTOGRAM_HEAT] = sluice_histogram_draw_heat,
    [SLUICE_HISTOGRAM_BANDS] = sluice_histogram_draw_bands,
  };

  for (guint i = self->n_panels; i-- > 0;)
    draw[self->mode](self, get_panel (self, i), pen, theme);
}

static gboolean
same_color (SluiceColor a, SluiceColor b)
{
  return a.r == b.r && a.g == b.g && a.b == b.b && a.a == b.a;
}

static void
update_image (SluiceHistogramChart *self,
              SluicePen *pen,
              double width,
              double height,
              const SluiceTheme *theme)
{
  int n_columns = MAX (1, (int) ceil (width * pen->scale));
  int n_rows = MAX (1, (int) ceil (height * pen->scale));

  if (self->image != NULL && self->image_is_current && self->image_width == width
      && self->image_height == height && self->image_scale == pen->scale
      && same_color (self->image_card, theme->card))
    return;
  self->image_is_current = TRUE;
  self->image_width = width;
  self->image_height = height;
  self->image_scale = pen->scale;
  self->image_card = theme->card;
  if (self->image == NULL || cairo_image_surface_get_width (self->image) != n_columns
      || cairo_image_surface_get_height (self->image) != n_rows)
    {
      g_clear_pointer (&self->image, cairo_surface_destroy);
      self->image = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, n_columns, n_rows);
    }
  g_autoptr (SluiceRaster) raster = sluice_raster_new ((guint) n_columns, (guint) n_rows);
  pen->raster = raster;
  draw_layers (self, pen, theme);
  sluice_raster_to_surface (raster, self->image);
}

static void
draw_curves (SluiceHistogramChart *self,
             cairo_t *cr,
             double width,
             double height,
             const SluiceTheme *theme,
             gboolean vector)
{
  SluicePen pen = { .cr = cr, .scale = sluice_cairo_get_scale (cr), .width = 1 };

  cairo_save (cr);
  if (vector)
    {
      cairo_new_path (cr);
      draw_layers (self, &pen, theme);
    }
  else
    {
      update_image (self, &pen, width, height, theme);
      cairo_scale (cr, 1 / pen.scale, 1 / pen.scale);
      cairo_set_source_surface (cr, self->image, 0, 0);
      cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
      cairo_paint (cr);
    }
  cairo_restore (cr);
}

/* The values that the ridges stand over. */
static void
draw_values_below (SluiceHistogramChart *self,
                   SluiceText *text,
                   const SluiceHistogramRun *run,
                   const SluiceTheme *theme)
{
  SluiceTicks ticks;

  sluice_ticks (&ticks, self->lo, self->hi, (guint) CLAMP (run->plot.width / 60, 2, 5),
                SLUICE_UNIT_NONE, FALSE);
  for (guint i = 0; i < ticks.n; i++)
    {
      double t = (ticks.values[i] - self->lo) / (self->hi - self->lo);
      g_autofree char *label = sluice_format_tick (ticks.values[i], ticks.step, SLUICE_UNIT_NONE);

      sluice_text_set (text, label, SLUICE_TEXT_LABEL, FALSE, 0);
      sluice_text_draw (text, run->plot.x + run->plot.width * t,
                        run->plot.y + run->plot.height + 15, SLUICE_ANCHOR_MIDDLE, theme->dim);
    }
}

/* Those beside heat and bands, the same for all runs. */
static void
draw_values_beside (SluiceHistogramChart *self, SluiceText *text, const SluiceTheme *theme)
{
  const SluiceRect *plot = &get_panel (self, 0)->plot;
  SluiceTicks ticks;

  sluice_ticks (&ticks, self->lo, self->hi, 5, SLUICE_UNIT_NONE, FALSE);
  for (guint i = 0; i < ticks.n; i++)
    {
      double t = (ticks.values[i] - self->lo) / (self->hi - self->lo);
      g_autofree char *label = sluice_format_tick (ticks.values[i], ticks.step, SLUICE_UNIT_NONE);

      sluice_text_set (text, label, SLUICE_TEXT_LABEL, FALSE, 0);
      sluice_text_draw (text, plot->x - 9, plot->y + plot->height * (1 - t), SLUICE_ANCHOR_END,
                        theme->dim);
    }
}

static void
draw_ridge_steps (SluiceHistogramChart *self,
                  SluiceText *text,
                  const SluiceHistogramRun *run,
                  const SluiceTheme *theme)
{
  double least = run->plot.height / 5;
  double last = INFINITY;

  /* From the newest up, so that the newest always has its label. */
  for (guint i = run->n_shown; i-- > 0;)
    {
      double y = baseline (self, run, i);
      g_autofree char *label =
          sluice_format_step (_sluice_histogram_get_step (run, run->shown[i])->step);

      if (last - y < least)
        continue;
      sluice_text_set (text, label, SLUICE_TEXT_LABEL, FALSE, 0);
      sluice_text_draw (text, run->plot.x + run->plot.width + STEP_ROOM - 14, y - 1,
                        SLUICE_ANCHOR_END, theme->dim);
      last = y;
    }
}

static void
draw_steps_below (SluiceHistogramChart *self,
                  SluiceText *text,
                  const SluiceHistogramRun *run,
                  const SluiceTheme *theme)
{
  SluiceTicks ticks;

  sluice_ticks (&ticks, self->first, self->end, (guint) CLAMP (run->plot.width / 110, 2, 6),
                SLUICE_UNIT_STEPS, FALSE);
  for (guint i = 0; i < ticks.n; i++)
    {
      double x = sluice_histogram_step_x (self, run, ticks.values[i]);
      g_autofree char *label = sluice_format_tick (ticks.values[i], ticks.step, SLUICE_UNIT_STEPS);

      sluice_text_set (text, label, SLUICE_TEXT_LABEL, FALSE, 0);
      sluice_text_draw (text, x, run->plot.y + run->plot.height + 15, SLUICE_ANCHOR_MIDDLE,
                        theme->dim);
    }
}

static int
find_span (const SluiceHistogramChart *self, const SluiceHistogramRun *run, double px)
{
  for (guint i = 0; i < run->steps->len; i++)
    {
      double left;
      double right;

      sluice_histogram_step_span (self, run, i, &left, &right);
      if (px >= left && px < right)
        return (int) i;
    }
  return -1;
}

/* The one in front that is under the pointer, or the one whose curve passes nearest. */
static int
find_curve (const SluiceHistogramChart *self,
            const SluiceHistogramRun *run,
            double t,
            double py,
            double *distance)
{
  int nearest = -1;

  for (guint i = run->n_shown; i-- > 0;)
    {
      const SluiceHistogramStep *step = _sluice_histogram_get_step (run, run->shown[i]);
      double base = baseline (self, run, i);
      double top = base - self->relief / self->highest * bin_height (step, t);

      if (self->mode == SLUICE_HISTOGRAM_RIDGE && py >= top && py <= base && top < base - 1)
        {
          *distance = 0;
          return (int) run->shown[i];
        }
      if (fabs (py - top) < *distance)
        {
          *distance = fabs (py - top);
          nearest = (int) run->shown[i];
        }
    }
  return nearest;
}

int
sluice_histogram_step_at (SluiceHistogramChart *self,
                          double px,
                          double py,
                          const SluiceHistogramRun **run)
{
  double distance = INFINITY;
  int nearest = -1;

  for (guint i = 0; i < self->n_panels && nearest < 0; i++)
    {
      const SluiceHistogramRun *panel = get_panel (self, i);
      double t = (px - panel->plot.x) / MAX (panel->plot.width, 1);

      if (t < 0 || t > 1 || py < panel->plot.y || py > panel->plot.y + panel->plot.height + 4)
        continue;
      nearest = is_over_steps (self) ? find_span (self, panel, px)
                                     : find_curve (self, panel, t, py, &distance);
      if (nearest >= 0)
        *run = panel;
    }
  return nearest;
}

static void
draw_selected (SluiceHistogramChart *self, cairo_t *cr, const SluiceTheme *theme)
{
  const SluiceHistogramRun *run = self->selected_run;
  SluicePen pen = { .cr = cr, .scale = 1, .width = 1.8 };

  cairo_new_path (cr);
  if (is_over_steps (self))
    {
      double left;
      double right;

      sluice_histogram_step_span (self, run, (guint) self->selected, &left, &right);
      cairo_rectangle (cr, left, run->plot.y, right - left, run->plot.height);
      sluice_cairo_set_color (cr, theme->text);
      cairo_set_line_width (cr, 1);
      cairo_stroke (cr);
      return;
    }
  for (guint i = 0; i < run->n_shown; i++)
    if (run->shown[i] == (guint) self->selected)
      {
        trace_curve (self, run, i, &pen, FALSE);
        sluice_pen_paint (&pen, theme->text, FALSE);
      }
}

/* What is said of the step under the pointer, in place of its run's name. */
static char *
dup_words (const SluiceHistogramChart *self, const SluiceHistogramRun *run)
{
  const SluiceHistogramStep *step;
  g_autofree char *name = NULL;
  g_autofree char *count = NULL;
  g_autofree char *value = NULL;
  double t;
  int bin;

  if (self->selected < 0 || self->selected_run != run)
    return g_strdup (run->name);
  step = _sluice_histogram_get_step (run, (guint) self->selected);
  name = sluice_format_step (step->step);
  t = is_over_steps (self) ? 1 - (self->cursor_y - run->plot.y) / run->plot.height
                           : (self->cursor_x - run->plot.x) / run->plot.width;
  if (isnan (t))
    {
      count = sluice_format_value (step->total, SLUICE_UNIT_NONE);
      return g_strdup_printf (_ ("step %s · %s values"), name, count);
    }
  bin = (int) CLAMP (t * BINS, 0, BINS - 1);
  count = sluice_format_value (round (step->bins[bin]), SLUICE_UNIT_NONE);
  value =
      sluice_format_value (self->lo + (bin + 0.5) * (self->hi - self->lo) / BINS, SLUICE_UNIT_NONE);
  return g_strdup_printf (_ ("step %s · %s near %s"), name, count, value);
}

/* Those without room are counted. */
static void
draw_n_left (SluiceText *text, guint n_left, double right, double y, const SluiceTheme *theme)
{
  g_autofree char *more = g_strdup_printf ("+ %u", n_left);

  if (n_left == 0)
    return;
  sluice_text_set (text, more, SLUICE_TEXT_LABEL, FALSE, MORE_ROOM);
  sluice_text_draw (text, right, y, SLUICE_ANCHOR_END, theme->dim);
}

/* Whose they are: over each panel, or all in one row. */
static void
draw_names (SluiceHistogramChart *self, SluiceText *text, double width, const SluiceTheme *theme)
{
  gboolean in_row =
      self->n_panels > 1 && get_panel (self, 0)->plot.x == get_panel (self, 1)->plot.x;
  gboolean beside = self->n_panels > 1 && !in_row;
  double right = width - PADDING - (beside ? 0 : self->names_room);
  double end_all = in_row || self->n_panels < self->drawn->len ? right - MORE_ROOM : right;
  double y = TITLE_HEIGHT + get_names_height (beside ? 2 : 1) - NAMES_HEIGHT + 6;
  double x = PADDING + 5;
  guint i;

  for (i = 0; i < self->n_panels && (!in_row || x < end_all - 30); i++)
    {
      const SluiceHistogramRun *run = get_panel (self, i);
      g_autofree char *words = dup_words (self, run);
      double end =
          in_row || i + 1 == self->n_panels ? end_all : get_panel (self, i + 1)->plot.x - 8;
      double used;

      if (!in_row && i > 0)
        x = run->plot.x;
      cairo_new_path (text->cr);
      cairo_arc (text->cr, x, y, 4, 0, 2 * G_PI);
      sluice_cairo_set_color (text->cr, sluice_color_readable (run->color, theme->card, 3));
      cairo_fill (text->cr);
      if (MIN (end, end_all) < x + 30)
        continue; /* the dot says whose it is */
      sluice_text_set (text, words, SLUICE_TEXT_LABEL, FALSE, MIN (end, end_all) - x - 10);
      sluice_text_measure (text, &used, NULL);
      sluice_text_draw (text, x + 10, y, SLUICE_ANCHOR_START, theme->dim);
      x += 10 + used + 16;
    }
  self->n_left = self->drawn->len - i;
  draw_n_left (text, self->n_left, right, y, theme);
}

static void
draw_plot (SluiceHistogramChart *self,
           SluiceText *text,
           double width,
           double height,
           const SluiceTheme *theme,
           guint flags)
{
  draw_curves (self, text->cr, width, height, theme, (flags & SLUICE_CHART_VECTOR) != 0);
  if (is_over_steps (self))
    draw_values_beside (self, text, theme);
  for (guint i = 0; i < self->n_panels; i++)
    {
      const SluiceHistogramRun *run = get_panel (self, i);
      /* On one ground the labels are those of the first. */
      gboolean has_own = i == 0 || run->plot.x != get_panel (self, 0)->plot.x;

      if (!has_own)
        continue;
      if (is_over_steps (self))
        draw_steps_below (self, text, run, theme);
      else
        draw_values_below (self, text, run, theme);
      if (self->mode == SLUICE_HISTOGRAM_RIDGE)
        draw_ridge_steps (self, text, run, theme);
    }
  if (self->selected >= 0 && self->selected_run != NULL)
    draw_selected (self, text->cr, theme);
  draw_names (self, text, width, theme);
}

void
sluice_histogram_chart_render (SluiceHistogramChart *self,
                               cairo_t *cr,
                               double width,
                               double height,
                               const SluiceTheme *theme,
                               guint flags)
{
  SluiceText text;

  g_return_if_fail (self != NULL && cr != NULL && theme != NULL);

  cairo_save (cr);
  if (flags & SLUICE_CHART_FRAME)
    sluice_cairo_draw_card (cr, width, height, theme);
  sluice_text_begin (&text, cr, theme);
  sluice_histogram_chart_order (self);
  if (self->drawn->len > 0)
    {
      layout (self, width, height);
      draw_plot (self, &text, width, height, theme, flags);
    }
  else
    {
      sluice_text_set (&text, _ ("No histograms yet"), SLUICE_TEXT_BODY, FALSE, 0);
      sluice_text_draw (&text, width / 2, height / 2, SLUICE_ANCHOR_MIDDLE, theme->dim);
    }
  if (flags & SLUICE_CHART_TITLE)
    {
      sluice_text_set (&text, self->title, SLUICE_TEXT_TITLE, TRUE,
                       MAX (40, width - 2 * PADDING - self->title_room));
      sluice_text_draw (&text, PADDING, TITLE_MIDDLE, SLUICE_ANCHOR_START, theme->text);
    }
  sluice_text_end (&text);
  cairo_restore (cr);
  self->dirty = FALSE;
}
