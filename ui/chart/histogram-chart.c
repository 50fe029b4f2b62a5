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

static void
run_free (SluiceHistogramRun *run)
{
  g_free (run->name);
  g_free (run->shown);
  g_ptr_array_unref (run->steps);
  g_free (run);
}

SluiceHistogramChart *
sluice_histogram_chart_new (void)
{
  SluiceHistogramChart *self = g_new0 (SluiceHistogramChart, 1);

  self->title = g_strdup ("");
  self->runs = g_ptr_array_new_with_free_func ((GDestroyNotify) run_free);
  self->drawn = g_ptr_array_new ();
  self->next_id = 1;
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
  g_ptr_array_unref (self->drawn);
  g_ptr_array_unref (self->runs);
  g_clear_pointer (&self->image, cairo_surface_destroy);
  g_free (self);
}

static void
redraw (SluiceHistogramChart *self)
{
  self->dirty = TRUE;
  self->fresh = FALSE;
  self->image_is_current = FALSE;
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

/* ---- runs ---- */

static SluiceHistogramRun *
find_run (SluiceHistogramChart *self, guint id)
{
  for (guint i = 0; i < self->runs->len; i++)
    {
      SluiceHistogramRun *run = g_ptr_array_index (self->runs, i);

      if (run->id == id)
        return run;
    }
  return NULL;
}

/* The steps are others now. */
static void
forget_selected (SluiceHistogramChart *self)
{
  self->selected = -1;
  self->selected_run = NULL;
  g_ptr_array_set_size (self->drawn, 0);
  self->n_panels = 0;
  redraw (self);
}

guint
sluice_histogram_chart_add_run (SluiceHistogramChart *self, const char *name, SluiceColor color)
{
  SluiceHistogramRun *run = g_new0 (SluiceHistogramRun, 1);

  run->id = self->next_id++;
  run->name = g_strdup (name);
  run->color = color;
  run->steps = g_ptr_array_new_with_free_func ((GDestroyNotify) step_free);
  g_ptr_array_add (self->runs, run);
  redraw (self);
  return run->id;
}

void
sluice_histogram_chart_remove_run (SluiceHistogramChart *self, guint run)
{
  SluiceHistogramRun *found = find_run (self, run);

  g_return_if_fail (found != NULL);

  forget_selected (self);
  g_ptr_array_remove (self->runs, found);
}

void
sluice_histogram_chart_set_run_style (SluiceHistogramChart *self,
                                      guint run,
                                      const char *name,
                                      SluiceColor color)
{
  SluiceHistogramRun *found = find_run (self, run);

  g_return_if_fail (found != NULL);

  if (g_str_equal (found->name, name) && memcmp (&found->color, &color, sizeof color) == 0)
    return;
  g_free (found->name);
  found->name = g_strdup (name);
  found->color = color;
  redraw (self);
}

void
sluice_histogram_chart_clear_run (SluiceHistogramChart *self, guint run)
{
  SluiceHistogramRun *found = find_run (self, run);

  g_return_if_fail (found != NULL);

  g_ptr_array_set_size (found->steps, 0);
  forget_selected (self);
}

void
sluice_histogram_chart_keep_steps (SluiceHistogramChart *self, guint run, GHashTable *steps)
{
  SluiceHistogramRun *found = find_run (self, run);

  g_return_if_fail (found != NULL);

  const SluiceHistogramRun *selected_run = self->selected_run;
  const SluiceHistogramStep *selected =
      selected_run == found && self->selected >= 0
          ? g_ptr_array_index (found->steps, (guint) self->selected)
          : NULL;
  int index = selected_run != found ? self->selected : -1;

  forget_selected (self);
  for (guint i = found->steps->len; i-- > 0;)
    {
      const SluiceHistogramStep *step = g_ptr_array_index (found->steps, i);

      if (!g_hash_table_contains (steps, &step->step))
        g_ptr_array_remove_index (found->steps, i);
    }
  for (guint i = 0; selected != NULL && i < found->steps->len; i++)
    if (g_ptr_array_index (found->steps, i) == selected)
      index = (int) i;
  self->selected = index;
  self->selected_run = index >= 0 ? selected_run : NULL;
}

void
sluice_histogram_chart_set_front (SluiceHistogramChart *self, guint run)
{
  if (self->front == run)
    return;
  self->front = run;
  redraw (self);
}

guint
sluice_histogram_chart_get_n_left (SluiceHistogramChart *self)
{
  return self->n_left;
}

guint
sluice_histogram_chart_get_n_runs (SluiceHistogramChart *self)
{
  return self->runs->len;
}

void
sluice_histogram_chart_order (SluiceHistogramChart *self)
{
  g_ptr_array_set_size (self->drawn, 0);
  for (guint i = 0; i < self->runs->len; i++)
    {
      SluiceHistogramRun *run = g_ptr_array_index (self->runs, i);

      if (run->steps->len > 0)
        g_ptr_array_insert (self->drawn, run->id == self->front ? 0 : -1, run);
    }
}

static SluiceHistogramRun *
get_first (SluiceHistogramChart *self)
{
  sluice_histogram_chart_order (self);
  return self->drawn->len > 0 ? g_ptr_array_index (self->drawn, 0) : NULL;
}

void
sluice_histogram_chart_set_most_steps (SluiceHistogramChart *self, guint n)
{
  if (self->most_steps == n)
    return;
  self->most_steps = n;
  redraw (self);
}

guint
sluice_histogram_chart_get_n_shown (SluiceHistogramChart *self, guint *n_steps)
{
  const SluiceHistogramRun *run = get_first (self);

  if (n_steps != NULL)
    *n_steps = run != NULL ? run->steps->len : 0;
  return run != NULL ? run->n_shown : 0;
}

void
sluice_histogram_chart_set_room (SluiceHistogramChart *self, double title, double names)
{
  self->title_room = title;
  self->names_room = names;
  redraw (self);
}

/* ---- modes ---- */

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
                               guint run,
                               gint64 step,
                               guint n_buckets,
                               const double *edges,
                               const double *counts)
{
  SluiceHistogramRun *found = find_run (self, run);
  SluiceHistogramStep *item;
  guint at;

  g_return_val_if_fail (found != NULL, FALSE);

  if (!is_histogram (n_buckets, edges, counts))
    return FALSE;
  item = g_new0 (SluiceHistogramStep, 1);
  item->step = step;
  item->n = n_buckets;
  item->edges = g_memdup2 (edges, sizeof *edges * (n_buckets + 1));
  item->counts = g_memdup2 (counts, sizeof *counts * n_buckets);
  for (guint i = 0; i < n_buckets; i++)
    item->total += counts[i];
  for (at = found->steps->len; at > 0; at--)
    {
      const SluiceHistogramStep *before = g_ptr_array_index (found->steps, at - 1);

      if (before->step < step)
        break;
      if (before->step == step)
        {
          g_ptr_array_remove_index (found->steps, at - 1);
          at--;
          break;
        }
    }
  g_ptr_array_insert (found->steps, (int) at, item);
  redraw (self);
  return TRUE;
}

