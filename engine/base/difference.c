/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/base/difference.h"

#include <math.h>
#include <string.h>

SluiceNumber
sluice_tensor_get_number (const SluiceTensor *self, gint64 i)
{
#define PLAIN(dtype, type)                                                                         \
  case dtype:                                                                                      \
    return (SluiceNumber){ ((const type *) self->data)[i], 0 };
#define COMPLEX(dtype, type)                                                                       \
  case dtype:                                                                                      \
    return (SluiceNumber){ ((const type *) self->data)[2 * i],                                     \
                           ((const type *) self->data)[2 * i + 1] };
  switch ((SluiceDType) self->dtype)
    {
      PLAIN (SLUICE_FLOAT, float)
      PLAIN (SLUICE_DOUBLE, double)
      PLAIN (SLUICE_INT8, gint8)
      PLAIN (SLUICE_INT16, gint16)
      PLAIN (SLUICE_INT32, gint32)
      PLAIN (SLUICE_INT64, gint64)
      PLAIN (SLUICE_UINT8, guint8)
      PLAIN (SLUICE_UINT16, guint16)
      PLAIN (SLUICE_UINT32, guint32)
      PLAIN (SLUICE_UINT64, guint64)
      PLAIN (SLUICE_QINT8, gint8)
      PLAIN (SLUICE_QINT16, gint16)
      PLAIN (SLUICE_QINT32, gint32)
      PLAIN (SLUICE_QUINT8, guint8)
      PLAIN (SLUICE_QUINT16, guint16)
      PLAIN (SLUICE_BOOL, guint8)
      COMPLEX (SLUICE_COMPLEX64, float)
      COMPLEX (SLUICE_COMPLEX128, double)
    case SLUICE_HALF:
      return (SluiceNumber){ sluice_half_to_float (((const guint16 *) self->data)[i]), 0 };
    case SLUICE_BFLOAT16:
      return (SluiceNumber){ sluice_bfloat16_to_float (((const guint16 *) self->data)[i]), 0 };
    default:
      g_return_val_if_reached ((SluiceNumber){ 0 });
    }
#undef PLAIN
#undef COMPLEX
}

char *
sluice_tensor_dup_element (const SluiceTensor *self, gint64 i)
{
  char re[G_ASCII_DTOSTR_BUF_SIZE], im[G_ASCII_DTOSTR_BUF_SIZE];
  if (self->dtype == SLUICE_STRING)
    {
      const SluiceString *text = (const SluiceString *) self->data + i;
      g_autofree char *copy = g_strndup (text->data, text->length);
      return g_utf8_validate_len (text->data, text->length, NULL) ? g_steal_pointer (&copy)
                                                                  : g_strescape (copy, NULL);
    }
  SluiceNumber number = sluice_tensor_get_number (self, i);
  gboolean is_double = self->dtype == SLUICE_DOUBLE || self->dtype == SLUICE_COMPLEX128;
  const char *format = is_double ? "%.17g" : "%.9g";
  if (!sluice_dtype_in (self->dtype, SLUICE_SET_FLOATS | SLUICE_SET_COMPLEX))
    return g_strdup_printf ("%.0Lf", number.re);
  g_ascii_formatd (re, sizeof re, format, (double) number.re);
  if (number.im == 0)
    return g_strdup (re);
  g_ascii_formatd (im, sizeof im, format, (double) number.im);
  return g_strdup_printf ("%s+%si", re, im);
}

char *
sluice_tensor_dup_mismatch (const SluiceTensor *got, const SluiceTensor *want)
{
  char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
  if (got->dtype != want->dtype)
    return g_strdup_printf ("dtype %s, want %s", sluice_dtype_name (got->dtype),
                            sluice_dtype_name (want->dtype));
  if (!sluice_shape_equal (&got->shape, &want->shape))
    return g_strdup_printf ("shape %s, want %s", sluice_shape_str (&got->shape, a),
                            sluice_shape_str (&want->shape, b));
  return NULL;
}

/* ---- units in the last place ---- */

/* Floating-point bits as a number that grows by one from each representable value to the next. */
static gint64
place_of (guint64 bits, guint width)
{
  guint64 sign = (guint64) 1 << (width - 1);
  return bits & sign ? -(gint64) (bits & ~sign) : (gint64) bits;
}

/* Between components number i of both, which are finite. */
static guint64
component_ulp (const SluiceTensor *got, const SluiceTensor *want, gint64 i, gsize size)
{
  guint64 bits[2] = { 0 };
  const void *data[] = { got->data, want->data };
  for (guint k = 0; k < 2; k++)
    if (size == 2)
      bits[k] = ((const guint16 *) data[k])[i];
    else if (size == 4)
      bits[k] = ((const guint32 *) data[k])[i];
    else
      bits[k] = ((const guint64 *) data[k])[i];
  gint64 x = place_of (bits[0], (guint) size * 8), y = place_of (bits[1], (guint) size * 8);
  return x > y ? (guint64) x - (guint64) y : (guint64) y - (guint64) x;
}

/* ---- numbers ---- */

