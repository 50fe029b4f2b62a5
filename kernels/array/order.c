/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Rows by the order of their elements: TopK and TopKV2 (the largest, best first), NthElement,
 * LowerBound and UpperBound (where a value would stand in a sorted row).
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"
#include "kernels/math/gradients.h"

/* ---- TopK ---- */

static gboolean
set_top (SluiceShapeContext *c, gint64 k, GError **error)
{
  SluiceShape shape = c->inputs[0];
  if (!sluice_shape_context_want_rank_at_least (c, 0, 1, error))
    return FALSE;
  if (shape.rank < 0)
    return TRUE;
  gint64 *last = &shape.dim[shape.rank - 1];
  if (k >= 0 && *last >= 0 && *last < k)
    return sluice_shape_context_fail (
        c, error, "k is %" G_GINT64_FORMAT ", but rows have only %" G_GINT64_FORMAT " elements", k,
        *last);
  *last = k;
  sluice_shape_context_set (c, 0, &shape);
  sluice_shape_context_set (c, 1, &shape);
  return TRUE;
}

static gboolean
top_k_shape (SluiceShapeContext *c, GError **error)
{
  return set_top (c, sluice_node_get_int (c->node, "k"), error);
}

static gboolean
top_k_v2_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceTensor *k = sluice_shape_context_constant (c, 1);
  if (!sluice_shape_context_want_rank (c, 1, 0, error))
    return FALSE;
  gint64 value = SLUICE_UNKNOWN_DIM;
  if (k != NULL && k->n_elements == 1)
    value = sluice_tensor_get_int (k, 0);
  if (k != NULL && value < 0)
    return sluice_shape_context_fail (c, error,
                                      "k is %" G_GINT64_FORMAT ", but must not be negative", value);
  return set_top (c, value, error);
}

static SluiceEdge
last_size (SluiceGradContext *g, SluiceEdge shape)
{
  SluiceEdge last = MAKE ("Sub", MAKE ("Size", shape), sluice_builder_const_int32 (&g->b, 1));
  return MAKE ("GatherV2", shape, last, sluice_builder_const_int32 (&g->b, 0));
}

static SluiceEdge
as_int64 (SluiceGradContext *g, SluiceEdge e)
{
  return sluice_op_with (&g->b, "Cast", SLUICE_ATTRS (sluice_attr_type ("DstT", SLUICE_INT64)), e);
}

/* dy goes to the places in the flattened input that the values came from. */
static gboolean
top_k_gradient (SluiceGradContext *g, GError **error)
{
  gint64 all = -1;
  SluiceEdge zero = sluice_builder_const_number (&g->b, SLUICE_INT64, 0);
  SluiceEdge flat = sluice_builder_const_ints (&g->b, SLUICE_INT64, &all, 1);
  SluiceEdge minus_one = sluice_builder_const_int32 (&g->b, -1);
  SluiceEdge shape = sluice_grad_shape_of (g, sluice_grad_input (g, 0), SLUICE_INT64);
  SluiceEdge indices = as_int64 (g, sluice_grad_output (g, 1));
  SluiceEdge k = last_size (g, sluice_grad_shape_of (g, indices, SLUICE_INT64));
  SluiceEdge n = last_size (g, shape);
  SluiceEdge size = MAKE ("Prod", shape, sluice_builder_const_int32 (&g->b, 0));
  SluiceEdge two_d = sluice_op_with (&g->b, "Pack", SLUICE_ATTRS (sluice_attr_int ("N", 2)),
                                     sluice_builder_const_number (&g->b, SLUICE_INT64, -1), k);
  SluiceEdge starts = MAKE ("ExpandDims", MAKE ("Range", zero, size, n), minus_one);
  SluiceEdge places = MAKE ("AddV2", MAKE ("Reshape", indices, two_d), starts);
  places = MAKE ("ExpandDims", MAKE ("Reshape", places, flat), minus_one);
  SluiceEdge dy = MAKE ("Reshape", sluice_grad_dy (g, 0), flat);
  SluiceEdge length = MAKE ("ExpandDims", size, minus_one);
  sluice_grad_set (g, 0, MAKE ("Reshape", MAKE ("ScatterNd", places, dy, length), shape));
  return TRUE;
}

/* ---- NthElement ---- */

static gboolean
nth_element_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape = c->inputs[0];
  const SluiceTensor *n = sluice_shape_context_constant (c, 1);
  if (!sluice_shape_context_want_rank_at_least (c, 0, 1, error)
      || !sluice_shape_context_want_rank (c, 1, 0, error))
    return FALSE;
  if (shape.rank < 0)
    return TRUE;
  gint64 last = shape.dim[--shape.rank];
  gint64 value = n != NULL ? sluice_tensor_get_int (n, 0) : 0;
  if (value < 0 || (n != NULL && last >= 0 && value >= last))
    return sluice_shape_context_fail (
        c, error, "n is %" G_GINT64_FORMAT ", but rows have %" G_GINT64_FORMAT " elements", value,
        last);
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

