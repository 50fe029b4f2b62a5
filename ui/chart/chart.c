/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart-private.h"

#include "ui/chart/pair-source.h"

#include <glib/gi18n-lib.h>
#include <math.h>

static void
series_free (SluiceChartSeries *series)
{
  g_free (series->name);
  g_free (series->columns);
  sluice_series_source_unref (series->own);
  g_clear_pointer (&series->pairs, sluice_series_source_unref);
  g_free (series);
}

static void
event_free (SluiceChartEvent *event)
{
  g_free (event->word);
  g_free (event->detail);
  g_free (event);
}

SluiceChart *
sluice_chart_new (void)
{
  SluiceChart *self = g_new0 (SluiceChart, 1);

  self->title = g_strdup ("");
  self->x_name = g_strdup ("");
  self->series = g_ptr_array_new_with_free_func ((GDestroyNotify) series_free);
  self->events = g_ptr_array_new_with_free_func ((GDestroyNotify) event_free);
  self->words = g_array_new (FALSE, FALSE, sizeof (SluiceRect));
  self->next_id = 1;
  self->smoothing = 0.6;
  self->ignore_outliers = TRUE;
  self->view_x0 = NAN;
  self->view_x1 = NAN;
  self->view_y0 = NAN;
  self->view_y1 = NAN;
  self->cursor = NAN;
  self->selection_a = NAN;
  self->selection_b = NAN;
  self->dirty = TRUE;
  self->x_scale = (SluiceScale){ 0, 1, 0, 1, FALSE };
  self->y_scale = self->x_scale;
  return self;
}

void
sluice_chart_free (SluiceChart *self)
{
  if (self == NULL)
    return;
  g_free (self->title);
  g_free (self->x_name);
  g_ptr_array_unref (self->series);
  g_ptr_array_unref (self->events);
  g_array_unref (self->words);
  g_free (self->note);
  g_clear_pointer (&self->image, cairo_surface_destroy);
  g_free (self);
}

static void
restyle (SluiceChart *self)
{
  self->style_count++;
  self->dirty = TRUE;
}

void
sluice_chart_set_title (SluiceChart *self, const char *title)
{
  g_return_if_fail (self != NULL && title != NULL);

  if (g_str_equal (self->title, title))
    return;
  g_free (self->title);
  self->title = g_strdup (title);
  self->dirty = TRUE;
}

void
sluice_chart_set_title_room (SluiceChart *self, double room)
{
  self->dirty = self->dirty || self->title_room != room;
  self->title_room = room;
}

void
sluice_chart_set_unit (SluiceChart *self, SluiceUnit unit)
{
  self->dirty = self->dirty || self->unit != unit;
  self->unit = unit;
}

SluiceUnit
sluice_chart_get_unit (SluiceChart *self)
{
  return self->unit;
}

SluiceUnit
sluice_chart_get_x_unit (const SluiceChart *self)
{
  static const SluiceUnit units[SLUICE_N_X_AXES] = { SLUICE_UNIT_STEPS, SLUICE_UNIT_SECONDS,
                                                     SLUICE_UNIT_TIME };

  return self->axis == SLUICE_X_SERIES ? self->x_unit : units[self->axis];
}

char *
sluice_chart_dup_full_title (const SluiceChart *self)
{
  guint stride = 1;

  if (self->axis != SLUICE_X_SERIES)
    return g_strdup (self->title);
  for (guint i = 0; i < self->series->len; i++)
    {
      const SluiceChartSeries *series = g_ptr_array_index (self->series, i);

      stride = MAX (stride, sluice_pair_source_get_stride (series->source));
    }
  if (stride > 1)
    /* Translators: the values of a tag over those of another tag; so many steps have one dot. */
    return g_strdup_printf (_ ("%s over %s, 1 of %u steps"), self->title, self->x_name, stride);
  /* Translators: the values of a tag over those of another tag. */
  return g_strdup_printf (_ ("%s over %s"), self->title, self->x_name);
}

SluiceChartSeries *
sluice_chart_find_series (const SluiceChart *self, guint id)
{
  for (guint i = 0; i < self->series->len; i++)
    {
      SluiceChartSeries *series = g_ptr_array_index (self->series, i);

      if (series->id == id)
        return series;
    }
  return NULL;
}

/* A series that nothing gives places has none on that axis. */
static void
choose_source (SluiceChart *self, SluiceChartSeries *series)
{
  if (self->axis == SLUICE_X_SERIES && series->pairs == NULL)
    series->pairs = sluice_pair_source_new (NULL, series->own);
  series->source = self->axis == SLUICE_X_SERIES ? series->pairs : series->own;
}

