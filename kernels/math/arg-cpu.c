/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/math/elementwise.h"
#include "kernels/math/reduce.h"
#include "kernels/math/wide.h"

/* Outputs in one call of a loop. */
#define BLOCK 64

/* The best of n vectors of `width` elements, `stride` apart: its number goes into best. */
typedef void (*ArgLoop) (const void *x, gint64 n, gint64 stride, gint64 width, gint64 *best);

typedef struct
{
  ArgLoop loop[SLUICE_N_DTYPES];
} ArgKernel;

/* TensorFlow begins with the lowest finite number at 0, so what never beats that leaves 0. */
#define ARG_LOOP(name, op, start, s, T, hot)                                                       \
  hot static void name##_##s (const void *x_, gint64 n, gint64 stride, gint64 width, gint64 *best) \
  {                                                                                                \
    const T *x = x_;                                                                               \
    T value[BLOCK];                                                                                \
    for (gint64 i = 0; i < width; i++)                                                             \
      {                                                                                            \
        value[i] = (T) (start);                                                                    \
        best[i] = 0;                                                                               \
      }                                                                                            \
    for (gint64 k = 0; k < n; k++)                                                                 \
      for (gint64 i = 0; i < width; i++)                                                           \
        {                                                                                          \
          T candidate = x[k * stride + i];                                                         \
          gboolean better = candidate op value[i];                                                 \
          best[i] = better ? k : best[i];                                                          \
          value[i] = better ? candidate : value[i];                                                \
        }                                                                                          \
  }

#define LOW_f32  -FLT_MAX
#define LOW_f64  -DBL_MAX
#define LOW_i8   G_MININT8
#define LOW_i16  G_MININT16
#define LOW_i32  G_MININT32
#define LOW_i64  G_MININT64
#define LOW_u8   0
#define LOW_u16  0
#define LOW_u32  0
#define LOW_u64  0
#define LOW_b8   0
#define HIGH_f32 FLT_MAX
#define HIGH_f64 DBL_MAX
#define HIGH_i8  G_MAXINT8
#define HIGH_i16 G_MAXINT16
#define HIGH_i32 G_MAXINT32
#define HIGH_i64 G_MAXINT64
#define HIGH_u8  G_MAXUINT8
#define HIGH_u16 G_MAXUINT16
#define HIGH_u32 G_MAXUINT32
#define HIGH_u64 G_MAXUINT64
#define HIGH_b8  1

#define MAX_LOOP(fn, s, T, hot) ARG_LOOP (arg_max, >, LOW_##s, s, T, hot)
#define MIN_LOOP(fn, s, T, hot) ARG_LOOP (arg_min, <, HIGH_##s, s, T, hot)

FOR_RI (MAX_LOOP, )
FOR_B (MAX_LOOP, )
FOR_RI (MIN_LOOP, )
FOR_B (MIN_LOOP, )

typedef struct
{
  ArgLoop loop;
  const SluiceTensor *x;
  SluiceTensor *out;
  gint64 n, inner; /* the input is outer × n × inner */
} ArgJob;

static void
store_index (SluiceTensor *out, gint64 i, gint64 value)
{
  switch (out->dtype)
    {
    case SLUICE_INT64:
      ((gint64 *) out->data)[i] = value;
      break;
    case SLUICE_INT32:
      ((gint32 *) out->data)[i] = (gint32) value;
      break;
    default:
      ((gint16 *) out->data)[i] = (gint16) value;
      break;
    }
}

static void
arg_half (const ArgJob *job, gint64 outer, gint64 column, gint64 width, gint64 *best)
{
  g_autofree float *wide = g_new (float, job->n *width);
  const char *x = (const char *) job->x->data + 2 * (outer * job->n * job->inner + column);
  for (gint64 k = 0; k < job->n; k++)
    sluice_widen (job->x->dtype, x + 2 * k * job->inner, wide + k * width, width);
  job->loop (wide, job->n, width, width, best);
}

/* Units are outputs. */
static void
run (gpointer data, gint64 begin, gint64 end)
{
  const ArgJob *job = data;
  gint64 best[BLOCK];
  while (begin < end)
    {
      gint64 outer = begin / job->inner, column = begin % job->inner;
      gint64 width = MIN (MIN (BLOCK, end - begin), job->inner - column);
      gsize size = sluice_dtype_size (job->x->dtype);
      const char *x = (const char *) job->x->data + (outer * job->n * job->inner + column) * size;
      if (sluice_dtype_is_half (job->x->dtype))
        arg_half (job, outer, column, width, best);
      else
        job->loop (x, job->n, job->inner, width, best);
      for (gint64 i = 0; i < width; i++)
        store_index (job->out, begin + i, best[i]);
      begin += width;
    }
}

