/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/math/wide.h"

SluiceDType
sluice_wide_dtype (SluiceDType dtype)
{
  if (sluice_dtype_in (dtype, SLUICE_SET_FLOATS))
    return SLUICE_DOUBLE;
  if (sluice_dtype_in (dtype, SLUICE_SET_SIGNED))
    return SLUICE_INT64;
  if (sluice_dtype_in (dtype, SLUICE_SET_UNSIGNED))
    return SLUICE_UINT64;
  if (sluice_dtype_in (dtype, SLUICE_SET_COMPLEX))
    return SLUICE_COMPLEX128;
  return dtype == SLUICE_BOOL ? SLUICE_BOOL : SLUICE_INVALID;
}

#define LOAD(DTYPE, field, T)                                                                      \
  case DTYPE:                                                                                      \
    value.field = ((const T *) data)[i];                                                           \
    break;
#define STORE(DTYPE, field, T)                                                                     \
  case DTYPE:                                                                                      \
    ((T *) data)[i] = (T) value.field;                                                             \
    break;
#define PLAIN_DTYPES(X)                                                                            \
  X (SLUICE_FLOAT, f64, float)                                                                     \
  X (SLUICE_DOUBLE, f64, double)                                                                   \
  X (SLUICE_INT8, i64, gint8)                                                                      \
  X (SLUICE_INT16, i64, gint16)                                                                    \
  X (SLUICE_INT32, i64, gint32)                                                                    \
  X (SLUICE_INT64, i64, gint64)                                                                    \
  X (SLUICE_UINT8, u64, guint8)                                                                    \
  X (SLUICE_UINT16, u64, guint16)                                                                  \
  X (SLUICE_UINT32, u64, guint32)                                                                  \
  X (SLUICE_UINT64, u64, guint64)                                                                  \
  X (SLUICE_COMPLEX64, c128, SluiceComplex64)                                                      \
  X (SLUICE_COMPLEX128, c128, SluiceComplex128)                                                    \
  X (SLUICE_BOOL, b8, guint8)

SluiceWide
sluice_wide_load (SluiceDType dtype, const void *data, gint64 i)
{
  SluiceWide value = { 0 };
  switch (dtype)
    {
      PLAIN_DTYPES (LOAD)
    case SLUICE_HALF:
      value.f64 = sluice_half_to_float (((const guint16 *) data)[i]);
      break;
    case SLUICE_BFLOAT16:
      value.f64 = sluice_bfloat16_to_float (((const guint16 *) data)[i]);
      break;
    default:
      g_assert_not_reached ();
    }
  return value;
}

void
sluice_wide_store (SluiceDType dtype, void *data, gint64 i, SluiceWide value)
{
  switch (dtype)
    {
      PLAIN_DTYPES (STORE)
    case SLUICE_HALF:
      ((guint16 *) data)[i] = sluice_float_to_half ((float) value.f64);
      break;
    case SLUICE_BFLOAT16:
      ((guint16 *) data)[i] = sluice_float_to_bfloat16 ((float) value.f64);
      break;
    default:
      g_assert_not_reached ();
    }
}

SluiceWide
sluice_wide_of_number (SluiceDType dtype, gint64 number)
{
  SluiceDType wide = sluice_wide_dtype (dtype);
  if (wide == SLUICE_DOUBLE)
    return (SluiceWide){ .f64 = (double) number };
  if (wide == SLUICE_COMPLEX128)
    return (SluiceWide){ .c128 = (double) number };
  return (SluiceWide){ .i64 = number };
}