gboolean
sluice_histogram_chart_append_proto (SluiceHistogramChart *self,
                                     guint run,
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
  return sluice_histogram_chart_append (self, run, step, end - first, edges, buckets + first);
}

guint
sluice_histogram_chart_get_n_steps (SluiceHistogramChart *self)
{
  const SluiceHistogramRun *run = get_first (self);

  return run != NULL ? run->steps->len : 0;
}

void
sluice_histogram_chart_set_cursor (SluiceHistogramChart *self, double px, double py)
{
  self->cursor_x = px;
  self->cursor_y = py;
  self->selected_run = NULL;
  self->selected = isnan (px) ? -1 : sluice_histogram_step_at (self, px, py, &self->selected_run);
  self->dirty = TRUE;
}

void
sluice_histogram_chart_select (SluiceHistogramChart *self, int index)
{
  self->selected_run = get_first (self);
  self->selected =
      self->selected_run != NULL ? CLAMP (index, -1, (int) self->selected_run->steps->len - 1) : -1;
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

/* What a reader of the screen hears: of the step that is selected, else the last of each run. */
static void
append_summary (GString *out, const SluiceHistogramRun *run, guint index)
{
  const SluiceHistogramStep *step = _sluice_histogram_get_step (run, index);
  g_autofree char *lo = sluice_format_value (step->edges[0], SLUICE_UNIT_NONE);
  g_autofree char *hi = sluice_format_value (step->edges[step->n], SLUICE_UNIT_NONE);
  g_autofree char *middle =
      sluice_format_value (sluice_histogram_quantile (step, 0.5), SLUICE_UNIT_NONE);
  g_autofree char *name = sluice_format_step (step->step);
  g_autofree char *count = sluice_format_value (step->total, SLUICE_UNIT_NONE);

  g_string_append_printf (out, _ ("%s: %s values from %s to %s, half of them below %s, at step %s"),
                          run->name, count, lo, hi, middle, name);
}

char *
sluice_histogram_chart_dup_summary (SluiceHistogramChart *self)
{
  GString *out = g_string_new (self->title);

  sluice_histogram_chart_order (self);
  if (self->drawn->len == 0)
    {
      g_string_free (out, TRUE);
      return g_strdup_printf (_ ("%s: no histograms yet"), self->title);
    }
  for (guint i = 0; i < self->drawn->len; i++)
    {
      const SluiceHistogramRun *run = g_ptr_array_index (self->drawn, i);
      gboolean selected = self->selected >= 0 && run == self->selected_run;

      g_string_append (out, i == 0 ? ". " : "; ");
      append_summary (out, run, selected ? (guint) self->selected : run->steps->len - 1);
    }
  return g_string_free (out, FALSE);
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
