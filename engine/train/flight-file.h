/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/flight-recorder.h"

/* traces/step-0000000012.sltrace of a run's folder: (transfer full) */
char *sluice_flight_file_dup_path (const char *folder, gint64 step);
/* What the session's trace still holds of the steps from @first on, from the first one that is
 * whole. The file is there whole or not at all. */
gboolean
sluice_flight_file_write (SluiceSession *session, const char *path, gint64 first, GError **error);
/* Removes those of steps after @step. Returns: how many are left */
guint sluice_flight_file_forget (const char *folder, gint64 step);
/* The text of an event that tells it, as sluice_flight_parse() reads it: (transfer full) */
char *sluice_flight_dup_text (const SluiceFlight *self);
