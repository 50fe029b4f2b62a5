/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Elements in another order or from a random place: RandomShuffle and StatelessShuffle permute
 * along the first dimension, RandomCrop cuts a window out of an image.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "kernels/random/shapes.h"

static gboolean
crop_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 3, error)
      || !sluice_shape_context_want_rank (c, 1, 1, error))
    return FALSE;
  SluiceShape size = SLUICE_SHAPE_UNKNOWN;
  if (!sluice_shape_context_shape_from_input (c, 1, &size, error))
    return FALSE;
  if (size.rank >= 0 && size.rank != 2)
    return sluice_shape_context_fail (
        c, error, "size must hold a height and a width, not %d numbers", size.rank);
  SluiceShape out = sluice_shape_of_rank (3);
  if (size.rank == 2)
    out.dim[0] = size.dim[0], out.dim[1] = size.dim[1];
  if (c->inputs[0].rank == 3)
    out.dim[2] = c->inputs[0].dim[2];
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

static gboolean
stateless_shuffle_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_want_key (c, 1, error) && sluice_shape_unchanged (c, error);
}

static const SluiceSample shuffle_samples[] = {
  { "seed=3; seed2=7", "float[17]" },      { "seed=3; seed2=7", "int32[5,2]" },
  { "seed=3; seed2=7", "string[4]" },      { "seed=3; seed2=7", "bool[3,2]" },
  { "seed=3; seed2=7", "complex64[1,3]" }, { "seed=3; seed2=7", "half[0,2]" },
};
static const SluiceRecipe shuffle_recipe = { .samples = shuffle_samples,
                                             .n_samples = G_N_ELEMENTS (shuffle_samples) };

#define KEY "uint64[1]={77}; uint64[2]={3,9}; int32[]=1"
static const SluiceSample stateless_shuffle_samples[] = {
  { "", "float[17]; " KEY, 0, 0, TRUE },      { "", "int32[5,2]; " KEY, 0, 0, TRUE },
  { "", "string[4]; " KEY, 0, 0, TRUE },      { "", "bool[3,2]; " KEY, 0, 0, TRUE },
  { "", "complex64[1,3]; " KEY, 0, 0, TRUE }, { "", "half[0,2]; " KEY, 0, 0, TRUE },
};
static const SluiceRecipe stateless_shuffle_recipe = {
  .samples = stateless_shuffle_samples, .n_samples = G_N_ELEMENTS (stateless_shuffle_samples)
};

static const SluiceSample crop_samples[] = {
  { "seed=3; seed2=7", "float[7,6,2]; int64[2]={3,2}" },
  { "seed=3; seed2=7", "float[4,4,1]; int64[2]={4,4}" },
};
static const SluiceRecipe crop_recipe = {
  .samples = crop_samples,
  .n_samples = G_N_ELEMENTS (crop_samples),
  .dtypes = SLUICE_SET_REAL,
};

static const SluiceOpDef shuffle_op = {
  .name = "RandomShuffle",
  .signature = "value: T -> output: T",
  .attrs = "seed: int = 0; seed2: int = 0; T: type",
  .summary = N_ ("The same rows in random order"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP | SLUICE_OP_NOT_DIFFERENTIABLE
           | SLUICE_OP_MAY_SHARE,
  .shape = sluice_shape_unchanged,
  .recipe = &shuffle_recipe,
};

static const SluiceOpDef stateless_shuffle_op = {
  .name = "StatelessShuffle",
  .signature = "value: T, key: uint64, counter: uint64, alg: int32 -> output: T",
  .attrs = "T: type",
  .summary = N_ ("The same rows in random order, the same for the same seed"),
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = stateless_shuffle_shape,
  .recipe = &stateless_shuffle_recipe,
};

static const SluiceOpDef crop_op = {
  .name = "RandomCrop",
  .signature = "image: T, size: int64 -> output: T",
  .attrs = "T: real; seed: int = 0; seed2: int = 0",
  .summary = N_ ("A window of the given height and width from a random place of an image"),
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP | SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = crop_shape,
  .recipe = &crop_recipe,
};

static const SluiceOpDef *const ops[] = { &shuffle_op, &crop_op, &stateless_shuffle_op };

const SluiceKernelModule sluice_module_random_shuffle = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
