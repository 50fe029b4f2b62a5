/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Normal laws between bounds, of parameters that are tensors. */
#include <float.h>
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "kernels/random/shapes.h"

static gboolean
parameterized_shape (SluiceShapeContext *c, GError **error)
{
  for (guint i = 1; i <= 4; i++)
    if (c->inputs[i].rank > 1)
      {
        char s[SLUICE_SHAPE_STR];
        return sluice_shape_context_fail (c, error, "input %u must be a scalar or a vector, not %s",
                                          i, sluice_shape_str (&c->inputs[i], s));
      }
  return sluice_shape_random (c, error);
}

/* ---- gradient: implicit reparameterisation, Figurnov et al. 2018 ---- */

/* The normal law's distribution function, by whichever of erf and erfc is exact there. */
static SluiceEdge
normal_cdf (SluiceBuilder *b, SluiceEdge x, SluiceDType dtype)
{
  SluiceEdge half_sqrt_2 = sluice_builder_const_number (b, dtype, 0.5 * G_SQRT2);
  SluiceEdge one = sluice_builder_const_number (b, dtype, 1);
  SluiceEdge two = sluice_builder_const_number (b, dtype, 2);
  SluiceEdge zero = sluice_builder_const_number (b, dtype, 0);
  SluiceEdge w = sluice_op (b, "Mul", x, half_sqrt_2), z = sluice_op (b, "Abs", w);
  SluiceEdge near = sluice_op (b, "AddV2", one, sluice_op (b, "Erf", w));
  SluiceEdge tail = sluice_op (b, "Erfc", z);
  SluiceEdge far = sluice_op (b, "SelectV2", sluice_op (b, "Greater", w, zero),
                              sluice_op (b, "Sub", two, tail), tail);
  SluiceEdge twice = sluice_op (b, "SelectV2", sluice_op (b, "Less", z, half_sqrt_2), near, far);
  return sluice_op (b, "Mul", sluice_builder_const_number (b, dtype, 0.5), twice);
}

/* exp ((sample² - bound²) / 2 + log_share): how the sample moves with the bound. */
static SluiceEdge
bound_slope (
    SluiceBuilder *b, SluiceDType dtype, SluiceEdge sample, SluiceEdge bound, SluiceEdge log_share)
{
  SluiceEdge apart =
      sluice_op (b, "Sub", sluice_op (b, "Square", sample), sluice_op (b, "Square", bound));
  SluiceEdge half = sluice_op (b, "Mul", sluice_builder_const_number (b, dtype, 0.5), apart);
  return sluice_op (b, "Exp", sluice_op (b, "AddV2", half, log_share));
}

/* The gradient of parameter i: summed over what it was repeated for. */
static void
set_parameter (SluiceGradContext *g, guint i, SluiceEdge slope)
{
  SluiceBuilder *b = &g->b;
  SluiceEdge shape = sluice_op (b, "Shape", sluice_grad_input (g, i));
  SluiceEdge whole = sluice_op (b, "Shape", sluice_grad_output (g, 0));
  SluiceEdge axes = sluice_edge_port (sluice_op (b, "BroadcastGradientArgs", whole, shape), 1);
  SluiceEdge dy = sluice_grad_dy (g, 0);
  SluiceEdge dx = slope.node ? sluice_op (b, "Mul", dy, slope) : dy;
  sluice_grad_set (g, i, sluice_op (b, "Reshape", sluice_op (b, "Sum", dx, axes), shape));
}

/* The least positive number and the distance of 1 from the next. */
static void
get_limits (SluiceDType dtype, double *tiny, double *epsilon)
{
  *tiny = dtype == SLUICE_DOUBLE ? DBL_MIN : dtype == SLUICE_FLOAT ? (double) FLT_MIN : 0x1p-14;
  *epsilon = dtype == SLUICE_DOUBLE  ? DBL_EPSILON
             : dtype == SLUICE_FLOAT ? (double) FLT_EPSILON
                                     : 0x1p-10;
}

