/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Random numbers that are a function of their inputs. Two seeds are scrambled into key and counter
 * by the node itself, or come as key, counter and algorithm, which is what newer programs write:
 * key.c makes these of seeds.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "kernels/random/shapes.h"

static gboolean
seeded_int_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 2, 0, error)
         && sluice_shape_context_want_rank (c, 3, 0, error)
         && sluice_shape_random_seeded (c, error);
}

static gboolean
keyed_int_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 4, 0, error)
         && sluice_shape_context_want_rank (c, 5, 0, error) && sluice_shape_random_keyed (c, error);
}

static const SluiceSample seeded_samples[] = {
  { "dtype=float", "int32[2]={3,5}; int64[2]={3,7}", 0, 0, TRUE },
  { "dtype=double", "int64[1]={17}; int32[2]={-3,7}", 0, 0, TRUE },
  { "dtype=half", "int32[1]={17}; int64[2]={0,0}", 0, 0, TRUE },
  { "dtype=bfloat16", "int32[1]={0}; int64[2]={3,7}", 0, 0, TRUE },
};
static const SluiceSample seeded_int_samples[] = {
  { "", "int32[2]={3,5}; int64[2]={3,7}; int32[]=-4; int32[]=9", 0, 0, TRUE },
  { "", "int64[1]={17}; int32[2]={3,7}; int64[]=0; int64[]=5000000000", 0, 0, TRUE },
};
static const SluiceSample seeded_full_samples[] = {
  { "dtype=int32", "int32[2]={3,5}; int64[2]={3,7}", 0, 0, TRUE },
  { "dtype=int64", "int64[1]={17}; int32[2]={-3,7}", 0, 0, TRUE },
  { "dtype=uint32", "int32[1]={17}; int64[2]={1,7}", 0, 0, TRUE },
  { "", "int32[1]={1}; int64[2]={3,7}", 0, 0, TRUE },
};

#define KEY     "uint64[1]={77}; uint64[2]={3,9}; int32[]=1"
#define AUTOKEY "uint64[1]={5000000000}; uint64[3]={0,1,2}; int32[]=3"
static const SluiceSample keyed_samples[] = {
  { "dtype=float", "int32[2]={3,5}; " KEY, 0, 0, TRUE },
  { "dtype=double", "int64[1]={17}; " AUTOKEY, 0, 0, TRUE },
  { "dtype=half", "int32[1]={17}; " KEY, 0, 0, TRUE },
  { "dtype=bfloat16", "int32[1]={0}; " KEY, 0, 0, TRUE },
};
static const SluiceSample keyed_int_samples[] = {
  { "", "int32[2]={3,5}; " KEY "; int32[]=-4; int32[]=9", 0, 0, TRUE },
  { "", "int64[1]={17}; " AUTOKEY "; int64[]=0; int64[]=5000000000", 0, 0, TRUE },
};
static const SluiceSample keyed_full_samples[] = {
  { "dtype=int32", "int32[2]={3,5}; " KEY, 0, 0, TRUE },
  { "dtype=int64", "int64[1]={17}; " AUTOKEY, 0, 0, TRUE },
  { "dtype=uint32", "int32[1]={17}; " KEY, 0, 0, TRUE },
  { "", "int32[1]={1}; " KEY, 0, 0, TRUE },
};

#define RECIPE(id)                                                                                 \
  static const SluiceRecipe id##_recipe = { .samples = id##_samples,                               \
                                            .n_samples = G_N_ELEMENTS (id##_samples) }
RECIPE (seeded);
RECIPE (seeded_int);
RECIPE (seeded_full);
RECIPE (keyed);
RECIPE (keyed_int);
RECIPE (keyed_full);

#define STATELESS_OP(id, op_name, inputs, types, rule, recipe_id, text)                            \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = inputs " -> output: dtype",                                                       \
    .attrs = types,                                                                                \
    .summary = text,                                                                               \
    .flags = SLUICE_OP_NOT_DIFFERENTIABLE,                                                         \
    .shape = rule,                                                                                 \
    .cost = sluice_random_cost,                                                                    \
    .recipe = &recipe_id##_recipe,                                                                 \
  }

