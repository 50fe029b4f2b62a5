/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/data.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/base/read-file.h"

/* ---- IDX: MNIST's format ---- */

static SluiceDType
idx_dtype (guint8 code)
{
  switch (code)
    {
    case 0x08:
      return SLUICE_UINT8;
    case 0x09:
      return SLUICE_INT8;
    case 0x0b:
      return SLUICE_INT16;
    case 0x0c:
      return SLUICE_INT32;
    case 0x0d:
      return SLUICE_FLOAT;
    case 0x0e:
      return SLUICE_DOUBLE;
    default:
      return SLUICE_INVALID;
    }
}

static void
copy_big_endian (guint8 *to, const guint8 *from, gint64 n, gsize size)
{
  for (gint64 i = 0; i < n; i++)
    for (gsize k = 0; k < size; k++)
      to[i * size + k] = from[i * size + (G_BYTE_ORDER == G_LITTLE_ENDIAN ? size - 1 - k : k)];
}

SluiceTensor *
sluice_idx_parse (const guint8 *bytes, gsize length, const char *name, GError **error)
{
  SluiceDType dtype =
      length >= 4 && bytes[0] == 0 && bytes[1] == 0 ? idx_dtype (bytes[2]) : SLUICE_INVALID;
  guint rank = length >= 4 ? bytes[3] : 0;
  if (dtype == SLUICE_INVALID)
    {
      sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                   "'%s' is no IDX file: it does not begin with 0, 0, type, rank", name);
      return NULL;
    }
  gint64 dims[256];
  if (length < 4 + 4 * (gsize) rank)
    {
      sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "'%s' ends within its header", name);
      return NULL;
    }
  for (guint i = 0; i < rank; i++)
    {
      guint32 dim;
      memcpy (&dim, bytes + 4 + 4 * i, 4);
      dims[i] = GUINT32_FROM_BE (dim);
    }
  SluiceShape shape;
  if (!sluice_shape_make (&shape, dims, rank, error))
    {
      g_prefix_error (error, "'%s': ", name);
      return NULL;
    }
  gsize size = sluice_dtype_size (dtype), have = length - 4 - 4 * (gsize) rank;
  gint64 n = sluice_shape_n_elements (&shape);
  if ((guint64) n != have / size || have % size != 0)
    {
      char text[SLUICE_SHAPE_STR];
      sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                   "'%s' is %s: its header says %s of %s, there are %" G_GSIZE_FORMAT " bytes",
                   name, (guint64) n > have / size ? "cut off" : "longer than it should be",
                   sluice_shape_str (&shape, text), sluice_dtype_name (dtype), have);
      return NULL;
    }
  SluiceTensor *tensor = sluice_tensor_new_checked (NULL, dtype, &shape, SLUICE_OWNER_NONE, error);
  if (tensor != NULL)
    copy_big_endian (tensor->data, bytes + 4 + 4 * (gsize) rank, n, size);
  return tensor;
}

/* ---- files ---- */

/* Plain ones are mapped: they may be larger than memory, of which only the tensor is wanted. */
static GBytes *
read_file (const char *path, GError **error)
{
  gboolean packed = g_str_has_suffix (path, ".gz");
  g_autoptr (GBytes) bytes =
      sluice_read_file ("data file", path, SLUICE_READ_MAPPED, G_MAXINT64 / 2, error);
  if (bytes == NULL || !packed || !sluice_read_is_gzip (bytes))
    return g_steal_pointer (&bytes);
  GBytes *unpacked = sluice_read_unzip (bytes, G_MAXINT64 / 2, error);
  if (unpacked == NULL)
    g_prefix_error (error, "data file '%s': ", path);
  return unpacked;
}

static SluiceTensor *
load_idx (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = read_file (path, error);
  if (bytes == NULL)
    return NULL;
  gsize length;
  const guint8 *data = g_bytes_get_data (bytes, &length);
  return sluice_idx_parse (data, length, path, error);
}

/* Bytes as they are. */
static SluiceTensor *
load_text (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = read_file (path, error);
  if (bytes == NULL)
    return NULL;
  gsize length;
  const void *data = g_bytes_get_data (bytes, &length);
  SluiceTensor *text = sluice_tensor_new_checked (NULL, SLUICE_UINT8, &SLUICE_SHAPE (length),
                                                  SLUICE_OWNER_NONE, error);
  if (text != NULL && length > 0)
    memcpy (text->data, data, length);
  return text;
}