static gboolean
stateless_gradient (SluiceGradContext *g, GError **error)
{
  SluiceBuilder *b = &g->b;
  SluiceDType dtype = sluice_dtype_base (sluice_edge_dtype (g->node->inputs[2]));
  SluiceEdge mean = sluice_grad_input (g, 2), deviation = sluice_grad_input (g, 3);
  SluiceEdge raw[] = { sluice_grad_input (g, 4), sluice_grad_input (g, 5),
                       sluice_grad_output (g, 0) };
  SluiceEdge z[3], cdf[3];
  for (int i = 0; i < 3; i++)
    {
      z[i] = sluice_op (b, "RealDiv", sluice_op (b, "Sub", raw[i], mean), deviation);
      cdf[i] = normal_cdf (b, z[i], dtype);
    }
  double tiny, epsilon;
  get_limits (dtype, &tiny, &epsilon);
  SluiceEdge share = sluice_op (b, "RealDiv", sluice_op (b, "Sub", cdf[2], cdf[0]),
                                sluice_op (b, "Sub", cdf[1], cdf[0]));
  share = sluice_op (b, "Minimum", share, sluice_builder_const_number (b, dtype, 1 - epsilon));
  share = sluice_op (b, "Maximum", share, sluice_builder_const_number (b, dtype, tiny));
  SluiceEdge below = sluice_op (b, "Log", share);
  SluiceEdge above = sluice_op (b, "Log1p", sluice_op (b, "Neg", share));
  set_parameter (g, 2, SLUICE_NO_EDGE);
  set_parameter (g, 3, z[2]);
  set_parameter (g, 4, bound_slope (b, dtype, z[2], z[0], above));
  set_parameter (g, 5, bound_slope (b, dtype, z[2], z[1], below));
  return TRUE;
}

/* ---- definitions ---- */

#define SEEDED "seed=3; seed2=7; dtype="
static const SluiceSample parameterized_samples[] = {
  { SEEDED "float",
    "int32[2]={2,9}; float[2]={0,1}; float[2]={1,2}; float[2]={-1,-2}; "
    "float[2]={2,3}",
    0, 0, TRUE },
  { SEEDED "double", "int64[1]={130}; double[]=0; double[]=1; double[]=3; double[]=5", 0, 0, TRUE },
  { SEEDED "half", "int32[1]={7}; half[]=0; half[]=1; half[]=0.5; half[]=1", 0, 0, TRUE },
};
static const SluiceRecipe parameterized_recipe = { .samples = parameterized_samples,
                                                   .n_samples =
                                                       G_N_ELEMENTS (parameterized_samples) };

static const SluiceOpDef parameterized_op = {
  .name = "ParameterizedTruncatedNormal",
  .signature = "shape: T, means: dtype, stdevs: dtype, minvals: dtype, maxvals: dtype -> "
               "output: dtype",
  .attrs = "seed: int = 0; seed2: int = 0; dtype: {half, bfloat16, float, double}; T: index",
  .summary = N_ ("Random numbers of normal laws between bounds, a law for each first index"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP | SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = parameterized_shape,
  .cost = sluice_random_cost,
  .recipe = &parameterized_recipe,
};

#define BOUNDED "float[3]={0,1,-2}; float[3,1]={1,2,0.5}; float[]=-1; float[3]={1,2.5,30}"
static const SluiceSample stateless_samples[] = {
  { "dtype=float", "int32[3]={4,3,3}; int64[2]={3,7}; " BOUNDED, 0, 0, TRUE },
  { "dtype=double",
    "int64[1]={130}; int32[2]={3,7}; double[]=0; double[]=1; double[]=3; double[]=5", 0, 0, TRUE },
  { "dtype=half", "int32[1]={7}; int64[2]={3,7}; half[]=0; half[]=1; half[]=0.5; half[]=1", 0, 0,
    TRUE },
};
static const SluiceRecipe stateless_recipe = { .samples = stateless_samples,
                                               .n_samples = G_N_ELEMENTS (stateless_samples) };

static const SluiceOpDef stateless_op = {
  .name = "StatelessParameterizedTruncatedNormal",
  .signature = "shape: S, seed: Tseed, means: dtype, stddevs: dtype, minvals: dtype, "
               "maxvals: dtype -> output: dtype",
  .attrs = "S: index; Tseed: index = int64; dtype: {half, float, double}",
  .summary = N_ ("Random numbers of normal laws between bounds, the same for the same seed"),
  .shape = sluice_shape_random_seeded,
  .gradient = stateless_gradient,
  .cost = sluice_random_cost,
  .recipe = &stateless_recipe,
};

static const SluiceOpDef *const ops[] = { &parameterized_op, &stateless_op };

const SluiceKernelModule sluice_module_random_truncated = { .ops = ops,
                                                            .n_ops = G_N_ELEMENTS (ops) };
