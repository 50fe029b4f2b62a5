/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/runs.h"

/* What a column of the table of runs says of a run, in words and for sorting. No GTK. */
typedef enum
{
  SLUICE_RUN_COLUMN_STAR,
  SLUICE_RUN_COLUMN_NAME,
  SLUICE_RUN_COLUMN_STATE,
  SLUICE_RUN_COLUMN_CURVE,
  SLUICE_RUN_COLUMN_BEST,      /* of a result, and so are the next three */
  SLUICE_RUN_COLUMN_BEST_STEP, /* at which step it was the best */
  SLUICE_RUN_COLUMN_FIRST,
  SLUICE_RUN_COLUMN_LAST,
  SLUICE_RUN_COLUMN_SETTING,
  SLUICE_RUN_COLUMN_DURATION,
  SLUICE_RUN_COLUMN_TAGS,
  SLUICE_RUN_COLUMN_STARTED,
  SLUICE_RUN_COLUMN_STEP,
  SLUICE_RUN_COLUMN_SEED,
  SLUICE_RUN_COLUMN_GROUP,
  SLUICE_RUN_COLUMN_PROJECT,
  SLUICE_RUN_COLUMN_NOTES,
  SLUICE_N_RUN_COLUMNS,
} SluiceRunColumnKind;

typedef struct
{
  SluiceRunColumnKind kind;
  char *name; /* (nullable): of the setting or the result */
  char *id;   /* "best:evaluate/accuracy": by it the choice of columns is remembered */
  char *title;
  gboolean is_number;    /* at the right, in figures of one width */
  gboolean is_by_itself; /* shown unless somebody has hidden it */
} SluiceRunColumn;
/* What curves are of, where nothing else is said. */
#define SLUICE_RUN_CURVE_TAG "loss"

/* Is it of a result? */
gboolean sluice_run_column_is_result (SluiceRunColumnKind kind);
SluiceRunColumn *sluice_run_column_copy (const SluiceRunColumn *self);
void sluice_run_column_free (SluiceRunColumn *self);

/**
 * sluice_run_columns_new:
 * @entries: (element-type SluiceRunEntry)
 *
 * (transfer full) (element-type SluiceRunColumn): all that there are for these runs, in the order
 * in which they stand by themselves. By themselves those settings are shown that differ, and the
 * results that tell most.
 */
GPtrArray *sluice_run_columns_new (GPtrArray *entries);
/* Says of which result the curves are. */
void sluice_run_columns_set_curve (GPtrArray *columns, const char *tag);
/* Have both the same columns? */
gboolean sluice_run_columns_equal (GPtrArray *a, GPtrArray *b);

/* (transfer full): what stands in the cell; "" where there is nothing to say. */
char *sluice_run_column_dup_text (const SluiceRunColumn *self, const SluiceRunEntry *entry);
/* (transfer full) (nullable): dim, behind it: of the state how far it came. */
char *sluice_run_column_dup_detail (const SluiceRunColumn *self, const SluiceRunEntry *entry);
/* FALSE: there is none; it may still have words. */
gboolean sluice_run_column_get_number (const SluiceRunColumn *self,
                                       const SluiceRunEntry *entry,
                                       double *number);

/* By what a run stands where it does, when the table is sorted by a column; borrowed of the run. */
typedef struct
{
  const char *text; /* (nullable) */
  double number;    /* NaN: it has none */
  gboolean has;     /* any of both */
} SluiceRunKey;

SluiceRunKey sluice_run_column_get_key (const SluiceRunColumn *self, const SluiceRunEntry *entry);
/* Runs without a value come last whichever way round, NaN before them. */
int sluice_run_key_compare (const SluiceRunKey *a, const SluiceRunKey *b, gboolean descending);
