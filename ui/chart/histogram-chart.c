/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/histogram-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

static void
step_free (SluiceHistogramStep *step)
{
  g_free (step->edges);
  g_free (step->counts);
  g_free (step);
}

SluiceHistogramChart *
sluice_histogram_chart_new (void)
{
  SluiceHistogramChart *self = g_new0 (SluiceHistogramChart, 1);

  self->title = g_strdup ("");
  self->color = sluice_palette_color (0);
  self->steps = g_ptr_array_new_with_free_func ((GDestroyNotify) step_free);
  self->cursor_x = NAN;
  self->cursor_y = NAN;
  self->selected = -1;
  self->dirty = TRUE;
  return self;
}

void
sluice_histogram_chart_free (SluiceHistogramChart *self)
{
  if (self == NULL)
    return;
  g_free (self->title);
  g_free (self->shown);
  g_ptr_array_unref (self->steps);
  g_clear_pointer (&self->image, cairo_surface_destroy);
  g_free (self);
}

static void
redraw (SluiceHistogramChart *self)
{
  self->dirty = TRUE;
  self->fresh = FALSE;
  g_clear_pointer (&self->image, cairo_surface_destroy);
}

void
sluice_histogram_chart_set_title (SluiceHistogramChart *self, const char *title)
{
  g_return_if_fail (self != NULL && title != NULL);

  g_free (self->title);
  self->title = g_strdup (title);
  self->dirty = TRUE;
}

const char *
sluice_histogram_chart_get_title (SluiceHistogramChart *self)
{
  return self->title;
}

void
sluice_histogram_chart_set_color (SluiceHistogramChart *self, SluiceColor color)
{
  self->color = color;
  redraw (self);
}

void
sluice_histogram_chart_set_mode (SluiceHistogramChart *self, SluiceHistogramMode mode)
{
  if (self->mode == mode)
    return;
  self->mode = mode;
  redraw (self);
}

SluiceHistogramMode
sluice_histogram_chart_get_mode (SluiceHistogramChart *self)
{
  return self->mode;
}

static gboolean
is_histogram (guint n, const double *edges, const double *counts)
{
  if (n == 0)
    return FALSE;
  for (guint i = 0; i <= n; i++)
    if (!isfinite (edges[i]) || (i > 0 && edges[i] < edges[i - 1]))
      return FALSE;
  for (guint i = 0; i < n; i++)
    if (!isfinite (counts[i]) || counts[i] < 0)
      return FALSE;
  return TRUE;
}

gboolean
sluice_histogram_chart_append (SluiceHistogramChart *self,
                               gint64 step,
                               guint n_buckets,
                               const double *edges,
                               const double *counts)
{
  SluiceHistogramStep *item;
  guint at;

  g_return_val_if_fail (self != NULL, FALSE);

  if (!is_histogram (n_buckets, edges, counts))
    return FALSE;
  item = g_new0 (SluiceHistogramStep, 1);
  item->step = step;
  item->n = n_buckets;
  item->edges = g_memdup2 (edges, sizeof *edges * (n_buckets + 1));
  item->counts = g_memdup2 (counts, sizeof *counts * n_buckets);
  for (guint i = 0; i < n_buckets; i++)
    item->total += counts[i];
  for (at = self->steps->len; at > 0; at--)
    {
      const SluiceHistogramStep *before = g_ptr_array_index (self->steps, at - 1);

      if (before->step < step)
        break;
      if (before->step == step)
        {
          g_ptr_array_remove_index (self->steps, at - 1);
          at--;
          break;
        }
    }
  g_ptr_array_insert (self->steps, (int) at, item);
  redraw (self);
  return TRUE;
}

gboolean
sluice_histogram_chart_append_proto (SluiceHistogramChart *self,
                                     gint64 step,
                                     double min,
                                     double max,
                                     guint n,
                                     const double *limits,
                                     const double *buckets)
{
  g_autofree double *edges = NULL;
  guint first = 0;
  guint end = n;

  while (first < n && buckets[first] == 0)
    first++;
  while (end > first && buckets[end - 1] == 0)
    end--;
  if (first == end || !isfinite (min) || !isfinite (max) || min > max)
    return FALSE;
  edges = g_new (double, end - first + 1);
  edges[0] = min;
  for (guint i = first; i < end; i++)
    edges[i - first + 1] = i + 1 == end ? max : CLAMP (limits[i], min, max);
  return sluice_histogram_chart_append (self, step, end - first, edges, buckets + first);
}

void
sluice_histogram_chart_clear (SluiceHistogramChart *self)
{
  g_ptr_array_set_size (self->steps, 0);
  self->selected = -1;
  redraw (self);
}

guint
sluice_histogram_chart_get_n_steps (SluiceHistogramChart *self)
{
  return self->steps->len;
}

void
sluice_histogram_chart_set_cursor (SluiceHistogramChart *self, double px, double py)
{
  self->cursor_x = px;
  self->cursor_y = py;
  self->selected = isnan (px) ? -1 : sluice_histogram_step_at (self, px, py);
  self->dirty = TRUE;
}

void
sluice_histogram_chart_select (SluiceHistogramChart *self, int index)
{
  self->selected = CLAMP (index, -1, (int) self->steps->len - 1);
  self->cursor_x = NAN;
  self->cursor_y = NAN;
  self->dirty = TRUE;
}

int
sluice_histogram_chart_get_selected (SluiceHistogramChart *self)
{
  return self->selected;
}

gboolean
sluice_histogram_chart_needs_redraw (SluiceHistogramChart *self)
{
  return self->dirty;
}

char *
sluice_histogram_chart_dup_summary (SluiceHistogramChart *self)
{
  const SluiceHistogramStep *last;
  g_autofree char *lo = NULL;
  g_autofree char *hi = NULL;
  g_autofree char *step = NULL;
  g_autofree char *count = NULL;

  if (self->steps->len == 0)
    return g_strdup_printf (_ ("%s: no histograms yet"), self->title);
  last = g_ptr_array_index (self->steps, self->steps->len - 1);
  lo = sluice_format_value (last->edges[0], SLUICE_UNIT_NONE);
  hi = sluice_format_value (last->edges[last->n], SLUICE_UNIT_NONE);
  step = sluice_format_step (last->step);
  count = sluice_format_value (last->total, SLUICE_UNIT_NONE);
  return g_strdup_printf (_ ("%s: %s values from %s to %s at step %s"), self->title, count, lo, hi,
                          step);
}

typedef struct
{
  SluiceHistogramChart *chart;
  const SluiceTheme *theme;
} Drawing;

static void
draw_card (cairo_t *cr, double width, double height, gboolean vector, gpointer data)
{
  const Drawing *drawing = data;
  guint flags = SLUICE_CHART_FRAME | SLUICE_CHART_TITLE | (vector ? SLUICE_CHART_VECTOR : 0);

  sluice_histogram_chart_render (drawing->chart, cr, width, height, drawing->theme, flags);
}

gboolean
sluice_histogram_chart_export (SluiceHistogramChart *self,
                               const char *path,
                               double width,
                               double height,
                               double scale,
                               const SluiceTheme *theme,
                               GError **error)
{
  Drawing drawing = { self, theme };
  gboolean done =
      sluice_export_named_picture (path, width, height, scale, draw_card, &drawing, error);

  redraw (self);
  return done;
}
