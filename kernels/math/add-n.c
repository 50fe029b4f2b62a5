/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* AddN: the sum of n tensors of one shape. Gradients of a tensor that is used twice meet here. */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"
#include "kernels/math/gradients.h"
#include "kernels/math/types.h"

static gboolean
add_n_gradient (SluiceGradContext *g, GError **error)
{
  for (guint i = 0; i < g->node->n_inputs; i++)
    sluice_grad_set (g, i, sluice_grad_dy (g, 0));
  return TRUE;
}

static void
add_n_cost (const SluiceNode *node, const SluiceShape *in, const SluiceShape *out, SluiceCost *cost)
{
  gint64 n = sluice_shape_n_elements (&out[0]);
  cost->flops = (double) n * (node->n_inputs - 1);
  cost->bytes = (double) n * sluice_dtype_size (node->outputs[0].dtype) * (node->n_inputs + 1);
}

static const SluiceSample samples[] = {
  { "N=1", "float[3,4]" },
  { "N=2", "float[]; float[]", 1e-6, 1e-6 },
  { "N=3", "float[17]; float[17]; float[17]", 1e-6, 1e-6 },
  { "N=2", "float[0,2]; float[0,2]" },
  { "N=3", "float[200,100]; float[200,100]; float[200,100]", 1e-6, 1e-6, .no_gradient = TRUE },
};
static const SluiceRecipe recipe = { samples, G_N_ELEMENTS (samples), SLUICE_SET_NUMBER };

static const SluiceOpDef add_n = {
  .name = "AddN",
  .signature = "inputs: N * T -> sum: T",
  .attrs = "N: int >= 1; T: {" SLUICE_NUMBER_TYPES ", variant}",
  .summary = N_ ("Sum of several tensors"),
  .role = SLUICE_ROLE_ADD_N,
  .flags = SLUICE_OP_COMMUTATIVE | SLUICE_OP_AGGREGATE | SLUICE_OP_MAY_SHARE,
  .shape = sluice_shape_merge_all,
  .gradient = add_n_gradient,
  .cost = add_n_cost,
  .recipe = &recipe,
};

static gboolean
accumulate_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_merge_all (c, error))
    return FALSE;
  SluiceShape merged, told = sluice_node_get_attr (c->node, "shape")->shape;
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  if (!sluice_shape_merge (&c->outputs[0].shape, &told, &merged))
    return sluice_shape_context_fail (c, error, "inputs of shape %s contradict attribute shape, %s",
                                      sluice_shape_str (&c->outputs[0].shape, a),
                                      sluice_shape_str (&told, b));
  sluice_shape_context_set (c, 0, &merged);
  return TRUE;
}

static const SluiceSample accumulate_samples[] = {
  { "N=1; shape=[3,4]", "float[3,4]" },
  { "N=3; shape=[17]", "float[17]; float[17]; float[17]", 1e-6, 1e-6 },
  { "N=2; shape=[0,2]", "float[0,2]; float[0,2]" },
};
static const SluiceRecipe accumulate_recipe = { accumulate_samples,
                                                G_N_ELEMENTS (accumulate_samples),
                                                SLUICE_SET_NUMBER };

static const SluiceOpDef accumulate_n = {
  .name = "AccumulateNV2",
  .signature = "inputs: N * T -> sum: T",
  .attrs = "N: int >= 1; T: {" SLUICE_NUMBER_TYPES "}; "
           "shape: shape",
  .summary = N_ ("Sum of several tensors of a shape that is told"),
  .flags = SLUICE_OP_COMMUTATIVE | SLUICE_OP_AGGREGATE | SLUICE_OP_MAY_SHARE,
  .shape = accumulate_shape,
  .gradient = add_n_gradient,
  .cost = add_n_cost,
  .recipe = &accumulate_recipe,
};

static const SluiceOpDef *const ops[] = { &add_n, &accumulate_n };

const SluiceKernelModule sluice_module_math_add_n = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
