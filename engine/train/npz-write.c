/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/npz-write.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/train/zip-error.h"

/* ---- .npy ---- */

/* (nullable): no type of NumPy's. */
static const char *
numpy_type (SluiceDType dtype)
{
  switch (dtype)
    {
    case SLUICE_HALF:
      return "<f2";
    case SLUICE_FLOAT:
    case SLUICE_BFLOAT16:
      return "<f4";
    case SLUICE_DOUBLE:
      return "<f8";
    case SLUICE_COMPLEX64:
      return "<c8";
    case SLUICE_COMPLEX128:
      return "<c16";
    case SLUICE_BOOL:
      return "|b1";
    case SLUICE_INT8:
    case SLUICE_QINT8:
      return "|i1";
    case SLUICE_UINT8:
    case SLUICE_QUINT8:
      return "|u1";
    case SLUICE_INT16:
    case SLUICE_QINT16:
      return "<i2";
    case SLUICE_UINT16:
    case SLUICE_QUINT16:
      return "<u2";
    case SLUICE_INT32:
    case SLUICE_QINT32:
      return "<i4";
    case SLUICE_UINT32:
      return "<u4";
    case SLUICE_INT64:
      return "<i8";
    case SLUICE_UINT64:
      return "<u8";
    default:
      return NULL;
    }
}

static gsize
longest_string (const SluiceTensor *tensor)
{
  const SluiceString *strings = tensor->data;
  gsize longest = 1; /* NumPy has no type of no bytes in a file */
  for (gint64 i = 0; i < tensor->n_elements; i++)
    longest = MAX (longest, strings[i].length);
  return longest;
}

/* Version 1.0: a dictionary in Python's notation, blanks up to a multiple of 64 bytes. */
static void
append_header (GByteArray *bytes, const char *type, const SluiceShape *shape)
{
  static const guint8 magic[] = "\x93NUMPY\x01";
  g_autoptr (GString) header = g_string_new (NULL);
  g_string_append_printf (header, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
  for (int d = 0; d < shape->rank; d++)
    g_string_append_printf (header, "%" G_GINT64_FORMAT "%s", shape->dim[d],
                            d + 1 < shape->rank ? ", "
                            : shape->rank == 1  ? ","
                                                : "");
  g_string_append (header, "), }");
  while ((sizeof magic + 2 + header->len + 1) % 64 != 0)
    g_string_append_c (header, ' ');
  g_string_append_c (header, '\n');
  const guint8 length[] = { header->len & 0xff, (guint8) (header->len >> 8) };
  g_byte_array_append (bytes, magic, sizeof magic);
  g_byte_array_append (bytes, length, sizeof length);
  g_byte_array_append (bytes, (const guint8 *) header->str, (guint) header->len);
}

/* The header and room for n numbers behind it, zeroed, which *to is. (nullable) */
static GBytes *
make_room (const GByteArray *header, gint64 n, gsize width, guint8 **to, GError **error)
{
  gsize most = (G_MAXSSIZE - header->len) / width;
  gsize length = header->len + (gsize) n * width;
  guint8 *bytes = (gsize) n <= most ? g_try_malloc0 (length) : NULL;
  if (bytes == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                   "no memory to write %" G_GINT64_FORMAT " elements of %zu bytes as a file of "
                   "NumPy's; write fewer at a time",
                   n, width);
      return NULL;
    }
  memcpy (bytes, header->data, header->len);
  *to = bytes + header->len;
  return g_bytes_new_take (bytes, length);
}

static GBytes *
format_strings (const SluiceTensor *tensor, GError **error)
{
  g_autoptr (GByteArray) header = g_byte_array_new ();
  const SluiceString *strings = tensor->data;
  guint8 *to;
  gsize width = longest_string (tensor);
  g_autofree char *type = g_strdup_printf ("|S%zu", width);
  append_header (header, type, &tensor->shape);
  GBytes *bytes = make_room (header, tensor->n_elements, width, &to, error);
  for (gint64 i = 0; bytes != NULL && i < tensor->n_elements; i++)
    if (strings[i].length > 0)
      memcpy (to + i * width, strings[i].data, strings[i].length);
  return bytes;
}

