/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * MirrorPad: a tensor continued over its edges by its mirror image, with the elements at the edge
 * (SYMMETRIC) or without (REFLECT). MirrorPadGrad folds what was continued back and adds it up;
 * each is the gradient of the other.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"
#include "kernels/array/repeat.h"

static gboolean
mirror_pad_grad_shape (SluiceShapeContext *c, GError **error)
{
  const SluiceTensor *paddings = sluice_shape_context_constant (c, 1);
  SluiceShape padded = c->inputs[0];
  if (!sluice_shape_padded (c, error))
    return FALSE;
  SluiceShape shape = sluice_shape_of_rank (c->outputs[0].shape.rank);
  for (int i = 0; paddings != NULL && i < padded.rank; i++)
    {
      gint64 before = sluice_tensor_get_int (paddings, 2 * i);
      gint64 after = sluice_tensor_get_int (paddings, 2 * i + 1), size = padded.dim[i];
      if (size >= 0 && (before >= size || after >= size - before))
        return sluice_shape_context_fail (c, error,
                                          "dimension %d, of %" G_GINT64_FORMAT
                                          ", is not padded by %" G_GINT64_FORMAT
                                          " and %" G_GINT64_FORMAT,
                                          i, size, before, after);
      shape.dim[i] = size < 0 ? SLUICE_UNKNOWN_DIM : size - before - after;
    }
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

/* The other of the two ops, in the same mode. */
static gboolean
reverse_gradient (SluiceGradContext *g, const char *op)
{
  sluice_grad_set (g, 0,
                   sluice_op_with (&g->b, op, SLUICE_ATTRS (sluice_grad_attr (g, "mode")),
                                   sluice_grad_dy (g, 0), sluice_grad_input (g, 1)));
  return TRUE;
}

static gboolean
mirror_pad_gradient (SluiceGradContext *g, GError **error)
{
  return reverse_gradient (g, "MirrorPadGrad");
}

static gboolean
mirror_pad_grad_gradient (SluiceGradContext *g, GError **error)
{
  return reverse_gradient (g, "MirrorPad");
}

static const SluiceSample pad_samples[] = {
  { "mode='REFLECT'", "float[3,4]; int32[2,2]={2,1,0,3}" },
  { "mode='SYMMETRIC'", "float[2,3,2]; int64[3,2]={2,1,0,3,1,1}" },
  { "mode='SYMMETRIC'", "string[3]; int32[1,2]={3,0}" },
  { "mode='SYMMETRIC'", "float[0,2]; int32[2,2]={0,0,1,1}", .no_gradient = TRUE },
};
static const SluiceRecipe pad_recipe = { pad_samples, G_N_ELEMENTS (pad_samples) };

static const SluiceSample grad_samples[] = {
  { "mode='REFLECT'", "float[6,8]; int32[2,2]={2,1,0,3}", 1e-5, 1e-6 },
  { "mode='SYMMETRIC'", "float[5,6,4]; int64[3,2]={2,1,0,3,1,1}", 1e-5, 1e-6 },
};
static const SluiceRecipe grad_recipe = { grad_samples, G_N_ELEMENTS (grad_samples),
                                          SLUICE_SET_NUMBER };

#define ATTRS(set) "T: " set "; Tpaddings: {int32, int64} = int32; mode: {'REFLECT', 'SYMMETRIC'}"

static const SluiceOpDef mirror_pad_op = {
  .name = "MirrorPad",
  .signature = "input: T, paddings: Tpaddings -> output: T",
  .attrs = ATTRS ("type"),
  .summary = N_ ("Continues a tensor over its edges by its mirror image"),
  .flags = SLUICE_OP_MAY_SHARE,
  .shape = sluice_shape_padded,
  .gradient = mirror_pad_gradient,
  .recipe = &pad_recipe,
};

static const SluiceOpDef mirror_pad_grad_op = {
  .name = "MirrorPadGrad",
  .signature = "input: T, paddings: Tpaddings -> output: T",
  .attrs = ATTRS ("type"),
  .summary = N_ ("Folds mirrored edges back and adds them up"),
  .shape = mirror_pad_grad_shape,
  .gradient = mirror_pad_grad_gradient,
  .recipe = &grad_recipe,
};

static const SluiceOpDef *const ops[] = { &mirror_pad_op, &mirror_pad_grad_op };

const SluiceKernelModule sluice_module_array_mirror_pad = { .ops = ops,
                                                            .n_ops = G_N_ELEMENTS (ops) };
