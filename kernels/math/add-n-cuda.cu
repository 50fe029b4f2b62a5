/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/math/elementwise-cuda.h"

/* out = x + y; each sum of halves is rounded. */
template <typename M, typename F>
static void
launch_add (gint64 n, const void *x_, const void *y_, void *out_)
{
  const M *x = (const M *) x_, *y = (const M *) y_;
  M *out = (M *) out_;
  sluice_each (n, [=] SLUICE_LAMBDA (gint64 i) {
    sluice_put (&out[i], F () (sluice_wide (x[i]), sluice_wide (y[i])));
  });
}

#define FUNCTOR(fn, s, T)                                                                          \
  struct Sum_##fn##_##s                                                                            \
  {                                                                                                \
    SLUICE_MEMBER T operator() (T x, T y) const { return scalar_##fn##_##s (x, y); }               \
  };
EACH_RI (FUNCTOR, add)

typedef struct
{
  SluiceDType dtype;
  void (*launch) (gint64 n, const void *x, const void *y, void *out);
} Entry;
#define ENTRY(dtype, M, functor) { dtype, launch_add<M, Sum_##functor> },
static const Entry entries[] = { ENTRIES_RI (ENTRY, add) };

static gboolean
check_shapes (SluiceKernelCall *call)
{
  const SluiceShape *first = &sluice_call_input (call, 0)->shape;
  for (guint i = 1; i < call->n_inputs; i++)
    {
      const SluiceShape *shape = &sluice_call_input (call, i)->shape;
      char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
      if (!sluice_shape_equal (first, shape))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "inputs must have one shape, but input 0 is %s and input %u is %s",
                                 sluice_shape_str (first, a), i, sluice_shape_str (shape, b));
    }
  return TRUE;
}

static gboolean
add_n_compute (SluiceKernelCall *call)
{
  if (!check_shapes (call))
    return FALSE;
  if (call->n_inputs == 1)
    {
      sluice_call_forward (call, 0, 0);
      return TRUE;
    }
  const Entry *entry = entries;
  SluiceTensor *first = sluice_call_input (call, 0);
  while ((int) entry->dtype != first->dtype)
    entry++;
  SluiceTensor *out = sluice_call_reuse (call, 0, sluice_call_can_reuse (call, 0) ? 0 : 1,
                                         &first->shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  if (!sluice_cuda_begin (call))
    return FALSE;
  const void *sum = sluice_cuda_tensor (first, SLUICE_CUDA_READ);
  void *to = sluice_cuda_tensor (out, SLUICE_CUDA_WRITE);
  for (guint i = 1; i < call->n_inputs && sum != NULL; i++, sum = to)
    {
      const void *next = sluice_cuda_tensor (sluice_call_input (call, i), SLUICE_CUDA_READ);
      if (next == NULL || to == NULL)
        break;
      entry->launch (out->n_elements, sum, next, to);
    }
  return sluice_cuda_end (call);
}

static const SluiceKernel kernels[] = {
  { .op = "AddN",
    .device = "CUDA",
    .where = { { "T", SLUICE_SET_REAL } },
    .compute = add_n_compute },
};

extern "C" const SluiceKernelModule sluice_module_math_add_n_cuda = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
