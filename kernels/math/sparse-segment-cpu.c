/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/math/ids.h"
#include "kernels/state/rows.h"
#include "kernels/typed.h"

/* What a segment of n rows is divided by. */
typedef enum
{
  SUM,
  MEAN,
  SQRT_N
} Norm;

static double
divisor (Norm norm, gint64 n)
{
  return norm == MEAN ? (double) n : norm == SQRT_N ? sqrt ((double) n) : 1;
}

#define DIVIDE(T, name)                                                                            \
  SLUICE_HOT static void name (T *values, gint64 n, double by)                                     \
  {                                                                                                \
    const T divisor = (T) by;                                                                      \
    for (gint64 i = 0; i < n; i++)                                                                 \
      values[i] /= divisor;                                                                        \
  }
DIVIDE (float, divide_float)
DIVIDE (double, divide_double)

#define BLOCK 512 /* halves that are added up as float at a time */

typedef struct
{
  Norm norm;
  SluiceDType dtype;
  SluiceChangeFunc add; /* of float for halves */
  gsize row_bytes;
  const SluiceRows *rows;  /* of the data */
  const SluiceTensor *ids; /* sorted where segments are made */
  const char *from;
  char *to;
  const gint64 *counts; /* of the gradient: rows of each segment */
} Work;

/* ---- forward: units are segments ---- */

static void
add_halves (const Work *w, const gint64 *numbers, gint64 n, char *to)
{
  float sum[BLOCK], wide[BLOCK];
  for (gint64 at = 0; at < w->rows->size; at += BLOCK)
    {
      gint64 width = MIN (BLOCK, w->rows->size - at);
      for (gint64 k = 0; k < n; k++)
        {
          const char *row = w->from + numbers[k] * w->row_bytes;
          sluice_widen (w->dtype, (const guint16 *) row + at, k == 0 ? sum : wide, width);
          if (k > 0)
            w->add (sum, wide, width);
        }
      divide_float (sum, width, divisor (w->norm, n));
      sluice_narrow (w->dtype, sum, (guint16 *) to + at, width);
    }
}

static void
add_rows (const Work *w, const gint64 *numbers, gint64 n, char *to)
{
  memcpy (to, w->from + numbers[0] * w->row_bytes, w->row_bytes);
  for (gint64 k = 1; k < n; k++)
    w->add (to, w->from + numbers[k] * w->row_bytes, w->rows->size);
  if (w->norm == SUM || n == 1)
    return;
  if (w->dtype == SLUICE_FLOAT)
    divide_float ((float *) to, w->rows->size, divisor (w->norm, n));
  else
    divide_double ((double *) to, w->rows->size, divisor (w->norm, n));
}

static void
make_segments (gpointer data, gint64 begin, gint64 end)
{
  const Work *w = data;
  const gint64 *numbers = w->rows->numbers->data;
  gint64 next = sluice_ids_lower_bound (w->ids, begin);
  for (gint64 id = begin; id < end; id++)
    {
      gint64 first = next;
      while (next < w->ids->n_elements && sluice_tensor_get_int (w->ids, next) == id)
        next++;
      char *to = w->to + id * w->row_bytes;
      if (next == first)
        memset (to, 0, w->row_bytes);
      else if (sluice_dtype_is_half (w->dtype))
        add_halves (w, numbers + first, next - first, to);
      else
        add_rows (w, numbers + first, next - first, to);
    }
}

/* Ids must not be negative nor fall; n: how many segments there are, or as many as input 3 asks. */
static gboolean
count_segments (SluiceKernelCall *call, const SluiceTensor *ids, gint64 *n)
{
  gint64 last = 0, most = G_MAXINT64;
  if (call->n_inputs > 3)
    {
      if (!sluice_call_want_scalar (call, 3))
        return FALSE;
      most = sluice_tensor_get_int (sluice_call_input (call, 3), 0);
      if (most < 0)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "num_segments is %" G_GINT64_FORMAT "; it must not be negative",
                                 most);
    }
  for (gint64 i = 0; i < ids->n_elements; i++)
    {
      gint64 id = sluice_tensor_get_int (ids, i);
      if (id < last || id >= most)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "segment id %" G_GINT64_FORMAT " is %" G_GINT64_FORMAT
                                 "; ids must be sorted, and within num_segments",
                                 i, id);
      last = id;
    }
  *n = call->n_inputs > 3 ? most : ids->n_elements > 0 ? last + 1 : 0;
  return TRUE;
}

