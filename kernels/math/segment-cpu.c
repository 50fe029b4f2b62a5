/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <float.h>

#include "kernels/array/segment.h"
#include "kernels/math/ids.h"
#include "kernels/math/reduce.h"
#include "kernels/math/wide.h"
#include "kernels/typed.h"

typedef struct
{
  SluiceCombine combine;
  gboolean is_mean;
} SegmentKernel;

/* Halves are widened this many at a time. */
#define BLOCK 512

typedef struct
{
  SluiceRowsLoop loop; /* of float for halves */
  SluiceDType dtype;
  const SluiceTensor *ids;
  gint64 row; /* elements */
  gsize row_bytes;
  const char *from;
  char *to;
  gboolean is_mean;
  SluiceWide empty; /* what a segment without rows holds */
} SegmentJob;

static void
fill (const SegmentJob *job, char *to, gint64 n)
{
  gsize size = sluice_dtype_size (job->dtype);
  for (gint64 i = 0; i < n; i++)
    if (i == 0)
      sluice_wide_store (job->dtype, to, 0, job->empty);
    else
      memcpy (to + i * size, to, size);
}

/* ---- sorted: the rows of a segment lie together ---- */

#define DIVIDE(DTYPE, T)                                                                           \
  case DTYPE:                                                                                      \
    for (gint64 i = 0; i < n; i++)                                                                 \
      ((T *) values)[i] = (T) (((T *) values)[i] / (T) by);                                        \
    break;

/* Integers are cut towards 0. */
static void
divide (SluiceDType dtype, void *values, gint64 n, gint64 by)
{
  switch (dtype)
    {
      DIVIDE (SLUICE_FLOAT, float)
      DIVIDE (SLUICE_DOUBLE, double)
      DIVIDE (SLUICE_COMPLEX64, SluiceComplex64)
      DIVIDE (SLUICE_COMPLEX128, SluiceComplex128)
    default:
      for (gint64 i = 0; i < n; i++)
        {
          SluiceWide value = sluice_wide_load (dtype, values, i);
          if (sluice_dtype_in (dtype, SLUICE_SET_SIGNED))
            value.i64 /= by;
          else
            value.u64 /= (guint64) by;
          sluice_wide_store (dtype, values, i, value);
        }
    }
}

/* n rows of halves from column `at` on: added up as float, rounded once. */
static void
combine_halves (const SegmentJob *job, const char *rows, gint64 n, gint64 at, char *to)
{
  float acc[BLOCK], wide[BLOCK];
  gint64 width = MIN (BLOCK, job->row - at);
  for (gint64 r = 0; r < n; r++)
    {
      sluice_widen (job->dtype, rows + r * job->row_bytes + 2 * at, r == 0 ? acc : wide, width);
      if (r > 0)
        job->loop (wide, 1, 0, width, acc);
    }
  if (job->is_mean)
    divide (SLUICE_FLOAT, acc, width, n);
  sluice_narrow (job->dtype, acc, to + 2 * at, width);
}

/* Units are segments. */
static void
run_sorted (gpointer data, gint64 begin, gint64 end)
{
  const SegmentJob *job = data;
  gint64 next = sluice_ids_lower_bound (job->ids, begin);
  for (gint64 id = begin; id < end; id++)
    {
      gint64 first = next;
      while (next < job->ids->n_elements && sluice_tensor_get_int (job->ids, next) == id)
        next++;
      gint64 n = next - first;
      char *to = job->to + id * job->row_bytes;
      const char *rows = job->from + first * job->row_bytes;
      if (n == 0)
        fill (job, to, job->row);
      else if (sluice_dtype_is_half (job->dtype))
        for (gint64 at = 0; at < job->row; at += BLOCK)
          combine_halves (job, rows, n, at, to);
      else
        {
          memcpy (to, rows, job->row_bytes);
          job->loop (rows + job->row_bytes, n - 1, job->row, job->row, to);
          if (job->is_mean)
            divide (job->dtype, to, job->row, n);
        }
    }
}

