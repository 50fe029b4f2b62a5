/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/value-text.h"

#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/read-file.h"
#include "engine/base/tensor-text.h"
#include "engine/train/data.h"

static SluiceTensor *
parse_npy (GBytes *take, const char *name, GError **error)
{
  g_autoptr (GBytes) bytes = take;
  gsize length;
  const guint8 *data = g_bytes_get_data (bytes, &length);
  return sluice_npy_parse (data, length, name, error);
}

static void
fail_no_member (const char *path, GBytes *archive, GError **error)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (archive, &length);
  g_autoptr (GPtrArray) members = sluice_npz_list (data, length, path, error);
  if (members == NULL)
    return;
  g_ptr_array_add (members, NULL);
  g_autofree char *names = g_strjoinv (", ", (char **) members->pdata);
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
               "'%s' holds several arrays: name one, as %s:%s. It has %s", path, path,
               members->len > 1 ? (const char *) members->pdata[0] : "NAME",
               members->len > 1 ? names : "none");
}

/* ".npy", ".npz" or ".npz:MEMBER". */
static SluiceTensor *
read_file (const char *text, GError **error)
{
  const char *colon = strstr (text, ".npz:");
  gboolean is_archive = colon != NULL || g_str_has_suffix (text, ".npz");
  g_autofree char *path = colon != NULL ? g_strndup (text, colon + 4 - text) : g_strdup (text);
  gsize length;
  g_autoptr (GBytes) bytes =
      sluice_read_file ("file", path, SLUICE_READ_PLAIN, G_MAXINT64 / 2, error);
  if (bytes == NULL)
    return NULL;
  const guint8 *contents = g_bytes_get_data (bytes, &length);
  if (!is_archive)
    return parse_npy (g_steal_pointer (&bytes), text, error);
  if (colon == NULL)
    {
      fail_no_member (path, bytes, error);
      return NULL;
    }
  GBytes *member = sluice_npz_read (contents, length, colon + 5, path, error);
  return member != NULL ? parse_npy (member, text, error) : NULL;
}

static gboolean
is_file (const char *text)
{
  return *text != '"' && *text != '['
         && (g_str_has_suffix (text, ".npy") || g_str_has_suffix (text, ".npz")
             || strstr (text, ".npz:") != NULL);
}

/* Numbers of a file in another dtype. */
static SluiceTensor *
convert (const SluiceTensor *raw, SluiceDType dtype, GError **error)
{
  const SluiceDTypeSet from = SLUICE_SET_REAL | SLUICE_SET (SLUICE_BOOL);
  const SluiceDTypeSet to =
      SLUICE_SET_FLOATS | SLUICE_SET_INDEX | SLUICE_SET (SLUICE_UINT8) | SLUICE_SET (SLUICE_BOOL);
  if (!sluice_dtype_in (raw->dtype, from) || !sluice_dtype_in (dtype, to))
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "the file holds %s, and the edge is %s; save it as that",
                   sluice_dtype_name (raw->dtype), sluice_dtype_name (dtype));
      return NULL;
    }
  gint64 n = raw->n_elements;
  g_autofree gint64 *rows = g_try_new (gint64, (gsize) n + 1);
  for (gint64 i = 0; rows != NULL && i < n; i++)
    rows[i] = i;
  g_autoptr (SluiceTensor) flat =
      sluice_tensor_new_view ((SluiceTensor *) raw, &SLUICE_SHAPE (n), 0);
  g_autoptr (SluiceTensor) cast =
      rows != NULL && flat != NULL ? sluice_examples_gather (flat, rows, n, dtype, 1) : NULL;
  SluiceTensor *feed = cast != NULL ? sluice_tensor_new_view (cast, &raw->shape, 0) : NULL;
  if (feed != NULL)
    return feed;
  sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED, "no memory for %" G_GINT64_FORMAT " numbers",
               n);
  return NULL;
}

SluiceTensor *
sluice_value_parse (const char *text, SluiceDType dtype, GError **error)
{
  if (!is_file (text))
    return sluice_tensor_parse (text, dtype, error);
  g_autoptr (SluiceTensor) raw = read_file (text, error);
  if (raw == NULL)
    return NULL;
  return raw->dtype == (gint8) dtype ? g_steal_pointer (&raw) : convert (raw, dtype, error);
}

/* ---- what changes a value ---- */

static double
apply (char sign, double number, double x)
{
  return sign == '*' ? x * number : sign == '/' ? x / number : sign == '+' ? x + number : number;
}

static gboolean
apply_to_all (SluiceTensor *value, char sign, double number, GError **error)
{
#define EACH(type)                                                                                 \
  for (gint64 i = 0; i < value->n_elements; i++)                                                   \
  ((type *) value->data)[i] = (type) apply (sign, number, (double) ((type *) value->data)[i])
  switch ((SluiceDType) value->dtype)
    {
    case SLUICE_FLOAT:
      EACH (float);
      return TRUE;
    case SLUICE_DOUBLE:
      EACH (double);
      return TRUE;
    case SLUICE_INT32:
    case SLUICE_INT64:
      if (number != rint (number) || fabs (number) > G_MAXINT32 || (sign == '/' && number == 0))
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "the value is of %s: give a whole number, or all elements",
                            sluice_dtype_name (value->dtype));
      if (value->dtype == SLUICE_INT32)
        EACH (gint32);
      else
        EACH (gint64);
      return TRUE;
    default:
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "%c is for float, double, int32 and int64, and the value is of %s: give "
                          "all elements",
                          sign, sluice_dtype_name (value->dtype));
    }
#undef EACH
}

SluiceTensor *
sluice_value_change (const SluiceTensor *now, const char *text, GError **error)
{
  char *end;
  const char sign = *text;
  if (sign == '\0' || strchr ("*/+=", sign) == NULL)
    return sluice_value_parse (text, (SluiceDType) now->dtype, error);
  double number = g_ascii_strtod (text + 1, &end);
  if (end == text + 1 || *end != '\0')
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "'%s': behind %c must be a number, as in *0", text, sign);
      return NULL;
    }
  g_autoptr (SluiceTensor) value = sluice_tensor_new_zeros ((SluiceDType) now->dtype, &now->shape);
  if (value == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                   "no memory for %" G_GINT64_FORMAT " numbers", now->n_elements);
      return NULL;
    }
  if (!sluice_dtype_is_managed ((SluiceDType) now->dtype) && now->n_elements > 0)
    memcpy (value->data, now->data, sluice_tensor_bytes (now));
  return apply_to_all (value, sign, number, error) ? g_steal_pointer (&value) : NULL;
}