static gboolean
check_lists (SluiceKernelCall *call)
{
  const SluiceTensor *indices = sluice_call_input (call, 1), *ids = sluice_call_input (call, 2);
  char text[2][SLUICE_SHAPE_STR];
  if (sluice_call_input (call, 0)->shape.rank == 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "%s must have rows, but it is a scalar",
                             call->node->op->inputs[0].name);
  if (indices->shape.rank != 1 || !sluice_shape_equal (&indices->shape, &ids->shape))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "indices %s and segment_ids %s must be vectors of one length",
                             sluice_shape_str (&indices->shape, text[0]),
                             sluice_shape_str (&ids->shape, text[1]));
  return TRUE;
}

static void
begin_work (SluiceKernelCall *call, const SluiceTensor *from, const SluiceRows *rows, Work *w)
{
  gboolean half = sluice_dtype_is_half (from->dtype);
  *w = (Work){
    .norm = GPOINTER_TO_INT (call->kernel->data),
    .dtype = from->dtype,
    .add = sluice_change_func (half ? SLUICE_FLOAT : from->dtype, SLUICE_CHANGE_ADD),
    .row_bytes = rows->size * sluice_dtype_size (from->dtype),
    .rows = rows,
    .ids = sluice_call_input (call, 2),
    .from = from->data,
  };
}

static gboolean
segment_compute (SluiceKernelCall *call)
{
  const SluiceTensor *data = sluice_call_input (call, 0);
  g_auto (SluiceRows) rows = { 0 };
  SluiceShape shape = data->shape;
  Work work;
  if (!check_lists (call) || !sluice_call_rows (call, 1, &data->shape, &rows)
      || !count_segments (call, sluice_call_input (call, 2), &shape.dim[0]))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  begin_work (call, data, &rows, &work);
  work.to = out->data;
  double rows_each = (double) rows.n / shape.dim[0] + 1;
  double ns = rows_each * (5 + 0.3 * rows.size);
  return sluice_call_parallel_for (call, shape.dim[0], MAX (1, (gint64) (5000 / ns)), ns,
                                   make_segments, &work);
}

/* ---- gradient: units are columns ---- */

/* to += from / by for n elements. */
static void
add_divided (const Work *w, char *to, const char *from, gint64 n, double by)
{
  if (w->dtype == SLUICE_FLOAT)
    for (gint64 i = 0; i < n; i++)
      ((float *) to)[i] += ((const float *) from)[i] / (float) by;
  else if (w->dtype == SLUICE_DOUBLE)
    for (gint64 i = 0; i < n; i++)
      ((double *) to)[i] += ((const double *) from)[i] / by;
  else
    for (gint64 at = 0; at < n; at += BLOCK)
      {
        float sum[BLOCK], wide[BLOCK];
        gint64 width = MIN (BLOCK, n - at);
        sluice_widen (w->dtype, (guint16 *) to + at, sum, width);
        sluice_widen (w->dtype, (const guint16 *) from + at, wide, width);
        divide_float (wide, width, by);
        w->add (sum, wide, width);
        sluice_narrow (w->dtype, sum, (guint16 *) to + at, width);
      }
}

static void
put_columns (gpointer data, gint64 begin, gint64 end)
{
  const Work *w = data;
  const gint64 *numbers = w->rows->numbers->data;
  gsize offset = begin * sluice_dtype_size (w->dtype);
  for (gint64 k = 0; k < w->rows->n; k++)
    {
      gint64 id = sluice_tensor_get_int (w->ids, k);
      add_divided (w, w->to + numbers[k] * w->row_bytes + offset,
                   w->from + id * w->row_bytes + offset, end - begin,
                   divisor (w->norm, w->counts[id]));
    }
}

/* How many rows each segment of the gradient has. (transfer full) */
static SluiceTensor *
count_rows (SluiceKernelCall *call, const SluiceTensor *ids, gint64 n_segments)
{
  SluiceTensor *counts = sluice_call_scratch (call, SLUICE_INT64, &SLUICE_SHAPE (n_segments));
  if (counts == NULL)
    return NULL;
  if (n_segments > 0)
    memset (counts->data, 0, sluice_tensor_bytes (counts));
  for (gint64 k = 0; k < ids->n_elements; k++)
    {
      gint64 id = sluice_tensor_get_int (ids, k);
      if (id < 0 || id >= n_segments)
        {
          sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                            "segment id %" G_GINT64_FORMAT " is %" G_GINT64_FORMAT
                            ", not in [0, %" G_GINT64_FORMAT ")",
                            k, id, n_segments);
          sluice_tensor_unref (counts);
          return NULL;
        }
      ((gint64 *) counts->data)[id]++;
    }
  return counts;
}

