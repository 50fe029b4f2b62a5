/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

gboolean
sluice_chart_find_nearest (SluiceChart *self, double x, SluiceSeriesSample *sample)
{
  double best = INFINITY;
  gboolean found = FALSE;

  for (guint i = 0; i < self->series->len; i++)
    {
      SluiceChartSeries *series = g_ptr_array_index (self->series, i);
      SluiceSeriesSample s;
      double distance;

      if (!series->visible || !sluice_series_source_lookup (series->source, self->axis, x, &s))
        continue;
      distance = isfinite (x) ? fabs (s.x - x) : -s.x;
      if (found && distance >= best)
        continue;
      best = distance;
      *sample = s;
      found = TRUE;
    }
  return found;
}

gboolean
sluice_chart_find_cursor (SluiceChart *self, SluiceSeriesSample *sample)
{
  return !isnan (self->cursor) && sluice_chart_find_nearest (self, self->cursor, sample);
}

char *
sluice_chart_dup_member_names (SluiceChart *self, guint id)
{
  const SluiceChartSeries *series = sluice_chart_find_series (self, id);
  g_autoptr (GString) names = NULL;
  const char *name;

  g_return_val_if_fail (series != NULL, NULL);

  names = g_string_new (NULL);
  for (guint i = 0; sluice_series_source_get_member (series->source, i, &name) != NULL; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", name);
  return names->len > 0 ? g_strdup_printf ("%s (%s)", series->name, names->str)
                        : g_strdup (series->name);
}

/* Of what was drawn last: reading another range would put that one off. */
static void
find_range (SluiceChart *self, const SluiceChartSeries *series, SluiceChartValue *value)
{
  value->min = NAN;
  value->max = NAN;
  for (guint i = 0; series->columns != NULL && i < self->read_key.n_columns; i++)
    if (series->columns[i].n_finite > 0)
      {
        value->min = fmin (value->min, series->columns[i].raw.min);
        value->max = fmax (value->max, series->columns[i].raw.max);
      }
}

GArray *
sluice_chart_dup_values (SluiceChart *self, double x)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (SluiceChartValue));
  const SluiceChartSeries *front = sluice_chart_get_front (self);

  for (guint i = 0; i < self->series->len; i++)
    {
      SluiceChartSeries *series = g_ptr_array_index (self->series, i);
      SluiceChartValue value = { .id = series->id, .name = series->name, .color = series->color };
      SluiceExtent extent;

      if (!series->visible
          || !sluice_series_source_lookup (series->source, self->axis, x, &value.sample))
        continue;
      sluice_series_source_get_extent (series->source, self->axis, &extent);
      value.here = (x >= extent.x0 && x <= extent.x1) || value.sample.x == x;
      sluice_series_source_measure (series->source, self->axis, value.sample.x, &value.measure);
      find_range (self, series, &value);
      if (series == front)
        g_array_prepend_val (values, value);
      else
        g_array_append_val (values, value);
    }
  return values;
}

char *
sluice_chart_format_value (SluiceChart *self, const SluiceChartValue *value)
{
  const SluiceMeasure *measure = &value->measure;
  g_autofree char *both = NULL;

  if (measure->n == 0)
    return sluice_format_value (value->sample.value, self->unit);
  both = sluice_format_spread (value->sample.value, measure->deviation, self->unit);
  /* Translators: mean ± standard deviation of a value, and of how many runs. */
  return g_strdup_printf (_ ("%s, n %u"), both, measure->n);
}

char *
sluice_chart_format_x (SluiceChart *self, const SluiceSeriesSample *sample)
{
  g_autofree char *number = NULL;

  if (self->axis == SLUICE_X_RELATIVE)
    return sluice_format_value (sample->x, SLUICE_UNIT_SECONDS);
  if (self->axis == SLUICE_X_WALL)
    return sluice_format_value (sample->x, SLUICE_UNIT_TIME);
  if (self->axis == SLUICE_X_SERIES)
    {
      g_autofree char *value = sluice_format_value (sample->x, self->x_unit);
      g_autofree char *step = sluice_format_step (sample->step);

      /* Translators: a tag, its value, a step. */
      return g_strdup_printf (_ ("%s %s · step %s"), self->x_name, value, step);
    }
  number = sluice_format_step (sample->step);
  return g_strdup_printf (_ ("step %s"), number);
}

char *
sluice_chart_dup_place (SluiceChart *self, double x)
{
  SluiceSeriesSample at;

  return sluice_chart_find_nearest (self, x, &at) ? sluice_chart_format_x (self, &at)
                                                  : g_strdup ("");
}

char *
sluice_chart_dup_readout (SluiceChart *self)
{
  g_autofree char *head = NULL;
  g_autoptr (GArray) values = NULL;
  GString *out;
  SluiceSeriesSample at;

  if (!sluice_chart_find_cursor (self, &at))
    return NULL;
  head = sluice_chart_dup_head (self, &at);
  out = g_string_new (head);
  values = sluice_chart_dup_values (self, at.x);
  for (guint i = 0; i < values->len; i++)
    {
      const SluiceChartValue *value = &g_array_index (values, SluiceChartValue, i);
      g_autofree char *text = NULL;

      if (!value->here)
        continue;
      text = sluice_chart_format_value (self, value);
      g_string_append_printf (out, ", %s %s", value->name, text);
    }
  return g_string_free (out, FALSE);
}
