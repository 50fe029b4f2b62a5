/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * ExtractImagePatches: for every place of a window over an image, what the window shows, as
 * channels; zeros where it stands out. The gradient adds dy up by the pixel that it came from,
 * which the op itself tells of an image of numbered pixels.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"
#include "kernels/array/move.h"
#include "kernels/array/space.h"
#include "kernels/math/gradients.h"
#include "kernels/nn/window.h"

static gboolean
read_attr (const SluiceNode *node, const char *name, gint64 values[2], GError **error)
{
  gint64 all[4];
  guint n = sluice_node_get_ints (node, name, all, 4);
  if (n != 4 || all[1] < 1 || all[2] < 1)
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "%s must be four numbers, none below 1", name);
  if (all[0] != 1 || all[3] != 1)
    return sluice_node_fail (node, error, SLUICE_ERROR_UNIMPLEMENTED,
                             "%s must be 1 over batch and channels", name);
  values[0] = all[1];
  values[1] = all[2];
  return TRUE;
}

static gboolean
read_window (const SluiceNode *node, SluiceWindow *self, GError **error)
{
  gboolean same = sluice_node_string_is (node, "padding", "SAME");
  *self = (SluiceWindow){
    .first_axis = 1,
    .padding = same ? SLUICE_PADDING_SAME : SLUICE_PADDING_VALID,
    .stride = { 1, 1, 1 },
    .dilation = { 1, 1, 1 },
    .size = { 1, 1, 1 },
    .depth = 1,
  };
  return read_attr (node, "ksizes", self->size + 1, error)
         && read_attr (node, "strides", self->stride + 1, error)
         && read_attr (node, "rates", self->dilation + 1, error);
}

static gboolean
patches_shape (SluiceShapeContext *c, GError **error)
{
  SluiceShape shape = c->inputs[0];
  SluiceWindow w;
  if (!read_window (c->node, &w, error) || !sluice_shape_context_want_rank (c, 0, 4, error))
    return FALSE;
  if (shape.rank < 0)
    shape = sluice_shape_of_rank (4);
  for (int axis = 1; axis < SLUICE_AXES; axis++)
    if (!sluice_window_infer (&w, axis, shape.dim[axis], w.size[axis], &shape.dim[axis], error))
      return FALSE;
  gint64 area;
  if (__builtin_mul_overflow (w.size[1], w.size[2], &area)
      || (shape.dim[3] >= 0 && __builtin_mul_overflow (shape.dim[3], area, &shape.dim[3])))
    return sluice_shape_context_fail (c, error, "a patch would be too big to count");
  sluice_shape_context_set (c, 0, &shape);
  return TRUE;
}

static SluiceEdge
pack (SluiceGradContext *g, const SluiceEdge *parts, guint n)
{
  return sluice_builder_add (&g->b, "Pack", NULL, parts, n,
                             SLUICE_ATTRS (sluice_attr_int ("N", n)));
}
#define PACK(...) pack (g, (SluiceEdge[]){ __VA_ARGS__ }, SLUICE_COUNT_ (SluiceEdge, __VA_ARGS__))

static SluiceEdge
number (SluiceGradContext *g, gint64 value)
{
  return sluice_builder_const_number (&g->b, SLUICE_INT64, (double) value);
}

static SluiceEdge
order_of (SluiceGradContext *g, const gint64 *axes, guint n)
{
  return sluice_builder_const_ints (&g->b, SLUICE_INT32, axes, n);
}

/* The sizes of a shape of four dimensions. */
static SluiceEdge
sizes_of (SluiceGradContext *g, SluiceEdge edge)
{
  return sluice_op_with (&g->b, "Unpack", SLUICE_ATTRS (sluice_attr_int ("num", 4)),
                         sluice_grad_shape_of (g, edge, SLUICE_INT64));
}

/* For each element of each patch of one image, the number of its pixel; -1 in the padding. */
static SluiceEdge
pixel_numbers (SluiceGradContext *g, SluiceEdge n_pixels, SluiceEdge rows, SluiceEdge columns)
{
  SluiceEdge one = number (g, 1);
  SluiceEdge numbers = MAKE ("Range", one, MAKE ("AddV2", n_pixels, one), one);
  SluiceEdge image = MAKE ("Reshape", numbers, PACK (one, rows, columns, one));
  SluiceEdge patches =
      sluice_op_with (&g->b, "ExtractImagePatches",
                      SLUICE_ATTRS (sluice_grad_attr (g, "ksizes"), sluice_grad_attr (g, "strides"),
                                    sluice_grad_attr (g, "rates"), sluice_grad_attr (g, "padding")),
                      image);
  SluiceEdge flat = MAKE ("Reshape", patches, order_of (g, (gint64[]){ -1 }, 1));
  return MAKE ("Sub", flat, one);
}

