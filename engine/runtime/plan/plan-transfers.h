/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/plan/plan.h"

/* For plan.c. */

/* A Send or a Recv that partitioning put between devices. */
void sluice_plan_compile_transfer (const SluiceWorkNode *work_node,
                                   SluicePlanNode *node,
                                   gboolean truncates);

/* Of _Send and _Recv that stand in the graph: within a frame each key has one sender and one
 * receiver. INVALID_ARGUMENT names two nodes that share one, whichever of them would have come
 * first in a run. */
gboolean sluice_plan_check_meetings (const SluicePlan *plan, GError **error);
