/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a tensor looks like, as a tensor: Shape, ShapeN, Size, Rank. */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"

static gboolean
shape_shape (SluiceShapeContext *c, GError **error)
{
  for (guint i = 0; i < c->n_outputs; i++)
    {
      int rank = c->inputs[i].rank;
      sluice_shape_context_set (c, i, &SLUICE_SHAPE (rank < 0 ? SLUICE_UNKNOWN_DIM : rank));
    }
  return TRUE;
}

static const SluiceSample samples[] = {
  { "", "float[2,0,3]", 0, 0 },
  { "", "float[]", 0, 0 },
  { "out_type=int64", "string[2]", 0, 0 },
};
static const SluiceRecipe recipe = { .samples = samples, .n_samples = G_N_ELEMENTS (samples) };

static const SluiceSample rank_samples[] = { { "", "float[2,0,3]", 0, 0 }, { "", "bool[]", 0, 0 } };
static const SluiceRecipe rank_recipe = {
  .samples = rank_samples,
  .n_samples = G_N_ELEMENTS (rank_samples),
};

static const SluiceSample list_samples[] = { { "N=2", "float[2,3]; float[]", 0, 0 } };
static const SluiceRecipe list_recipe = {
  .samples = list_samples,
  .n_samples = G_N_ELEMENTS (list_samples),
};

#define FLAGS (SLUICE_OP_NOT_DIFFERENTIABLE | SLUICE_OP_FORWARDS_METADATA)

static const SluiceOpDef shape_op = {
  .name = "Shape",
  .signature = "input: T -> output: out_type",
  .attrs = "T: type; out_type: {int32, int64} = int32",
  .summary = N_ ("Sizes of a tensor's dimensions"),
  .role = SLUICE_ROLE_SHAPE,
  .flags = FLAGS,
  .shape = shape_shape,
  .recipe = &recipe,
};

static const SluiceOpDef shape_n_op = {
  .name = "ShapeN",
  .signature = "input: N * T -> output: N * out_type",
  .attrs = "N: int >= 1; T: type; out_type: {int32, int64} = int32",
  .summary = N_ ("Shapes of several tensors"),
  .role = SLUICE_ROLE_SHAPE,
  .flags = FLAGS,
  .shape = shape_shape,
  .recipe = &list_recipe,
};

static const SluiceOpDef size_op = {
  .name = "Size",
  .signature = "input: T -> output: out_type",
  .attrs = "T: type; out_type: {int32, int64} = int32",
  .summary = N_ ("Number of a tensor's elements"),
  .role = SLUICE_ROLE_SIZE,
  .flags = FLAGS,
  .shape = sluice_shape_scalar,
  .recipe = &recipe,
};

static const SluiceOpDef rank_op = {
  .name = "Rank",
  .signature = "input: T -> output: int32",
  .attrs = "T: type",
  .summary = N_ ("Number of a tensor's dimensions"),
  .role = SLUICE_ROLE_RANK,
  .flags = FLAGS,
  .shape = sluice_shape_scalar,
  .recipe = &rank_recipe,
};

static const SluiceOpDef *const ops[] = { &shape_op, &shape_n_op, &size_op, &rank_op };

const SluiceKernelModule sluice_module_array_shape_of = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
