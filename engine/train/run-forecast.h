/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/replica.h"

/*
 * What training a project takes by the plans of its steps and evaluations, on batches of the
 * project's size, before anything has run (engine/passes/forecast.h).
 */
typedef struct
{
  guint n_devices;
  char **devices;             /* "CPU:0" */
  double *bytes;              /* by device, at the most */
  double *held_bytes;         /* of them, whatever the batch is */
  gboolean *is_of_evaluation; /* by device: an evaluation takes the most */
  GArray *calls;              /* of SluiceForecastCall: the kernels of a step */
  guint n_looped;             /* of them, in loops, which count once */
  guint n_not_known;          /* of them, of whose cost nothing is known */
  gboolean has_guess;         /* a size of some value was not known */
} SluiceRunForecast;

/**
 * sluice_run_forecast_new:
 * @replica: nothing of it has to be initialised, and nothing runs
 *
 * Returns: (transfer full) (nullable): %NULL with what a step would fail with
 */
SluiceRunForecast *sluice_run_forecast_new (const SluiceReplica *replica, GError **error);
void sluice_run_forecast_free (SluiceRunForecast *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceRunForecast, sluice_run_forecast_free)

/* Of all devices whose memory is the machine's. */
gint64 sluice_run_forecast_get_bytes (const SluiceRunForecast *self);
