/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Fractional pools (Graham, Fractional Max-Pooling, 2014): rows and columns are cut at random into
 * pieces of two neighbouring lengths, so that their number shrinks by a ratio that is no integer.
 * The cuts are outputs, which the gradient reads.
 */
#include <glib/gi18n-lib.h>
#include <math.h>

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"

static gboolean
pool_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceAttrValue *ratios = sluice_node_get_attr (c->node, "pooling_ratio");
  SluiceShape out = sluice_shape_of_rank (4);
  if (!sluice_shape_context_want_rank (c, 0, 4, error))
    return FALSE;
  if (ratios->list.n != 4)
    return sluice_shape_context_fail (c, error, "pooling_ratio must list 4 ratios, not %u",
                                      ratios->list.n);
  for (int i = 0; i < 4; i++)
    {
      double ratio = ratios->list.items[i].f;
      if (!(ratio >= 1))
        return sluice_shape_context_fail (c, error, "pooling_ratio must be 1 or more, not %g",
                                          ratio);
      if (c->inputs[0].rank == 4 && c->inputs[0].dim[i] >= 0)
        out.dim[i] = (gint64) floor ((double) c->inputs[0].dim[i] / ratio);
    }
  sluice_shape_context_set (c, 0, &out);
  /* One more is there when it runs; TensorFlow's inference says so, and shapes must agree. */
  for (int i = 1; i < 3; i++)
    sluice_shape_context_set (c, i, &SLUICE_SHAPE (out.dim[i]));
  return TRUE;
}

static gboolean
max_grad_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 4, error))
    return FALSE;
  SluiceShape out = c->inputs[0].rank < 0 ? sluice_shape_of_rank (4) : c->inputs[0];
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

static gboolean
avg_grad_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape out = SLUICE_SHAPE_UNKNOWN;
  if (!sluice_shape_context_shape_from_input (c, 0, &out, error))
    return FALSE;
  if (out.rank < 0)
    out = sluice_shape_of_rank (4);
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

static SluiceEdge
grad_node (SluiceGradContext *g, const char *op, const SluiceEdge *inputs, guint n)
{
  SluiceAttr overlapping =
      sluice_attr_value ("overlapping", sluice_node_get_attr (g->node, "overlapping"));
  return sluice_builder_add (&g->b, op, NULL, inputs, n, &overlapping, 1);
}

static gboolean
max_gradient (SluiceGradContext *g, GError **error)
{
  const SluiceEdge inputs[] = { sluice_grad_input (g, 0), sluice_grad_output (g, 0),
                                sluice_grad_dy (g, 0), sluice_grad_output (g, 1),
                                sluice_grad_output (g, 2) };
  sluice_grad_set (g, 0, grad_node (g, "FractionalMaxPoolGrad", inputs, G_N_ELEMENTS (inputs)));
  return TRUE;
}

static gboolean
avg_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge shape =
      sluice_op_with (&g->b, "Shape", SLUICE_ATTRS (sluice_attr_type ("out_type", SLUICE_INT64)),
                      sluice_grad_input (g, 0));
  const SluiceEdge inputs[] = { shape, sluice_grad_dy (g, 0), sluice_grad_output (g, 1),
                                sluice_grad_output (g, 2) };
  sluice_grad_set (g, 0, grad_node (g, "FractionalAvgPoolGrad", inputs, G_N_ELEMENTS (inputs)));
  return TRUE;
}

#define TYPES                                                                                      \
  (SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE) | SLUICE_SET (SLUICE_INT32)              \
   | SLUICE_SET (SLUICE_INT64))
#define FIXED "pooling_ratio=[1.0,1.44,1.73,1.0]; deterministic=true; seed=3; seed2=4"
static const SluiceSample samples[] = {
  { FIXED, "float[2,7,8,3]", 1e-6, 1e-6 },
  { FIXED "; overlapping=true; pseudo_random=true", "float[1,9,8,2]", 1e-6, 1e-6 },
};
static const SluiceRecipe recipe = { .samples = samples,
                                     .n_samples = G_N_ELEMENTS (samples),
                                     .dtypes = TYPES };

#define CUTS "int64[3]={0,2,4}; int64[4]={0,1,3,5}"
static const SluiceSample max_grad_samples[] = {
  { "", "float[2,4,5,3]; float[2,2,3,3]; float[2,2,3,3]; " CUTS, 1e-6, 1e-6, TRUE },
  { "overlapping=true", "float[2,4,5,3]; float[2,2,3,3]; float[2,2,3,3]; " CUTS, 1e-6, 1e-6, TRUE },
};
static const SluiceRecipe max_grad_recipe = { .samples = max_grad_samples,
                                              .n_samples = G_N_ELEMENTS (max_grad_samples),
                                              .dtypes = TYPES };

static const SluiceSample avg_grad_samples[] = {
  { "", "int64[4]={2,4,5,3}; float[2,2,3,3]; " CUTS, 1e-6, 1e-6, TRUE },
  { "overlapping=true", "int64[4]={2,4,5,3}; float[2,2,3,3]; " CUTS, 1e-6, 1e-6, TRUE },
};
static const SluiceRecipe avg_grad_recipe = { .samples = avg_grad_samples,
                                              .n_samples = G_N_ELEMENTS (avg_grad_samples),
                                              .dtypes = TYPES };

#define T_TYPES "T: {float, double, int32, int64}"
#define ATTRS                                                                                      \
  "pooling_ratio: list(float) >= 4; pseudo_random: bool = false; overlapping: bool = false; "      \
  "deterministic: bool = false; seed: int = 0; seed2: int = 0; " T_TYPES
#define OUTPUTS "output: T, row_pooling_sequence: int64, col_pooling_sequence: int64"
#define CUT_INPUTS                                                                                 \
  "out_backprop: T, row_pooling_sequence: int64, col_pooling_sequence: int64 -> output: T"

static const SluiceOpDef max_op = {
  .name = "FractionalMaxPool",
  .signature = "value: T -> " OUTPUTS,
  .attrs = ATTRS,
  .summary = N_ ("The largest of each of randomly cut cells"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP, /* two of them cut differently */
  .shape = pool_shape,
  .gradient = max_gradient,
  .recipe = &recipe,
};

static const SluiceOpDef max_grad_op = {
  .name = "FractionalMaxPoolGrad",
  .signature = "orig_input: T, orig_output: T, " CUT_INPUTS,
  .attrs = "overlapping: bool = false; " T_TYPES,
  .summary = N_ ("Gradient of a fractional maximum pool"),
  .shape = max_grad_shape,
  .recipe = &max_grad_recipe,
};

static const SluiceOpDef avg_op = {
  .name = "FractionalAvgPool",
  .signature = "value: T -> " OUTPUTS,
  .attrs = ATTRS,
  .summary = N_ ("The mean of each of randomly cut cells"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP,
  .shape = pool_shape,
  .gradient = avg_gradient,
  .recipe = &recipe,
};

static const SluiceOpDef avg_grad_op = {
  .name = "FractionalAvgPoolGrad",
  .signature = "orig_input_tensor_shape: int64, " CUT_INPUTS,
  .attrs = "overlapping: bool = false; " T_TYPES,
  .summary = N_ ("Gradient of a fractional mean pool"),
  .shape = avg_grad_shape,
  .recipe = &avg_grad_recipe,
};

static const SluiceOpDef *const ops[] = { &max_op, &max_grad_op, &avg_op, &avg_grad_op };

const SluiceKernelModule sluice_module_nn_fractional = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
