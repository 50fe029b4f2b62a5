/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>

#include "engine/device/kernel.h"
#include "kernels/math/wide.h"

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

static const SluiceKernel kernels[] = {
  { .op = "Bincount", .device = "CPU", .host_inputs = 2, .compute = bincount_compute },
  { .op = "HistogramFixedWidth", .device = "CPU", .host_inputs = 4, .compute = histogram_compute },
};

const SluiceKernelModule sluice_module_math_bincount_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
