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
#define STEP_ROOM     52.0 /* right of the ridges, for their steps */
#define VALUE_ROOM    52.0 /* left of the heat, for its values */
#define LEAST_SPACING 13.0 /* between two ridges */
#define HEAT_LEVELS   24
#define PIECES        4 /* straight pieces of a curve between two bins */

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

static SluiceHistogramStep *
get_step (const SluiceHistogramChart *self, guint index)
{
  return g_ptr_array_index (self->steps, index);
}

/* Every 2^k-th step and the newest: what is shown changes only when the count has doubled. */
static void
choose_shown (SluiceHistogramChart *self, guint most)
{
  guint n = self->steps->len;
  guint stride = 1;

  while (n / stride > most)
    stride *= 2;
  self->shown = g_renew (guint, self->shown, n / stride + 2);
  self->n_shown = 0;
  for (guint i = 0; i < n; i += stride)
    self->shown[self->n_shown++] = i;
  if (self->shown[self->n_shown - 1] != n - 1)
    self->shown[self->n_shown++] = n - 1;
}

static void
fit_range (SluiceHistogramChart *self)
{
  self->lo = INFINITY;
  self->hi = -INFINITY;
  for (guint i = 0; i < self->steps->len; i++)
    {
      const SluiceHistogramStep *step = get_step (self, i);

      self->lo = MIN (self->lo, step->edges[0]);
      self->hi = MAX (self->hi, step->edges[step->n]);
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

static void
fill_bins (SluiceHistogramChart *self)
{
  fit_range (self);
  self->highest = 0;
  for (guint i = 0; i < self->steps->len; i++)
    {
      SluiceHistogramStep *step = get_step (self, i);

      sluice_histogram_resample (step, self->lo, self->hi);
      for (guint b = 0; b < BINS; b++)
        self->highest = MAX (self->highest, step->bins[b]);
    }
  if (self->highest == 0)
    self->highest = 1;
  self->fresh = TRUE;
}

static void
layout (SluiceHistogramChart *self, double width, double height)
{
  gboolean heat = self->mode == SLUICE_HISTOGRAM_HEAT;

  self->plot.x = heat ? VALUE_ROOM : PADDING + 8;
  self->plot.y = TITLE_HEIGHT;
  self->plot.width = MAX (8, width - self->plot.x - (heat ? 20 : STEP_ROOM));
  self->plot.height = MAX (8, height - TITLE_HEIGHT - BOTTOM_HEIGHT);
  if (!self->fresh)
    fill_bins (self);
  choose_shown (self, (guint) MAX (2, self->plot.height * 0.7 / LEAST_SPACING));
  self->relief =
      self->mode == SLUICE_HISTOGRAM_OVERLAY ? self->plot.height - 8 : self->plot.height * 0.3;
}

static double
baseline (const SluiceHistogramChart *self, guint shown)
{
  double room = self->plot.height - self->relief - 2;

  if (self->mode == SLUICE_HISTOGRAM_OVERLAY || self->n_shown == 1)
    return self->plot.y + self->plot.height;
  return self->plot.y + self->relief + 2 + room * shown / (self->n_shown - 1);
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
get_piece (const SluiceHistogramChart *self, const SluiceHistogramStep *step, double base, guint i)
{
  const double n = BINS * PIECES;
  double scale = self->relief / self->highest;

  return (Piece){ self->plot.x + self->plot.width * i / n, base - scale * bin_height (step, i / n),
                  self->plot.x + self->plot.width * (i + 1) / n,
                  base - scale * bin_height (step, (i + 1) / n) };
}

static void
trace_curve (const SluiceHistogramChart *self, guint shown, const SluicePen *pen, gboolean fill)
{
  const SluiceHistogramStep *step = get_step (self, self->shown[shown]);
  double base = baseline (self, shown);

  for (guint i = 0; i < BINS * PIECES; i++)
    {
      Piece p = get_piece (self, step, base, i);

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
age_color (const SluiceHistogramChart *self, guint shown, const SluiceTheme *theme)
{
  double t = self->n_shown > 1 ? (double) shown / (self->n_shown - 1) : 1;
  SluiceColor color = sluice_color_readable (self->color, theme->card, 3);

  return sluice_color_mix (theme->card, color, 0.24 + 0.66 * t);
}

static void
draw_ridges (const SluiceHistogramChart *self, SluicePen *pen, const SluiceTheme *theme)
{
  for (guint i = 0; i < self->n_shown; i++)
    {
      trace_curve (self, i, pen, TRUE);
      sluice_pen_paint (pen, sluice_color_with_alpha (age_color (self, i, theme), 0.9), TRUE);
      pen->width = 1;
      trace_curve (self, i, pen, FALSE);
      sluice_pen_paint (pen, theme->card, FALSE);
    }
}

static void
draw_overlay (const SluiceHistogramChart *self, SluicePen *pen, const SluiceTheme *theme)
{
  for (guint i = 0; i < self->n_shown; i++)
    {
      pen->width = i + 1 == self->n_shown ? 2.2 : 1.2;
      trace_curve (self, i, pen, FALSE);
      sluice_pen_paint (pen, age_color (self, i, theme), FALSE);
    }
}

/* The steps that the heat's ground spans: the last one is as wide as the one before it. */
static void
heat_range (const SluiceHistogramChart *self, double *first, double *end)
{
  guint n = self->steps->len;
  double last = (double) get_step (self, n - 1)->step;

  *first = (double) get_step (self, 0)->step;
  *end = n > 1 ? 2 * last - (double) get_step (self, n - 2)->step : last + 1;
}

static void
heat_span (const SluiceHistogramChart *self, guint i, double *left, double *right)
{
  double first;
  double end;
  double next;

  heat_range (self, &first, &end);
  next = i + 1 < self->steps->len ? (double) get_step (self, i + 1)->step : end;
  *left =
      self->plot.x + self->plot.width * ((double) get_step (self, i)->step - first) / (end - first);
  *right = self->plot.x + self->plot.width * (next - first) / (end - first);
}

/* Cells end on whole pixels: half-covered edges of neighbours would let the ground through. */
static double
snap (const SluicePen *pen, double v)
{
  return pen->raster != NULL ? round (v * pen->scale) / pen->scale : v;
}

typedef struct
{
  guint step;
  double left, right;
} HeatColumn;

/* The steps that are at least a pixel wide: of those that share one, the first stands for all. */
static GArray *
collect_heat (const SluiceHistogramChart *self, const SluicePen *pen)
{
  GArray *columns = g_array_new (FALSE, FALSE, sizeof (HeatColumn));

  for (guint i = 0; i < self->steps->len; i++)
    {
      HeatColumn column = { .step = i };

      heat_span (self, i, &column.left, &column.right);
      column.left = snap (pen, column.left);
      column.right = snap (pen, column.right);
      if (column.left < column.right)
        g_array_append_val (columns, column);
    }
  return columns;
}

static void
draw_heat (const SluiceHistogramChart *self, SluicePen *pen, const SluiceTheme *theme)
{
  g_autoptr (GArray) columns = collect_heat (self, pen);
  SluiceColor deep = sluice_color_readable (self->color, theme->card, 4.5);
  double row = self->plot.height / BINS;

  for (int level = 1; level <= HEAT_LEVELS; level++)
    {
      for (guint i = 0; i < columns->len; i++)
        {
          const HeatColumn *column = &g_array_index (columns, HeatColumn, i);
          const SluiceHistogramStep *step = get_step (self, column->step);

          for (guint b = 0; b < BINS; b++)
            {
              double bottom = snap (pen, self->plot.y + self->plot.height - b * row);
              double top = snap (pen, self->plot.y + self->plot.height - (b + 1) * row);

              /* The root shows the thin tails beside the middle. */
              if ((int) ceil (sqrt (step->bins[b] / self->highest) * HEAT_LEVELS - 1e-9) == level)
                sluice_pen_trapezoid (pen, column->left, top, bottom, column->right, top, bottom);
            }
        }
      sluice_pen_paint (
          pen, sluice_color_mix (theme->card, deep, (level + 1.0) / (HEAT_LEVELS + 1)), TRUE);
    }
}

static void
draw_layers (const SluiceHistogramChart *self, SluicePen *pen, const SluiceTheme *theme)
{
  switch (self->mode)
    {
    case SLUICE_HISTOGRAM_OVERLAY:
      draw_overlay (self, pen, theme);
      break;
    case SLUICE_HISTOGRAM_HEAT:
      draw_heat (self, pen, theme);
      break;
    case SLUICE_HISTOGRAM_RIDGE:
    default:
      draw_ridges (self, pen, theme);
      break;
    }
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
  g_autoptr (SluiceRaster) raster = NULL;

  if (self->image != NULL && self->image_width == width && self->image_height == height
      && self->image_scale == pen->scale && same_color (self->image_card, theme->card))
    return;
  g_clear_pointer (&self->image, cairo_surface_destroy);
  self->image_width = width;
  self->image_height = height;
  self->image_scale = pen->scale;
  self->image_card = theme->card;
  raster =
      sluice_raster_new ((guint) ceil (width * pen->scale), (guint) ceil (height * pen->scale));
  pen->raster = raster;
  draw_layers (self, pen, theme);
  self->image =
      cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) sluice_raster_get_width (raster),
                                  (int) sluice_raster_get_height (raster));
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

/* The values that the ridges stand over, or beside the heat. */
static void
draw_value_ticks (SluiceHistogramChart *self, SluiceText *text, const SluiceTheme *theme)
{
  gboolean heat = self->mode == SLUICE_HISTOGRAM_HEAT;
  SluiceTicks ticks;

  sluice_ticks (&ticks, self->lo, self->hi, 5, SLUICE_UNIT_NONE, FALSE);
  for (guint i = 0; i < ticks.n; i++)
    {
      double t = (ticks.values[i] - self->lo) / (self->hi - self->lo);
      g_autofree char *label = sluice_format_tick (ticks.values[i], ticks.step, SLUICE_UNIT_NONE);

      sluice_text_set (text, label, SLUICE_TEXT_LABEL, FALSE, 0);
      if (heat)
        sluice_text_draw (text, self->plot.x - 9, self->plot.y + self->plot.height * (1 - t),
                          SLUICE_ANCHOR_END, theme->dim);
      else
        sluice_text_draw (text, self->plot.x + self->plot.width * t,
                          self->plot.y + self->plot.height + 15, SLUICE_ANCHOR_MIDDLE, theme->dim);
    }
}

static void
draw_ridge_steps (SluiceHistogramChart *self, SluiceText *text, const SluiceTheme *theme)
{
  double least = self->plot.height / 5;
  double last = INFINITY;

  /* From the newest up, so that the newest always has its label. */
  for (guint i = self->n_shown; i-- > 0;)
    {
      double y = baseline (self, i);
      g_autofree char *label = sluice_format_step (get_step (self, self->shown[i])->step);

      if (last - y < least)
        continue;
      sluice_text_set (text, label, SLUICE_TEXT_LABEL, FALSE, 0);
      sluice_text_draw (text, self->plot.x + self->plot.width + STEP_ROOM - 12, y - 1,
                        SLUICE_ANCHOR_END, theme->dim);
      last = y;
    }
}

static void
draw_heat_steps (SluiceHistogramChart *self, SluiceText *text, const SluiceTheme *theme)
{
  SluiceTicks ticks;
  double first;
  double end;

  heat_range (self, &first, &end);
  sluice_ticks (&ticks, first, end, (guint) CLAMP (self->plot.width / 110, 2, 6), SLUICE_UNIT_STEPS,
                FALSE);
  for (guint i = 0; i < ticks.n; i++)
    {
      double x = self->plot.x + self->plot.width * (ticks.values[i] - first) / (end - first);
      g_autofree char *label = sluice_format_tick (ticks.values[i], ticks.step, SLUICE_UNIT_STEPS);

      sluice_text_set (text, label, SLUICE_TEXT_LABEL, FALSE, 0);
      sluice_text_draw (text, x, self->plot.y + self->plot.height + 15, SLUICE_ANCHOR_MIDDLE,
                        theme->dim);
    }
}

int
sluice_histogram_step_at (SluiceHistogramChart *self, double px, double py)
{
  double t = (px - self->plot.x) / MAX (self->plot.width, 1);
  int nearest = -1;
  double distance = INFINITY;

  if (t < 0 || t > 1 || py < self->plot.y || py > self->plot.y + self->plot.height + 4)
    return -1;
  if (self->mode == SLUICE_HISTOGRAM_HEAT)
    {
      for (guint i = 0; i < self->steps->len; i++)
        {
          double left;
          double right;

          heat_span (self, i, &left, &right);
          if (px >= left && px < right)
            return (int) i;
        }
      return -1;
    }
  /* The one in front that is under the pointer, or the one whose curve passes nearest. */
  for (guint i = self->n_shown; i-- > 0;)
    {
      double base = baseline (self, i);
      double top =
          base - self->relief / self->highest * bin_height (get_step (self, self->shown[i]), t);

      if (self->mode == SLUICE_HISTOGRAM_RIDGE && py >= top && py <= base && top < base - 1)
        return (int) self->shown[i];
      if (fabs (py - top) < distance)
        {
          distance = fabs (py - top);
          nearest = (int) self->shown[i];
        }
    }
  return nearest;
}

static void
draw_selected (SluiceHistogramChart *self, cairo_t *cr, const SluiceTheme *theme)
{
  SluicePen pen = { .cr = cr, .scale = 1, .width = 1.8 };

  cairo_new_path (cr);
  if (self->mode == SLUICE_HISTOGRAM_HEAT)
    {
      double left;
      double right;

      heat_span (self, (guint) self->selected, &left, &right);
      cairo_rectangle (cr, left, self->plot.y, right - left, self->plot.height);
      sluice_cairo_set_color (cr, theme->text);
      cairo_set_line_width (cr, 1);
      cairo_stroke (cr);
      return;
    }
  for (guint i = 0; i < self->n_shown; i++)
    if (self->shown[i] == (guint) self->selected)
      {
        trace_curve (self, i, &pen, FALSE);
        sluice_pen_paint (&pen, theme->text, FALSE);
      }
}

/* What is said beside the title: of the step under the pointer, or how much is shown. */
static char *
dup_note (SluiceHistogramChart *self)
{
  const SluiceHistogramStep *step;
  g_autofree char *name = NULL;
  g_autofree char *count = NULL;
  g_autofree char *value = NULL;
  double t;
  int bin;

  if (self->selected < 0)
    return self->mode != SLUICE_HISTOGRAM_HEAT && self->n_shown < self->steps->len
               ? g_strdup_printf (_ ("%u of %u steps"), self->n_shown, self->steps->len)
               : g_strdup ("");
  step = get_step (self, (guint) self->selected);
  name = sluice_format_step (step->step);
  t = self->mode == SLUICE_HISTOGRAM_HEAT ? 1 - (self->cursor_y - self->plot.y) / self->plot.height
                                          : (self->cursor_x - self->plot.x) / self->plot.width;
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

static void
draw_plot (SluiceHistogramChart *self,
           SluiceText *text,
           double width,
           double height,
           const SluiceTheme *theme,
           guint flags)
{
  draw_curves (self, text->cr, width, height, theme, (flags & SLUICE_CHART_VECTOR) != 0);
  draw_value_ticks (self, text, theme);
  if (self->mode == SLUICE_HISTOGRAM_RIDGE)
    draw_ridge_steps (self, text, theme);
  else if (self->mode == SLUICE_HISTOGRAM_HEAT)
    draw_heat_steps (self, text, theme);
  if (self->selected >= 0)
    draw_selected (self, text->cr, theme);
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
  double note_width = 0;

  g_return_if_fail (self != NULL && cr != NULL && theme != NULL);

  cairo_save (cr);
  if (flags & SLUICE_CHART_FRAME)
    sluice_cairo_draw_card (cr, width, height, theme);
  sluice_text_begin (&text, cr, theme);
  if (self->steps->len > 0)
    {
      g_autofree char *note = NULL;

      layout (self, width, height);
      draw_plot (self, &text, width, height, theme, flags);
      note = dup_note (self);
      sluice_text_set (&text, note, SLUICE_TEXT_LABEL, FALSE, 0);
      sluice_text_measure (&text, &note_width, NULL);
      sluice_text_draw (&text, width - PADDING, TITLE_MIDDLE, SLUICE_ANCHOR_END, theme->dim);
    }
  else
    {
      sluice_text_set (&text, _ ("No histograms yet"), SLUICE_TEXT_BODY, FALSE, 0);
      sluice_text_draw (&text, width / 2, height / 2, SLUICE_ANCHOR_MIDDLE, theme->dim);
    }
  if (flags & SLUICE_CHART_TITLE)
    {
      sluice_text_set (&text, self->title, SLUICE_TEXT_TITLE, TRUE,
                       MAX (40, width - 2 * PADDING - note_width - 12));
      sluice_text_draw (&text, PADDING, TITLE_MIDDLE, SLUICE_ANCHOR_START, theme->text);
    }
  sluice_text_end (&text);
  cairo_restore (cr);
  self->dirty = FALSE;
}
