/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Files: gzip or not, text or binary, GraphDef, MetaGraphDef or SavedModel, told apart by content.
 */
#include "engine/graph/graphdef-private.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/savedmodel-private.h"
#include "engine/graph/text-format.h"

#include <string.h>

#include "engine/base/read-file.h"
#include "engine/graph/graph-private.h"
#include "engine/graph/savedmodel.h"
#include "engine/graph/wire.h"

/* Text begins with a word, and has no control characters: a binary file has one within its first
 * tags. */
static gboolean
is_text (const guint8 *bytes, gsize length)
{
  gsize looked_at = MIN (length, 1024), at = 0;
  for (gsize i = 0; i < looked_at; i++)
    if (bytes[i] < ' ' && bytes[i] != '\n' && bytes[i] != '\r' && bytes[i] != '\t')
      return FALSE;
  while (at < length && (g_ascii_isspace (bytes[at]) || bytes[at] == '#'))
    if (bytes[at] == '#')
      while (at < length && bytes[at] != '\n')
        at++;
    else
      at++;
  gsize begin = at;
  while (at < length && (g_ascii_isalnum (bytes[at]) || bytes[at] == '_'))
    at++;
  return at > begin && g_ascii_isalpha (bytes[begin]);
}

/* Does the text begin with one of the words? */
static gboolean
text_begins (const char *text, gsize length, const char *const *words)
{
  const char *at = text, *end = text + length;
  while (at < end && (g_ascii_isspace (*at) || *at == '#'))
    if (*at == '#')
      while (at < end && *at != '\n')
        at++;
    else
      at++;
  for (; *words != NULL; words++)
    if ((gsize) (end - at) > strlen (*words) && strncmp (at, *words, strlen (*words)) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
text_is_meta (const char *text, gsize length)
{
  static const char *const words[] = { "meta_info_def",    "graph_def",
                                       "saver_def",        "collection_def",
                                       "signature_def",    "asset_file_def",
                                       "object_graph_def", NULL };
  return text_begins (text, length, words);
}

static gboolean
text_is_saved_model (const char *text, gsize length)
{
  static const char *const words[] = { "saved_model_schema_version", "meta_graphs", NULL };
  return text_begins (text, length, words);
}

/* The payload of a message's first field of that number. */
static gboolean
find_field (const SluiceWireField *message, guint number, SluiceWireField *field)
{
  const guint8 *at = message->data, *end = message->data + message->length;
  while (sluice_wire_next (&at, end, field))
    if (field->number == number)
      return field->wire_type == SLUICE_WIRE_BYTES;
  return FALSE;
}

/* A NodeDef has a name and an op where other messages have messages. */
static gboolean
looks_like_node (const SluiceWireField *message)
{
  SluiceWireField name, op;
  if (!find_field (message, 1, &name) || !find_field (message, 2, &op) || name.length == 0
      || op.length == 0)
    return FALSE;
  return (g_ascii_isalnum (name.data[0]) || name.data[0] == '_' || name.data[0] == '.')
         && (g_ascii_isalpha (op.data[0]) || op.data[0] == '_');
}

/* GraphDef has nodes in field 1; MetaGraphDef a GraphDef in field 2, and its nodes there. */
static gboolean
binary_is_meta (const guint8 *bytes, gsize length)
{
  SluiceWireField file = { .data = bytes, .length = length }, first, graph, node;
  if (find_field (&file, 1, &first) && looks_like_node (&first))
    return FALSE;
  if (find_field (&file, 2, &graph) && find_field (&graph, 1, &node) && looks_like_node (&node))
    return TRUE;
  for (guint number = 5; number <= 7; number++)
    if (find_field (&file, number, &node))
      return TRUE;
  return FALSE;
}

/* What a file of messages is; tags are for a SavedModel alone. */
typedef struct
{
  const guint8 *bytes;
  gsize length;
  gboolean is_text, is_meta, is_saved_model;
  const char *const *tags;
} File;

/* Of a SavedModel the bytes are narrowed to the MetaGraph. */
static gboolean
tell_apart (File *file, GError **error)
{
  const char *text = (const char *) file->bytes;
  file->is_text = is_text (file->bytes, file->length);
  file->is_saved_model = file->is_text ? text_is_saved_model (text, file->length)
                                       : sluice_saved_model_is_binary (file->bytes, file->length);
  if (file->tags != NULL && !file->is_saved_model)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "it is no SavedModel, and has no MetaGraphs to choose from by tags");
  if (file->is_saved_model && !file->is_text
      && !sluice_saved_model_pick (&file->bytes, &file->length, file->tags, error))
    return FALSE;
  file->is_meta = file->is_saved_model
                  || (file->is_text ? text_is_meta (text, file->length)
                                    : binary_is_meta (file->bytes, file->length));
  return TRUE;
}

/* The short way, of binary files. NULL: try the long one. */
static const Tensorflow__GraphDef *
read_raw (SluiceArena *arena, const File *file, const Tensorflow__MetaGraphDef **meta)
{
  *meta = NULL;
  if (file->is_text)
    return NULL;
  if (!file->is_meta)
    return sluice_raw_read_graph (arena, file->bytes, file->length);
  *meta = sluice_raw_read_meta (arena, file->bytes, file->length);
  return *meta != NULL ? (*meta)->graph_def : NULL;
}

static void *
read_message (SluiceArena *arena,
              const File *file,
              const Tensorflow__MetaGraphDef **meta,
              GError **error)
{
  const ProtobufCMessageDescriptor *descriptor =
      file->is_meta ? &tensorflow__meta_graph_def__descriptor : &tensorflow__graph_def__descriptor;
  const char *text = (const char *) file->bytes;
  void *message;
  if (file->is_text && file->is_saved_model)
    message = sluice_saved_model_pick_text (arena, text, file->length, file->tags, error);
  else if (file->is_text)
    message = sluice_text_parse (arena, descriptor, text, file->length, error);
  else
    message = sluice_wire_unpack (arena, descriptor, file->bytes, file->length, error);
  if (message == NULL || !file->is_meta)
    return message;
  *meta = message;
  if ((*meta)->graph_def == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "the MetaGraphDef holds no graph_def");
      return NULL;
    }
  return (*meta)->graph_def;
}

