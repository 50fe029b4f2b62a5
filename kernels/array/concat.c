/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Concat (axis first), ConcatV2 (axis last), ConcatOffset (where each value begins). The gradient
 * of a value is its slice of the result's.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"

/* What is known of the result where the axis is not: the rank. */
static gboolean
concat_shape_along (SluiceShapeContext *c, guint first, guint n, guint axis_input, GError **error)
{
  const SluiceTensor *axis_value = sluice_shape_context_constant (c, axis_input);
  SluiceShape shape = SLUICE_SHAPE_UNKNOWN;
  for (guint i = first; i < first + n && shape.rank < 0; i++)
    shape = sluice_shape_of_rank (c->inputs[i].rank);
  if (shape.rank == 0)
    return sluice_shape_context_fail (c, error,
                                      "scalars cannot be joined; Pack puts them together");
  if (shape.rank < 0)
    return TRUE;

  gboolean known = axis_value != NULL && axis_value->n_elements == 1;
  int axis = -1;
  if (known
      && !sluice_shape_axis (c, sluice_tensor_get_int (axis_value, 0), shape.rank, &axis, error))
    return FALSE;
  gint64 size = 0; /* along the axis; -1 once it is not known */
  for (guint i = first; i < first + n; i++)
    {
      SluiceShape value = c->inputs[i];
      gint64 along = known && value.rank == shape.rank ? value.dim[axis] : SLUICE_UNKNOWN_DIM;
      size = size < 0 || along < 0 ? SLUICE_UNKNOWN_DIM : size + along;
      for (int d = 0; d < value.rank && d < SLUICE_MAX_RANK; d++)
        if (!known || d == axis)
          value.dim[d] = SLUICE_UNKNOWN_DIM;
      if (!sluice_shape_merge (&shape, &value, &shape))
        {
          char text[2][SLUICE_SHAPE_STR];
          return sluice_shape_context_fail (
              c, error, "input %u of shape %s does not fit beside input %u of shape %s", i,
              sluice_shape_str (&c->inputs[i], text[0]), first,
              sluice_shape_str (&c->inputs[first], text[1]));
        }
    }
  if (known)
    shape.dim[axis] = size;
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
concat_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 0, 0, error)
         && concat_shape_along (c, 1, c->n_inputs - 1, 0, error);
}

static gboolean
concat_v2_shape (SluiceShapeContext *c, GError **error)
{
  guint n = c->n_inputs - 1;
  return sluice_shape_context_want_rank (c, n, 0, error) && concat_shape_along (c, 0, n, n, error);
}

static gboolean
concat_offset_shape (SluiceShapeContext *c, GError **error)
{
  for (guint i = 0; i < c->n_outputs; i++)
    {
      if (!sluice_shape_context_want_rank (c, i + 1, 1, error))
        return FALSE;
      sluice_shape_context_set (c, i, &c->inputs[i + 1]);
    }
  return TRUE;
}

static gboolean
gradient_along (SluiceGradContext *g, guint first, guint n, guint axis_input)
{
  SluiceEdge dy = sluice_grad_dy (g, 0);
  if (n == 1)
    {
      sluice_grad_set (g, first, dy);
      return TRUE;
    }
  g_autofree SluiceEdge *values = g_new (SluiceEdge, n);
  g_autofree SluiceEdge *offsets_of = g_new (SluiceEdge, n + 1);
  for (guint i = 0; i < n; i++)
    values[i] = sluice_grad_input (g, first + i);
  SluiceEdge sizes = sluice_builder_add (&g->b, "ShapeN", NULL, values, n, NULL, 0);

  /* ConcatOffset wants int32 and an axis from the front. */
  offsets_of[0] =
      sluice_op_with (&g->b, "Cast", SLUICE_ATTRS (sluice_attr_type ("DstT", SLUICE_INT32)),
                      sluice_grad_input (g, axis_input));
  for (guint i = 0; i < n; i++)
    offsets_of[i + 1] = sluice_edge_port (sizes, i);
  SluiceEdge offsets = sluice_builder_add (&g->b, "ConcatOffset", NULL, offsets_of, n + 1, NULL, 0);
  for (guint i = 0; i < n; i++)
    sluice_grad_set (
        g, first + i,
        sluice_op (&g->b, "Slice", dy, sluice_edge_port (offsets, i), sluice_edge_port (sizes, i)));
  return TRUE;
}

static gboolean
concat_gradient (SluiceGradContext *g, GError **error)
{
  return gradient_along (g, 1, g->node->n_inputs - 1, 0);
}

static gboolean
concat_v2_gradient (SluiceGradContext *g, GError **error)
{
  guint n = g->node->n_inputs - 1;
  return gradient_along (g, 0, n, n);
}

static const SluiceSample concat_samples[] = {
  { "N=2", "int32[]={1}; float[2,3]; float[2,4]", 0, 0 },
  { "N=3", "int32[]={0}; string[2]; string[0]; string[1]", 0, 0 },
};
static const SluiceRecipe concat_recipe = {
  .samples = concat_samples,
  .n_samples = G_N_ELEMENTS (concat_samples),
};

static const SluiceSample concat_v2_samples[] = {
  { "N=2", "float[2,3]; float[2,4]; int32[]={-1}", 0, 0 },
  { "N=3", "float[1,2,3]; float[2,2,3]; float[0,2,3]; int64[]={0}", 0, 0 },
  { "N=2", "bool[65]; bool[7]; int32[]={0}", 0, 0 },
};
static const SluiceRecipe concat_v2_recipe = {
  .samples = concat_v2_samples,
  .n_samples = G_N_ELEMENTS (concat_v2_samples),
};

static const SluiceSample concat_offset_samples[] = {
  { "N=3", "int32[]={1}; int32[3]={2,3,4}; int32[3]={2,1,4}; int32[3]={2,0,4}", 0, 0 },
};
static const SluiceRecipe concat_offset_recipe = {
  .samples = concat_offset_samples,
  .n_samples = G_N_ELEMENTS (concat_offset_samples),
};

static const SluiceOpDef concat_op = {
  .name = "Concat",
  .signature = "concat_dim: int32, values: N * T -> output: T",
  .attrs = "N: int >= 2; T: type",
  .summary = N_ ("Joins tensors along an axis"),
  .shape = concat_shape,
  .gradient = concat_gradient,
  .recipe = &concat_recipe,
};

static const SluiceOpDef concat_v2_op = {
  .name = "ConcatV2",
  .signature = "values: N * T, axis: Tidx -> output: T",
  .attrs = "N: int >= 2; T: type; Tidx: {int32, int64} = int32",
  .summary = N_ ("Joins tensors along an axis"),
  .role = SLUICE_ROLE_CONCAT,
  .shape = concat_v2_shape,
  .gradient = concat_v2_gradient,
  .recipe = &concat_v2_recipe,
};

static const SluiceOpDef concat_offset_op = {
  .name = "ConcatOffset",
  .signature = "concat_dim: int32, shape: N * shape_type -> offset: N * shape_type",
  .attrs = "N: int >= 2; shape_type: {int32, int64} = int32",
  .summary = N_ ("Where each of several joined tensors begins"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = concat_offset_shape,
  .recipe = &concat_offset_recipe,
};

static const SluiceOpDef *const ops[] = { &concat_op, &concat_v2_op, &concat_offset_op };

const SluiceKernelModule sluice_module_array_concat = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