guint
sluice_chart_add_series (SluiceChart *self,
                         const char *name,
                         SluiceColor color,
                         SluiceSeriesSource *source)
{
  SluiceChartSeries *series;

  g_return_val_if_fail (self != NULL && name != NULL && source != NULL, 0);

  series = g_new0 (SluiceChartSeries, 1);
  series->id = self->next_id++;
  series->name = g_strdup (name);
  series->color = color;
  series->own = sluice_series_source_ref (source);
  choose_source (self, series);
  series->visible = TRUE;
  g_ptr_array_add (self->series, series);
  restyle (self);
  return series->id;
}

void
sluice_chart_remove_series (SluiceChart *self, guint id)
{
  SluiceChartSeries *series = sluice_chart_find_series (self, id);

  g_return_if_fail (series != NULL);

  sluice_chart_clear_events (self, id);
  g_ptr_array_remove (self->series, series);
  restyle (self);
}

void
sluice_chart_set_series_visible (SluiceChart *self, guint id, gboolean visible)
{
  SluiceChartSeries *series = sluice_chart_find_series (self, id);

  g_return_if_fail (series != NULL);

  if (series->visible == !!visible)
    return;
  series->visible = !!visible;
  restyle (self);
}

guint
sluice_chart_get_n_series (SluiceChart *self)
{
  return self->series->len;
}

void
sluice_chart_set_front (SluiceChart *self, guint id)
{
  if (self->front == id)
    return;
  self->front = id;
  restyle (self);
}

void
sluice_chart_set_front_leads (SluiceChart *self, gboolean leads)
{
  self->dirty = self->dirty || self->front_leads != leads;
  self->front_leads = leads;
}

void
sluice_chart_set_marked (SluiceChart *self, guint id)
{
  if (self->marked == id)
    return;
  self->marked = id;
  restyle (self);
}

SluiceChartSeries *
sluice_chart_get_front (const SluiceChart *self)
{
  SluiceChartSeries *series = sluice_chart_find_series (self, self->front);

  return series != NULL && series->visible ? series : NULL;
}

void
sluice_chart_add_event (SluiceChart *self,
                        guint id,
                        SluiceEventKind kind,
                        gint64 step,
                        double wall,
                        const char *word,
                        const char *detail)
{
  SluiceChartEvent *event;

  g_return_if_fail (self != NULL && word != NULL);

  event = g_new0 (SluiceChartEvent, 1);
  event->series = id;
  event->kind = kind;
  event->step = step;
  event->wall = wall;
  event->word = g_strdup (word);
  event->detail = g_strdup (detail);
  g_ptr_array_add (self->events, event);
  self->dirty = TRUE;
}

void
sluice_chart_clear_events (SluiceChart *self, guint id)
{
  for (guint i = self->events->len; i-- > 0;)
    if (((SluiceChartEvent *) self->events->pdata[i])->series == id)
      {
        g_ptr_array_remove_index (self->events, i);
        self->dirty = TRUE;
      }
}

void
sluice_chart_set_series_x (SluiceChart *self, guint id, SluiceSeriesSource *x)
{
  SluiceChartSeries *series = sluice_chart_find_series (self, id);

  g_return_if_fail (series != NULL);

  g_clear_pointer (&series->pairs, sluice_series_source_unref);
  series->pairs = sluice_pair_source_new (x, series->own);
  choose_source (self, series);
  restyle (self);
}

void
sluice_chart_set_x_name (SluiceChart *self, const char *name, SluiceUnit unit)
{
  g_return_if_fail (self != NULL && name != NULL);

  self->x_unit = unit;
  if (g_str_equal (self->x_name, name))
    return;
  g_free (self->x_name);
  self->x_name = g_strdup (name);
  if (self->axis == SLUICE_X_SERIES)
    sluice_chart_set_view (self, NAN, NAN);
  restyle (self);
}

void
sluice_chart_set_x_axis (SluiceChart *self, SluiceXAxis axis)
{
  if (self->axis == axis)
    return;
  self->axis = axis;
  for (guint i = 0; i < self->series->len; i++)
    choose_source (self, g_ptr_array_index (self->series, i));
  /* A range of steps means nothing in seconds. */
  sluice_chart_set_view (self, NAN, NAN);
  sluice_chart_set_cursor (self, NAN);
  restyle (self);
}

SluiceXAxis
sluice_chart_get_x_axis (SluiceChart *self)
{
  return self->axis;
}

void
sluice_chart_set_log_y (SluiceChart *self, gboolean log_y)
{
  if (self->log_y == !!log_y)
    return;
  self->log_y = !!log_y;
  restyle (self);
}

gboolean
sluice_chart_get_log_y (SluiceChart *self)
{
  return self->log_y;
}

void
sluice_chart_set_smoothing (SluiceChart *self, double weight)
{
  weight = CLAMP (weight, 0, 0.999);
  if (self->smoothing == weight)
    return;
  self->smoothing = weight;
  restyle (self);
}

double
sluice_chart_get_smoothing (SluiceChart *self)
{
  return self->smoothing;
}