/* FALSE: the numbers are refused. *n_segments is how many the last of them makes. */
static gboolean
check_sorted (SluiceKernelCall *call, gint64 *n_segments)
{
  const SluiceTensor *data = sluice_call_input (call, 0), *ids = sluice_call_input (call, 1);
  if (!sluice_call_want_rank (call, 1, 1))
    return FALSE;
  if (data->shape.rank < 1 || data->shape.dim[0] != ids->n_elements)
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT,
        "data of shape %s must have a row for each of the %" G_GINT64_FORMAT " segment ids",
        sluice_shape_str (&data->shape, (char[SLUICE_SHAPE_STR]){ 0 }), ids->n_elements);
  gint64 last = 0;
  for (gint64 i = 0; i < ids->n_elements; i++)
    {
      gint64 id = sluice_tensor_get_int (ids, i);
      if (id < last)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "segment id %" G_GINT64_FORMAT " is %" G_GINT64_FORMAT
                                 "; ids must be sorted and not be negative",
                                 i, id);
      last = id;
    }
  if (last == G_MAXINT64)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "the last segment id is too big");
  *n_segments = ids->n_elements ? last + 1 : 0;
  return TRUE;
}

/* Makes the output of n segments, and the job but for what segments without rows hold. */
static SluiceTensor *
make_job (SluiceKernelCall *call, gint64 n, SegmentJob *job)
{
  const SegmentKernel *k = call->kernel->data;
  const SluiceTensor *data = sluice_call_input (call, 0);
  SluiceShape shape;
  if (!sluice_call_rows_shape (call, n, 0, 1, &shape))
    return NULL;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return NULL;
  gboolean is_half = sluice_dtype_is_half (data->dtype);
  *job = (SegmentJob){ .loop = sluice_rows_loop (k->combine, is_half ? SLUICE_FLOAT : data->dtype),
                       .dtype = data->dtype,
                       .ids = sluice_call_input (call, 1),
                       .row = n > 0 ? out->n_elements / n : 0,
                       .from = data->data,
                       .to = out->data,
                       .is_mean = k->is_mean };
  job->row_bytes = job->row * sluice_dtype_size (data->dtype);
  return out;
}

/* What one segment takes on the average. */
static double
segment_ns (const SluiceTensor *data, const SluiceTensor *out, gint64 n)
{
  return 0.5 * (data->n_elements + out->n_elements) / n;
}

static gboolean
compute_sorted (SluiceKernelCall *call)
{
  const SegmentKernel *k = call->kernel->data;
  gint64 n = 0;
  SegmentJob job;
  if (!check_sorted (call, &n))
    return FALSE;
  SluiceTensor *out = make_job (call, n, &job);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  if (k->combine == SLUICE_COMBINE_PROD)
    job.empty = sluice_wide_of_number (job.dtype, 1);
  return sluice_call_parallel_for (call, n, MAX (1, (n + 15) / 16),
                                   segment_ns (sluice_call_input (call, 0), out, n), run_sorted,
                                   &job);
}

/* ---- unsorted ---- */

static void
combine_half_row (const SegmentJob *job, const char *from, char *to)
{
  float acc[BLOCK], wide[BLOCK];
  for (gint64 at = 0; at < job->row; at += BLOCK)
    {
      gint64 width = MIN (BLOCK, job->row - at);
      sluice_widen (job->dtype, to + 2 * at, acc, width);
      sluice_widen (job->dtype, from + 2 * at, wide, width);
      job->loop (wide, 1, 0, width, acc);
      sluice_narrow (job->dtype, acc, to + 2 * at, width);
    }
}

/* Each chunk owns some segments and adds to them in the order of the rows: never another order. */
static void
run_unsorted (gpointer data, gint64 begin, gint64 end)
{
  const SegmentJob *job = data;
  gboolean is_half = sluice_dtype_is_half (job->dtype);
  fill (job, job->to + begin * job->row_bytes, (end - begin) * job->row);
  for (gint64 i = 0; i < job->ids->n_elements; i++)
    {
      gint64 id = sluice_tensor_get_int (job->ids, i);
      if (id < begin || id >= end)
        continue;
      char *to = job->to + id * job->row_bytes;
      const char *from = job->from + i * job->row_bytes;
      if (is_half) /* rounded after each step, as TensorFlow does */
        combine_half_row (job, from, to);
      else
        job->loop (from, 1, 0, job->row, to);
    }
}

