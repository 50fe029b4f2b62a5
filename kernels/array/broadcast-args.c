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

const SluiceKernelModule sluice_module_array_broadcast_args = { .ops = ops,
                                                                .n_ops = G_N_ELEMENTS (ops) };
