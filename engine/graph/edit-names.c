/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What refers to nodes by name: `_class`, inputs that the import kept as text, and the MetaGraphDef
 * around the graph, whose messages are rewritten as they are, unknown fields included.
 */
#include <string.h>

#include "engine/graph/edit-log.h"
#include "engine/graph/edit-private.h"
#include "engine/graph/wire.h"

#define CLASS_PREFIX "loc:@"

/* ---- _class ---- */

static gboolean
names_node (const SluiceAttrValue *item)
{
  gsize n = strlen (CLASS_PREFIX);
  return item->kind == SLUICE_ATTR_STRING && item->s.length > n
         && memcmp (item->s.data, CLASS_PREFIX, n) == 0;
}

static char *
dup_class_name (const SluiceAttrValue *item)
{
  gsize n = strlen (CLASS_PREFIX);
  return g_strndup (item->s.data + n, item->s.length - n);
}

void
sluice_node_foreach_class (
    const SluiceNode *node,
    void (*func) (const SluiceNode *node, const char *name, gsize length, gpointer data),
    gpointer data)
{
  const SluiceAttrValue *value = sluice_node_get_attr (node, "_class");
  gsize n = strlen (CLASS_PREFIX);
  for (guint i = 0; value != NULL && value->kind == SLUICE_ATTR_LIST && i < value->list.n; i++)
    if (names_node (&value->list.items[i]))
      func (node, value->list.items[i].s.data + n, value->list.items[i].s.length - n, data);
}

/* Gives a node the attribute with `_class` changed: each name that renamed has gets the new one. */
static void
rewrite_class (SluiceEdit *self, SluiceNode *node, GHashTable *renamed)
{
  sluice_graph_touch (self->graph, node);
  sluice_graph_index_attrs (self->graph, node, FALSE);
  guint n = node->n_attrs;
  g_autofree SluiceAttr *attrs = g_new (SluiceAttr, n);
  for (guint i = 0; i < n; i++)
    {
      attrs[i].name = node->attrs[i].name;
      sluice_attr_value_copy (&attrs[i].value, &node->attrs[i].value);
      if (strcmp (attrs[i].name, "_class") != 0 || attrs[i].value.kind != SLUICE_ATTR_LIST)
        continue;
      SluiceAttrValue *list = &attrs[i].value;
      guint kept = 0;
      for (guint k = 0; k < list->list.n; k++)
        {
          SluiceAttrValue item = list->list.items[k];
          g_autofree char *old = names_node (&item) ? dup_class_name (&item) : NULL;
          gpointer name;
          if (old != NULL && g_hash_table_lookup_extended (renamed, old, NULL, &name))
            {
              sluice_attr_value_clear (&item);
              if (name == NULL)
                continue;
              g_autofree char *text = g_strconcat (CLASS_PREFIX, name, NULL);
              SluiceAttr attr = sluice_attr_string ("", text);
              sluice_attr_value_copy (&item, &attr.value);
            }
          list->list.items[kept++] = item;
        }
      list->list.n = kept;
    }
  sluice_node_take_attrs (node, attrs, n);
  sluice_graph_index_attrs (self->graph, node, TRUE);
}

void
sluice_edit_forget_class (SluiceEdit *self, SluiceNode *node, const char *name)
{
  g_autoptr (GHashTable) renamed = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_insert (renamed, (gpointer) name, NULL);
  rewrite_class (self, node, renamed);
}

/* ---- what an import kept as text ---- */

/* Control inputs of a node that has some that are no nodes. (nullable) (transfer full) */
static GBytes *
dup_renamed (GBytes *foreign, GHashTable *renamed, GError **error)
{
  gsize length;
  g_auto (SluiceArena) arena;
  sluice_arena_init (&arena);
  const guint8 *bytes = g_bytes_get_data (foreign, &length);
  Tensorflow__NodeDef *def =
      sluice_wire_unpack (&arena, &tensorflow__node_def__descriptor, bytes, length, error);
  for (gsize i = 0; def != NULL && i < def->n_input; i++)
    {
      const char *name =
          def->input[i][0] == '^' ? g_hash_table_lookup (renamed, def->input[i] + 1) : NULL;
      if (name == NULL)
        continue;
      g_autofree char *text = g_strconcat ("^", name, NULL);
      def->input[i] = sluice_arena_strdup (&arena, text);
    }
  return def != NULL ? sluice_wire_pack (def, error) : NULL;
}

/* Of all that have an edge from a node of the new names, before anything changes: node -> GBytes.
 * (nullable) (transfer full) */