/* Checks the inputs, makes the output. FALSE: call->error is set. */
static gboolean
begin_call (SluiceKernelCall *call, ArgJob *job)
{
  const SluiceTensor *x = job->x = sluice_call_input (call, 0);
  const SluiceTensor *dimension = sluice_call_input (call, 1);
  if (!sluice_call_want_scalar (call, 1))
    return FALSE;
  gint64 value = sluice_tensor_get_int (dimension, 0);
  int axis = sluice_axis_normalize (value, x->shape.rank);
  if (axis < 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "dimension %" G_GINT64_FORMAT
                             " does not exist in an input of rank %d; it must be in [%d, %d)",
                             value, x->shape.rank, -x->shape.rank, x->shape.rank);
  char text[SLUICE_SHAPE_STR];
  if (x->shape.dim[axis] == 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "dimension %d of input %s is empty: nothing to choose from", axis,
                             sluice_shape_str (&x->shape, text));
  SluiceAxes axes = { 0 };
  axes.reduced[axis] = TRUE;
  SluiceShape shape = sluice_axes_apply (&axes, &x->shape, FALSE);
  job->n = x->shape.dim[axis];
  job->inner = 1;
  for (int d = axis + 1; d < x->shape.rank; d++)
    job->inner *= x->shape.dim[d];
  job->out = sluice_call_output (call, 0, &shape);
  return job->out != NULL;
}

static gboolean
compute (SluiceKernelCall *call)
{
  const ArgKernel *k = call->kernel->data;
  ArgJob job = { .loop = k->loop[sluice_call_input (call, 0)->dtype] };
  if (!begin_call (call, &job))
    return FALSE;
  return sluice_call_parallel_for (call, job.out->n_elements, MAX (1, SLUICE_GRAIN / job.n),
                                   1.0 * job.n, run, &job);
}

/* One output after the other, in the widest type of its kind. */
static gboolean
compute_reference (SluiceKernelCall *call)
{
  const ArgKernel *k = call->kernel->data;
  ArgJob job = { 0 };
  if (!begin_call (call, &job))
    return FALSE;
  SluiceDType dtype = job.x->dtype, wide = sluice_wide_dtype (dtype);
  g_autofree SluiceWide *line = g_new (SluiceWide, job.n);
  gsize stride = sizeof *line / sluice_dtype_size (wide);
  for (gint64 i = 0; i < job.out->n_elements; i++)
    {
      gint64 first = i / job.inner * job.n * job.inner + i % job.inner, best;
      for (gint64 j = 0; j < job.n; j++)
        line[j] = sluice_wide_load (dtype, job.x->data, first + j * job.inner);
      k->loop[wide](line, job.n, (gint64) stride, 1, &best);
      store_index (job.out, i, best);
    }
  return TRUE;
}

static const ArgKernel kernel_ArgMax = { { LOOPS_RI (arg_max), LOOPS_B (arg_max) } };
static const ArgKernel kernel_ArgMin = { { LOOPS_RI (arg_min), LOOPS_B (arg_min) } };

/* The definition allows complex and quantized numbers too, which have no order here or there. */
#define ARG_DTYPES (SLUICE_SET_REAL | SLUICE_SET (SLUICE_BOOL))

#define REGISTER(op_)                                                                              \
  { .op = #op_,                                                                                    \
    .device = "CPU",                                                                               \
    .where = { { "T", ARG_DTYPES } },                                                              \
    .rank = 10,                                                                                    \
    .host_inputs = 2,                                                                              \
    .compute = compute,                                                                            \
    .data = (gpointer) &kernel_##op_ },                                                            \
      { .op = #op_,                                                                                \
        .device = "CPU",                                                                           \
        .where = { { "T", ARG_DTYPES } },                                                          \
        .host_inputs = 2,                                                                          \
        .compute = compute_reference,                                                              \
        .data = (gpointer) &kernel_##op_ },

static const SluiceKernel kernels[] = { REGISTER (ArgMax) REGISTER (ArgMin) };

const SluiceKernelModule sluice_module_math_arg_cpu = { .kernels = kernels,
                                                        .n_kernels = G_N_ELEMENTS (kernels) };