void
sluice_chart_set_ignore_outliers (SluiceChart *self, gboolean ignore)
{
  if (self->ignore_outliers == !!ignore)
    return;
  self->ignore_outliers = !!ignore;
  restyle (self);
}

gboolean
sluice_chart_get_ignore_outliers (SluiceChart *self)
{
  return self->ignore_outliers;
}

void
sluice_chart_set_band (SluiceChart *self, gboolean band)
{
  if (self->band == !!band)
    return;
  self->band = !!band;
  restyle (self);
}

void
sluice_chart_set_expected_steps (SluiceChart *self, gint64 steps)
{
  self->dirty = self->dirty || self->expected_steps != steps;
  self->expected_steps = steps;
}

void
sluice_chart_set_view (SluiceChart *self, double x0, double x1)
{
  if (!(x0 < x1) || !isfinite (x0) || !isfinite (x1))
    {
      x0 = NAN;
      x1 = NAN;
    }
  self->view_x0 = x0;
  self->view_x1 = x1;
  self->dirty = TRUE;
}

gboolean
sluice_chart_get_view (SluiceChart *self, double *x0, double *x1)
{
  if (isnan (self->view_x0))
    {
      sluice_chart_full_x (self, x0, x1);
      return FALSE;
    }
  *x0 = self->view_x0;
  *x1 = self->view_x1;
  return TRUE;
}

void
sluice_chart_set_y_view (SluiceChart *self, double y0, double y1)
{
  if (!(y0 < y1) || !isfinite (y0) || !isfinite (y1))
    y0 = y1 = NAN;
  self->view_y0 = y0;
  self->view_y1 = y1;
  self->dirty = TRUE;
}

gboolean
sluice_chart_get_y_view (SluiceChart *self, double *y0, double *y1)
{
  *y0 = self->y_scale.d0;
  *y1 = self->y_scale.d1;
  return !isnan (self->view_y0);
}

void
sluice_chart_zoom (SluiceChart *self, double factor, double x)
{
  double full0;
  double full1;
  double x0;
  double x1;
  double least;

  g_return_if_fail (factor > 0);

  sluice_chart_full_x (self, &full0, &full1);
  least = self->axis == SLUICE_X_STEP     ? 2
          : self->axis == SLUICE_X_SERIES ? 1e-6 * (full1 - full0)
                                          : 1e-3;
  sluice_chart_get_view (self, &x0, &x1);
  x = CLAMP (x, x0, x1);
  if ((x1 - x0) / factor < least)
    factor = MAX (1, (x1 - x0) / least);
  x0 = x - (x - x0) / factor;
  x1 = x + (x1 - x) / factor;
  if (factor <= 1 && x1 - x0 >= (full1 - full0) * (1 - 1e-9))
    sluice_chart_set_view (self, NAN, NAN);
  else if (x0 < full0)
    sluice_chart_set_view (self, full0, full0 + (x1 - x0));
  else if (x1 > full1)
    sluice_chart_set_view (self, full1 - (x1 - x0), full1);
  else
    sluice_chart_set_view (self, x0, x1);
}

void
sluice_chart_set_cursor (SluiceChart *self, double x)
{
  if (self->cursor == x || (isnan (self->cursor) && isnan (x)))
    return;
  self->cursor = x;
  self->dirty = TRUE;
}

double
sluice_chart_get_cursor (SluiceChart *self)
{
  return self->cursor;
}

void
sluice_chart_set_readout_style (SluiceChart *self, SluiceReadoutStyle style)
{
  self->dirty = self->dirty || self->readout_style != style;
  self->readout_style = style;
}

/* The next point of any series past @x in @direction. */
static gboolean
find_neighbour (SluiceChart *self, double x, int direction, double *found)
{
  double best = INFINITY;

  for (guint i = 0; i < self->series->len; i++)
    {
      SluiceChartSeries *series = g_ptr_array_index (self->series, i);
      SluiceSeriesSample s;

      if (!series->visible || !sluice_series_source_lookup (series->source, self->axis, x, &s))
        continue;
      while ((s.x - x) * direction <= 0)
        {
          if (direction < 0 && s.index == 0)
            break;
          if (sluice_series_source_read_samples (series->source, self->axis, s.index + direction, 1,
                                                 &s)
              == 0)
            break;
        }
      if ((s.x - x) * direction > 0 && fabs (s.x - x) < best)
        {
          best = fabs (s.x - x);
          *found = s.x;
        }
    }
  return isfinite (best);
}

