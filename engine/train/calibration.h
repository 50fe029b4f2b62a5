/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gio/gio.h>

#include "engine/cost/machine.h"
#include "engine/passes/forecast.h"

/*
 * How fast this machine computes, with this build and so many threads: what turns the operations
 * and bytes of ops' definitions into time. Measured once, in less than a second, and kept in the
 * user's cache folder with its date.
 */
typedef struct
{
  double step_seconds;     /* to begin a step and to end it */
  double call_seconds;     /* of a kernel that has nothing to do */
  double flops_per_second; /* of a product */
  double bytes_per_second; /* that are read and written */
  double when;             /* Unix seconds */
} SluiceCalibration;

/**
 * sluice_calibration_get:
 * @folder: (nullable): where it is kept; %NULL: "sluice" in the user's cache folder. What cannot be
 *   read there is measured again; where nothing can be written it is not kept, and a message says
 * so
 * @self: (out)
 *
 * With the pool's threads as they are now.
 */
gboolean sluice_calibration_get (const char *folder,
                                 SluiceCalibration *self,
                                 GCancellable *cancellable,
                                 GError **error);

/* Of a step whose kernels run one after the other. calls: (element-type SluiceForecastCall) */
double sluice_calibration_get_seconds (const SluiceCalibration *self, const GArray *calls);

/* The same within a step, where kernels find less in the caches. spread: (out): as a model of the
 * samples was off, at the most */
double
sluice_calibration_get_step_us (const SluiceCalibration *self, const GArray *calls, double *spread);

/* Formulas count with these speeds on the CPUs that are here, and on devices that run their
 * kernels. */
void sluice_calibration_set_speed (const SluiceCalibration *self, SluiceMachine *machine);
