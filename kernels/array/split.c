/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * One tensor into several along an axis, and back: Split and SplitV keep the axis, Unpack takes it
 * away, Pack makes a new one. The gradient of each is its reverse.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"

/* The value of a constant scalar that holds an axis, normalised. known FALSE: nothing to tell. */
static gboolean
constant_axis (
    SluiceShapeContext *c, guint input, int rank, int *axis, gboolean *known, GError **error)
{
  const SluiceTensor *value = sluice_shape_context_constant (c, input);
  *known = FALSE;
  if (!sluice_shape_context_want_rank (c, input, 0, error))
    return FALSE;
  if (value == NULL || rank < 0)
    return TRUE;
  *known = TRUE;
  return sluice_shape_axis (c, sluice_tensor_get_int (value, 0), rank, axis, error);
}

static void
set_all (SluiceShapeContext *c, const SluiceShape *shape)
{
  for (guint i = 0; i < c->n_outputs; i++)
    sluice_shape_context_set (c, i, shape);
}

static gboolean
split_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape = c->inputs[1];
  gint64 n = c->n_outputs;
  int axis;
  gboolean known;
  if (!constant_axis (c, 0, shape.rank, &axis, &known, error))
    return FALSE;
  if (!known)
    {
      SluiceShape free = sluice_shape_of_rank (shape.rank);
      set_all (c, n == 1 ? &shape : &free);
      return TRUE;
    }
  if (shape.dim[axis] >= 0 && shape.dim[axis] % n != 0)
    return sluice_shape_context_fail (c, error,
                                      "%" G_GINT64_FORMAT " elements of dimension %d do not split "
                                      "into %" G_GINT64_FORMAT " equal parts",
                                      shape.dim[axis], axis, n);
  if (shape.dim[axis] >= 0)
    shape.dim[axis] /= n;
  set_all (c, &shape);
  return TRUE;
}

/* Gives each output its size; one of -1 takes what is left. */
static gboolean
set_sizes (SluiceShapeContext *c, const SluiceTensor *sizes, int axis, GError **error)
{
  SluiceShape shape = c->inputs[0];
  gint64 whole = shape.dim[axis], total = 0, n_open = 0;
  for (guint i = 0; i < c->n_outputs; i++)
    {
      gint64 size = sluice_tensor_get_int (sizes, i);
      if (size < 0)
        n_open++;
      else
        total += size;
    }
  if (n_open > 1 || (whole >= 0 && (n_open ? total > whole : total != whole)))
    return sluice_shape_context_fail (
        c, error, "the sizes do not add up to the %" G_GINT64_FORMAT " elements of dimension %d",
        whole, axis);
  for (guint i = 0; i < c->n_outputs; i++)
    {
      gint64 size = sluice_tensor_get_int (sizes, i);
      shape.dim[axis] = size >= 0 ? size : whole >= 0 ? whole - total : SLUICE_UNKNOWN_DIM;
      sluice_shape_context_set (c, i, &shape);
    }
  return TRUE;
}

static gboolean
split_v_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceTensor *sizes = sluice_shape_context_constant (c, 1);
  SluiceShape shape = c->inputs[0];
  int axis;
  gboolean known;
  if (!sluice_shape_context_want_rank (c, 1, 1, error)
      || !constant_axis (c, 2, shape.rank, &axis, &known, error))
    return FALSE;
  if (!known)
    {
      shape = sluice_shape_of_rank (shape.rank);
      set_all (c, c->n_outputs == 1 ? &c->inputs[0] : &shape);
      return TRUE;
    }
  if (sizes == NULL || sizes->dtype == SLUICE_INT8) /* int8: a run reads it */
    {
      if (c->n_outputs > 1)
        shape.dim[axis] = SLUICE_UNKNOWN_DIM;
      set_all (c, &shape);
      return TRUE;
    }
  if (sizes->n_elements != c->n_outputs)
    return sluice_shape_context_fail (c, error,
                                      "there are %u outputs, but %" G_GINT64_FORMAT " sizes",
                                      c->n_outputs, sizes->n_elements);
  return set_sizes (c, sizes, axis, error);
}

static gboolean
pack_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape value = c->inputs[0], shape;
  int axis;
  for (guint i = 1; i < c->n_inputs; i++)
    if (!sluice_shape_merge (&value, &c->inputs[i], &value))
      {
        char text[2][SLUICE_SHAPE_STR];
        return sluice_shape_context_fail (c, error, "input %u is of shape %s, but the others of %s",
                                          i, sluice_shape_str (&c->inputs[i], text[0]),
                                          sluice_shape_str (&value, text[1]));
      }
  if (value.rank < 0)
    return TRUE;
  if (value.rank == SLUICE_MAX_RANK)
    return sluice_shape_context_fail (c, error, "the result would have more than %d dimensions",
                                      SLUICE_MAX_RANK);
  shape.rank = value.rank + 1;
  if (!sluice_shape_axis (c, sluice_node_get_int (c->node, "axis"), shape.rank, &axis, error))
    return FALSE;
  for (int i = 0; i < shape.rank; i++)
    shape.dim[i] = i == axis ? c->n_inputs : value.dim[i < axis ? i : i - 1];
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
unpack_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceShape *value = &c->inputs[0];
  SluiceShape shape = { .rank = value->rank - 1 };
  int axis;
  if (value->rank < 0)
    return TRUE;
  if (!sluice_shape_axis (c, sluice_node_get_int (c->node, "axis"), value->rank, &axis, error))
    return FALSE;
  if (value->dim[axis] >= 0 && value->dim[axis] != c->n_outputs)
    return sluice_shape_context_fail (
        c, error, "dimension %d has %" G_GINT64_FORMAT " elements, but num is %u", axis,
        value->dim[axis], c->n_outputs);
  for (int i = 0; i < shape.rank; i++)
    shape.dim[i] = value->dim[i < axis ? i : i + 1];
  set_all (c, &shape);
  return TRUE;
}

