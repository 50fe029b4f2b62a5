/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/shape-context.h"

/* Short forms for shape functions of this family. */

/* A dimension of an input, from the end where negative; unknown where the rank is. */
static inline gint64
sluice_input_dim (const SluiceShapeContext *c, guint input, int dim)
{
  const SluiceShape *shape = &c->inputs[input];
  return shape->rank < 0 ? SLUICE_UNKNOWN_DIM : shape->dim[dim < 0 ? shape->rank + dim : dim];
}

/* An input that is a vector of n numbers: those that are known, -1 for the others. */
static inline gboolean
sluice_shape_read_sizes (SluiceShapeContext *c, guint input, gint64 *sizes, int n, GError **error)
{
  const SluiceShape *shape = &c->inputs[input];
  if (shape->rank >= 0 && (shape->rank != 1 || (shape->dim[0] >= 0 && shape->dim[0] != n)))
    {
      char text[SLUICE_SHAPE_STR];
      return sluice_shape_context_fail (
          c, error, "input %u (%s) must hold %d numbers, not shape %s", input,
          c->node->op->inputs[input].name, n, sluice_shape_str (shape, text));
    }
  const SluiceTensor *known = sluice_shape_context_constant (c, input);
  for (int i = 0; i < n; i++)
    {
      sizes[i] = known ? sluice_tensor_get_int (known, i) : SLUICE_UNKNOWN_DIM;
      if (sizes[i] < SLUICE_UNKNOWN_DIM)
        return sluice_shape_context_fail (
            c, error, "input %u (%s) holds the size %" G_GINT64_FORMAT "; sizes are not negative",
            input, c->node->op->inputs[input].name, sizes[i]);
    }
  return TRUE;
}
