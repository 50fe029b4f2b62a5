/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/random/shapes.h"

gboolean
sluice_shape_random_at (SluiceShapeContext *c, guint i, GError **error)
{
  SluiceShape shape = SLUICE_SHAPE_UNKNOWN;
  if (!sluice_shape_context_shape_from_input (c, i, &shape, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

gboolean
sluice_shape_random (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_random_at (c, 0, error);
}

gboolean
sluice_shape_want_seeds (SluiceShapeContext *c, guint i, GError **error)
{
  const SluiceShape *seed = &c->inputs[i];
  char s[SLUICE_SHAPE_STR];
  if (sluice_shape_compatible (seed, &SLUICE_SHAPE (2)))
    return TRUE;
  return sluice_shape_context_fail (c, error, "input %u (seed) must have shape [2], not %s", i,
                                    sluice_shape_str (seed, s));
}

gboolean
sluice_shape_want_key (SluiceShapeContext *c, guint i, GError **error)
{
  const SluiceShape *key = &c->inputs[i];
  char s[SLUICE_SHAPE_STR];
  if (!sluice_shape_compatible (key, &SLUICE_SHAPE (1)))
    return sluice_shape_context_fail (c, error, "input %u (key) must have shape [1], not %s", i,
                                      sluice_shape_str (key, s));
  return sluice_shape_context_want_rank (c, i + 1, 1, error)
         && sluice_shape_context_want_rank (c, i + 2, 0, error);
}

gboolean
sluice_shape_random_seeded (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_want_seeds (c, 1, error) && sluice_shape_random (c, error);
}

gboolean
sluice_shape_random_keyed (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_want_key (c, 1, error) && sluice_shape_random (c, error);
}

gboolean
sluice_shape_ends_with (const SluiceShape *self, const SluiceShape *end)
{
  int before = self->rank - end->rank;
  for (int i = 0; before >= 0 && i < end->rank; i++)
    if (self->dim[before + i] != end->dim[i])
      return FALSE;
  return before >= 0;
}

void
sluice_random_cost (const SluiceNode *node,
                    const SluiceShape *in,
                    const SluiceShape *out,
                    SluiceCost *cost)
{
  double n = (double) sluice_shape_n_elements (&out[0]);
  cost->flops = 20 * n;
  cost->bytes = n * (double) sluice_dtype_size (node->outputs[0].dtype);
}
