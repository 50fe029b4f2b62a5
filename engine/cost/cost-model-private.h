/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/cost-model.h"

/* By the formula of the op and the machine's speed. */
double sluice_cost_formula_get_us (const SluiceCost *cost, const SluiceMachineDevice *device);

/* Of exactly this, or of the same op on the shapes whose cost is nearest, by the ratio of the
 * formulas. FALSE: nothing of the kind was measured */
gboolean sluice_cost_measured_get (SluiceMeasured *measured,
                                   const SluiceNode *node,
                                   const SluiceMachineDevice *device,
                                   gint64 unknown_dim,
                                   SluiceFigure *figure);