/* (nullable): NULL where they are no numbers to learn from. */
static SluiceTensor *
parse_numbers (const guint8 *data, gsize length, const char *path, GError **error)
{
  g_autoptr (SluiceTensor) tensor = sluice_npy_parse (data, length, path, error);
  if (tensor == NULL || sluice_dtype_in (tensor->dtype, SLUICE_SET_REAL | SLUICE_SET (SLUICE_BOOL)))
    return g_steal_pointer (&tensor);
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' holds %s; data are real numbers", path,
               sluice_dtype_name (tensor->dtype));
  return NULL;
}

/* "file.npz:member" or "file.npy". */
static SluiceTensor *
load_npy (const char *path, GError **error)
{
  const char *colon = strstr (path, ".npz:");
  g_autofree char *file = colon != NULL ? g_strndup (path, colon + 4 - path) : g_strdup (path);
  g_autoptr (GBytes) bytes = read_file (file, error);
  if (bytes == NULL)
    return NULL;
  gsize length;
  const guint8 *data = g_bytes_get_data (bytes, &length);
  if (colon == NULL)
    return parse_numbers (data, length, path, error);
  g_autoptr (GBytes) member = sluice_npz_read (data, length, colon + 5, file, error);
  if (member == NULL)
    return NULL;
  data = g_bytes_get_data (member, &length);
  return parse_numbers (data, length, path, error);
}

/* ---- CSV with y as a column ---- */

static int
find_column (const SluiceProject *project, char **names, gint64 n_columns)
{
  guint64 number;
  if (project->y_column == NULL)
    return n_columns - 1;
  for (gint64 i = 0; names != NULL && names[i] != NULL; i++)
    if (strcmp (names[i], project->y_column) == 0)
      return i;
  if (g_ascii_string_to_unsigned (project->y_column, 10, 0, n_columns - 1, &number, NULL))
    return number;
  return -1;
}

static SluiceTensor *
load_csv (const char *path, char ***names, GError **error)
{
  g_autoptr (GBytes) bytes = read_file (path, error);
  if (bytes == NULL)
    return NULL;
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  return sluice_csv_parse (data, length, path, names, error);
}

static gboolean
split_csv (SluiceExamples *self, const SluiceProject *project, const char *path, GError **error)
{
  g_auto (GStrv) names = NULL;
  g_autoptr (SluiceTensor) table = load_csv (path, &names, error);
  if (table == NULL)
    return FALSE;
  gint64 rows = table->shape.dim[0], columns = table->shape.dim[1];
  int at = find_column (project, names, columns);
  if (at < 0 || columns < 2)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' has %" G_GINT64_FORMAT " columns and no '%s' for y", path, columns,
                        project->y_column != NULL ? project->y_column : "other column");
  self->x = sluice_tensor_new_checked (NULL, SLUICE_DOUBLE, &SLUICE_SHAPE (rows, columns - 1),
                                       SLUICE_OWNER_NONE, error);
  self->y = sluice_tensor_new_checked (NULL, SLUICE_DOUBLE, &SLUICE_SHAPE (rows), SLUICE_OWNER_NONE,
                                       error);
  if (self->x == NULL || self->y == NULL)
    return FALSE;
  const double *from = table->data;
  double *x = self->x->data, *y = self->y->data;
  for (gint64 r = 0; r < rows; r++)
    for (gint64 c = 0; c < columns; c++)
      if (c == at)
        *y++ = from[r * columns + c];
      else
        *x++ = from[r * columns + c];
  return TRUE;
}

/* ---- a split ---- */

void
sluice_examples_free (SluiceExamples *self)
{
  g_clear_pointer (&self->x, sluice_tensor_unref);
  g_clear_pointer (&self->y, sluice_tensor_unref);
  g_free (self);
}

/* (nullable) */
static SluiceTensor *
view (SluiceTensor *tensor, const SluiceShape *shape, gint64 offset, GError **error)
{
  SluiceTensor *self = sluice_tensor_new_view (tensor, shape, offset);
  if (self == NULL)
    sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED, "no memory for a view of the data");
  return self;
}

static SluiceTensor *
load_tensor (const SluiceProject *project, const char *path, GError **error)
{
  if (strcmp (project->source, "idx") == 0)
    return load_idx (path, error);
  if (strcmp (project->source, "npy") == 0)
    return load_npy (path, error);
  if (strcmp (project->source, "text") == 0)
    return load_text (path, error);
  SluiceTensor *table = load_csv (path, NULL, error);
  if (table == NULL || table->shape.dim[1] != 1)
    return table;
  SluiceTensor *column = view (table, &SLUICE_SHAPE (table->shape.dim[0]), 0, error);
  sluice_tensor_unref (table);
  return column;
}

