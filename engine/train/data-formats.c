/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/data.h"

#include <string.h>

#include "engine/base/csv.h"
#include "engine/base/error.h"
#include "engine/base/read-file.h"
#include "engine/train/zip-error.h"

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

/* ---- .npz: a zip archive of .npy files ---- */

/* Of bytes that stay where they are. (nullable) */
static zip_t *
open_archive (const guint8 *bytes, gsize length, const char *name, GError **error)
{
  zip_error_t why;
  zip_error_init (&why);
  zip_source_t *source = zip_source_buffer_create (bytes, length, 0, &why);
  zip_t *archive = source != NULL ? zip_open_from_source (source, ZIP_RDONLY, &why) : NULL;
  if (archive == NULL)
    {
      int code = sluice_zip_error_code (&why, SLUICE_ERROR_DATA_LOSS);
      if (code == SLUICE_ERROR_RESOURCE_EXHAUSTED)
        sluice_fail (error, code, "no memory to read '%s'", name);
      else
        sluice_fail (error, code, "'%s' is no .npz archive: %s", name, zip_error_strerror (&why));
      if (source != NULL)
        zip_source_free (source);
    }
  zip_error_fini (&why);
  return archive;
}

static GBytes *
fail_member (zip_t *archive, GError **error)
{
  int code = sluice_zip_error_code (zip_get_error (archive), SLUICE_ERROR_DATA_LOSS);
  if (code == SLUICE_ERROR_RESOURCE_EXHAUSTED)
    sluice_fail (error, code, "no memory to unpack it");
  else
    sluice_fail (error, code, "it is damaged or packed in a way that is not read: %s",
                 zip_strerror (archive));
  return NULL;
}

static GBytes *
read_member (zip_t *archive, zip_uint64_t index, GError **error)
{
  zip_stat_t info;
  const zip_uint64_t wanted = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
  if (zip_stat_index (archive, index, 0, &info) != 0 || (info.valid & wanted) != wanted)
    return fail_member (archive, error);
  guint64 limit = sluice_read_get_unpacked_limit (info.comp_size);
  if (info.size > limit)
    {
      sluice_read_fail_unpacked (limit, error);
      return NULL;
    }
  g_autofree guint8 *out = g_try_malloc (info.size + 1);
  if (out == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                   "no memory for its %" G_GUINT64_FORMAT " bytes", (guint64) info.size);
      return NULL;
    }
  zip_file_t *file = zip_fopen_index (archive, index, 0);
  if (file == NULL)
    return fail_member (archive, error);
  zip_uint64_t n = 0;
  zip_int64_t got = 1;
  /* The byte more sees the end, and with it the checksum. */
  while (got > 0 && n <= info.size)
    {
      got = zip_fread (file, out + n, info.size + 1 - n);
      n += got > 0 ? (zip_uint64_t) got : 0;
    }
  gboolean ok = got == 0 && n == info.size;
  if (!ok)
    sluice_fail (error,
                 got < 0 ? sluice_zip_error_code (zip_file_get_error (file), SLUICE_ERROR_DATA_LOSS)
                         : SLUICE_ERROR_DATA_LOSS,
                 "it does not unpack: %s",
                 got < 0 ? zip_file_strerror (file) : "its size is another than the archive says");
  zip_fclose (file);
  return ok ? g_bytes_new_take (g_steal_pointer (&out), n) : NULL;
}

/* Names of all members, with ".npy". */
static GPtrArray *
dup_members (zip_t *archive)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  zip_int64_t n = zip_get_num_entries (archive, 0);
  for (zip_int64_t i = 0; i < n; i++)
    {
      const char *name = zip_get_name (archive, (zip_uint64_t) i, 0);
      if (name != NULL)
        g_ptr_array_add (names, g_strdup (name));
    }
  return names;
}

static void
fail_unknown_member (zip_t *archive, const char *member, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = dup_members (archive);
  g_ptr_array_add (names, NULL);
  g_autofree char *known = g_strjoinv (", ", (char **) names->pdata);
  sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "'%s' has no member '%s'; it has %s", name, member,
               *known != '\0' ? known : "none");
}

GBytes *
sluice_npz_read (
    const guint8 *bytes, gsize length, const char *member, const char *name, GError **error)
{
  g_autofree char *file = g_strconcat (member, ".npy", NULL);
  zip_t *archive = open_archive (bytes, length, name, error);
  if (archive == NULL)
    return NULL;
  zip_int64_t at = zip_name_locate (archive, file, 0);
  if (at < 0)
    at = zip_name_locate (archive, member, 0);
  GBytes *data = NULL;
  if (at < 0)
    fail_unknown_member (archive, member, name, error);
  else if ((data = read_member (archive, (zip_uint64_t) at, error)) == NULL)
    g_prefix_error (error, "'%s', member '%s': ", name, member);
  zip_discard (archive);
  return data;
}

GPtrArray *
sluice_npz_list (const guint8 *bytes, gsize length, const char *name, GError **error)
{
  zip_t *archive = open_archive (bytes, length, name, error);
  if (archive == NULL)
    return NULL;
  GPtrArray *names = dup_members (archive);
  for (guint i = 0; i < names->len; i++)
    if (g_str_has_suffix (names->pdata[i], ".npy"))
      ((char *) names->pdata[i])[strlen (names->pdata[i]) - 4] = '\0';
  zip_discard (archive);
  return names;
}

/* ---- CSV ---- */

