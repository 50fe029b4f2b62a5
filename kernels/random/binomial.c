/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Samples of binomial laws: stateless, and by a generator that is a variable. */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "kernels/random/shapes.h"

static gboolean
stateful_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 1, 0, error) && sluice_shape_random_at (c, 2, error);
}

static void
binomial_cost (const SluiceNode *node,
               const SluiceShape *in,
               const SluiceShape *out,
               SluiceCost *cost)
{
  double n = (double) sluice_shape_n_elements (&out[0]);
  cost->flops = 300 * n;
  cost->bytes = n * (double) sluice_dtype_size (node->outputs[0].dtype);
}

#define SEEDS "int64[2]={3,7}"
static const SluiceSample samples[] = {
  { "", "int32[2]={4,3}; " SEEDS "; float[3]={3,40,9}; float[3]={0.2,0.6,0.9}", 0, 0, TRUE },
  { "dtype=float", "int64[2]={2,3}; " SEEDS "; double[]=100; double[3]={0,0.4,1}", 0, 0, TRUE },
  { "dtype=half", "int32[1]={0}; " SEEDS "; half[]=5; half[]=0.5", 0, 0, TRUE },
};
static const SluiceRecipe recipe = { .samples = samples, .n_samples = G_N_ELEMENTS (samples) };
static const SluiceRecipe stateful_recipe = {
  .why_none = N_ ("changes a variable: tests/kernels/test-random makes one")
};

#define LAW_ATTRS                                                                                  \
  "T: {half, float, double, int32, int64} = double; "                                              \
  "dtype: {half, float, double, int32, int64} = int64"

static const SluiceOpDef stateless_op = {
  .name = "StatelessRandomBinomial",
  .signature = "shape: S, seed: Tseed, counts: T, probs: T -> output: dtype",
  .attrs = "S: index; Tseed: index = int64; " LAW_ATTRS,
  .summary = N_ ("Random numbers of binomial laws, the same for the same seed"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_random_seeded,
  .cost = binomial_cost,
  .recipe = &recipe,
};

static const SluiceOpDef stateful_op = {
  .name = "StatefulRandomBinomial",
  .signature = "resource: resource, algorithm: int64, shape: S, counts: T, probs: T -> "
               "output: dtype",
  .attrs = "S: index; " LAW_ATTRS,
  .summary = N_ ("Random numbers of binomial laws, by a generator that is a variable"),
  .flags = SLUICE_OP_STATEFUL,
  .shape = stateful_shape,
  .cost = binomial_cost,
  .recipe = &stateful_recipe,
};

static const SluiceOpDef *const ops[] = { &stateless_op, &stateful_op };

const SluiceKernelModule sluice_module_random_binomial = { .ops = ops,
                                                           .n_ops = G_N_ELEMENTS (ops) };