static GHashTable *
rename_foreign (SluiceNode *const *nodes, guint n, GHashTable *renamed, GError **error)
{
  g_autoptr (GHashTable) all =
      g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_bytes_unref);
  for (guint i = 0; i < n; i++)
    {
      const SluiceNodeRecord *record = sluice_node_record (nodes[i]);
      for (guint k = 0; k < record->n_uses; k++)
        {
          SluiceNode *user = record->uses[k].node;
          GBytes *foreign = sluice_node_record (user)->foreign;
          if (foreign == NULL || g_hash_table_contains (all, user))
            continue;
          GBytes *bytes = dup_renamed (foreign, renamed, error);
          if (bytes == NULL)
            return NULL;
          g_hash_table_insert (all, user, bytes);
        }
    }
  return g_steal_pointer (&all);
}

static void
take_foreign (SluiceEdit *self, GHashTable *all)
{
  GHashTableIter iter;
  gpointer node, bytes;
  g_hash_table_iter_init (&iter, all);
  while (g_hash_table_iter_next (&iter, &node, &bytes))
    {
      SluiceNodeRecord *record = sluice_node_record (node);
      sluice_graph_touch (self->graph, node);
      g_bytes_unref (record->foreign);
      record->foreign = g_bytes_ref (bytes);
    }
}

/* ---- a new name ---- */

/* A message begins with the op and the name of the node that it is of. */
static void
rename_in_error (SluiceNode *node, const char *old)
{
  if (node->error == NULL)
    return;
  g_autofree char *begin = g_strdup_printf ("%s '%s'", node->op_name, old);
  if (!g_str_has_prefix (node->error->message, begin))
    return;
  char *message = g_strdup_printf ("%s '%s'%s", node->op_name, node->name,
                                   node->error->message + strlen (begin));
  g_free (node->error->message);
  node->error->message = message;
}

gboolean
sluice_edit_rename_nodes (
    SluiceEdit *self, SluiceNode *const *nodes, const char *const *names, guint n, GError **error)
{
  SluiceGraph *graph = self->graph;
  g_autoptr (GHashTable) renamed = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) rewritten = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) users = g_ptr_array_new ();
  for (guint i = 0; i < n; i++)
    {
      sluice_graph_collect_class_users (graph, nodes[i]->name, users);
      g_hash_table_insert (renamed, (gpointer) nodes[i]->name, (gpointer) names[i]);
    }
  g_autoptr (GHashTable) foreign = rename_foreign (nodes, n, renamed, error);
  if (foreign == NULL)
    return FALSE;
  take_foreign (self, foreign);
  for (guint i = 0; i < users->len; i++)
    if (g_hash_table_add (rewritten, users->pdata[i])) /* a new name may be another's old one */
      rewrite_class (self, users->pdata[i], renamed);
  for (guint i = 0; i < n; i++)
    {
      sluice_graph_touch (graph, nodes[i]);
      sluice_name_table_remove (&graph->by_name, nodes[i]);
    }
  for (guint i = 0; i < n; i++)
    {
      const char *old = nodes[i]->name;
      nodes[i]->name = names[i];
      rename_in_error (nodes[i], old);
      gboolean added = sluice_name_table_add (&graph->by_name, nodes[i]);
      g_assert (added); /* the caller saw to it */
    }
  sluice_edit_rename_in_shell (self, renamed);
  return TRUE;
}

/* ---- the MetaGraphDef ---- */

typedef struct _Message Message;

/* A field that names a node or an output, or holds messages that do. */
typedef struct
{
  guint32 number;
  const Message *message; /* NULL: a name */
  gboolean needed;        /* without it what it stands in is nothing */
} Field;

struct _Message
{
  const Field *fields;
  guint n;
};
#define MESSAGE(name) static const Message name = { name##_fields, G_N_ELEMENTS (name##_fields) }

static const Field variable_fields[] = {
  { 1, NULL, TRUE }, { 2, NULL, TRUE }, { 3, NULL, TRUE }, { 6, NULL, FALSE }
};
MESSAGE (variable); /* VariableDef: variable, initializer, snapshot, initial value */
static const Field runner_fields[] = {
  { 1, NULL, TRUE }, { 2, NULL, FALSE }, { 3, NULL, FALSE }, { 4, NULL, FALSE }
};
MESSAGE (runner);
static const Field saver_fields[] = { { 1, NULL, TRUE }, { 2, NULL, TRUE }, { 3, NULL, TRUE } };
MESSAGE (saver);

