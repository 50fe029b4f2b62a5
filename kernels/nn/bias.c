/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * BiasAdd: adds a vector along the channels, the last dimension (NHWC) or the second (NCHW).
 * BiasAddGrad: sums over all the others. dvalue = dy, dbias = BiasAddGrad (dy).
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"

static gboolean
is_nchw (const SluiceNode *node)
{
  return sluice_node_get_attr (node, "data_format")
         && sluice_node_string_is (node, "data_format", "NCHW");
}

/* Which dimension of a value of that rank holds the channels. */
static int
channel_dim (const SluiceNode *node, int rank)
{
  return is_nchw (node) && rank > 2 ? 1 : rank - 1;
}

static gboolean
bias_add_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank_at_least (c, 0, 2, error)
      || !sluice_shape_context_want_rank (c, 1, 1, error))
    return FALSE;
  SluiceShape out = c->inputs[0];
  if (out.rank >= 0 && c->inputs[1].rank == 1)
    {
      gint64 *channels = &out.dim[channel_dim (c->node, out.rank)];
      gint64 bias = c->inputs[1].dim[0];
      if (*channels >= 0 && bias >= 0 && *channels != bias)
        return sluice_shape_context_fail (
            c, error, "the value has %" G_GINT64_FORMAT " channels, the bias %" G_GINT64_FORMAT,
            *channels, bias);
      *channels = MAX (*channels, bias);
    }
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

static gboolean
bias_grad_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank_at_least (c, 0, 2, error))
    return FALSE;
  int rank = c->inputs[0].rank;
  gint64 channels = rank < 0 ? SLUICE_UNKNOWN_DIM : c->inputs[0].dim[channel_dim (c->node, rank)];
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (channels));
  return TRUE;
}

static const char *
format_of (const SluiceNode *node)
{
  return is_nchw (node) ? "NCHW" : "NHWC";
}

static gboolean
bias_add_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge dy = sluice_grad_dy (g, 0);
  sluice_grad_set (g, 0, dy);
  sluice_grad_set (
      g, 1,
      sluice_op_with (&g->b, "BiasAddGrad",
                      SLUICE_ATTRS (sluice_attr_string ("data_format", format_of (g->node))), dy));
  return TRUE;
}

/* The older op sums with Sum, as TensorFlow does. */
static gboolean
bias_add_v1_gradient (SluiceGradContext *g, GError **error)
{
  SluiceBuilder *b = &g->b;
  SluiceEdge dy = sluice_grad_dy (g, 0);
  SluiceEdge rank = sluice_op (b, "Rank", dy);
  SluiceEdge one = sluice_builder_const_int32 (b, 1);
  SluiceEdge axes = sluice_op (b, "Range", sluice_builder_const_int32 (b, 0),
                               sluice_op (b, "Sub", rank, one), one);
  sluice_grad_set (g, 0, dy);
  sluice_grad_set (g, 1, sluice_op (b, "Sum", dy, axes));
  return TRUE;
}

/* Spreads the gradient of a sum over the channels back: adds it to zeros of the value's shape. */
static gboolean
bias_grad_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge zeros = sluice_op (&g->b, "ZerosLike", sluice_grad_input (g, 0));
  sluice_grad_set (
      g, 0,
      sluice_op_with (&g->b, "BiasAdd",
                      SLUICE_ATTRS (sluice_attr_string ("data_format", format_of (g->node))), zeros,
                      sluice_grad_dy (g, 0)));
  return TRUE;
}

static const SluiceSample add_samples[] = {
  { "", "float[2,3,5]; float[5]", 1e-6, 1e-6 },
  { "", "float[64,17]; float[17]", 1e-6, 1e-6 },
  { "data_format='NCHW'", "float[2,3,4,5]; float[3]", 1e-6, 1e-6 },
  { "", "float[0,3]; float[3]", 0, 0 },
};
static const SluiceRecipe add_recipe = { .samples = add_samples,
                                         .n_samples = G_N_ELEMENTS (add_samples),
                                         .dtypes = SLUICE_SET_NUMBER };

static const SluiceRecipe add_v1_recipe = { .samples = add_samples,
                                            .n_samples = 2,
                                            .dtypes = SLUICE_SET_FLOATS };

static const SluiceSample grad_samples[] = {
  { "", "float[2,3,5]", 1e-5, 1e-6 },
  { "", "float[300,17]", 1e-5, 1e-5 },
  { "data_format='NCHW'", "float[2,3,4,5]", 1e-5, 1e-6 },
  { "", "float[0,3]", 0, 0 },
};
static const SluiceRecipe grad_recipe = { .samples = grad_samples,
                                          .n_samples = G_N_ELEMENTS (grad_samples),
                                          .dtypes = SLUICE_SET_NUMBER };

static const SluiceOpDef bias_add_op = {
  .name = "BiasAdd",
  .signature = "value: T, bias: T -> output: T",
  .attrs = "T: number; data_format: {'NHWC', 'NCHW'} = 'NHWC'",
  .summary = N_ ("Adds a bias to each channel"),
  .shape = bias_add_shape,
  .gradient = bias_add_gradient,
  .recipe = &add_recipe,
};

static const SluiceOpDef bias_add_v1_op = {
  .name = "BiasAddV1",
  .signature = "value: T, bias: T -> output: T",
  .attrs = "T: number",
  .summary = N_ ("Adds a bias to each channel, as written before 2016"),
  .shape = bias_add_shape,
  .gradient = bias_add_v1_gradient,
  .recipe = &add_v1_recipe,
};

static const SluiceOpDef bias_grad_op = {
  .name = "BiasAddGrad",
  .signature = "out_backprop: T -> output: T",
  .attrs = "T: number; data_format: {'NHWC', 'NCHW'} = 'NHWC'",
  .summary = N_ ("Gradient of a bias: the sum over all but the channels"),
  .shape = bias_grad_shape,
  .gradient = bias_grad_gradient,
  .recipe = &grad_recipe,
};

static const SluiceOpDef *const ops[] = { &bias_add_op, &bias_add_v1_op, &bias_grad_op };

const SluiceKernelModule sluice_module_nn_bias = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
