/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * A convolution of a picture that is first mirrored at its edges and, before that, resized: what
 * tools that prepare graphs for phones join into one op.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"
#include "kernels/nn/sliding-window.h"

/* input, (size,) paddings, filter. */
static gboolean
fused_shape (SluiceShapeContext *c, GError **error)
{
  SluiceSlidingWindow window;
  guint last = c->n_inputs - 1;
  const SluiceShape *in = &c->inputs[0], *filter = &c->inputs[last];
  const SluiceTensor *size = last == 3 ? sluice_shape_context_constant (c, 1) : NULL;
  const SluiceTensor *paddings = sluice_shape_context_constant (c, last - 1);
  gint64 sizes[SLUICE_AXES] = { 1, -1, -1 };
  if (!sluice_sliding_window_parse (c->node, &window, error)
      || !sluice_shape_context_want_rank (c, 0, 4, error)
      || !sluice_shape_context_want_rank (c, last, 4, error)
      || !sluice_shape_context_want_rank (c, last - 1, 2, error))
    return FALSE;
  gboolean padded = paddings && paddings->n_elements == 8;
  for (int axis = 1; axis < SLUICE_AXES && padded; axis++)
    {
      gint64 extent = in->rank == 4 ? in->dim[axis] : SLUICE_UNKNOWN_DIM;
      if (last == 3)
        extent = size && size->n_elements == 2 ? sluice_tensor_get_int (size, axis - 1)
                                               : SLUICE_UNKNOWN_DIM;
      if (extent < 0)
        continue;
      for (int side = 0; side < 2; side++)
        extent += sluice_tensor_get_int (paddings, 2 * axis + side); /* of 32 bits */
      if (!sluice_sliding_window_infer (
              &window, axis, extent, filter->rank == 4 ? filter->dim[axis - 1] : SLUICE_UNKNOWN_DIM,
              &sizes[axis], error))
        return FALSE;
    }
  SluiceShape out = sluice_sliding_window_value (
      &window, in->rank == 4 && padded ? in->dim[0] : SLUICE_UNKNOWN_DIM, sizes,
      filter->rank == 4 ? filter->dim[3] : SLUICE_UNKNOWN_DIM);
  sluice_shape_context_set (c, 0, &out);
  return TRUE;
}

#define PLAIN "strides=[1,1,1,1]; padding='VALID'; mode="
#define EDGES "int32[4,2]={0,0,1,1,2,0,0,0}; "
static const SluiceSample pad_samples[] = {
  { PLAIN "'REFLECT'", "float[1,4,5,2]; " EDGES "float[2,3,2,3]", 1e-5, 1e-5, TRUE },
  { PLAIN "'SYMMETRIC'", "float[2,4,5,2]; " EDGES "float[1,1,2,1]", 1e-5, 1e-5, TRUE },
};
static const SluiceRecipe pad_recipe = { .samples = pad_samples,
                                         .n_samples = G_N_ELEMENTS (pad_samples),
                                         .dtypes = SLUICE_SET_FLOATS };
static const SluiceSample resize_samples[] = {
  { PLAIN "'REFLECT'", "float[1,4,5,2]; int32[2]={7,3}; " EDGES "float[2,3,2,3]", 1e-5, 1e-5,
    TRUE },
};
static const SluiceRecipe resize_recipe = { .samples = resize_samples,
                                            .n_samples = G_N_ELEMENTS (resize_samples) };

#define CONV_ATTRS "mode: {'REFLECT', 'SYMMETRIC'}; strides: list(int); padding: {'SAME', 'VALID'}"

static const SluiceOpDef pad_op = {
  .name = "FusedPadConv2D",
  .signature = "input: T, paddings: int32, filter: T -> output: T",
  .attrs = "T: {half, bfloat16, float, double}; " CONV_ATTRS,
  .summary = N_ ("Convolution of a picture mirrored at its edges"),
  .shape = fused_shape,
  .recipe = &pad_recipe,
};

static const SluiceOpDef resize_op = {
  .name = "FusedResizeAndPadConv2D",
  .signature = "input: T, size: int32, paddings: int32, filter: T -> output: T",
  .attrs = "T: {half, float, double}; resize_align_corners: bool = false; " CONV_ATTRS,
  .summary = N_ ("Convolution of a picture resized and mirrored at its edges"),
  .shape = fused_shape,
  .recipe = &resize_recipe,
};

static const SluiceOpDef *const ops[] = { &pad_op, &resize_op };

const SluiceKernelModule sluice_module_nn_fused_conv = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