static const Field pair_fields[] = { { 1, NULL, TRUE }, { 2, NULL, TRUE } };
MESSAGE (pair);
static const Field values_fields[] = { { 1, NULL, FALSE }, { 2, &pair, FALSE } };
MESSAGE (values); /* ValuesDef: values, external values */
static const Message context;
static const Field cond_fields[] = {
  { 2, NULL, TRUE }, { 3, NULL, TRUE }, { 5, &values, FALSE }, { 6, &context, FALSE }
};
MESSAGE (cond); /* CondContextDef: predicate, pivot, values, what is nested */
static const Field loop_fields[] = { { 5, NULL, TRUE },     { 6, NULL, TRUE },
                                     { 7, NULL, TRUE },     { 8, NULL, FALSE },
                                     { 9, &values, FALSE }, { 10, NULL, FALSE },
                                     { 11, NULL, FALSE },   { 12, &context, FALSE } };
MESSAGE (loop); /* WhileContextDef: pivots, exits, values, enters, maximum, what is nested */
static const Field context_fields[] = { { 1, &cond, TRUE }, { 2, &loop, TRUE } };
MESSAGE (context);

static const Field sparse_fields[] = { { 1, NULL, TRUE }, { 2, NULL, TRUE }, { 3, NULL, TRUE } };
MESSAGE (sparse);
static const Field tensor_fields[] = { { 1, NULL, TRUE }, { 4, &sparse, TRUE } };
MESSAGE (tensor); /* TensorInfo */
static const Field named_tensor_fields[] = { { 2, &tensor, TRUE } };
MESSAGE (named_tensor);
static const Field signature_fields[] = { { 1, &named_tensor, FALSE },
                                          { 2, &named_tensor, FALSE } };
MESSAGE (signature);
static const Field named_signature_fields[] = { { 2, &signature, FALSE } };
MESSAGE (named_signature);
static const Field asset_fields[] = { { 1, &tensor, TRUE } };
MESSAGE (asset);

static const Field node_list_fields[] = { { 1, NULL, FALSE } };
MESSAGE (node_list);

/* What the entries of a collection are, by its name; those of others are not touched. */
static const struct
{
  const char *key;
  const Message *message;
} collections[] = {
  { "variables", &variable },
  { "trainable_variables", &variable },
  { "local_variables", &variable },
  { "model_variables", &variable },
  { "moving_average_variables", &variable },
  { "metric_variables", &variable },
  { "concatenated_variables", &variable },
  { "global_step", &variable },
  { "queue_runners", &runner },
  { "savers", &saver },
  { "cond_context", &cond },
  { "while_context", &loop },
};

typedef struct
{
  GHashTable *renamed;
  gboolean changed;
} Rewriting;

/* FALSE: what it names is gone. *text: (transfer full) (nullable): NULL where it stays as it is. */
static gboolean
rewrite_name (Rewriting *r, const SluiceWireField *field, char **text)
{
  g_autofree char *whole = g_strndup ((const char *) field->data, field->length);
  gsize begin = *whole == '^', end = begin + strcspn (whole + begin, ":");
  g_autofree char *name = g_strndup (whole + begin, end - begin);
  gpointer other;
  *text = NULL;
  if (!g_hash_table_lookup_extended (r->renamed, name, NULL, &other))
    return TRUE;
  r->changed = TRUE;
  if (other == NULL)
    return FALSE;
  *text = g_strconcat (begin > 0 ? "^" : "", other, whole + end, NULL);
  return TRUE;
}

static gboolean rewrite_message (
    Rewriting *r, const Message *message, const guint8 *data, gsize length, GByteArray *out);

/* Appends the field, changed or not. FALSE: what it names is gone. */
static gboolean
rewrite_field (Rewriting *r, const Field *how, const SluiceWireField *field, GByteArray *out)
{
  if (how->message != NULL)
    {
      g_autoptr (GByteArray) inner = g_byte_array_new ();
      if (!rewrite_message (r, how->message, field->data, field->length, inner))
        return FALSE;
      sluice_wire_put_bytes (out, field->number, inner->data, inner->len);
      return TRUE;
    }
  g_autofree char *text = NULL;
  if (!rewrite_name (r, field, &text))
    return FALSE;
  sluice_wire_put_bytes (out, field->number, text != NULL ? (const guint8 *) text : field->data,
                         text != NULL ? strlen (text) : field->length);
  return TRUE;
}

static const Field *
find_field (const Message *message, guint32 number)
{
  for (guint i = 0; message != NULL && i < message->n; i++)
    if (message->fields[i].number == number)
      return &message->fields[i];
  return NULL;
}

