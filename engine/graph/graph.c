/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/edit-log.h"
#include "engine/graph/graph.h"
#include "engine/graph/lower-private.h"
#include "engine/graph/shape-context-private.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/suggest.h"
#include "engine/graph/edit-private.h"
#include "engine/graph/function.h"
#include "engine/graph/graphdef.h"

/* ---- nodes ---- */

SluiceNode *
sluice_node_new (SluiceGraph *graph, const char *name, const char *op, const char *device)
{
  SluiceNode *node = &(g_new0 (SluiceNodeRecord, 1))->node;
  node->name = sluice_intern (name);
  node->op = sluice_registry_find (op);
  node->op_name = node->op != NULL ? node->op->name : sluice_intern (op);
  node->device = sluice_intern (device != NULL ? device : "");
  node->graph = graph;
  return node;
}

static void
block_unref (SluiceAttrBlock *block)
{
  if (block == NULL || atomic_fetch_sub (&block->ref_count, 1) != 1)
    return;
  for (guint i = 0; i < block->n; i++)
    sluice_attr_value_clear (&block->attrs[i].value);
  g_free (block);
}

void
sluice_node_clear (SluiceNodeRecord *record)
{
  SluiceNode *node = &record->node;
  sluice_node_forget_constants (node);
  block_unref (record->block);
  g_free (record->uses);
  g_clear_pointer (&record->foreign, g_bytes_unref);
  g_clear_pointer (&record->lowered, sluice_lowered_free);
  sluice_call_path_unref (record->path);
  g_free (node->inputs);
  g_free (node->control_inputs);
  g_free (node->outputs);
  g_clear_error (&node->error);
}

void
sluice_node_free (SluiceNode *node)
{
  sluice_node_clear (sluice_node_record (node));
  g_free (sluice_node_record (node));
}

static int
compare_attrs (const void *a, const void *b)
{
  return strcmp (((const SluiceAttr *) a)->name, ((const SluiceAttr *) b)->name);
}

/* Insertion keeps equal names in their order, and lists of attributes are short and nearly sorted;
 * the few long ones are not worth quadratic time. */
static void
sort_attrs (SluiceAttr *attrs, guint n)
{
  if (n > 64)
    {
      qsort (attrs, n, sizeof *attrs, compare_attrs);
      return;
    }
  for (guint i = 1; i < n; i++)
    for (guint j = i; j > 0 && strcmp (attrs[j - 1].name, attrs[j].name) > 0; j--)
      {
        SluiceAttr swap = attrs[j];
        attrs[j] = attrs[j - 1];
        attrs[j - 1] = swap;
      }
}

void
sluice_node_take_attrs (SluiceNode *node, SluiceAttr *attrs, guint n)
{
  SluiceNodeRecord *record = sluice_node_record (node);
  SluiceAttrBlock *block = g_malloc (sizeof *block + n * sizeof (SluiceAttr));
  sort_attrs (attrs, n);
  block->ref_count = 1;
  block->n = 0;
  for (guint i = 0; i < n; i++)
    if (i + 1 < n && attrs[i].name == attrs[i + 1].name)
      sluice_attr_value_clear (&attrs[i].value);
    else
      block->attrs[block->n++] = attrs[i];
  block_unref (record->block);
  record->block = block;
  node->attrs = block->attrs;
  node->n_attrs = block->n;
}

void
sluice_node_set_n_outputs (SluiceNode *node, guint n)
{
  node->outputs = g_renew (SluiceOutput, node->outputs, n);
  for (guint i = node->n_outputs; i < n; i++)
    node->outputs[i] =
        (SluiceOutput){ .shape = SLUICE_SHAPE_UNKNOWN, .handle_shape = SLUICE_SHAPE_UNKNOWN };
  node->n_outputs = n;
}

void
sluice_node_add_use (SluiceNode *producer, SluiceUse use)
{
  SluiceNodeRecord *record = sluice_node_record (producer);
  if (record->n_uses == record->uses_capacity)
    {
      record->uses_capacity = MAX (2, record->uses_capacity * 2);
      record->uses = g_renew (SluiceUse, record->uses, record->uses_capacity);
    }
  record->uses[record->n_uses++] = use;
}