/* Elements that equal the chosen one share its gradient. */
static gboolean
nth_element_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge x = sluice_grad_input (g, 0);
  SluiceEdge last = sluice_builder_const_int32 (&g->b, -1);
  SluiceEdge equal = MAKE ("Equal", MAKE ("ExpandDims", sluice_grad_output (g, 0), last), x);
  SluiceEdge share = sluice_op_with (
      &g->b, "Cast", SLUICE_ATTRS (sluice_attr_type ("DstT", gradient_dtype (x))), equal);
  SluiceEdge count = MAKE ("ExpandDims", MAKE ("Sum", share, last), last);
  SluiceEdge dy = MAKE ("ExpandDims", sluice_grad_dy (g, 0), last);
  sluice_grad_set (g, 0, MAKE ("Mul", MAKE ("RealDiv", share, count), dy));
  return TRUE;
}

/* ---- LowerBound, UpperBound ---- */

static gboolean
bound_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape row = c->inputs[0], values = c->inputs[1];
  if (!sluice_shape_context_want_rank (c, 0, 2, error)
      || !sluice_shape_context_want_rank (c, 1, 2, error))
    return FALSE;
  if (row.rank == 2 && values.rank == 2 && row.dim[0] >= 0 && values.dim[0] >= 0
      && row.dim[0] != values.dim[0])
    return sluice_shape_context_fail (c, error,
                                      "there are %" G_GINT64_FORMAT
                                      " sorted rows, but %" G_GINT64_FORMAT " rows of values",
                                      row.dim[0], values.dim[0]);
  sluice_shape_context_set (c, 0, &values);
  return TRUE;
}

static const SluiceSample top_k_samples[] = {
  { "k=2", "float[3,4]={3,1,4,1.5,9,2,6,5,3.5,8,9.5,7}" },
};
static const SluiceRecipe top_k_recipe = { top_k_samples, G_N_ELEMENTS (top_k_samples),
                                           SLUICE_SET_REAL };

static const SluiceSample top_k_v2_samples[] = {
  { "", "float[2,2,4]={3,1,4,1.5,9,2,6,5,3.5,8,9.5,7,0,20,30,10}; int32[]={3}" },
  { "", "float[65]; int32[]={65}", .no_gradient = TRUE },
  { "index_type=int64", "float[3,17]; int64[]={5}", .no_gradient = TRUE },
  { "", "float[6]={1,3,3,1,3,2}; int32[]={4}", .no_gradient = TRUE },
  { "", "float[2,3]; int32[]={0}" },
  { "", "float[0,3]; int32[]={1}" },
};
static const SluiceRecipe top_k_v2_recipe = { top_k_v2_samples, G_N_ELEMENTS (top_k_v2_samples),
                                              SLUICE_SET_REAL };

static const SluiceSample nth_samples[] = {
  { "", "float[2,5]={3,1,4,1.5,9,2,6,5,3.5,8}; int32[]={2}" },
  { "reverse=true", "float[2,5]={3,1,4,1.5,9,2,6,5,3.5,8}; int32[]={0}" },
  { "", "float[0,3]; int32[]={1}" },
};
static const SluiceRecipe nth_recipe = { nth_samples, G_N_ELEMENTS (nth_samples), SLUICE_SET_REAL };

static const SluiceSample bound_samples[] = {
  { "", "float[2,4]={1,3,3,5,2,4,6,8}; float[2,3]={0,3,9,2,5,8}" },
  { "out_type=int64", "float[1,0]; float[1,3]" },
};
static const SluiceRecipe bound_recipe = { bound_samples, G_N_ELEMENTS (bound_samples),
                                           SLUICE_SET_REAL };

static const SluiceOpDef top_k_op = {
  .name = "TopK",
  .signature = "input: T -> values: T, indices: int32",
  .attrs = "k: int >= 0; sorted: bool = true; T: real",
  .summary = N_ ("The k largest elements of each row, and where they are"),
  .shape = top_k_shape,
  .gradient = top_k_gradient,
  .recipe = &top_k_recipe,
};

static const SluiceOpDef top_k_v2_op = {
  .name = "TopKV2",
  .signature = "input: T, k: Tk -> values: T, indices: index_type",
  .attrs = "sorted: bool = true; T: real; Tk: {int16, int32, int64} = int32; "
           "index_type: {int16, int32, int64} = int32",
  .summary = N_ ("The k largest elements of each row, and where they are"),
  .shape = top_k_v2_shape,
  .gradient = top_k_gradient,
  .recipe = &top_k_v2_recipe,
};

static const SluiceOpDef nth_element_op = {
  .name = "NthElement",
  .signature = "input: T, n: int32 -> values: T",
  .attrs = "reverse: bool = false; T: real",
  .summary = N_ ("The element of each row that n others come before"),
  .shape = nth_element_shape,
  .gradient = nth_element_gradient,
  .recipe = &nth_recipe,
};

#define BOUND(text, what)                                                                          \
  {                                                                                                \
    .name = text, .signature = "sorted_inputs: T, values: T -> output: out_type",                  \
    .attrs = "T: type; out_type: {int32, int64} = int32", .summary = what, .shape = bound_shape,   \
    .recipe = &bound_recipe,                                                                       \
  }
static const SluiceOpDef lower_bound_op =
    BOUND ("LowerBound", N_ ("Where values could stand first in a sorted row"));
static const SluiceOpDef upper_bound_op =
    BOUND ("UpperBound", N_ ("Where values could stand last in a sorted row"));

static const SluiceOpDef *const ops[] = {
  &top_k_op, &top_k_v2_op, &nth_element_op, &lower_bound_op, &upper_bound_op,
};

const SluiceKernelModule sluice_module_array_order = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
