/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"

/*
 * What a worker reads of a store for a window: all runs and series there are, and of the series
 * that are wanted what is new. A reader knows what it has read: where nobody has committed since,
 * reading again costs one question to the database, else the runs that have recorded something.
 */

/* Whether the values of a series are to be read. */
typedef struct
{
  gint64 run, series;
  gboolean wanted;
} SluiceSeriesWant;

/* What a window has to say since the reading before. */
typedef struct
{
  GArray *wants;    /* of SluiceSeriesWant: in the order in which they were said */
  GArray *unlisted; /* of gint64: runs that it took off its list */
  gboolean anew; /* what was read did not reach it: all is read again, and each series restarts */
} SluiceWorkspaceAsk;

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
  gint64 run;
  GPtrArray *events; /* of SluiceEvent: those that came; NULL once applied */
  gboolean anew;     /* all there are: some that the window has are gone */
} SluiceEventNews;

typedef struct
{
  GPtrArray *runs; /* of SluiceRunInfo: all of them, where some came or went, else those that
                      are another; NULL once applied */
  gboolean has_all_runs;
  GPtrArray *series; /* of SluiceSeriesNews */
  GPtrArray *events; /* of SluiceEventNews */
  GArray *caught_up; /* of gint64: series of which everything there was is in here */
  gboolean more;     /* there are some of which it is not */
} SluiceWorkspaceNews;

void sluice_workspace_news_free (SluiceWorkspaceNews *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceWorkspaceNews, sluice_workspace_news_free)

/* One thread at a time. */
typedef struct _SluiceWorkspaceReader SluiceWorkspaceReader;
SluiceWorkspaceReader *sluice_workspace_reader_new (SluiceStore *store);
SluiceWorkspaceReader *sluice_workspace_reader_ref (SluiceWorkspaceReader *self);
void sluice_workspace_reader_unref (SluiceWorkspaceReader *self);

/**
 * sluice_workspace_reader_read:
 *
 * Of a series that is new here only that it is there, unless a row of the runs shows its values
 * (sluice_run_row_shows()). Blocks on the disk: on a thread of its own. After a failure the next
 * call reads anew.
 */
SluiceWorkspaceNews *sluice_workspace_reader_read (SluiceWorkspaceReader *self,
                                                   const SluiceWorkspaceAsk *ask,
                                                   GError **error);
