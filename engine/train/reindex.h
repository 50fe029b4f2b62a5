/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"

/**
 * sluice_reindex_run:
 * @run: of sluice_store_dup_lost_runs()
 *
 * Gives a run whose folder outlived its database its rows again: name, project, graph, checkpoints.
 * What was logged is gone with the database; the run goes on from its newest checkpoint.
 *
 * Returns: (transfer full): what is known of it now; %NULL with an error where the folder holds no
 * run
 */
SluiceRunInfo *sluice_reindex_run (SluiceStore *store, gint64 run, GError **error);
