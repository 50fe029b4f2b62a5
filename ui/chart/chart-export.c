/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart-private.h"
#include "ui/chart/export.h"

#include <string.h>

typedef struct
{
  SluiceChart *chart;
  const SluiceChartTheme *theme;
} Drawing;

static void
draw_chart (cairo_t *cr, double width, double height, gboolean vector, gpointer data)
{
  const Drawing *drawing = data;
  SluiceChartFlags flags = SLUICE_CHART_FRAME | SLUICE_CHART_TITLE | SLUICE_CHART_LEGEND
                           | (vector ? SLUICE_CHART_VECTOR : 0);

  sluice_chart_render (drawing->chart, cr, width, height, drawing->theme, flags);
}

/* RFC 4180: quoted where needed, quotes doubled. */
static void
append_field (GString *out, const char *field)
{
  if (strpbrk (field, ",\"\r\n") == NULL)
    {
      g_string_append (out, field);
      return;
    }
  g_string_append_c (out, '"');
  for (const char *p = field; *p != '\0'; p++)
    {
      if (*p == '"')
        g_string_append_c (out, '"');
      g_string_append_c (out, *p);
    }
  g_string_append_c (out, '"');
}

static void
append_number (GString *out, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_c (out, ',');
  g_string_append (out, g_ascii_dtostr (buffer, sizeof buffer, value));
}

static void
append_series (GString *out, const SluiceChartSeries *series, gboolean smoothed)
{
  SluiceSeriesSample samples[256];
  guint64 first = 0;
  guint n;

  while ((n = sluice_series_source_read_samples (series->source, SLUICE_X_WALL, first,
                                                 G_N_ELEMENTS (samples), samples))
         > 0)
    {
      for (guint i = 0; i < n; i++)
        {
          append_field (out, series->name);
          g_string_append_printf (out, ",%" G_GINT64_FORMAT, samples[i].step);
          append_number (out, samples[i].wall);
          append_number (out, samples[i].value);
          if (smoothed)
            append_number (out, samples[i].smoothed);
          g_string_append (out, "\n");
        }
      first += n;
    }
}

static gboolean
export_csv (SluiceChart *self, const char *path, GError **error)
{
  g_autoptr (GString) out = g_string_new (NULL);
  gboolean smoothed = self->smoothing > 0;

  g_string_append (out,
                   smoothed ? "run,step,wall_time,value,smoothed\n" : "run,step,wall_time,value\n");
  for (guint i = 0; i < self->series->len; i++)
    {
      const SluiceChartSeries *series = g_ptr_array_index (self->series, i);

      if (series->visible)
        append_series (out, series, smoothed);
    }
  return g_file_set_contents (path, out->str, (gssize) out->len, error);
}

gboolean
sluice_chart_export (SluiceChart *self,
                     const char *path,
                     double width,
                     double height,
                     double scale,
                     const SluiceChartTheme *theme,
                     GError **error)
{
  Drawing drawing = { self, theme };
  gboolean done;

  g_return_val_if_fail (self != NULL && path != NULL && theme != NULL, FALSE);

  sluice_chart_prepare (self, -1);
  if (g_str_has_suffix (path, ".csv"))
    return export_csv (self, path, error);
  done = sluice_export_picture (path, width, height, scale, draw_chart, &drawing, error);
  /* What is on screen was drawn for another size. */
  self->dirty = TRUE;
  return done;
}
