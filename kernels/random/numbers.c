/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/random/numbers.h"

#include <math.h>

#define INTEGERS(X)                                                                                \
  X (SLUICE_INT8, gint8, G_MININT8, G_MAXINT8)                                                     \
  X (SLUICE_UINT8, guint8, 0, G_MAXUINT8)                                                          \
  X (SLUICE_INT16, gint16, G_MININT16, G_MAXINT16)                                                 \
  X (SLUICE_UINT16, guint16, 0, G_MAXUINT16)                                                       \
  X (SLUICE_INT32, gint32, G_MININT32, G_MAXINT32)                                                 \
  X (SLUICE_UINT32, guint32, 0, G_MAXUINT32)                                                       \
  X (SLUICE_INT64, gint64, G_MININT64, G_MAXINT64)                                                 \
  X (SLUICE_UINT64, guint64, 0, G_MAXUINT64)

double
sluice_number_get (const SluiceTensor *tensor, gint64 i)
{
#define GET(DTYPE, T, low, high)                                                                   \
  case DTYPE:                                                                                      \
    return (double) ((const T *) tensor->data)[i];
  switch ((SluiceDType) tensor->dtype)
    {
      INTEGERS (GET)
    case SLUICE_HALF:
      return sluice_half_to_float (((const guint16 *) tensor->data)[i]);
    case SLUICE_BFLOAT16:
      return sluice_bfloat16_to_float (((const guint16 *) tensor->data)[i]);
    case SLUICE_FLOAT:
      return ((const float *) tensor->data)[i];
    default:
      g_assert (tensor->dtype == SLUICE_DOUBLE);
      return ((const double *) tensor->data)[i];
    }
}

void
sluice_number_set (SluiceTensor *tensor, gint64 i, double value)
{
  /* The largest integer is not always a double, but its successor is. */
#define SET(DTYPE, T, low, high)                                                                   \
  case DTYPE:                                                                                      \
    if (isnan (value))                                                                             \
      ((T *) tensor->data)[i] = 0;                                                                 \
    else if (value >= (double) high)                                                               \
      ((T *) tensor->data)[i] = high;                                                              \
    else                                                                                           \
      ((T *) tensor->data)[i] = value <= (double) low ? low : (T) value;                           \
    break;
  switch ((SluiceDType) tensor->dtype)
    {
      INTEGERS (SET)
    case SLUICE_HALF:
      ((guint16 *) tensor->data)[i] = sluice_float_to_half ((float) value);
      break;
    case SLUICE_BFLOAT16:
      ((guint16 *) tensor->data)[i] = sluice_float_to_bfloat16 ((float) value);
      break;
    case SLUICE_FLOAT:
      ((float *) tensor->data)[i] = (float) value;
      break;
    default:
      g_assert (tensor->dtype == SLUICE_DOUBLE);
      ((double *) tensor->data)[i] = value;
    }
}
