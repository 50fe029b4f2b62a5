/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Parts of pictures: boxes that are cut out and brought to one size, glimpses round a point.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/grad/grad.h"
#include "kernels/array/array.h"
#include "kernels/image/shapes.h"

/* ---- shapes ---- */

/* Inputs of these ranks, and box_ind as long as boxes. */
static gboolean
want_boxes (SluiceShapeContext *c, guint boxes, guint box_ind, gint64 *n, GError **error)
{
  if (!sluice_shape_context_want_rank (c, boxes, 2, error)
      || !sluice_shape_context_want_rank (c, box_ind, 1, error))
    return FALSE;
  gint64 a = sluice_input_dim (c, boxes, 0), b = sluice_input_dim (c, box_ind, 0);
  gint64 columns = sluice_input_dim (c, boxes, 1);
  if ((a >= 0 && b >= 0 && a != b) || (columns >= 0 && columns != 4))
    return sluice_shape_context_fail (c, error,
                                      "boxes must be [n, 4] and box_ind [n], not [%" G_GINT64_FORMAT
                                      ", %" G_GINT64_FORMAT "] and [%" G_GINT64_FORMAT "]",
                                      a, columns, b);
  *n = MAX (a, b);
  return TRUE;
}

static gboolean
crop_shape (SluiceShapeContext *c, GError **error)
{
  gint64 n = -1, size[2] = { 0 };
  if (!sluice_shape_context_want_rank (c, 0, 4, error) || !want_boxes (c, 1, 2, &n, error)
      || !sluice_shape_read_sizes (c, 3, size, 2, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (n, size[0], size[1], sluice_input_dim (c, 0, 3)));
  return TRUE;
}

static gboolean
image_gradient_shape (SluiceShapeContext *c, GError **error)
{
  gint64 size[4] = { 0 };
  if (!sluice_shape_read_sizes (c, 3, size, 4, error))
    return FALSE;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (size[0], size[1], size[2], size[3]));
  return TRUE;
}

static gboolean
boxes_gradient_shape (SluiceShapeContext *c, GError **error)
{
  sluice_shape_context_set (c, 0, &c->inputs[2]);
  return TRUE;
}

static gboolean
glimpse_shape (SluiceShapeContext *c, GError **error)
{
  gint64 size[2] = { 0 };
  if (!sluice_shape_context_want_rank (c, 0, 4, error)
      || !sluice_shape_context_want_rank (c, 2, 2, error)
      || !sluice_shape_read_sizes (c, 1, size, 2, error))
    return FALSE;
  gint64 batch = MAX (sluice_input_dim (c, 0, 0), sluice_input_dim (c, 2, 0));
  sluice_shape_context_set (c, 0,
                            &SLUICE_SHAPE (batch, size[0], size[1], sluice_input_dim (c, 0, 3)));
  return TRUE;
}

/* ---- gradient ---- */

/* To the boxes always as of a bilinear crop, as TensorFlow has it. */
static gboolean
crop_gradient (SluiceGradContext *g, GError **error)
{
  SluiceDType dtype = sluice_node_get_type (g->node, "T");
  SluiceEdge image = sluice_grad_input (g, 0), boxes = sluice_grad_input (g, 1);
  SluiceEdge numbers = sluice_grad_input (g, 2), dy = sluice_grad_dy (g, 0);
  if (dtype == SLUICE_HALF || dtype == SLUICE_FLOAT || dtype == SLUICE_DOUBLE)
    sluice_grad_set (
        g, 0,
        sluice_op_with (
            &g->b, "CropAndResizeGradImage",
            SLUICE_ATTRS (sluice_attr_type ("T", dtype),
                          sluice_attr_value ("method", sluice_node_get_attr (g->node, "method"))),
            dy, boxes, numbers, sluice_grad_shape_of (g, image, SLUICE_INT32)));
  sluice_grad_set (g, 1, sluice_op (&g->b, "CropAndResizeGradBoxes", dy, image, boxes, numbers));
  return TRUE;
}

/* ---- recipes ---- */

#define BOXES "float[3,4]={0.1,0.2,0.7,0.8, 0.8,0.3,0.2,0.9, -0.2,0.1,1.2,0.5}; int32[3]={0,1,1}"
#define CROPPED                                                                                    \
  (SLUICE_SET_SIGNED | SLUICE_SET (SLUICE_UINT8) | SLUICE_SET (SLUICE_UINT16)                      \
   | SLUICE_SET (SLUICE_HALF) | SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE))

