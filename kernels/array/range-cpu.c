/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/range.h"

#include <math.h>
#include <string.h>

#include "kernels/array/array.h"
#include "kernels/array/move.h"

/* ---- Range ---- */

double
sluice_range_number (const SluiceTensor *tensor)
{
  switch ((SluiceDType) tensor->dtype)
    {
    case SLUICE_FLOAT:
      return *(const float *) tensor->data;
    case SLUICE_DOUBLE:
      return *(const double *) tensor->data;
    case SLUICE_HALF:
      return sluice_half_to_float (*(const guint16 *) tensor->data);
    case SLUICE_BFLOAT16:
      return sluice_bfloat16_to_float (*(const guint16 *) tensor->data);
    default:
      return sluice_tensor_get_int (tensor, 0);
    }
}

/* A result as a tensor of the dtype would hold it. */
static double
rounded (SluiceDType dtype, double value)
{
  switch (dtype)
    {
    case SLUICE_FLOAT:
      return (float) value;
    case SLUICE_HALF:
      return sluice_half_to_float (sluice_float_to_half ((float) value));
    case SLUICE_BFLOAT16:
      return sluice_bfloat16_to_float (sluice_float_to_bfloat16 ((float) value));
    default:
      return value;
    }
}

const char *
sluice_range_count (const SluiceTensor *start,
                    const SluiceTensor *limit,
                    const SluiceTensor *delta,
                    gint64 *count)
{
  SluiceDType dtype = start->dtype;
  double step = sluice_range_number (delta);
  double length = rounded (dtype, sluice_range_number (limit) - sluice_range_number (start));
  if (step == 0)
    return "delta must not be 0";
  if ((step > 0 && length < 0) || (step < 0 && length > 0))
    return "limit cannot be reached from start in steps of delta";
  if (sluice_dtype_is_floating (dtype))
    {
      double n = ceil (fabs (rounded (dtype, length / step)));
      if (!(n < 1e15))
        return "there are too many numbers between start and limit";
      *count = n;
      return NULL;
    }
  guint64 from = sluice_tensor_get_int (start, 0), to = sluice_tensor_get_int (limit, 0);
  guint64 distance = step > 0 ? to - from : from - to; /* modulo 2^64: right for any two int64 */
  gint64 by = sluice_tensor_get_int (delta, 0);
  guint64 stride = by < 0 ? -(guint64) by : (guint64) by;
  guint64 n = distance / stride + (distance % stride != 0);
  if (n > G_MAXINT64)
    return "there are too many numbers between start and limit";
  *count = n;
  return NULL;
}

/* start, start + delta …: integers wrap. */
#define FILL_INTEGERS(type)                                                                        \
  do                                                                                               \
    {                                                                                              \
      type *to = out->data, value = *(const type *) start->data;                                   \
      const type step = *(const type *) delta->data;                                               \
      for (gint64 i = 0; i < out->n_elements; i++, value += step)                                  \
        to[i] = value;                                                                             \
    }                                                                                              \
  while (0)

/* A product and a sum for each number, as TensorFlow does: what is added up drifts away. */
#define FILL_FLOATS(type)                                                                          \
  do                                                                                               \
    {                                                                                              \
      type *to = out->data;                                                                        \
      const type first = *(const type *) start->data, step = *(const type *) delta->data;          \
      for (gint64 i = 0; i < out->n_elements; i++)                                                 \
        to[i] = first + (type) i * step;                                                           \
    }                                                                                              \
  while (0)

static void
fill_half_range (SluiceTensor *out, const SluiceTensor *start, const SluiceTensor *delta)
{
  guint16 *to = out->data;
  SluiceDType dtype = out->dtype;
  float first = sluice_range_number (start), step = sluice_range_number (delta);
  for (gint64 i = 0; i < out->n_elements; i++)
    {
      float value = first + (float) rounded (dtype, rounded (dtype, i) * step);
      to[i] =
          dtype == SLUICE_HALF ? sluice_float_to_half (value) : sluice_float_to_bfloat16 (value);
    }
}

static void
fill_range (SluiceTensor *out, const SluiceTensor *start, const SluiceTensor *delta)
{
  switch ((SluiceDType) out->dtype)
    {
    case SLUICE_FLOAT:
      FILL_FLOATS (float);
      break;
    case SLUICE_DOUBLE:
      FILL_FLOATS (double);
      break;
    case SLUICE_INT8:
    case SLUICE_UINT8:
      FILL_INTEGERS (guint8);
      break;
    case SLUICE_INT16:
    case SLUICE_UINT16:
      FILL_INTEGERS (guint16);
      break;
    case SLUICE_INT32:
    case SLUICE_UINT32:
      FILL_INTEGERS (guint32);
      break;
    case SLUICE_INT64:
      FILL_INTEGERS (guint64);
      break;
    default:
      fill_half_range (out, start, delta);
    }
}

