/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/state/update.h"
#include "kernels/typed.h"

typedef struct
{
  SluiceDType dtype;
  gboolean subtract;
  char *to;
  const char *from;
} Update;

#define UPDATE(T, name)                                                                            \
  SLUICE_HOT static void name (T *to, const T *from, gint64 n, gboolean minus)                     \
  {                                                                                                \
    if (minus)                                                                                     \
      for (gint64 i = 0; i < n; i++)                                                               \
        to[i] = (T) (to[i] - from[i]);                                                             \
    else                                                                                           \
      for (gint64 i = 0; i < n; i++)                                                               \
        to[i] = (T) (to[i] + from[i]);                                                             \
  }
UPDATE (float, update_float)
UPDATE (double, update_double)
/* Unsigned, because overflow wraps. */
UPDATE (guint8, update_8)
UPDATE (guint16, update_16)
UPDATE (guint32, update_32)
UPDATE (guint64, update_64)

static void
update_half (SluiceDType dtype, guint16 *to, const guint16 *from, gint64 n, gboolean minus)
{
  for (gint64 i = 0; i < n; i++)
    {
      float a, b, sum;
      sluice_widen (dtype, &to[i], &a, 1);
      sluice_widen (dtype, &from[i], &b, 1);
      sum = minus ? a - b : a + b;
      sluice_narrow (dtype, &sum, &to[i], 1);
    }
}

static void
update_range (gpointer data, gint64 begin, gint64 end)
{
  Update *u = data;
  gsize size = sluice_dtype_size (u->dtype);
  void *to = u->to + begin * size;
  const void *from = u->from + begin * size;
  gint64 n = end - begin;
  switch (u->dtype)
    {
    case SLUICE_FLOAT:
      return update_float (to, from, n, u->subtract);
    case SLUICE_COMPLEX64:
      return update_float (to, from, 2 * n, u->subtract);
    case SLUICE_DOUBLE:
      return update_double (to, from, n, u->subtract);
    case SLUICE_COMPLEX128:
      return update_double (to, from, 2 * n, u->subtract);
    case SLUICE_HALF:
    case SLUICE_BFLOAT16:
      return update_half (u->dtype, to, from, n, u->subtract);
    default:
      if (size == 1)
        update_8 (to, from, n, u->subtract);
      else if (size == 2)
        update_16 (to, from, n, u->subtract);
      else if (size == 4)
        update_32 (to, from, n, u->subtract);
      else
        update_64 (to, from, n, u->subtract);
    }
}

gboolean
sluice_call_accumulate (SluiceKernelCall *call,
                        SluiceTensor *tensor,
                        const SluiceTensor *value,
                        gboolean subtract)
{
  if (!sluice_shape_equal (&tensor->shape, &value->shape))
    {
      char have[SLUICE_SHAPE_STR], got[SLUICE_SHAPE_STR];
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "the variable has shape %s, the value %s; make them equal",
                               sluice_shape_str (&tensor->shape, have),
                               sluice_shape_str (&value->shape, got));
    }
  Update update = { tensor->dtype, subtract, tensor->data, value->data };
  return sluice_call_parallel_for (call, tensor->n_elements, 32768, 0.3, update_range, &update);
}
