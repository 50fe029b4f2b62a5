/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Reductions. Dimensions fall into kept and reduced ones, neighbours of a kind merged. Few values
 * an output are added up by one thread, many by a block in the fixed tree of launch.h: how, depends
 * on the shape only.
 */
#include "kernels/math/elementwise-cuda.h"

extern "C" {
#include "kernels/math/reduce.h"
}

#define SERIAL 64 /* values an output that one thread combines */

typedef struct
{
  int n;
  gint64 dim[SLUICE_MAX_RANK], stride[SLUICE_MAX_RANK]; /* outermost first */
  gint64 count;
} Dims;

typedef struct
{
  Dims kept, reduced;
  gint64 n_out, length;
} Job;

typedef void (*Launch) (const Job *job, const void *x, void *out);
typedef struct
{
  SluiceDType dtype; /* SLUICE_INVALID: the last */
  Launch launch;
} Entry;
typedef struct
{
  const Entry *entries;
  gboolean all;      /* no axes: everything becomes one */
  gboolean forwards; /* one value an output is the output */
} ReduceKernel;

SLUICE_DEVICE gint64
offset_of (const Dims &dims, gint64 index)
{
  gint64 offset = 0;
  for (int d = dims.n - 1; d > 0; d--)
    {
      gint64 rest = index / dims.dim[d];
      offset += (index - rest * dims.dim[d]) * dims.stride[d];
      index = rest;
    }
  return dims.n > 0 ? offset + index * dims.stride[0] : 0;
}

/* O: neutral (), map (x), combine (a, b), finish (a, count); A: the type of what is combined. */
template <typename M, typename A, typename O>
static void
launch_reduce (const Job *job_, const void *x_, void *out_)
{
  const M *x = (const M *) x_;
  M *out = (M *) out_;
  Job job = *job_;
  auto value = [=] SLUICE_LAMBDA (gint64 o, gint64 i) -> A {
    return O::map ((A) sluice_wide (x[offset_of (job.kept, o) + offset_of (job.reduced, i)]));
  };
  auto finish = [=] SLUICE_LAMBDA (gint64 o, A sum) {
    sluice_put (&out[o], O::finish (sum, job.length));
  };
  if (job.length <= SERIAL)
    sluice_each (job.n_out, [=] SLUICE_LAMBDA (gint64 o) {
      A sum = O::neutral ();
      for (gint64 i = 0; i < job.length; i++)
        sum = O::combine (sum, value (o, i));
      finish (o, sum);
    });
  else
    sluice_reduce<A, O> (job.n_out, job.length, value, finish);
}

/* ---- what is combined ---- */

/* The lowest and highest value of a type: what Max and Min of nothing are. */
#define LOWEST_f32  -INFINITY
#define LOWEST_f64  (double) -INFINITY
#define LOWEST_i8   G_MININT8
#define LOWEST_i16  G_MININT16
#define LOWEST_i32  G_MININT32
#define LOWEST_i64  G_MININT64
#define LOWEST_u8   0
#define LOWEST_u16  0
#define LOWEST_u32  0
#define LOWEST_u64  0
#define HIGHEST_f32 INFINITY
#define HIGHEST_f64 (double) INFINITY
#define HIGHEST_i8  G_MAXINT8
#define HIGHEST_i16 G_MAXINT16
#define HIGHEST_i32 G_MAXINT32
#define HIGHEST_i64 G_MAXINT64
#define HIGHEST_u8  G_MAXUINT8
#define HIGHEST_u16 G_MAXUINT16
#define HIGHEST_u32 G_MAXUINT32
#define HIGHEST_u64 G_MAXUINT64

