/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/statistics.h"

#include <math.h>
#include <string.h>

#define BLOCK                                                                                      \
  4096           /* elements whose sum is of floats; half and complex ones are widened by blocks */
#define LANES 16 /* partial results side by side: the loop over them becomes vector code */

typedef struct
{
  double min, max, sum;
  gint64 n_zeros, n_non_finite;
} Sums;

/* Bits, not comparisons: threads that compute take denormals for zeros. */
static void
add_floats (Sums *sums, const float *values, gint64 n)
{
  float min[LANES], max[LANES], sum[LANES] = { 0 };
  gint32 zeros[LANES] = { 0 }, bad[LANES] = { 0 };
  for (int k = 0; k < LANES; k++)
    {
      min[k] = INFINITY;
      max[k] = -INFINITY;
    }
  for (gint64 i = 0; i < n; i += LANES)
    {
      float x[LANES] = { 0 };
      gint32 bits[LANES];
      const gint64 here = MIN (n - i, LANES);
      memcpy (x, values + i, here == LANES ? sizeof x : (gsize) here * sizeof *x);
      memcpy (bits, x, sizeof bits);
      for (int k = 0; k < LANES; k++)
        {
          gint32 is_bad = (bits[k] & 0x7f800000) == 0x7f800000;
          float finite = is_bad ? 0 : x[k];
          float low = is_bad ? INFINITY : x[k], high = is_bad ? -INFINITY : x[k];
          min[k] = k < here && low < min[k] ? low : min[k];
          max[k] = k < here && high > max[k] ? high : max[k];
          sum[k] += finite;
          zeros[k] += k < here && (bits[k] & 0x7fffffff) == 0;
          bad[k] += is_bad;
        }
    }
  double total = 0;
  for (int k = 0; k < LANES; k++)
    {
      sums->min = MIN (sums->min, (double) min[k]);
      sums->max = MAX (sums->max, (double) max[k]);
      total += (double) sum[k];
      sums->n_zeros += zeros[k];
      sums->n_non_finite += bad[k];
    }
  if (G_UNLIKELY (!isfinite (total))) /* of finite floats whose sum is none */
    {
      total = 0;
      for (gint64 i = 0; i < n; i++)
        total += isfinite (values[i]) ? (double) values[i] : 0;
    }
  sums->sum += total;
}

static void
add_double (Sums *sums, double x)
{
  guint64 bits;
  memcpy (&bits, &x, sizeof bits);
  if ((bits & G_GUINT64_CONSTANT (0x7ff0000000000000)) == G_GUINT64_CONSTANT (0x7ff0000000000000))
    {
      sums->n_non_finite++;
      return;
    }
  sums->min = MIN (sums->min, x);
  sums->max = MAX (sums->max, x);
  sums->sum += x;
  sums->n_zeros += (bits & G_GUINT64_CONSTANT (0x7fffffffffffffff)) == 0;
}

/* The magnitude without the overflow that the squares may have; denormals stay what they are. */
static void
add_complex (Sums *sums, double real, double imaginary)
{
  add_double (sums, isnan (real) || isnan (imaginary) ? (double) NAN : hypot (real, imaginary));
}

#define EACH(type, expression)                                                                     \
  for (gint64 i = 0; i < n; i++)                                                                   \
    {                                                                                              \
      type x = ((const type *) data)[i];                                                           \
      expression;                                                                                  \
    }                                                                                              \
  return

static void
add_halves (Sums *sums, const guint16 *values, gint64 n, float (*widen) (guint16 bits))
{
  float block[BLOCK];
  for (gint64 first = 0; first < n; first += BLOCK)
    {
      gint64 here = MIN (n - first, BLOCK);
      for (gint64 i = 0; i < here; i++)
        block[i] = widen (values[first + i]);
      add_floats (sums, block, here);
    }
}

/* Quantised integers count as their numbers. */
static void
add_all (Sums *sums, SluiceDType dtype, const void *data, gint64 n)
{
  switch ((int) dtype)
    {
    case SLUICE_FLOAT:
      for (gint64 i = 0; i < n; i += BLOCK)
        add_floats (sums, (const float *) data + i, MIN (n - i, BLOCK));
      return;
    case SLUICE_HALF:
      add_halves (sums, data, n, sluice_half_to_float);
      return;
    case SLUICE_BFLOAT16:
      add_halves (sums, data, n, sluice_bfloat16_to_float);
      return;
    case SLUICE_DOUBLE:
      EACH (double, add_double (sums, x));
    case SLUICE_COMPLEX64:
      for (gint64 i = 0; i < n; i++)
        add_complex (sums, ((const float *) data)[2 * i], ((const float *) data)[2 * i + 1]);
      return;
    case SLUICE_COMPLEX128:
      for (gint64 i = 0; i < n; i++)
        add_complex (sums, ((const double *) data)[2 * i], ((const double *) data)[2 * i + 1]);
      return;
    case SLUICE_BOOL:
    case SLUICE_UINT8:
    case SLUICE_QUINT8:
      EACH (guint8, add_double (sums, x));
    case SLUICE_INT8:
    case SLUICE_QINT8:
      EACH (gint8, add_double (sums, x));
    case SLUICE_INT16:
    case SLUICE_QINT16:
      EACH (gint16, add_double (sums, x));
    case SLUICE_UINT16:
    case SLUICE_QUINT16:
      EACH (guint16, add_double (sums, x));
    case SLUICE_INT32:
    case SLUICE_QINT32:
      EACH (gint32, add_double (sums, x));
    case SLUICE_UINT32:
      EACH (guint32, add_double (sums, x));
    case SLUICE_INT64:
      EACH (gint64, add_double (sums, (double) x));
    case SLUICE_UINT64:
      EACH (guint64, add_double (sums, (double) x));
    default:
      g_assert_not_reached ();
    }
}

gboolean
sluice_dtype_has_statistics (SluiceDType dtype)
{
  dtype = sluice_dtype_base (dtype);
  return dtype != SLUICE_INVALID && dtype != SLUICE_STRING && dtype != SLUICE_RESOURCE
         && dtype != SLUICE_VARIANT;
}

gboolean
sluice_tensor_get_statistics (const SluiceTensor *self, SluiceStatistics *statistics)
{
  SluiceDType dtype = self->dtype;
  if (!sluice_dtype_has_statistics (dtype))
    return FALSE;
  Sums sums = { .min = INFINITY, .max = -INFINITY };
  add_all (&sums, dtype, self->data, self->n_elements);
  gint64 n_finite = self->n_elements - sums.n_non_finite;
  *statistics =
      (SluiceStatistics){ .min = n_finite > 0 ? sums.min : (double) NAN,
                          .mean = n_finite > 0 ? sums.sum / (double) n_finite : (double) NAN,
                          .max = n_finite > 0 ? sums.max : (double) NAN,
                          .n_elements = self->n_elements,
                          .n_zeros = sums.n_zeros,
                          .n_non_finite = sums.n_non_finite };
  return TRUE;
}
