/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "kernels/array/array.h"

/* Does the shape of ids begin that of data? */
static gboolean
want_prefix (SluiceKernelCall *call, guint data, guint ids)
{
  SluiceShape front = sluice_call_input (call, data)->shape;
  const SluiceShape *wanted = &sluice_call_input (call, ids)->shape;
  front.rank = MIN (front.rank, wanted->rank);
  if (sluice_shape_equal (&front, wanted))
    return TRUE;
  char text[2][SLUICE_SHAPE_STR];
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "input %u of shape %s must begin with the shape of input %u, %s", data,
                           sluice_shape_str (&sluice_call_input (call, data)->shape, text[0]), ids,
                           sluice_shape_str (wanted, text[1]));
}

/* [n_rows] and the dimensions of data behind those of ids. */
static gboolean
rows_shape (SluiceKernelCall *call, gint64 n_rows, guint data, guint ids, SluiceShape *shape)
{
  const SluiceShape *from = &sluice_call_input (call, data)->shape;
  gint64 dims[SLUICE_MAX_RANK + 1] = { n_rows };
  int rank = 1;
  for (int i = sluice_call_input (call, ids)->shape.rank; i < from->rank; i++)
    dims[rank++] = from->dim[i];
  g_autoptr (GError) error = NULL;
  if (!sluice_shape_make (shape, dims, rank, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  return TRUE;
}

/* ---- UnsortedSegmentSum ---- */

typedef void (*AddFunc) (void *to, const void *from, gint64 n);

#define DEFINE_ADD(type)                                                                           \
  static void add_##type (void *to_memory, const void *from_memory, gint64 n)                      \
  {                                                                                                \
    type *restrict to = to_memory;                                                                 \
    const type *restrict from = from_memory;                                                       \
    for (gint64 i = 0; i < n; i++)                                                                 \
      to[i] += from[i];                                                                            \
  }

DEFINE_ADD (float)
DEFINE_ADD (double)
DEFINE_ADD (guint8)
DEFINE_ADD (guint16)
DEFINE_ADD (guint32)
DEFINE_ADD (guint64)

static void
add_half (void *to_memory, const void *from_memory, gint64 n)
{
  guint16 *to = to_memory;
  const guint16 *from = from_memory;
  for (gint64 i = 0; i < n; i++)
    to[i] = sluice_float_to_half (sluice_half_to_float (to[i]) + sluice_half_to_float (from[i]));
}

static void
add_bfloat16 (void *to_memory, const void *from_memory, gint64 n)
{
  guint16 *to = to_memory;
  const guint16 *from = from_memory;
  for (gint64 i = 0; i < n; i++)
    to[i] = sluice_float_to_bfloat16 (sluice_bfloat16_to_float (to[i])
                                      + sluice_bfloat16_to_float (from[i]));
}

static AddFunc
add_func (SluiceDType dtype)
{
  switch (dtype)
    {
    case SLUICE_FLOAT:
    case SLUICE_COMPLEX64: /* its parts, one by one */
      return add_float;
    case SLUICE_DOUBLE:
    case SLUICE_COMPLEX128:
      return add_double;
    case SLUICE_HALF:
      return add_half;
    case SLUICE_BFLOAT16:
      return add_bfloat16;
    default: /* integers wrap, signed or not */
      switch (sluice_dtype_size (dtype))
        {
        case 1:
          return add_guint8;
        case 2:
          return add_guint16;
        case 4:
          return add_guint32;
        default:
          return add_guint64;
        }
    }
}

typedef struct
{
  AddFunc add;
  const SluiceTensor *ids;
  gint64 row; /* numbers in a row, parts of complex ones counted */
  gsize row_bytes;
  char *to;
  const char *from;
} Segments;

/* Each chunk owns some segments and adds to them in the order of the rows: never another order. */
static void
sum_segments (gpointer data, gint64 begin, gint64 end)
{
  const Segments *s = data;
  for (gint64 i = 0; i < s->ids->n_elements; i++)
    {
      gint64 id = sluice_tensor_get_int (s->ids, i);
      if (id >= begin && id < end)
        s->add (s->to + id * s->row_bytes, s->from + i * s->row_bytes, s->row);
    }
}

static gboolean
segment_compute (SluiceKernelCall *call)
{
  const SluiceTensor *data = sluice_call_input (call, 0), *ids = sluice_call_input (call, 1);
  if (!sluice_call_want_scalar (call, 2) || !want_prefix (call, 0, 1))
    return FALSE;
  gint64 n = sluice_tensor_get_int (sluice_call_input (call, 2), 0);
  if (n < 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "num_segments must not be negative");
  for (gint64 i = 0; i < ids->n_elements; i++)
    if (G_UNLIKELY (sluice_tensor_get_int (ids, i) >= n))
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "segment id %" G_GINT64_FORMAT " is %" G_GINT64_FORMAT
                               ", not below %" G_GINT64_FORMAT,
                               i, sluice_tensor_get_int (ids, i), n);
  SluiceShape shape;
  if (!rows_shape (call, n, 0, 1, &shape))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  memset (out->data, 0, sluice_tensor_bytes (out));
  if (out->n_elements == 0 || data->n_elements == 0)
    return TRUE;
  gint64 row = out->n_elements / n;
  Segments segments = {
    add_func (data->dtype), ids, row, row * sluice_dtype_size (data->dtype), out->data, data->data
  };
  if (sluice_dtype_is_complex (data->dtype))
    segments.row *= 2;
  /* A handful of chunks: each reads all ids. */
  gint64 grain = MAX (1, (n + 7) / 8);
  return sluice_call_parallel_for (call, n, grain, 0.5 * data->n_elements / n, sum_segments,
                                   &segments);
}

/* ---- DynamicStitch ---- */

static gboolean
count_rows (SluiceKernelCall *call, guint n, gint64 *n_rows)
{
  *n_rows = 0;
  for (guint i = 0; i < n; i++)
    {
      const SluiceTensor *indices = sluice_call_input (call, i);
      const SluiceTensor *data = sluice_call_input (call, n + i);
      if (!want_prefix (call, n + i, i))
        return FALSE;
      SluiceShape row, first_row;
      if (!rows_shape (call, 1, n + i, i, &row) || !rows_shape (call, 1, n, 0, &first_row))
        return FALSE;
      if (!sluice_shape_equal (&row, &first_row))
        return sluice_call_fail (
            call, SLUICE_ERROR_INVALID_ARGUMENT,
            "the rows of input %u, of shape %s, are not like those of input %u", n + i,
            sluice_shape_str (&data->shape, (char[SLUICE_SHAPE_STR]){ 0 }), n);
      for (gint64 k = 0; k < indices->n_elements; k++)
        {
          gint64 index = sluice_tensor_get_int (indices, k);
          if (index < 0)
            return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                     "index %" G_GINT64_FORMAT " of input %u is negative", k, i);
          *n_rows = MAX (*n_rows, index + 1);
        }
    }
  return TRUE;
}

