/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* BroadcastArgs: the shape that two shapes broadcast to. */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"

static gboolean
broadcast_args_shape (SluiceShapeContext *c, GError **error)
{
  gint64 length = 0;
  for (guint i = 0; i < 2; i++)
    {
      if (!sluice_shape_context_want_rank (c, i, 1, error))
        return FALSE;
      gint64 own = c->inputs[i].rank == 1 ? c->inputs[i].dim[0] : SLUICE_UNKNOWN_DIM;
      length = own < 0 || length < 0 ? SLUICE_UNKNOWN_DIM : MAX (length, own);
    }
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (length));
  return TRUE;
}

static gboolean
broadcast_args_compute (SluiceKernelCall *call)
{
  SluiceShape shapes[2], joined;
  if (!sluice_call_shape (call, 0, &shapes[0]) || !sluice_call_shape (call, 1, &shapes[1]))
    return FALSE;
  char text[2][SLUICE_SHAPE_STR];
  if (!sluice_shape_broadcast (&shapes[0], &shapes[1], &joined))
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT, "%s and %s cannot be broadcast together",
        sluice_shape_str (&shapes[0], text[0]), sluice_shape_str (&shapes[1], text[1]));
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (joined.rank));
  if (out == NULL)
    return FALSE;
  for (int i = 0; i < joined.rank; i++)
    if (out->dtype == SLUICE_INT64)
      ((gint64 *) out->data)[i] = joined.dim[i];
    else
      ((gint32 *) out->data)[i] = (gint32) joined.dim[i];
  return TRUE;
}

static const SluiceSample samples[] = {
  { "", "int32[2]={2,3}; int32[1]={3}" },
  { "", "int64[3]={2,1,3}; int64[3]={1,4,1}" },
  { "", "int32[0]={}; int32[1]={0}" },
};
static const SluiceRecipe recipe = { samples, G_N_ELEMENTS (samples) };

static const SluiceOpDef broadcast_args_op = {
  .name = "BroadcastArgs",
  .signature = "s0: T, s1: T -> r0: T",
  .attrs = "T: {int32, int64} = int32",
  .summary = N_ ("The shape that two shapes broadcast to"),
  .shape = broadcast_args_shape,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &broadcast_args_op };

static const SluiceKernel kernels[] = {
  { .op = "BroadcastArgs",
    .device = "CPU",
    .flags = SLUICE_KERNEL_CHEAP,
    .compute = broadcast_args_compute },
};

const SluiceKernelModule sluice_module_array_broadcast_args = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