static gboolean
rewrite_message (
    Rewriting *r, const Message *message, const guint8 *data, gsize length, GByteArray *out)
{
  SluiceWireField field;
  const guint8 *end = data + length, *rest = data;
  for (const guint8 *at = data, *before = data; sluice_wire_next (&at, end, &field); before = at)
    {
      const Field *how =
          field.wire_type == SLUICE_WIRE_BYTES ? find_field (message, field.number) : NULL;
      if (how == NULL)
        g_byte_array_append (out, before, (guint) (at - before));
      else if (!rewrite_field (r, how, &field, out) && how->needed)
        return FALSE;
      rest = at;
    }
  g_byte_array_append (out, rest, (guint) (end - rest)); /* what makes no sense stays */
  return TRUE;
}

/* A CollectionDef: its list of nodes, or of messages of that kind. */
static void
rewrite_collection (Rewriting *r,
                    const Message *entries,
                    const SluiceWireField *collection,
                    GByteArray *out)
{
  const Field entry = { 1, entries, FALSE };
  const Message list = { &entry, entries != NULL ? 1 : 0 };
  const Field lists[] = { { 1, &node_list, FALSE }, { 2, &list, FALSE } };
  const Message message = { lists, G_N_ELEMENTS (lists) };
  rewrite_message (r, &message, collection->data, collection->length, out);
}

/* An entry of the map: key and CollectionDef, in any order. */
static void
rewrite_entry (Rewriting *r, const SluiceWireField *entry, GByteArray *out)
{
  SluiceWireField field;
  const Message *entries = NULL;
  const guint8 *end = entry->data + entry->length;
  for (const guint8 *at = entry->data; sluice_wire_next (&at, end, &field);)
    for (guint i = 0; field.number == 1 && i < G_N_ELEMENTS (collections); i++)
      if (field.length == strlen (collections[i].key)
          && memcmp (field.data, collections[i].key, field.length) == 0)
        entries = collections[i].message;
  for (const guint8 *at = entry->data, *before = at; sluice_wire_next (&at, end, &field);
       before = at)
    {
      if (field.number != 2)
        {
          g_byte_array_append (out, before, (guint) (at - before));
          continue;
        }
      g_autoptr (GByteArray) inner = g_byte_array_new ();
      rewrite_collection (r, entries, &field, inner);
      sluice_wire_put_bytes (out, 2, inner->data, inner->len);
    }
}

static void
rewrite_shell (Rewriting *r, const guint8 *data, gsize length, GByteArray *out)
{
  static const Field fields[] = { { 3, &saver, FALSE },
                                  { 5, &named_signature, FALSE },
                                  { 6, &asset, FALSE } };
  static const Message shell = { fields, G_N_ELEMENTS (fields) };
  SluiceWireField field;
  const guint8 *end = data + length;
  for (const guint8 *at = data, *before = data; sluice_wire_next (&at, end, &field); before = at)
    {
      const Field *how =
          field.wire_type == SLUICE_WIRE_BYTES ? find_field (&shell, field.number) : NULL;
      if (field.number == 4 && field.wire_type == SLUICE_WIRE_BYTES)
        {
          g_autoptr (GByteArray) entry = g_byte_array_new ();
          rewrite_entry (r, &field, entry);
          sluice_wire_put_bytes (out, 4, entry->data, entry->len);
        }
      else if (how == NULL)
        g_byte_array_append (out, before, (guint) (at - before));
      else
        rewrite_field (r, how, &field, out);
    }
}

/* Most nodes are not named there: a search for the text is quicker than a walk over messages. */
static gboolean
may_name (const guint8 *data, gsize length, GHashTable *renamed)
{
  GHashTableIter iter;
  gpointer name;
  if (g_hash_table_size (renamed) > 8)
    return TRUE;
  g_hash_table_iter_init (&iter, renamed);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (memmem (data, length, name, strlen (name)) != NULL)
      return TRUE;
  return FALSE;
}

void
sluice_edit_rename_in_shell (SluiceEdit *self, GHashTable *renamed)
{
  GBytes *shell = self->graph->meta_shell;
  gsize length = 0;
  const guint8 *data = shell != NULL ? g_bytes_get_data (shell, &length) : NULL;
  if (data == NULL || !may_name (data, length, renamed))
    return;
  Rewriting r = { renamed, FALSE };
  GByteArray *out = g_byte_array_sized_new ((guint) length);
  rewrite_shell (&r, data, length, out);
  GBytes *changed = g_byte_array_free_to_bytes (out);
  if (r.changed)
    {
      g_bytes_unref (shell);
      self->graph->meta_shell = g_steal_pointer (&changed);
    }
  g_clear_pointer (&changed, g_bytes_unref);
}
