/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/simulate.h"

/* Holds a schedule to each rule of workload.h, and to what it says of itself, without a line of the
 * simulator's. Returns: (transfer full) (nullable): what it breaks first */
char *check_schedule (const SluiceWorkload *workload, const SluiceSimulation *schedule);