#define BY_SEED   "shape: T, seed: Tseed"
#define BY_KEY    "shape: Tshape, key: uint64, counter: uint64, alg: int32"
#define BOUNDS    ", minval: dtype, maxval: dtype"
#define REALS     "dtype: {half, bfloat16, float, double} = float"
#define ALL_INTS  "dtype: {int32, int64, uint32, uint64}"
#define SEED_ARGS "; T: index = int32; Tseed: index = int64"
#define KEY_ARGS  "; Tshape: index = int32"

#define UNIFORM_TEXT N_ ("Random numbers, uniform in [0, 1), the same for the same seed")
#define NORMAL_TEXT  N_ ("Random numbers of the standard normal law, the same for the same seed")
#define TRUNCATED_TEXT                                                                             \
  N_ ("Random numbers of the standard normal law, less than 2 in magnitude, the same for the "     \
      "same seed")
#define INT_TEXT  N_ ("Random integers, uniform in [minval, maxval), the same for the same seed")
#define FULL_TEXT N_ ("Random integers out of all that the type has, the same for the same seed")

/* clang-format off */
STATELESS_OP (uniform_op, "StatelessRandomUniform", BY_SEED, REALS SEED_ARGS,
              sluice_shape_random_seeded, seeded, UNIFORM_TEXT);
STATELESS_OP (normal_op, "StatelessRandomNormal", BY_SEED, REALS SEED_ARGS,
              sluice_shape_random_seeded, seeded, NORMAL_TEXT);
STATELESS_OP (truncated_op, "StatelessTruncatedNormal", BY_SEED, REALS SEED_ARGS,
              sluice_shape_random_seeded, seeded, TRUNCATED_TEXT);
STATELESS_OP (int_op, "StatelessRandomUniformInt", BY_SEED BOUNDS,
              "dtype: index; T: index; Tseed: index = int64", seeded_int_shape, seeded_int,
              INT_TEXT);
STATELESS_OP (full_op, "StatelessRandomUniformFullInt", BY_SEED,
              ALL_INTS " = uint64; T: index = int32; "
              "Tseed: {int32, int64, uint32, uint64} = int64",
              sluice_shape_random_seeded, seeded_full, FULL_TEXT);
STATELESS_OP (uniform_v2_op, "StatelessRandomUniformV2", BY_KEY, REALS KEY_ARGS,
              sluice_shape_random_keyed, keyed, UNIFORM_TEXT);
STATELESS_OP (normal_v2_op, "StatelessRandomNormalV2", BY_KEY, REALS KEY_ARGS,
              sluice_shape_random_keyed, keyed, NORMAL_TEXT);
STATELESS_OP (truncated_v2_op, "StatelessTruncatedNormalV2", BY_KEY, REALS KEY_ARGS,
              sluice_shape_random_keyed, keyed, TRUNCATED_TEXT);
STATELESS_OP (int_v2_op, "StatelessRandomUniformIntV2", BY_KEY BOUNDS, ALL_INTS KEY_ARGS,
              keyed_int_shape, keyed_int, INT_TEXT);
STATELESS_OP (full_v2_op, "StatelessRandomUniformFullIntV2", BY_KEY, ALL_INTS " = uint64" KEY_ARGS,
              sluice_shape_random_keyed, keyed_full, FULL_TEXT);
/* clang-format on */

static const SluiceOpDef *const ops[] = {
  &uniform_op,    &normal_op,    &truncated_op,    &int_op,    &full_op,
  &uniform_v2_op, &normal_v2_op, &truncated_v2_op, &int_v2_op, &full_v2_op,
};

const SluiceKernelModule sluice_module_random_stateless = { .ops = ops,
                                                            .n_ops = G_N_ELEMENTS (ops) };
