/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/work.h"

/**
 * sluice_find_aliases:
 * @order: (nullable): a topological one; %NULL: of every node the answer is yes
 *
 * Of each node: may a value of its be the memory of a variable? What a reference is read as is, and
 * views of it, and would see a later update; a resource's is, and would be copied before one. Of
 * most kernels nothing is known, but those that give, that are cheap and element-wise ones make
 * memory of their own.
 *
 * Returns: (transfer full): by work index
 */
guint8 *sluice_find_aliases (const SluiceWork *work, const GPtrArray *order);
