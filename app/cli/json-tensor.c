/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/json-tensor.h"

#include <json-glib/json-glib.h>

static void
add_string (JsonBuilder *b, const SluiceString *string)
{
  const char *data = string->length > 0 ? string->data : "";
  if (g_utf8_validate (data, (gssize) string->length, NULL)) /* no zero byte inside, too */
    {
      g_autofree char *text = g_strndup (data, string->length);
      json_builder_add_string_value (b, text);
      return;
    }
  g_autofree char *encoded = g_base64_encode ((const guchar *) data, string->length);
  json_builder_begin_object (b);
  json_builder_set_member_name (b, "base64");
  json_builder_add_string_value (b, encoded);
  json_builder_end_object (b);
}

static void
add_complex (JsonBuilder *b, double real, double imaginary)
{
  json_builder_begin_array (b);
  cli_json_add_double (b, real);
  cli_json_add_double (b, imaginary);
  json_builder_end_array (b);
}

/* JSON's integers are read as 64 bits with a sign by most. */
static void
add_unsigned (JsonBuilder *b, guint64 value)
{
  char text[24];
  g_snprintf (text, sizeof text, "%" G_GUINT64_FORMAT, value);
  if (value <= G_MAXINT64)
    json_builder_add_int_value (b, (gint64) value);
  else
    json_builder_add_string_value (b, text);
}

static void
add_element (JsonBuilder *b, const SluiceTensor *t, gint64 i)
{
  switch ((SluiceDType) t->dtype)
    {
    case SLUICE_FLOAT:
      cli_json_add_double (b, ((const float *) t->data)[i]);
      break;
    case SLUICE_DOUBLE:
      cli_json_add_double (b, ((const double *) t->data)[i]);
      break;
    case SLUICE_HALF:
      cli_json_add_double (b, sluice_half_to_float (((const guint16 *) t->data)[i]));
      break;
    case SLUICE_BFLOAT16:
      cli_json_add_double (b, sluice_bfloat16_to_float (((const guint16 *) t->data)[i]));
      break;
    case SLUICE_COMPLEX64:
      add_complex (b, ((const float *) t->data)[2 * i], ((const float *) t->data)[2 * i + 1]);
      break;
    case SLUICE_COMPLEX128:
      add_complex (b, ((const double *) t->data)[2 * i], ((const double *) t->data)[2 * i + 1]);
      break;
    case SLUICE_BOOL:
      json_builder_add_boolean_value (b, ((const guint8 *) t->data)[i] != 0);
      break;
    case SLUICE_UINT64:
      add_unsigned (b, ((const guint64 *) t->data)[i]);
      break;
    case SLUICE_STRING:
      add_string (b, (const SluiceString *) t->data + i);
      break;
    default:
      if (sluice_dtype_is_managed (t->dtype))
        json_builder_add_null_value (b);
      else
        json_builder_add_int_value (b, sluice_tensor_get_int (t, i));
    }
}

/* Writes one bracket of dimension `dim`, from element *next on. */
static void
add_dim (JsonBuilder *b, const SluiceTensor *t, int dim, gint64 *next)
{
  if (dim == t->shape.rank)
    {
      add_element (b, t, (*next)++);
      return;
    }
  json_builder_begin_array (b);
  /* Never one bracket for each of 2^40 empty rows. */
  for (gint64 i = 0; t->n_elements > 0 && i < t->shape.dim[dim]; i++)
    add_dim (b, t, dim + 1, next);
  json_builder_end_array (b);
}

void
cli_json_tensor (JsonBuilder *b, const char *name, const SluiceTensor *tensor)
{
  gint64 next = 0;
  json_builder_set_member_name (b, name);
  if (tensor == NULL)
    json_builder_add_null_value (b);
  else
    add_dim (b, tensor, 0, &next);
}
