/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#define REACH       5.0 /* pixels from a mark that still mean it */
#define MOST_LINES  8
#define MOST_SPOKEN 5

double
sluice_chart_event_x (const SluiceChart *self, const SluiceChartEvent *event)
{
  const SluiceChartSeries *series = sluice_chart_find_series (self, event->series);
  SluiceExtent extent;
  double wall;

  if (series == NULL || !series->visible || self->axis == SLUICE_X_SERIES)
    return NAN;
  sluice_series_source_get_extent (series->source, SLUICE_X_WALL, &extent);
  if (extent.n_points == 0) /* of a run that has nothing here there is no mark */
    return NAN;
  if (self->axis == SLUICE_X_STEP)
    return (double) event->step;
  /* What happened before the first point or after the last stands there. */
  wall = fmin (fmax (event->wall, extent.x0), extent.x1);
  return self->axis == SLUICE_X_WALL
             ? wall
             : sluice_pauses_get_active (sluice_series_source_get_pauses (series->source),
                                         extent.x0, wall);
}

/* "failed: NaN in fc1", "checkpoint" */
static void
append_event (GString *out, const SluiceChartEvent *event)
{
  g_string_append (out, event->word);
  if (event->detail != NULL && *event->detail != '\0')
    g_string_append_printf (out, ": %s", event->detail);
}

static gboolean
is_near (const SluiceChart *self, const SluiceChartEvent *event, double px)
{
  return fabs (sluice_scale_to_pixel (&self->x_scale, sluice_chart_event_x (self, event)) - px)
         <= REACH;
}

char *
sluice_chart_dup_events_at (SluiceChart *self, double px)
{
  g_autoptr (GString) out = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < self->events->len; i++)
    {
      const SluiceChartEvent *event = g_ptr_array_index (self->events, i);
      g_autofree char *step = sluice_format_step (event->step);

      if (!is_near (self, event, px) || n++ >= MOST_LINES)
        continue;
      g_string_append (out, out->len > 0 ? "\n" : "");
      /* Translators: a run, a step; what happened to it there follows. */
      g_string_append_printf (out, _ ("%s · step %s · "),
                              sluice_chart_find_series (self, event->series)->name, step);
      append_event (out, event);
    }
  if (n > MOST_LINES)
    g_string_append_printf (out, _ ("\nand %u more"), n - MOST_LINES);
  return n > 0 ? g_strdup (out->str) : NULL;
}

char *
sluice_chart_dup_head (SluiceChart *self, const SluiceSeriesSample *at)
{
  g_autofree char *place = sluice_chart_format_x (self, at);
  g_autoptr (GString) out = g_string_new (place);
  double px = sluice_scale_to_pixel (&self->x_scale, at->x);

  for (guint i = 0; i < self->events->len; i++)
    {
      const SluiceChartEvent *event = g_ptr_array_index (self->events, i);

      /* The same of several runs is said once. */
      if (!is_near (self, event, px) || strstr (out->str, event->word) != NULL)
        continue;
      g_string_append_printf (out, " · %s", event->word);
    }
  return g_strdup (out->str);
}

void
sluice_chart_move_to_event (SluiceChart *self, int direction)
{
  double from = self->cursor;
  double best = INFINITY;
  double x0;
  double x1;

  g_return_if_fail (direction == 1 || direction == -1);

  sluice_chart_get_view (self, &x0, &x1);
  if (isnan (from))
    from = direction > 0 ? -INFINITY : INFINITY;
  for (guint i = 0; i < self->events->len; i++)
    {
      double x = sluice_chart_event_x (self, g_ptr_array_index (self->events, i));

      if (x >= x0 && x <= x1 && (x - from) * direction > 0 && x * direction < best)
        best = x * direction;
    }
  if (isfinite (best))
    sluice_chart_set_cursor (self, best * direction);
}

void
sluice_chart_append_events (const SluiceChart *self, GString *out)
{
  guint n = 0;

  for (guint i = 0; i < self->events->len; i++)
    {
      const SluiceChartEvent *event = g_ptr_array_index (self->events, i);
      const SluiceChartSeries *series = sluice_chart_find_series (self, event->series);
      g_autofree char *step = sluice_format_step (event->step);

      if (event->kind == SLUICE_EVENT_QUIET || isnan (sluice_chart_event_x (self, event))
          || n++ >= MOST_SPOKEN)
        continue;
      /* Translators: a run, a step; what happened to it there follows. */
      g_string_append_printf (out, _ ("; %s at step %s: "), series->name, step);
      append_event (out, event);
    }
}
