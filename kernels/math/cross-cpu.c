/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/math/elementwise.h"

typedef void (*CrossLoop) (gint64 n, const void *a, const void *b, void *out);

#define CROSS_LOOP(fn, s, T, hot)                                                                  \
  static void cross_##s (gint64 n, const void *a_, const void *b_, void *out_)                     \
  {                                                                                                \
    const T *a = a_, *b = b_;                                                                      \
    T *out = out_;                                                                                 \
    for (gint64 i = 0; i < n; i++, a += 3, b += 3, out += 3)                                       \
      for (int k = 0; k < 3; k++)                                                                  \
        {                                                                                          \
          int next = (k + 1) % 3, last = (k + 2) % 3;                                              \
          out[k] = scalar_sub_##s (scalar_mul_##s (a[next], b[last]),                              \
                                   scalar_mul_##s (a[last], b[next]));                             \
        }                                                                                          \
  }
FOR_RI (CROSS_LOOP, )

static const CrossLoop loops[SLUICE_N_DTYPES] = { LOOPS_RI (cross) };

typedef struct
{
  SluiceDType dtype;
  const char *a, *b;
  char *out;
} Job;

/* TensorFlow rounds a product of halves before it is taken from the other. */
static float
rounded (SluiceDType dtype, float product)
{
  return dtype == SLUICE_HALF ? scalar_step_f16 (product) : scalar_step_bf16 (product);
}

/* Units are vectors. */
static void
run (gpointer data, gint64 begin, gint64 end)
{
  const Job *job = data;
  gsize vector = 3 * sluice_dtype_size (job->dtype);
  if (!sluice_dtype_is_half (job->dtype))
    {
      gsize at = begin * vector;
      loops[job->dtype](end - begin, job->a + at, job->b + at, job->out + at);
      return;
    }
  for (gint64 i = begin; i < end; i++)
    {
      float a[3], b[3], out[3];
      sluice_widen (job->dtype, job->a + i * vector, a, 3);
      sluice_widen (job->dtype, job->b + i * vector, b, 3);
      for (int k = 0; k < 3; k++)
        out[k] = rounded (job->dtype, a[(k + 1) % 3] * b[(k + 2) % 3])
                 - rounded (job->dtype, a[(k + 2) % 3] * b[(k + 1) % 3]);
      sluice_narrow (job->dtype, out, job->out + i * vector, 3);
    }
}

static gboolean
compute (SluiceKernelCall *call)
{
  const SluiceTensor *a = sluice_call_input (call, 0), *b = sluice_call_input (call, 1);
  char text[2][SLUICE_SHAPE_STR];
  int rank = a->shape.rank;
  if (!sluice_shape_equal (&a->shape, &b->shape) || rank < 1)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "a and b must be vectors of one shape, but are %s and %s",
                             sluice_shape_str (&a->shape, text[0]),
                             sluice_shape_str (&b->shape, text[1]));
  if (a->shape.dim[rank - 1] != 3)
    return sluice_call_fail (call, SLUICE_ERROR_FAILED_PRECONDITION,
                             "the last dimension must be 3, but the shape is %s",
                             sluice_shape_str (&a->shape, text[0]));
  SluiceTensor *out = sluice_call_output (call, 0, &a->shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  Job job = { a->dtype, a->data, b->data, out->data };
  return sluice_call_parallel_for (call, out->n_elements / 3, SLUICE_GRAIN / 3, 2, run, &job);
}

static const SluiceKernel kernels[] = {
  { .op = "Cross", .device = "CPU", .compute = compute },
};

const SluiceKernelModule sluice_module_math_cross_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
