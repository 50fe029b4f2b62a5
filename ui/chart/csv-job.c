/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/csv-job.h"

#define BUDGET_US 3000 /* of the 8 ms that the main loop may be busy at a time */

struct _SluiceCsvJob
{
  GtkWidget *card; /* not owned: it owns the job */
  SluiceChartCsv *csv;
  char *path;
  GError *error; /* why it could not start */
  guint source_id;
};

static gboolean
write_part_cb (gpointer data)
{
  SluiceCsvJob *self = data;
  g_autoptr (GError) error = g_steal_pointer (&self->error);
  gboolean done = FALSE;

  if (self->csv != NULL && sluice_chart_csv_write (self->csv, BUDGET_US, &done, &error) && !done)
    return G_SOURCE_CONTINUE;
  self->source_id = 0;
  g_clear_pointer (&self->csv, sluice_chart_csv_free);
  if (done)
    g_signal_emit_by_name (self->card, "exported", self->path);
  else
    g_signal_emit_by_name (self->card, "export-failed", error->message);
  return G_SOURCE_REMOVE;
}

SluiceCsvJob *
sluice_csv_job_new (GtkWidget *card, SluiceChart *chart, const char *path)
{
  SluiceCsvJob *self = g_new0 (SluiceCsvJob, 1);

  self->card = card;
  self->path = g_strdup (path);
  self->csv = sluice_chart_csv_new (chart, path, &self->error);
  self->source_id = g_idle_add (write_part_cb, self);
  return self;
}

void
sluice_csv_job_free (SluiceCsvJob *self)
{
  if (self == NULL)
    return;
  g_clear_handle_id (&self->source_id, g_source_remove);
  g_clear_pointer (&self->csv, sluice_chart_csv_free);
  g_clear_error (&self->error);
  g_free (self->path);
  g_free (self);
}