static const SluiceSample crop_samples[] = {
  { "extrapolation_value=0.5", "float[2,5,6,2]; " BOXES "; int32[2]={3,4}", 1e-5, 1e-6, TRUE },
  { "method='nearest'", "float[2,5,6,1]; " BOXES "; int32[2]={1,2}", 1e-5, 1e-6, TRUE },
  { "", "float[2,5,6,1]; float[0,4]; int32[0]; int32[2]={1,2}", 0, 0, TRUE },
};
static const SluiceRecipe crop_recipe = { .samples = crop_samples,
                                          .n_samples = G_N_ELEMENTS (crop_samples),
                                          .dtypes = CROPPED };

static const SluiceSample image_samples[] = {
  { "T=float", "float[3,3,4,2]; " BOXES "; int32[4]={2,5,6,2}", 1e-5, 1e-6, TRUE },
  { "T=float; method='nearest'", "float[3,1,2,1]; " BOXES "; int32[4]={2,5,6,1}", 1e-5, 1e-6,
    TRUE },
};
static const SluiceRecipe image_recipe = {
  .samples = image_samples,
  .n_samples = G_N_ELEMENTS (image_samples),
  .dtypes = SLUICE_SET (SLUICE_HALF) | SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_DOUBLE),
};

static const SluiceSample boxes_samples[] = {
  { "", "float[3,3,4,2]; float[2,5,6,2]; " BOXES, 1e-5, 1e-6, TRUE },
  { "", "float[3,1,1,1]; float[2,5,6,1]; " BOXES, 1e-5, 1e-6, TRUE },
};
static const SluiceRecipe boxes_recipe = { .samples = boxes_samples,
                                           .n_samples = G_N_ELEMENTS (boxes_samples),
                                           .dtypes = CROPPED };

static const SluiceSample glimpse_samples[] = {
  { "noise='zero'; uniform_noise=false",
    "float[2,6,7,2]; int32[2]={3,4}; float[2,2]={0.2,-0.3,0.9,0.4}", 0, 0, TRUE },
  { "centered=false; normalized=false; noise='zero'; uniform_noise=false",
    "float[2,6,7,1]; int32[2]={9,2}; float[2,2]={-2,1,1,20}", 0, 0, TRUE },
};
static const SluiceRecipe glimpse_recipe = { .samples = glimpse_samples,
                                             .n_samples = G_N_ELEMENTS (glimpse_samples) };

/* ---- definitions ---- */

#define CROP_T "T: {uint8, uint16, int8, int16, int32, int64, half, float, double}; "

static const SluiceOpDef crop_op = {
  .name = "CropAndResize",
  .signature = "image: T, boxes: float, box_ind: int32, crop_size: int32 -> crops: float",
  .attrs = CROP_T "method: {'bilinear', 'nearest'} = 'bilinear'; extrapolation_value: float = 0",
  .summary = N_ ("Boxes cut out of pictures and brought to one size"),
  .shape = crop_shape,
  .gradient = crop_gradient,
  .recipe = &crop_recipe,
};

static const SluiceOpDef image_grad_op = {
  .name = "CropAndResizeGradImage",
  .signature = "grads: float, boxes: float, box_ind: int32, image_size: int32 -> output: T",
  .attrs = "T: {float, half, double}; method: {'bilinear', 'nearest'} = 'bilinear'",
  .summary = N_ ("Gradient of CropAndResize for the pictures"),
  .shape = image_gradient_shape,
  .recipe = &image_recipe,
};

static const SluiceOpDef boxes_grad_op = {
  .name = "CropAndResizeGradBoxes",
  .signature = "grads: float, image: T, boxes: float, box_ind: int32 -> output: float",
  .attrs = CROP_T "method: {'bilinear'} = 'bilinear'",
  .summary = N_ ("Gradient of CropAndResize for the boxes"),
  .shape = boxes_gradient_shape,
  .recipe = &boxes_recipe,
};

static const SluiceOpDef glimpse_op = {
  .name = "ExtractGlimpse",
  .signature = "input: float, size: int32, offsets: float -> glimpse: float",
  .attrs = "centered: bool = true; normalized: bool = true; uniform_noise: bool = true; "
           "noise: string = 'uniform'",
  .summary = N_ ("Parts of pictures round a point, with noise where they reach over the edge"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = glimpse_shape,
  .recipe = &glimpse_recipe,
};

static const SluiceOpDef *const ops[] = { &crop_op, &image_grad_op, &boxes_grad_op, &glimpse_op };

const SluiceKernelModule sluice_module_image_crop = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
