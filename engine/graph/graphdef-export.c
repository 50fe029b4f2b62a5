/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A graph as a GraphDef, with all that the import kept for the way out; and its hash. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/attrproto.h"
#include "engine/graph/graph-private.h"
#include "engine/graph/graphdef-private.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/text-format.h"
#include "engine/graph/wire.h"

#define OUTPUT_SHAPES "_output_shapes"

typedef struct
{
  SluiceArena *arena;
  guint flags;          /* SluiceExportFlags */
  gboolean is_unplaced; /* without devices */
  gboolean canonical;   /* for the hash: what makes no difference is left out, the rest sorted */
} Writer;

static gboolean
is_default (const SluiceNode *node, const SluiceAttr *attr)
{
  const SluiceAttrDef *def = node->op != NULL ? sluice_op_find_attr (node->op, attr->name) : NULL;
  return def != NULL && def->has_default
         && sluice_attr_value_equal (&def->default_value, &attr->value);
}

/* An open input is an empty text. */
static char *
input_text (Writer *w, SluiceEdge edge)
{
  if (edge.node == NULL)
    return (char *) "";
  if (edge.port == 0)
    return (char *) edge.node->name;
  g_autofree char *text = g_strdup_printf ("%s:%d", edge.node->name, edge.port);
  return sluice_arena_strdup (w->arena, text);
}