static gboolean
patches_gradient (SluiceGradContext *g, GError **error)
{
  gint64 ksizes[4];
  sluice_node_get_ints (g->node, "ksizes", ksizes, 4);
  SluiceEdge in = sizes_of (g, sluice_grad_input (g, 0));
  SluiceEdge out = sizes_of (g, sluice_grad_output (g, 0));
  SluiceEdge batch = in, rows = sluice_edge_port (in, 1), columns = sluice_edge_port (in, 2);
  SluiceEdge channels = sluice_edge_port (in, 3), n_pixels = MAKE ("Mul", rows, columns);
  SluiceEdge ids = pixel_numbers (g, n_pixels, rows, columns);

  /* [places, window, batch · channels]: an image of pixels that hold all examples */
  SluiceEdge dy = MAKE ("Reshape", sluice_grad_dy (g, 0),
                        PACK (batch, sluice_edge_port (out, 1), sluice_edge_port (out, 2),
                              number (g, ksizes[1]), number (g, ksizes[2]), channels));
  dy = MAKE ("Transpose", dy, order_of (g, (gint64[]){ 1, 2, 3, 4, 0, 5 }, 6));
  SluiceEdge pixel = MAKE ("Mul", batch, channels);
  SluiceAttr wide = sluice_attr_type ("out_type", SLUICE_INT64);
  SluiceEdge n_shown = sluice_op_with (&g->b, "Size", SLUICE_ATTRS (wide), ids);
  dy = MAKE ("Reshape", dy, PACK (n_shown, pixel));
  SluiceEdge sum = MAKE ("UnsortedSegmentSum", dy, ids, n_pixels);
  sum = MAKE ("Reshape", sum, PACK (rows, columns, batch, channels));
  sluice_grad_set (g, 0, MAKE ("Transpose", sum, order_of (g, (gint64[]){ 2, 0, 1, 3 }, 4)));
  return TRUE;
}

#define SAMPLE(padding)                                                                            \
  "ksizes=[1,2,3,1]; strides=[1,1,2,1]; rates=[1,2,1,1]; padding='" padding "'"
static const SluiceSample samples[] = {
  { SAMPLE ("SAME"), "float[2,5,6,2]", 1e-5, 1e-6 },
  { SAMPLE ("VALID"), "float[1,5,6,2]", 1e-5, 1e-6 },
  { SAMPLE ("VALID"), "float[1,2,6,2]" },
};
static const SluiceRecipe recipe = { samples, G_N_ELEMENTS (samples) };

static const SluiceOpDef patches_op = {
  .name = "ExtractImagePatches",
  .signature = "images: T -> patches: T",
  .attrs = "ksizes: list(int) >= 4; strides: list(int) >= 4; rates: list(int) >= 4; "
           "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, "
           "uint64, complex64, complex128, bool}; padding: {'SAME', 'VALID'}",
  .summary = N_ ("What a window over an image shows, as channels"),
  .shape = patches_shape,
  .gradient = patches_gradient,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &patches_op };

/* ---- kernel ---- */

static gpointer
patches_prepare (const SluiceNode *node, GError **error)
{
  SluiceWindow window;
  return read_window (node, &window, error) ? g_memdup2 (&window, sizeof window) : NULL;
}

/* One nest for each pixel of the window: all places at which it shows something. */
static gboolean
move_pixels (SluiceKernelCall *call,
             const SluiceWindow *w,
             const SluiceWindowPlace *place,
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
            SluiceSpan span =
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
  const SluiceWindow *w = call->state;
  const SluiceShape *image = &sluice_call_input (call, 0)->shape;
  if (!sluice_call_want_rank (call, 0, 4))
    return FALSE;
  const gint64 in[SLUICE_AXES] = { 1, image->dim[1], image->dim[2] };
  gint64 area, channels;
  SluiceWindowPlace place;
  SluiceShape shape;
  g_autoptr (GError) error = NULL;
  if (!sluice_window_place (w, in, w->size, &place, &error))
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

const SluiceKernelModule sluice_module_array_patches = {
  .ops = ops, .n_ops = G_N_ELEMENTS (ops), .kernels = kernels, .n_kernels = G_N_ELEMENTS (kernels)
};