/* The largest finite number of a dtype with its sign turned or not. */
static SluiceWide
extreme (SluiceDType dtype, gboolean lowest)
{
  SluiceWide value = { 0 };
  int bits = 8 * (int) sluice_dtype_size (dtype);
  if (sluice_dtype_in (dtype, SLUICE_SET_UNSIGNED))
    value.u64 = lowest ? 0 : G_MAXUINT64 >> (64 - bits);
  else if (sluice_dtype_in (dtype, SLUICE_SET_SIGNED))
    value.i64 = lowest ? G_MININT64 >> (64 - bits) : G_MAXINT64 >> (64 - bits);
  else
    {
      value.f64 = dtype == SLUICE_DOUBLE  ? DBL_MAX
                  : dtype == SLUICE_FLOAT ? FLT_MAX
                  : dtype == SLUICE_HALF  ? 65504
                                          : 0x1.fep127;
      value.f64 = lowest ? -value.f64 : value.f64;
    }
  return value;
}

static gboolean
compute_unsorted (SluiceKernelCall *call)
{
  const SegmentKernel *k = call->kernel->data;
  const SluiceTensor *ids = sluice_call_input (call, 1);
  if (!sluice_call_want_scalar (call, 2) || !sluice_call_want_prefix (call, 0, 1))
    return FALSE;
  gint64 n = sluice_tensor_get_int (sluice_call_input (call, 2), 0);
  if (n < 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "num_segments must not be negative, but is %" G_GINT64_FORMAT, n);
  for (gint64 i = 0; i < ids->n_elements; i++)
    if (G_UNLIKELY (sluice_tensor_get_int (ids, i) >= n))
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "segment id %" G_GINT64_FORMAT " is %" G_GINT64_FORMAT
                               ", not below %" G_GINT64_FORMAT,
                               i, sluice_tensor_get_int (ids, i), n);
  SegmentJob job;
  SluiceTensor *out = make_job (call, n, &job);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  if (k->combine == SLUICE_COMBINE_PROD)
    job.empty = sluice_wide_of_number (job.dtype, 1);
  else if (k->combine != SLUICE_COMBINE_SUM)
    job.empty = extreme (job.dtype, k->combine == SLUICE_COMBINE_MAX);
  /* A handful of chunks: each reads all ids. */
  return sluice_call_parallel_for (call, n, MAX (1, (n + 7) / 8),
                                   segment_ns (sluice_call_input (call, 0), out, n), run_unsorted,
                                   &job);
}

/* ---- the kernels ---- */

static const SegmentKernel sum = { SLUICE_COMBINE_SUM }, mean = { SLUICE_COMBINE_SUM, TRUE };
static const SegmentKernel prod = { SLUICE_COMBINE_PROD };
static const SegmentKernel max = { SLUICE_COMBINE_MAX }, min = { SLUICE_COMBINE_MIN };

#define REGISTER(op_, set, compute_, kernel)                                                       \
  {                                                                                                \
    .op = op_, .device = "CPU", .where = { { "T", set } }, .compute = compute_,                    \
    .data = (gpointer) &kernel                                                                     \
  }

static const SluiceKernel kernels[] = {
  REGISTER ("SegmentSum", SLUICE_SET_NUMBER, compute_sorted, sum),
  REGISTER ("SegmentMean", SLUICE_SET_NUMBER, compute_sorted, mean),
  REGISTER ("SegmentProd", SLUICE_SET_NUMBER, compute_sorted, prod),
  REGISTER ("SegmentMax", SLUICE_SET_REAL, compute_sorted, max),
  REGISTER ("SegmentMin", SLUICE_SET_REAL, compute_sorted, min),
  REGISTER ("UnsortedSegmentSum", SLUICE_SET_NUMBER, compute_unsorted, sum),
  REGISTER ("UnsortedSegmentProd", SLUICE_SET_NUMBER, compute_unsorted, prod),
  REGISTER ("UnsortedSegmentMax", SLUICE_SET_REAL, compute_unsorted, max),
  REGISTER ("UnsortedSegmentMin", SLUICE_SET_REAL, compute_unsorted, min),
};

const SluiceKernelModule sluice_module_math_segment_cpu = { .kernels = kernels,
                                                            .n_kernels = G_N_ELEMENTS (kernels) };