static gboolean
component_close (long double got, long double want, long double bound)
{
  if (isnan (got) || isnan (want))
    return isnan (got) && isnan (want);
  if (isinf (got) || isinf (want))
    return got == want;
  return got == want || fabsl (got - want) <= bound; /* the bound is NaN beside a NaN */
}

static gboolean
is_finite (SluiceNumber n)
{
  return isfinite (n.re) && isfinite (n.im);
}

static gboolean
is_close (SluiceNumber got, SluiceNumber want, double rtol, double atol)
{
  long double bound = atol + rtol * hypotl (want.re, want.im);
  if (is_finite (got) && is_finite (want))
    return hypotl (got.re - want.re, got.im - want.im) <= bound;
  return component_close (got.re, want.re, bound) && component_close (got.im, want.im, bound);
}

static gboolean
is_infinite_otherwise (long double got, long double want)
{
  return (isinf (got) || isinf (want)) && !isnan (got) && !isnan (want) && got != want;
}

/* Components that are the same but for what a NaN carries. */
static gboolean
is_same (long double got, long double want)
{
  return isnan (got) ? isnan (want) : got == want && signbit (got) == signbit (want);
}

/* Elements whose bits differ. FALSE: only those of a NaN do. */
static gboolean
add_numbers (SluiceDifference *d, const SluiceTensor *got, const SluiceTensor *want, gint64 i)
{
  SluiceNumber a = sluice_tensor_get_number (got, i), b = sluice_tensor_get_number (want, i);
  gboolean is_complex = sluice_dtype_is_complex (want->dtype);
  gboolean has_ulp = is_complex || sluice_dtype_is_floating (want->dtype);
  if (has_ulp && is_same (a.re, b.re) && is_same (a.im, b.im))
    return FALSE;
  d->n_nan += isnan (a.re) != isnan (b.re) || isnan (a.im) != isnan (b.im);
  d->n_infinite += is_infinite_otherwise (a.re, b.re) || is_infinite_otherwise (a.im, b.im);
  if (!is_finite (a) || !is_finite (b))
    return TRUE;
  long double error = hypotl (a.re - b.re, a.im - b.im), size = hypotl (b.re, b.im);
  d->max_abs = MAX (d->max_abs, (double) error);
  if (error > 0)
    d->max_rel = MAX (d->max_rel, size > 0 ? (double) (error / size) : INFINITY);
  gint64 n_parts = is_complex ? 2 : 1;
  if (has_ulp)
    for (gint64 k = n_parts * i; k < n_parts * (i + 1); k++)
      d->max_ulp =
          MAX (d->max_ulp,
               component_ulp (got, want, k, sluice_dtype_size (want->dtype) / (gsize) n_parts));
  return TRUE;
}

static gboolean
has_same_bytes (const SluiceTensor *got, const SluiceTensor *want, gint64 i)
{
  gsize size = sluice_dtype_size (want->dtype);
  if (want->dtype != SLUICE_STRING)
    return memcmp ((char *) got->data + i * size, (char *) want->data + i * size, size) == 0;
  const SluiceString *a = (SluiceString *) got->data + i, *b = (SluiceString *) want->data + i;
  return a->length == b->length && (a->length == 0 || memcmp (a->data, b->data, a->length) == 0);
}

void
sluice_tensor_find_difference (const SluiceTensor *got,
                               const SluiceTensor *want,
                               double rtol,
                               double atol,
                               SluiceDifference *difference)
{
  gboolean is_number = !sluice_dtype_is_managed (want->dtype);
  gboolean has_tolerance = is_number && (rtol != 0 || atol != 0);
  *difference = (SluiceDifference){ .first_beyond = -1 };
  for (gint64 i = 0; i < want->n_elements; i++)
    {
      if (has_same_bytes (got, want, i) || (is_number && !add_numbers (difference, got, want, i)))
        continue;
      difference->n_differ++;
      if (has_tolerance
          && is_close (sluice_tensor_get_number (got, i), sluice_tensor_get_number (want, i), rtol,
                       atol))
        continue;
      if (difference->n_beyond++ == 0)
        difference->first_beyond = i;
    }
}

static double
get_relative_tolerance (SluiceDType dtype)
{
  switch (dtype)
    {
    case SLUICE_HALF:
      return 1e-3;
    case SLUICE_BFLOAT16:
      return 1e-2;
    case SLUICE_FLOAT:
    case SLUICE_COMPLEX64:
      return 1e-5;
    case SLUICE_DOUBLE:
    case SLUICE_COMPLEX128:
      return 1e-9;
    default:
      return 0;
    }
}

void
sluice_tensor_get_tolerance (const SluiceTensor *want, double *rtol, double *atol)
{
  long double largest = 0;
  *rtol = get_relative_tolerance (want->dtype);
  for (gint64 i = 0; *rtol > 0 && i < want->n_elements; i++)
    {
      SluiceNumber number = sluice_tensor_get_number (want, i);
      if (is_finite (number))
        largest = MAX (largest, hypotl (number.re, number.im));
    }
  *atol = *rtol * (double) largest;
}
