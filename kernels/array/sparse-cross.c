/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * SparseCross: for each row, every combination of one value of each column: its strings joined by
 * "_X_", or a hash of them. Columns are sparse inputs, then dense ones; the last runs fastest.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "kernels/array/sparse.h"
#include "kernels/string/text.h"

static gboolean
cross_shape (SluiceShapeContext *c, GError **error)
{
  sluice_shape_set_sparse (c, 0, SLUICE_UNKNOWN_DIM, 2);
  return TRUE;
}

static const SluiceSample samples[] = {
  { "hashed_output=false; num_buckets=0; hash_key=5; out_type=string; internal_type=string; N=1; "
    "sparse_types=[string]; dense_types=[string]",
    "int64[2,2]={0,0,1,0}; string[2]={'x','y'}; int64[2]={2,1}; string[2,1]={'m','n'}", 0, 0 },
  { "hashed_output=true; num_buckets=100; hash_key=5; out_type=int64; internal_type=int64; N=1; "
    "sparse_types=[int64]; dense_types=[int64]",
    "int64[3,2]={0,0,0,1,1,0}; int64[3]; int64[2]={2,2}; int64[2,2]", 0, 0 },
};
static const SluiceRecipe recipe = {
  .samples = samples,
  .n_samples = G_N_ELEMENTS (samples),
};

static const SluiceOpDef cross_op = {
  .name = "SparseCross",
  .signature = "indices: N * int64, values: sparse_types, shapes: N * int64, "
               "dense_inputs: dense_types -> output_indices: int64, output_values: out_type, "
               "output_shape: int64",
  .attrs = "N: int >= 0; hashed_output: bool; num_buckets: int >= 0; hash_key: int; "
           "sparse_types: list({int64, string}) >= 0; dense_types: list({int64, string}) >= 0; "
           "out_type: {int64, string}; internal_type: {int64, string}",
  .summary = N_ ("Every combination of the values of several columns, row by row"),
  .flags = SLUICE_OP_NOT_DIFFERENTIABLE,
  .shape = cross_shape,
  .recipe = &recipe,
};

static const SluiceOpDef *const ops[] = { &cross_op };

const SluiceKernelModule sluice_module_array_sparse_cross = { .ops = ops,
                                                              .n_ops = G_N_ELEMENTS (ops) };
