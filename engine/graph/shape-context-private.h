/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/shape-context.h"

/* Calls func for every node that pops from the stack that `push` fills, where it fills one. */
void sluice_node_foreach_pop (const SluiceNode *push,
                              void (*func) (SluiceNode *pop, gpointer data),
                              gpointer data);

void sluice_node_forget_constants (SluiceNode *node);