void
sluice_node_remove_use (SluiceNode *producer, const SluiceNode *user, int input)
{
  SluiceNodeRecord *record = sluice_node_record (producer);
  for (guint i = 0; i < record->n_uses; i++)
    if (record->uses[i].node == user && record->uses[i].input == input)
      {
        record->n_uses--;
        memmove (&record->uses[i], &record->uses[i + 1], (record->n_uses - i) * sizeof (SluiceUse));
        return;
      }
}

/* ---- the graph ---- */

SluiceGraph *
sluice_graph_new (void)
{
  SluiceGraph *self = g_new0 (SluiceGraph, 1);
  self->ref_count = 1;
  self->nodes = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_node_free);
  self->suffixes = g_hash_table_new (g_str_hash, g_str_equal);
  self->afar = g_ptr_array_new ();
  self->producer = SLUICE_GRAPH_VERSION;
  return self;
}

SluiceGraph *
sluice_graph_ref (SluiceGraph *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
sluice_graph_unref (SluiceGraph *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  sluice_name_table_clear (&self->by_name);
  g_hash_table_unref (self->suffixes);
  g_ptr_array_unref (self->nodes);
  g_ptr_array_unref (self->afar);
  g_clear_pointer (&self->followers, sluice_followers_free);
  sluice_graph_drop_index (self);
  g_clear_pointer (&self->shell, g_bytes_unref);
  g_clear_pointer (&self->meta_shell, g_bytes_unref);
  g_clear_pointer (&self->library, sluice_library_unref);
  g_free (self);
}

guint
sluice_graph_get_n_nodes (const SluiceGraph *self)
{
  return self->nodes->len;
}

SluiceNode *
sluice_graph_get_node (const SluiceGraph *self, guint index)
{
  g_return_val_if_fail (index < self->nodes->len, NULL);
  return g_ptr_array_index (self->nodes, index);
}

SluiceNode *
sluice_graph_find (const SluiceGraph *self, const char *name)
{
  return sluice_name_table_find (&self->by_name, name, strlen (name));
}

const SluiceUse *
sluice_graph_get_uses (const SluiceGraph *self, const SluiceNode *node, guint *n)
{
  const SluiceNodeRecord *record = sluice_node_record (node);
  *n = record->n_uses;
  return record->uses;
}

guint64
sluice_graph_get_version (const SluiceGraph *self)
{
  return self->version;
}

int
sluice_graph_get_producer (const SluiceGraph *self)
{
  return self->producer;
}

void
sluice_graph_set_producer (SluiceGraph *self, int producer)
{
  self->producer = producer;
  sluice_graph_changed (self);
}

void
sluice_graph_changed (SluiceGraph *self)
{
  self->version++;
  self->state = ++self->last_state;
}

void
sluice_graph_count_node (SluiceGraph *self, SluiceNode *node, gboolean add)
{
  if (node->op == NULL)
    return;
  if (node->op->def->role == SLUICE_ROLE_ENTER)
    self->n_enters += add ? 1 : -1;
  if (!(node->op->def->flags & SLUICE_OP_LOOKS_AFAR))
    return;
  if (add)
    g_ptr_array_add (self->afar, node);
  else
    g_ptr_array_remove (self->afar, node);
}

gboolean
sluice_node_name_is_valid (const char *name, gboolean internal)
{
  static const guint8 of_names[256] = {
    ['0' ... '9'] = 1, ['A' ... 'Z'] = 1, ['a' ... 'z'] = 1, ['_'] = 1, ['.'] = 1,
    ['/'] = 1,         ['\\'] = 1,        ['>'] = 1,         ['-'] = 1,
  };
  if (!g_ascii_isalnum (*name) && *name != '.' && !(internal && *name == '_'))
    return FALSE;
  while (of_names[(guchar) *name])
    name++;
  return *name == '\0';
}

gboolean
sluice_graph_commit (SluiceGraph *self, SluiceNode *node)
{
  if (!sluice_name_table_add (&self->by_name, node))
    return FALSE;
  node->graph = self;
  sluice_graph_hold (self);
  g_ptr_array_add (self->nodes, node);
  node->id = self->nodes->len;
  sluice_node_record (node)->position = self->next_position++;
  sluice_graph_count_node (self, node, TRUE);
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node != NULL)
      {
        sluice_graph_touch (self, node->inputs[i].node);
        sluice_node_add_use (node->inputs[i].node,
                             (SluiceUse){ node, (int) i, node->inputs[i].port });
      }
  for (guint i = 0; i < node->n_control_inputs; i++)
    {
      sluice_graph_touch (self, node->control_inputs[i]);
      sluice_node_add_use (node->control_inputs[i], (SluiceUse){ node, -1, 0 });
    }
  if (self->edit != NULL)
    sluice_edit_note_added (self->edit, node);
  sluice_graph_changed (self);
  sluice_graph_release (self);
  return TRUE;
}

