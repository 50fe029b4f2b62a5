/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart-private.h"

#include <math.h>
#include <string.h>

/*
 * A view that follows the pointer: hundreds of curves cannot be read and drawn anew in a frame. The
 * picture of them is shifted by whole pixels, and only what comes into view is read and drawn; the
 * value axis rests meanwhile. Where the view comes to rest everything is drawn anew.
 */

void
sluice_chart_set_moving (SluiceChart *self, gboolean moving)
{
  self->dirty = self->dirty || (self->moving && !moving);
  self->moving = moving;
}

gboolean
sluice_chart_is_moving (const SluiceChart *self)
{
  return self->moving;
}

void
sluice_chart_pan (SluiceChart *self, double x0, double x1)
{
  double full0;
  double full1;

  sluice_chart_full_x (self, &full0, &full1);
  if (x0 < full0)
    sluice_chart_set_view (self, full0, full0 + (x1 - x0));
  else if (x1 > full1)
    sluice_chart_set_view (self, full1 - (x1 - x0), full1);
  else
    sluice_chart_set_view (self, x0, x1);
}

/* Is the picture, but for its place, the one that is asked for? */
static gboolean
can_shift (const SluiceChart *self, const SluiceRect *plot, double span, double scale)
{
  const SluiceImageKey *key = &self->image_key;

  return self->moving && self->image != NULL && sluice_chart_has_many (self)
         && key->style_count == self->style_count && key->width == plot->width
         && key->height == plot->height && key->scale == scale && self->read_key.axis == self->axis
         && fabs (self->image_x1 - self->image_x0 - span) <= 1e-9 * span;
}

gboolean
sluice_chart_layout_shifted (SluiceChart *self, double width, double height, double scale)
{
  SluiceRect plot = sluice_chart_place_plot (width, height, self->plot.x);
  double x0;
  double x1;
  double by;

  self->shifts = FALSE;
  sluice_chart_get_view (self, &x0, &x1);
  if (!can_shift (self, &plot, x1 - x0, scale))
    return FALSE;
  by = round ((x0 - self->image_x0) / (x1 - x0) * plot.width * scale);
  if (!(fabs (by) < floor (plot.width * scale)))
    return FALSE;
  self->shifts = TRUE;
  self->shift = (int) by;
  x0 = self->image_x0 + by / (plot.width * scale) * (x1 - x0);
  x1 = x0 + (self->image_x1 - self->image_x0);
  self->image_x0 = x0;
  self->image_x1 = x1;
  self->plot = plot;
  self->x_scale = (SluiceScale){ x0, x1, plot.x, plot.x + plot.width, FALSE };
  sluice_chart_find_x_ticks (self);
  return TRUE;
}

/* What a series has in a part of the plot. */
typedef struct
{
  SluiceColumn *columns;
  SluiceEdges edges;
} Part;

/* A part of the plot, in device pixels. */
typedef struct
{
  int from, n;
  SluiceColumn *columns; /* n of each series */
  Part *parts;           /* of each series */
} Strip;

/* The series have the strip's columns, or their own again. */
static void
swap_columns (SluiceChart *self, const Strip *strip)
{
  for (guint i = 0; i < self->series->len; i++)
    {
      SluiceChartSeries *series = g_ptr_array_index (self->series, i);
      Part own = { series->columns, series->edges };

      series->columns = strip->parts[i].columns;
      series->edges = strip->parts[i].edges;
      strip->parts[i] = own;
    }
}

static void
read_strip (SluiceChart *self, const Strip *strip)
{
  for (guint i = 0; i < self->series->len; i++)
    {
      SluiceChartSeries *series = g_ptr_array_index (self->series, i);
      Part *part = &strip->parts[i];

      if (!series->visible)
        continue;
      part->columns = strip->columns + (gsize) i * (guint) strip->n;
      sluice_series_source_read_columns (series->source, self->axis, self->x_scale.d0,
                                         self->x_scale.d1, (guint) strip->n, part->columns,
                                         &part->edges);
    }
}