GBytes *
sluice_npy_format (const SluiceTensor *tensor, GError **error)
{
  SluiceDType dtype = (SluiceDType) tensor->dtype;
  if (dtype == SLUICE_STRING)
    return format_strings (tensor, error);
  const char *type = numpy_type (dtype);
  if (type == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_UNIMPLEMENTED, "NumPy has nothing that holds a %s",
                   sluice_dtype_name (dtype));
      return NULL;
    }
  g_autoptr (GByteArray) header = g_byte_array_new ();
  guint8 *to;
  gsize width = dtype == SLUICE_BFLOAT16 ? sizeof (float) : sluice_dtype_size (dtype);
  append_header (header, type, &tensor->shape);
  GBytes *bytes = make_room (header, tensor->n_elements, width, &to, error);
  if (bytes == NULL)
    return NULL;
  if (dtype != SLUICE_BFLOAT16 && tensor->n_elements > 0)
    memcpy (to, tensor->data, sluice_tensor_bytes (tensor));
  for (gint64 i = 0; dtype == SLUICE_BFLOAT16 && i < tensor->n_elements; i++)
    {
      float value = sluice_bfloat16_to_float (((const guint16 *) tensor->data)[i]);
      memcpy (to + i * width, &value, width);
    }
  return bytes;
}

/* ---- .npz ---- */

static void
fail_to_write (zip_error_t *why, const char *path, GError **error)
{
  int code = sluice_zip_error_code (why, SLUICE_ERROR_UNAVAILABLE);
  sluice_fail (error, code, "'%s' cannot be written: %s", path,
               code == SLUICE_ERROR_RESOURCE_EXHAUSTED ? "no memory" : zip_error_strerror (why));
}

static gboolean
fail_archive (zip_t *archive, const char *path, GError **error)
{
  fail_to_write (zip_get_error (archive), path, error);
  zip_discard (archive);
  return FALSE;
}

/* bytes: must outlive the archive. */
static gboolean
add_member (zip_t *archive, const char *name, GBytes *bytes)
{
  g_autofree char *file = g_strconcat (name, ".npy", NULL);
  gsize length;
  const void *data = g_bytes_get_data (bytes, &length);
  zip_source_t *source = zip_source_buffer (archive, data, length, 0);
  if (source == NULL)
    return FALSE;
  zip_int64_t index = zip_file_add (archive, file, source, ZIP_FL_ENC_UTF_8);
  if (index < 0)
    {
      zip_source_free (source);
      return FALSE;
    }
  /* As numpy.savez does; a fixed time, so that the same values give the same bytes. */
  return zip_set_file_compression (archive, (zip_uint64_t) index, ZIP_CM_STORE, 0) == 0
         && zip_file_set_dostime (archive, (zip_uint64_t) index, 0, 33, 0) == 0;
}

gboolean
sluice_npz_write (const char *path,
                  const char *const *names,
                  SluiceTensor *const *tensors,
                  guint n,
                  GError **error)
{
  g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (guint i = 0; i < n; i++)
    {
      GBytes *bytes = sluice_npy_format (tensors[i], error);
      if (bytes == NULL)
        {
          g_prefix_error (error, "'%s': ", names[i]);
          return FALSE;
        }
      g_ptr_array_add (members, bytes);
    }
  int code = 0;
  zip_t *archive = zip_open (path, ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (archive == NULL)
    {
      zip_error_t why;
      zip_error_init_with_code (&why, code);
      fail_to_write (&why, path, error);
      zip_error_fini (&why);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    if (!add_member (archive, names[i], members->pdata[i]))
      return fail_archive (archive, path, error);
  return zip_close (archive) == 0 || fail_archive (archive, path, error);
}
