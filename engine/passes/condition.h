/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/work.h"

/**
 * sluice_find_conditions:
 * @order: a topological one
 *
 * Where frames are known: numbers what has to happen for a node to run. Nodes of one frame with
 * the same number run both or neither in an iteration, and wait for the same branches, queues and
 * other kernels that take their time. 0: runs always, and waits for nothing but kernels that
 * compute.
 *
 * Returns: (transfer full): by work index
 */
guint32 *sluice_find_conditions (const SluiceWork *work, const GPtrArray *order);
