/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/device/kernel.h"
#include "kernels/math/scalar-special.h"

typedef struct
{
  SluiceDType dtype;
  const void *in[3];
  int step[3]; /* 0: a scalar */
  void *out;
} Job;

static double
element (const Job *job, int operand, gint64 i)
{
  i *= job->step[operand];
  return job->dtype == SLUICE_FLOAT ? scalar_flush_f32 (((const float *) job->in[operand])[i])
                                    : scalar_flush_f64 (((const double *) job->in[operand])[i]);
}

static void
run (gpointer data, gint64 begin, gint64 end)
{
  const Job *job = data;
  for (gint64 i = begin; i < end; i++)
    {
      double z = sluice_betainc (element (job, 0, i), element (job, 1, i), element (job, 2, i));
      if (job->dtype == SLUICE_FLOAT)
        ((float *) job->out)[i] = (float) z;
      else
        ((double *) job->out)[i] = z;
    }
}

static gboolean
compute (SluiceKernelCall *call)
{
  const SluiceShape *shape = &SLUICE_SHAPE_SCALAR;
  Job job = { .dtype = sluice_call_input (call, 0)->dtype };
  for (guint i = 0; i < 3; i++)
    {
      const SluiceTensor *in = sluice_call_input (call, i);
      char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
      job.in[i] = in->data;
      job.step[i] = in->shape.rank > 0;
      if (in->shape.rank > 0 && shape->rank > 0 && !sluice_shape_equal (&in->shape, shape))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "inputs must be scalars or have one shape, but there are %s and "
                                 "%s",
                                 sluice_shape_str (shape, a), sluice_shape_str (&in->shape, b));
      if (in->shape.rank > 0)
        shape = &in->shape;
    }
  SluiceTensor *out = sluice_call_output (call, 0, shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  job.out = out->data;
  return sluice_call_parallel_for (call, out->n_elements, 256, 300, run, &job);
}

static const SluiceKernel kernels[] = {
  { .op = "Betainc", .device = "CPU", .compute = compute },
};

const SluiceKernelModule sluice_module_math_betainc_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
