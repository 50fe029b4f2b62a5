/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/kinds/hparams.h"
#include "engine/store/store.h"

/* What people say of runs, and the table of all of them: what each was begun with, and how it came
 * out. */

/* ---- what people say ---- */

#define SLUICE_RUN_MAX_NOTES ((gsize) 16 << 20) /* bytes */

/* ALREADY_EXISTS: another run has the name, if only in the trash. Its folder is told by
 * sluice_run_rename() (engine/train/run-file.h). */
gboolean
sluice_store_set_run_name (SluiceStore *self, gint64 run, const char *name, GError **error);
/* notes: (nullable): Markdown; none. RESOURCE_EXHAUSTED beyond SLUICE_RUN_MAX_NOTES. */
gboolean
sluice_store_set_run_notes (SluiceStore *self, gint64 run, const char *notes, GError **error);
/* group: (nullable): none */
gboolean
sluice_store_set_run_group (SluiceStore *self, gint64 run, const char *group, GError **error);
gboolean
sluice_store_set_run_starred (SluiceStore *self, gint64 run, gboolean is_starred, GError **error);
/* color: "#3584e4"; NULL: that of its number */
gboolean
sluice_store_set_run_color (SluiceStore *self, gint64 run, const char *color, GError **error);
/* What a draft is to become: n_steps, message, parent and parent_step of @info. Of a run that is no
 * draft any more nothing changes. */
gboolean sluice_store_plan_draft (SluiceStore *self, const SluiceRunInfo *info, GError **error);
/* One that it has, or lacks, already is no error. */
gboolean sluice_store_set_run_tag (
    SluiceStore *self, gint64 run, const char *tag, gboolean has_it, GError **error);

/* ---- the table ---- */

/* How a series of scalars went. Steps and values of the finite points alone, but for first and
 * last, which are of any. */
typedef struct
{
  char *tag;
  gint64 n, n_nonfinite;
  double first, last, min, max; /* min and max: NAN where no value is finite */
  gint64 first_step, last_step, min_step, max_step;
} SluiceRunResult;

/* Which value of a series is the better one. */
typedef enum
{
  SLUICE_BEST_UNKNOWN,
  SLUICE_BEST_LEAST,    /* of a loss, an error */
  SLUICE_BEST_GREATEST, /* of an accuracy */
} SluiceBest;
/* By the words of its tag behind the last slash: "loss", "bits" fall, "accuracy", "reward" rise. */
SluiceBest sluice_tag_get_better (const char *tag);
/* FALSE: it is not known which is better, or no value is finite. */
gboolean sluice_run_result_get_best (const SluiceRunResult *self, double *best, gint64 *step);

typedef struct
{
  SluiceRunInfo *info;
  GPtrArray *settings; /* of SluiceSetting (kinds/hparams.h): what it was begun with, by name */
  GPtrArray *results;  /* of SluiceRunResult, by tag */
} SluiceRunEntry;
void sluice_run_entry_free (SluiceRunEntry *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceRunEntry, sluice_run_entry_free)
/* (nullable) (transfer none) */
const SluiceSetting *sluice_run_entry_get_setting (const SluiceRunEntry *self, const char *name);
const SluiceRunResult *sluice_run_entry_get_result (const SluiceRunEntry *self, const char *tag);

/**
 * sluice_store_read_run_entries:
 * @trash: those in the trash, else all others
 *
 * The whole table, by few queries whatever the number of runs.
 *
 * Returns: (transfer full) (nullable) (element-type SluiceRunEntry): newest first
 */
GPtrArray *sluice_store_read_run_entries (SluiceStore *self, gboolean trash, GError **error);
