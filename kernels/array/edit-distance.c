/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * EditDistance: for each sequence of two sparse tensors (all but the last dimension number them),
 * the fewest elements to insert, delete or replace that make the hypothesis the truth, by default
 * as a share of the truth's length.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "kernels/array/array.h"

static gboolean
edit_distance_shape (SluiceShapeContext *c, GError **error)
{
  static const int ranks[] = { 2, 1, 1, 2, 1, 1 };
  for (guint i = 0; i < 6; i++)
    if (!sluice_shape_context_want_rank (c, i, ranks[i], error))
      return FALSE;
  const SluiceTensor *shapes[] = { sluice_shape_context_constant (c, 2),
                                   sluice_shape_context_constant (c, 5) };
  if (shapes[0] == NULL || shapes[1] == NULL || shapes[0]->n_elements != shapes[1]->n_elements
      || shapes[0]->n_elements < 1 || shapes[0]->n_elements > SLUICE_MAX_RANK)
    return TRUE;
  SluiceShape shape = { .rank = (gint8) (shapes[0]->n_elements - 1) };
  for (int i = 0; i < shape.rank; i++)
    {
      shape.dim[i] =
          MAX (sluice_tensor_get_int (shapes[0], i), sluice_tensor_get_int (shapes[1], i));
      if (shape.dim[i] < 0)
        return TRUE; /* a run says what is wrong */
    }
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static const SluiceSample samples[] = {
  { "", "int64[3,2]={0,0,0,1,1,0}; int32[3]={1,2,3}; int64[2]={2,2}; "
        "int64[3,2]={0,0,1,0,1,1}; int32[3]={2,4,3}; int64[2]={2,3}" },
  { "normalize=false", "int64[1,2]={0,0}; string[1]={'a'}; int64[2]={3,1}; "
                       "int64[1,2]={2,0}; string[1]={'a'}; int64[2]={3,1}" },
};
static const SluiceRecipe recipe = { samples, G_N_ELEMENTS (samples) };

static const SluiceOpDef edit_distance_op = {
  .name = "EditDistance",
  .signature = "hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, "
               "truth_indices: int64, truth_values: T, truth_shape: int64 -> output: float",
  .attrs = "normalize: bool = true; T: type",
  .summary = N_ ("Levenshtein distance of sequences"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = edit_distance_shape,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &edit_distance_op };

const SluiceKernelModule sluice_module_array_edit_distance = { .ops = ops,
                                                               .n_ops = G_N_ELEMENTS (ops) };
