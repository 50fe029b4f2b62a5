/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/runs/run-view.h"

/* run-view.c (the rows and their titles), run-view-fit.c (how wide the columns are),
 * run-view-drag.c (mirrored: their edges are dragged). */

/* Pixels: no column that somebody resizes is narrower, or wider. */
#define SLUICE_RUN_VIEW_LEAST 24
#define SLUICE_RUN_VIEW_MOST  2000

struct _SluiceRunView
{
  GtkWidget parent;
  /* The titles are a column view without rows: each of its rows would have a widget for each
   * column, and all of them a new style whenever they come into sight. */
  GtkWidget *titles, *scroller; /* which scroll sideways together */
  GtkColumnView *view;
  GtkListView *rows;
  GtkSelectionModel *selection;
  SluiceRunTable *table;
  SluiceRunCells *cells;
  GHashTable *chosen;           /* id -> GINT_TO_POINTER (gboolean): shown or hidden by somebody */
  GHashTable *widths;           /* id -> GINT_TO_POINTER (pixels), of those that somebody resized */
  GPtrArray *order;             /* of ids, as somebody dragged them */
  GStrv built;                  /* (nullable): ids, as they stood before anybody did */
  GObject *probes[2];           /* which column is sorted by is asked for with these */
  const char *probed;           /* (nullable): id of the column that was asked first */
  guint fit_source;             /* 0: the columns have been fitted to the room there is */
  guint rest_source;            /* 0: assistive technology has been told of the rows in sight */
  double from_start;            /* how far the columns are scrolled from where reading begins */
  GtkColumnViewColumn *resized; /* (nullable): whose edge is being dragged, mirrored */
  int resized_from;             /* its width before */
  gboolean building, fitting;
};

/* run-view.c: of the column of the table that it shows */
const char *sluice_run_view_get_id (GtkColumnViewColumn *column);

/* run-view-fit.c */
/* As wide as what stands in it by rule, and as its title, with the arrow of a sorted column beside
 * it, within reason. */
int sluice_run_view_choose_width (SluiceRunView *self, const SluiceRunColumn *column);
/* Columns become narrower and what tells least is left out, where all that stands in the table by
 * itself would not be in sight; there remains to scroll what somebody has added. */
void sluice_run_view_fit (SluiceRunView *self);

/* run-view-drag.c */
void sluice_run_view_init_drag (SluiceRunView *self);