void
sluice_graph_drop_new (SluiceGraph *self, guint first)
{
  sluice_graph_note_dropped (self, first);
  for (guint i = first; i < self->nodes->len; i++)
    {
      SluiceNode *node = g_ptr_array_index (self->nodes, i);
      sluice_graph_count_node (self, node, FALSE);
      sluice_graph_index_attrs (self, node, FALSE);
    }
  g_ptr_array_set_size (self->nodes, (int) first);
  sluice_name_table_clear (&self->by_name);
  for (guint i = 0; i < first; i++)
    sluice_name_table_add (&self->by_name, g_ptr_array_index (self->nodes, i));
}

static gboolean
check_new_name (SluiceGraph *self, const char *name, GError **error)
{
  if (!sluice_node_name_is_valid (name, TRUE))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' is no name for a node: use letters, digits and _ . - / \\ >, "
                        "beginning with a letter, a digit or a dot",
                        name);
  if (sluice_graph_find (self, name) != NULL)
    return sluice_fail (error, SLUICE_ERROR_ALREADY_EXISTS,
                        "there is a node '%s' already; choose another name", name);
  return TRUE;
}

static gboolean
check_op (const char *op, const char *name, GError **error)
{
  if (sluice_registry_find (op) != NULL)
    return TRUE;
  const char *hint = sluice_registry_suggest_name (op);
  return sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "%s '%s': no op of this name is known%s%s%s",
                      op, name, hint ? "; did you mean " : "", hint ? hint : "", hint ? "?" : "");
}

static gboolean
check_edges (SluiceGraph *self,
             const SluiceNodeSpec *spec,
             const char *name,
             gboolean may_be_open,
             GError **error)
{
  for (guint i = 0; i < spec->n_inputs; i++)
    {
      SluiceEdge edge = spec->inputs[i];
      if (edge.node == NULL && may_be_open)
        continue;
      if (edge.node == NULL || edge.node->graph != self)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "%s '%s': input %u is no edge of this graph", spec->op, name, i);
      if (edge.port < 0 || (guint) edge.port >= edge.node->n_outputs)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "%s '%s': input %u is '%s:%d', but %s has %u outputs", spec->op, name,
                            i, edge.node->name, edge.port, edge.node->op_name,
                            edge.node->n_outputs);
    }
  for (guint i = 0; i < spec->n_control_inputs; i++)
    if (spec->control_inputs[i] == NULL || spec->control_inputs[i]->graph != self)
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "%s '%s': control input %u is no node of this graph", spec->op, name, i);
  return TRUE;
}

void
sluice_node_set_control_inputs (SluiceNode *node, SluiceNode *const *nodes, guint n)
{
  if (n == 0)
    return;
  g_autoptr (GHashTable) seen = n > 8 ? g_hash_table_new (NULL, NULL) : NULL;
  node->control_inputs = g_new (SluiceNode *, n);
  for (guint i = 0; i < n; i++)
    {
      gboolean known = seen != NULL && !g_hash_table_add (seen, nodes[i]);
      for (guint j = 0; seen == NULL && j < node->n_control_inputs; j++)
        known |= node->control_inputs[j] == nodes[i];
      if (!known)
        node->control_inputs[node->n_control_inputs++] = nodes[i];
    }
}

static void
set_inputs (SluiceNode *node, const SluiceEdge *inputs, guint n)
{
  node->inputs = g_memdup2 (inputs, n * sizeof (SluiceEdge));
  node->n_inputs = n;
}

