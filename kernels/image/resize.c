/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Pictures in other sizes: blended from two, four by four or all pixels that lie under the new
 * one, or taken from the nearest.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "kernels/image/shapes.h"

/* ---- shapes ---- */

/* [batch, height, width, channels] of input 0, with the height and width that input 1 gives. */
static gboolean
resize_shape (SluiceShapeContext *c, GError **error)
{
  gint64 size[2] = { 0 };
  if (!sluice_shape_context_want_rank (c, 0, 4, error)
      || !sluice_shape_read_sizes (c, 1, size, 2, error))
    return FALSE;
  sluice_shape_context_set (
      c, 0,
      &SLUICE_SHAPE (sluice_input_dim (c, 0, 0), size[0], size[1], sluice_input_dim (c, 0, 3)));
  return TRUE;
}

static gboolean
gradient_shape (SluiceShapeContext *c, GError **error)
{
  sluice_shape_context_set (c, 0, &c->inputs[1]);
  return TRUE;
}

/* ---- gradients ---- */

static SluiceEdge
like (SluiceGradContext *g, const char *op, SluiceEdge other)
{
  static const char *const names[] = { "align_corners", "half_pixel_centers" };
  SluiceAttr attrs[G_N_ELEMENTS (names)];
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    attrs[i] = sluice_attr_value (names[i], sluice_node_get_attr (g->node, names[i]));
  return sluice_builder_add (&g->b, op, NULL, (SluiceEdge[]){ sluice_grad_dy (g, 0), other }, 2,
                             attrs, G_N_ELEMENTS (names));
}

static gboolean
bilinear_gradient (SluiceGradContext *g, GError **error)
{
  sluice_grad_set (g, 0, like (g, "ResizeBilinearGrad", sluice_grad_input (g, 0)));
  return TRUE;
}

static gboolean
bicubic_gradient (SluiceGradContext *g, GError **error)
{
  SluiceDType dtype = sluice_node_get_type (g->node, "T");
  if (dtype == SLUICE_FLOAT || dtype == SLUICE_DOUBLE)
    sluice_grad_set (g, 0, like (g, "ResizeBicubicGrad", sluice_grad_input (g, 0)));
  return TRUE;
}

static gboolean
nearest_gradient (SluiceGradContext *g, GError **error)
{
  SluiceEdge images = sluice_grad_input (g, 0), size;
  const SluiceShape *shape = sluice_edge_shape (g->node->inputs[0]);
  if (shape->rank == 4 && shape->dim[1] >= 0 && shape->dim[2] >= 0)
    size = sluice_builder_const_ints (&g->b, SLUICE_INT32, &shape->dim[1], 2);
  else
    size = sluice_op (&g->b, "Slice", sluice_op (&g->b, "Shape", images),
                      sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ 1 }, 1),
                      sluice_builder_const_ints (&g->b, SLUICE_INT32, (gint64[]){ 2 }, 1));
  sluice_grad_set (g, 0, like (g, "ResizeNearestNeighborGrad", size));
  return TRUE;
}

/* ---- cost ---- */

static void
resize_cost (const SluiceNode *node,
             const SluiceShape *in,
             const SluiceShape *out,
             SluiceCost *cost)
{
  double to = (double) sluice_shape_n_elements (&out[0]);
  double from = (double) sluice_shape_n_elements (&in[0]);
  /* Two blends along each axis, of two operations. */
  cost->flops = 8 * MAX (from, to);
  cost->bytes = from * (double) sluice_dtype_size (sluice_edge_dtype (node->inputs[0]))
                + to * (double) sluice_dtype_size (node->outputs[0].dtype);
}

/* ---- definitions ---- */

#define PICTURES                                                                                   \
  (SLUICE_SET_SIGNED | SLUICE_SET_FLOATS | SLUICE_SET (SLUICE_UINT8) | SLUICE_SET (SLUICE_UINT16))

#define UP   "float[2,3,4,2]; int32[2]={5,7}"
#define DOWN "float[1,7,5,3]; int32[2]={3,2}"
static const SluiceSample samples[] = {
  { "", UP, 1e-5, 1e-6 },
  { "half_pixel_centers=true", DOWN, 1e-5, 1e-6 },
  { "align_corners=true", UP, 1e-5, 1e-6 },
  { "", "float[1,2,3,1]; int32[2]={2,3}", 1e-5, 1e-6 },
  { "", "float[0,2,3,1]; int32[2]={4,1}", 0, 0, TRUE },
};
static const SluiceRecipe nearest_recipe = { .samples = samples,
                                             .n_samples = G_N_ELEMENTS (samples),
                                             .dtypes = PICTURES };

/* The outputs are float, too coarse for differences in double. */
static const SluiceSample blend_samples[] = {
  { "half_pixel_centers=true", UP, 1e-5, 1e-6, TRUE },
  { "", DOWN, 1e-5, 1e-6, TRUE },
  { "align_corners=true", UP, 1e-5, 1e-6, TRUE },
  { "", "float[1,2,3,1]; int32[2]={2,3}", 1e-5, 1e-6, TRUE },
  { "", "float[0,2,3,1]; int32[2]={4,1}", 0, 0, TRUE },
};
static const SluiceRecipe blend_recipe = { .samples = blend_samples,
                                           .n_samples = G_N_ELEMENTS (blend_samples),
                                           .dtypes = PICTURES };
