/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"

/* What a worker reads of a store for a window: all runs and series there are, and of the series
 * that are wanted what is new. */

/* What the window has of a series. */
typedef struct
{
  gint64 last_step; /* G_MININT64: nothing */
  gboolean wanted;
  gint64 n_points;
  guint n_segments;
} SluiceKnownSeries;

typedef struct
{
  gint64 run;
  SluiceSeriesInfo *info;
  gboolean restart; /* the series was cut back, or steps came that lie before the last one: forget
                       what is in memory */
  GArray *points;   /* of SluiceScalar; (nullable) */
  GPtrArray *items; /* records of the other kinds; (nullable) */
  guint n_applied;
} SluiceSeriesNews;

typedef struct
{
  GPtrArray *runs;    /* of SluiceRunInfo; NULL once applied */
  GPtrArray *series;  /* of SluiceSeriesNews */
  GHashTable *events; /* gint64 run -> GPtrArray */
  GArray *caught_up;  /* of gint64: series of which everything there was is in here */
  gboolean more;      /* there are some of which it is not */
} SluiceWorkspaceNews;

/**
 * sluice_workspace_news_read:
 * @known: gint64 series -> SluiceKnownSeries
 *
 * Of a series that is new here only that it is there, unless a row of the runs shows its values
 * (sluice_run_row_shows()). Blocks on the disk: on a thread of its own.
 */
SluiceWorkspaceNews *
sluice_workspace_news_read (SluiceStore *store, GHashTable *known, GError **error);
void sluice_workspace_news_free (SluiceWorkspaceNews *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceWorkspaceNews, sluice_workspace_news_free)
