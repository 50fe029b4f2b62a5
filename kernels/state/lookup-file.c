/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* InitializeTableFromTextFile: fills a table with keys and values from the lines of a file. */
#include <string.h>

#include "engine/store/file.h"
#include "kernels/io/io.h"
#include "kernels/state/lookup.h"
#include "kernels/string/number.h"
#include "kernels/string/text.h"

/* Indices that name no column. */
#define WHOLE_LINE  (-2)
#define LINE_NUMBER (-1)

typedef struct
{
  gint64 column[2]; /* of the key and of the value */
  gint64 n_lines;   /* that must be there; -1: all */
  gint64 offset;    /* added to line numbers */
  SluiceString delimiter;
} FileTable;

static void
file_free (gpointer state)
{
  FileTable *self = state;
  g_free (self->delimiter.data);
  g_free (self);
}

static gpointer
file_prepare (const SluiceNode *node, GError **error)
{
  const SluiceString *delimiter = sluice_node_get_string (node, "delimiter");
  if (delimiter->length != 1)
    {
      sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "delimiter must be one byte, not %" G_GSIZE_FORMAT, delimiter->length);
      return NULL;
    }
  FileTable *self = g_new0 (FileTable, 1);
  self->column[0] = sluice_node_get_int (node, "key_index");
  self->column[1] = sluice_node_get_int (node, "value_index");
  self->n_lines = sluice_node_get_int (node, "vocab_size");
  self->offset = sluice_node_get_int (node, "offset");
  sluice_string_set (&self->delimiter, delimiter->data, 1);
  return self;
}

/* May keys or values of that dtype come from there? */
static gboolean
check_column (SluiceKernelCall *call, gint64 column, SluiceDType dtype, const char *what)
{
  if (column == LINE_NUMBER && dtype != SLUICE_INT64)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "%s that are line numbers must be int64, not %s", what,
                             sluice_dtype_name (dtype));
  gboolean parsed = dtype == SLUICE_INT32 || dtype == SLUICE_INT64 || dtype == SLUICE_STRING
                    || (column != WHOLE_LINE && (dtype == SLUICE_FLOAT || dtype == SLUICE_DOUBLE));
  if (!parsed)
    return sluice_call_fail (
        call, SLUICE_ERROR_INVALID_ARGUMENT, "%s of type %s cannot be read from %s", what,
        sluice_dtype_name (dtype), column == WHOLE_LINE ? "whole lines" : "a column");
  return TRUE;
}

/* Text that is part of the file. */
typedef struct
{
  const char *data;
  gsize length;
} Piece;

/* The line at *at, without its end; moves on. */
static Piece
next_line (const char **at, const char *end)
{
  const char *stop = memchr (*at, '\n', end - *at);
  Piece line = { *at, (stop ? stop : end) - *at };
  *at = stop ? stop + 1 : end;
  if (stop != NULL && line.length > 0 && line.data[line.length - 1] == '\r')
    line.length--;
  return line;
}

/* Columns are counted from 0. FALSE: the line has fewer. */
static gboolean
find_column (Piece line, char delimiter, gint64 column, Piece *piece)
{
  const char *at = line.data, *end = at + line.length, *stop;
  for (; column >= 0; column--)
    {
      stop = memchr (at, delimiter, end - at);
      if (column == 0)
        *piece = (Piece){ at, (stop ? stop : end) - at };
      else if (stop == NULL)
        return FALSE;
      else
        at = stop + 1;
    }
  return TRUE;
}

/* Element i, out of line i. */
static gboolean
read_element (
    const FileTable *self, Piece line, gint64 column, SluiceTensor *to, gint64 i, GError **error)
{
  Piece piece = line;
  if (column == LINE_NUMBER)
    {
      ((gint64 *) to->data)[i] = (gint64) ((guint64) i + (guint64) self->offset);
      return TRUE;
    }
  if (column >= 0 && !find_column (line, *self->delimiter.data, column, &piece))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "line %" G_GINT64_FORMAT " has no column %" G_GINT64_FORMAT, i, column);
  if (to->dtype == SLUICE_STRING)
    {
      sluice_string_set (sluice_tensor_get_string (to, i), piece.data, piece.length);
      return TRUE;
    }
  if (sluice_parse_number (to->dtype, piece.data, piece.length,
                           (char *) to->data + i * sluice_dtype_size (to->dtype)))
    return TRUE;
  g_autofree char *quoted =
      sluice_string_quote (&(SluiceString){ (char *) piece.data, piece.length });
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "line %" G_GINT64_FORMAT ": %s is no %s", i, quoted,
                      sluice_dtype_name (to->dtype));
}

