/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* RandomGamma and RandomPoisson: samples of the laws of a tensor of parameters. */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "engine/graph/shape-context.h"

/* The shape wanted, and behind it the parameters'. */
static gboolean
samples_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape = SLUICE_SHAPE_UNKNOWN;
  const SluiceShape *parameters = &c->inputs[1];
  if (!sluice_shape_context_want_rank (c, 0, 1, error)
      || !sluice_shape_context_shape_from_input (c, 0, &shape, error))
    return FALSE;
  if (shape.rank < 0 || parameters->rank < 0)
    return TRUE;
  if (shape.rank + parameters->rank > SLUICE_MAX_RANK)
    return sluice_shape_context_fail (c, error, "the result would have more than %d dimensions",
                                      SLUICE_MAX_RANK);
  for (int i = 0; i < parameters->rank; i++)
    shape.dim[shape.rank++] = parameters->dim[i];
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

/* Implicit reparameterisation, Figurnov et al. 2018: dx/dalpha at a fixed quantile, added up over
 * the samples of each alpha. */
static gboolean
gamma_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge slope =
      sluice_op (&g->b, "RandomGammaGrad", sluice_grad_input (g, 1), sluice_grad_output (g, 0));
  SluiceEdge axes = sluice_op (&g->b, "Range", sluice_builder_const_int32 (&g->b, 0),
                               sluice_op (&g->b, "Size", sluice_grad_input (g, 0)),
                               sluice_builder_const_int32 (&g->b, 1));
  SluiceEdge dx = sluice_op (&g->b, "Mul", sluice_grad_dy (g, 0), slope);
  sluice_grad_set (g, 1, sluice_op (&g->b, "Sum", dx, axes));
  return TRUE;
}

static void
samples_cost (const SluiceNode *node,
              const SluiceShape *in,
              const SluiceShape *out,
              SluiceCost *cost)
{
  double n = (double) sluice_shape_n_elements (&out[0]);
  cost->flops = 150 * n;
  cost->bytes = n * (double) sluice_dtype_size (node->outputs[0].dtype);
}

#define SEEDED "seed=3; seed2=7"
/* The gradient follows a quantile, differences of a rejecting sampler do not. */
static const SluiceSample gamma_samples[] = {
  { SEEDED, "int32[1]={5}; float[3]={0.3,1,4.5}", 1e-6, 1e-7, TRUE },
  { SEEDED, "int64[2]={2,3}; double[]={2.5}", 1e-6, 1e-7, TRUE },
  { SEEDED, "int32[0]={}; half[2,2] in (0.5,4)", 1e-3, 1e-3, TRUE },
  { SEEDED, "int32[1]={0}; float[3] in (0.5,4)", 0, 0, TRUE },
};
static const SluiceSample gamma_grad_samples[] = {
  { "", "float[3]={0.3,1,4.5}; float[2,3] in (0.1,4)", 1e-5, 1e-6, TRUE },
  { "", "double[]={2}; double[4] in (0.1,40)", 1e-5, 1e-6, TRUE },
};
static const SluiceSample poisson_samples[] = {
  { SEEDED "; dtype=float", "int32[1]={5}; float[3]={0.3,4.5,30}", 0, 0, TRUE },
  { SEEDED "; dtype=double", "int64[2]={2,3}; double[]={250}", 0, 0, TRUE },
};
static const SluiceSample poisson_v2_samples[] = {
  { SEEDED, "int32[1]={5}; float[3]={0.3,4.5,30}", 0, 0, TRUE },
  { SEEDED "; dtype=float", "int64[2]={2,3}; int32[2]={2,250}", 0, 0, TRUE },
  { SEEDED "; dtype=int32", "int32[1]={0}; half[2] in (0,9)", 0, 0, TRUE },
};

#define RECIPE(id)                                                                                 \
  static const SluiceRecipe id##_recipe = { .samples = id##_samples,                               \
                                            .n_samples = G_N_ELEMENTS (id##_samples) }
RECIPE (gamma);
RECIPE (gamma_grad);
RECIPE (poisson);
RECIPE (poisson_v2);

static const SluiceOpDef gamma_op = {
  .name = "RandomGamma",
  .signature = "shape: S, alpha: T -> output: T",
  .attrs = "seed: int = 0; seed2: int = 0; S: index; T: {half, float, double}",
  .summary = N_ ("Random numbers of gamma laws, `shape` of them for each alpha"),
  .flags = SLUICE_OP_STATEFUL,
  .shape = samples_shape,
  .gradient = gamma_gradient,
  .cost = samples_cost,
  .recipe = &gamma_recipe,
};

static const SluiceOpDef gamma_grad_op = {
  .name = "RandomGammaGrad",
  .signature = "alpha: T, sample: T -> output: T",
  .attrs = "T: {float, double}",
  .summary = N_ ("How a sample of a gamma law moves with alpha"),
  .shape = sluice_shape_broadcast_2,
  .cost = samples_cost,
  .recipe = &gamma_grad_recipe,
};

static const SluiceOpDef poisson_op = {
  .name = "RandomPoisson",
  .signature = "shape: S, rate: dtype -> output: dtype",
  .attrs = "seed: int = 0; seed2: int = 0; S: index; dtype: {half, float, double}",
  .summary = N_ ("Random numbers of Poisson laws, `shape` of them for each rate"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = samples_shape,
  .cost = samples_cost,
  .recipe = &poisson_recipe,
};

static const SluiceOpDef poisson_v2_op = {
  .name = "RandomPoissonV2",
  .signature = "shape: S, rate: R -> output: dtype",
  .attrs = "seed: int = 0; seed2: int = 0; S: index; "
           "R: {half, float, double, int32, int64} = double; "
           "dtype: {half, float, double, int32, int64} = int64",
  .summary = N_ ("Random numbers of Poisson laws, `shape` of them for each rate"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = samples_shape,
  .cost = samples_cost,
  .recipe = &poisson_v2_recipe,
};

static const SluiceOpDef *const ops[] = { &gamma_op, &gamma_grad_op, &poisson_op, &poisson_v2_op };

const SluiceKernelModule sluice_module_random_gamma = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
