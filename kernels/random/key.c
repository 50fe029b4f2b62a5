/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Where a counter-based generator begins, as tensors: two seeds are scrambled into key and counter,
 * which the ops of stateless.c take. The algorithm of a CPU is Philox.
 */
#include <glib/gi18n-lib.h>

#include "kernels/random/generator.h"
#include "kernels/random/shapes.h"

static gboolean
key_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_want_seeds (c, 0, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (SLUICE_RANDOM_KEY_SIZE));
  sluice_shape_context_set (c, 1, &SLUICE_SHAPE (SLUICE_RANDOM_COUNTER_SIZE));
  if (c->n_outputs > 2)
    sluice_shape_context_set (c, 2, &SLUICE_SHAPE_SCALAR);
  return TRUE;
}

static const SluiceSample key_samples[] = { { "", "int64[2]={3,-7}" }, { "", "int32[2]={0,5}" } };
static const SluiceRecipe key_recipe = { .samples = key_samples,
                                         .n_samples = G_N_ELEMENTS (key_samples) };
static const SluiceSample algorithm_samples[] = { { "", "" } };
static const SluiceRecipe algorithm_recipe = { .samples = algorithm_samples,
                                               .n_samples = G_N_ELEMENTS (algorithm_samples) };

static const SluiceOpDef key_op = {
  .name = "StatelessRandomGetKeyCounter",
  .signature = "seed: Tseed -> key: uint64, counter: uint64",
  .attrs = "Tseed: index = int64",
  .summary = N_ ("The key and the counter that a generator of two seeds begins with"),
  .shape = key_shape,
  .recipe = &key_recipe,
};

static const SluiceOpDef key_algorithm_op = {
  .name = "StatelessRandomGetKeyCounterAlg",
  .signature = "seed: Tseed -> key: uint64, counter: uint64, alg: int32",
  .attrs = "Tseed: index = int64",
  .summary = N_ ("The key and the counter that a generator of two seeds begins with, and the "
                 "number of its algorithm"),
  .shape = key_shape,
  .recipe = &key_recipe,
};

static const SluiceOpDef algorithm_op = {
  .name = "StatelessRandomGetAlg",
  .signature = "-> alg: int32",
  .summary = N_ ("The number of the algorithm that draws random numbers on this device"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ONLY_READS,
  .shape = sluice_shape_scalar,
  .recipe = &algorithm_recipe,
};

static const SluiceOpDef *const ops[] = { &key_op, &key_algorithm_op, &algorithm_op };

const SluiceKernelModule sluice_module_random_key = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