static gboolean
read_lines (
    const FileTable *self, const char *data, gsize length, SluiceTensor *to[2], GError **error)
{
  const char *at = data, *end = data + length;
  for (gint64 i = 0; i < to[0]->n_elements; i++)
    {
      Piece line = next_line (&at, end);
      if (line.length == 0)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "line %" G_GINT64_FORMAT " is empty", i);
      for (int k = 0; k < 2; k++)
        if (!read_element (self, line, self->column[k], to[k], i, error))
          return FALSE;
    }
  return TRUE;
}

/* How many lines there are to read. */
static gboolean
count_lines (const FileTable *self, const char *data, gsize length, gint64 *n, GError **error)
{
  const char *at = data, *end = data + length;
  for (*n = 0; at < end && *n != self->n_lines; ++*n)
    next_line (&at, end);
  if (*n < self->n_lines)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "there are %" G_GINT64_FORMAT " lines, vocab_size says %" G_GINT64_FORMAT,
                        *n, self->n_lines);
  if (*n == 0)
    return sluice_fail (error, SLUICE_ERROR_OUT_OF_RANGE, "there is no line to read");
  return TRUE;
}

static gboolean
fill_from (SluiceKernelCall *call, SluiceLookup *self, GMappedFile *file, GError **error)
{
  const FileTable *state = call->state;
  gsize length = g_mapped_file_get_length (file);
  const char *data = length ? g_mapped_file_get_contents (file) : "";
  gint64 n;
  if (!count_lines (state, data, length, &n, error))
    return FALSE;
  g_autoptr (SluiceTensor) keys = sluice_call_scratch (call, self->keys.dtype, &SLUICE_SHAPE (n));
  g_autoptr (SluiceTensor) values =
      keys ? sluice_call_scratch (call, self->values.dtype, &SLUICE_SHAPE (n)) : NULL;
  return values != NULL
         && read_lines (state, data, length, (SluiceTensor *[]){ keys, values }, error)
         && sluice_lookup_fill (self, keys, values, error);
}

static gboolean
fill_locked (SluiceKernelCall *call, SluiceLookup *self)
{
  const FileTable *state = call->state;
  if (self->kind != SLUICE_LOOKUP_FIXED)
    return sluice_call_fail (call, SLUICE_ERROR_INVALID_ARGUMENT,
                             "the table takes entries at any time and needs no filling");
  if (!check_column (call, state->column[0], self->keys.dtype, "keys")
      || !check_column (call, state->column[1], self->values.dtype, "values"))
    return FALSE;
  g_autofree char *path = sluice_call_dup_path (call, 1, SLUICE_FILE_READ);
  if (path == NULL)
    return FALSE;
  GError *error = NULL;
  g_autoptr (GMappedFile) file = sluice_file_map ("vocabulary", path, &error);
  if (file == NULL)
    return sluice_call_take_error (call, error);
  /* The table's name is of the file: what filled it was the same. */
  if (self->initialized)
    return TRUE;
  if (fill_from (call, self, file, &error))
    return TRUE;
  if (error != NULL)
    {
      sluice_call_fail (call, error->code, "'%s': %s", path, error->message);
      g_error_free (error);
    }
  return FALSE;
}

static gboolean
file_compute (SluiceKernelCall *call)
{
  SluiceLookup *self = sluice_call_lookup (call);
  if (self == NULL)
    return FALSE;
  pthread_mutex_lock (&self->lock);
  gboolean ok = fill_locked (call, self);
  pthread_mutex_unlock (&self->lock);
  sluice_resource_unref (&self->parent);
  return ok;
}

#define KERNEL(name)                                                                               \
  {                                                                                                \
    .op = name, .device = "CPU", .flags = SLUICE_KERNEL_KEEPS_DENORMALS, .prepare = file_prepare,  \
    .free_state = file_free, .compute = file_compute                                               \
  }
static const SluiceKernel kernels[] = { KERNEL ("InitializeTableFromTextFile"),
                                        KERNEL ("InitializeTableFromTextFileV2") };

const SluiceKernelModule sluice_module_state_lookup_file = { .kernels = kernels,
                                                             .n_kernels = G_N_ELEMENTS (kernels) };
