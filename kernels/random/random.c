/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Random numbers, TensorFlow's bit for bit: Philox4x32-10 from the seeds of the node, kept by the
 * session for as long as it lives. Seeds of zero both: from the run's seed and the node's name.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"

static gboolean
random_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape = SLUICE_SHAPE_UNKNOWN;
  if (!sluice_shape_context_shape_from_input (c, 0, &shape, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static gboolean
random_int_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 1, 0, error)
         && sluice_shape_context_want_rank (c, 2, 0, error) && random_shape (c, error);
}

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
  return random_shape (c, error);
}

static gboolean
stateless_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceShape *seed = &c->inputs[1];
  if (!sluice_shape_compatible (seed, &SLUICE_SHAPE (2)))
    {
      char s[SLUICE_SHAPE_STR];
      return sluice_shape_context_fail (c, error, "input 1 (seed) must have shape [2], not %s",
                                        sluice_shape_str (seed, s));
    }
  return random_shape (c, error);
}

static gboolean
stateless_int_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 2, 0, error)
         && sluice_shape_context_want_rank (c, 3, 0, error) && stateless_shape (c, error);
}

static void
random_cost (const SluiceNode *node,
             const SluiceShape *in,
             const SluiceShape *out,
             SluiceCost *cost)
{
  double n = (double) sluice_shape_n_elements (&out[0]);
  cost->flops = 20 * n;
  cost->bytes = n * (double) sluice_dtype_size (node->outputs[0].dtype);
}

#define SEEDED "seed=3; seed2=7; dtype="
static const SluiceSample samples[] = {
  { SEEDED "float", "int32[2]={3,5}", 0, 0, TRUE },
  { SEEDED "float", "int64[0]={}", 0, 0, TRUE },
  { SEEDED "float", "int32[1]={0}", 0, 0, TRUE },
  { SEEDED "double", "int32[1]={17}", 0, 0, TRUE },
  { SEEDED "half", "int32[1]={17}", 0, 0, TRUE },
  { SEEDED "bfloat16", "int32[1]={17}", 0, 0, TRUE },
};
static const SluiceRecipe recipe = { .samples = samples, .n_samples = G_N_ELEMENTS (samples) };

static const SluiceSample int_samples[] = {
  { "seed=3; seed2=7", "int32[2]={3,5}; int32[]=-4; int32[]=9", 0, 0, TRUE },
  { "seed=3; seed2=7", "int64[1]={17}; int64[]=0; int64[]=5000000000", 0, 0, TRUE },
};
static const SluiceRecipe int_recipe = { .samples = int_samples,
                                         .n_samples = G_N_ELEMENTS (int_samples) };

static const SluiceSample stateless_samples[] = {
  { "dtype=float", "int32[2]={3,5}; int64[2]={3,7}", 0, 0, TRUE },
  { "dtype=double", "int64[1]={17}; int32[2]={-3,7}", 0, 0, TRUE },
  { "dtype=half", "int32[1]={17}; int64[2]={0,0}", 0, 0, TRUE },
  { "dtype=bfloat16", "int32[1]={0}; int64[2]={3,7}", 0, 0, TRUE },
};
static const SluiceRecipe stateless_recipe = { .samples = stateless_samples,
                                               .n_samples = G_N_ELEMENTS (stateless_samples) };

static const SluiceSample stateless_int_samples[] = {
  { "", "int32[2]={3,5}; int64[2]={3,7}; int32[]=-4; int32[]=9", 0, 0, TRUE },
  { "", "int64[1]={17}; int32[2]={3,7}; int64[]=0; int64[]=5000000000", 0, 0, TRUE },
};
static const SluiceRecipe stateless_int_recipe = { .samples = stateless_int_samples,
                                                   .n_samples =
                                                       G_N_ELEMENTS (stateless_int_samples) };

#define RANDOM_OP(id, op_name, text)                                                               \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = "shape: T -> output: dtype",                                                      \
    .attrs = "seed: int = 0; seed2: int = 0; dtype: {half, bfloat16, float, double}; T: index",    \
    .summary = text,                                                                               \
    .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE,                                    \
    .shape = random_shape,                                                                         \
    .cost = random_cost,                                                                           \
    .recipe = &recipe,                                                                             \
  }
#define STATELESS_OP(id, op_name, text)                                                            \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = "shape: T, seed: Tseed -> output: dtype",                                         \
    .attrs = "dtype: {half, bfloat16, float, double} = float; T: index = int32; "                  \
             "Tseed: index = int64",                                                               \
    .summary = text,                                                                               \
    .flags = SLUICE_OP_NOT_DIFFERENTIABLE,                                                         \
    .shape = stateless_shape,                                                                      \
    .cost = random_cost,                                                                           \
    .recipe = &stateless_recipe,                                                                   \
  }

RANDOM_OP (uniform_op, "RandomUniform", N_ ("Random numbers, uniform in [0, 1)"));
RANDOM_OP (normal_op, "RandomStandardNormal", N_ ("Random numbers of the standard normal law"));
RANDOM_OP (truncated_op,
           "TruncatedNormal",
           N_ ("Random numbers of the standard normal law, less than 2 in magnitude"));
STATELESS_OP (stateless_uniform_op,
              "StatelessRandomUniform",
              N_ ("Random numbers, uniform in [0, 1), the same for the same seed"));
STATELESS_OP (stateless_normal_op,
              "StatelessRandomNormal",
              N_ ("Random numbers of the standard normal law, the same for the same seed"));
STATELESS_OP (stateless_truncated_op,
              "StatelessTruncatedNormal",
              N_ ("Random numbers of the standard normal law, less than 2 in magnitude, the same "
                  "for the same seed"));

static const SluiceOpDef uniform_int_op = {
  .name = "RandomUniformInt",
  .signature = "shape: T, minval: Tout, maxval: Tout -> output: Tout",
  .attrs = "seed: int = 0; seed2: int = 0; Tout: index; T: index",
  .summary = N_ ("Random integers, uniform in [minval, maxval)"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = random_int_shape,
  .cost = random_cost,
  .recipe = &int_recipe,
};

static const SluiceOpDef stateless_uniform_int_op = {
  .name = "StatelessRandomUniformInt",
  .signature = "shape: T, seed: Tseed, minval: dtype, maxval: dtype -> output: dtype",
  .attrs = "dtype: index; T: index; Tseed: index = int64",
  .summary = N_ ("Random integers, uniform in [minval, maxval), the same for the same seed"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = stateless_int_shape,
  .cost = random_cost,
  .recipe = &stateless_int_recipe,
};

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
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = parameterized_shape,
  .cost = random_cost,
  .recipe = &parameterized_recipe,
};

static const SluiceOpDef *const ops[] = {
  &parameterized_op,        &uniform_op,           &normal_op,           &truncated_op,
  &uniform_int_op,          &stateless_uniform_op, &stateless_normal_op, &stateless_truncated_op,
  &stateless_uniform_int_op
};

const SluiceKernelModule sluice_module_random_random = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
