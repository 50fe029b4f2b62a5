/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/edit-log.h"
#include "engine/graph/edit.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/edit-private.h"
#include "engine/graph/wire.h"

/* ---- the transaction ---- */

static SluiceEdit *
get_open (SluiceGraph *graph)
{
  return graph->edit != NULL && !graph->edit->is_log ? graph->edit : NULL;
}

void
sluice_edit_begin (SluiceGraph *graph)
{
  g_return_if_fail (graph->edit == NULL);
  graph->edit = sluice_edit_new (graph, FALSE);
  graph->edit->version_before = graph->version;
}

void
sluice_edit_abandon (SluiceGraph *graph)
{
  SluiceEdit *edit = get_open (graph);
  g_return_if_fail (edit != NULL);
  sluice_edit_close (edit);
  sluice_edit_toggle (edit);
  graph->version = edit->version_before; /* whoever looks at the graph need not look again */
  sluice_edit_free (edit);
}

SluiceEdit *
sluice_edit_commit (SluiceGraph *graph, GError **error)
{
  SluiceEdit *edit = get_open (graph);
  g_return_val_if_fail (edit != NULL, NULL);
  if (!sluice_edit_check (edit, error))
    {
      sluice_edit_abandon (graph);
      return NULL;
    }
  sluice_graph_changed (graph);
  sluice_edit_close (edit);
  sluice_edit_notify (edit);
  return edit;
}

void
sluice_edit_settle (SluiceGraph *graph)
{
  SluiceEdit *edit = get_open (graph);
  g_return_if_fail (edit != NULL);
  sluice_edit_settle_so_far (edit);
}

gboolean
sluice_edit_apply (SluiceEdit *self, GError **error)
{
  SluiceGraph *graph = self->graph;
  g_return_val_if_fail (graph->edit == NULL, FALSE);
  if (graph->state != self->state)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "the graph has changed since; take later changes back first");
  sluice_edit_toggle (self);
  sluice_edit_notify (self);
  return TRUE;
}

/* A node whose attributes or inputs are looked at again at the commit. */
static void
look_at (SluiceEdit *edit, SluiceNode *node)
{
  sluice_graph_touch (edit->graph, node);
  if (edit->direct->len == 0 || edit->direct->pdata[edit->direct->len - 1] != node)
    g_ptr_array_add (edit->direct, node);
}

/* ---- nodes ---- */

SluiceNode *
sluice_edit_add (SluiceGraph *graph, const SluiceNodeSpec *spec, GError **error)
{
  SluiceEdit *edit = get_open (graph);
  g_return_val_if_fail (edit != NULL, NULL);
  SluiceNode *node = sluice_graph_make (graph, spec, TRUE, error);
  if (node != NULL)
    look_at (edit, node);
  return node;
}

static int
compare_ids (gconstpointer a, gconstpointer b)
{
  guint32 x = (*(SluiceNode *const *) a)->id, y = (*(SluiceNode *const *) b)->id;
  return x < y ? -1 : x > y;
}

/* Each once, by index. (transfer full); NULL with an error where one is of another graph */
static GPtrArray *
sort_nodes (SluiceGraph *graph, SluiceNode *const *nodes, guint n, GError **error)
{
  g_autoptr (GPtrArray) all = g_ptr_array_sized_new (n), sorted = g_ptr_array_sized_new (n);
  for (guint i = 0; i < n; i++)
    {
      if (nodes[i]->graph != graph)
        {
          sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' is no node of this graph",
                       nodes[i]->name);
          return NULL;
        }
      g_ptr_array_add (all, nodes[i]);
    }
  g_ptr_array_sort (all, compare_ids);
  for (guint i = 0; i < n; i++)
    if (i == 0 || all->pdata[i] != all->pdata[i - 1])
      g_ptr_array_add (sorted, all->pdata[i]);
  return g_steal_pointer (&sorted);
}

static void
forget_use (SluiceGraph *graph, SluiceNode *producer, SluiceNode *node, int input)
{
  if (producer == NULL)
    return;
  sluice_graph_touch (graph, producer);
  sluice_node_remove_use (producer, node, input);
}

