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

const SluiceRunEntry *sluice_run_item_get_entry (SluiceRunItem *self);

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

GListModel *sluice_run_table_get_rows (SluiceRunTable *self); /* of SluiceRunItem: as shown */
guint sluice_run_table_get_n_runs (SluiceRunTable *self);     /* of all */
/* (nullable) (transfer none): also one that the filter leaves out. */
SluiceRunItem *sluice_run_table_find (SluiceRunTable *self, gint64 run);
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

/* (transfer full): of all tags that runs of the table have: sorted. */
GStrv sluice_run_table_dup_tags (SluiceRunTable *self);
/* On what scale all curves of a scalar are drawn: values that nearly all runs stay in, and the last
 * step of all. FALSE: none has any. */
gboolean sluice_run_table_get_scale (
    SluiceRunTable *self, const char *tag, double *least, double *greatest, double *last_step);
