/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/runs/run-column.h"

/* Rows of the table of runs as a file that other programs read: numbers as they are, in the C
 * locale. No GTK. */

/* (transfer full): a line with the columns' ids, then one of each run. @entries: of SluiceRunEntry;
 * @columns: of SluiceRunColumn */
char *sluice_run_export_dup_csv (GPtrArray *entries, GPtrArray *columns);
/* (transfer full): an object a line: id, run, state, step, tags, and all settings and results. */
char *sluice_run_export_dup_json_lines (GPtrArray *entries);