static void
remove_sorted (SluiceEdit *edit, GPtrArray *nodes)
{
  SluiceGraph *graph = edit->graph;
  g_autoptr (GHashTable) gone = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint k = 0; k < nodes->len; k++)
    {
      SluiceNode *node = nodes->pdata[k];
      sluice_graph_touch (graph, node);
      for (guint i = 0; i < node->n_inputs; i++)
        forget_use (graph, node->inputs[i].node, node, (int) i);
      for (guint i = 0; i < node->n_control_inputs; i++)
        forget_use (graph, node->control_inputs[i], node, -1);
      g_hash_table_insert (gone, (gpointer) node->name, NULL);
    }
  sluice_edit_detach (edit, (SluiceNode *const *) nodes->pdata, nodes->len);
  sluice_edit_rename_in_shell (edit, gone);
}

gboolean
sluice_edit_remove (SluiceGraph *graph, SluiceNode *const *nodes, guint n, GError **error)
{
  SluiceEdit *edit = get_open (graph);
  g_return_val_if_fail (edit != NULL, FALSE);
  g_autoptr (GPtrArray) sorted = sort_nodes (graph, nodes, n, error);
  if (sorted == NULL)
    return FALSE;
  remove_sorted (edit, sorted);
  return TRUE;
}

/* What readers of a node may read instead. */
static SluiceEdge
healed_edge (const SluiceNode *node, GHashTable *gone)
{
  for (guint left = g_hash_table_size (gone); left > 0; left--)
    {
      SluiceRole role = sluice_node_get_role (node);
      if (node->n_inputs != 1 || node->n_outputs != 1 || node->inputs[0].node == NULL
          || sluice_edge_dtype (node->inputs[0]) != node->outputs[0].dtype
          || role == SLUICE_ROLE_ENTER || role == SLUICE_ROLE_EXIT || role == SLUICE_ROLE_MERGE
          || role == SLUICE_ROLE_NEXT_ITERATION)
        return SLUICE_NO_EDGE;
      if (!g_hash_table_contains (gone, node->inputs[0].node))
        return node->inputs[0];
      node = node->inputs[0].node;
    }
  return SLUICE_NO_EDGE;
}

static gboolean
part_from (SluiceEdit *edit, SluiceNode *node, GHashTable *gone, GError **error)
{
  const SluiceNodeRecord *record = sluice_node_record (node);
  guint n = record->n_uses;
  g_autofree SluiceUse *uses = g_memdup2 (record->uses, n * sizeof *uses);
  for (guint i = 0; i < n; i++)
    {
      if (g_hash_table_contains (gone, uses[i].node))
        continue;
      gboolean ok = uses[i].input < 0
                        ? sluice_edit_remove_control (edit->graph, uses[i].node, node, error)
                        : sluice_edit_set_input (edit->graph, uses[i].node, (guint) uses[i].input,
                                                 healed_edge (node, gone), error);
      if (!ok)
        return FALSE;
    }
  g_autoptr (GPtrArray) users = g_ptr_array_new ();
  sluice_graph_collect_class_users (edit->graph, node->name, users);
  for (guint i = 0; i < users->len; i++)
    if (!g_hash_table_contains (gone, users->pdata[i]))
      sluice_edit_forget_class (edit, users->pdata[i], node->name);
  return TRUE;
}

gboolean
sluice_edit_delete (SluiceGraph *graph, SluiceNode *const *nodes, guint n, GError **error)
{
  SluiceEdit *edit = get_open (graph);
  g_return_val_if_fail (edit != NULL, FALSE);
  g_autoptr (GPtrArray) sorted = sort_nodes (graph, nodes, n, error);
  g_autoptr (GHashTable) gone = g_hash_table_new (NULL, NULL);
  if (sorted == NULL)
    return FALSE;
  for (guint i = 0; i < sorted->len; i++)
    g_hash_table_add (gone, sorted->pdata[i]);
  for (guint i = 0; i < sorted->len; i++)
    if (!part_from (edit, sorted->pdata[i], gone, error))
      return FALSE;
  remove_sorted (edit, sorted);
  return TRUE;
}

