/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"

/* Of the checkpoint of a step, relative to the run's folder. (transfer full) */
char *sluice_checkpoint_folder_dup_name (gint64 step);
/* The files of a run's folder whose names are those of checkpoints, by step; whether they are whole
 * is found out by whoever reads them. Paths are relative to the folder. (transfer full)
 * (element-type SluiceCheckpointInfo) */
GPtrArray *sluice_checkpoint_folder_list (const char *folder);
/* What a run logged after a step is not what will be written: points, and checkpoints, with their
 * files. checkpoints: (element-type SluiceCheckpointInfo) */
gboolean sluice_checkpoint_folder_forget (GPtrArray *checkpoints,
                                          SluiceRunLog *log,
                                          gint64 step,
                                          GError **error);
