/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"

/**
 * sluice_summary_log:
 * @summary: a string tensor of serialised Summary messages
 *
 * Logs every scalar, histogram and image in it under its tag.
 */
gboolean sluice_summary_log (
    SluiceRunLog *log, const SluiceTensor *summary, gint64 step, double wall, GError **error);
