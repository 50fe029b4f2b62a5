/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run-paint.h"
#include "app/runs/run-table.h"
#include "app/workspace.h"

/* What the cells of the table of runs are made of. */

/* A column where it stands in each row. */
typedef struct
{
  SluiceRunColumn *column; /* its own copy */
  int width;               /* pixels */
  gboolean expands;        /* what room there is left is its, too */
} SluiceRunPlace;

/* What all rows share (app/runs/run-line.h); lives as long as they do. */
typedef struct
{
  SluiceWorkspace *workspace; /* (nullable): whose runs have the curves */
  SluiceRunPaint *paint;
  GHashTable *lines; /* a set of SluiceRunLine: the rows that there are */
  GArray *places;    /* of SluiceRunPlace, from where reading begins */
  gboolean has_scale;
  double least, greatest, last_step;                   /* of all curves */
  void (*star) (SluiceRunItem *item, gpointer data);   /* the star was clicked */
  void (*toggle) (SluiceRunItem *item, gpointer data); /* the arrow of a group was */
  gpointer data;
} SluiceRunCells;

/* @view: whose style they are drawn in. */
void sluice_run_cells_init (SluiceRunCells *cells, GtkWidget *view);
void sluice_run_cells_clear (SluiceRunCells *cells);
/* (transfer none): to be filled; sluice_run_lines_place() then. */
GArray *sluice_run_cells_empty_places (SluiceRunCells *cells);
/* The icon that is the state's shape, its class of style, and its colour. */
const char *sluice_run_cells_get_icon (SluiceRunState state);
const char *sluice_run_cells_get_style (SluiceRunState state);
SluiceRunInk sluice_run_cells_get_ink (SluiceRunState state);
/* (transfer floating): a tag as the table has it. */
GtkWidget *sluice_run_cells_new_pill (const char *tag, const char *words);
void sluice_run_cells_set_pill (GtkWidget *pill, const char *words);
guint sluice_run_cells_get_hue (const char *tag);
