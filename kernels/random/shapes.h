/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/shape-context.h"

/* What the definitions of ops that draw random numbers share. */

/* Output 0 has the shape that input `i` holds. */
gboolean sluice_shape_random_at (SluiceShapeContext *c, guint i, GError **error);
/* The same of input 0. */
gboolean sluice_shape_random (SluiceShapeContext *c, GError **error);
/* Of input 0; input `seed` holds two seeds. */
gboolean sluice_shape_random_seeded (SluiceShapeContext *c, GError **error);
/* Of input 0; inputs 1 to 3 are key, counter and algorithm. */
gboolean sluice_shape_random_keyed (SluiceShapeContext *c, GError **error);

/* Fails where input i cannot be two seeds, and where inputs i to i + 2 cannot be key, counter and
 * algorithm. */
gboolean sluice_shape_want_seeds (SluiceShapeContext *c, guint i, GError **error);
gboolean sluice_shape_want_key (SluiceShapeContext *c, guint i, GError **error);

/* Are the last dimensions of a shape those of the other? Both are known. */
gboolean sluice_shape_ends_with (const SluiceShape *self, const SluiceShape *end);

/* Of a number that is drawn from few words. */
void sluice_random_cost (const SluiceNode *node,
                         const SluiceShape *in,
                         const SluiceShape *out,
                         SluiceCost *cost);
