/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/math/elementwise.h"

typedef struct
{
  const void *x, *y;
  guint8 *out;
  double tolerance;
} Job;

/* The tolerance is rounded to the dtype, as TensorFlow does. */
#define LOOP(fn, s, T, hot)                                                                        \
  SLUICE_WARM static void run_##s (gpointer data, gint64 begin, gint64 end)                        \
  {                                                                                                \
    const Job *job = data;                                                                         \
    const T *x = job->x, *y = job->y, tolerance = (T) job->tolerance;                              \
    guint8 *out = job->out;                                                                        \
    for (gint64 i = begin; i < end; i++)                                                           \
      out[i] = scalar_abs_##s (x[i] - y[i]) < tolerance;                                           \
  }
FOR_D (LOOP, )

static gpointer
prepare (const SluiceNode *node, GError **error)
{
  double *tolerance = g_new (double, 1);
  *tolerance = sluice_node_get_float (node, "tolerance");
  return tolerance;
}

static gboolean
compute (SluiceKernelCall *call)
{
  const SluiceTensor *x = sluice_call_input (call, 0), *y = sluice_call_input (call, 1);
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  if (!sluice_shape_equal (&x->shape, &y->shape))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "x and y must have one shape, but are %s and %s",
                             sluice_shape_str (&x->shape, a), sluice_shape_str (&y->shape, b));
  SluiceTensor *out = sluice_call_output (call, 0, &x->shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  Job job = { x->data, y->data, out->data, *(const double *) call->state };
  return sluice_call_parallel_for (call, out->n_elements, SLUICE_GRAIN, 0.2,
                                   x->dtype == SLUICE_FLOAT ? run_f32 : run_f64, &job);
}

static const SluiceKernel kernels[] = {
  { .op = "ApproximateEqual",
    .device = "CPU",
    .where = { { "T", SET_D } },
    .prepare = prepare,
    .free_state = g_free,
    .compute = compute },
};

const SluiceKernelModule sluice_module_math_approximate_equal_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
