/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/data.h"

#include <string.h>
#include <zlib.h>

#include "engine/base/error.h"

/* Parsers of the formats that data sets come in. Every byte is distrusted: a size is checked before
 * it is used. */

/* ---- NumPy ---- */

/* The text after 'key': in the header's Python dictionary. (nullable) */
static const char *
npy_find (const char *header, const char *key)
{
  g_autofree char *quoted = g_strdup_printf ("'%s':", key);
  const char *at = strstr (header, quoted);
  if (at == NULL)
    return NULL;
  at += strlen (quoted);
  while (*at == ' ')
    at++;
  return at;
}

/* width: bytes of an element in the file. */
static SluiceDType
npy_dtype (const char *descr, gsize *width)
{
  static const struct
  {
    const char *code;
    SluiceDType dtype;
  } codes[] = { { "f2", SLUICE_HALF },      { "f4", SLUICE_FLOAT },      { "f8", SLUICE_DOUBLE },
                { "i1", SLUICE_INT8 },      { "i2", SLUICE_INT16 },      { "i4", SLUICE_INT32 },
                { "i8", SLUICE_INT64 },     { "u1", SLUICE_UINT8 },      { "u2", SLUICE_UINT16 },
                { "u4", SLUICE_UINT32 },    { "u8", SLUICE_UINT64 },     { "b1", SLUICE_BOOL },
                { "c8", SLUICE_COMPLEX64 }, { "c16", SLUICE_COMPLEX128 } };
  if (descr == NULL || descr[0] != '\'' || strchr ("<|=", descr[1]) == NULL || descr[1] == '\0')
    return SLUICE_INVALID;
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    if (g_str_has_prefix (descr + 2, codes[i].code) && descr[2 + strlen (codes[i].code)] == '\'')
      {
        *width = sluice_dtype_size (codes[i].dtype);
        return codes[i].dtype;
      }
  /* Bytes of fixed width, zeros behind them. */
  char *end = NULL;
  guint64 bytes = descr[2] == 'S' ? g_ascii_strtoull (descr + 3, &end, 10) : 0;
  if (bytes == 0 || bytes > G_MAXINT32 || *end != '\'')
    return SLUICE_INVALID;
  *width = bytes;
  return SLUICE_STRING;
}

static void
npy_take_strings (SluiceTensor *tensor, const char *bytes, gsize width)
{
  for (gint64 i = 0; i < tensor->n_elements; i++)
    {
      const char *text = bytes + i * width;
      gsize length = width;
      while (length > 0 && text[length - 1] == '\0')
        length--;
      sluice_string_set ((SluiceString *) tensor->data + i, text, length);
    }
}

static gboolean
npy_shape (const char *text, SluiceShape *shape, GError **error)
{
  gint64 dims[SLUICE_MAX_RANK + 1];
  guint rank = 0;
  if (text == NULL || *text++ != '(')
    return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "the header has no shape");
  while (*text != ')' && rank <= SLUICE_MAX_RANK)
    {
      char *end;
      guint64 dim = g_ascii_strtoull (text, &end, 10);
      if (end == text || dim > G_MAXINT64)
        return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "the header's shape is malformed");
      dims[rank++] = dim;
      text = end;
      while (*text == ',' || *text == ' ' || *text == 'L')
        text++;
    }
  return sluice_shape_make (shape, dims, rank, error);
}

static SluiceTensor *
npy_fail (GError **error, const char *name, const char *what)
{
  sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "'%s': %s", name, what);
  return NULL;
}

