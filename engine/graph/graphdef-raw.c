/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * The short way from a file to nodes. protobuf-c makes of a large graph ten times its bytes, most
 * of them attributes that are read once; here nodes are read straight from the wire format, and
 * their attributes stay bytes until the node is made. Whatever is not quite as usual, damage as
 * well as what a newer program wrote, is left to the long way, which knows and explains it.
 */
#include <string.h>

#include "engine/graph/graphdef-private.h"
#include "engine/graph/wire.h"

enum /* field numbers */
{
  GRAPH_NODE = 1,
  META_GRAPH_DEF = 2,
  NODE_NAME = 1,
  NODE_OP = 2,
  NODE_INPUT = 3,
  NODE_DEVICE = 4,
  NODE_ATTR = 5,
  ENTRY_KEY = 1,
  ENTRY_VALUE = 2,
  VALUE_LIST = 1,
  VALUE_S = 2,
  VALUE_I = 3,
  VALUE_F = 4,
  VALUE_B = 5,
  VALUE_TYPE = 6,
  VALUE_SHAPE = 7,
  SHAPE_DIM = 2,
  SHAPE_UNKNOWN_RANK = 3,
  DIM_SIZE = 1,
};

static gboolean
is_bytes (const SluiceWireField *field)
{
  return field->wire_type == SLUICE_WIRE_BYTES;
}

static gboolean
is_varint (const SluiceWireField *field)
{
  return field->wire_type == SLUICE_WIRE_VARINT;
}

static char *
dup_text (SluiceArena *arena, const SluiceWireField *field)
{
  if (!is_bytes (field) || !sluice_wire_is_text (field->data, field->length))
    return NULL;
  char *text = sluice_arena_try_alloc (arena, field->length + 1);
  if (text == NULL)
    return NULL;
  memcpy (text, field->data, field->length);
  text[field->length] = '\0';
  return text;
}

/* ---- nodes ---- */

typedef struct
{
  Tensorflow__AttrEntry entry;
  SluiceRawAttr raw;
} Entry;

static gboolean
read_entry (SluiceArena *arena, const SluiceWireField *message, Entry *entry)
{
  const guint8 *at = message->data, *end = message->data + message->length;
  SluiceWireField field;
  tensorflow__attr_entry__init (&entry->entry);
  while (at < end)
    {
      if (!sluice_wire_next (&at, end, &field) || !is_bytes (&field))
        return FALSE;
      if (field.number == ENTRY_KEY)
        {
          entry->entry.key = dup_text (arena, &field);
          if (entry->entry.key == NULL)
            return FALSE;
        }
      else if (field.number == ENTRY_VALUE && entry->entry.value == NULL)
        {
          entry->raw = (SluiceRawAttr){ .bytes = field.data, .length = field.length };
          entry->entry.value = (Tensorflow__AttrValue *) &entry->raw;
        }
      else
        return FALSE;
    }
  return TRUE;
}

/* Makes room for the inputs and attributes, and counts them up again while they are read. */
static gboolean
make_room (SluiceArena *arena,
           const SluiceWireField *message,
           Tensorflow__NodeDef *node,
           Entry **entries)
{
  const guint8 *at = message->data, *end = message->data + message->length;
  gsize n_inputs = 0, n_attrs = 0;
  SluiceWireField field;
  while (at < end)
    {
      if (!sluice_wire_next (&at, end, &field) || !is_bytes (&field) || field.number > NODE_ATTR)
        return FALSE;
      n_inputs += field.number == NODE_INPUT;
      n_attrs += field.number == NODE_ATTR;
    }
  node->input = sluice_arena_try_alloc (arena, n_inputs * sizeof (char *));
  node->attr = sluice_arena_try_alloc (arena, n_attrs * sizeof (Tensorflow__AttrEntry *));
  *entries = sluice_arena_try_alloc (arena, n_attrs * sizeof (Entry));
  return node->input != NULL && node->attr != NULL && *entries != NULL;
}

static gboolean
read_node_field (SluiceArena *arena,
                 const SluiceWireField *field,
                 Tensorflow__NodeDef *node,
                 Entry *entries)
{
  if (field->number == NODE_ATTR)
    {
      Entry *entry = &entries[node->n_attr];
      node->attr[node->n_attr++] = &entry->entry;
      return read_entry (arena, field, entry);
    }
  char *text = dup_text (arena, field);
  switch (field->number)
    {
    case NODE_NAME:
      node->name = text;
      break;
    case NODE_OP:
      node->op = text;
      break;
    case NODE_DEVICE:
      node->device = text;
      break;
    default:
      node->input[node->n_input++] = text;
      break;
    }
  return text != NULL;
}

