/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/work.h"

/* The nodes in an order in which every node follows what it needs within an iteration. (transfer
 * container); NULL where there is a cycle that no NextIteration closes, *stuck is then a node of
 * it. */
GPtrArray *sluice_work_sort (SluiceWork *self, SluiceWorkNode **stuck);

/* FALSE with what sluice_work_sort() stuck at. */
gboolean sluice_work_fail_cycle (const SluiceWorkNode *stuck, GError **error);
