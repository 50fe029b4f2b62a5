/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Random numbers by a generator that is a variable (tf.random.Generator): a vector of int64, two
 * words of counter and one of key, which each draw moves on.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "kernels/random/shapes.h"

static gboolean
drawn_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 0, 0, error)
         && sluice_shape_context_want_rank (c, 1, 0, error) && sluice_shape_random_at (c, 2, error);
}

static gboolean
drawn_int_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 3, 0, error)
         && sluice_shape_context_want_rank (c, 4, 0, error) && drawn_shape (c, error);
}

static gboolean
old_drawn_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_random_at (c, 1, error);
}

static gboolean
skip_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 0, error)
      || !sluice_shape_context_want_rank (c, 1, 0, error)
      || !sluice_shape_context_want_rank (c, 2, 0, error))
    return FALSE;
  if (c->n_outputs > 0)
    sluice_shape_context_set (c, 0, &SLUICE_SHAPE (3));
  return TRUE;
}

static const SluiceRecipe recipe = {
  .why_none = N_ ("changes a variable: tests/kernels/test-random makes one")
};
static const SluiceRecipe seedless_recipe = {
  .why_none = N_ ("draws by its node's name: tests/kernels/test-random has some")
};

#define RNG_OP(id, op_name, inputs, dtype, rule, text)                                             \
  static const SluiceOpDef id = {                                                                  \
    .name = op_name,                                                                               \
    .signature = "resource: resource, " inputs " -> output: dtype",                                \
    .attrs = "dtype: type = " dtype "; shape_dtype: type = int64",                                 \
    .summary = text,                                                                               \
    .flags = SLUICE_OP_STATEFUL,                                                                   \
    .shape = rule,                                                                                 \
    .cost = sluice_random_cost,                                                                    \
    .recipe = &recipe,                                                                             \
  }

#define SHAPED "algorithm: int64, shape: shape_dtype"

/* clang-format off */
RNG_OP (uniform_op, "StatefulUniform", SHAPED, "float", drawn_shape,
        N_ ("Random numbers, uniform in [0, 1), by a generator that is a variable"));
RNG_OP (normal_op, "StatefulStandardNormalV2", SHAPED, "float", drawn_shape,
        N_ ("Random numbers of the standard normal law, by a generator that is a variable"));
RNG_OP (truncated_op, "StatefulTruncatedNormal", SHAPED, "float", drawn_shape,
        N_ ("Random numbers of the standard normal law, less than 2 in magnitude, by a generator "
            "that is a variable"));
RNG_OP (int_op, "StatefulUniformInt", SHAPED ", minval: dtype, maxval: dtype", "int64",
        drawn_int_shape,
        N_ ("Random integers, uniform in [minval, maxval), by a generator that is a variable"));
RNG_OP (full_op, "StatefulUniformFullInt", SHAPED, "uint64", drawn_shape,
        N_ ("Random integers out of all that the type has, by a generator that is a variable"));
RNG_OP (old_normal_op, "StatefulStandardNormal", "shape: shape_dtype", "float", old_drawn_shape,
        N_ ("Random numbers of the standard normal law, by a generator that is a variable and "
            "begins with the number of its algorithm"));
/* clang-format on */

static const SluiceOpDef read_skip_op = {
  .name = "RngReadAndSkip",
  .signature = "resource: resource, alg: int32, delta: uint64 -> value: int64",
  .summary = N_ ("What a generator that is a variable holds, before it is moved on by so many "
                 "numbers"),
  .flags = SLUICE_OP_STATEFUL,
  .shape = skip_shape,
  .recipe = &recipe,
};

static const SluiceOpDef skip_op = {
  .name = "RngSkip",
  .signature = "resource: resource, algorithm: int64, delta: int64 ->",
  .summary = N_ ("Moves a generator that is a variable on by so many numbers"),
  .flags = SLUICE_OP_STATEFUL,
  .shape = skip_shape,
  .recipe = &recipe,
};

static const SluiceOpDef seedless_op = {
  .name = "NonDeterministicInts",
  .signature = "shape: shape_dtype -> output: dtype",
  .attrs = "dtype: type = int64; shape_dtype: type = int64",
  .summary = N_ ("Random integers that no seed in the graph decides: the seed of the run does, so "
                 "that a run can be had again"),
  .flags = SLUICE_OP_STATEFUL,
  .shape = sluice_shape_random,
  .cost = sluice_random_cost,
  .recipe = &seedless_recipe,
};

static const SluiceOpDef *const ops[] = {
  &uniform_op,    &normal_op,    &truncated_op, &int_op,      &full_op,
  &old_normal_op, &read_skip_op, &skip_op,      &seedless_op,
};

const SluiceKernelModule sluice_module_random_rng = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
