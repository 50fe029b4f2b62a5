/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"

/*
 * What is added to logs that were imported is read until it is stopped: records, files, runs. The
 * reading is done on a thread of its own, all else in the main loop.
 */
#define SLUICE_TYPE_LOG_FOLLOWER (sluice_log_follower_get_type ())
G_DECLARE_FINAL_TYPE (SluiceLogFollower, sluice_log_follower, SLUICE, LOG_FOLLOWER, GObject)

/* Signals: read (gint64 run), when something new of that run is in the store; failed (GError),
 * after which it does nothing any more. */

/* paths: NULL-terminated: event files, tables, folders */
SluiceLogFollower *sluice_log_follower_new (SluiceStore *store, const char *const *paths);
/* No signal comes any more; a reading under way ends soon, on its own. */
void sluice_log_follower_stop (SluiceLogFollower *take_self);
