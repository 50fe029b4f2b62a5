/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/store.h"

#define SAMPLE_WALL 1.7e9

/* A record of a kind, another one each step. A kind without a sample ends the program. */
SluiceRecord *sample_new (const SluiceKind *kind, gint64 step);
/* Logs it as "kind-NAME", an event as the run's. */
gboolean sample_log (SluiceRunLog *log, gint64 run, SluiceRecord *take_record, GError **error);
