/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Bincount counts whole numbers, HistogramFixedWidth numbers by intervals of one width. */
#include <glib/gi18n-lib.h>
#include <math.h>

#include "engine/device/kernel.h"
#include "engine/graph/shape-context.h"
#include "kernels/math/wide.h"

/* ---- definitions ---- */

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

/* ---- kernels: one pass over what is counted ---- */

/* Makes the output of n zeros. */
static SluiceTensor *
zeros (SluiceKernelCall *call, gint64 n)
{
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (n));
  if (out && n > 0)
    memset (out->data, 0, sluice_tensor_bytes (out));
  return out;
}

#define ADD_UP(DTYPE, T, U)                                                                        \
  case DTYPE:                                                                                      \
    for (gint64 i = 0; i < arr->n_elements; i++)                                                   \
      if (number[i] < n)                                                                           \
        {                                                                                          \
          T *bin = (T *) out->data + number[i];                                                    \
          *bin = (T) ((U) *bin + (U) (weighted ? ((const T *) weights->data)[i] : 1));             \
        }                                                                                          \
    break;

static gboolean
bincount_compute (SluiceKernelCall *call)
{
  const SluiceTensor *arr = sluice_call_input (call, 0), *weights = sluice_call_input (call, 2);
  if (!sluice_call_want_scalar (call, 1))
    return FALSE;
  gint64 n = sluice_tensor_get_int (sluice_call_input (call, 1), 0);
  gboolean weighted = weights->n_elements > 0;
  if (n < 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "size must not be negative, but is %" G_GINT64_FORMAT, n);
  if (weighted && weights->n_elements != arr->n_elements)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "there must be as many weights as numbers or none, but there are "
                             "%" G_GINT64_FORMAT " and %" G_GINT64_FORMAT,
                             weights->n_elements, arr->n_elements);
  const gint32 *number = arr->data;
  for (gint64 i = 0; i < arr->n_elements; i++)
    if (number[i] < 0)
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "element %" G_GINT64_FORMAT " of arr is negative: %d", i, number[i]);
  SluiceTensor *out = zeros (call, n);
  if (out == NULL)
    return FALSE;
  switch ((SluiceDType) out->dtype)
    {
      ADD_UP (SLUICE_INT32, gint32, guint32)
      ADD_UP (SLUICE_INT64, gint64, guint64)
      ADD_UP (SLUICE_FLOAT, float, float)
      ADD_UP (SLUICE_DOUBLE, double, double)
    default:
      g_assert_not_reached ();
    }
  return TRUE;
}

/* A number of dtype T as double; the difference of floats is rounded to float, as TensorFlow's. */
static double
number_at (const SluiceTensor *tensor, gint64 i)
{
  SluiceWide value = sluice_wide_load (tensor->dtype, tensor->data, i);
  return sluice_dtype_is_floating (tensor->dtype) ? value.f64 : (double) value.i64;
}

static double
difference (SluiceDType dtype, double x, double y)
{
  return dtype == SLUICE_FLOAT ? (float) x - (float) y : x - y;
}

static gboolean
histogram_compute (SluiceKernelCall *call)
{
  const SluiceTensor *values = sluice_call_input (call, 0), *range = sluice_call_input (call, 1);
  if (!sluice_call_want_rank (call, 1, 1) || !sluice_call_want_scalar (call, 2))
    return FALSE;
  gint64 n = sluice_tensor_get_int (sluice_call_input (call, 2), 0);
  if (range->n_elements != 2 || !(number_at (range, 0) < number_at (range, 1)))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "value_range must hold two numbers, the first below the second");
  if (n <= 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "nbins must be above 0, but is %" G_GINT64_FORMAT, n);
  SluiceTensor *out = zeros (call, n);
  if (out == NULL)
    return FALSE;
  double low = number_at (range, 0);
  double step = difference (values->dtype, number_at (range, 1), low) / (double) n;
  for (gint64 i = 0; i < values->n_elements; i++)
    {
      double value = number_at (values, i);
      if (isnan (value))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "element %" G_GINT64_FORMAT " of values is not a number", i);
      double place = difference (values->dtype, fmax (value, low), low) / step;
      /* Infinity over infinity: the first interval, as what TensorFlow casts gives. */
      gint64 bin = place >= (double) (n - 1) ? n - 1 : place > 0 ? (gint64) place : 0;
      if (out->dtype == SLUICE_INT64)
        ((gint64 *) out->data)[bin]++;
      else
        ((gint32 *) out->data)[bin]++;
    }
  return TRUE;
}

static const SluiceOpDef *const ops[] = { &bincount, &histogram };

static const SluiceKernel kernels[] = {
  { .op = "Bincount", .device = "CPU", .host_inputs = 2, .compute = bincount_compute },
  { .op = "HistogramFixedWidth", .device = "CPU", .host_inputs = 4, .compute = histogram_compute },
};

const SluiceKernelModule sluice_module_math_bincount = {
  .ops = ops,
  .n_ops = G_N_ELEMENTS (ops),
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
