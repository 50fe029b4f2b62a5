/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run-cells.h"

/* The curve in a row: of a run, or the mean of a group's. */
typedef struct _SluiceRunCurve SluiceRunCurve;

/* @tag: of the result; @row: is drawn anew when there are other points; it outlives the curve. */
SluiceRunCurve *
sluice_run_curve_new (SluiceRunCells *cells, SluiceRunItem *item, const char *tag, GtkWidget *row);
void sluice_run_curve_free (SluiceRunCurve *self);
/* (transfer none) (nullable): as long as there are no points there is none. */
GdkTexture *sluice_run_curve_draw (SluiceRunCurve *self, int width, int height);
/* The scale of all curves, or the style, is another one. */
void sluice_run_curve_renew (SluiceRunCurve *self);
