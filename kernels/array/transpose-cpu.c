/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <string.h>

#include "kernels/array/array.h"
#include "kernels/array/move.h"

static gboolean
read_permutation (SluiceKernelCall *call, int rank, int perm[SLUICE_MAX_RANK])
{
  gint64 values[SLUICE_MAX_RANK];
  guint seen = 0;
  int n;
  if (!sluice_call_want_rank (call, 1, 1) || !sluice_call_ints (call, 1, values, &n))
    return FALSE;
  if (n != rank)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "perm has %d entries for %d dimensions", n, rank);
  for (int i = 0; i < n; i++)
    {
      if (!sluice_call_axis (call, values[i], rank, &perm[i]))
        return FALSE;
      if (seen & 1u << perm[i])
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "perm names dimension %d twice", perm[i]);
      seen |= 1u << perm[i];
    }
  return TRUE;
}

static gboolean
transpose_compute (SluiceKernelCall *call)
{
  SluiceTensor *x = sluice_call_input (call, 0);
  int perm[SLUICE_MAX_RANK];
  if (!read_permutation (call, x->shape.rank, perm))
    return FALSE;

  SluiceShape shape = { .rank = x->shape.rank };
  gboolean moves = FALSE; /* does the order of dimensions over 1 change? */
  int last = -1;
  for (int i = 0; i < shape.rank; i++)
    {
      shape.dim[i] = x->shape.dim[perm[i]];
      if (shape.dim[i] == 1)
        continue;
      moves |= perm[i] < last;
      last = perm[i];
    }
  if (!moves)
    return sluice_call_forward_view (call, 0, 0, &shape);

  SluiceTensor *y = sluice_call_output (call, 0, &shape);
  if (y == NULL)
    return FALSE;
  gint64 to[SLUICE_MAX_RANK], from[SLUICE_MAX_RANK];
  sluice_move_strides (&shape, to);
  sluice_move_strides (&x->shape, from);
  SluiceMove move = { 0 };
  for (int i = 0; i < shape.rank; i++)
    sluice_move_add (&move, shape.dim[i], to[i], from[perm[i]]);
  return sluice_move_run (call, y->dtype, &move, y->data, x->data);
}

static gboolean
invert_compute (SluiceKernelCall *call)
{
  const SluiceTensor *x = sluice_call_input (call, 0);
  if (!sluice_call_want_rank (call, 0, 1))
    return FALSE;
  SluiceTensor *y = sluice_call_output (call, 0, &x->shape);
  if (y == NULL)
    return FALSE;
  memset (y->data, 0xff, sluice_tensor_bytes (y)); /* -1 */
  for (gint64 i = 0; i < x->n_elements; i++)
    {
      gint64 at = sluice_tensor_get_int (x, i);
      if (at < 0 || at >= x->n_elements || sluice_tensor_get_int (y, at) != -1)
        return sluice_call_fail (
            call, SLUICE_ERROR_INVALID_ARGUMENT,
            "element %" G_GINT64_FORMAT " is %" G_GINT64_FORMAT ", %s; 0 to %" G_GINT64_FORMAT
            " must occur once each",
            i, at, at < 0 || at >= x->n_elements ? "out of range" : "which was there before",
            x->n_elements - 1);
      if (y->dtype == SLUICE_INT64)
        ((gint64 *) y->data)[at] = i;
      else
        ((gint32 *) y->data)[at] = i;
    }
  return TRUE;
}

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("Transpose", .compute = transpose_compute),
  SLUICE_ARRAY_KERNEL ("InvertPermutation", .compute = invert_compute),
};

const SluiceKernelModule sluice_module_array_transpose_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