static Tensorflow__NodeDef *
read_node (SluiceArena *arena, const SluiceWireField *message)
{
  Tensorflow__NodeDef *node = sluice_arena_try_alloc (arena, sizeof *node);
  if (node == NULL)
    return NULL;
  tensorflow__node_def__init (node);
  Entry *entries;
  if (!make_room (arena, message, node, &entries))
    return NULL;
  const guint8 *at = message->data, *end = message->data + message->length;
  SluiceWireField field;
  while (at < end)
    if (!sluice_wire_next (&at, end, &field) || !read_node_field (arena, &field, node, entries))
      return NULL;
  return node;
}

/* ---- the file ---- */

/* Splits a message: the fields of one number go into @taken, the others, as they stand, into
 * @rest. */
static gboolean
take_apart (const guint8 *bytes, gsize length, guint number, GArray *taken, GByteArray *rest)
{
  const guint8 *at = bytes, *end = bytes + length;
  while (at < end)
    {
      SluiceWireField field;
      const guint8 *begin = at;
      if (!sluice_wire_next (&at, end, &field) || (field.number == number && !is_bytes (&field)))
        return FALSE;
      if (field.number == number)
        g_array_append_val (taken, field);
      else
        g_byte_array_append (rest, begin, (guint) (at - begin));
    }
  return TRUE;
}

Tensorflow__GraphDef *
sluice_raw_read_graph (SluiceArena *arena, const guint8 *bytes, gsize length)
{
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (SluiceWireField));
  g_autoptr (GByteArray) shell = g_byte_array_new ();
  if (!take_apart (bytes, length, GRAPH_NODE, nodes, shell))
    return NULL;
  Tensorflow__GraphDef *graph =
      sluice_wire_unpack (arena, &tensorflow__graph_def__descriptor, shell->data, shell->len, NULL);
  if (graph == NULL)
    return NULL;
  graph->node = sluice_arena_try_alloc (arena, nodes->len * sizeof (Tensorflow__NodeDef *));
  for (guint i = 0; graph->node != NULL && i < nodes->len; i++)
    {
      graph->node[i] = read_node (arena, &g_array_index (nodes, SluiceWireField, i));
      if (graph->node[i] == NULL)
        return NULL;
    }
  graph->n_node = nodes->len;
  return graph->node != NULL ? graph : NULL;
}

Tensorflow__MetaGraphDef *
sluice_raw_read_meta (SluiceArena *arena, const guint8 *bytes, gsize length)
{
  g_autoptr (GArray) graphs = g_array_new (FALSE, FALSE, sizeof (SluiceWireField));
  g_autoptr (GByteArray) shell = g_byte_array_new ();
  if (!take_apart (bytes, length, META_GRAPH_DEF, graphs, shell) || graphs->len != 1)
    return NULL;
  Tensorflow__MetaGraphDef *meta = sluice_wire_unpack (
      arena, &tensorflow__meta_graph_def__descriptor, shell->data, shell->len, NULL);
  const SluiceWireField *graph = &g_array_index (graphs, SluiceWireField, 0);
  if (meta != NULL)
    meta->graph_def = sluice_raw_read_graph (arena, graph->data, graph->length);
  return meta != NULL && meta->graph_def != NULL ? meta : NULL;
}

/* ---- attributes ---- */

static gboolean
read_dim (const SluiceWireField *message, gint64 *size)
{
  const guint8 *at = message->data, *end = message->data + message->length;
  SluiceWireField field;
  *size = 0;
  while (at < end)
    {
      if (!sluice_wire_next (&at, end, &field) || field.number != DIM_SIZE || !is_varint (&field))
        return FALSE;
      *size = (gint64) field.value;
    }
  return TRUE;
}

static gboolean
read_shape (const SluiceWireField *message, SluiceShape *shape)
{
  const guint8 *at = message->data, *end = message->data + message->length;
  SluiceWireField field;
  gint64 dims[SLUICE_MAX_RANK];
  guint n = 0;
  gboolean is_unknown = FALSE;
  while (at < end)
    {
      if (!sluice_wire_next (&at, end, &field))
        return FALSE;
      if (field.number == SHAPE_UNKNOWN_RANK && is_varint (&field))
        is_unknown = field.value != 0;
      else if (field.number != SHAPE_DIM || !is_bytes (&field) || n == SLUICE_MAX_RANK
               || !read_dim (&field, &dims[n++]))
        return FALSE;
    }
  *shape = SLUICE_SHAPE_UNKNOWN;
  return is_unknown || sluice_shape_make (shape, dims, n, NULL);
}

static void
set_string (SluiceAttrValue *value, const SluiceWireField *field)
{
  SluiceAttrValue borrowed = { .kind = SLUICE_ATTR_STRING,
                               .s = { (char *) field->data, field->length } };
  sluice_attr_value_copy (value, &borrowed);
}

