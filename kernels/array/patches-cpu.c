/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"
#include "kernels/array/move.h"
#include "kernels/array/patches.h"
#include "kernels/array/space.h"
#include "kernels/nn/sliding-window.h"

static gpointer
patches_prepare (const SluiceNode *node, GError **error)
{
  SluiceSlidingWindow window;
  return sluice_patches_read_window (node, &window, error) ? g_memdup2 (&window, sizeof window)
                                                           : NULL;
}

/* One nest for each pixel of the window: all places at which it shows something. */
static gboolean
move_pixels (SluiceKernelCall *call,
             const SluiceSlidingWindow *w,
             const SluiceSlidingWindowPlace *place,
             SluiceTensor *out)
{
  const SluiceTensor *image = sluice_call_input (call, 0);
  gint64 to[SLUICE_MAX_RANK], from[SLUICE_MAX_RANK], channels = image->shape.dim[3];
  gsize element = sluice_dtype_size (out->dtype);
  sluice_move_strides (&out->shape, to);
  sluice_move_strides (&image->shape, from);
  for (gint64 row = 0; row < w->size[1]; row++)
    for (gint64 column = 0; column < w->size[2]; column++)
      {
        const gint64 at[] = { 0, row, column };
        gint64 to_first = (row * w->size[2] + column) * channels, from_first = 0;
        SluiceMove move = { 0 };
        sluice_move_add (&move, image->shape.dim[0], to[0], from[0]);
        for (int axis = 1; axis < SLUICE_AXES; axis++)
          {
            gint64 shift = at[axis] * w->dilation[axis] - place->pad[axis][0];
            SluiceGridRange span =
                sluice_span (place->out[axis], w->stride[axis], shift, place->in[axis]);
            gint64 step = span.count > 1 ? w->stride[axis] * from[axis] : 0;
            to_first += span.count > 0 ? span.first * to[axis] : 0;
            from_first += span.count > 0 ? (span.first * w->stride[axis] + shift) * from[axis] : 0;
            sluice_move_add (&move, span.count, to[axis], step);
          }
        sluice_move_add (&move, channels, 1, 1);
        if (!sluice_move_run (call, out->dtype, &move, (char *) out->data + to_first * element,
                              (const char *) image->data + from_first * element))
          return FALSE;
      }
  return TRUE;
}

static gboolean
patches_compute (SluiceKernelCall *call)
{
  static const guint8 zero[16];
  const SluiceSlidingWindow *w = call->state;
  const SluiceShape *image = &sluice_call_input (call, 0)->shape;
  if (!sluice_call_want_rank (call, 0, 4))
    return FALSE;
  const gint64 in[SLUICE_AXES] = { 1, image->dim[1], image->dim[2] };
  gint64 area, channels;
  SluiceSlidingWindowPlace place;
  SluiceShape shape;
  g_autoptr (GError) error = NULL;
  if (!sluice_sliding_window_place (w, in, w->size, &place, &error))
    return sluice_call_fail (call, error->code, "%s", error->message);
  if (__builtin_mul_overflow (w->size[1], w->size[2], &area)
      || __builtin_mul_overflow (image->dim[3], area, &channels))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "a patch would be too big to count");
  const gint64 dims[] = { image->dim[0], place.out[1], place.out[2], channels };
  if (!sluice_shape_make (&shape, dims, 4, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  return sluice_move_fill (call, out->dtype, out->data, zero, out->n_elements)
         && move_pixels (call, w, &place, out);
}

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("ExtractImagePatches",
                       .prepare = patches_prepare,
                       .free_state = g_free,
                       .compute = patches_compute),
};

const SluiceKernelModule sluice_module_array_patches_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
