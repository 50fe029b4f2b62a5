/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/linalg/operands.h"

gboolean
sluice_shape_matrices (SluiceShapeContext *c, guint i, SluiceMatrices *matrices, GError **error)
{
  const SluiceShape *shape = &c->inputs[i];
  if (!sluice_shape_context_want_rank_at_least (c, i, 2, error))
    return FALSE;
  *matrices = (SluiceMatrices){ .batch = sluice_batch_shape (shape),
                                .rows = sluice_matrix_dim (shape, 2),
                                .columns = sluice_matrix_dim (shape, 1) };
  return TRUE;
}

gboolean
sluice_shape_square (SluiceShapeContext *c, guint i, SluiceMatrices *matrices, GError **error)
{
  if (!sluice_shape_matrices (c, i, matrices, error))
    return FALSE;
  if (matrices->rows >= 0 && matrices->columns >= 0 && matrices->rows != matrices->columns)
    {
      char s[SLUICE_SHAPE_STR];
      return sluice_shape_context_fail (c, error, "input %u must hold square matrices, not %s", i,
                                        sluice_shape_str (&c->inputs[i], s));
    }
  matrices->rows = matrices->columns = MAX (matrices->rows, matrices->columns);
  return TRUE;
}

gboolean
sluice_shape_square_unchanged (SluiceShapeContext *c, GError **error)
{
  SluiceMatrices a;
  if (!sluice_shape_square (c, 0, &a, error))
    return FALSE;
  SluiceShape out = sluice_batch_of_matrices (&a.batch, a.rows, a.columns);
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

void
sluice_cost_factor (const SluiceNode *node,
                    const SluiceShape *in,
                    const SluiceShape *out,
                    SluiceCost *cost)
{
  double elements = (double) sluice_shape_n_elements (&in[0]);
  double longer = (double) MAX (sluice_matrix_dim (&in[0], 1), sluice_matrix_dim (&in[0], 2));
  cost->flops = 4 * elements * longer;
  cost->bytes = 0;
  for (guint i = 0; i < node->n_inputs; i++)
    cost->bytes += (double) sluice_shape_n_elements (&in[i]);
  for (guint i = 0; i < node->n_outputs; i++)
    cost->bytes += (double) sluice_shape_n_elements (&out[i]);
  cost->bytes *= (double) sluice_dtype_size (node->outputs[0].dtype);
}