/* ---- names ---- */

static gboolean
rename_all (SluiceEdit *edit, GPtrArray *nodes, GPtrArray *names, GError **error)
{
  g_autoptr (GHashTable) own = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < nodes->len; i++)
    g_hash_table_add (own, nodes->pdata[i]);
  for (guint i = 0; i < nodes->len; i++)
    {
      const SluiceNode *node = nodes->pdata[i];
      const char *name = names->pdata[i];
      const SluiceNode *other = sluice_graph_find (edit->graph, name);
      if (!sluice_node_name_is_valid (name, FALSE))
        return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                                 "'%s' is no name for a node: use letters, digits and "
                                 "_ . - / \\ >, beginning with a letter, a digit or a dot",
                                 name);
      if (other != NULL && !g_hash_table_contains (own, other))
        return sluice_fail (error, SLUICE_ERROR_ALREADY_EXISTS,
                            "%s '%s' cannot be named '%s': there is a node of that name, a %s; "
                            "choose another name",
                            node->op_name, node->name, name, other->op_name);
    }
  return sluice_edit_rename_nodes (edit, (SluiceNode *const *) nodes->pdata,
                                   (const char *const *) names->pdata, nodes->len, error);
}

gboolean
sluice_edit_rename (SluiceGraph *graph, SluiceNode *node, const char *name, GError **error)
{
  SluiceEdit *edit = get_open (graph);
  g_return_val_if_fail (edit != NULL && node->graph == graph, FALSE);
  g_autoptr (GPtrArray) nodes = g_ptr_array_new (), names = g_ptr_array_new ();
  g_ptr_array_add (nodes, node);
  g_ptr_array_add (names, (gpointer) sluice_intern (name));
  return rename_all (edit, nodes, names, error);
}

gboolean
sluice_edit_rename_scope (SluiceGraph *graph, const char *scope, const char *name, GError **error)
{
  SluiceEdit *edit = get_open (graph);
  g_return_val_if_fail (edit != NULL, FALSE);
  gsize length = strlen (scope);
  g_autoptr (GPtrArray) nodes = g_ptr_array_new (), names = g_ptr_array_new ();
  for (guint i = 0, n = graph->nodes->len; i < n; i++)
    {
      SluiceNode *node = graph->nodes->pdata[i];
      /* Names of tens of thousands of nodes lie all over the memory. */
      __builtin_prefetch (graph->nodes->pdata[MIN (i + 16, n - 1)]);
      __builtin_prefetch (((SluiceNode *) graph->nodes->pdata[MIN (i + 8, n - 1)])->name);
      if (strncmp (node->name, scope, length) != 0
          || (node->name[length] != '\0' && node->name[length] != '/'))
        continue;
      const char *rest = node->name + length;
      g_autofree char *text =
          g_strconcat (name, *name == '\0' && *rest == '/' ? rest + 1 : rest, NULL);
      g_ptr_array_add (nodes, node);
      g_ptr_array_add (names, (gpointer) sluice_intern (text));
    }
  if (nodes->len == 0)
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                        "there is neither a node nor a scope '%s' to rename", scope);
  return rename_all (edit, nodes, names, error);
}

/* ---- edges ---- */

/* What the import kept as text of the inputs, or of an attribute; the rest stays. The first thing
 * that an edit does: it may fail. */
