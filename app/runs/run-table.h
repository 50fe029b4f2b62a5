/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

#include "app/runs/run-column.h"
#include "engine/store/run-filter.h"

/* A run in the table. It stays the same object as long as the run is listed. Signal: changed, when
 * what is said of it is something else. */
#define SLUICE_TYPE_RUN_ITEM (sluice_run_item_get_type ())
G_DECLARE_FINAL_TYPE (SluiceRunItem, sluice_run_item, SLUICE, RUN_ITEM, GObject)

/* Of a group: as if it was a run (app/runs/run-group.h). */
const SluiceRunEntry *sluice_run_item_get_entry (SluiceRunItem *self);
/* (nullable) (transfer none) (element-type SluiceRunItem): of a group, oldest first; NULL of a run.
 */
GPtrArray *sluice_run_item_get_members (SluiceRunItem *self);
gboolean sluice_run_item_get_open (SluiceRunItem *self);  /* are a group's members rows below it? */
gboolean sluice_run_item_is_member (SluiceRunItem *self); /* it stands below its group */
/* (transfer full): what stands in the cell of a column; of a group "0.987 ± 0.001". */
char *sluice_run_item_dup_text (SluiceRunItem *self, const SluiceRunColumn *column);
/* (transfer full) (nullable): dim, behind it; of a group's state "3 of 5" that have finished. */
char *sluice_run_item_dup_detail (SluiceRunItem *self, const SluiceRunColumn *column);

typedef enum
{
  SLUICE_RUN_TABLE_LOADING,
  SLUICE_RUN_TABLE_READY,
  SLUICE_RUN_TABLE_FAILED,
} SluiceRunTableState;

/*
 * All runs of a workspace, or those in its trash, with settings and results: read by a worker,
 * taken over in slices of 2 ms, filtered and sorted here. Main thread only. Signals: changed, when
 * it was read anew, or shows others; columns-changed, before that, when there are other columns.
 */
#define SLUICE_TYPE_RUN_TABLE (sluice_run_table_get_type ())
G_DECLARE_FINAL_TYPE (SluiceRunTable, sluice_run_table, SLUICE, RUN_TABLE, GObject)

SluiceRunTable *sluice_run_table_new (void);

/* Reads it all, and once more where it was asked for while it was being read. */
void sluice_run_table_read (SluiceRunTable *self, SluiceStore *store);
/* The runs in the trash instead of the others, once they are read. */
void sluice_run_table_set_trash (SluiceRunTable *self, gboolean trash);
gboolean sluice_run_table_get_trash (SluiceRunTable *self);
gboolean sluice_run_table_is_reading (SluiceRunTable *self);
SluiceRunTableState sluice_run_table_get_state (SluiceRunTable *self);
const char *sluice_run_table_get_failure (SluiceRunTable *self); /* (nullable) */

GListModel *
sluice_run_table_get_rows (SluiceRunTable *self); /* of SluiceRunItem: as shown, groups too */
guint sluice_run_table_get_n_runs (SluiceRunTable *self); /* of all */
/* (nullable) (transfer none): also one that the filter leaves out. */
SluiceRunItem *sluice_run_table_find (SluiceRunTable *self, gint64 run);
/* (transfer full) (element-type SluiceRunItem): all that are of it, newest first. */
GPtrArray *sluice_run_table_dup_group (SluiceRunTable *self, const char *group);
/* (element-type SluiceRunColumn) (transfer none) */
GPtrArray *sluice_run_table_get_columns (SluiceRunTable *self);
const SluiceRunColumn *
sluice_run_table_find_column (SluiceRunTable *self, const char *id); /* (nullable) */

/* FALSE: what is wrong with the text is in error, and the filter stays as it was. */
gboolean sluice_run_table_set_filter (SluiceRunTable *self, const char *text, GError **error);
/* column: (nullable): its id; newest first. It may be one that is not there yet. Runs that have no
 * value are last whichever way round. */
void sluice_run_table_set_sort (SluiceRunTable *self, const char *column, gboolean descending);
const char *sluice_run_table_get_sort (SluiceRunTable *self, gboolean *descending);

/* ---- which are shown ---- */

#define SLUICE_RUN_VIEW_ALL     "all"
#define SLUICE_RUN_VIEW_STARRED "starred"

/* Beside the filter: SLUICE_RUN_VIEW_ALL, SLUICE_RUN_VIEW_STARRED, or the name of a state. */
void sluice_run_table_set_view (SluiceRunTable *self, const char *view);
const char *sluice_run_table_get_view (SluiceRunTable *self);
/* Only runs that have the tag, and all others that are wanted. */
void sluice_run_table_set_tag_wanted (SluiceRunTable *self, const char *tag, gboolean wanted);
gboolean sluice_run_table_get_tag_wanted (SluiceRunTable *self, const char *tag);

typedef struct
{
  char *tag;
  guint n;
} SluiceRunTagCount;

/* Of all runs outside the trash, when they were read last. */
typedef struct
{
  guint64 version; /* another one as soon as anything of the runs is */
  guint n, n_starred;
  guint n_of_state[SLUICE_RUN_WAITING + 1];
  GPtrArray *tags; /* of SluiceRunTagCount, by tag */
} SluiceRunCounts;
const SluiceRunCounts *sluice_run_table_get_counts (SluiceRunTable *self);
/* That filter, view and tags let through. */
guint sluice_run_table_get_n_found (SluiceRunTable *self);
/* That others would let through; G_MAXUINT: not known, as the filter is none, or the trash is
 * shown. tags: (array zero-terminated=1) */
guint sluice_run_table_count_found (SluiceRunTable *self,
                                    const char *filter,
                                    const char *view,
                                    const char *const *tags);

/* ---- groups ---- */

/* by: (nullable): of app/runs/run-group.h; NULL: each run by itself. Two runs at least make a
 * group; the trash has none. */
void sluice_run_table_set_group_by (SluiceRunTable *self, const char *by);
const char *sluice_run_table_get_group_by (SluiceRunTable *self);
void sluice_run_table_set_open (SluiceRunTable *self, SluiceRunItem *group, gboolean open);

/* ---- what all have in common ---- */

/* Of which result the curves are; SLUICE_RUN_CURVE_TAG unless somebody says otherwise. */
void sluice_run_table_set_curve (SluiceRunTable *self, const char *tag);
const char *sluice_run_table_get_curve (SluiceRunTable *self);
/* (transfer full): of all tags that runs of the table have: sorted. */
GStrv sluice_run_table_dup_tags (SluiceRunTable *self);
/* On what scale all curves of a scalar are drawn: values that nearly all runs stay in, and a step
 * that nearly all end before. FALSE: none has any. */
gboolean sluice_run_table_get_scale (
    SluiceRunTable *self, const char *tag, double *least, double *greatest, double *last_step);