SluiceTensor *
sluice_npy_parse (const guint8 *bytes, gsize length, const char *name, GError **error)
{
  static const char magic[] = "\x93NUMPY";
  if (length >= 4 && memcmp (bytes, "PK\3\4", 4) == 0)
    return npy_fail (error, name,
                     "is an archive of arrays; name one of its members: FILE.npz:MEMBER");
  if (length < 12 || memcmp (bytes, magic, 6) != 0)
    return npy_fail (error, name, "is no NumPy file");
  gsize start = bytes[6] == 1 ? 10 : 12, width = 1;
  gsize header_bytes = bytes[8] | bytes[9] << 8;
  if (bytes[6] > 1)
    header_bytes |= (gsize) bytes[10] << 16 | (gsize) bytes[11] << 24;
  if (header_bytes > length - start)
    return npy_fail (error, name, "ends within its header");
  g_autofree char *header = g_strndup ((const char *) bytes + start, header_bytes);
  SluiceDType dtype = npy_dtype (npy_find (header, "descr"), &width);
  const char *order = npy_find (header, "fortran_order");
  SluiceShape shape;
  if (dtype == SLUICE_INVALID)
    return npy_fail (
        error, name,
        "holds elements of a type that is not read (little-endian numbers, bool and bytes are)");
  if (order == NULL || !g_str_has_prefix (order, "False"))
    return npy_fail (error, name, "is in column order; save it with numpy.ascontiguousarray");
  if (!npy_shape (npy_find (header, "shape"), &shape, error))
    {
      g_prefix_error (error, "'%s': ", name);
      return NULL;
    }
  gsize have = length - start - header_bytes;
  if ((guint64) sluice_shape_n_elements (&shape) > have / width)
    return npy_fail (error, name, "is cut off: fewer elements than its header says");
  SluiceTensor *tensor = sluice_tensor_new_checked (NULL, dtype, &shape, SLUICE_OWNER_NONE, error);
  if (tensor != NULL && dtype == SLUICE_STRING)
    npy_take_strings (tensor, (const char *) bytes + start + header_bytes, width);
  else if (tensor != NULL)
    memcpy (tensor->data, bytes + start + header_bytes, sluice_tensor_bytes (tensor));
  return tensor;
}

/* ---- zip, as far as .npz needs it: stored and deflated members, found through the central
 * directory ---- */

static guint32
u16 (const guint8 *at)
{
  return at[0] | at[1] << 8;
}

static guint32
u32 (const guint8 *at)
{
  return u16 (at) | u16 (at + 2) << 16;
}

static GBytes *
zip_inflate (const guint8 *at, gsize n, gsize size, GError **error)
{
  /* Deflate never packs tighter than about 1032 to 1: a larger claim is a lie. */
  if (size / 1032 > n + 1)
    {
      sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "a member claims an impossible size");
      return NULL;
    }
  g_autofree guint8 *out = g_malloc (size + 1);
  z_stream stream = { .next_in = (Bytef *) at, .avail_in = n, .next_out = out, .avail_out = size };
  gboolean ok = inflateInit2 (&stream, -MAX_WBITS) == Z_OK;
  ok = ok && inflate (&stream, Z_FINISH) == Z_STREAM_END && stream.total_out == size;
  inflateEnd (&stream);
  if (ok)
    return g_bytes_new_take (g_steal_pointer (&out), size);
  sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "a member does not inflate");
  return NULL;
}

static GBytes *
zip_member (const guint8 *bytes, gsize length, const guint8 *entry, GError **error)
{
  guint method = u16 (entry + 10);
  gsize packed = u32 (entry + 20), size = u32 (entry + 24), offset = u32 (entry + 42);
  if (offset + 30 > length)
    goto damaged;
  gsize start = offset + 30 + u16 (bytes + offset + 26) + u16 (bytes + offset + 28);
  if (start > length || packed > length - start)
    goto damaged;
  if (method == 8)
    return zip_inflate (bytes + start, packed, size, error);
  if (method == 0 && packed == size)
    return g_bytes_new (bytes + start, size);
damaged:
  sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
               "the archive is damaged or packed in a way that is not read");
  return NULL;
}

/* A walk through the central directory. */
typedef struct
{
  const guint8 *bytes;
  gsize length, at;
  guint n; /* entries that are left */
} ZipWalk;

/* FALSE with DATA_LOSS: it is no archive. */
static gboolean
zip_begin (ZipWalk *self, const guint8 *bytes, gsize length, const char *name, GError **error)
{
  *self = (ZipWalk){ .bytes = bytes, .length = length };
  for (gsize back = 22; back <= length && back < 22 + 65536; back++)
    {
      const guint8 *end = bytes + length - back;
      if (u32 (end) != 0x06054b50)
        continue;
      self->at = u32 (end + 16);
      self->n = u16 (end + 10);
      return TRUE;
    }
  return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "'%s' is no .npz archive", name);
}

/* The next entry and its name (transfer full); NULL: there is none. */
static const guint8 *
zip_next (ZipWalk *self, char **name)
{
  if (self->n == 0 || self->at + 46 > self->length || u32 (self->bytes + self->at) != 0x02014b50)
    return NULL;
  const guint8 *entry = self->bytes + self->at;
  gsize name_bytes = u16 (entry + 28);
  if (self->at + 46 + name_bytes > self->length)
    return NULL;
  *name = g_strndup ((const char *) entry + 46, name_bytes);
  self->at += 46 + name_bytes + u16 (entry + 30) + u16 (entry + 32);
  self->n--;
  return entry;
}

