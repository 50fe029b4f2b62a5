/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/run-controller.h"
#include "ui/chart/ticks.h"

/* What the status line and the rows of runs say of training, in words; each (transfer full). */

/* What is measured in a series, told by its tag: accuracies are shares, the machine's memory bytes.
 */
SluiceUnit sluice_tag_unit (const char *tag);

/* "98.2 %", "bits 2.31": with its name where the unit does not say what it is. */
char *sluice_status_evaluation_text (const char *name, double value);
/* "Step 1 240 of 2 000" */
char *sluice_status_runs_text (guint64 n); /* "6 runs" */
/* "6 runs" of a draft's "3 × 2"; (nullable): of one run, and of whatever was no draft. */
char *sluice_status_plan_text (const SluiceRunInfo *info);
char *sluice_status_step_text (const SluiceProgress *progress);
/* "412 steps/s · 2.0 s left (± 0.3 s) · loss 0.0571 · test 98.2 %"; evaluation_name: (nullable) */
char *sluice_status_rate_text (SluiceControlState state,
                               const SluiceProgress *progress,
                               const char *evaluation_name);
/* "38 MB", "CPU:0 2 MB · SIM:0 38 MB of 256 MB", "6 devices 214 MB": what is in use.
 * devices: (element-type SluiceDeviceMemory), at least one */
char *sluice_status_devices_text (const GArray *devices);
char *sluice_status_memory_text (const GArray *devices); /* "40 MB": of all together */
/* "CPU 94 % · all 61 204 points saved" */
char *sluice_status_machine_text (SluiceControlState state, const SluiceProgress *progress);
