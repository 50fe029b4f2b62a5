/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Boxes in pictures: drawn, chosen among those that overlap, and drawn by lot.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "kernels/image/shapes.h"

/* ---- shapes ---- */

static gboolean
draw_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 0, 4, error)
         && sluice_shape_context_want_rank (c, 1, 3, error) && sluice_shape_unchanged (c, error);
}

static gboolean
choose_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 2, error)
      || !sluice_shape_context_want_rank (c, 1, 1, error))
    return FALSE;
  for (guint i = 2; i < c->n_inputs; i++)
    if (!sluice_shape_context_want_rank (c, i, 0, error))
      return FALSE;
  gint64 boxes = sluice_input_dim (c, 0, 0), scores = sluice_input_dim (c, 1, 0);
  gint64 columns = sluice_input_dim (c, 0, 1);
  if ((boxes >= 0 && scores >= 0 && boxes != scores) || (columns >= 0 && columns != 4))
    return sluice_shape_context_fail (c, error, "boxes must be [n, 4] and scores [n]");
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (-1));
  return TRUE;
}

static gboolean
sample_shape (SluiceShapeContext *c, GError **error)
{
  if (!sluice_shape_context_want_rank (c, 0, 1, error)
      || !sluice_shape_context_want_rank (c, 1, 3, error)
      || (c->n_inputs > 2 && !sluice_shape_context_want_rank (c, 2, 0, error)))
    return FALSE;
  sluice_shape_context_set (c, 0, &SLUICE_SHAPE (3));
  sluice_shape_context_set (c, 1, &SLUICE_SHAPE (3));
  sluice_shape_context_set (c, 2, &SLUICE_SHAPE (1, 1, 4));
  return TRUE;
}

/* ---- recipes ---- */

#define HALF_OR_FLOAT (SLUICE_SET (SLUICE_FLOAT) | SLUICE_SET (SLUICE_HALF))

static const SluiceSample draw_samples[] = {
  { "", "float[1,7,8,3]; float[1,2,4]={0.1,0.1,0.6,0.7, -0.5,0.2,0.4,1.5}", 0, 0, TRUE },
  { "", "float[2,5,5,1]; float[2,1,4] in (0,1)", 0, 0, TRUE },
};
static const SluiceRecipe draw_recipe = { .samples = draw_samples,
                                          .n_samples = G_N_ELEMENTS (draw_samples),
                                          .dtypes = HALF_OR_FLOAT };

#define CANDIDATES "float[6,4] in (0,1); float[6] in (0,1); int32[]=4"
static const SluiceSample choose_samples[] = { { "", CANDIDATES, 0, 0, TRUE } };
static const SluiceRecipe choose_recipe = { .samples = choose_samples,
                                            .n_samples = G_N_ELEMENTS (choose_samples) };
static const SluiceSample choose_v2_samples[] = {
  { "", CANDIDATES "; float[]=0.3", 0, 0, TRUE },
};
static const SluiceRecipe choose_v2_recipe = { .samples = choose_v2_samples,
                                               .n_samples = G_N_ELEMENTS (choose_v2_samples),
                                               .dtypes = HALF_OR_FLOAT };
static const SluiceSample choose_v3_samples[] = {
  { "", CANDIDATES "; float[]=0.3; float[]=0.2", 0, 0, TRUE },
};
static const SluiceRecipe choose_v3_recipe = { .samples = choose_v3_samples,
                                               .n_samples = G_N_ELEMENTS (choose_v3_samples),
                                               .dtypes = HALF_OR_FLOAT };

#define SEEDED "seed=3; seed2=7"
#define IMAGE  "int32[3]={20,33,3}; float[1,2,4]={0.1,0.1,0.8,0.9, 0.2,0,0.5,1}"
#define SIZES                                                                                      \
  (SLUICE_SET (SLUICE_UINT8) | SLUICE_SET (SLUICE_INT8) | SLUICE_SET (SLUICE_INT16)                \
   | SLUICE_SET_INDEX)
static const SluiceSample sample_samples[] = {
  { SEEDED "; min_object_covered=0.4", IMAGE, 0, 0, TRUE },
  { SEEDED "; use_image_if_no_bounding_boxes=true", "int32[3]={9,5,1}; float[1,0,4]", 0, 0, TRUE },
};
static const SluiceRecipe sample_recipe = { .samples = sample_samples,
                                            .n_samples = G_N_ELEMENTS (sample_samples),
                                            .dtypes = SIZES };