void
sluice_chart_move_cursor (SluiceChart *self, int direction)
{
  SluiceSeriesSample here;
  double pixel;
  double next;
  double x0;
  double x1;

  g_return_if_fail (direction == 1 || direction == -1);

  sluice_chart_get_view (self, &x0, &x1);
  pixel = self->plot.width > 0 ? (x1 - x0) / self->plot.width : 0;
  if (!sluice_chart_find_cursor (self, &here))
    {
      /* The first key shows the newest point, where a live run is. */
      self->cursor = x1;
      if (sluice_chart_find_cursor (self, &here))
        self->cursor = here.x;
      self->dirty = TRUE;
      return;
    }
  /* Just short of a whole pixel, so that points one pixel apart are not jumped over. */
  if (find_neighbour (self, here.x + direction * pixel * 0.999, direction, &next)
      || find_neighbour (self, here.x, direction, &next))
    sluice_chart_set_cursor (self, CLAMP (next, x0, x1));
}

double
sluice_chart_x_at (SluiceChart *self, double px)
{
  px = CLAMP (px, self->plot.x, self->plot.x + self->plot.width);
  return sluice_scale_to_data (&self->x_scale, px);
}

SluiceRect
sluice_chart_get_plot (SluiceChart *self)
{
  return self->plot;
}

void
sluice_chart_set_selection (SluiceChart *self, double a, double b)
{
  self->selection_a = a;
  self->selection_b = b;
  self->dirty = TRUE;
}

gboolean
sluice_chart_needs_redraw (SluiceChart *self)
{
  if (self->dirty)
    return TRUE;
  for (guint i = 0; i < self->series->len; i++)
    {
      SluiceChartSeries *series = g_ptr_array_index (self->series, i);

      if (series->visible
          && sluice_series_source_get_serial (series->source) != series->drawn_serial)
        return TRUE;
    }
  return FALSE;
}

gboolean
sluice_chart_prepare (SluiceChart *self, gint64 budget_us)
{
  gint64 end_time = g_get_monotonic_time () + budget_us;
  gboolean ready = TRUE;

  for (guint i = 0; i < self->series->len; i++)
    {
      SluiceChartSeries *series = g_ptr_array_index (self->series, i);
      gint64 left = budget_us < 0 ? -1 : MAX (0, end_time - g_get_monotonic_time ());

      if (series->visible)
        ready = sluice_series_source_prepare (series->source, self->smoothing, left) && ready;
    }
  return ready;
}

gboolean
sluice_chart_refine (SluiceChart *self, gint64 budget_us)
{
  gint64 end_time = g_get_monotonic_time () + budget_us;
  gboolean exact = TRUE;

  for (guint i = 0; i < self->series->len; i++)
    {
      SluiceChartSeries *series = g_ptr_array_index (self->series, i);
      gint64 left = MAX (0, end_time - g_get_monotonic_time ());

      if (series->visible)
        exact = sluice_series_source_refine (series->source, left) && exact;
    }
  return exact;
}

char *
sluice_chart_dup_summary (SluiceChart *self)
{
  g_autofree char *title = sluice_chart_dup_full_title (self);
  GString *out = g_string_new (title);
  const char *joint = ": ";

  for (guint i = 0; i < self->series->len; i++)
    {
      SluiceChartSeries *series = g_ptr_array_index (self->series, i);
      g_autofree char *name = NULL;
      g_autofree char *value = NULL;
      g_autofree char *step = NULL;
      SluiceChartValue v = { 0 };
      SluiceSeriesSample last;

      if (!series->visible
          || !sluice_series_source_lookup (series->source, SLUICE_X_STEP, INFINITY, &last))
        continue;
      name = sluice_chart_dup_member_names (self, series->id);
      sluice_series_source_measure (series->source, SLUICE_X_STEP, (double) last.step, &v.measure);
      v.sample = last;
      value = sluice_chart_format_value (self, &v);
      step = sluice_format_step (last.step);
      g_string_append (out, joint);
      joint = "; ";
      /* Translators: name of a run, value, step. */
      g_string_append_printf (out, _ ("%s %s at step %s"), name, value, step);
    }
  sluice_chart_append_events (self, out);
  return g_string_free (out, FALSE);
}

char *
sluice_chart_dup_told (SluiceChart *self)
{
  char *readout = sluice_chart_dup_readout (self);
  g_autofree char *summary = NULL;
  g_autofree char *low = NULL;
  g_autofree char *high = NULL;
  double y0 = NAN;
  double y1 = NAN;

  if (readout != NULL)
    return readout;
  summary = sluice_chart_dup_summary (self);
  sluice_chart_get_y_view (self, &y0, &y1);
  /* Of a chart without points the axis says nothing. */
  if (strchr (summary, ':') == NULL || !isfinite (y0) || !isfinite (y1))
    return g_steal_pointer (&summary);
  low = sluice_format_value (y0, self->unit);
  high = sluice_format_value (y1, self->unit);
  /* Translators: a sentence about a chart, then the ends of its vertical axis. */
  return g_strdup_printf (_ ("%s. Shown from %s to %s"), summary, low, high);
}
