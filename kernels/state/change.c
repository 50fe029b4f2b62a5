/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <complex.h>
#undef I

#include <string.h>

#include "kernels/state/change.h"
#include "kernels/typed.h"

#define CHANGE(T, name, expression)                                                                \
  SLUICE_HOT static void name (void *to_memory, const void *from_memory, gint64 n)                 \
  {                                                                                                \
    T *to = to_memory;                                                                             \
    const T *from = from_memory;                                                                   \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        const T a = to[i], b = from[i];                                                            \
        to[i] = (T) (expression);                                                                  \
      }                                                                                            \
  }

#define ORDER(T, name)                                                                             \
  CHANGE (T, min_##name, b < a ? b : a)                                                            \
  CHANGE (T, max_##name, a < b ? b : a)
#define RING(T, name)                                                                              \
  CHANGE (T, add_##name, a + b)                                                                    \
  CHANGE (T, sub_##name, a - b)                                                                    \
  CHANGE (T, mul_##name, a *b)
#define FIELD(T, name)  RING (T, name) CHANGE (T, div_##name, a / b)
#define FLOATS(T, name) FIELD (T, name) ORDER (T, name)

FLOATS (float, float)
FLOATS (double, double)
FIELD (float complex, complex64)
FIELD (double complex, complex128)

/* Signed integers wrap as their unsigned fellows; guint16 would multiply as int. */
RING (guint8, 8)
CHANGE (guint16, add_16, a + b)
CHANGE (guint16, sub_16, a - b)
CHANGE (guint16, mul_16, (guint32) a *b)
RING (guint32, 32)
RING (guint64, 64)

/* By 0: 0, which sluice_call_check_divisor() lets nobody see. */
#define UNSIGNED(T, name) CHANGE (T, div_##name, b == 0 ? 0 : a / b) ORDER (T, name)
/* The lowest number by -1 wraps as well. */
#define SIGNED(T, name)                                                                            \
  CHANGE (T, div_##name, b == 0 ? 0 : b == -1 ? (T) (0 - (guint64) a) : (T) (a / b)) ORDER (T, name)
UNSIGNED (guint8, uint8)
UNSIGNED (guint16, uint16)
UNSIGNED (guint32, uint32)
UNSIGNED (guint64, uint64)
SIGNED (gint8, int8)
SIGNED (gint16, int16)
SIGNED (gint32, int32)
SIGNED (gint64, int64)

/* TensorFlow's numbers of truth: a sum is "or", a difference "differs". */
CHANGE (guint8, add_bool, a | b)
CHANGE (guint8, sub_bool, a ^ b)
CHANGE (guint8, mul_bool, a &b)

#define BLOCK 256
static void
change_half (SluiceDType dtype, SluiceChangeFunc change, guint16 *to, const guint16 *from, gint64 n)
{
  float a[BLOCK], b[BLOCK];
  for (gint64 done = 0; done < n; done += BLOCK)
    {
      gint64 size = MIN (BLOCK, n - done);
      sluice_widen (dtype, to + done, a, size);
      sluice_widen (dtype, from + done, b, size);
      change (a, b, size);
      sluice_narrow (dtype, a, to + done, size);
    }
}

#define HALF(operation)                                                                            \
  static void operation##_half (void *to, const void *from, gint64 n)                              \
  {                                                                                                \
    change_half (SLUICE_HALF, operation##_float, to, from, n);                                     \
  }                                                                                                \
  static void operation##_bfloat16 (void *to, const void *from, gint64 n)                          \
  {                                                                                                \
    change_half (SLUICE_BFLOAT16, operation##_float, to, from, n);                                 \
  }
HALF (add)
HALF (sub)
HALF (mul)
HALF (div)
HALF (min)
HALF (max)

/* SET, ADD, SUB, MUL, DIV, MIN, MAX */
#define ROW_FIELD(name) NULL, add_##name, sub_##name, mul_##name, div_##name
#define ROW_FLOAT(name)                                                                            \
  {                                                                                                \
    ROW_FIELD (name), min_##name, max_##name                                                       \
  }
#define ROW_INT(name, bits)                                                                        \
  {                                                                                                \
    NULL, add_##bits, sub_##bits, mul_##bits, div_##name, min_##name, max_##name                   \
  }
static const SluiceChangeFunc functions[SLUICE_N_DTYPES][SLUICE_N_CHANGES] = {
  [SLUICE_FLOAT] = ROW_FLOAT (float),
  [SLUICE_DOUBLE] = ROW_FLOAT (double),
  [SLUICE_HALF] = ROW_FLOAT (half),
  [SLUICE_BFLOAT16] = ROW_FLOAT (bfloat16),
  [SLUICE_COMPLEX64] = { ROW_FIELD (complex64) },
  [SLUICE_COMPLEX128] = { ROW_FIELD (complex128) },
  [SLUICE_INT8] = ROW_INT (int8, 8),
  [SLUICE_INT16] = ROW_INT (int16, 16),
  [SLUICE_INT32] = ROW_INT (int32, 32),
  [SLUICE_INT64] = ROW_INT (int64, 64),
  [SLUICE_UINT8] = ROW_INT (uint8, 8),
  [SLUICE_UINT16] = ROW_INT (uint16, 16),
  [SLUICE_UINT32] = ROW_INT (uint32, 32),
  [SLUICE_UINT64] = ROW_INT (uint64, 64),
  [SLUICE_BOOL] = { NULL, add_bool, sub_bool, mul_bool },
};

SluiceChangeFunc
sluice_change_func (SluiceDType dtype, SluiceChange change)
{
  return functions[sluice_dtype_base (dtype)][change];
}

gboolean
sluice_call_check_divisor (SluiceKernelCall *call, SluiceChange change, const SluiceTensor *divisor)
{
  static const guint64 zero = 0;
  gsize size = sluice_dtype_size (divisor->dtype);
  if (change != SLUICE_CHANGE_DIV || !sluice_dtype_is_integer (divisor->dtype))
    return TRUE;
  for (gint64 i = 0; i < divisor->n_elements; i++)
    if (memcmp ((const char *) divisor->data + i * size, &zero, size) == 0)
      return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                               "element %" G_GINT64_FORMAT
                               " of the updates is 0, and an integer cannot be divided by it",
                               i);
  return TRUE;
}
