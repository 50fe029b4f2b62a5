/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/work.h"

/*
 * What one run of a compiled signature takes, by the definitions of its ops and the static shapes:
 * found without running it. What runs in loops counts as one iteration, for nobody knows yet how
 * many there will be.
 */
typedef struct
{
  SluiceCost cost;
  double ns; /* of element-wise kernels on one thread, as far as they say it themselves; else 0 */
} SluiceForecastCall;

typedef struct _SluiceForecast
{
  guint n_devices;
  /* By device: values that lie in memory at the same time in the order of the schedule, at the
   * most; constants and the variables that the signature names lie there all the time. */
  double *value_bytes, *held_bytes;
  GArray *calls;      /* of SluiceForecastCall: a kernel each, in that order; fused ones in one */
  guint n_looped;     /* of the calls, in loops */
  guint n_not_known;  /* of the calls, where not even the rank of what it makes is known */
  gboolean has_guess; /* some dimension was not known */
} SluiceForecast;

/**
 * sluice_forecast_new:
 * @work: as sluice_passes_run() gives it
 * @unknown_dim: stands for each dimension that is not known
 *
 * Returns: (transfer full)
 */
SluiceForecast *sluice_forecast_new (SluiceWork *work, guint n_devices, gint64 unknown_dim);
void sluice_forecast_free (SluiceForecast *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceForecast, sluice_forecast_free)