/* Checks the inputs; shape: of a dense gradient; rows: where in it each row goes. */
static gboolean
read_grad (SluiceKernelCall *call, SluiceShape *shape, SluiceRows *rows)
{
  if (!check_lists (call) || !sluice_call_want_scalar (call, 3))
    return FALSE;
  *shape = sluice_call_input (call, 0)->shape;
  shape->dim[0] = sluice_tensor_get_int (sluice_call_input (call, 3), 0);
  if (shape->dim[0] < 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "%s is %" G_GINT64_FORMAT "; it must not be negative",
                             call->node->op->inputs[3].name, shape->dim[0]);
  return sluice_call_rows (call, 1, shape, rows);
}

/* Puts the rows of the gradient at their numbers in output 0. */
static gboolean
put_rows (SluiceKernelCall *call, const SluiceShape *shape, const SluiceRows *rows)
{
  const SluiceTensor *grad = sluice_call_input (call, 0);
  Work work;
  g_autoptr (SluiceTensor) counts =
      count_rows (call, sluice_call_input (call, 2), grad->shape.dim[0]);
  SluiceTensor *out = counts != NULL ? sluice_call_output (call, 0, shape) : NULL;
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  memset (out->data, 0, sluice_tensor_bytes (out));
  begin_work (call, grad, rows, &work);
  work.to = out->data;
  work.counts = counts->data;
  return sluice_call_walk_rows (call, rows, 0.5, put_columns, &work);
}

static gboolean
grad_compute (SluiceKernelCall *call)
{
  g_auto (SluiceRows) rows = { 0 };
  SluiceShape shape;
  return read_grad (call, &shape, &rows) && put_rows (call, &shape, &rows);
}

static gint
compare_numbers (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return x < y ? -1 : x > y;
}

/* Only the rows that were taken, in the order of their numbers, which are output 1. */
static gboolean
grad_v2_compute (SluiceKernelCall *call)
{
  g_auto (SluiceRows) rows = { 0 };
  SluiceShape shape;
  if (!read_grad (call, &shape, &rows))
    return FALSE;
  g_autoptr (SluiceTensor) sorted =
      sluice_call_scratch (call, SLUICE_INT64, &SLUICE_SHAPE (rows.n));
  if (sorted == NULL)
    return FALSE;
  gint64 *numbers = rows.numbers->data, *unique = sorted->data, n = 0;
  sluice_elements_copy (SLUICE_INT64, unique, numbers, rows.n);
  if (rows.n > 1)
    qsort (unique, rows.n, sizeof *unique, compare_numbers);
  for (gint64 i = 0; i < rows.n; i++)
    if (n == 0 || unique[n - 1] != unique[i])
      unique[n++] = unique[i];
  for (gint64 i = 0; i < rows.n; i++)
    numbers[i] =
        (gint64 *) bsearch (&numbers[i], unique, n, sizeof *unique, compare_numbers) - unique;
  SluiceTensor *out = sluice_call_output (call, 1, &SLUICE_SHAPE (n));
  if (out == NULL)
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    if (out->dtype == SLUICE_INT64)
      ((gint64 *) out->data)[i] = unique[i];
    else
      ((gint32 *) out->data)[i] = (gint32) unique[i];
  shape.dim[0] = n;
  return put_rows (call, &shape, &rows);
}

#define KERNEL(name, types, norm, func)                                                            \
  {                                                                                                \
    .op = name, .device = "CPU", .where = { { "T", types } }, .compute = func,                     \
    .data = GINT_TO_POINTER (norm)                                                                 \
  }
#define KERNELS(name, types, norm)                                                                 \
  KERNEL (name, types, norm, segment_compute),                                                     \
      KERNEL (name "WithNumSegments", types, norm, segment_compute),                               \
      KERNEL (name "Grad", SLUICE_SET_FLOATS, norm, grad_compute),                                 \
      KERNEL (name "GradV2", SLUICE_SET_FLOATS, norm, grad_v2_compute)

static const SluiceKernel kernels[] = {
  KERNELS ("SparseSegmentSum", SLUICE_SET_REAL, SUM),
  KERNELS ("SparseSegmentMean", SLUICE_SET_FLOATS, MEAN),
  KERNELS ("SparseSegmentSqrtN", SLUICE_SET_FLOATS, SQRT_N),
};

const SluiceKernelModule sluice_module_math_sparse_segment_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