/* "name" and "name:0" are the same; what an import brought is written as it came. */
static gboolean
names_edge (const char *text, SluiceEdge edge)
{
  gsize length = strlen (edge.node->name);
  return strncmp (text, edge.node->name, length) == 0
         && (text[length] == '\0' ? edge.port == 0
                                  : text[length] == ':' && atoi (text + length + 1) == edge.port);
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
write_inputs (Writer *w,
              const SluiceNode *node,
              const Tensorflow__NodeDef *foreign,
              Tensorflow__NodeDef *def)
{
  if (foreign != NULL && foreign->n_input > 0)
    {
      def->n_input = foreign->n_input;
      def->input = foreign->input;
      for (guint i = 0; i < node->n_inputs; i++)
        if (node->inputs[i].node != NULL && !names_edge (def->input[i], node->inputs[i]))
          def->input[i] = input_text (w, node->inputs[i]);
      return;
    }
  def->n_input = node->n_inputs + node->n_control_inputs;
  def->input = sluice_arena_new (w->arena, char *, def->n_input);
  for (guint i = 0; i < node->n_inputs; i++)
    def->input[i] = input_text (w, node->inputs[i]);
  char **control = def->input + node->n_inputs;
  for (guint i = 0; i < node->n_control_inputs; i++)
    {
      g_autofree char *text = g_strconcat ("^", node->control_inputs[i]->name, NULL);
      control[i] = sluice_arena_strdup (w->arena, text);
    }
  if (w->canonical && node->n_control_inputs > 1)
    qsort (control, node->n_control_inputs, sizeof *control, compare_texts);
}

static Tensorflow__AttrValue *
output_shapes (Writer *w, const SluiceNode *node)
{
  g_autofree SluiceAttrValue *items = g_new0 (SluiceAttrValue, node->n_outputs);
  for (guint i = 0; i < node->n_outputs; i++)
    items[i] = (SluiceAttrValue){ SLUICE_ATTR_SHAPE, .shape = node->outputs[i].shape };
  SluiceAttrValue list = { .kind = SLUICE_ATTR_LIST,
                           .list_kind = SLUICE_ATTR_SHAPE,
                           .list = { items, node->n_outputs } };
  return sluice_attr_pack (&list, w->arena, FALSE);
}

static Tensorflow__AttrEntry *
new_entry (Writer *w, const char *key, Tensorflow__AttrValue *value)
{
  Tensorflow__AttrEntry *entry = sluice_wire_new (w->arena, &tensorflow__attr_entry__descriptor);
  entry->key = (char *) key;
  entry->value = value;
  return entry;
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const Tensorflow__AttrEntry *const *x = a, *const *y = b;
  return strcmp ((*x)->key, (*y)->key);
}

static gboolean
has_entry (const Tensorflow__NodeDef *foreign, const char *key)
{
  for (gsize i = 0; foreign != NULL && i < foreign->n_attr; i++)
    if (strcmp (foreign->attr[i]->key, key) == 0)
      return TRUE;
  return FALSE;
}

static void
write_attrs (Writer *w,
             const SluiceNode *node,
             const Tensorflow__NodeDef *foreign,
             Tensorflow__NodeDef *def)
{
  gboolean shapes = (w->flags & SLUICE_EXPORT_SHAPES) != 0;
  gboolean strip = w->canonical || (w->flags & SLUICE_EXPORT_STRIP_DEFAULTS) != 0;
  gsize n_foreign = foreign != NULL ? foreign->n_attr : 0;
  def->attr = sluice_arena_new (w->arena, Tensorflow__AttrEntry *, node->n_attrs + n_foreign + 1);
  for (guint i = 0; i < node->n_attrs; i++)
    {
      const SluiceAttr *attr = &node->attrs[i];
      gboolean is_shapes = strcmp (attr->name, OUTPUT_SHAPES) == 0;
      if ((is_shapes && (shapes || w->canonical)) || (strip && is_default (node, attr))
          || has_entry (foreign, attr->name))
        continue;
      def->attr[def->n_attr++] = new_entry (
          w, attr->name,
          sluice_attr_pack (&attr->value, w->arena, (w->flags & SLUICE_EXPORT_TEXT) != 0));
    }
  for (gsize i = 0; i < n_foreign; i++)
    if (strcmp (foreign->attr[i]->key, OUTPUT_SHAPES) != 0 || !(shapes || w->canonical))
      def->attr[def->n_attr++] = foreign->attr[i];
  if (shapes && node->n_outputs > 0)
    def->attr[def->n_attr++] = new_entry (w, OUTPUT_SHAPES, output_shapes (w, node));
  qsort (def->attr, def->n_attr, sizeof *def->attr, compare_entries);
}

/* (nullable): where nothing was kept, and where w->arena has no memory. */
static void *
unpack_kept (Writer *w, const ProtobufCMessageDescriptor *descriptor, GBytes *bytes)
{
  if (bytes == NULL)
    return NULL;
  gsize length;
  const guint8 *data = g_bytes_get_data (bytes, &length);
  return sluice_wire_unpack (w->arena, descriptor, data, length, NULL); /* packed by the import */
}

static Tensorflow__NodeDef *
write_node (Writer *w, const SluiceNode *node)
{
  Tensorflow__NodeDef *def = sluice_wire_new (w->arena, &tensorflow__node_def__descriptor);
  Tensorflow__NodeDef *foreign =
      unpack_kept (w, &tensorflow__node_def__descriptor, sluice_node_record (node)->foreign);
  def->name = (char *) node->name;
  def->op = (char *) node->op_name;
  if (!w->is_unplaced)
    def->device = (char *) node->device;
  write_inputs (w, node, foreign, def);
  write_attrs (w, node, foreign, def);
  if (foreign != NULL && !w->canonical)
    {
      def->experimental_debug_info = foreign->experimental_debug_info;
      def->experimental_type = foreign->experimental_type;
      def->base.n_unknown_fields = foreign->base.n_unknown_fields;
      def->base.unknown_fields = foreign->base.unknown_fields;
    }
  return def;
}

Tensorflow__NodeDef *
sluice_graph_write_node (SluiceArena *arena, guint flags, const SluiceNode *node)
{
  Writer w = { .arena = arena, .flags = flags };
  return write_node (&w, node);
}

/* All of it but the nodes. */
static Tensorflow__GraphDef *
write_shell (Writer *w, SluiceGraph *graph)
{
  Tensorflow__GraphDef *def = unpack_kept (w, &tensorflow__graph_def__descriptor, graph->shell);
  if (def == NULL)
    def = sluice_wire_new (w->arena, &tensorflow__graph_def__descriptor);
  if (def->versions == NULL)
    def->versions = sluice_wire_new (w->arena, &tensorflow__version_def__descriptor);
  def->versions->producer = graph->producer;
  def->version = 0; /* the old field; versions says it */
  return def;
}

static Tensorflow__GraphDef *
write_graph (Writer *w, SluiceGraph *graph)
{
  Tensorflow__GraphDef *def = write_shell (w, graph);
  def->n_node = graph->nodes->len;
  def->node = sluice_arena_new (w->arena, Tensorflow__NodeDef *, def->n_node);
  for (gsize i = 0; i < def->n_node; i++)
    def->node[i] = write_node (w, g_ptr_array_index (graph->nodes, i));
  return def;
}

/* (nullable): what the GraphDef goes into. */
static Tensorflow__MetaGraphDef *
write_meta (Writer *w, SluiceGraph *graph)
{
  if (w->flags & SLUICE_EXPORT_PLAIN_GRAPH)
    return NULL;
  Tensorflow__MetaGraphDef *meta =
      unpack_kept (w, &tensorflow__meta_graph_def__descriptor, graph->meta_shell);
  if (meta == NULL && (w->flags & SLUICE_EXPORT_META_GRAPH))
    {
      meta = sluice_wire_new (w->arena, &tensorflow__meta_graph_def__descriptor);
      meta->meta_info_def =
          sluice_wire_new (w->arena, &tensorflow__meta_graph_def__meta_info_def__descriptor);
      meta->meta_info_def->stripped_default_attrs = (w->flags & SLUICE_EXPORT_STRIP_DEFAULTS) != 0;
    }
  return meta;
}

static gboolean
want_memory (const Writer *w, GError **error)
{
  return !w->arena->has_failed
         || sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                         "no memory to write the graph; close other programs, then try again");
}

