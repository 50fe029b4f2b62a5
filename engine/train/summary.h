/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"
#include "engine/store/store.h"
#include "engine/store/summary-value.h"

/**
 * sluice_summary_log:
 * @summary: a string tensor of serialised Summary messages
 *
 * Logs every value in it under its tag, as the kind that it is of: scalars, histograms, images,
 * audio, texts, PR curves, hyper-parameters, other tensors.
 */
gboolean sluice_summary_log (
    SluiceRunLog *log, const SluiceTensor *summary, gint64 step, double wall, GError **error);
/* Hands the records that would be logged to sink instead; their wall time is 0. */
gboolean sluice_summary_read (
    const SluiceTensor *summary, gint64 step, SluiceRecordSink sink, gpointer data, GError **error);
