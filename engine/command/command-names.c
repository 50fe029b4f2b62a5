/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Commands on what a node or a scope is called, and on whole scopes. */
#include <string.h>

#include "engine/command/command-private.h"
#include "engine/graph/scope.h"

static gboolean
rename_scope (SluiceCommandCall *call, char *from, char *to, GError **error)
{
  return sluice_edit_rename_scope (call->graph, from, to, error)
         && sluice_command_rename_in_training (call, from, to, error)
         && sluice_command_rename_in_muted (call, &from, &to, 1, error);
}

/* A node or a scope of the name. */
static gboolean
exists (const SluiceCommandCall *call, const char *name, GError **error)
{
  if (sluice_graph_find (call->graph, name) != NULL)
    return TRUE; /* without a look at all nodes */
  g_autoptr (GPtrArray) nodes = sluice_command_collect (call, name, error);
  return nodes != NULL;
}

gboolean
sluice_command_rename (SluiceCommandCall *call, GError **error)
{
  char *from = call->arguments[0];
  if (!exists (call, from, error))
    return FALSE;
  if (*call->arguments[1] == '\0')
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the new name of '%s' is empty; ungroup takes a scope away", from);
  return rename_scope (call, from, call->arguments[1], error);
}

gboolean
sluice_command_delete (SluiceCommandCall *call, GError **error)
{
  g_autoptr (GPtrArray) nodes = sluice_command_collect (call, call->arguments[0], error);
  return nodes != NULL
         && sluice_edit_delete (call->graph, (SluiceNode *const *) nodes->pdata, nodes->len, error);
}

/* ---- scopes ---- */

gboolean
sluice_command_group (SluiceCommandCall *call, GError **error)
{
  const char *scope = call->arguments[0];
  g_autoptr (GPtrArray) renamed = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 1; i < call->n_arguments; i++)
    {
      const char *name = call->arguments[i], *slash = strrchr (name, '/');
      char *to = g_strconcat (scope, "/", slash != NULL ? slash + 1 : name, NULL);
      g_ptr_array_add (renamed, to);
      if (!exists (call, name, error))
        return FALSE;
      if (sluice_name_is_of (scope, name))
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "'%s' cannot go into '%s', which is itself or stands in it", name,
                            scope);
      if (!sluice_edit_rename_scope (call->graph, name, to, error)
          || !sluice_command_rename_in_training (call, name, to, error))
        return FALSE;
    }
  return sluice_command_rename_in_muted (call, call->arguments + 1, (char **) renamed->pdata,
                                         renamed->len, error);
}

gboolean
sluice_command_ungroup (SluiceCommandCall *call, GError **error)
{
  char *scope = call->arguments[0], *slash = strrchr (scope, '/');
  g_autofree char *above = g_strndup (scope, slash != NULL ? (gsize) (slash - scope) : 0);
  g_autoptr (GPtrArray) nodes = sluice_command_collect (call, scope, error);
  const SluiceNode *node = sluice_graph_find (call->graph, scope);
  if (node != NULL)
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "is a node%s; only what is a scope and nothing else is taken apart",
                             nodes->len > 1 ? " that others stand below" : ", no scope");
  return nodes != NULL && rename_scope (call, scope, above, error);
}

/* ---- duplicate ---- */

typedef struct
{
  SluiceCommandCall *call;
  const char *from, *to; /* of the name, or the scope */
  GHashTable *copies;    /* node -> its copy */
} Duplication;

/* What the copy of something is called, a node or what is named after it. (transfer full)
 * (nullable): it is none of the things that are copied */
static char *
dup_name (const Duplication *self, const char *name)
{
  return sluice_name_is_of (name, self->from)
             ? g_strconcat (self->to, name + strlen (self->from), NULL)
             : NULL;
}

/* A variable's, a loop's or a node's beside which it stands: "w", "while/context", "loc:@w". */
static void
rename_text (const Duplication *self, SluiceAttrValue *value)
{
  static const char prefix[] = "loc:@";
  if (value->kind != SLUICE_ATTR_STRING || value->s.length == 0)
    return;
  g_autofree char *text = g_strndup (value->s.data, value->s.length);
  gboolean is_class = g_str_has_prefix (text, prefix);
  g_autofree char *name = dup_name (self, is_class ? text + strlen (prefix) : text);
  if (name == NULL)
    return;
  g_autofree char *whole = g_strconcat (is_class ? prefix : "", name, NULL);
  SluiceAttr attr = sluice_attr_string ("", whole);
  sluice_attr_value_clear (value);
  sluice_attr_value_copy (value, &attr.value);
}

