/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Summaries: values of a step, serialised as TensorFlow's Summary message, byte for byte, for
 * charts and event files.
 */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"

static const SluiceSample scalar_samples[] = {
  { "", "string[]={'loss'}; float[]", 0, 0, TRUE },
  { "", "string[2]={'a','b'}; float[2]", 0, 0, TRUE },
};
static const SluiceRecipe scalar_recipe = { .samples = scalar_samples,
                                            .n_samples = G_N_ELEMENTS (scalar_samples),
                                            .dtypes = SLUICE_SET_REAL };

static const SluiceSample histogram_samples[] = {
  { "", "string[]={'h'}; float[3,5]", 0, 0, TRUE },
  { "", "string[]={'h'}; float[0]", 0, 0, TRUE },
};
static const SluiceRecipe histogram_recipe = { .samples = histogram_samples,
                                               .n_samples = G_N_ELEMENTS (histogram_samples),
                                               .dtypes = SLUICE_SET_REAL };

static const SluiceSample image_samples[] = {
  { "", "string[]={'im'}; float[2,3,4,3]", 0, 0, TRUE },
  { "max_images=1", "string[]={'im'}; uint8[2,3,4,1]", 0, 0, TRUE },
};
static const SluiceRecipe image_recipe = { .samples = image_samples,
                                           .n_samples = G_N_ELEMENTS (image_samples) };

static const SluiceSample merge_samples[] = {
  { "N=2", "string[]={''}; string[1]={''}", 0, 0, TRUE },
};
static const SluiceRecipe merge_recipe = { .samples = merge_samples,
                                           .n_samples = G_N_ELEMENTS (merge_samples) };

static const SluiceSample audio_samples[] = {
  { "sample_rate=8000", "string[]={'au'}; float[2,5] in (-1,1)", 0, 0, TRUE },
  { "sample_rate=44100; max_outputs=1", "string[]={'au'}; float[2,4,2] in (-2,2)", 0, 0, TRUE },
};
static const SluiceRecipe audio_recipe = { .samples = audio_samples,
                                           .n_samples = G_N_ELEMENTS (audio_samples) };

static const SluiceSample audio_v2_samples[] = {
  { "", "string[]={'au'}; float[2,5,3] in (-1,1); float[]=22050", 0, 0, TRUE },
};
static const SluiceRecipe audio_v2_recipe = { .samples = audio_v2_samples,
                                              .n_samples = G_N_ELEMENTS (audio_v2_samples) };

static const SluiceRecipe tensor_recipe = {
  .why_none = N_ ("its output holds the node's name, so that no other node gives the same"),
};

static const SluiceSample tensor_v2_samples[] = {
  { "", "string[]={'t'}; float[2,3]; string[]={''}", 0, 0, TRUE },
  { "", "string[]={'t'}; string[2]={'a',''}; string[]={''}", 0, 0, TRUE },
};
static const SluiceRecipe tensor_v2_recipe = { .samples = tensor_v2_samples,
                                               .n_samples = G_N_ELEMENTS (tensor_v2_samples) };

static const SluiceOpDef scalar_op = {
  .name = "ScalarSummary",
  .signature = "tags: string, values: T -> summary: string",
  .attrs = "T: real",
  .summary = N_ ("Writes numbers for a chart"),
  .role = SLUICE_ROLE_SUMMARY,
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_scalar,
  .recipe = &scalar_recipe,
};

static const SluiceOpDef histogram_op = {
  .name = "HistogramSummary",
  .signature = "tag: string, values: T -> summary: string",
  .attrs = "T: real = float",
  .summary = N_ ("Writes how values are spread"),
  .role = SLUICE_ROLE_SUMMARY,
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_scalar,
  .recipe = &histogram_recipe,
};

static const SluiceOpDef image_op = {
  .name = "ImageSummary",
  .signature = "tag: string, tensor: T -> summary: string",
  .attrs = "max_images: int >= 1 = 3; T: {uint8, float, half, double} = float; "
           "bad_color: tensor = uint8[255,0,0,255]",
  .summary = N_ ("Writes pictures"),
  .role = SLUICE_ROLE_SUMMARY,
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_scalar,
  .recipe = &image_recipe,
};

#define AUDIO_TEXT  N_ ("Writes sound")
#define TENSOR_TEXT N_ ("Writes a tensor as it stands")

static const SluiceOpDef audio_op = {
  .name = "AudioSummary",
  .signature = "tag: string, tensor: float -> summary: string",
  .attrs = "sample_rate: float; max_outputs: int >= 1 = 3",
  .summary = AUDIO_TEXT,
  .role = SLUICE_ROLE_SUMMARY,
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_scalar,
  .recipe = &audio_recipe,
};

static const SluiceOpDef audio_v2_op = {
  .name = "AudioSummaryV2",
  .signature = "tag: string, tensor: float, sample_rate: float -> summary: string",
  .attrs = "max_outputs: int >= 1 = 3",
  .summary = AUDIO_TEXT,
  .role = SLUICE_ROLE_SUMMARY,
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_scalar,
  .recipe = &audio_v2_recipe,
};

static const SluiceOpDef tensor_op = {
  .name = "TensorSummary",
  .signature = "tensor: T -> summary: string",
  .attrs = "T: type; description: string = ''; labels: list(string) = []; "
           "display_name: string = ''",
  .summary = TENSOR_TEXT,
  .role = SLUICE_ROLE_SUMMARY,
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_scalar,
  .recipe = &tensor_recipe,
};

static const SluiceOpDef tensor_v2_op = {
  .name = "TensorSummaryV2",
  .signature = "tag: string, tensor: T, serialized_summary_metadata: string -> summary: string",
  .attrs = "T: type",
  .summary = TENSOR_TEXT,
  .role = SLUICE_ROLE_SUMMARY,
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_scalar,
  .recipe = &tensor_v2_recipe,
};

static const SluiceOpDef merge_op = {
  .name = "MergeSummary",
  .signature = "inputs: N * string -> summary: string",
  .attrs = "N: int >= 1",
  .summary = N_ ("Joins summaries"),
  .role = SLUICE_ROLE_MERGE_SUMMARY,
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_scalar,
  .recipe = &merge_recipe,
};

static const SluiceOpDef *const ops[] = {
  &scalar_op, &histogram_op, &image_op,  &merge_op,
  &audio_op,  &audio_v2_op,  &tensor_op, &tensor_v2_op,
};

const SluiceKernelModule sluice_module_summary_summary = { .ops = ops,
                                                           .n_ops = G_N_ELEMENTS (ops) };
