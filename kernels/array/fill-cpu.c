/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "kernels/array/array.h"
#include "kernels/array/move.h"

static gboolean
fill_compute (SluiceKernelCall *call)
{
  SluiceShape shape;
  if (!sluice_call_shape (call, 0, &shape) || !sluice_call_want_scalar (call, 1))
    return FALSE;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  return out != NULL
         && sluice_move_fill (call, out->dtype, out->data, sluice_call_input (call, 1)->data,
                              out->n_elements);
}

/* The input's own memory serves, but for strings, which would have to be emptied. */
static SluiceTensor *
output_like (SluiceKernelCall *call)
{
  const SluiceTensor *x = sluice_call_input (call, 0);
  return sluice_dtype_is_managed (x->dtype) ? sluice_call_output (call, 0, &x->shape)
                                            : sluice_call_reuse (call, 0, 0, &x->shape);
}

static gboolean
zeros_like_compute (SluiceKernelCall *call)
{
  static const guint8 zero[16];
  SluiceTensor *out = output_like (call);
  if (out == NULL)
    return FALSE;
  return sluice_dtype_is_managed (out->dtype)
         || sluice_move_fill (call, out->dtype, out->data, zero, out->n_elements);
}

static void
make_one (SluiceDType dtype, void *one)
{
  memset (one, 0, 16);
  switch (dtype)
    {
    case SLUICE_FLOAT:
    case SLUICE_COMPLEX64:
      *(float *) one = 1;
      break;
    case SLUICE_DOUBLE:
    case SLUICE_COMPLEX128:
      *(double *) one = 1;
      break;
    case SLUICE_HALF:
      *(guint16 *) one = sluice_float_to_half (1);
      break;
    case SLUICE_BFLOAT16:
      *(guint16 *) one = sluice_float_to_bfloat16 (1);
      break;
    case SLUICE_INT64:
    case SLUICE_UINT64:
      *(guint64 *) one = 1;
      break;
    case SLUICE_INT32:
    case SLUICE_UINT32:
      *(guint32 *) one = 1;
      break;
    case SLUICE_INT16:
    case SLUICE_UINT16:
      *(guint16 *) one = 1;
      break;
    default: /* the types of one byte: the definition allows no other */
      *(guint8 *) one = 1;
    }
}

static gboolean
ones_like_compute (SluiceKernelCall *call)
{
  _Alignas(16) guint8 one[16];
  SluiceTensor *out = output_like (call);
  if (out == NULL)
    return FALSE;
  make_one (out->dtype, one);
  return sluice_move_fill (call, out->dtype, out->data, one, out->n_elements);
}

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("Fill", .compute = fill_compute),
  /* Zeros of a variant are kernels/list's. */
  SLUICE_ARRAY_KERNEL ("ZerosLike",
                       .where = { { "T", ~SLUICE_SET (SLUICE_VARIANT) } },
                       .compute = zeros_like_compute),
  SLUICE_ARRAY_KERNEL ("OnesLike", .compute = ones_like_compute),
};

const SluiceKernelModule sluice_module_array_fill_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