#define COMBINE(name, s, A, start, op, mapped, finished)                                           \
  struct Reduce_##name##_##s                                                                       \
  {                                                                                                \
    static SLUICE_MEMBER A neutral () { return (A) (start); }                                      \
    static SLUICE_MEMBER A map (A x) { return mapped; }                                            \
    static SLUICE_MEMBER A combine (A a, A b) { return scalar_##op##_##s (a, b); }                 \
    static SLUICE_MEMBER A finish (A sum, gint64 n) { return finished; }                           \
  };
#define COMBINE_REAL(fn, s, A)                                                                     \
  COMBINE (sum, s, A, 0, add, x, sum)                                                              \
  COMBINE (prod, s, A, 1, mul, x, sum)                                                             \
  COMBINE (max, s, A, LOWEST_##s, maximum, x, sum)                                                 \
  COMBINE (min, s, A, HIGHEST_##s, minimum, x, sum)
EACH_RI (COMBINE_REAL, )
COMBINE (all, b8, guint8, 1, logical_and, x, sum)
COMBINE (any, b8, guint8, 0, logical_or, x, sum)
COMBINE (mean, f32, float, 0, add, x, sum / (float) n)
COMBINE (mean, f64, double, 0, add, x, sum / (double) n)
COMBINE (l2_loss, f32, float, 0, add, x *x, sum / 2)
COMBINE (l2_loss, f64, double, 0, add, x *x, sum / 2)
COMBINE (norm, f32, float, 0, add, x *x, sqrtf (sum))
COMBINE (norm, f64, double, 0, add, x *x, sqrt (sum))

#define ENTRY_f32(dtype, M, name) { dtype, launch_reduce<M, float, Reduce_##name##_f32> },
#define FLOATS(name)                                                                               \
  ENTRY_f32 (SLUICE_FLOAT, float, name) ENTRY_f32 (SLUICE_HALF, SluiceHalf, name)                  \
  ENTRY_f32 (SLUICE_BFLOAT16, SluiceBfloat, name){ SLUICE_DOUBLE,                                  \
                                                   launch_reduce<double, double,                   \
                                                                 Reduce_##name##_f64> },
#define ENTRY_INT(dtype, M, functor) { dtype, launch_reduce<M, M, Reduce_##functor> },
#define TABLE(op, entries, all, forwards)                                                          \
  static const Entry entries_##op[] = { entries{ SLUICE_INVALID, NULL } };                         \
  static const ReduceKernel kernel_##op = { entries_##op, all, forwards };

TABLE (Sum, FLOATS (sum) ENTRIES_I (ENTRY_INT, sum), FALSE, TRUE)
TABLE (Prod, FLOATS (prod) ENTRIES_I (ENTRY_INT, prod), FALSE, TRUE)
TABLE (Max, FLOATS (max) ENTRIES_I (ENTRY_INT, max), FALSE, TRUE)
TABLE (Min, FLOATS (min) ENTRIES_I (ENTRY_INT, min), FALSE, TRUE)
TABLE (Mean, FLOATS (mean), FALSE, TRUE)
TABLE (All, ENTRIES_B (ENTRY_INT, all), FALSE, TRUE)
TABLE (Any, ENTRIES_B (ENTRY_INT, any), FALSE, TRUE)
TABLE (L2Loss, FLOATS (l2_loss), TRUE, FALSE)
TABLE (EuclideanNorm, FLOATS (norm), FALSE, FALSE)

/* ---- the call ---- */

static void
prepend (Dims *self, gint64 dim, gint64 stride)
{
  memmove (self->dim + 1, self->dim, self->n * sizeof *self->dim);
  memmove (self->stride + 1, self->stride, self->n * sizeof *self->stride);
  self->dim[0] = dim;
  self->stride[0] = stride;
  self->n++;
}

static void
collapse (Job *job, const SluiceShape *shape, const SluiceAxes *axes)
{
  gint64 stride = 1;
  job->length = 1;
  for (int d = shape->rank - 1; d >= 0;)
    {
      gboolean reduced = axes->reduced[d];
      gint64 size = 1;
      for (; d >= 0 && (axes->reduced[d] == reduced || shape->dim[d] == 1); d--)
        size *= shape->dim[d];
      if (reduced)
        job->length *= size;
      if (size != 1)
        prepend (reduced ? &job->reduced : &job->kept, size, stride);
      stride *= size;
    }
}

static gboolean
read_axes (SluiceKernelCall *call, gboolean all, SluiceAxes *axes)
{
  GError *error = NULL;
  for (int d = 0; d < SLUICE_MAX_RANK; d++)
    axes->reduced[d] = all;
  if (all
      || sluice_axes_read (axes, sluice_call_input (call, 1),
                           sluice_call_input (call, 0)->shape.rank, &error))
    return TRUE;
  return sluice_call_fail_with (call, error);
}

static gboolean
reduce_compute (SluiceKernelCall *call)
{
  const ReduceKernel *k = (const ReduceKernel *) call->kernel->data;
  const SluiceTensor *x = sluice_call_input (call, 0);
  SluiceAxes axes;
  if (!read_axes (call, k->all, &axes))
    return FALSE;
  SluiceShape shape = sluice_axes_apply (&axes, &x->shape, call->state != NULL);
  Job job = { .n_out = sluice_shape_n_elements (&shape) };
  if (k->forwards && job.n_out == x->n_elements && job.n_out > 0)
    return sluice_call_forward_view (call, 0, 0, &shape);
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || job.n_out == 0)
    return out != NULL;
  if (x->n_elements > 0)
    collapse (&job, &x->shape, &axes);
  const Entry *entry = k->entries;
  while ((int) entry->dtype != x->dtype)
    entry++;
  if (!sluice_cuda_begin (call))
    return FALSE;
  const void *from = sluice_cuda_tensor (x, SLUICE_CUDA_READ);
  void *to = sluice_cuda_tensor (out, SLUICE_CUDA_WRITE);
  if (to != NULL && (from != NULL || x->n_elements == 0))
    entry->launch (&job, from, to);
  return sluice_cuda_end (call);
}

static gpointer
reduce_prepare (const SluiceNode *node, GError **error)
{
  return GINT_TO_POINTER (sluice_node_get_attr (node, "keep_dims") != NULL
                          && sluice_node_get_bool (node, "keep_dims"));
}

#define KERNEL(op_, attr, set)                                                                     \
  { .op = #op_, .device = "CUDA", .where = { { attr, set } }, .prepare = reduce_prepare,           \
    .compute = reduce_compute, .data = (gpointer) &kernel_##op_ },

static const SluiceKernel kernels[] = {
  /* clang-format off */
  KERNEL (Sum, "T", SLUICE_SET_REAL)
  KERNEL (Prod, "T", SLUICE_SET_REAL)
  KERNEL (Max, "T", SLUICE_SET_REAL)
  KERNEL (Min, "T", SLUICE_SET_REAL)
  KERNEL (Mean, "T", SLUICE_SET_FLOATS)
  KERNEL (EuclideanNorm, "T", SLUICE_SET_FLOATS)
  KERNEL (L2Loss, "T", SLUICE_SET_FLOATS)
  KERNEL (All, NULL, 0)
  KERNEL (Any, NULL, 0)
  /* clang-format on */
};

extern "C" const SluiceKernelModule sluice_module_math_reduce_cuda = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