GBytes *
sluice_graph_export (SluiceGraph *self, guint flags, GError **error)
{
  SluiceArena arena;
  Writer w = { .arena = &arena, .flags = flags };
  sluice_arena_init (&arena);
  Tensorflow__GraphDef *def = write_graph (&w, self);
  Tensorflow__MetaGraphDef *meta = write_meta (&w, self);
  const ProtobufCMessage *message = &def->base;
  if (meta != NULL)
    {
      meta->graph_def = def;
      message = &meta->base;
    }
  GBytes *bytes = NULL;
  gboolean ok = want_memory (&w, error);
  if (ok && protobuf_c_message_get_packed_size (message) > SLUICE_MAX_FILE_BYTES)
    sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                 "the graph would have more than 2 GiB, the limit of the format: keep weights in "
                 "variables and a checkpoint");
  else if (ok && (flags & SLUICE_EXPORT_TEXT))
    {
      GString *text = g_string_new (NULL);
      sluice_text_write (text, message, 0);
      bytes = g_string_free_to_bytes (text);
    }
  else if (ok)
    bytes = sluice_wire_pack (message, error);
  sluice_arena_clear (&arena);
  return bytes;
}

/* ---- in pieces ---- */

#define NODES_A_LOOK 32   /* at the clock */
#define NODE_FIELD   0x0a /* the first one of a GraphDef, each with its length */

struct _SluiceGraphExport
{
  SluiceGraph *graph;
  GByteArray *bytes;
  guint n_written;    /* nodes */
  gboolean has_ended; /* the shell stands behind them */
  gboolean has_failed;
};

SluiceGraphExport *
sluice_graph_export_begin (SluiceGraph *graph)
{
  if (graph->meta_shell != NULL)
    return NULL;
  SluiceGraphExport *self = g_new0 (SluiceGraphExport, 1);
  self->graph = sluice_graph_ref (graph);
  self->bytes = g_byte_array_new ();
  return self;
}

void
sluice_graph_export_free (SluiceGraphExport *self)
{
  g_clear_pointer (&self->bytes, g_byte_array_unref);
  sluice_graph_unref (self->graph);
  g_free (self);
}

