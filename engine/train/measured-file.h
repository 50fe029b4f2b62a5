/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/measured.h"

/*
 * What was measured (cost/measured.h), kept over runs in one file of the user's cache folder, by
 * machine: processor, build and threads. Another machine's figures stay there beside, those of the
 * four that measured last.
 */
#define SLUICE_MEASURED_MACHINES 4

/* What figures are kept under, and what calibration.h keeps its own under. (transfer full) */
char *sluice_dup_machine_key (void);

/**
 * sluice_measured_file_load:
 * @folder: (nullable): %NULL: "sluice" in the user's cache folder
 * @error: (nullable): DATA_LOSS …: the file says nothing, and why; there is an empty table all the
 *   same, and the next who keeps one replaces the file
 *
 * Of this machine. No file is no error.
 *
 * Returns: (transfer full)
 */
SluiceMeasured *sluice_measured_file_load (const char *folder, GError **error);

/* (transfer full) */
char *sluice_measured_file_dup_path (const char *folder);

/* Adds what is fresh to what the file has by now, whoever wrote that; nothing is fresh afterwards.
 */
gboolean sluice_measured_file_keep (const char *folder, SluiceMeasured *measured, GError **error);
