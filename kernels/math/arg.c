/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * ArgMax and ArgMin: where the largest or smallest element along one dimension stands; the first of
 * several. NaNs are passed over.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "kernels/math/gradients.h"
#include "kernels/math/reduce.h"
#include "kernels/math/types.h"

static gboolean
arg_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceShape *input = &c->inputs[0];
  if (!sluice_shape_context_want_rank (c, 1, 0, error)
      || !sluice_shape_context_want_rank_at_least (c, 0, 1, error))
    return FALSE;
  if (input->rank == SLUICE_UNKNOWN_RANK)
    return TRUE;
  SluiceShape out = sluice_shape_of_rank (input->rank - 1);
  const SluiceTensor *dimension = sluice_shape_context_constant (c, 1);
  if (dimension)
    {
      gint64 value = sluice_tensor_get_int (dimension, 0);
      int axis = sluice_axis_normalize (value, input->rank);
      if (axis < 0)
        return sluice_shape_context_fail (
            c, error, "dimension %" G_GINT64_FORMAT " does not exist in an input of rank %d", value,
            input->rank);
      SluiceAxes axes = { 0 };
      axes.reduced[axis] = TRUE;
      out = sluice_axes_apply (&axes, input, FALSE);
    }
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

#define ARG_TYPES "T: {" SLUICE_REAL_TYPES ", " SLUICE_QUANTIZED_TYPES ", bool}; "

static const SluiceSample samples[] = {
  { NULL, "float[4,3,5]; int32[]={0}" },
  { NULL, "float[4,3,5]; int32[]={-1}" },
  { "output_type=int32", "float[4,3,5]; int64[]={1}" },
  { NULL, "float[7]={3,1,3,1,3,1,2}; int32[]={0}" },
  { NULL, "float[0,3]; int32[]={1}" },
  { NULL, "float[70,300]; int32[]={0}" },
};
static const SluiceRecipe recipe = { samples, G_N_ELEMENTS (samples),
                                     SLUICE_SET_REAL | SLUICE_SET (SLUICE_BOOL) };

static const SluiceOpDef arg_max = {
  .name = "ArgMax",
  .signature = "input: T, dimension: Tidx -> output: output_type",
  .attrs = ARG_TYPES "Tidx: {int16, int32, int64} = int32; "
                     "output_type: {int16, uint16, int32, int64} = int64",
  .summary = N_ ("Where the largest element stands"),
  .shape = arg_shape,
  .gradient = gradient_none,
  .recipe = &recipe,
};
static const SluiceOpDef arg_min = {
  .name = "ArgMin",
  .signature = "input: T, dimension: Tidx -> output: output_type",
  .attrs = ARG_TYPES "Tidx: {int32, int64} = int32; output_type: {int32, int64} = int64",
  .summary = N_ ("Where the smallest element stands"),
  .shape = arg_shape,
  .gradient = gradient_none,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &arg_max, &arg_min };

const SluiceKernelModule sluice_module_math_arg = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