static gboolean
stitch_compute (SluiceKernelCall *call)
{
  guint n = call->n_inputs / 2;
  gint64 n_rows;
  SluiceShape shape;
  if (!count_rows (call, n, &n_rows) || !rows_shape (call, n_rows, n, 0, &shape))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  if (!sluice_dtype_is_managed (out->dtype))
    memset (out->data, 0, sluice_tensor_bytes (out)); /* rows that nobody names */
  gint64 row = out->n_elements / n_rows;
  gsize row_bytes = row * sluice_dtype_size (out->dtype);
  for (guint i = 0; i < n; i++)
    {
      const SluiceTensor *indices = sluice_call_input (call, i);
      const char *data = sluice_call_input (call, n + i)->data;
      for (gint64 k = 0; k < indices->n_elements; k++)
        sluice_elements_copy (out->dtype,
                              (char *) out->data + sluice_tensor_get_int (indices, k) * row_bytes,
                              data + k * row_bytes, row);
    }
  return TRUE;
}

/* ---- BroadcastGradientArgs ---- */

static gboolean
put_axes (SluiceKernelCall *call, guint i, const int *axes, int n)
{
  SluiceTensor *out = sluice_call_output (call, i, &SLUICE_SHAPE (n));
  if (out == NULL)
    return FALSE;
  for (int k = 0; k < n; k++)
    if (out->dtype == SLUICE_INT64)
      ((gint64 *) out->data)[k] = axes[k];
    else
      ((gint32 *) out->data)[k] = axes[k];
  return TRUE;
}

/* Axes of 1 in both shapes are in both lists, but where the shapes are equal: as TensorFlow has it.
 */
static gboolean
broadcast_args_compute (SluiceKernelCall *call)
{
  SluiceShape shapes[2];
  int axes[2][SLUICE_MAX_RANK], n[2] = { 0 };
  if (!sluice_call_shape (call, 0, &shapes[0]) || !sluice_call_shape (call, 1, &shapes[1]))
    return FALSE;
  int rank = MAX (shapes[0].rank, shapes[1].rank);
  gboolean equal = sluice_shape_equal (&shapes[0], &shapes[1]);
  for (int i = 0; i < rank && !equal; i++)
    {
      gint64 size[2];
      for (int k = 0; k < 2; k++)
        {
          int at = i - (rank - shapes[k].rank);
          size[k] = at < 0 ? 1 : shapes[k].dim[at];
        }
      if (size[0] != size[1] && size[0] != 1 && size[1] != 1)
        {
          char text[2][SLUICE_SHAPE_STR];
          return sluice_call_fail (
              call, SLUICE_ERROR_INVALID_ARGUMENT, "%s and %s cannot be broadcast together",
              sluice_shape_str (&shapes[0], text[0]), sluice_shape_str (&shapes[1], text[1]));
        }
      for (int k = 0; k < 2; k++)
        if (size[k] == 1)
          axes[k][n[k]++] = i;
    }
  return put_axes (call, 0, axes[0], n[0]) && put_axes (call, 1, axes[1], n[1]);
}

static const SluiceKernel kernels[] = {
  { .op = "UnsortedSegmentSum", .device = "CPU", .compute = segment_compute },
  SLUICE_ARRAY_KERNEL ("DynamicStitch", .compute = stitch_compute),
  { .op = "BroadcastGradientArgs",
    .device = "CPU",
    .flags = SLUICE_KERNEL_CHEAP,
    .compute = broadcast_args_compute },
};

const SluiceKernelModule sluice_module_array_segment_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
