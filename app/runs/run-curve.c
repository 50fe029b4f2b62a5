/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/run-curve.h"

#include <string.h>

#include "ui/chart/mean-source.h"
#include "ui/chart/sparkline.h"

#define MOST_CURVES 64 /* of a group, of which the mean is drawn */

struct _SluiceRunCurve
{
  SluiceRunCells *cells;
  GtkWidget *row;
  SluiceRunItem *item;
  char *tag;
  GPtrArray *runs;            /* of SluiceRun: whose curve is drawn, or the mean of whose curves */
  gulong listed;              /* of the workspace, as long as it does not list them all; 0: none */
  SluiceSeriesSource *source; /* (nullable) */
  GdkTexture *texture;        /* (nullable) */
  guint64 drawn_serial;
  SluiceColor drawn_color;
};

/* (nullable) (transfer full): the series that is drawn, or their mean. What is in sight is read. */
static SluiceSeriesSource *
dup_source (SluiceRunCurve *self)
{
  SluiceSeriesSource *mean = NULL;
  for (guint i = 0; i < self->runs->len; i++)
    {
      SluiceRunSeries *series = sluice_run_find_series (self->runs->pdata[i], self->tag);
      if (series == NULL)
        continue;
      if (!series->wanted)
        sluice_workspace_want (self->cells->workspace, series, TRUE);
      if (series->buffer == NULL)
        continue;
      SluiceSeriesSource *source = sluice_series_buffer_as_source (series->buffer);
      if (self->runs->len == 1)
        return sluice_series_source_ref (source);
      if (mean == NULL)
        mean = sluice_mean_source_new (SLUICE_SPREAD_DEVIATION);
      sluice_mean_source_add (mean, sluice_run_get_info (self->runs->pdata[i])->name, source);
    }
  return mean;
}

static void
points_added_cb (SluiceRunCurve *self)
{
  g_clear_pointer (&self->source, sluice_series_source_unref);
  self->source = dup_source (self);
  sluice_run_curve_renew (self);
}

static void
leave_runs (SluiceRunCurve *self)
{
  for (guint i = 0; i < self->runs->len; i++)
    g_signal_handlers_disconnect_by_data (self->runs->pdata[i], self);
  g_ptr_array_set_size (self->runs, 0);
}

/* FALSE: the workspace does not list it yet. */
static gboolean
add_run (SluiceRunCurve *self, SluiceRunItem *item)
{
  SluiceRun *run =
      sluice_workspace_dup_run (self->cells->workspace, sluice_run_item_get_entry (item)->info->id);
  if (run == NULL)
    return FALSE;
  g_ptr_array_add (self->runs, run);
  g_signal_connect_swapped (run, "points-added", G_CALLBACK (points_added_cb), self);
  return TRUE;
}

/* The table may be read before the workspace lists its runs, whose points are drawn. */
static void
find_runs (SluiceRunCurve *self)
{
  SluiceWorkspace *workspace = self->cells->workspace;
  GPtrArray *members = sluice_run_item_get_members (self->item);
  gboolean all = TRUE;
  leave_runs (self);
  for (guint i = 0; i < (members != NULL ? MIN (members->len, MOST_CURVES) : 1); i++)
    all &= add_run (self, members != NULL ? members->pdata[i] : self->item);
  if (!all && self->listed == 0)
    self->listed = g_signal_connect_swapped (workspace, "changed", G_CALLBACK (find_runs), self);
  else if (all && self->listed != 0)
    g_clear_signal_handler (&self->listed, workspace);
  points_added_cb (self);
}

SluiceRunCurve *
sluice_run_curve_new (SluiceRunCells *cells, SluiceRunItem *item, const char *tag, GtkWidget *row)
{
  SluiceRunCurve *self = g_new0 (SluiceRunCurve, 1);
  self->cells = cells;
  self->row = row;
  self->item = g_object_ref (item);
  self->tag = g_strdup (tag);
  self->runs = g_ptr_array_new_with_free_func (g_object_unref);
  if (cells->workspace != NULL)
    find_runs (self);
  return self;
}

void
sluice_run_curve_free (SluiceRunCurve *self)
{
  if (self->listed != 0)
    g_clear_signal_handler (&self->listed, self->cells->workspace);
  leave_runs (self);
  g_ptr_array_unref (self->runs);
  g_clear_pointer (&self->source, sluice_series_source_unref);
  g_clear_object (&self->texture);
  g_object_unref (self->item);
  g_free (self->tag);
  g_free (self);
}

GdkTexture *
sluice_run_curve_draw (SluiceRunCurve *self, int width, int height)
{
  const SluiceRunCells *cells = self->cells;
  int scale = gtk_widget_get_scale_factor (self->row);
  if (self->source == NULL || width < 8)
    return NULL;
  guint64 serial = sluice_series_source_get_serial (self->source);
  SluiceColor color = sluice_run_get_color (self->runs->pdata[0]);
  if (self->texture != NULL && serial == self->drawn_serial
      && memcmp (&color, &self->drawn_color, sizeof color) == 0
      && gdk_texture_get_width (self->texture) == width * scale
      && gdk_texture_get_height (self->texture) == height * scale)
    return self->texture;
  const SluiceSparklineLook look = {
    .source = self->source,
    .color = color,
    .banded = self->runs->len > 1,
    .has_scale = cells->has_scale,
    .least = cells->least,
    .greatest = cells->greatest,
    .last = cells->last_step,
  };
  g_clear_object (&self->texture);
  self->texture = sluice_sparkline_draw (&look, self->row, width, height);
  self->drawn_serial = serial;
  self->drawn_color = color;
  return self->texture;
}

void
sluice_run_curve_renew (SluiceRunCurve *self)
{
  g_clear_object (&self->texture);
  gtk_widget_queue_draw (self->row);
}