/* Inputs that the caller left out stay open, where the op says how many it takes. */
static void
set_all_inputs (SluiceNode *node, const SluiceNodeSpec *spec, gboolean may_be_open)
{
  guint n = spec->n_inputs, n_fixed = node->op->n_inputs;
  for (guint i = 0; i < node->op->n_inputs; i++)
    if (node->op->inputs[i].number_attr != NULL || node->op->inputs[i].list_attr != NULL)
      n_fixed = 0;
  if (may_be_open && n < n_fixed)
    {
      node->inputs = g_new0 (SluiceEdge, n_fixed);
      node->n_inputs = n_fixed;
      for (guint i = 0; i < n; i++)
        node->inputs[i] = spec->inputs[i];
    }
  else
    set_inputs (node, spec->inputs, n);
}

SluiceNode *
sluice_graph_make (SluiceGraph *self,
                   const SluiceNodeSpec *spec,
                   gboolean may_be_open,
                   GError **error)
{
  g_return_val_if_fail (spec->op != NULL, NULL);
  g_autofree char *made = spec->name == NULL ? sluice_graph_unique_name (self, spec->op) : NULL;
  const char *name = spec->name != NULL ? spec->name : made;
  if (!check_new_name (self, name, error) || !check_op (spec->op, name, error)
      || !check_edges (self, spec, name, may_be_open, error))
    return NULL;
  SluiceNode *node = sluice_node_new (self, name, spec->op, spec->device);
  set_all_inputs (node, spec, may_be_open);
  sluice_node_set_control_inputs (node, spec->control_inputs, spec->n_control_inputs);
  g_autofree SluiceAttr *attrs = g_memdup2 (spec->attrs, spec->n_attrs * sizeof (SluiceAttr));
  for (guint i = 0; i < spec->n_attrs; i++)
    sluice_attr_value_copy (&attrs[i].value, &spec->attrs[i].value);
  gboolean ok = sluice_node_complete (node, attrs, spec->n_attrs, TRUE, error)
                && sluice_node_check_inputs (node, error);
  if (ok && may_be_open)
    sluice_node_set_open_error (node);
  if (!ok || (node->error == NULL && !sluice_node_infer_shapes (node, error)))
    {
      sluice_node_free (node);
      return NULL;
    }
  gboolean added = sluice_graph_commit (self, node);
  g_assert (added); /* check_new_name() said so */
  sluice_graph_index_attrs (self, node, TRUE);
  return node;
}

SluiceNode *
sluice_graph_add (SluiceGraph *self, const SluiceNodeSpec *spec, GError **error)
{
  return sluice_graph_make (self, spec, FALSE, error);
}

SluiceNode *
sluice_graph_copy_node (SluiceGraph *self,
                        const SluiceNode *node,
                        const char *name,
                        const SluiceEdge *inputs,
                        SluiceNode *const *control_inputs,
                        guint n_control_inputs)
{
  const SluiceNodeRecord *from = sluice_node_record (node);
  SluiceNode *copy = &(g_new0 (SluiceNodeRecord, 1))->node;
  copy->name = name == node->name ? name : sluice_intern (name);
  copy->op_name = node->op_name;
  copy->op = node->op;
  copy->device = node->device;
  copy->attrs = node->attrs;
  copy->n_attrs = node->n_attrs;
  sluice_node_record (copy)->block = from->block;
  if (from->block != NULL)
    atomic_fetch_add_explicit (&from->block->ref_count, 1, memory_order_relaxed);
  set_inputs (copy, inputs, node->n_inputs);
  sluice_node_set_control_inputs (copy, control_inputs, n_control_inputs);
  copy->outputs = g_memdup2 (node->outputs, node->n_outputs * sizeof (SluiceOutput));
  copy->n_outputs = node->n_outputs;
  sluice_node_record (copy)->inferred = TRUE;
  sluice_node_record (copy)->path = sluice_call_path_ref (from->path);
  copy->error = node->error != NULL ? g_error_copy (node->error) : NULL;
  gboolean added = sluice_graph_commit (self, copy);
  g_assert (added); /* the caller's names are unique */
  /* Copies are made of whole graphs, for sessions, which hardly anybody edits. */
  self->is_copy = TRUE;
  sluice_graph_drop_index (self);
  return copy;
}