static const SluiceSample sample_v2_samples[] = { { SEEDED, IMAGE "; float[]=0.4", 0, 0, TRUE } };
static const SluiceRecipe sample_v2_recipe = { .samples = sample_v2_samples,
                                               .n_samples = G_N_ELEMENTS (sample_v2_samples),
                                               .dtypes = SIZES };

static const SluiceSample stateless_sample_samples[] = {
  { "", IMAGE "; float[]=0.4; int64[2]={3,7}", 0, 0, TRUE },
};
static const SluiceRecipe stateless_sample_recipe = { .samples = stateless_sample_samples,
                                                      .n_samples =
                                                          G_N_ELEMENTS (stateless_sample_samples),
                                                      .dtypes = SIZES };

/* ---- definitions ---- */

static const SluiceOpDef draw_op = {
  .name = "DrawBoundingBoxes",
  .signature = "images: T, boxes: float -> output: T",
  .attrs = "T: {float, half} = float",
  .summary = N_ ("Draws the edges of boxes into pictures"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = draw_shape,
  .recipe = &draw_recipe,
};

#define CHOOSE_TEXT N_ ("The best of boxes that overlap, by their scores")

static const SluiceOpDef choose_op = {
  .name = "NonMaxSuppression",
  .signature = "boxes: float, scores: float, max_output_size: int32 -> selected_indices: int32",
  .attrs = "iou_threshold: float = 0.5",
  .summary = CHOOSE_TEXT,
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = choose_shape,
  .recipe = &choose_recipe,
};

static const SluiceOpDef choose_v2_op = {
  .name = "NonMaxSuppressionV2",
  .signature = "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold -> "
               "selected_indices: int32",
  .attrs = "T: {half, float} = float; T_threshold: {half, float} = float",
  .summary = CHOOSE_TEXT,
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = choose_shape,
  .recipe = &choose_v2_recipe,
};

static const SluiceOpDef choose_v3_op = {
  .name = "NonMaxSuppressionV3",
  .signature = "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, "
               "score_threshold: T_threshold -> selected_indices: int32",
  .attrs = "T: {half, float} = float; T_threshold: {half, float} = float",
  .summary = CHOOSE_TEXT,
  .shape = choose_shape,
  .recipe = &choose_v3_recipe,
};

#define STATELESS_SAMPLE_ATTRS                                                                     \
  "aspect_ratio_range: list(float) = [0.75,1.33]; area_range: list(float) = [0.05,1]; "            \
  "max_attempts: int = 100; use_image_if_no_bounding_boxes: bool = false; "                        \
  "T: {uint8, int8, int16, int32, int64}"
#define SAMPLE_ATTRS "seed: int = 0; seed2: int = 0; " STATELESS_SAMPLE_ATTRS
#define SAMPLE_TEXT  N_ ("A part of a picture by lot, which holds enough of one of the boxes")

static const SluiceOpDef sample_op = {
  .name = "SampleDistortedBoundingBox",
  .signature = "image_size: T, bounding_boxes: float -> begin: T, size: T, bboxes: float",
  .attrs = "min_object_covered: float = 0.1; " SAMPLE_ATTRS,
  .summary = SAMPLE_TEXT,
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP | SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sample_shape,
  .recipe = &sample_recipe,
};

static const SluiceOpDef sample_v2_op = {
  .name = "SampleDistortedBoundingBoxV2",
  .signature = "image_size: T, bounding_boxes: float, min_object_covered: float -> "
               "begin: T, size: T, bboxes: float",
  .attrs = SAMPLE_ATTRS,
  .summary = SAMPLE_TEXT,
  .flags = SLUICE_OP_STATEFUL | SLUICE_OP_ENDS_WITH_STEP | SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sample_shape,
  .recipe = &sample_v2_recipe,
};

static const SluiceOpDef stateless_sample_op = {
  .name = "StatelessSampleDistortedBoundingBox",
  .signature = "image_size: T, bounding_boxes: float, min_object_covered: float, seed: Tseed -> "
               "begin: T, size: T, bboxes: float",
  .attrs = "Tseed: index; " STATELESS_SAMPLE_ATTRS,
  .summary = N_ ("A part of a picture by lot, which holds enough of one of the boxes, the same for "
                 "the same seed"),
  .shape = sample_shape,
  .recipe = &stateless_sample_recipe,
};

static const SluiceOpDef *const ops[] = {
  &draw_op,   &choose_op,    &choose_v2_op,        &choose_v3_op,
  &sample_op, &sample_v2_op, &stateless_sample_op,
};

const SluiceKernelModule sluice_module_image_boxes = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
