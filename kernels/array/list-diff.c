/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * ListDiff: the elements of x that are not in y, in their order and with those that repeat, and
 * where they stand in x. The gradient of Prod finds the dimensions that stay with it.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"

static gboolean
list_diff_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape vector = sluice_shape_of_rank (1);
  sluice_shape_context_set (c, 0, &vector);
  sluice_shape_context_set (c, 1, &vector);
  return sluice_shape_context_want_rank (c, 0, 1, error)
         && sluice_shape_context_want_rank (c, 1, 1, error);
}

static const SluiceSample samples[] = {
  { NULL, "float[6]={1,2,3,2,0,5}; float[2]={2,5}" },
  { "out_idx=int64", "float[4]={1,2,3,1}; float[0]={}" },
  { NULL, "float[0]={}; float[1]={2}" },
};
static const SluiceRecipe recipe = { .samples = samples,
                                     .n_samples = G_N_ELEMENTS (samples),
                                     .dtypes = SLUICE_SET_REAL };

static const SluiceOpDef list_diff_op = {
  .name = "ListDiff",
  .signature = "x: T, y: T -> out: T, idx: out_idx",
  .attrs = "T: type; out_idx: {int32, int64} = int32",
  .summary = N_ ("Elements of a list that another lacks"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = list_diff_shape,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &list_diff_op };

const SluiceKernelModule sluice_module_array_list_diff = { .ops = ops,
                                                           .n_ops = G_N_ELEMENTS (ops) };