/* A sequence in parts of the project's shape; y is the same, one element later. */
static gboolean
split_sequence (SluiceExamples *self,
                const SluiceProject *project,
                const char *path,
                GError **error)
{
  g_autoptr (SluiceTensor) sequence = load_tensor (project, path, error);
  if (sequence == NULL)
    return FALSE;
  char have[SLUICE_SHAPE_STR];
  gint64 length = project->n_shape == 1 ? project->shape[0] : 0;
  gint64 n = length > 0 ? (sequence->n_elements - 1) / length : 0;
  if (sequence->shape.rank != 1 || n < 1)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' holds %s; without a file for y it must be one sequence, longer than "
                        "an example, and [data] shape the length of an example",
                        path, sluice_shape_str (&sequence->shape, have));
  self->x = view (sequence, &SLUICE_SHAPE (n, length), 0, error);
  self->y = self->x != NULL ? view (sequence, &SLUICE_SHAPE (n, length), 1, error) : NULL;
  return self->y != NULL;
}

/* Gives each example of x the shape that the project names. */
static gboolean
apply_shape (SluiceExamples *self, const SluiceProject *project, const char *path, GError **error)
{
  if (project->shape == NULL)
    return TRUE;
  gint64 dims[SLUICE_MAX_RANK] = { self->x->shape.dim[0] };
  SluiceShape shape;
  if (project->n_shape + 1 > SLUICE_MAX_RANK)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "[data] shape has more than %d sizes",
                        SLUICE_MAX_RANK - 1);
  for (guint i = 0; i < project->n_shape; i++)
    dims[i + 1] = project->shape[i];
  if (!sluice_shape_make (&shape, dims, project->n_shape + 1, error))
    return FALSE;
  if (sluice_shape_n_elements (&shape) != self->x->n_elements)
    {
      char have[SLUICE_SHAPE_STR], want[SLUICE_SHAPE_STR];
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "'%s' holds %s, which is not %s as [data] shape says", path,
                          sluice_shape_str (&self->x->shape, have),
                          sluice_shape_str (&shape, want));
    }
  SluiceTensor *shaped = view (self->x, &shape, 0, error);
  if (shaped == NULL)
    return FALSE;
  sluice_tensor_unref (self->x);
  self->x = shaped;
  return TRUE;
}

SluiceExamples *
sluice_examples_load (const SluiceProject *project, gboolean test, GError **error)
{
  const char *x_path = test ? project->test_x : project->train_x;
  const char *y_path = test ? project->test_y : project->train_y;
  g_autoptr (SluiceExamples) self = g_new0 (SluiceExamples, 1);
  if (x_path == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "key '%s-x' in group [data] is missing",
                   test ? "test" : "train");
      return NULL;
    }
  if (y_path == NULL)
    {
      gboolean is_table = strcmp (project->source, "csv") == 0;
      if (!(is_table ? split_csv : split_sequence) (self, project, x_path, error))
        return NULL;
    }
  else
    {
      self->x = load_tensor (project, x_path, error);
      self->y = self->x != NULL ? load_tensor (project, y_path, error) : NULL;
      if (self->y == NULL)
        return NULL;
    }
  if (self->x->shape.rank == 0 || self->y->shape.rank == 0
      || self->x->shape.dim[0] != self->y->shape.dim[0] || self->x->shape.dim[0] == 0)
    {
      char a[SLUICE_SHAPE_STR], b[SLUICE_SHAPE_STR];
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   "'%s' holds %s and '%s' holds %s; both must have the same number of examples, "
                   "and at least one",
                   x_path, sluice_shape_str (&self->x->shape, a), y_path != NULL ? y_path : x_path,
                   sluice_shape_str (&self->y->shape, b));
      return NULL;
    }
  self->n = self->x->shape.dim[0];
  return apply_shape (self, project, x_path, error) ? g_steal_pointer (&self) : NULL;
}

gboolean
sluice_examples_load_all (const SluiceProject *project,
                          SluiceExamples **train,
                          SluiceExamples **test,
                          GError **error)
{
  *train = *test = NULL;
  if (sluice_project_has_own_input (project))
    return TRUE;
  *train = sluice_examples_load (project, FALSE, error);
  if (*train != NULL && sluice_project_evaluates (project))
    *test = sluice_examples_load (project, TRUE, error);
  return *train != NULL && (*test != NULL || !sluice_project_evaluates (project));
}
