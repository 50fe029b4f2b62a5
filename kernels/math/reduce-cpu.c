/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Reductions. Neighbouring dimensions that are all kept or all reduced are merged; what is left
 * ends either in a reduced dimension (runs: elements that lie together become one) or in a kept one
 * (rows: vectors that lie together are combined element by element). Both are cut into pieces whose
 * size depends on the shape only; partial results are combined in a fixed tree. The number of
 * threads never changes a bit.
 */
#include "kernels/math/elementwise.h"
#include "kernels/math/reduce.h"
#include "kernels/math/wide.h"

/* acc = the reduction of n elements; of none: the neutral element. */
typedef void (*RunLoop) (const void *x, gint64 n, void *acc);

typedef enum
{
  FINISH_NOTHING,
  FINISH_MEAN,
  FINISH_HALF,
  FINISH_ROOT,
} Finish;

/* Writes |x|² over each of n elements. */
typedef void (*SquareLoop) (void *x, gint64 n);

typedef struct
{
  RunLoop run[SLUICE_N_DTYPES];
  SluiceRowsLoop rows[SLUICE_N_DTYPES];
  SquareLoop square[SLUICE_N_DTYPES]; /* (nullable): what is done to elements first */
  Finish finish;
  gboolean all; /* no axes: everything becomes one */
} ReduceKernel;

/* ---- loops ---- */

/* Two vectors of AVX-512: with one, each addition waits for the one before. */
#define LANES 32

#define REDUCE_LOOPS(name, op, map, neutral, s, T, hot)                                            \
  hot static void run_##name##_##s (const void *x_, gint64 n, void *acc)                           \
  {                                                                                                \
    const T *x = x_;                                                                               \
    T lane[LANES];                                                                                 \
    gint64 i = 0;                                                                                  \
    for (int l = 0; l < LANES; l++)                                                                \
      lane[l] = (T) (neutral);                                                                     \
    for (; i + LANES <= n; i += LANES)                                                             \
      for (int l = 0; l < LANES; l++)                                                              \
        lane[l] = scalar_##op##_##s (lane[l], map##_##s (x[i + l]));                               \
    for (int l = 0; i < n; i++, l++)                                                               \
      lane[l] = scalar_##op##_##s (lane[l], map##_##s (x[i]));                                     \
    for (int half = LANES / 2; half > 0; half /= 2)                                                \
      for (int l = 0; l < half; l++)                                                               \
        lane[l] = scalar_##op##_##s (lane[l], lane[l + half]);                                     \
    *(T *) acc = lane[0];                                                                          \
  }
/* Four rows at a time, one after the other: accumulators are read and written a quarter as often.
 */
#define ROWS_LOOP(name, op, s, T, hot)                                                             \
  hot static void rows_##name##_##s (const void *x_, gint64 rows, gint64 stride, gint64 width,     \
                                     void *acc_)                                                   \
  {                                                                                                \
    T *acc = acc_;                                                                                 \
    const T *x = x_;                                                                               \
    gint64 r = 0;                                                                                  \
    for (; r + 4 <= rows; r += 4, x += 4 * stride)                                                 \
      {                                                                                            \
        const T *x1 = x + stride, *x2 = x1 + stride, *x3 = x2 + stride;                            \
        SLUICE_INDEPENDENT                                                                         \
        for (gint64 i = 0; i < width; i++)                                                         \
          {                                                                                        \
            T sum = scalar_##op##_##s (scalar_##op##_##s (acc[i], x[i]), x1[i]);                   \
            acc[i] = scalar_##op##_##s (scalar_##op##_##s (sum, x2[i]), x3[i]);                    \
          }                                                                                        \
      }                                                                                            \
    for (; r < rows; r++, x += stride)                                                             \
      {                                                                                            \
        SLUICE_INDEPENDENT                                                                         \
        for (gint64 i = 0; i < width; i++)                                                         \
          acc[i] = scalar_##op##_##s (acc[i], x[i]);                                               \
      }                                                                                            \
  }

#define DEFINE_ITSELF(fn, s, T, hot)                                                               \
  SLUICE_SCALAR T itself_##s (T x)                                                                 \
  {                                                                                                \
    return x;                                                                                      \
  }
