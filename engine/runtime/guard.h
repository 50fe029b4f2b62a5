/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/plan.h"

/* The NaN guard: finds the first node that makes something non-finite of finite inputs. */

/* Are all floating elements of the inputs finite? Before the kernel: it may overwrite them. */
gboolean
sluice_guard_inputs (const SluicePlanNode *node, const SluicePlan *plan, const SluiceValue *inputs);

/* (transfer full) (nullable): an error that names the node, where an output, or a variable that it
 * wrote, holds a NaN or an infinity. */
GError *sluice_guard_outputs (const SluicePlanNode *node,
                              const SluicePlan *plan,
                              const SluiceValue *inputs,
                              const SluiceValue *outputs);