/* What read the one does not read the other: the copy of what is muted is not. (transfer full)
 * (array length=n) */
static SluiceAttr *
dup_attrs (const Duplication *self, const SluiceNode *node, guint *n)
{
  SluiceAttr *attrs = g_new0 (SluiceAttr, MAX (node->n_attrs, 1));
  *n = 0;
  for (guint i = 0; i < node->n_attrs; i++)
    {
      const char *name = node->attrs[i].name;
      SluiceAttrValue *value = &attrs[*n].value;
      if (g_str_equal (name, SLUICE_MUTED_ATTR))
        continue;
      attrs[(*n)++].name = name;
      sluice_attr_value_copy (value, &node->attrs[i].value);
      if (g_str_has_suffix (name, "_name"))
        rename_text (self, value);
      for (guint k = 0;
           g_str_equal (name, "_class") && k < value->list.n && value->kind == SLUICE_ATTR_LIST;
           k++)
        rename_text (self, &value->list.items[k]);
    }
  return attrs;
}

static gboolean
is_copied (const Duplication *self, const SluiceNode *node)
{
  return node != NULL && sluice_name_is_of (node->name, self->from);
}

/* With the edges that there are already; a loop's back edges and those to nodes that come later
 * follow. */
static gboolean
copy_node (Duplication *self, SluiceNode *node, GError **error)
{
  g_autofree char *name = dup_name (self, node->name);
  guint n_attrs;
  g_autofree SluiceAttr *attrs = dup_attrs (self, node, &n_attrs);
  g_autofree SluiceEdge *inputs = g_new0 (SluiceEdge, MAX (node->n_inputs, 1));
  for (guint i = 0; i < node->n_inputs; i++)
    {
      inputs[i] = node->inputs[i];
      if (is_copied (self, inputs[i].node))
        inputs[i].node = g_hash_table_lookup (self->copies, inputs[i].node);
    }
  SluiceNodeSpec spec = { .name = name,
                          .op = node->op_name,
                          .device = node->device,
                          .inputs = inputs,
                          .n_inputs = node->n_inputs,
                          .attrs = attrs,
                          .n_attrs = n_attrs };
  SluiceNode *copy = sluice_edit_add (self->call->graph, &spec, error);
  for (guint i = 0; i < n_attrs; i++)
    sluice_attr_value_clear (&attrs[i].value);
  if (copy != NULL)
    g_hash_table_insert (self->copies, node, copy);
  return copy != NULL;
}

static gboolean
finish_node (Duplication *self, SluiceNode *node, GError **error)
{
  SluiceNode *copy = g_hash_table_lookup (self->copies, node);
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceEdge edge = node->inputs[i];
      if (!is_copied (self, edge.node) || copy->inputs[i].node != NULL)
        continue;
      edge.node = g_hash_table_lookup (self->copies, edge.node);
      if (!sluice_edit_set_input (self->call->graph, copy, i, edge, error))
        return FALSE;
    }
  for (guint i = 0; i < node->n_control_inputs; i++)
    {
      SluiceNode *before = node->control_inputs[i];
      if (is_copied (self, before))
        before = g_hash_table_lookup (self->copies, before);
      if (!sluice_edit_add_control (self->call->graph, copy, before, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
sluice_command_duplicate (SluiceCommandCall *call, GError **error)
{
  g_autoptr (GHashTable) copies = g_hash_table_new (NULL, NULL);
  Duplication self = { call, call->arguments[0], call->arguments[1], copies };
  g_autoptr (GPtrArray) nodes = sluice_command_collect (call, self.from, error);
  if (nodes == NULL)
    return FALSE;
  if (sluice_name_is_of (self.to, self.from))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "the copy of '%s' cannot stand in it, as '%s'; choose another name",
                        self.from, self.to);
  for (guint i = 0; i < nodes->len; i++)
    if (!copy_node (&self, nodes->pdata[i], error))
      return FALSE;
  for (guint i = 0; i < nodes->len; i++)
    if (!finish_node (&self, nodes->pdata[i], error))
      return FALSE;
  return TRUE;
}
