/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * SparseToDense: values at their indices, a default everywhere else. d(values) = dy at the indices,
 * d(default) = the sum of all the rest.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"

static gboolean
to_dense_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape;
  if (!sluice_shape_context_want_rank (c, 1, 1, error)
      || !sluice_shape_context_want_rank (c, 3, 0, error)
      || !sluice_shape_context_shape_from_input (c, 1, &shape, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
to_dense_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge dy = sluice_grad_dy (g, 0), indices = sluice_grad_input (g, 0);
  SluiceEdge minus_one = sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ -1 }, 1);
  const SluiceShape *shape = sluice_edge_shape (g->node->inputs[0]);
  SluiceEdge coordinates = indices;
  /* One number is one coordinate. */
  if (shape->rank >= 0 && shape->rank < 2)
    coordinates =
        sluice_op (&g->b, "Reshape", indices,
                   sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ -1, 1 }, 2));
  SluiceEdge values = sluice_op (&g->b, "GatherNd", dy, coordinates);
  SluiceEdge rest =
      sluice_op (&g->b, "Sub", sluice_grad_sum_all (g, dy), sluice_grad_sum_all (g, values));
  const SluiceShape *given = sluice_edge_shape (g->node->inputs[2]);
  if (given->rank == 0)
    values = sluice_grad_sum_all (g, values);
  else if (given->rank == 1)
    values = sluice_op (&g->b, "Reshape", values, minus_one);
  sluice_grad_set (g, 2, values);
  sluice_grad_set (g, 3, rest);
  return TRUE;
}

static const SluiceSample samples[] = {
  { "", "int64[3,2]={0,1,2,0,2,3}; int64[2]={3,4}; float[3]; float[]", 1e-6, 0 },
  { "", "int32[2]={1,3}; int32[1]={5}; float[]; float[]", 1e-6, 0 },
  { "validate_indices=false", "int32[2]={3,1}; int32[1]={5}; string[2]; string[]", 0, 0 },
};
static const SluiceRecipe recipe = {
  .samples = samples,
  .n_samples = G_N_ELEMENTS (samples),
};

static const SluiceOpDef to_dense_op = {
  .name = "SparseToDense",
  .signature = "sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, "
               "default_value: T -> dense: T",
  .attrs = "validate_indices: bool = true; T: type; Tindices: index",
  .summary = N_ ("A dense tensor of values at their indices and a default elsewhere"),
  .shape = to_dense_shape,
  .gradient = to_dense_gradient,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &to_dense_op };

const SluiceKernelModule sluice_module_array_sparse_to_dense = {
  .ops = ops,
  .n_ops = G_N_ELEMENTS (ops),
};
