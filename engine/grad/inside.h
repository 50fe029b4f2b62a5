/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/grad/grad.h"
#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/**
 * sluice_gradients_inside:
 * @pivot: (nullable): a node that runs in each iteration, or on each time that the branch is taken,
 * in which the gradients are to stand; no Switch. %NULL: outside of all loops
 *
 * As sluice_gradients(), of what one iteration of a loop computes. The ys lie where the pivot does,
 * the xs there or outside of that; the loop's variables are constants of the iteration.
 *
 * Returns: also %FALSE with UNIMPLEMENTED where a path leads through a loop that ended before
 */
gboolean sluice_gradients_inside (SluiceGraph *graph,
                                  SluiceNode *pivot,
                                  const char *scope,
                                  const SluiceEdge *ys,
                                  guint n_ys,
                                  const SluiceEdge *dys,
                                  const SluiceEdge *xs,
                                  guint n_xs,
                                  SluiceGrad *dxs,
                                  GError **error);

SLUICE_PUBLIC_END