/* The strip alone, as if it were the plot, into a raster of its own. */
static SluiceRaster *
draw_strip (SluiceChart *self, const Strip *strip, const SluicePen *where, const SluiceTheme *theme)
{
  SluiceRect plot = self->plot;
  SluiceScale x_scale = self->x_scale;
  guint64 n_columns = self->read_key.n_columns;
  guint width = (guint) ceil (strip->n + 2 * SLUICE_CURVE_AIR * where->scale);
  SluicePen pen = *where;

  self->plot.x += strip->from / where->scale;
  self->plot.width = strip->n / where->scale;
  self->x_scale.d0 = sluice_scale_to_data (&x_scale, self->plot.x);
  self->x_scale.d1 = sluice_scale_to_data (&x_scale, self->plot.x + self->plot.width);
  self->x_scale.p0 = self->plot.x;
  self->x_scale.p1 = self->plot.x + self->plot.width;
  self->read_key.n_columns = (guint64) strip->n;
  pen.left = self->plot.x - SLUICE_CURVE_AIR;
  pen.raster = sluice_raster_new (width, (guint) cairo_image_surface_get_height (self->image));
  read_strip (self, strip);
  swap_columns (self, strip);
  sluice_chart_draw_series (self, &pen, theme);
  swap_columns (self, strip);
  self->plot = plot;
  self->x_scale = x_scale;
  self->read_key.n_columns = n_columns;
  return pen.raster;
}

/* Rows of pixels: what was at x is at x - shift. */
static void
move_pixels (cairo_surface_t *image, int shift)
{
  int width = cairo_image_surface_get_width (image);
  gsize n = (gsize) (width - ABS (shift)) * 4;

  cairo_surface_flush (image);
  for (int y = 0; y < cairo_image_surface_get_height (image); y++)
    {
      guint8 *row =
          cairo_image_surface_get_data (image) + (gsize) y * cairo_image_surface_get_stride (image);

      memmove (row + 4 * MAX (0, -shift), row + 4 * MAX (0, shift), n);
    }
  cairo_surface_mark_dirty (image);
}

static void
put_strip (SluiceChart *self, const SluiceRaster *raster, int at, int from, int to)
{
  int width = (int) sluice_raster_get_width (raster);
  int height = (int) sluice_raster_get_height (raster);
  cairo_surface_t *strip = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  cairo_t *cr = cairo_create (self->image);

  sluice_raster_to_surface (raster, strip);
  cairo_set_operator (cr, CAIRO_OPERATOR_SOURCE);
  cairo_set_source_surface (cr, strip, at, 0);
  cairo_rectangle (cr, from, 0, to - from, height);
  cairo_fill (cr);
  cairo_destroy (cr);
  cairo_surface_destroy (strip);
}

void
sluice_chart_shift_image (SluiceChart *self, const SluicePen *pen, const SluiceTheme *theme)
{
  int image_width = cairo_image_surface_get_width (self->image);
  int plot_width = (int) ceil (self->plot.width * pen->scale);
  /* What lies beside the plot was drawn by the nearest points only, and lines reach over. */
  int air = (int) ceil (SLUICE_CURVE_AIR * pen->scale) + 2;
  int n = MIN (ABS (self->shift) + 3 * air, plot_width);
  Strip strip = { .from = self->shift > 0 ? plot_width - n : 0, .n = n };
  int inner = n < plot_width ? 2 * air : 0; /* of the strip, towards what stays */

  if (self->shift == 0)
    return;
  strip.columns = g_new (SluiceColumn, (gsize) self->series->len * (guint) n);
  strip.parts = g_new0 (Part, self->series->len);
  g_autoptr (SluiceRaster) raster = draw_strip (self, &strip, pen, theme);
  g_free (strip.columns);
  g_free (strip.parts);
  move_pixels (self->image, self->shift);
  if (self->shift > 0)
    put_strip (self, raster, strip.from, strip.from + inner, image_width);
  else
    put_strip (self, raster, 0, 0, (int) sluice_raster_get_width (raster) - inner);
  self->shifted = TRUE;
}
