/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What layout optimisers put into graphs: numbers of dimensions (DataFormatDimMap) and vectors with
 * an item a dimension (DataFormatVecPermute), carried over from one data format to another.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"

static const SluiceSample map_samples[] = {
  { "", "int32[6]={0,1,2,3,-1,-4}", 0, 0 },
  { "src_format='NCDHW'; dst_format='NDHWC'", "int64[2,2]={0,1,4,-2}", 0, 0 },
};
static const SluiceRecipe map_recipe = { .samples = map_samples,
                                         .n_samples = G_N_ELEMENTS (map_samples) };
static const SluiceSample permute_samples[] = {
  { "", "int32[4]={1,2,3,4}", 0, 0 },
  { "src_format='NCHW'; dst_format='NHWC'", "int64[4,2]={1,2,3,4,5,6,7,8}", 0, 0 },
  { "", "int32[2]={5,6}", 0, 0 },
};
static const SluiceRecipe permute_recipe = { .samples = permute_samples,
                                             .n_samples = G_N_ELEMENTS (permute_samples) };

#define ATTRS "T: index = int32; src_format: string = 'NHWC'; dst_format: string = 'NCHW'"

static const SluiceOpDef dim_map_op = {
  .name = "DataFormatDimMap",
  .signature = "x: T -> y: T",
  .attrs = ATTRS,
  .summary = N_ ("Numbers of dimensions in another data format"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_unchanged,
  .recipe = &map_recipe,
};

static const SluiceOpDef vec_permute_op = {
  .name = "DataFormatVecPermute",
  .signature = "x: T -> y: T",
  .attrs = ATTRS,
  .summary = N_ ("A vector with an item a dimension in another data format"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = sluice_shape_unchanged,
  .recipe = &permute_recipe,
};

static const SluiceOpDef *const ops[] = { &dim_map_op, &vec_permute_op };

const SluiceKernelModule sluice_module_nn_data_format = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