/* A node has its field and its length before it. */
static void
append_message (SluiceGraphExport *self, const ProtobufCMessage *message, gboolean is_node)
{
  guint8 head[11] = { NODE_FIELD };
  gsize length = protobuf_c_message_get_packed_size (message), rest = length;
  guint at = self->bytes->len, n = is_node;
  for (; is_node && (rest > 0 || n == 1); rest >>= 7)
    head[n++] = (guint8) ((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
  self->has_failed |= at + n + length > SLUICE_MAX_FILE_BYTES;
  if (self->has_failed)
    return;
  g_byte_array_set_size (self->bytes, (guint) (at + n + length));
  memcpy (self->bytes->data + at, head, n);
  protobuf_c_message_pack (message, self->bytes->data + at + n);
}

gboolean
sluice_graph_export_go_on (SluiceGraphExport *self, gint64 budget_us, GChecksum *checksum)
{
  SluiceArena arena;
  Writer w = { .arena = &arena };
  const guint before = self->bytes->len, n = self->graph->nodes->len;
  gint64 begun = g_get_monotonic_time ();
  sluice_arena_init (&arena);
  for (guint n_now = 1; self->n_written < n; n_now++)
    {
      append_message (self, &write_node (&w, self->graph->nodes->pdata[self->n_written++])->base,
                      TRUE);
      if (n_now % NODES_A_LOOK == 0 && g_get_monotonic_time () - begun > budget_us)
        break;
    }
  if (self->n_written == n && !self->has_ended)
    {
      append_message (self, &write_shell (&w, self->graph)->base, FALSE);
      self->has_ended = TRUE;
    }
  self->has_failed |= arena.has_failed;
  sluice_arena_clear (&arena);
  if (checksum != NULL)
    g_checksum_update (checksum, self->bytes->data + before, self->bytes->len - before);
  return self->has_ended;
}

GBytes *
sluice_graph_export_end (SluiceGraphExport *self, GError **error)
{
  g_return_val_if_fail (self->has_ended, NULL);
  if (!self->has_failed)
    return g_byte_array_free_to_bytes (g_steal_pointer (&self->bytes));
  sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
               "the graph has more than 2 GiB, the limit of the format, or there is no memory to "
               "write it: keep weights in variables and a checkpoint, and close other programs");
  return NULL;
}

static int
compare_nodes (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(SluiceNode *const *) a)->name, (*(SluiceNode *const *) b)->name);
}

static gboolean
hash_message (GChecksum *checksum, const void *message, GError **error)
{
  g_autoptr (GBytes) bytes = sluice_wire_pack (message, error);
  if (bytes == NULL)
    return FALSE;
  gsize length;
  const guint8 *data = g_bytes_get_data (bytes, &length);
  guint64 prefix = GUINT64_TO_LE (length);
  g_checksum_update (checksum, (const guchar *) &prefix, sizeof prefix);
  g_checksum_update (checksum, data, (gssize) length);
  return TRUE;
}

/* In the bodies of functions. */
static void
drop_devices (Tensorflow__FunctionDefLibrary *library)
{
  for (size_t i = 0; i < library->n_function; i++)
    for (size_t k = 0; k < library->function[i]->n_node_def; k++)
      library->function[i]->node_def[k]->device = (char *) protobuf_c_empty_string;
}

static char *
dup_hash (SluiceGraph *self, gboolean is_unplaced, GError **error)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree SluiceNode **nodes =
      g_memdup2 (self->nodes->pdata, self->nodes->len * sizeof (gpointer));
  SluiceArena arena;
  Writer w = { .arena = &arena, .canonical = TRUE, .is_unplaced = is_unplaced };
  gboolean ok = TRUE;
  sluice_arena_init (&arena);
  if (self->nodes->len > 0)
    qsort (nodes, self->nodes->len, sizeof *nodes, compare_nodes);
  for (guint i = 0; ok && i < self->nodes->len; i++)
    ok = hash_message (checksum, write_node (&w, nodes[i]), error);
  const Tensorflow__GraphDef *shell =
      unpack_kept (&w, &tensorflow__graph_def__descriptor, self->shell);
  if (is_unplaced && shell != NULL && shell->library != NULL)
    drop_devices (shell->library);
  if (ok && shell != NULL && shell->library != NULL)
    ok = hash_message (checksum, shell->library, error);
  ok = ok && want_memory (&w, error);
  sluice_arena_clear (&arena);
  return ok ? g_strdup (g_checksum_get_string (checksum)) : NULL;
}

char *
sluice_graph_dup_hash (SluiceGraph *self, GError **error)
{
  return dup_hash (self, FALSE, error);
}

char *
sluice_graph_dup_unplaced_hash (SluiceGraph *self, GError **error)
{
  return dup_hash (self, TRUE, error);
}