FOR_RICB (DEFINE_ITSELF, )

/* The lowest and highest value of a type: what Max and Min of nothing are. */
#define LOWEST_f32  -INFINITY
#define LOWEST_f64  -INFINITY
#define LOWEST_i8   G_MININT8
#define LOWEST_i16  G_MININT16
#define LOWEST_i32  G_MININT32
#define LOWEST_i64  G_MININT64
#define LOWEST_u8   0
#define LOWEST_u16  0
#define LOWEST_u32  0
#define LOWEST_u64  0
#define HIGHEST_f32 INFINITY
#define HIGHEST_f64 INFINITY
#define HIGHEST_i8  G_MAXINT8
#define HIGHEST_i16 G_MAXINT16
#define HIGHEST_i32 G_MAXINT32
#define HIGHEST_i64 G_MAXINT64
#define HIGHEST_u8  G_MAXUINT8
#define HIGHEST_u16 G_MAXUINT16
#define HIGHEST_u32 G_MAXUINT32
#define HIGHEST_u64 G_MAXUINT64

#define SUM_LOOPS(fn, s, T, hot)                                                                   \
  REDUCE_LOOPS (sum, add, itself, 0, s, T, hot) ROWS_LOOP (sum, add, s, T, hot)
#define PROD_LOOPS(fn, s, T, hot)                                                                  \
  REDUCE_LOOPS (prod, mul, itself, 1, s, T, hot) ROWS_LOOP (prod, mul, s, T, hot)
