/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/blobs.h"
#include "engine/store/column.h"
#include "engine/store/json-text.h"
#include "engine/store/migrate.h"
#include "engine/store/store-private.h"
#include "engine/store/summary-value.h"

/*
 * An entry of the table of kinds. What is marked (nullable) has the default of kinds whose records
 * are rows of `table`: (id, series, step, wall, ...), one a step.
 */
struct _SluiceKind
{
  SluiceSeriesKind number;
  const char *name;                  /* "pr-curve" */
  const SluiceMigration *migrations; /* its tables and views, by version; ends with version 0 */
  const char *table;                 /* (nullable): no such table, and functions of its own */
  const char *columns;               /* of it, as read() takes them */
  gboolean has_blobs;                /* column hash of the table names a row of blobs */
  const char *list; /* (nullable): SELECT id, run, tag, kind, n, first step, last step, segments,
                       last value, last wall of series of run ?1. Where ?2 is 0 n may be 1 in place
                       of what takes longer the more there is, and events are left out */
  const char *truncate; /* (nullable): deletes what run ?1 has after step ?2 */
  const char *view;     /* (nullable): the name of its view, */
  const char *our_view; /* (nullable): and a SELECT in its place where our functions are at hand */

  /* Adds it, or replaces what the series has of that step (series: of an event, its run).
   * (nullable): points go their own way */
  gboolean (*write) (sqlite3 *db, gint64 series, const SluiceRecord *record, GError **error);
  /* From column `at` on; step and wall are set by the caller. */
  SluiceRecord *(*read) (sqlite3_stmt *row, int at, GError **error);
  gboolean (*each) (sqlite3 *db,
                    const SluiceSeriesInfo *series,
                    const SluiceStepRange *range,
                    SluiceRecordFunc func,
                    gpointer data,
                    GError **error);                                            /* (nullable) */
  gboolean (*cut) (sqlite3 *db, gint64 run, gint64 after_step, GError **error); /* (nullable) */

  void (*free) (SluiceRecord *record);            /* what it holds, not itself (nullable) */
  gsize (*get_size) (const SluiceRecord *record); /* (nullable): of nothing but itself */
  gsize record_size;                              /* of the struct */
  char *(*dup_json) (const SluiceRecord *record);
  void (*put_event) (const SluiceRecord *record, const SluiceEventOut *out);
  /* (nullable): samples of one step, as the tensor of the plugin that they were taken from */
  void (*put_samples) (const SluiceRecord *const *records, guint n, const SluiceEventOut *out);
  const char *samples_plugin; /* (nullable): its name */
  /* (nullable) */
  SluiceValueResult (*take_value) (const SluiceValueIn *in, GError **error);
  gboolean takes_the_rest; /* what no other kind wants of values */
  gboolean is_of_the_run;  /* not of a step: a restart of an imported run takes none of it back */
};

/*
 * Version 3: what a series has in the order in which it came. A step that does not go on from the
 * one before, of an imported log, begins a segment; what Sluice logs itself is segment 0.
 */
#define SLUICE_SEGMENT_STEPS(table, step)                                                          \
  { 3, "ALTER TABLE " table " ADD COLUMN segment INTEGER NOT NULL DEFAULT 0;" },                   \
      { 3, "DROP INDEX " table "_by_step;" },                                                      \
  {                                                                                                \
    3, "CREATE UNIQUE INDEX " table "_by_step ON " table " (series, " step ", segment);"           \
  }

#define SLUICE_KIND_DECLARE(NAME, name, number) extern const SluiceKind sluice_kind_##name;
SLUICE_KINDS (SLUICE_KIND_DECLARE)
#undef SLUICE_KIND_DECLARE

/* Calls func with each entry until it returns FALSE. */
#define SLUICE_EACH_KIND(kind)                                                                     \
  for (guint kind##_at = 0; (kind = sluice_kind_nth (kind##_at)) != NULL; kind##_at++)
const SluiceKind *sluice_kind_nth (guint n); /* (nullable): past the last one */

/* A zeroed struct of the kind with step and wall. */
gpointer sluice_record_new (const SluiceKind *kind, gint64 step, double wall);

/* A row of step, wall and the kind's columns. (transfer full) */
SluiceRecord *sluice_kind_read_row (const SluiceKind *kind, sqlite3_stmt *row, GError **error);
/* Calls func with each of such rows, and finalises the statement; row: (nullable): error is set. */
gboolean sluice_kind_each_in (const SluiceKind *kind,
                              sqlite3 *db,
                              sqlite3_stmt *take_row,
                              SluiceRecordFunc func,
                              gpointer data,
                              GError **error);
/* Reads what the kind's table has of a series, by its columns and read(). */
gboolean sluice_kind_each_row (const SluiceKind *kind,
                               sqlite3 *db,
                               const SluiceSeriesInfo *series,
                               const SluiceStepRange *range,
                               SluiceRecordFunc func,
                               gpointer data,
                               GError **error);