static gboolean
drop_foreign (SluiceNode *node, gboolean inputs, const char *attr, GError **error)
{
  SluiceNodeRecord *record = sluice_node_record (node);
  gsize length, kept = 0;
  if (record->foreign == NULL)
    return TRUE;
  g_auto (SluiceArena) arena;
  sluice_arena_init (&arena);
  const guint8 *bytes = g_bytes_get_data (record->foreign, &length);
  Tensorflow__NodeDef *def =
      sluice_wire_unpack (&arena, &tensorflow__node_def__descriptor, bytes, length, error);
  if (def == NULL)
    return FALSE;
  if (inputs)
    def->n_input = 0;
  for (gsize i = 0; i < def->n_attr; i++)
    if (attr == NULL || strcmp (def->attr[i]->key, attr) != 0)
      def->attr[kept++] = def->attr[i];
  def->n_attr = kept;
  GBytes *foreign = sluice_wire_pack (def, error);
  if (foreign == NULL)
    return FALSE;
  g_bytes_unref (record->foreign);
  record->foreign = foreign;
  return TRUE;
}

static gboolean
check_edge (SluiceGraph *graph, SluiceNode *node, guint input, SluiceEdge edge, GError **error)
{
  if (edge.node == NULL)
    return TRUE;
  if (edge.node->graph != graph)
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u is no edge of this graph", input);
  if (edge.port < 0 || (guint) edge.port >= edge.node->n_outputs)
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "input %u is '%s:%d', but %s '%s' has %u outputs", input,
                             edge.node->name, edge.port, edge.node->op_name, edge.node->name,
                             edge.node->n_outputs);
  return TRUE;
}

static void
connect (SluiceGraph *graph, SluiceNode *node, guint input, SluiceEdge edge)
{
  node->inputs[input] = edge;
  if (edge.node == NULL)
    return;
  sluice_graph_touch (graph, edge.node);
  sluice_node_add_use (edge.node, (SluiceUse){ node, (int) input, edge.port });
}

gboolean
sluice_edit_set_input (
    SluiceGraph *graph, SluiceNode *node, guint input, SluiceEdge edge, GError **error)
{
  SluiceEdit *edit = get_open (graph);
  g_return_val_if_fail (edit != NULL && node->graph == graph, FALSE);
  if (input >= node->n_inputs)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%s '%s' has %u inputs, so there is no input %u", node->op_name, node->name,
                        node->n_inputs, input);
  if (!check_edge (graph, node, input, edge, error))
    return FALSE;
  look_at (edit, node);
  if (!drop_foreign (node, TRUE, NULL, error))
    return FALSE;
  forget_use (graph, node->inputs[input].node, node, (int) input);
  connect (graph, node, input, edge);
  return TRUE;
}

gboolean
sluice_edit_set_inputs (
    SluiceGraph *graph, SluiceNode *node, const SluiceEdge *edges, guint n, GError **error)
{
  SluiceEdit *edit = get_open (graph);
  g_return_val_if_fail (edit != NULL && node->graph == graph, FALSE);
  for (guint i = 0; i < n; i++)
    if (!check_edge (graph, node, i, edges[i], error))
      return FALSE;
  look_at (edit, node);
  if (!drop_foreign (node, TRUE, NULL, error))
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    forget_use (graph, node->inputs[i].node, node, (int) i);
  node->inputs = g_renew (SluiceEdge, node->inputs, n);
  node->n_inputs = n;
  for (guint i = 0; i < n; i++)
    connect (graph, node, i, edges[i]);
  return TRUE;
}

gboolean
sluice_edit_add_control (SluiceGraph *graph, SluiceNode *node, SluiceNode *before, GError **error)
{
  SluiceEdit *edit = get_open (graph);
  g_return_val_if_fail (edit != NULL && node->graph == graph, FALSE);
  if (before->graph != graph)
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "control input '%s' is no node of this graph", before->name);
  for (guint i = 0; i < node->n_control_inputs; i++)
    if (node->control_inputs[i] == before)
      return TRUE;
  sluice_graph_touch (graph, node);
  sluice_graph_touch (graph, before);
  if (!drop_foreign (node, TRUE, NULL, error))
    return FALSE;
  node->control_inputs = g_renew (SluiceNode *, node->control_inputs, node->n_control_inputs + 1);
  node->control_inputs[node->n_control_inputs++] = before;
  sluice_node_add_use (before, (SluiceUse){ node, -1, 0 });
  return TRUE;
}

