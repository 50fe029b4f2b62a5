/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run-table.h"
#include "app/workspace.h"

/* The cells of the table of runs, as widgets. */

#define SLUICE_RUN_CURVE_TAG "loss" /* of the curves */

/* What all cells share; lives as long as they do. */
typedef struct
{
  SluiceWorkspace *workspace; /* (nullable): whose runs have the curves */
  gboolean has_scale;
  double least, greatest, last_step;                 /* of all curves */
  void (*star) (SluiceRunItem *item, gpointer data); /* the star was clicked */
  gpointer data;
} SluiceRunCells;

/* (transfer full) */
GtkListItemFactory *
sluice_run_cells_new_factory (SluiceRunCells *cells, const SluiceRunColumn *column);
/* The icon that is the state's shape. */
const char *sluice_run_cells_get_icon (SluiceRunState state);