GBytes *
sluice_npz_read (
    const guint8 *bytes, gsize length, const char *member, const char *name, GError **error)
{
  ZipWalk walk;
  const guint8 *entry;
  char *found;
  g_autofree char *file = g_strconcat (member, ".npy", NULL);
  g_autoptr (GString) known = g_string_new (NULL);
  if (!zip_begin (&walk, bytes, length, name, error))
    return NULL;
  while ((entry = zip_next (&walk, &found)) != NULL)
    {
      g_autofree char *held = found;
      if (strcmp (held, file) == 0 || strcmp (held, member) == 0)
        {
          GBytes *data = zip_member (bytes, length, entry, error);
          if (data == NULL)
            g_prefix_error (error, "'%s', member '%s': ", name, member);
          return data;
        }
      g_string_append_printf (known, "%s%s", known->len > 0 ? ", " : "", held);
    }
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "'%s' has no member '%s'; it has %s", name, member,
               known->len > 0 ? known->str : "none");
  return NULL;
}

GPtrArray *
sluice_npz_list (const guint8 *bytes, gsize length, const char *name, GError **error)
{
  ZipWalk walk;
  char *found;
  if (!zip_begin (&walk, bytes, length, name, error))
    return NULL;
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  while (zip_next (&walk, &found) != NULL)
    {
      if (g_str_has_suffix (found, ".npy"))
        found[strlen (found) - 4] = '\0';
      g_ptr_array_add (names, found);
    }
  return names;
}

/* ---- CSV ---- */

static gboolean
parse_field (const char *text, double *value)
{
  char *end;
  while (*text == ' ' || *text == '"')
    text++;
  *value = g_ascii_strtod (text, &end);
  if (end == text)
    return FALSE;
  while (*end == ' ' || *end == '"' || *end == '\r')
    end++;
  return *end == '\0';
}

static char **
heading_names (char **fields)
{
  char **names = g_strdupv (fields);
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_strdelimit (names[i], "\"\r", ' ');
      g_strstrip (names[i]);
    }
  return names;
}

/* Appends a line's numbers. FALSE: some field is no number, *bad says which. */
static gboolean
parse_line (GArray *values, char **fields, guint *bad)
{
  for (guint i = 0; fields[i] != NULL; i++)
    {
      double value;
      if (!parse_field (fields[i], &value))
        {
          *bad = i;
          return FALSE;
        }
      g_array_append_val (values, value);
    }
  return TRUE;
}

SluiceTensor *
sluice_csv_parse (const char *bytes, gsize length, const char *name, char ***names, GError **error)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (double));
  guint n_columns = 0;
  gint64 n_rows = 0, n_line = 0;
  for (const char *at = bytes, *end = bytes + length; at < end;)
    {
      const char *newline = memchr (at, '\n', end - at);
      const char *stop = newline != NULL ? newline : end;
      g_autofree char *line = g_strndup (at, stop - at);
      at = newline != NULL ? newline + 1 : end;
      n_line++;
      g_strchomp (line);
      if (*line == '\0')
        continue;
      g_auto (GStrv) fields = g_strsplit (line, ",", 0);
      guint n = g_strv_length (fields), bad = 0, before = values->len;
      if (n_columns != 0 && n != n_columns)
        {
          sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                       "'%s' line %" G_GINT64_FORMAT " has %u fields, the lines before it have %u",
                       name, n_line, n, n_columns);
          return NULL;
        }
      n_columns = n;
      if (parse_line (values, fields, &bad))
        n_rows++;
      else if (n_rows == 0 && n_line == 1)
        {
          g_array_set_size (values, before);
          if (names != NULL)
            *names = heading_names (fields);
        }
      else
        {
          sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                       "'%s' line %" G_GINT64_FORMAT ", field %u: '%s' is no number", name, n_line,
                       bad + 1, fields[bad]);
          return NULL;
        }
    }
  if (n_rows == 0)
    {
      sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "'%s' holds no line of numbers", name);
      return NULL;
    }
  SluiceTensor *table = sluice_tensor_new_checked (
      NULL, SLUICE_DOUBLE, &SLUICE_SHAPE (n_rows, n_columns), SLUICE_OWNER_NONE, error);
  if (table != NULL)
    memcpy (table->data, values->data, sluice_tensor_bytes (table));
  return table;
}
