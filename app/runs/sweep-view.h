/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/train/importance.h"

/*
 * Runs of a sweep, or others that were chosen: their settings and a result as parallel
 * coordinates, and how much each setting decides. Signal: run-chosen (int64), when a line is
 * pressed, or Return while it is marked.
 */
#define SLUICE_TYPE_SWEEP_VIEW (sluice_sweep_view_get_type ())
G_DECLARE_FINAL_TYPE (SluiceSweepView, sluice_sweep_view, SLUICE, SWEEP_VIEW, GtkWidget)

GtkWidget *sluice_sweep_view_new (void);

/**
 * sluice_sweep_view_show:
 * @entries: (element-type SluiceRunEntry): copied as far as needed
 * @result: (nullable): a tag; the one that tells most
 *
 * FALSE: there is nothing to see, as no setting differs, or none of them has a result.
 */
gboolean sluice_sweep_view_show (SluiceSweepView *self, GPtrArray *entries, const char *result);

/* (transfer full): all that it says. */
char *sluice_sweep_view_dup_text (SluiceSweepView *self);
