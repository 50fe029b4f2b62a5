/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/cuda/launch.h"

extern "C" {
#include "kernels/math/broadcast.h"
}

/* Elements move as bits. */
struct Bits128
{
  guint64 half[2];
};

template <typename T>
static void
launch_select (gint64 n, const SluiceBroadcast *b_, const void *const *operands, void *out_)
{
  const guint8 *condition = (const guint8 *) operands[0];
  const T *t = (const T *) operands[1], *e = (const T *) operands[2];
  T *out = (T *) out_;
  SluiceBroadcast b = *b_;
  sluice_each (n, [=] SLUICE_LAMBDA (gint64 i) {
    gint64 at[3] = { 0, 0, 0 }, rest = i;
    for (int d = b.rank - 1; d >= 0; d--)
      {
        gint64 column = rest % b.dim[d];
        for (int k = 0; k < 3; k++)
          at[k] += column * b.step[k][d];
        rest /= b.dim[d];
      }
    out[i] = condition[at[0]] ? t[at[1]] : e[at[2]];
  });
}

static gboolean
refuse (SluiceKernelCall *call)
{
  char c[SLUICE_SHAPE_STR], t[SLUICE_SHAPE_STR], e[SLUICE_SHAPE_STR];
  return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                           "a condition of shape %s does not choose between %s and %s",
                           sluice_shape_str (&sluice_call_input (call, 0)->shape, c),
                           sluice_shape_str (&sluice_call_input (call, 1)->shape, t),
                           sluice_shape_str (&sluice_call_input (call, 2)->shape, e));
}

/* A vector that chooses rows gets trailing dimensions of 1, so that it broadcasts over them. */
static gboolean
fit_condition (SluiceShape *condition, const SluiceShape *t)
{
  if (condition->rank == 0 || sluice_shape_equal (condition, t))
    return TRUE;
  if (condition->rank != 1 || t->rank < 1 || condition->dim[0] != t->dim[0])
    return FALSE;
  for (int d = 1; d < t->rank; d++)
    condition->dim[d] = 1;
  condition->rank = t->rank;
  return TRUE;
}

static void
launch_by_size (gint64 n, const SluiceBroadcast *b, const void *const *from, int dtype, void *to)
{
  switch (sluice_dtype_size ((SluiceDType) dtype))
    {
    case 1:
      return launch_select<guint8> (n, b, from, to);
    case 2:
      return launch_select<guint16> (n, b, from, to);
    case 4:
      return launch_select<guint32> (n, b, from, to);
    case 8:
      return launch_select<guint64> (n, b, from, to);
    default:
      return launch_select<Bits128> (n, b, from, to);
    }
}

static gboolean
select_compute (SluiceKernelCall *call)
{
  gboolean broadcasts = call->kernel->data != NULL;
  SluiceShape condition = sluice_call_input (call, 0)->shape, shape;
  const SluiceShape *t = &sluice_call_input (call, 1)->shape;
  const SluiceShape *e = &sluice_call_input (call, 2)->shape;
  const SluiceShape *shapes[] = { &condition, t, e };
  SluiceBroadcast b;
  if ((!broadcasts && !(sluice_shape_equal (t, e) && fit_condition (&condition, t)))
      || !sluice_broadcast_make (&b, shapes, 3, &shape))
    return refuse (call);
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || out->n_elements == 0)
    return out != NULL;
  if (!sluice_cuda_begin (call))
    return FALSE;
  const void *from[3];
  for (guint k = 0; k < 3; k++)
    from[k] = sluice_cuda_tensor (sluice_call_input (call, k), SLUICE_CUDA_READ);
  void *to = sluice_cuda_tensor (out, SLUICE_CUDA_WRITE);
  if (from[0] != NULL && from[1] != NULL && from[2] != NULL && to != NULL)
    launch_by_size (out->n_elements, &b, from, out->dtype, to);
  return sluice_cuda_end (call);
}

static const char broadcasts_marker = 0;

static const SluiceKernel kernels[] = {
  { .op = "Select",
    .device = "CUDA",
    .where = { { "T", SLUICE_SET_POD } },
    .flags = SLUICE_KERNEL_KEEPS_DENORMALS,
    .compute = select_compute },
  { .op = "SelectV2",
    .device = "CUDA",
    .where = { { "T", SLUICE_SET_POD } },
    .flags = SLUICE_KERNEL_KEEPS_DENORMALS,
    .compute = select_compute,
    .data = (gpointer) &broadcasts_marker },
};

extern "C" const SluiceKernelModule sluice_module_math_select_cuda = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