/* dx of both splits: the outputs' gradients joined along the axis. */
static SluiceEdge
join_gradients (SluiceGradContext *g, SluiceEdge axis)
{
  guint n = g->node->n_outputs;
  if (n == 1)
    return sluice_grad_dy (g, 0);
  g_autofree SluiceEdge *inputs = g_new (SluiceEdge, n + 1);
  for (guint i = 0; i < n; i++)
    inputs[i] = sluice_grad_dy (g, i);
  inputs[n] = axis;
  return sluice_builder_add (&g->b, "ConcatV2", NULL, inputs, n + 1,
                             SLUICE_ATTRS (sluice_attr_int ("N", n)));
}

static gboolean
split_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 1, join_gradients (g, sluice_grad_input (g, 0)));
  return TRUE;
}

static gboolean
split_v_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0, join_gradients (g, sluice_grad_input (g, 2)));
  return TRUE;
}

static gboolean
pack_gradient (SluiceGradContext *g, GError **error)
{
  guint n = g->node->n_inputs;
  gint64 axis = sluice_node_get_int (g->node, "axis");
  SluiceEdge parts = sluice_op_with (
      &g->b, "Unpack", SLUICE_ATTRS (sluice_attr_int ("num", n), sluice_attr_int ("axis", axis)),
      sluice_grad_dy (g, 0));
  for (guint i = 0; i < n; i++)
    sluice_grad_set (g, i, sluice_edge_port (parts, i));
  return TRUE;
}

static gboolean
unpack_gradient (SluiceGradContext *g, GError **error)
{
  guint n = g->node->n_outputs;
  gint64 axis = sluice_node_get_int (g->node, "axis");
  g_autofree SluiceEdge *inputs = g_new (SluiceEdge, n);
  for (guint i = 0; i < n; i++)
    inputs[i] = sluice_grad_dy (g, i);
  if (n > 0)
    sluice_grad_set (g, 0,
                     sluice_builder_add (
                         &g->b, "Pack", NULL, inputs, n,
                         SLUICE_ATTRS (sluice_attr_int ("N", n), sluice_attr_int ("axis", axis))));
  return TRUE;
}

static const SluiceSample split_samples[] = {
  { "num_split=3", "int32[]={-1}; float[2,6]", 0, 0 },
  { "num_split=2", "int32[]={0}; string[4]", 0, 0 },
};
static const SluiceRecipe split_recipe = {
  .samples = split_samples,
  .n_samples = G_N_ELEMENTS (split_samples),
};

static const SluiceSample split_v_samples[] = {
  { "num_split=3", "float[7,2]; int32[3]={2,-1,1}; int32[]={0}", 0, 0 },
  { "num_split=2", "float[2,3]; int64[2]={0,3}; int32[]={-1}", 0, 0 },
  { "num_split=2; Tlen=int8", "float[7,2]; int8[2]={3,-1}; int32[]={0}", 0, 0 },
};
static const SluiceRecipe split_v_recipe = {
  .samples = split_v_samples,
  .n_samples = G_N_ELEMENTS (split_v_samples),
};

static const SluiceSample pack_samples[] = {
  { "N=2; axis=-1", "float[2,3]; float[2,3]", 0, 0 },
  { "N=3", "float[]; float[]; float[]", 0, 0 },
  { "N=2; axis=1", "string[2]; string[2]", 0, 0 },
};
static const SluiceRecipe pack_recipe = {
  .samples = pack_samples,
  .n_samples = G_N_ELEMENTS (pack_samples),
};

static const SluiceSample unpack_samples[] = {
  { "num=3; axis=1", "float[2,3,4]", 0, 0 },
  { "num=2", "string[2]", 0, 0 },
};
static const SluiceRecipe unpack_recipe = {
  .samples = unpack_samples,
  .n_samples = G_N_ELEMENTS (unpack_samples),
};

static const SluiceOpDef split_op = {
  .name = "Split",
  .signature = "split_dim: int32, value: T -> output: num_split * T",
  .attrs = "num_split: int >= 1; T: type",
  .summary = N_ ("Cuts a tensor into equal parts"),
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = split_shape,
  .gradient = split_gradient,
  .recipe = &split_recipe,
};

static const SluiceOpDef split_v_op = {
  .name = "SplitV",
  .signature = "value: T, size_splits: Tlen, split_dim: int32 -> output: num_split * T",
  .attrs = "num_split: int >= 1; T: type; Tlen: {int8, int32, int64} = int64",
  .summary = N_ ("Cuts a tensor into parts of given sizes"),
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = split_v_shape,
  .gradient = split_v_gradient,
  .recipe = &split_v_recipe,
};

static const SluiceOpDef pack_op = {
  .name = "Pack",
  .signature = "values: N * T -> output: T",
  .attrs = "N: int >= 1; T: type; axis: int = 0",
  .summary = N_ ("Puts tensors together along a new axis"),
  .role = SLUICE_ROLE_PACK,
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = pack_shape,
  .gradient = pack_gradient,
  .recipe = &pack_recipe,
};

static const SluiceOpDef unpack_op = {
  .name = "Unpack",
  .signature = "value: T -> output: num * T",
  .attrs = "num: int >= 0; T: type; axis: int = 0",
  .summary = N_ ("Takes a tensor apart along an axis"),
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = unpack_shape,
  .gradient = unpack_gradient,
  .recipe = &unpack_recipe,
};

static const SluiceOpDef *const ops[] = { &split_op, &split_v_op, &pack_op, &unpack_op };

const SluiceKernelModule sluice_module_array_split = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