static gboolean
import_tagged (SluiceGraph *self, GBytes *bytes, const char *const *tags, GError **error)
{
  File file = { .tags = tags };
  g_autoptr (GBytes) unzipped = NULL;
  file.bytes = g_bytes_get_data (bytes, &file.length);
  if (file.length > SLUICE_MAX_FILE_BYTES)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "more than 2 GiB, the limit of the format: keep weights in a checkpoint, "
                        "not in the graph");
  if (sluice_read_is_gzip (bytes))
    {
      unzipped = sluice_read_unzip (bytes, SLUICE_MAX_FILE_BYTES, error);
      if (unzipped == NULL)
        return FALSE;
      file.bytes = g_bytes_get_data (unzipped, &file.length);
    }
  if (file.length == 0)
    return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "nothing to read: the file is empty");
  if (!tell_apart (&file, error))
    return FALSE;
  g_auto (SluiceArena) arena;
  sluice_arena_init (&arena);
  const Tensorflow__MetaGraphDef *meta;
  const Tensorflow__GraphDef *def = read_raw (&arena, &file, &meta);
  if (def != NULL && sluice_graph_import_def (self, def, meta, NULL))
    return TRUE;
  /* The long way says what is wrong, and where in the file. */
  meta = NULL;
  def = read_message (&arena, &file, &meta, error);
  return def != NULL && sluice_graph_import_def (self, def, meta, error);
}

gboolean
sluice_graph_import (SluiceGraph *self, GBytes *bytes, GError **error)
{
  return import_tagged (self, bytes, NULL, error);
}

SluiceGraph *
sluice_graph_load_file (const char *path, GError **error)
{
  return sluice_graph_load_tagged (path, NULL, error);
}

SluiceGraph *
sluice_graph_load_tagged (const char *path_or_folder, const char *const *tags, GError **error)
{
  g_autofree char *path = sluice_saved_model_dup_file (path_or_folder, error);
  if (path == NULL)
    return NULL;
  g_autoptr (GBytes) bytes =
      sluice_read_file ("graph", path, SLUICE_READ_PLAIN, SLUICE_MAX_FILE_BYTES, error);
  if (bytes == NULL)
    return NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  if (!import_tagged (graph, bytes, tags, error))
    {
      g_prefix_error (error, "%s: ", path);
      return NULL;
    }
  return g_steal_pointer (&graph);
}
