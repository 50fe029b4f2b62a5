/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/page.h"

/* The queue as bars on one axis of time: what is under way, what waits, and where what is being
 * written would stand. Its order is changed by dragging and by keys. */
#define SLUICE_TYPE_QUEUE_VIEW (sluice_queue_view_get_type ())
G_DECLARE_FINAL_TYPE (SluiceQueueView, sluice_queue_view, SLUICE, QUEUE_VIEW, GtkBox)

GtkWidget *sluice_queue_view_new (const SluicePageContext *context);
/* device: (nullable): where they are to stand; n_runs: 0: there is none; n_steps: of all together;
 * step_seconds: NAN: what the project's other runs took. */
void sluice_queue_view_set_draft (SluiceQueueView *self,
                                  const char *name,
                                  const char *project,
                                  const char *device,
                                  guint n_runs,
                                  gint64 n_steps,
                                  double step_seconds,
                                  double step_spread);
/* What the workspace has told is shown. */
gboolean sluice_queue_view_is_idle (SluiceQueueView *self);