gboolean
sluice_edge_is_back_edge (const SluiceNode *producer, const SluiceNode *consumer)
{
  return sluice_node_get_role (producer) == SLUICE_ROLE_NEXT_ITERATION
         && sluice_node_get_role (consumer) == SLUICE_ROLE_MERGE;
}

/* An edge that was added to a node: who does so vouches for it, a cycle is not refused. */
static void
keep_order (SluiceGraph *self, SluiceNode *before, SluiceNode *after)
{
  if (!sluice_edge_is_back_edge (before, after)
      && !sluice_graph_order_edge (self, before, after, NULL))
    self->is_unordered = TRUE;
}

gboolean
sluice_graph_set_input (
    SluiceGraph *self, SluiceNode *node, guint input, SluiceEdge edge, GError **error)
{
  g_return_val_if_fail (node->graph == self && edge.node != NULL && edge.node->graph == self,
                        FALSE);
  if (sluice_node_get_role (node) != SLUICE_ROLE_MERGE || input >= node->n_inputs)
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "only an input of a Merge may be set later, not input %u of it",
                             input);
  if (edge.port < 0 || (guint) edge.port >= edge.node->n_outputs)
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u is '%s:%d', but %s has %u outputs", input, edge.node->name,
                             edge.port, edge.node->op_name, edge.node->n_outputs);
  SluiceDType want = node->outputs[0].dtype, got = sluice_edge_dtype (edge);
  if (want != SLUICE_INVALID && got != SLUICE_INVALID
      && sluice_dtype_base (want) != sluice_dtype_base (got))
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u from '%s:%d' is %s, the others are %s", input,
                             edge.node->name, edge.port, sluice_dtype_name (got),
                             sluice_dtype_name (want));
  sluice_graph_hold (self);
  sluice_graph_touch (self, node);
  sluice_graph_touch (self, edge.node);
  if (node->inputs[input].node != NULL)
    {
      sluice_graph_touch (self, node->inputs[input].node);
      sluice_node_remove_use (node->inputs[input].node, node, (int) input);
    }
  node->inputs[input] = edge;
  sluice_node_add_use (edge.node, (SluiceUse){ node, (int) input, edge.port });
  keep_order (self, edge.node, node);
  sluice_graph_settle (self, &node, 1, FALSE);
  sluice_graph_changed (self);
  sluice_graph_release (self);
  return TRUE;
}

void
sluice_graph_add_control_input (SluiceGraph *self, SluiceNode *node, SluiceNode *before)
{
  g_return_if_fail (node->graph == self && before->graph == self);
  for (guint i = 0; i < node->n_control_inputs; i++)
    if (node->control_inputs[i] == before)
      return;
  sluice_graph_hold (self);
  sluice_graph_touch (self, node);
  sluice_graph_touch (self, before);
  node->control_inputs = g_renew (SluiceNode *, node->control_inputs, node->n_control_inputs + 1);
  node->control_inputs[node->n_control_inputs++] = before;
  sluice_node_add_use (before, (SluiceUse){ node, -1, 0 });
  keep_order (self, before, node);
  sluice_graph_changed (self);
  sluice_graph_release (self);
}

char *
sluice_graph_unique_name (SluiceGraph *self, const char *wanted)
{
  const char *key = sluice_intern (wanted);
  if (sluice_graph_find (self, wanted) == NULL)
    {
      /* What bore the name is gone, so numbering begins anew: a gradient that is made again has the
       * names that it had. */
      if (g_hash_table_contains (self->suffixes, key))
        {
          sluice_graph_note_suffix (self, key);
          g_hash_table_remove (self->suffixes, key);
        }
      return g_strdup (wanted);
    }
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (self->suffixes, key));
  char *name = NULL;
  do
    {
      g_free (name);
      name = g_strdup_printf ("%s_%u", wanted, ++n);
    }
  while (sluice_graph_find (self, name) != NULL);
  sluice_graph_note_suffix (self, key);
  g_hash_table_insert (self->suffixes, (gpointer) key, GUINT_TO_POINTER (n));
  return name;
}

const char *
sluice_graph_suggest_name (SluiceGraph *self, const char *name)
{
  g_autofree const char **names = g_new (const char *, self->nodes->len);
  for (guint i = 0; i < self->nodes->len; i++)
    names[i] = sluice_graph_get_node (self, i)->name;
  return sluice_suggest_name (name, names, self->nodes->len);
}

