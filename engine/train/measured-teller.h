/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/cost-teller.h"
#include "engine/runtime/session/session.h"

/**
 * sluice_measured_teller_new:
 * @take_measured: (transfer full)
 * @device_options: (nullable): of the session's devices
 * @batch: of the steps that run
 *
 * What was measured on this machine, for a session that chooses devices by a policy; of what was
 * not measured, formulas with the machine's speed. A table of nothing leaves all to formulas as
 * they are.
 *
 * Returns: (transfer full)
 */
SluiceCostTeller *sluice_measured_teller_new (SluiceMeasured *take_measured,
                                              const char *device_options,
                                              gint64 batch);

/* Of the user's cache, where the options have a policy and no teller; else NULL. A file that says
 * nothing is told in a message. (transfer full) (nullable) */
SluiceCostTeller *sluice_measured_teller_load (const SluiceSessionOptions *options, gint64 batch);