#define MAX_LOOPS(fn, s, T, hot)                                                                   \
  REDUCE_LOOPS (max, maximum, itself, LOWEST_##s, s, T, hot) ROWS_LOOP (max, maximum, s, T, hot)
#define MIN_LOOPS(fn, s, T, hot)                                                                   \
  REDUCE_LOOPS (min, minimum, itself, HIGHEST_##s, s, T, hot) ROWS_LOOP (min, minimum, s, T, hot)
#define ALL_LOOPS(fn, s, T, hot)                                                                   \
  REDUCE_LOOPS (all, logical_and, itself, 1, s, T, hot) ROWS_LOOP (all, logical_and, s, T, hot)
#define ANY_LOOPS(fn, s, T, hot)                                                                   \
  REDUCE_LOOPS (any, logical_or, itself, 0, s, T, hot) ROWS_LOOP (any, logical_or, s, T, hot)
#define SQUARE_LOOPS(fn, s, T, hot) REDUCE_LOOPS (squares, add, scalar_square, 0, s, T, hot)

#define CONJUGATE_c64  conjf
#define CONJUGATE_c128 conj
#define NORM_LOOP(fn, s, T, hot)                                                                   \
  static void square_##s (void *x_, gint64 n)                                                      \
  {                                                                                                \
    T *x = x_;                                                                                     \
    for (gint64 i = 0; i < n; i++)                                                                 \
      x[i] = scalar_square_##s (x[i]);                                                             \
  }
#define NORM_LOOP_C(fn, s, T, hot)                                                                 \
  static void square_##s (void *x_, gint64 n)                                                      \
  {                                                                                                \
    T *x = x_;                                                                                     \
    for (gint64 i = 0; i < n; i++)                                                                 \
      x[i] = x[i] * CONJUGATE_##s (x[i]);                                                          \
  }
FOR_RI (NORM_LOOP, )
FOR_C (NORM_LOOP_C, )

FOR_RIC (SUM_LOOPS, )
FOR_RIC (PROD_LOOPS, )
FOR_RI (MAX_LOOPS, )
FOR_RI (MIN_LOOPS, )
FOR_B (ALL_LOOPS, )
FOR_B (ANY_LOOPS, )
FOR_R (SQUARE_LOOPS, )

/* ---- the work ---- */

#define PIECE   4096 /* elements of a run in one partial result */
#define GROUP   64   /* rows in one partial result */
#define COLUMNS 2048 /* elements of a row in one unit of work */

typedef struct
{
  int n;
  gint64 dim[SLUICE_MAX_RANK], stride[SLUICE_MAX_RANK]; /* innermost last */
  gint64 count;                                         /* their product */
} Dims;

typedef struct
{
  RunLoop run;
  SluiceRowsLoop rows;
  SquareLoop square;      /* (nullable) */
  SluiceDType dtype, acc; /* acc differs where elements are widened first */
  gsize size, acc_size;
  const char *x;
  char *partial; /* outputs × pieces × width */
  Dims kept, reduced;
  gint64 width;  /* of a row; 1 for runs */
  gint64 length; /* of a run; 0: rows */
  gint64 pieces; /* partial results an output */
  gint64 blocks; /* units a row is cut into */
} ReduceJob;

static void
dims_prepend (Dims *self, gint64 dim, gint64 stride)
{
  memmove (self->dim + 1, self->dim, self->n * sizeof *self->dim);
  memmove (self->stride + 1, self->stride, self->n * sizeof *self->stride);
  self->dim[0] = dim;
  self->stride[0] = stride;
  self->n++;
  self->count *= dim;
}

static gint64
dims_offset (const Dims *self, gint64 index)
{
  gint64 offset = 0;
  for (int d = self->n - 1; d > 0; d--)
    {
      offset += index % self->dim[d] * self->stride[d];
      index /= self->dim[d];
    }
  return self->n ? offset + index * self->stride[0] : 0;
}

/* Sorts the merged dimensions into kept and reduced ones; the innermost becomes run or row. */
static void
collapse (ReduceJob *job, const SluiceShape *shape, const SluiceAxes *axes)
{
  job->kept.count = job->reduced.count = job->width = 1;
  gint64 stride = 1;
  gboolean innermost = TRUE;
  for (int d = shape->rank - 1; d >= 0;)
    {
      gboolean reduced = axes->reduced[d];
      gint64 size = 1;
      for (; d >= 0 && (axes->reduced[d] == reduced || shape->dim[d] == 1); d--)
        size *= shape->dim[d];
      if (size == 1)
        continue;
      if (!innermost)
        dims_prepend (reduced ? &job->reduced : &job->kept, size, stride);
      else if (reduced)
        job->length = size;
      else
        job->width = size;
      innermost = FALSE;
      stride *= size;
    }
  if (innermost)
    job->length = 1;
  gint64 cut = job->length ? (job->length + PIECE - 1) / PIECE * job->reduced.count
                           : (job->reduced.count + GROUP - 1) / GROUP;
  job->pieces = MAX (1, cut);
  job->blocks = (job->width + COLUMNS - 1) / COLUMNS;
}

/* Every output is the neutral element: one row of them, made of no rows. */
static void
reduce_nothing (ReduceJob *job, gint64 n_out)
{
  job->kept.count = job->pieces = 1;
  job->width = n_out;
  job->blocks = (n_out + COLUMNS - 1) / COLUMNS;
}

/* Halves are added up as float, and integers for a mean as 64 bits, which do not overflow. */
static SluiceDType
accumulator (const ReduceKernel *k, SluiceDType dtype)
{
  if (sluice_dtype_is_half (dtype))
    return SLUICE_FLOAT;
  return k->finish == FINISH_MEAN && sluice_dtype_in (dtype, SLUICE_SET_INTS)
             ? sluice_wide_dtype (dtype)
             : dtype;
}

/* Are elements added up as they lie in the input? */
static gboolean
is_plain (const ReduceJob *job)
{
  return job->acc == job->dtype && job->square == NULL;
}

/* n elements as accumulators. */
static void
widen (const ReduceJob *job, const char *x, void *to, gint64 n)
{
  if (job->acc == job->dtype)
    memcpy (to, x, n * job->size);
  else if (sluice_dtype_is_half (job->dtype))
    sluice_widen (job->dtype, x, to, n);
  else
    for (gint64 i = 0; i < n; i++)
      sluice_wide_store (job->acc, to, i, sluice_wide_load (job->dtype, x, i));
  if (job->square)
    job->square (to, n);
}

static void
narrow (const ReduceJob *job, const char *from, void *to, gint64 n)
{
  if (job->acc == job->dtype)
    memcpy (to, from, n * job->size);
  else if (sluice_dtype_is_half (job->dtype))
    sluice_narrow (job->dtype, (const float *) from, to, n);
  else
    for (gint64 i = 0; i < n; i++)
      sluice_wide_store (job->dtype, to, i, sluice_wide_load (job->acc, from, i));
}

static void
reduce_run (const ReduceJob *job, const char *x, gint64 n, void *acc)
{
  SluiceWide wide[PIECE];
  if (is_plain (job))
    {
      job->run (x, n, acc);
      return;
    }
  widen (job, x, wide, n);
  job->run (wide, n, acc);
}

static void
reduce_rows (
    const ReduceJob *job, const char *x, gint64 rows, gint64 stride, gint64 width, void *acc)
{
  SluiceWide wide[COLUMNS];
  if (is_plain (job))
    {
      job->rows (x, rows, stride, width, acc);
      return;
    }
  for (gint64 r = 0; r < rows; r++)
    {
      widen (job, x + r * stride * job->size, wide, width);
      job->rows (wide, 1, 0, width, acc);
    }
}

/* Rows [begin, end) of one output's reduced dimensions; those in a line go in one call. */
static void
reduce_group (
    const ReduceJob *job, const char *x, gint64 begin, gint64 end, gint64 width, char *acc)
{
  const Dims *dims = &job->reduced;
  if (begin == end)
    for (gint64 i = 0; i < width; i++)
      job->run (NULL, 0, acc + i * job->acc_size);
  else
    widen (job, x + dims_offset (dims, begin++) * job->size, acc, width);
  gint64 line = dims->n ? dims->dim[dims->n - 1] : 1;
  gint64 stride = dims->n ? dims->stride[dims->n - 1] : 0;
  while (begin < end)
    {
      gint64 rows = MIN (end - begin, line - begin % line);
      reduce_rows (job, x + dims_offset (dims, begin) * job->size, rows, stride, width, acc);
      begin += rows;
    }
}

/* A unit is one block of one piece of one output. */
static void
reduce_units (gpointer data, gint64 begin, gint64 end)
{
  const ReduceJob *job = data;
  for (gint64 unit = begin; unit < end; unit++)
    {
      gint64 block = unit % job->blocks, piece = unit / job->blocks % job->pieces;
      gint64 output = unit / job->blocks / job->pieces;
      const char *x = job->x + dims_offset (&job->kept, output) * job->size;
      gint64 column = block * COLUMNS;
      char *acc =
          job->partial + ((output * job->pieces + piece) * job->width + column) * job->acc_size;
      if (job->length)
        {
          gint64 per_run = (job->length + PIECE - 1) / PIECE;
          gint64 at = piece % per_run * PIECE;
          gint64 offset = dims_offset (&job->reduced, piece / per_run) + at;
          reduce_run (job, x + offset * job->size, MIN (PIECE, job->length - at), acc);
        }
      else
        reduce_group (job, x + column * job->size, piece * GROUP,
                      MIN (job->reduced.count, (piece + 1) * GROUP),
                      MIN (COLUMNS, job->width - column), acc);
    }
}

/* The pieces of each output are combined pairwise into the first. A unit is one block of one
 * output. */
static void
combine_outputs (gpointer data, gint64 begin, gint64 end)
{
  const ReduceJob *job = data;
  gsize row = job->width * job->acc_size;
  for (gint64 unit = begin; unit < end; unit++)
    {
      gint64 output = unit / job->blocks, column = unit % job->blocks * COLUMNS;
      gint64 width = MIN (COLUMNS, job->width - column);
      char *first = job->partial + output * job->pieces * row + column * job->acc_size;
      for (gint64 step = 1; step < job->pieces; step *= 2)
        for (gint64 i = 0; i + step < job->pieces; i += 2 * step)
          job->rows (first + (i + step) * row, 1, 0, width, first + i * row);
    }
}

#define DIVIDE(DTYPE, T, divisor)                                                                  \
  case DTYPE:                                                                                      \
    for (gint64 i = 0; i < n; i++)                                                                 \
      ((T *) values)[i] = (T) (((T *) values)[i] / (divisor));                                     \
    break;

/* Divides sums by how many there were; integers truncate, and of nothing they stay 0. */
static void
divide (SluiceDType dtype, void *values, gint64 n, double by)
{
  gint64 whole = MAX (1, (gint64) by);
  switch (dtype)
    {
      DIVIDE (SLUICE_FLOAT, float, (float) by)
      DIVIDE (SLUICE_DOUBLE, double, by)
      DIVIDE (SLUICE_COMPLEX64, SluiceComplex64, (float) by)
      DIVIDE (SLUICE_COMPLEX128, SluiceComplex128, by)
      DIVIDE (SLUICE_INT8, gint8, whole)
      DIVIDE (SLUICE_INT16, gint16, whole)
      DIVIDE (SLUICE_INT32, gint32, whole)
      DIVIDE (SLUICE_INT64, gint64, whole)
      DIVIDE (SLUICE_UINT8, guint8, (guint64) whole)
      DIVIDE (SLUICE_UINT16, guint16, (guint64) whole)
      DIVIDE (SLUICE_UINT32, guint32, (guint64) whole)
      DIVIDE (SLUICE_UINT64, guint64, (guint64) whole)
    default:
      g_assert_not_reached ();
    }
}

static void
root (SluiceDType dtype, void *values, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    {
      SluiceWide value = sluice_wide_load (dtype, values, i);
      if (sluice_dtype_is_complex (dtype))
        value.c128 = csqrt (value.c128);
      else if (sluice_dtype_is_floating (dtype))
        value.f64 = sqrt (value.f64);
      else if (sluice_dtype_in (dtype, SLUICE_SET_SIGNED)) /* a sum that wrapped may be negative */
        value.i64 = value.i64 > 0 ? (gint64) sqrt ((double) value.i64) : 0;
      else
        value.u64 = (guint64) sqrt ((double) value.u64);
      sluice_wide_store (dtype, values, i, value);
    }
}

static void
finish (const ReduceKernel *k, SluiceDType dtype, void *values, gint64 n, double count)
{
  if (k->finish == FINISH_MEAN)
    divide (dtype, values, n, count);
  else if (k->finish == FINISH_HALF)
    divide (dtype, values, n, 2);
  else if (k->finish == FINISH_ROOT)
    root (dtype, values, n);
}

/* Moves the first piece of each output to where it belongs. */
static void
gather_outputs (const ReduceJob *job, SluiceTensor *out)
{
  gsize row = job->width * job->acc_size;
  if (job->partial == out->data)
    return;
  for (gint64 i = 0; i < job->kept.count; i++)
    {
      char *to = (char *) out->data + i * job->width * job->size;
      narrow (job, job->partial + i * job->pieces * row, to, job->width);
    }
}

static gboolean
run_job (SluiceKernelCall *call, ReduceJob *job, SluiceTensor *out, double count)
{
  const ReduceKernel *k = call->kernel->data;
  SluiceDType acc = job->acc;
  gint64 partials = job->kept.count * job->pieces * job->width;
  g_autoptr (SluiceTensor) scratch = NULL;
  job->partial = out->data;
  if (job->pieces > 1 || acc != job->dtype)
    {
      scratch = sluice_call_scratch (call, acc, &SLUICE_SHAPE (partials));
      if (scratch == NULL)
        return FALSE;
      job->partial = scratch->data;
    }
  gint64 unit = job->length ? MIN (PIECE, job->length)
                            : MIN (GROUP, job->reduced.count) * MIN (COLUMNS, job->width);
  gint64 units = job->kept.count * job->pieces * job->blocks;
  if (!sluice_call_parallel_for (call, units, MAX (1, SLUICE_GRAIN / MAX (1, unit)), 0.15 * unit,
                                 reduce_units, job))
    return FALSE;
  unit = job->pieces * MIN (COLUMNS, job->width);
  if (job->pieces > 1
      && !sluice_call_parallel_for (call, job->kept.count * job->blocks,
                                    MAX (1, SLUICE_GRAIN / unit), 0.15 * unit, combine_outputs,
                                    job))
    return FALSE;
  if (job->pieces == 1)
    finish (k, acc, job->partial, partials, count);
  else
    for (gint64 i = 0; i < job->kept.count; i++)
      finish (k, acc, job->partial + i * job->pieces * job->width * job->acc_size, job->width,
              count);
  gather_outputs (job, out);
  return TRUE;
}

static gboolean
read_axes (SluiceKernelCall *call, SluiceAxes *axes)
{
  const ReduceKernel *k = call->kernel->data;
  const SluiceTensor *x = sluice_call_input (call, 0);
  if (k->all)
    {
      for (int d = 0; d < SLUICE_MAX_RANK; d++)
        axes->reduced[d] = TRUE;
      return TRUE;
    }
  g_autoptr (GError) error = NULL;
  if (!sluice_axes_read (axes, sluice_call_input (call, 1), x->shape.rank, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  return TRUE;
}

static gpointer
prepare (const SluiceNode *node, GError **error)
{
  return GINT_TO_POINTER (sluice_node_get_bool (node, "keep_dims"));
}

static gboolean
compute (SluiceKernelCall *call)
{
  const ReduceKernel *k = call->kernel->data;
  const SluiceTensor *x = sluice_call_input (call, 0);
  SluiceAxes axes;
  if (!read_axes (call, &axes))
    return FALSE;
  SluiceShape shape = sluice_axes_apply (&axes, &x->shape, call->state != NULL);
  gint64 n_out = sluice_shape_n_elements (&shape);
  if (n_out == x->n_elements && n_out > 0 && k->finish < FINISH_HALF)
    return sluice_call_forward_view (call, 0, 0, &shape);
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || n_out == 0)
    return out != NULL;
  SluiceDType acc = accumulator (k, x->dtype);
  ReduceJob job = { .run = k->run[acc],
                    .rows = k->rows[acc],
                    .square = k->square[acc],
                    .dtype = x->dtype,
                    .acc = acc,
                    .acc_size = sluice_dtype_size (acc),
                    .size = sluice_dtype_size (x->dtype),
                    .x = x->data };
  if (x->n_elements > 0)
    collapse (&job, &x->shape, &axes);
  else
    reduce_nothing (&job, n_out);
  return run_job (call, &job, out, (double) x->n_elements / n_out);
}

/* What there is before the first element. */
static SluiceWide
neutral (const ReduceKernel *k, SluiceDType dtype)
{
  SluiceDType own = sluice_dtype_is_half (dtype) ? SLUICE_FLOAT : dtype;
  SluiceWide value = { 0 };
  k->run[own](NULL, 0, &value);
  return sluice_wide_load (own, &value, 0);
}

/* Element after element into its output, in the widest type of its kind. */
static gboolean
compute_reference (SluiceKernelCall *call)
{
  const ReduceKernel *k = call->kernel->data;
  const SluiceTensor *x = sluice_call_input (call, 0);
  SluiceDType wide = sluice_wide_dtype (x->dtype);
  SluiceAxes axes;
  if (!read_axes (call, &axes))
    return FALSE;
  SluiceShape shape = sluice_axes_apply (&axes, &x->shape, call->state != NULL);
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  g_autofree SluiceWide *acc = g_new0 (SluiceWide, MAX (1, out->n_elements));
  for (gint64 i = 0; i < out->n_elements; i++)
    acc[i] = neutral (k, x->dtype);
  for (gint64 i = 0; i < x->n_elements; i++)
    {
      gint64 rest = i, to = 0, stride = 1;
      for (int d = x->shape.rank - 1; d >= 0; d--)
        {
          if (!axes.reduced[d])
            {
              to += rest % x->shape.dim[d] * stride;
              stride *= x->shape.dim[d];
            }
          rest /= x->shape.dim[d];
        }
      SluiceWide value = sluice_wide_load (x->dtype, x->data, i), mapped;
      if (k->square[wide])
        k->square[wide](&value, 1);
      k->run[wide](&value, 1, &mapped);
      k->rows[wide](&mapped, 1, 0, 1, &acc[to]);
    }
  for (gint64 i = 0; i < out->n_elements; i++)
    {
      finish (k, wide, &acc[i], 1, (double) x->n_elements / out->n_elements);
      sluice_wide_store (out->dtype, out->data, i, acc[i]);
    }
  return TRUE;
}

/* ---- the kernels ---- */

static const ReduceKernel kernel_Sum = { .run = { LOOPS_RIC (run_sum) },
                                         .rows = { LOOPS_RIC (rows_sum) } };
static const ReduceKernel kernel_Mean = { .run = { LOOPS_RIC (run_sum) },
                                          .rows = { LOOPS_RIC (rows_sum) },
                                          .finish = FINISH_MEAN };
static const ReduceKernel kernel_Prod = { .run = { LOOPS_RIC (run_prod) },
                                          .rows = { LOOPS_RIC (rows_prod) } };
static const ReduceKernel kernel_Max = { .run = { LOOPS_RI (run_max) },
                                         .rows = { LOOPS_RI (rows_max) } };
static const ReduceKernel kernel_Min = { .run = { LOOPS_RI (run_min) },
                                         .rows = { LOOPS_RI (rows_min) } };
static const ReduceKernel kernel_EuclideanNorm = { .run = { LOOPS_RIC (run_sum) },
                                                   .rows = { LOOPS_RIC (rows_sum) },
                                                   .square = { LOOPS_RIC (square) },
                                                   .finish = FINISH_ROOT };

SluiceRowsLoop
sluice_rows_loop (SluiceCombine combine, SluiceDType dtype)
{
  static const ReduceKernel *const kernels_of[] = { [SLUICE_COMBINE_SUM] = &kernel_Sum,
                                                    [SLUICE_COMBINE_PROD] = &kernel_Prod,
                                                    [SLUICE_COMBINE_MAX] = &kernel_Max,
                                                    [SLUICE_COMBINE_MIN] = &kernel_Min };
  return sluice_dtype_is_half (dtype) ? NULL : kernels_of[combine]->rows[dtype];
}

static const ReduceKernel kernel_All = { .run = { LOOPS_B (run_all) },
                                         .rows = { LOOPS_B (rows_all) } };
static const ReduceKernel kernel_Any = { .run = { LOOPS_B (run_any) },
                                         .rows = { LOOPS_B (rows_any) } };
static const ReduceKernel kernel_L2Loss = { .run = { LOOPS_R (run_squares) },
                                            .rows = { LOOPS_R (rows_sum) },
                                            .finish = FINISH_HALF,
                                            .all = TRUE };

#define REGISTER(op_, set, attr, prepare_)                                                         \
  { .op = #op_,                                                                                    \
    .device = "CPU",                                                                               \
    .where = { { attr, set } },                                                                    \
    .rank = 10,                                                                                    \
    .host_inputs = 2,                                                                              \
    .prepare = prepare_,                                                                           \
    .compute = compute,                                                                            \
    .data = (gpointer) &kernel_##op_ },                                                            \
      { .op = #op_,                                                                                \
        .device = "CPU",                                                                           \
        .where = { { attr, set } },                                                                \
        .host_inputs = 2,                                                                          \
        .prepare = prepare_,                                                                       \
        .compute = compute_reference,                                                              \
        .data = (gpointer) &kernel_##op_ },

static const SluiceKernel kernels[] = {
  /* clang-format off */
  REGISTER (Sum, SET_RIC, "T", prepare)
  REGISTER (Mean, SET_RIC, "T", prepare)
  REGISTER (Prod, SET_RIC, "T", prepare)
  REGISTER (Max, SET_RI, "T", prepare)
  REGISTER (Min, SET_RI, "T", prepare)
  REGISTER (EuclideanNorm, SET_RIC, "T", prepare)
  REGISTER (All, 0, NULL, prepare)
  REGISTER (Any, 0, NULL, prepare)
  REGISTER (L2Loss, SET_R, "T", NULL)
  /* clang-format on */
};

const SluiceKernelModule sluice_module_math_reduce_cpu = { .kernels = kernels,
                                                           .n_kernels = G_N_ELEMENTS (kernels) };