static gboolean
range_compute (SluiceKernelCall *call)
{
  const SluiceTensor *start = sluice_call_input (call, 0);
  const SluiceTensor *limit = sluice_call_input (call, 1), *delta = sluice_call_input (call, 2);
  gint64 count;
  for (guint i = 0; i < 3; i++)
    if (!sluice_call_want_scalar (call, i))
      return FALSE;
  const char *cause = sluice_range_count (start, limit, delta, &count);
  if (cause != NULL)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", cause);
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (count));
  if (out == NULL)
    return FALSE;
  fill_range (out, start, delta);
  return TRUE;
}

/* ---- OneHot ---- */

static gpointer
one_hot_prepare (const SluiceNode *node, GError **error)
{
  gint64 *axis = g_new (gint64, 1);
  *axis = sluice_node_get_int (node, "axis");
  return axis;
}

static gboolean
one_hot_output_shape (SluiceKernelCall *call, int *axis, SluiceShape *shape)
{
  const SluiceShape *indices = &sluice_call_input (call, 0)->shape;
  for (guint i = 1; i < 4; i++)
    if (!sluice_call_want_scalar (call, i))
      return FALSE;
  gint64 depth = sluice_tensor_get_int (sluice_call_input (call, 1), 0);
  gint64 wanted = *(const gint64 *) call->state;
  if (wanted < -1 || wanted > indices->rank || indices->rank == SLUICE_MAX_RANK)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "axis %" G_GINT64_FORMAT " is out of range for %d dimensions", wanted,
                             indices->rank);
  if (depth < 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "depth must not be negative");
  *axis = wanted < 0 ? indices->rank : wanted;
  gint64 dims[SLUICE_MAX_RANK];
  for (int i = 0; i <= indices->rank; i++)
    dims[i] = i == *axis ? depth : indices->dim[i < *axis ? i : i - 1];
  g_autoptr (GError) error = NULL;
  if (!sluice_shape_make (shape, dims, indices->rank + 1, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  return TRUE;
}

static gboolean
one_hot_compute (SluiceKernelCall *call)
{
  const SluiceTensor *indices = sluice_call_input (call, 0);
  const void *on = sluice_call_input (call, 2)->data, *off = sluice_call_input (call, 3)->data;
  SluiceShape shape;
  int axis = 0;
  if (!one_hot_output_shape (call, &axis, &shape))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || !sluice_move_fill (call, out->dtype, out->data, off, out->n_elements))
    return FALSE;
  SluiceAxisSplit split = sluice_axis_split (&shape, axis);
  gsize bytes = sluice_dtype_size (out->dtype);
  for (gint64 i = 0; i < indices->n_elements; i++)
    {
      gint64 index = sluice_tensor_get_int (indices, i), outer = i / split.inner,
             inner = i % split.inner;
      if (index >= 0 && index < split.size)
        sluice_elements_copy (out->dtype,
                              (char *) out->data
                                  + ((outer * split.size + index) * split.inner + inner) * bytes,
                              on, 1);
    }
  return TRUE;
}

/* ---- Where ---- */

/* Is the element true? A float is by its value: -0 is not, NaN is. */
static gboolean
is_set (const SluiceTensor *tensor, gint64 i)
{
  gsize bytes = sluice_dtype_size (tensor->dtype);
  const char *element = (const char *) tensor->data + i * bytes;
  static const char zero[16];
  switch ((SluiceDType) tensor->dtype)
    {
    case SLUICE_FLOAT:
      return *(const float *) element != 0;
    case SLUICE_DOUBLE:
      return *(const double *) element != 0;
    case SLUICE_COMPLEX64:
      return ((const float *) element)[0] != 0 || ((const float *) element)[1] != 0;
    case SLUICE_COMPLEX128:
      return ((const double *) element)[0] != 0 || ((const double *) element)[1] != 0;
    case SLUICE_HALF:
    case SLUICE_BFLOAT16:
      return (*(const guint16 *) element & 0x7fff) != 0;
    default:
      return memcmp (element, zero, bytes) != 0;
    }
}

static gboolean
where_compute (SluiceKernelCall *call)
{
  const SluiceTensor *input = sluice_call_input (call, 0);
  int rank = input->shape.rank;
  if (rank == 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the input must have a dimension, but it is a scalar");
  gint64 count = 0;
  for (gint64 i = 0; i < input->n_elements; i++)
    count += is_set (input, i);
  SluiceTensor *out = sluice_call_output (call, 0, &SLUICE_SHAPE (count, rank));
  if (out == NULL)
    return FALSE;
  gint64 strides[SLUICE_MAX_RANK], *to = out->data;
  sluice_move_strides (&input->shape, strides);
  for (gint64 i = 0; i < input->n_elements; i++)
    if (is_set (input, i))
      for (int d = 0; d < rank; d++)
        *to++ = i / strides[d] % input->shape.dim[d];
  return TRUE;
}

static const SluiceKernel kernels[] = {
  { .op = "Range", .device = "CPU", .compute = range_compute },
  SLUICE_ARRAY_KERNEL (
      "OneHot", .prepare = one_hot_prepare, .free_state = g_free, .compute = one_hot_compute),
  { .op = "Where", .device = "CPU", .compute = where_compute },
};

const SluiceKernelModule sluice_module_array_range_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
