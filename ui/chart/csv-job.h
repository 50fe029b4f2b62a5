/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/chart.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Every point of a chart on its way into a file, a part between two frames. */
typedef struct _SluiceCsvJob SluiceCsvJob;

/**
 * sluice_csv_job_new:
 * @card: emits exported (path) or export-failed (message) when the job ends; it must free the job
 *   before it is gone
 *
 * Returns: (transfer full): the job, under way.
 */
SluiceCsvJob *sluice_csv_job_new (GtkWidget *card, SluiceChart *chart, const char *path);

/** sluice_csv_job_free: ends it; a file that is not whole is removed. */
void sluice_csv_job_free (SluiceCsvJob *self);

G_END_DECLS