/* Doubles of as many rows as come. */
typedef struct
{
  double *values;
  gsize n, room;
} Numbers;

static gboolean
append_number (Numbers *self, double value)
{
  if (self->n == self->room)
    {
      gsize room = MAX (2 * self->room, 1024);
      double *values = g_try_realloc_n (self->values, room, sizeof *values);
      if (values == NULL)
        return FALSE;
      self->values = values;
      self->room = room;
    }
  self->values[self->n++] = value;
  return TRUE;
}

static gboolean
parse_number (const GString *field, double *value)
{
  char *end;
  const char *text = field->str;
  while (*text == ' ' || *text == '\t')
    text++;
  *value = g_ascii_strtod (text, &end);
  if (end == text)
    return FALSE;
  while (*end == ' ' || *end == '\t')
    end++;
  return end == field->str + field->len; /* no zero byte inside */
}

/* A table that is being read, line by line. */
typedef struct
{
  const char *name; /* of the file */
  SluiceCsv reader;
  GString *field;
  Numbers numbers;
  GPtrArray *heading; /* (nullable): collects the fields of the line */
  gint64 line;        /* from 1; and of it: */
  guint n_fields;
  guint bad;      /* from 1: the first field that is no number; 0: none */
  char *bad_text; /* (nullable) */
} Table;

static gboolean
take_field (Table *self, GError **error)
{
  double value = 0;
  self->n_fields++;
  if (self->heading != NULL)
    g_ptr_array_add (self->heading, g_strstrip (g_strdup (self->field->str)));
  if (!parse_number (self->field, &value) && self->bad == 0)
    {
      self->bad = self->n_fields;
      self->bad_text = g_strdup (self->field->str);
    }
  return append_number (&self->numbers, value)
         || sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                         "no memory for the numbers of '%s', of which %" G_GSIZE_FORMAT
                         " have been read",
                         self->name, self->numbers.n);
}

static SluiceCsvResult
read_line (Table *self, GError **error)
{
  SluiceCsvResult result;
  self->n_fields = self->bad = 0;
  self->line = self->reader.line + 1;
  g_clear_pointer (&self->bad_text, g_free);
  do
    {
      result = sluice_csv_next (&self->reader, self->field, error);
      if (result == SLUICE_CSV_FAILED)
        g_prefix_error (error, "'%s' line %" G_GINT64_FORMAT ", field %u: ", self->name, self->line,
                        self->n_fields + 1);
      else if (result != SLUICE_CSV_END && !take_field (self, error))
        result = SLUICE_CSV_FAILED;
    }
  while (result == SLUICE_CSV_FIELD);
  return result;
}

static gboolean
is_blank_line (const Table *self)
{
  return self->n_fields == 1 && self->bad == 1
         && strspn (self->bad_text, " \t") == strlen (self->bad_text);
}

static gboolean
check_line (const Table *self, guint n_columns, GError **error)
{
  if (self->n_fields != n_columns)
    return sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                        "'%s' line %" G_GINT64_FORMAT " has %u fields, the lines before it have %u",
                        self->name, self->line, self->n_fields, n_columns);
  return self->bad == 0
         || sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                         "'%s' line %" G_GINT64_FORMAT ", field %u: '%s' is no number", self->name,
                         self->line, self->bad, self->bad_text);
}

/* Reads all lines; the first one is the heading where it is no numbers. 0: an error. */
static guint
read_table (Table *self, GPtrArray *heading, GError **error)
{
  guint n_columns = 0;
  SluiceCsvResult result;
  self->heading = heading;
  while ((result = read_line (self, error)) == SLUICE_CSV_LAST_FIELD)
    {
      gboolean is_heading = n_columns == 0 && self->bad != 0;
      if (is_blank_line (self) || is_heading)
        self->numbers.n -= self->n_fields;
      if (n_columns == 0 && (is_blank_line (self) || !is_heading))
        g_ptr_array_set_size (heading, 0);
      if (is_blank_line (self))
        continue;
      if (n_columns == 0)
        n_columns = self->n_fields;
      self->heading = NULL;
      if (!is_heading && !check_line (self, n_columns, error))
        return 0;
    }
  if (result == SLUICE_CSV_FAILED)
    return 0;
  if (self->numbers.n == 0)
    sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "'%s' holds no line of numbers", self->name);
  return self->numbers.n > 0 ? n_columns : 0;
}

SluiceTensor *
sluice_csv_parse (const char *bytes, gsize length, const char *name, char ***names, GError **error)
{
  Table table = { .name = name, .field = g_string_new (NULL) };
  g_autoptr (GPtrArray) heading = g_ptr_array_new_with_free_func (g_free);
  SluiceTensor *out = NULL;
  sluice_csv_init (&table.reader, bytes, length, ',', TRUE);
  guint n_columns = read_table (&table, heading, error);
  if (n_columns > 0)
    out = sluice_tensor_new_checked (
        NULL, SLUICE_DOUBLE, &SLUICE_SHAPE ((gint64) (table.numbers.n / n_columns), n_columns),
        SLUICE_OWNER_NONE, error);
  if (out != NULL)
    memcpy (out->data, table.numbers.values, sluice_tensor_bytes (out));
  if (out != NULL && names != NULL && heading->len > 0)
    {
      g_ptr_array_add (heading, NULL);
      *names = g_strdupv ((char **) heading->pdata);
    }
  g_free (table.numbers.values);
  g_free (table.bad_text);
  g_string_free (table.field, TRUE);
  return out;
}
