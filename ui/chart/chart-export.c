/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart-private.h"
#include "ui/common/export.h"

typedef struct
{
  SluiceChart *chart;
  const SluiceTheme *theme;
} Drawing;

static void
draw_chart (cairo_t *cr, double width, double height, gboolean vector, gpointer data)
{
  const Drawing *drawing = data;
  SluiceChartFlags flags = SLUICE_CHART_FRAME | SLUICE_CHART_TITLE | SLUICE_CHART_LEGEND
                           | (vector ? SLUICE_CHART_VECTOR : 0);

  sluice_chart_render (drawing->chart, cr, width, height, drawing->theme, flags);
}

static gboolean
export_csv (SluiceChart *self, const char *path, GError **error)
{
  g_autoptr (SluiceChartCsv) csv = sluice_chart_csv_new (self, path, error);
  gboolean done = FALSE;

  return csv != NULL && sluice_chart_csv_write (csv, -1, &done, error);
}

gboolean
sluice_chart_export (SluiceChart *self,
                     const char *path,
                     double width,
                     double height,
                     double scale,
                     const SluiceTheme *theme,
                     GError **error)
{
  Drawing drawing = { self, theme };
  SluiceExportFormat format;
  gboolean done;

  g_return_val_if_fail (self != NULL && path != NULL && theme != NULL, FALSE);

  if (sluice_export_format_from_name (path, &format)
      && (format == SLUICE_EXPORT_CSV || format == SLUICE_EXPORT_JSON_LINES))
    return export_csv (self, path, error);
  sluice_chart_prepare (self, -1);
  done = sluice_export_named_picture (path, width, height, scale, draw_chart, &drawing, error);
  /* What is on screen was drawn for another size. */
  self->dirty = TRUE;
  return done;
}