gboolean
sluice_edit_remove_control (SluiceGraph *graph,
                            SluiceNode *node,
                            SluiceNode *before,
                            GError **error)
{
  SluiceEdit *edit = get_open (graph);
  g_return_val_if_fail (edit != NULL && node->graph == graph, FALSE);
  for (guint i = 0; i < node->n_control_inputs; i++)
    if (node->control_inputs[i] == before)
      {
        sluice_graph_touch (graph, node);
        if (!drop_foreign (node, TRUE, NULL, error))
          return FALSE;
        forget_use (graph, before, node, -1);
        node->n_control_inputs--;
        memmove (&node->control_inputs[i], &node->control_inputs[i + 1],
                 (node->n_control_inputs - i) * sizeof *node->control_inputs);
        return TRUE;
      }
  return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                      "%s '%s' does not wait for '%s': there is no such control edge",
                      node->op_name, node->name, before->name);
}

/* ---- attributes and devices ---- */

/* All attributes but @without, and room for one more. */
static SluiceAttr *
dup_attrs_without (const SluiceNode *node, const char *without, guint *n)
{
  SluiceAttr *attrs = g_new (SluiceAttr, node->n_attrs + 1);
  *n = 0;
  for (guint i = 0; i < node->n_attrs; i++)
    {
      if (node->attrs[i].name == without)
        continue;
      attrs[*n].name = node->attrs[i].name;
      sluice_attr_value_copy (&attrs[(*n)++].value, &node->attrs[i].value);
    }
  return attrs;
}

static gboolean
take_attrs (SluiceEdit *edit,
            SluiceNode *node,
            const char *changed,
            SluiceAttr *attrs,
            guint n,
            GError **error)
{
  look_at (edit, node);
  if (!drop_foreign (node, FALSE, changed, error))
    {
      for (guint i = 0; i < n; i++)
        sluice_attr_value_clear (&attrs[i].value);
      return FALSE;
    }
  sluice_graph_index_attrs (edit->graph, node, FALSE);
  sluice_node_take_attrs (node, attrs, n);
  sluice_graph_index_attrs (edit->graph, node, TRUE);
  return TRUE;
}

gboolean
sluice_edit_set_attr (SluiceGraph *graph, SluiceNode *node, const SluiceAttr *attr, GError **error)
{
  SluiceEdit *edit = get_open (graph);
  g_return_val_if_fail (edit != NULL && node->graph == graph, FALSE);
  const char *name = sluice_intern (attr->name);
  if (*name == '\0')
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "an attribute needs a name");
  guint n;
  g_autofree SluiceAttr *attrs = dup_attrs_without (node, name, &n);
  attrs[n].name = name;
  sluice_attr_value_copy (&attrs[n++].value, &attr->value);
  return take_attrs (edit, node, name, attrs, n, error);
}

gboolean
sluice_edit_remove_attr (SluiceGraph *graph, SluiceNode *node, const char *name, GError **error)
{
  SluiceEdit *edit = get_open (graph);
  g_return_val_if_fail (edit != NULL && node->graph == graph, FALSE);
  if (sluice_node_get_attr (node, name) == NULL)
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "%s '%s' has no attribute '%s'",
                        node->op_name, node->name, name);
  guint n;
  const char *interned = sluice_intern (name);
  g_autofree SluiceAttr *attrs = dup_attrs_without (node, interned, &n);
  return take_attrs (edit, node, interned, attrs, n, error);
}

void
sluice_edit_set_device (SluiceGraph *graph, SluiceNode *node, const char *device)
{
  g_return_if_fail (get_open (graph) != NULL && node->graph == graph);
  sluice_graph_touch (graph, node);
  node->device = sluice_intern (device);
}

void
sluice_graph_set_device (SluiceGraph *self, SluiceNode *node, const char *device)
{
  g_return_if_fail (node->graph == self);
  sluice_graph_hold (self);
  sluice_graph_touch (self, node);
  node->device = sluice_intern (device);
  sluice_graph_changed (self);
  sluice_graph_release (self);
}
