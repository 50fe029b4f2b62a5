/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/plan/plan.h"

/* Which nodes a device does in a queue, and which of them it is given before it has done what
 * stands in front. White paper, section 3.2. */

/* A kernel of a device with queues, or a transfer to or from one. node: its kernel and kind are
 * settled. */
gboolean sluice_plan_stands_in_queue (const SluiceWork *work,
                                      const SluiceWorkNode *work_node,
                                      const SluicePlanNode *node);
/* May the second be enqueued with the first? Both are of one frame, and an edge leads from one to
 * the other. */
gboolean sluice_plan_runs_ahead (const SluicePlanNode *from, const SluicePlanNode *to);
