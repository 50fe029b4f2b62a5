/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run-table.h"
#include "app/workspace.h"

/* The cells of the table of runs, as widgets. */

/* What all cells share; lives as long as they do. */
typedef struct
{
  SluiceWorkspace *workspace; /* (nullable): whose runs have the curves */
  GHashTable *curves;         /* (nullable): a set of the cells that draw them */
  gboolean has_scale;
  double least, greatest, last_step;                   /* of all curves */
  void (*star) (SluiceRunItem *item, gpointer data);   /* the star was clicked */
  void (*toggle) (SluiceRunItem *item, gpointer data); /* the arrow of a group was */
  gpointer data;
} SluiceRunCells;

/* (transfer full) */
GtkListItemFactory *
sluice_run_cells_new_factory (SluiceRunCells *cells, const SluiceRunColumn *column);
/* Curves that are drawn already follow. */
void
sluice_run_cells_set_scale (SluiceRunCells *cells, double least, double greatest, double last_step);
/* The icon that is the state's shape, and its class of style. */
const char *sluice_run_cells_get_icon (SluiceRunState state);
const char *sluice_run_cells_get_style (SluiceRunState state);
/* (nullable) (transfer none): what the row is of that has the focus, or has in it what does. */
SluiceRunItem *sluice_run_cells_get_item_of (GtkWidget *focus);
/* (transfer floating): a tag as the table has it. */
GtkWidget *sluice_run_cells_new_pill (const char *tag, const char *words);
void sluice_run_cells_set_pill (GtkWidget *pill, const char *words);
