/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Files: gzip or not, text or binary, GraphDef or MetaGraphDef, told apart by content. */
#include "engine/graph/graphdef.h"

#include <string.h>

#include "engine/base/read-file.h"
#include "engine/graph/graph-private.h"
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

static gboolean
text_is_meta (const char *text, gsize length)
{
  static const char *const words[] = { "meta_info_def",  "graph_def",     "saver_def",
                                       "collection_def", "signature_def", "asset_file_def" };
  const char *at = text, *end = text + length;
  while (at < end && (g_ascii_isspace (*at) || *at == '#'))
    if (*at == '#')
      while (at < end && *at != '\n')
        at++;
    else
      at++;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if ((gsize) (end - at) > strlen (words[i]) && strncmp (at, words[i], strlen (words[i])) == 0)
      return TRUE;
  return FALSE;
}

/* The payload of a message's first field of that number. */
static gboolean
find_field (const SluiceWireField *message, guint number, SluiceWireField *field)
{
  const guint8 *at = message->data, *end = message->data + message->length;
  while (sluice_wire_next (&at, end, field))
    if (field->number == number)
      return field->wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
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

/* The short way, of binary files. NULL: try the long one. */
static const Tensorflow__GraphDef *
read_raw (SluiceArena *arena,
          const guint8 *bytes,
          gsize length,
          const Tensorflow__MetaGraphDef **meta)
{
  *meta = NULL;
  if (is_text (bytes, length))
    return NULL;
  if (!binary_is_meta (bytes, length))
    return sluice_raw_read_graph (arena, bytes, length);
  *meta = sluice_raw_read_meta (arena, bytes, length);
  return *meta != NULL ? (*meta)->graph_def : NULL;
}

static void *
read_message (SluiceArena *arena,
              const guint8 *bytes,
              gsize length,
              const Tensorflow__MetaGraphDef **meta,
              GError **error)
{
  gboolean text = is_text (bytes, length);
  gboolean is_meta =
      text ? text_is_meta ((const char *) bytes, length) : binary_is_meta (bytes, length);
  const ProtobufCMessageDescriptor *descriptor =
      is_meta ? &tensorflow__meta_graph_def__descriptor : &tensorflow__graph_def__descriptor;
  void *message = text ? sluice_text_parse (arena, descriptor, (const char *) bytes, length, error)
                       : sluice_wire_unpack (arena, descriptor, bytes, length, error);
  if (message == NULL || !is_meta)
    return message;
  *meta = message;
  if ((*meta)->graph_def == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "the MetaGraphDef holds no graph_def");
      return NULL;
    }
  return (*meta)->graph_def;
}

gboolean
sluice_graph_import (SluiceGraph *self, GBytes *bytes, GError **error)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (bytes, &length);
  g_autoptr (GBytes) unzipped = NULL;
  if (length > SLUICE_MAX_FILE_BYTES)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "more than 2 GiB, the limit of the format: keep weights in a checkpoint, "
                        "not in the graph");
  if (sluice_read_is_gzip (bytes))
    {
      unzipped = sluice_read_unzip (bytes, SLUICE_MAX_FILE_BYTES, error);
      if (unzipped == NULL)
        return FALSE;
      data = g_bytes_get_data (unzipped, &length);
    }
  if (length == 0)
    return sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "nothing to read: the file is empty");
  g_auto (SluiceArena) arena;
  sluice_arena_init (&arena);
  const Tensorflow__MetaGraphDef *meta;
  const Tensorflow__GraphDef *def = read_raw (&arena, data, length, &meta);
  if (def != NULL && sluice_graph_import_def (self, def, meta, NULL))
    return TRUE;
  /* The long way says what is wrong, and where in the file. */
  meta = NULL;
  def = read_message (&arena, data, length, &meta, error);
  return def != NULL && sluice_graph_import_def (self, def, meta, error);
}

SluiceGraph *
sluice_graph_load_file (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes =
      sluice_read_file ("graph", path, SLUICE_READ_PLAIN, SLUICE_MAX_FILE_BYTES, error);
  if (bytes == NULL)
    return NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  if (!sluice_graph_import (graph, bytes, error))
    {
      g_prefix_error (error, "%s: ", path);
      return NULL;
    }
  return g_steal_pointer (&graph);
}
