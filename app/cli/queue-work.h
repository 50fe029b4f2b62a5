/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/cli/cli.h"

/**
 * sluice_cli_work_queue:
 * @group: (nullable): only its runs
 * @jobs: so many runs at a time
 * @n_failed: (out) (nullable): so many of them failed, which is no error then
 *
 * Trains what waits until nothing does: what other programs of the workspace train is waited for,
 * and taken over where they are gone. A signal ends it; the runs under way are saved and wait
 * again.
 *
 * Returns: EXIT_OK, EXIT_INTERRUPTED, or EXIT_FAILED with an error, which may be that runs failed
 */
int sluice_cli_work_queue (
    SluiceStore *store, const char *group, guint jobs, guint *n_failed, GError **error);
