/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Bincount counts whole numbers, HistogramFixedWidth numbers by intervals of one width. */
#include <glib/gi18n-lib.h>

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"

/* A vector of as many elements as input i, a scalar, tells. */
static gboolean
vector_shape (SluiceShapeContext *c, guint i, GError **error)
{
  const SluiceTensor *size = sluice_shape_context_constant (c, i);
  if (!sluice_shape_context_want_rank (c, i, 0, error))
    return FALSE;
  gint64 n = size ? sluice_tensor_get_int (size, 0) : SLUICE_UNKNOWN_DIM;
  if (size && n < 0)
    return sluice_shape_context_fail (
        c, error, "input %u must not be negative, but is %" G_GINT64_FORMAT, i, n);
  sluice_shape_context_set (c, 0, &(SluiceShape){ .rank = 1, .dim = { n } });
  return TRUE;
}

static gboolean
bincount_shape (SluiceShapeContext *c, GError **error)
{
  return vector_shape (c, 1, error);
}

static gboolean
histogram_shape (SluiceShapeContext *c, GError **error)
{
  return sluice_shape_context_want_rank (c, 1, 1, error) && vector_shape (c, 2, error);
}

#define COUNTED                                                                                    \
  (SLUICE_SET (SLUICE_INT32) | SLUICE_SET (SLUICE_INT64) | SLUICE_SET (SLUICE_FLOAT)               \
   | SLUICE_SET (SLUICE_DOUBLE))

static const SluiceSample bincount_samples[] = {
  { NULL, "int32[7]={0,2,2,5,1,9,0}; int32[]={6}; float[7]", 1e-6, 1e-6 },
  { NULL, "int32[2,2]={0,1,1,1}; int32[]={3}; float[0]={}" },
  { NULL, "int32[0]={}; int32[]={0}; float[0]={}" },
};
static const SluiceRecipe bincount_recipe = { bincount_samples, G_N_ELEMENTS (bincount_samples),
                                              COUNTED };
static const SluiceOpDef bincount = {
  .name = "Bincount",
  .signature = "arr: int32, size: int32, weights: T -> bins: T",
  .attrs = "T: {int32, int64, float, double}",
  .summary = N_ ("How often each whole number occurs, or the sum of its weights"),
  .shape = bincount_shape,
  .recipe = &bincount_recipe,
};

static const SluiceSample histogram_samples[] = {
  { NULL, "float[17] in (-3,3); float[2]={-2,2}; int32[]={5}" },
  { "dtype=int64", "float[3,4]; float[2]={0,1}; int32[]={4}" },
  { NULL, "float[0]={}; float[2]={0,1}; int32[]={1}" },
};
static const SluiceRecipe histogram_recipe = { histogram_samples, G_N_ELEMENTS (histogram_samples),
                                               COUNTED };
static const SluiceOpDef histogram = {
  .name = "HistogramFixedWidth",
  .signature = "values: T, value_range: T, nbins: int32 -> out: dtype",
  .attrs = "T: {int32, int64, float, double}; dtype: {int32, int64} = int32",
  .summary = N_ ("How many numbers lie in each of several intervals; the outer ones are open"),
  .shape = histogram_shape,
  .recipe = &histogram_recipe,
};

static const SluiceOpDef *const ops[] = { &bincount, &histogram };

const SluiceKernelModule sluice_module_math_bincount = { .ops = ops, .n_ops = G_N_ELEMENTS (ops) };
