/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Samples of the gamma and Poisson laws of a tensor of parameters. Ops with a state put the shape
 * that is wanted before the parameters'; stateless ones want a shape that ends with it.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "kernels/random/shapes.h"

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
static void
add_gamma_gradient (SluiceGradContext *g, guint alpha, SluiceEdge n_sample_dims)
{
  SluiceEdge slope =
      sluice_op (&g->b, "RandomGammaGrad", sluice_grad_input (g, alpha), sluice_grad_output (g, 0));
  SluiceEdge axes = sluice_op (&g->b, "Range", sluice_builder_const_int32 (&g->b, 0), n_sample_dims,
                               sluice_builder_const_int32 (&g->b, 1));
  SluiceEdge dx = sluice_op (&g->b, "Mul", sluice_grad_dy (g, 0), slope);
  sluice_grad_set (g, alpha, sluice_op (&g->b, "Sum", dx, axes));
}

static gboolean
gamma_gradient (SluiceGradContext *g, GError **error)
{
  add_gamma_gradient (g, 1, sluice_op (&g->b, "Size", sluice_grad_input (g, 0)));
  return TRUE;
}

/* Alpha is the last input, and the shape that is wanted ends with its. */
static gboolean
stateless_gamma_gradient (SluiceGradContext *g, GError **error)
{
  guint alpha = g->node->n_inputs - 1;
  SluiceEdge rank = sluice_op (&g->b, "Rank", sluice_grad_input (g, alpha));
  SluiceEdge size = sluice_op (&g->b, "Size", sluice_grad_input (g, 0));
  add_gamma_gradient (g, alpha, sluice_op (&g->b, "Sub", size, rank));
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

static const SluiceSample gamma_v2_samples[] = {
  { "", "int32[2]={5,3}; int64[2]={3,7}; float[3]={0.3,1,4.5}", 1e-6, 1e-7, TRUE },
  { "", "int64[1]={6}; int32[2]={0,-7}; double[]={2.5}", 1e-6, 1e-7, TRUE },
  { "", "int32[2]={2,2}; int64[2]={3,7}; half[2,2] in (0.5,4)", 1e-3, 1e-3, TRUE },
  { "", "int32[2]={0,3}; int64[2]={3,7}; float[3] in (0.5,4)", 0, 0, TRUE },
};
#define KEY "uint64[1]={77}; uint64[2]={3,9}; int32[]=1"
static const SluiceSample gamma_v3_samples[] = {
  { "", "int32[2]={5,3}; " KEY "; float[3]={0.3,1,4.5}", 1e-6, 1e-7, TRUE },
  { "", "int64[1]={6}; " KEY "; double[]={2.5}", 1e-6, 1e-7, TRUE },
};
static const SluiceSample stateless_poisson_samples[] = {
  { "dtype=float", "int32[2]={5,3}; int64[2]={3,7}; float[3]={0.3,4.5,30}", 0, 0, TRUE },
  { "dtype=int64", "int64[2]={2,3}; int32[2]={3,7}; double[]={250}", 0, 0, TRUE },
  { "dtype=int32", "int64[2]={2,2}; int64[2]={3,7}; int32[2]={2,250}", 0, 0, TRUE },
};

#define RECIPE(id)                                                                                 \
  static const SluiceRecipe id##_recipe = { .samples = id##_samples,                               \
                                            .n_samples = G_N_ELEMENTS (id##_samples) }
RECIPE (gamma);
RECIPE (gamma_grad);
RECIPE (poisson);
RECIPE (poisson_v2);
RECIPE (gamma_v2);
RECIPE (gamma_v3);
RECIPE (stateless_poisson);

static const SluiceOpDef gamma_op = {
  .name = "RandomGamma",
  .signature = "shape: S, alpha: T -> output: T",
  .attrs = "seed: int = 0; seed2: int = 0; S: index; T: {half, float, double}",
  .summary = N_ ("Random numbers of gamma laws, `shape` of them for each alpha"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP,
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
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP | SLUICE_OP_NOT_DIFFERENTIABLE,
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
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP | SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = samples_shape,
  .cost = samples_cost,
  .recipe = &poisson_v2_recipe,
};

static const SluiceOpDef gamma_v2_op = {
  .name = "StatelessRandomGammaV2",
  .signature = "shape: T, seed: Tseed, alpha: dtype -> output: dtype",
  .attrs = "dtype: {half, float, double}; T: index; Tseed: index = int64",
  .summary = N_ ("Random numbers of gamma laws, the same for the same seed"),
  .shape = sluice_shape_random_seeded,
  .gradient = stateless_gamma_gradient,
  .cost = samples_cost,
  .recipe = &gamma_v2_recipe,
};

static const SluiceOpDef gamma_v3_op = {
  .name = "StatelessRandomGammaV3",
  .signature = "shape: shape_dtype, key: uint64, counter: uint64, alg: int32, alpha: dtype -> "
               "output: dtype",
  .attrs = "dtype: {half, float, double}; shape_dtype: index = int32",
  .summary = N_ ("Random numbers of gamma laws, the same for the same seed"),
  .shape = sluice_shape_random_keyed,
  .gradient = stateless_gamma_gradient,
  .cost = samples_cost,
  .recipe = &gamma_v3_recipe,
};

static const SluiceOpDef stateless_poisson_op = {
  .name = "StatelessRandomPoisson",
  .signature = "shape: T, seed: Tseed, lam: Rtype -> output: dtype",
  .attrs = "Rtype: {half, float, double, int32, int64}; "
           "dtype: {half, float, double, int32, int64}; T: index; Tseed: index = int64",
  .summary = N_ ("Random numbers of Poisson laws, the same for the same seed"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_random_seeded,
  .cost = samples_cost,
  .recipe = &stateless_poisson_recipe,
};

static const SluiceOpDef *const ops[] = {
  &gamma_op,    &gamma_grad_op, &poisson_op,          &poisson_v2_op,
  &gamma_v2_op, &gamma_v3_op,   &stateless_poisson_op
};

const SluiceKernelModule sluice_module_random_gamma = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
