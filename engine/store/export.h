/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"

typedef enum
{
  SLUICE_LOG_TFEVENTS, /* a folder with one event file: TensorBoard opens it */
  SLUICE_LOG_CSV,      /* run,tag,kind,step,wall_time,value: what is no number is JSON */
  SLUICE_LOG_JSONL,    /* an object a series, as sluice_store_dup_series_json() */
} SluiceLogFormat;

/* The format with a name; FALSE where there is none. */
gboolean sluice_log_format_find (const char *name, SluiceLogFormat *format);

/**
 * sluice_store_dup_series_json:
 * @range: (nullable): all steps
 * @n: (out): how many records that are
 *
 * Returns: (transfer full): {"run", "tag", "kind", "n", "steps": [], "wall_times": [],
 * "values": []} in one line
 */
char *sluice_store_dup_series_json (SluiceStore *self,
                                    const char *run,
                                    const SluiceSeriesInfo *series,
                                    const SluiceStepRange *range,
                                    guint64 *n,
                                    GError **error);

/**
 * sluice_store_export:
 * @path: the file; of tfevents the folder
 * @n_records: (out): how many records were written
 *
 * All that a run recorded. The file is there whole or not at all.
 *
 * Returns: %FALSE with ALREADY_EXISTS where a folder holds event files already: TensorBoard would
 * read all of them as one run
 */
gboolean sluice_store_export (SluiceStore *self,
                              const SluiceRunInfo *run,
                              SluiceLogFormat format,
                              const char *path,
                              guint64 *n_records,
                              GError **error);