gboolean
sluice_graph_parse_edge (SluiceGraph *self, const char *text, SluiceEdge *edge, GError **error)
{
  if (*text == '^')
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' is a control edge; it carries no value", text);
  const char *colon = strrchr (text, ':');
  guint64 port = 0;
  if (colon != NULL && !g_ascii_string_to_unsigned (colon + 1, 10, 0, G_MAXINT, &port, NULL))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' is no edge: write NAME or NAME:OUTPUT", text);
  g_autofree char *name = colon != NULL ? g_strndup (text, colon - text) : g_strdup (text);
  SluiceNode *node = sluice_graph_find (self, name);
  if (node == NULL)
    {
      const char *hint = sluice_graph_suggest_name (self, name);
      return sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "there is no node '%s'%s%s%s", name,
                          hint ? "; did you mean '" : "", hint ? hint : "", hint ? "'?" : "");
    }
  if (port >= node->n_outputs)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s': %s '%s' has %u outputs, so there is no output %" G_GUINT64_FORMAT,
                        text, node->op_name, name, node->n_outputs, port);
  *edge = (SluiceEdge){ node, (int) port };
  return TRUE;
}

/* ---- attributes ---- */

const SluiceAttrValue *
sluice_node_get_attr (const SluiceNode *self, const char *name)
{
  guint low = 0, high = self->n_attrs;
  while (low < high)
    {
      guint middle = (low + high) / 2;
      int order = strcmp (self->attrs[middle].name, name);
      if (order == 0)
        return &self->attrs[middle].value;
      if (order < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return NULL;
}

static const SluiceAttrValue *
get_attr (const SluiceNode *self, const char *name, SluiceAttrKind kind)
{
  const SluiceAttrValue *value = sluice_node_get_attr (self, name);
  if (value == NULL || value->kind != kind)
    g_error ("%s '%s': attribute '%s' is not of the kind that the program asks for", self->op_name,
             self->name, name);
  return value;
}

gboolean
sluice_node_attrs_equal (const SluiceNode *a, const SluiceNode *b)
{
  if (a->attrs == b->attrs)
    return TRUE;
  if (a->n_attrs != b->n_attrs)
    return FALSE;
  for (guint i = 0; i < a->n_attrs; i++)
    if (a->attrs[i].name != b->attrs[i].name
        || !sluice_attr_value_equal (&a->attrs[i].value, &b->attrs[i].value))
      return FALSE;
  return TRUE;
}

gint64
sluice_node_get_int (const SluiceNode *self, const char *name)
{
  return get_attr (self, name, SLUICE_ATTR_INT)->i;
}

float
sluice_node_get_float (const SluiceNode *self, const char *name)
{
  return get_attr (self, name, SLUICE_ATTR_FLOAT)->f;
}

gboolean
sluice_node_get_bool (const SluiceNode *self, const char *name)
{
  return get_attr (self, name, SLUICE_ATTR_BOOL)->b;
}

SluiceDType
sluice_node_get_type (const SluiceNode *self, const char *name)
{
  return get_attr (self, name, SLUICE_ATTR_TYPE)->type;
}

const SluiceString *
sluice_node_get_string (const SluiceNode *self, const char *name)
{
  return &get_attr (self, name, SLUICE_ATTR_STRING)->s;
}

gboolean
sluice_node_string_is (const SluiceNode *self, const char *name, const char *text)
{
  const SluiceString *s = sluice_node_get_string (self, name);
  return s->length == strlen (text) && memcmp (s->data, text, s->length) == 0;
}

guint
sluice_node_get_ints (const SluiceNode *self, const char *name, gint64 *values, guint max)
{
  const SluiceAttrValue *value = get_attr (self, name, SLUICE_ATTR_LIST);
  for (guint i = 0; i < MIN (value->list.n, max); i++)
    values[i] = value->list.items[i].i;
  return value->list.n;
}

gboolean
sluice_node_is_stateful (const SluiceNode *self)
{
  return self->op == NULL || (self->op->def->flags & SLUICE_OP_STATEFUL) != 0;
}

SluiceRole
sluice_node_get_role (const SluiceNode *self)
{
  return self->op != NULL ? self->op->def->role : SLUICE_ROLE_NONE;
}