/* One value, of a list's item too: their field numbers are the same. */
static gboolean
read_field (const SluiceWireField *field, SluiceAttrValue *value)
{
  switch (field->number)
    {
    case VALUE_S:
      if (!is_bytes (field))
        return FALSE;
      set_string (value, field);
      return TRUE;
    case VALUE_I:
      *value = (SluiceAttrValue){ SLUICE_ATTR_INT, .i = (gint64) field->value };
      return is_varint (field);
    case VALUE_F:
      if (field->wire_type != SLUICE_WIRE_FIXED_32)
        return FALSE;
      value->kind = SLUICE_ATTR_FLOAT;
      memcpy (&value->f, field->data, sizeof value->f); /* little-endian, as all of this */
      return TRUE;
    case VALUE_B:
      *value = (SluiceAttrValue){ SLUICE_ATTR_BOOL, .b = field->value != 0 };
      return is_varint (field);
    case VALUE_TYPE:
      *value = (SluiceAttrValue){ SLUICE_ATTR_TYPE, .type = (SluiceDType) (gint32) field->value };
      return is_varint (field);
    case VALUE_SHAPE:
      value->kind = SLUICE_ATTR_SHAPE;
      return is_bytes (field) && read_shape (field, &value->shape);
    default:
      return FALSE;
    }
}

/* How many items a list of strings or shapes has; -1: it holds something else, or several kinds. */
static int
count_items (const SluiceWireField *message)
{
  const guint8 *at = message->data, *end = message->data + message->length;
  SluiceWireField field;
  guint kind = 0;
  int n = 0;
  for (; at < end; n++)
    {
      if (!sluice_wire_next (&at, end, &field) || (n > 0 && field.number != kind)
          || (field.number != VALUE_S && field.number != VALUE_SHAPE))
        return -1;
      kind = field.number;
    }
  return n;
}

/* Numbers may be packed or not: how many bytes have no more behind them. */
static guint
count_varints (const SluiceWireField *field)
{
  guint n = 0;
  for (gsize i = 0; i < field->length; i++)
    n += field->data[i] < 0x80;
  return n;
}

/* A list that is one packed field of numbers of one kind, as programs write it. */
static gboolean
read_packed (const SluiceWireField *message, SluiceAttrValue *value)
{
  const guint8 *at = message->data, *end = message->data + message->length;
  SluiceWireField field;
  if (!sluice_wire_next (&at, end, &field) || at != end || !is_bytes (&field)
      || (field.number != VALUE_I && field.number != VALUE_TYPE) || field.length == 0)
    return FALSE;
  guint n = count_varints (&field);
  SluiceAttrValue *items = g_try_new0 (SluiceAttrValue, n);
  const guint8 *item = field.data, *last = field.data + field.length;
  SluiceWireField one = { .number = field.number, .wire_type = SLUICE_WIRE_VARINT };
  gboolean ok = items != NULL;
  for (guint i = 0; ok && i < n; i++)
    ok = sluice_wire_read_varint (&item, last, &one.value) && read_field (&one, &items[i]);
  if (!ok || item != last)
    {
      g_free (items);
      return FALSE;
    }
  *value = (SluiceAttrValue){ SLUICE_ATTR_LIST, items[0].kind, .list = { items, n } };
  return TRUE;
}

static gboolean
read_list (const SluiceWireField *message, SluiceAttrValue *value)
{
  int n = count_items (message);
  if (n < 0)
    return read_packed (message, value);
  *value = (SluiceAttrValue){ .kind = SLUICE_ATTR_LIST };
  if (n == 0)
    return TRUE;
  value->list.items = g_try_new0 (SluiceAttrValue, n);
  if (value->list.items == NULL)
    return FALSE;
  const guint8 *at = message->data, *end = message->data + message->length;
  SluiceWireField field;
  while (at < end && sluice_wire_next (&at, end, &field))
    if (!read_field (&field, &value->list.items[value->list.n++]))
      {
        sluice_attr_value_clear (value);
        return FALSE;
      }
  value->list_kind = value->list.items[0].kind;
  return TRUE;
}

gboolean
sluice_raw_read_attr (const SluiceRawAttr *raw, SluiceAttrValue *value)
{
  const guint8 *at = raw->bytes, *end = raw->bytes + raw->length;
  SluiceWireField field;
  *value = (SluiceAttrValue){ 0 };
  /* Of several values the last would count. */
  if (!sluice_wire_next (&at, end, &field) || at != end)
    return FALSE;
  gboolean ok = field.number == VALUE_LIST ? is_bytes (&field) && read_list (&field, value)
                                           : read_field (&field, value);
  if (!ok)
    *value = (SluiceAttrValue){ 0 };
  return ok;
}
