/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/array/array.h"
#include "kernels/array/move.h"
#include "kernels/array/repeat.h"

static gboolean
tile_compute (SluiceKernelCall *call)
{
  SluiceTensor *input = sluice_call_input (call, 0);
  gint64 multiples[SLUICE_MAX_RANK], sizes[SLUICE_MAX_RANK];
  int n;
  if (!sluice_call_want_rank (call, 1, 1) || !sluice_call_ints (call, 1, multiples, &n))
    return FALSE;
  if (n != input->shape.rank)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "there are %d multiples for %d dimensions", n, input->shape.rank);
  gboolean repeats = FALSE;
  for (int i = 0; i < n; i++)
    {
      repeats |= multiples[i] != 1;
      if (multiples[i] < 0 || __builtin_mul_overflow (multiples[i], input->shape.dim[i], &sizes[i]))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "multiple %d is %" G_GINT64_FORMAT, i, multiples[i]);
    }
  SluiceShape shape;
  g_autoptr (GError) error = NULL;
  if (!sluice_shape_make (&shape, sizes, n, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  if (!repeats)
    {
      sluice_call_forward (call, 0, 0);
      return TRUE;
    }
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  gint64 to[SLUICE_MAX_RANK], from[SLUICE_MAX_RANK];
  sluice_move_strides (&shape, to);
  sluice_move_strides (&input->shape, from);
  SluiceMove move = { 0 };
  for (int i = 0; i < n; i++)
    {
      sluice_move_add (&move, multiples[i], to[i] * input->shape.dim[i], 0);
      sluice_move_add (&move, input->shape.dim[i], to[i], from[i]);
    }
  return sluice_move_run (call, out->dtype, &move, out->data, input->data);
}

static gboolean
broadcast_to_compute (SluiceKernelCall *call)
{
  SluiceTensor *input = sluice_call_input (call, 0);
  SluiceShape shape, joined;
  if (!sluice_call_shape (call, 1, &shape))
    return FALSE;
  if (!sluice_shape_broadcast (&shape, &input->shape, &joined)
      || !sluice_shape_equal (&joined, &shape))
    {
      char text[2][SLUICE_SHAPE_STR];
      return sluice_call_fail (
          call, SLUICE_ERROR_INVALID_ARGUMENT, "%s cannot be repeated to fill %s",
          sluice_shape_str (&input->shape, text[0]), sluice_shape_str (&shape, text[1]));
    }
  if (sluice_shape_equal (&shape, &input->shape))
    {
      sluice_call_forward (call, 0, 0);
      return TRUE;
    }
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL)
    return FALSE;
  gint64 to[SLUICE_MAX_RANK], from[SLUICE_MAX_RANK];
  sluice_move_strides (&shape, to);
  sluice_move_strides (&input->shape, from);
  SluiceMove move = { 0 };
  int added = shape.rank - input->shape.rank;
  for (int i = 0; i < shape.rank; i++)
    {
      gboolean repeats = i < added || input->shape.dim[i - added] == 1;
      sluice_move_add (&move, shape.dim[i], to[i], repeats ? 0 : from[i - added]);
    }
  return sluice_move_run (call, out->dtype, &move, out->data, input->data);
}

gboolean
sluice_call_paddings (SluiceKernelCall *call, gint64 before[SLUICE_MAX_RANK], SluiceShape *shape)
{
  const SluiceShape *input = &sluice_call_input (call, 0)->shape;
  const SluiceTensor *paddings = sluice_call_input (call, 1);
  gint64 sizes[SLUICE_MAX_RANK];
  if (!sluice_call_want_rank (call, 1, 2))
    return FALSE;
  if (paddings->shape.dim[0] != input->rank || paddings->shape.dim[1] != 2)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the paddings of %d dimensions must be of shape [%d,2], not %s",
                             input->rank, input->rank,
                             sluice_shape_str (&paddings->shape, (char[SLUICE_SHAPE_STR]){ 0 }));
  for (int i = 0; i < input->rank; i++)
    {
      gint64 after = sluice_tensor_get_int (paddings, 2 * i + 1);
      before[i] = sluice_tensor_get_int (paddings, 2 * i);
      if (before[i] < 0 || after < 0 || __builtin_add_overflow (before[i], after, &sizes[i])
          || __builtin_add_overflow (sizes[i], input->dim[i], &sizes[i]))
        return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "dimension %d cannot be padded by %" G_GINT64_FORMAT
                                 " and %" G_GINT64_FORMAT,
                                 i, before[i], after);
    }
  g_autoptr (GError) error = NULL;
  if (!sluice_shape_make (shape, sizes, input->rank, &error))
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT, "%s", error->message);
  return TRUE;
}

static gboolean
pad_compute (SluiceKernelCall *call)
{
  static const guint8 zero[16];
  SluiceTensor *input = sluice_call_input (call, 0);
  gint64 before[SLUICE_MAX_RANK], to[SLUICE_MAX_RANK], from[SLUICE_MAX_RANK];
  SluiceShape shape;
  if (!sluice_call_paddings (call, before, &shape)
      || (call->n_inputs == 3 && !sluice_call_want_scalar (call, 2)))
    return FALSE;
  if (sluice_shape_equal (&shape, &input->shape))
    {
      sluice_call_forward (call, 0, 0);
      return TRUE;
    }
  const void *value = call->n_inputs == 3 ? sluice_call_input (call, 2)->data : zero;
  SluiceTensor *out = sluice_call_output (call, 0, &shape);
  if (out == NULL || !sluice_move_fill (call, out->dtype, out->data, value, out->n_elements))
    return FALSE;
  sluice_move_strides (&shape, to);
  sluice_move_strides (&input->shape, from);
  SluiceMove move = { 0 };
  gint64 offset = 0;
  for (int i = 0; i < shape.rank; i++)
    {
      sluice_move_add (&move, input->shape.dim[i], to[i], from[i]);
      offset += before[i] * to[i];
    }
  return sluice_move_run (call, out->dtype, &move,
                          (char *) out->data + offset * sluice_dtype_size (out->dtype),
                          input->data);
}

static const SluiceKernel kernels[] = {
  SLUICE_ARRAY_KERNEL ("Tile", .compute = tile_compute),
  SLUICE_ARRAY_KERNEL ("BroadcastTo", .compute = broadcast_to_compute),
  SLUICE_ARRAY_KERNEL ("Pad", .compute = pad_compute),
  SLUICE_ARRAY_KERNEL ("PadV2", .compute = pad_compute),
};

const SluiceKernelModule sluice_module_array_repeat_cpu = {
  .kernels = kernels,
  .n_kernels = G_N_ELEMENTS (kernels),
};
