/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/math/elementwise.h"
#include "kernels/math/reduce.h"
#include "kernels/math/wide.h"

/* One line: n elements `stride` apart; stride is negative for a scan from the end. */
typedef void (*ScanLoop) (const void *x, gint64 n, gint64 stride, gboolean exclusive, void *out);

typedef struct
{
  ScanLoop loop[SLUICE_N_DTYPES];
} ScanKernel;

#define SCAN_LOOP(name, op, neutral, s, T, hot)                                                    \
  static void name##_##s (const void *x_, gint64 n, gint64 stride, gboolean exclusive, void *out_) \
  {                                                                                                \
    const T *x = x_;                                                                               \
    T *out = out_, acc = (T) (neutral);                                                            \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        T next = scalar_##op##_##s (acc, x[i * stride]);                                           \
        out[i * stride] = exclusive ? acc : next;                                                  \
        acc = next;                                                                                \
      }                                                                                            \
  }
#define CUMSUM_LOOP(fn, s, T, hot)  SCAN_LOOP (cumsum, add, 0, s, T, hot)
#define CUMPROD_LOOP(fn, s, T, hot) SCAN_LOOP (cumprod, mul, 1, s, T, hot)

FOR_RIC (CUMSUM_LOOP, )
FOR_RIC (CUMPROD_LOOP, )

enum
{
  EXCLUSIVE = 1 << 0,
  REVERSE = 1 << 1,
};

typedef struct
{
  ScanLoop loop;
  const SluiceTensor *x;
  SluiceTensor *out;
  gint64 n, inner; /* the input is outer × n × inner */
  guint flags;
} ScanJob;

static gpointer
prepare (const SluiceNode *node, GError **error)
{
  return GUINT_TO_POINTER ((sluice_node_get_bool (node, "exclusive") ? EXCLUSIVE : 0)
                           | (sluice_node_get_bool (node, "reverse") ? REVERSE : 0));
}

static void
scan_line (const ScanJob *job, gint64 first)
{
  gint64 stride = job->inner;
  if (job->flags & REVERSE)
    {
      first += (job->n - 1) * stride;
      stride = -stride;
    }
  gsize size = sluice_dtype_size (job->x->dtype);
  const char *x = (const char *) job->x->data + first * size;
  char *out = (char *) job->out->data + first * size;
  gboolean exclusive = (job->flags & EXCLUSIVE) != 0;
  if (!sluice_dtype_is_half (job->x->dtype))
    {
      job->loop (x, job->n, stride, exclusive, out);
      return;
    }
  g_autofree float *wide = g_new (float, job->n);
  for (gint64 i = 0; i < job->n; i++)
    sluice_widen (job->x->dtype, x + 2 * i * stride, &wide[i], 1);
  job->loop (wide, job->n, 1, exclusive, wide);
  for (gint64 i = 0; i < job->n; i++)
    sluice_narrow (job->x->dtype, &wide[i], out + 2 * i * stride, 1);
}

/* Units are lines. */
static void
run (gpointer data, gint64 begin, gint64 end)
{
  const ScanJob *job = data;
  for (gint64 i = begin; i < end; i++)
    scan_line (job, i / job->inner * job->n * job->inner + i % job->inner);
}

/* Checks the inputs, makes the output. FALSE: call->error is set. */
static gboolean
begin_call (SluiceKernelCall *call, ScanJob *job)
{
  const SluiceTensor *x = job->x = sluice_call_input (call, 0);
  if (!sluice_call_want_scalar (call, 1))
    return FALSE;
  gint64 value = sluice_tensor_get_int (sluice_call_input (call, 1), 0);
  int axis = sluice_axis_normalize (value, x->shape.rank);
  if (axis < 0)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "axis %" G_GINT64_FORMAT
                             " does not exist in an input of rank %d; it must be in [%d, %d)",
                             value, x->shape.rank, -x->shape.rank, x->shape.rank);
  job->n = x->shape.dim[axis];
  job->inner = 1;
  for (int d = axis + 1; d < x->shape.rank; d++)
    job->inner *= x->shape.dim[d];
  job->flags = GPOINTER_TO_UINT (call->state);
  job->out = sluice_call_output (call, 0, &x->shape);
  return job->out != NULL;
}

static gboolean
compute (SluiceKernelCall *call)
{
  const ScanKernel *k = call->kernel->data;
  ScanJob job = { .loop = k->loop[sluice_call_input (call, 0)->dtype] };
  if (!begin_call (call, &job))
    return FALSE;
  if (job.x->n_elements == 0)
    return TRUE;
  return sluice_call_parallel_for (call, job.x->n_elements / job.n, MAX (1, SLUICE_GRAIN / job.n),
                                   2.0 * job.n, run, &job);
}

/* One line after the other, in the widest type of its kind. */
static gboolean
compute_reference (SluiceKernelCall *call)
{
  const ScanKernel *k = call->kernel->data;
  ScanJob job = { 0 };
  if (!begin_call (call, &job))
    return FALSE;
  SluiceDType dtype = job.x->dtype, wide = sluice_wide_dtype (dtype);
  gint64 lines = job.x->n_elements ? job.x->n_elements / job.n : 0;
  g_autofree SluiceWide *line = g_new (SluiceWide, MAX (1, job.n));
  gint64 stride = (gint64) (sizeof *line / sluice_dtype_size (wide));
  gboolean reverse = (job.flags & REVERSE) != 0;
  for (gint64 l = 0; l < lines; l++)
    {
      gint64 first = l / job.inner * job.n * job.inner + l % job.inner;
      for (gint64 i = 0; i < job.n; i++)
        line[reverse ? job.n - 1 - i : i] =
            sluice_wide_load (dtype, job.x->data, first + i * job.inner);
      k->loop[wide](line, job.n, stride, (job.flags & EXCLUSIVE) != 0, line);
      for (gint64 i = 0; i < job.n; i++)
        sluice_wide_store (dtype, job.out->data, first + i * job.inner,
                           line[reverse ? job.n - 1 - i : i]);
    }
  return TRUE;
}

static const ScanKernel kernel_Cumsum = { { LOOPS_RIC (cumsum) } };
static const ScanKernel kernel_Cumprod = { { LOOPS_RIC (cumprod) } };

/* The definition allows quantized numbers too, which are not added here or there. */
#define REGISTER(op_)                                                                              \
  { .op = #op_,                                                                                    \
    .device = "CPU",                                                                               \
    .where = { { "T", SLUICE_SET_NUMBER } },                                                       \
    .rank = 10,                                                                                    \
    .host_inputs = 2,                                                                              \
    .prepare = prepare,                                                                            \
    .compute = compute,                                                                            \
    .data = (gpointer) &kernel_##op_ },                                                            \
      { .op = #op_,                                                                                \
        .device = "CPU",                                                                           \
        .where = { { "T", SLUICE_SET_NUMBER } },                                                   \
        .host_inputs = 2,                                                                          \
        .prepare = prepare,                                                                        \
        .compute = compute_reference,                                                              \
        .data = (gpointer) &kernel_##op_ },

static const SluiceKernel kernels[] = { REGISTER (Cumsum) REGISTER (Cumprod) };

const SluiceKernelModule sluice_module_math_scan_cpu = { .kernels = kernels,
                                                         .n_kernels = G_N_ELEMENTS (kernels) };
