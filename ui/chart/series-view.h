/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/series-summary.h"

G_BEGIN_DECLS

/* The columns of a range while they are put together, node by node from left to right. */
typedef struct
{
  const SluiceSummary *summary;
  SluiceXAxis axis;
  double x0, x1;
  guint n_columns;
  SluiceColumn *columns;
  SluiceEdges *edges;
  guint64 points_left; /* that may still be read from where they lie */
  guint at;            /* the column that is being filled; its mean is a sum until the end */
  guint node;          /* the next one */
  gboolean inexact;    /* a node that lies in several columns went whole into one */
} SluiceSeriesView;

/* Everything but points_left and node 0 .. at are set by the caller. */
void sluice_series_view_start (SluiceSeriesView *self);
/* Adds a node. FALSE: that was all of them, and the columns are whole. */
gboolean sluice_series_view_step (SluiceSeriesView *self);

/* The first node whose last x is at least @x, or n_nodes. */
guint sluice_series_view_find_node (const SluiceSummary *summary, SluiceXAxis axis, double x);

G_END_DECLS
