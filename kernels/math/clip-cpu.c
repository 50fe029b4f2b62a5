/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/math/elementwise.h"
#include "kernels/math/wide.h"

/* Bounds that are scalars have step 0. A NaN among the elements stays, one among the bounds is no
 * bound; where the bounds cross, the lower one counts. */
typedef void (*ClipLoop) (gint64 n,
                          const void *x,
                          const void *low,
                          gint64 s_low,
                          const void *high,
                          gint64 s_high,
                          void *out);

#define CLIP_LOOP(fn, s, T, hot)                                                                   \
  SLUICE_SCALAR T clip_one_##s (T x, T low, T high)                                                \
  {                                                                                                \
    T cut = high < x ? high : x;                                                                   \
    return cut < low ? low : cut;                                                                  \
  }                                                                                                \
  hot static void clip_##s (gint64 n, const void *x_, const void *low_, gint64 s_low,              \
                            const void *high_, gint64 s_high, void *out_)                          \
  {                                                                                                \
    const T *x = x_, *low = low_, *high = high_;                                                   \
    T *out = out_;                                                                                 \
    if (s_low == 0 && s_high == 0)                                                                 \
      {                                                                                            \
        T low0 = low[0], high0 = high[0];                                                          \
        SLUICE_INDEPENDENT                                                                         \
        for (gint64 i = 0; i < n; i++)                                                             \
          out[i] = clip_one_##s (x[i], low0, high0);                                               \
        return;                                                                                    \
      }                                                                                            \
    for (gint64 i = 0; i < n; i++)                                                                 \
      out[i] = clip_one_##s (x[i], low[i * s_low], high[i * s_high]);                              \
  }
FOR_RI (CLIP_LOOP, )

/* Real and imaginary parts are bounded apart, as TensorFlow does. */
#define CLIP_COMPLEX(s, part)                                                                      \
  static void clip_##s (gint64 n, const void *x_, const void *low_, gint64 s_low,                  \
                        const void *high_, gint64 s_high, void *out_)                              \
  {                                                                                                \
    for (guint k = 0; k < 2; k++)                                                                  \
      for (gint64 i = 0; i < n; i++)                                                               \
        ((PART_##part *) out_)[2 * i + k] =                                                        \
            clip_one_##part (((const PART_##part *) x_)[2 * i + k],                                \
                             ((const PART_##part *) low_)[2 * i * s_low + k],                      \
                             ((const PART_##part *) high_)[2 * i * s_high + k]);                   \
  }
#define PART_f32 float
#define PART_f64 double
CLIP_COMPLEX (c64, f32)
CLIP_COMPLEX (c128, f64)

static const ClipLoop loops[SLUICE_N_DTYPES] = { LOOPS_RIC (clip) };

#define BLOCK 512

typedef struct
{
  ClipLoop loop;
  SluiceDType dtype;
  gsize size;
  const char *operand[3];
  gint64 step[3];
  char *out;
} ClipJob;

static void
run_half (const ClipJob *job, gint64 begin, gint64 end)
{
  float wide[3][BLOCK];
  for (gint64 i = begin; i < end; i += BLOCK)
    {
      gint64 n = MIN (BLOCK, end - i);
      for (guint k = 0; k < 3; k++)
        sluice_widen (job->dtype, job->operand[k] + 2 * i * job->step[k], wide[k],
                      job->step[k] ? n : 1);
      job->loop (n, wide[0], wide[1], job->step[1], wide[2], job->step[2], wide[0]);
      sluice_narrow (job->dtype, wide[0], job->out + 2 * i, n);
    }
}

static void
run (gpointer data, gint64 begin, gint64 end)
{
  const ClipJob *job = data;
  if (sluice_dtype_is_half (job->dtype))
    {
      run_half (job, begin, end);
      return;
    }
  const char *at[3];
  for (guint k = 0; k < 3; k++)
    at[k] = job->operand[k] + begin * job->step[k] * job->size;
  job->loop (end - begin, at[0], at[1], job->step[1], at[2], job->step[2],
             job->out + begin * job->size);
}

/* Scalars are bounds of all elements, and nothing else but the shape of t is: a single element in
 * another shape is not. Fills the steps; FALSE: call->error is set. */
static gboolean
check_shapes (SluiceKernelCall *call, gint64 step[3])
{
  const SluiceTensor *x = sluice_call_input (call, 0);
  step[0] = 1;
  for (guint k = 1; k < 3; k++)
    {
      const SluiceTensor *bound = sluice_call_input (call, k);
      char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
      if (!sluice_shape_equal (&x->shape, &bound->shape) && bound->shape.rank != 0)
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "a bound must be a scalar or have the shape %s of t, not %s",
                                 sluice_shape_str (&x->shape, a),
                                 sluice_shape_str (&bound->shape, b));
      step[k] = bound->shape.rank == 0 ? 0 : 1;
    }
  return TRUE;
}

static gboolean
compute (SluiceKernelCall *call)
{
  const SluiceTensor *x = sluice_call_input (call, 0);
  ClipJob job = { .loop = loops[x->dtype],
                  .dtype = x->dtype,
                  .size = sluice_dtype_size (x->dtype) };
  if (!check_shapes (call, job.step))
    return FALSE;
  for (guint k = 0; k < 3; k++)
    job.operand[k] = sluice_call_input (call, k)->data;
  gint64 n = x->n_elements;
  SluiceTensor *out = sluice_call_reuse (call, 0, 0, &x->shape);
  if (out == NULL)
    return FALSE;
  job.out = out->data;
  return n == 0 || sluice_call_parallel_for (call, n, SLUICE_GRAIN, 0.3, run, &job);
}

/* One element after the other, in the widest type of its kind. */
static gboolean
compute_reference (SluiceKernelCall *call)
{
  const SluiceTensor *x = sluice_call_input (call, 0);
  ClipLoop one = loops[sluice_wide_dtype (x->dtype)];
  gint64 step[3];
  if (!check_shapes (call, step))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &x->shape);
  if (out == NULL)
    return FALSE;
  for (gint64 i = 0; i < out->n_elements; i++)
    {
      SluiceWide value[3];
      for (guint k = 0; k < 3; k++)
        value[k] = sluice_wide_load (x->dtype, sluice_call_input (call, k)->data, i * step[k]);
      one (1, &value[0], &value[1], 0, &value[2], 0, &value[0]);
      sluice_wide_store (x->dtype, out->data, i, value[0]);
    }
  return TRUE;
}

static const SluiceKernel kernels[] = {
  { .op = "ClipByValue",
    .device = "CPU",
    .where = { { "T", SLUICE_SET_NUMBER } },
    .rank = 10,
    .compute = compute },
  { .op = "ClipByValue",
    .device = "CPU",
    .where = { { "T", SLUICE_SET_NUMBER } },
    .compute = compute_reference },
};

const SluiceKernelModule sluice_module_math_clip_cpu = { .kernels = kernels,
                                                         .n_kernels = G_N_ELEMENTS (kernels) };
