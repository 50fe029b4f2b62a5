/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/plan/plan.h"

/* The NaN guard: finds the first node that makes something non-finite of finite inputs. */

/* What the finite numbers of an input lie between; min > max: it has none. */
typedef struct
{
  double min, max;
} SluiceGuardRange;

/* What a resource handle stands for, where that is a variable. (nullable) (transfer none) */
SluiceVariable *sluice_guard_get_variable (const SluiceTensor *tensor);

/* What an output holds, or the variable that it is or stands for: a value that the next update may
 * write into. (transfer full) (nullable) */
SluiceTensor *
sluice_guard_dup_value (const SluicePlanNode *node, guint32 output, const SluiceValue *outputs);

/* Are all numbers of the inputs finite? Before the kernel: it may overwrite them. ranges: of
 * SluiceGuardRange, one an input as far as that is so. */
gboolean sluice_guard_inputs (const SluicePlanNode *node,
                              const SluicePlan *plan,
                              const SluiceValue *inputs,
                              GArray *ranges);

/* (transfer full) (nullable): an error that names the node and what its inputs lay between, where
 * an output, or a variable that it wrote, holds a NaN or an infinity. */
GError *sluice_guard_outputs (const SluicePlanNode *node,
                              const SluicePlan *plan,
                              const SluiceValue *inputs,
                              const SluiceValue *outputs,
                              const GArray *ranges);
