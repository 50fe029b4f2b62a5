/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/tfdbg.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/base/wire.h"
#include "engine/graph/tensorproto.h"
#include "engine/store/event-reader.h"

/* Field numbers: tensorflow/core/protobuf/debug_event.proto. */
enum
{
  EVENT_GRAPH_TRACE = 10,
  TRACE_OP_NAME = 2,
  TRACE_SLOT = 3,
  TRACE_MODE = 4,
  TRACE_TENSOR = 5,
  MODE_FULL_TENSOR = 7,
};

#define PREFIX "tfdbg_events."
#define SUFFIX ".graph_execution_traces"

struct _SluiceTfdbg
{
  char *path;
  GHashTable *values; /* edge -> GBytes of a TensorProto */
  GPtrArray *names;   /* keys of values */
  guint64 n_others;   /* records of values in another mode */
};

/* ---- records ---- */

static void
parse_trace (const SluiceWireField *trace, SluiceTfdbgValue *value)
{
  const guint8 *at = trace->data, *end = at + trace->length;
  SluiceWireField field;
  g_autofree char *name = NULL;
  guint64 slot = 0;
  while (sluice_wire_next (&at, end, &field))
    if (field.number == TRACE_OP_NAME && field.wire_type == SLUICE_WIRE_BYTES)
      {
        g_free (name);
        name = g_utf8_make_valid ((const char *) field.data, (gssize) field.length);
      }
    else if (field.number == TRACE_SLOT)
      slot = field.value;
    else if (field.number == TRACE_MODE)
      value->mode = field.value;
    else if (field.number == TRACE_TENSOR && field.wire_type == SLUICE_WIRE_BYTES)
      {
        value->tensor = field.data;
        value->length = field.length;
      }
  if (name == NULL || value->tensor == NULL)
    return;
  value->edge =
      slot == 0 ? g_steal_pointer (&name) : g_strdup_printf ("%s:%" G_GUINT64_FORMAT, name, slot);
}

void
sluice_tfdbg_parse (const guint8 *record, gsize length, SluiceTfdbgValue *value)
{
  const guint8 *at = record, *end = record + length;
  SluiceWireField field;
  *value = (SluiceTfdbgValue){ NULL };
  while (value->edge == NULL && sluice_wire_next (&at, end, &field))
    if (field.number == EVENT_GRAPH_TRACE && field.wire_type == SLUICE_WIRE_BYTES)
      parse_trace (&field, value);
}

void
sluice_tfdbg_value_clear (SluiceTfdbgValue *value)
{
  g_clear_pointer (&value->edge, g_free);
}

static void
take (SluiceTfdbg *self, const guint8 *record, gsize length)
{
  SluiceTfdbgValue value;
  sluice_tfdbg_parse (record, length, &value);
  if (value.edge != NULL && value.mode != MODE_FULL_TENSOR)
    self->n_others++;
  else if (value.edge != NULL && !g_hash_table_contains (self->values, value.edge))
    {
      char *edge = g_steal_pointer (&value.edge);
      g_hash_table_insert (self->values, edge, g_bytes_new (value.tensor, value.length));
      g_ptr_array_add (self->names, edge);
    }
  sluice_tfdbg_value_clear (&value);
}

/* ---- files ---- */

static gboolean
is_file (const char *name)
{
  return g_str_has_prefix (name, PREFIX) && g_str_has_suffix (name, SUFFIX);
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Those of a folder, by name; or the file itself. (transfer full) */
static GPtrArray *
list_files (const char *path)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *own = g_path_get_basename (path);
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  if (folder == NULL && is_file (own))
    g_ptr_array_add (files, g_strdup (path));
  for (const char *name; folder != NULL && (name = g_dir_read_name (folder)) != NULL;)
    if (is_file (name))
      g_ptr_array_add (files, g_build_filename (path, name, NULL));
  g_ptr_array_sort (files, compare_texts);
  return files;
}

gboolean
sluice_tfdbg_is (const char *path)
{
  g_autoptr (GPtrArray) files = list_files (path);
  return files->len > 0;
}

/* A program that still writes leaves a torn end. */
static gboolean
read_file (SluiceTfdbg *self, const char *path, GError **error)
{
  g_autoptr (SluiceEventReader) reader = sluice_event_reader_open (path, error);
  SluiceEventsResult result = reader != NULL ? SLUICE_EVENTS_ONE : SLUICE_EVENTS_FAILED;
  const guint8 *data;
  gsize length;
  while (result == SLUICE_EVENTS_ONE)
    if ((result = sluice_event_reader_next (reader, &data, &length, error)) == SLUICE_EVENTS_ONE)
      take (self, data, length);
  if (result == SLUICE_EVENTS_DAMAGED)
    return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "'%s': %s", path,
                        sluice_event_reader_get_damage (reader));
  return result != SLUICE_EVENTS_FAILED;
}

SluiceTfdbg *
sluice_tfdbg_open (const char *path, GError **error)
{
  g_autoptr (SluiceTfdbg) self = g_new0 (SluiceTfdbg, 1);
  g_autoptr (GPtrArray) files = list_files (path);
  self->path = g_strdup (path);
  self->values =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref);
  self->names = g_ptr_array_new ();
  for (guint i = 0; i < files->len; i++)
    if (!read_file (self, files->pdata[i], error))
      return NULL;
  if (self->names->len > 0)
    return g_steal_pointer (&self);
  if (self->n_others > 0)
    sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                 "'%s' has figures about values and no values; dump them with "
                 "tf.debugging.experimental.enable_dump_debug_info (…, "
                 "tensor_debug_mode=\"FULL_TENSOR\")",
                 path);
  else
    sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                 "'%s' has no values of a graph; TensorFlow dumps those of tf.functions and of "
                 "sessions",
                 path);
  return NULL;
}

void
sluice_tfdbg_free (SluiceTfdbg *self)
{
  g_hash_table_unref (self->values);
  g_ptr_array_unref (self->names);
  g_free (self->path);
  g_free (self);
}

GPtrArray *
sluice_tfdbg_dup_names (const SluiceTfdbg *self)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < self->names->len; i++)
    g_ptr_array_add (names, g_strdup (self->names->pdata[i]));
  return names;
}

SluiceTensor *
sluice_tfdbg_read (const SluiceTfdbg *self, const char *name, GError **error)
{
  GBytes *bytes = g_hash_table_lookup (self->values, name);
  gsize length;
  if (bytes == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "'%s' has no '%s'", self->path, name);
      return NULL;
    }
  const guint8 *data = g_bytes_get_data (bytes, &length);
  SluiceTensor *tensor = sluice_tensor_from_proto (data, length, error);
  if (tensor == NULL)
    g_prefix_error (error, "'%s': '%s': ", self->path, name);
  return tensor;
}
