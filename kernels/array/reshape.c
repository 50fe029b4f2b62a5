/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The same elements under other dimensions: Reshape, Squeeze, ExpandDims. The gradient is the
 * output's, reshaped back.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"

/* Fills in the one unknown size where the number of elements tells it. */
static gboolean
infer_missing (const SluiceShape *input, SluiceShape *shape)
{
  gint64 n = sluice_shape_n_elements (input), product = 1;
  int missing = -1, n_missing = 0;
  for (int i = 0; i < shape->rank; i++)
    if (shape->dim[i] < 0)
      {
        missing = i;
        n_missing++;
      }
    else
      product *= shape->dim[i];
  if (n < 0 || n_missing > 1)
    return TRUE;
  if (n_missing == 0)
    return n == product;
  if (product == 0) /* a run takes the sizes that are not 0 */
    return TRUE;
  shape->dim[missing] = n / product;
  return n % product == 0;
}

static gboolean
reshape_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape;
  if (!sluice_shape_context_shape_from_input (c, 1, &shape, error))
    return FALSE;
  SluiceShape wanted = shape;
  if (shape.rank >= 0 && !infer_missing (&c->inputs[0], &shape))
    {
      char text[2][SLUICE_SHAPE_STR];
      return sluice_shape_context_fail (
          c, error, "the elements of %s do not fill %s; change the shape at input 1",
          sluice_shape_str (&c->inputs[0], text[0]), sluice_shape_str (&wanted, text[1]));
    }
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

/* Marks the dimensions that an explicit list names. */
static gboolean
mark_squeezed (SluiceShapeContext *c, gboolean squeezed[SLUICE_MAX_RANK], GError **error)
{
  gint64 dims[SLUICE_MAX_RANK];
  guint n = sluice_node_get_ints (c->node, "squeeze_dims", dims, SLUICE_MAX_RANK);
  for (guint i = 0; i < MIN (n, SLUICE_MAX_RANK); i++)
    {
      int axis;
      if (!sluice_shape_axis (c, dims[i], c->inputs[0].rank, &axis, error))
        return FALSE;
      gint64 size = c->inputs[0].dim[axis];
      if (size >= 0 && size != 1)
        return sluice_shape_context_fail (
            c, error, "dimension %d has size %" G_GINT64_FORMAT "; only a size of 1 can go", axis,
            size);
      squeezed[axis] = TRUE;
    }
  return TRUE;
}

static gboolean
squeeze_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceShape *input = &c->inputs[0];
  if (input->rank < 0)
    return TRUE;
  gboolean all = sluice_node_get_ints (c->node, "squeeze_dims", NULL, 0) == 0;
  gboolean squeezed[SLUICE_MAX_RANK] = { FALSE };
  if (!all && !mark_squeezed (c, squeezed, error))
    return FALSE;
  SluiceShape shape = { 0 };
  for (int i = 0; i < input->rank; i++)
    {
      if (all && input->dim[i] < 0)
        return TRUE; /* whether it goes is not known, so the rank is not */
      if (all ? input->dim[i] != 1 : !squeezed[i])
        shape.dim[shape.rank++] = input->dim[i];
    }
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
expand_dims_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceShape *input = &c->inputs[0];
  const SluiceTensor *dim = sluice_shape_context_constant (c, 1);
  if (input->rank < 0)
    return TRUE;
  if (input->rank == SLUICE_MAX_RANK)
    return sluice_shape_context_fail (c, error, "the result would have more than %d dimensions",
                                      SLUICE_MAX_RANK);
  SluiceShape shape = sluice_shape_of_rank (input->rank + 1);
  if (dim != NULL && dim->n_elements == 1)
    {
      int axis;
      if (!sluice_shape_axis (c, sluice_tensor_get_int (dim, 0), shape.rank, &axis, error))
        return FALSE;
      for (int i = 0; i < shape.rank; i++)
        shape.dim[i] = i == axis ? 1 : input->dim[i < axis ? i : i - 1];
    }
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
reshape_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge shape = sluice_grad_shape_of (g, sluice_grad_input (g, 0), SLUICE_INT32);
  sluice_grad_set (g, 0, sluice_op (&g->b, "Reshape", sluice_grad_dy (g, 0), shape));
  return TRUE;
}

/* Nothing is computed, and nothing moves but where the tensor is too small to be shared. */
static void
view_cost (const SluiceNode *node, const SluiceShape *in, const SluiceShape *out, SluiceCost *cost)
{
  *cost = (SluiceCost){ 0, 0 };
}

static const SluiceSample reshape_samples[] = {
  { "", "float[2,3,5]; int32[2]={-1,3}", 0, 0 },
  { "", "float[]; int32[2]={1,1}", 0, 0 },
  { "", "float[0,3]; int64[2]={3,0}", 0, 0 },
  { "", "string[4]; int32[2]={2,2}", 0, 0 },
};
static const SluiceRecipe reshape_recipe = {
  .samples = reshape_samples,
  .n_samples = G_N_ELEMENTS (reshape_samples),
};

static const SluiceSample squeeze_samples[] = {
  { "", "float[1,3,1]", 0, 0 },
  { "squeeze_dims=[-1,2]", "float[1,2,1,3,1]", 0, 0 },
  { "", "float[]", 0, 0 },
};
static const SluiceRecipe squeeze_recipe = {
  .samples = squeeze_samples,
  .n_samples = G_N_ELEMENTS (squeeze_samples),
};

static const SluiceSample expand_dims_samples[] = {
  { "", "float[2,3]; int32[]={-2}", 0, 0 },
  { "", "float[]; int64[]={0}", 0, 0 },
};
static const SluiceRecipe expand_dims_recipe = {
  .samples = expand_dims_samples,
  .n_samples = G_N_ELEMENTS (expand_dims_samples),
};

static const SluiceOpDef reshape_op = {
  .name = "Reshape",
  .signature = "tensor: T, shape: Tshape -> output: T",
  .attrs = "T: type; Tshape: {int32, int64} = int32",
  .summary = N_ ("The same elements under other dimensions"),
  .role = SLUICE_ROLE_RESHAPE,
  .shape = reshape_shape,
  .gradient = reshape_gradient,
  .cost = view_cost,
  .recipe = &reshape_recipe,
};

static const SluiceOpDef squeeze_op = {
  .name = "Squeeze",
  .signature = "input: T -> output: T",
  .attrs = "T: type; squeeze_dims: list(int) >= 0 = []",
  .summary = N_ ("Takes dimensions of size 1 away"),
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = squeeze_shape,
  .gradient = reshape_gradient,
  .cost = view_cost,
  .recipe = &squeeze_recipe,
};

static const SluiceOpDef expand_dims_op = {
  .name = "ExpandDims",
  .signature = "input: T, dim: Tdim -> output: T",
  .attrs = "T: type; Tdim: {int32, int64} = int32",
  .summary = N_ ("Puts a dimension of size 1 in"),
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = expand_dims_shape,
  .gradient = reshape_gradient,
  .cost = view_cost,
  .recipe = &expand_dims_recipe,
};

static const SluiceOpDef *const ops[] = { &reshape_op, &squeeze_op, &expand_dims_op };

const SluiceKernelModule sluice_module_array_reshape = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
