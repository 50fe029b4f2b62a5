/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * ExtractImagePatches: for every place of a window over an image, what the window shows, as
 * channels; zeros where it stands out. The gradient adds dy up by the pixel that it came from,
 * which the op itself tells of an image of numbered pixels.
 */
#include <glib/gi18n-lib.h>

#include "kernels/array/array.h"
#include "kernels/array/patches.h"
#include "kernels/math/gradients.h"
#include "kernels/nn/sliding-window.h"

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

gboolean
sluice_patches_read_window (const SluiceNode *node, SluiceSlidingWindow *self, GError **error)
{
  gboolean same = sluice_node_string_is (node, "padding", "SAME");
  *self = (SluiceSlidingWindow){
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
  SluiceSlidingWindow w;
  if (!sluice_patches_read_window (c->node, &w, error)
      || !sluice_shape_context_want_rank (c, 0, 4, error))
    return FALSE;
  if (shape.rank < 0)
    shape = sluice_shape_of_rank (4);
  for (int axis = 1; axis < SLUICE_AXES; axis++)
    if (!sluice_sliding_window_infer (&w, axis, shape.dim[axis], w.size[axis], &shape.dim[axis],
                                      error))
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

const SluiceKernelModule sluice_module_array_patches = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
