/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Values of tensors as people and JSON write them. */
#include "app/cli/values.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/json-text.h"

/* Of what is empty, lists up to so many are written. */
#define MAX_EMPTY_ROWS (1 << 16)

/* ---- JSON ---- */

static void
append_bytes (GString *out, const SluiceString *string)
{
  const char *data = string->length > 0 ? string->data : ""; /* none at all, where it is empty */
  if (memchr (data, '\0', string->length) == NULL
      && g_utf8_validate_len (data, string->length, NULL))
    {
      sluice_json_append_string (out, data, (gssize) string->length);
      return;
    }
  g_autofree char *coded = g_base64_encode ((const guchar *) data, string->length);
  g_string_append_printf (out, "{\"b64\": \"%s\"}", coded);
}

/* As few digits as read back the same float. */
static void
append_float (GString *out, float value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE], format[8];
  if (!isfinite (value))
    {
      sluice_json_append_double (out, value);
      return;
    }
  for (int n = 5; n <= 9; n++)
    {
      g_snprintf (format, sizeof format, "%%.%dg", n);
      g_ascii_formatd (text, sizeof text, format, value);
      if ((float) g_ascii_strtod (text, NULL) == value)
        break;
    }
  g_string_append (out, text);
}

static void
append_real (GString *out, SluiceDType dtype, const void *data, gint64 i)
{
  if (dtype == SLUICE_DOUBLE || dtype == SLUICE_COMPLEX128)
    sluice_json_append_double (out, ((const double *) data)[i]);
  else if (dtype == SLUICE_HALF)
    append_float (out, sluice_half_to_float (((const guint16 *) data)[i]));
  else if (dtype == SLUICE_BFLOAT16)
    append_float (out, sluice_bfloat16_to_float (((const guint16 *) data)[i]));
  else
    append_float (out, ((const float *) data)[i]);
}

static void
append_element (GString *out, const SluiceTensor *tensor, gint64 i)
{
  SluiceDType dtype = (SluiceDType) tensor->dtype;
  if (dtype == SLUICE_STRING)
    append_bytes (out, (const SluiceString *) tensor->data + i);
  else if (dtype == SLUICE_BOOL)
    g_string_append (out, ((const guint8 *) tensor->data)[i] ? "true" : "false");
  else if (sluice_dtype_is_complex (dtype))
    {
      g_string_append_c (out, '[');
      append_real (out, dtype, tensor->data, 2 * i);
      g_string_append (out, ", ");
      append_real (out, dtype, tensor->data, 2 * i + 1);
      g_string_append_c (out, ']');
    }
  else if (sluice_dtype_is_floating (dtype))
    append_real (out, dtype, tensor->data, i);
  else if (sluice_dtype_is_managed (dtype))
    g_string_append_printf (out, "\"<%s>\"", sluice_dtype_name (dtype));
  else
    {
      gint64 number = sluice_tensor_get_int (tensor, i);
      if (sluice_dtype_is_unsigned (dtype))
        g_string_append_printf (out, "%" G_GUINT64_FORMAT, (guint64) number);
      else
        g_string_append_printf (out, "%" G_GINT64_FORMAT, number);
    }
}

static void
append_dim (GString *out, const SluiceTensor *tensor, int dim, gint64 *next)
{
  if (dim == tensor->shape.rank)
    {
      append_element (out, tensor, (*next)++);
      return;
    }
  g_string_append_c (out, '[');
  for (gint64 i = 0; i < tensor->shape.dim[dim]; i++)
    {
      if (i > 0)
        g_string_append (out, ", ");
      append_dim (out, tensor, dim + 1, next);
    }
  g_string_append_c (out, ']');
}

void
sluice_cli_append_json_value (GString *out, const SluiceTensor *tensor)
{
  gint64 next = 0, n_rows = 1;
  /* Never one bracket for each of 2^40 rows without elements. */
  for (int d = 0; d < tensor->shape.rank && tensor->shape.dim[d] > 0; d++)
    n_rows = MIN (n_rows * MIN (tensor->shape.dim[d], MAX_EMPTY_ROWS), MAX_EMPTY_ROWS);
  if (tensor->n_elements == 0 && n_rows == MAX_EMPTY_ROWS)
    g_string_append (out, "[]");
  else
    append_dim (out, tensor, 0, &next);
}
