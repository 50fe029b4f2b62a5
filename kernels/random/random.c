/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Random numbers, TensorFlow's bit for bit: Philox4x32-10 from the seeds of the node, kept by the
 * session for as long as it lives. Seeds of zero both: from the run's seed and the node's name.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "kernels/random/shapes.h"

static gboolean
random_int_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 1, 0, error)
         && sluice_shape_context_want_rank (c, 2, 0, error) && sluice_shape_random (c, error);
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

#define RANDOM_OP(id, op_name, text)                                                               \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = "shape: T -> output: dtype",                                                      \
    .attrs = "seed: int = 0; seed2: int = 0; dtype: {half, bfloat16, float, double}; T: index",    \
    .summary = text,                                                                               \
    .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP | SLUICE_OP_NOT_DIFFERENTIABLE,         \
    .shape = sluice_shape_random,                                                                  \
    .cost = sluice_random_cost,                                                                    \
    .recipe = &recipe,                                                                             \
  }

RANDOM_OP (uniform_op, "RandomUniform", N_ ("Random numbers, uniform in [0, 1)"));
RANDOM_OP (normal_op, "RandomStandardNormal", N_ ("Random numbers of the standard normal law"));
RANDOM_OP (truncated_op,
           "TruncatedNormal",
           N_ ("Random numbers of the standard normal law, less than 2 in magnitude"));
static const SluiceOpDef uniform_int_op = {
  .name = "RandomUniformInt",
  .signature = "shape: T, minval: Tout, maxval: Tout -> output: Tout",
  .attrs = "seed: int = 0; seed2: int = 0; Tout: index; T: index",
  .summary = N_ ("Random integers, uniform in [minval, maxval)"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP | SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = random_int_shape,
  .cost = sluice_random_cost,
  .recipe = &int_recipe,
};

static const SluiceOpDef *const ops[] = { &uniform_op, &normal_op, &truncated_op, &uniform_int_op };

const SluiceKernelModule sluice_module_random_random = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