static const SluiceRecipe area_recipe = { .samples = blend_samples + 1,
                                          .n_samples = G_N_ELEMENTS (blend_samples) - 1,
                                          .dtypes = PICTURES };

static const SluiceSample gradient_samples[] = {
  { "", "float[2,5,7,2]; float[2,3,4,2]", 1e-5, 1e-6, TRUE },
  { "half_pixel_centers=true", "float[1,3,2,3]; float[1,7,5,3]", 1e-5, 1e-6, TRUE },
};
static const SluiceRecipe bilinear_gradient_recipe = { .samples = gradient_samples,
                                                       .n_samples = G_N_ELEMENTS (gradient_samples),
                                                       .dtypes = SLUICE_SET_FLOATS };
static const SluiceRecipe bicubic_gradient_recipe = {
  .samples = gradient_samples,
  .n_samples = G_N_ELEMENTS (gradient_samples),
  .dtypes = SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE),
};

static const SluiceSample nearest_gradient_samples[] = {
  { "", "float[2,5,7,2]; int32[2]={3,4}", 1e-5, 1e-6, TRUE },
  { "align_corners=true", "float[1,3,2,3]; int32[2]={7,5}", 1e-5, 1e-6, TRUE },
};
static const SluiceRecipe nearest_gradient_recipe = {
  .samples = nearest_gradient_samples,
  .n_samples = G_N_ELEMENTS (nearest_gradient_samples),
  .dtypes = SLUICE_SET_FLOATS | SLUICE_SET (SLUICE_UINT8) | SLUICE_SET (SLUICE_INT8)
            | SLUICE_SET (SLUICE_INT32),
};

#define ALL_T                                                                                      \
  "T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}; "                 \
  "align_corners: bool = false"
#define HALF_PIXEL "; half_pixel_centers: bool = false"

static const SluiceOpDef bilinear_op = {
  .name = "ResizeBilinear",
  .signature = "images: T, size: int32 -> resized_images: float",
  .attrs = ALL_T HALF_PIXEL,
  .summary = N_ ("Pictures in another size, each pixel blended from the four around it"),
  .shape = resize_shape,
  .gradient = bilinear_gradient,
  .cost = resize_cost,
  .recipe = &blend_recipe,
};

static const SluiceOpDef bilinear_grad_op = {
  .name = "ResizeBilinearGrad",
  .signature = "grads: float, original_image: T -> output: T",
  .attrs = "T: {float, bfloat16, half, double}; align_corners: bool = false" HALF_PIXEL,
  .summary = N_ ("Gradient of a bilinear resize"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = gradient_shape,
  .cost = resize_cost,
  .recipe = &bilinear_gradient_recipe,
};

static const SluiceOpDef bicubic_op = {
  .name = "ResizeBicubic",
  .signature = "images: T, size: int32 -> resized_images: float",
  .attrs = ALL_T HALF_PIXEL,
  .summary = N_ ("Pictures in another size, by cubics through the sixteen pixels around each"),
  .shape = resize_shape,
  .gradient = bicubic_gradient,
  .cost = resize_cost,
  .recipe = &blend_recipe,
};

static const SluiceOpDef bicubic_grad_op = {
  .name = "ResizeBicubicGrad",
  .signature = "grads: float, original_image: T -> output: T",
  .attrs = "T: {float, double}; align_corners: bool = false" HALF_PIXEL,
  .summary = N_ ("Gradient of a bicubic resize"),
  .shape = gradient_shape,
  .cost = resize_cost,
  .recipe = &bicubic_gradient_recipe,
};

static const SluiceOpDef area_op = {
  .name = "ResizeArea",
  .signature = "images: T, size: int32 -> resized_images: float",
  .attrs = ALL_T,
  .summary = N_ ("Pictures in another size, each pixel the mean of what it covers"),
  .shape = resize_shape,
  .cost = resize_cost,
  .recipe = &area_recipe,
};

static const SluiceOpDef nearest_op = {
  .name = "ResizeNearestNeighbor",
  .signature = "images: T, size: int32 -> resized_images: T",
  .attrs = ALL_T HALF_PIXEL,
  .summary = N_ ("Pictures in another size, each pixel a copy of the nearest"),
  .shape = resize_shape,
  .gradient = nearest_gradient,
  .cost = resize_cost,
  .recipe = &nearest_recipe,
};

static const SluiceOpDef nearest_grad_op = {
  .name = "ResizeNearestNeighborGrad",
  .signature = "grads: T, size: int32 -> output: T",
  .attrs = "T: {uint8, int8, int32, half, float, double, bfloat16}; align_corners: bool = "
           "false" HALF_PIXEL,
  .summary = N_ ("Gradient of a resize by the nearest pixels"),
  .shape = resize_shape,
  .cost = resize_cost,
  .recipe = &nearest_gradient_recipe,
};

static const SluiceOpDef *const ops[] = {
  &bilinear_op, &bilinear_grad_op, &bicubic_op,      &bicubic_grad_op,
  &area_op,     &nearest_op,       &nearest_grad_op,
};

const SluiceKernelModule sluice_module_image_resize = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
