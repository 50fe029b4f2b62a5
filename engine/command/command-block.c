/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Blocks: a scope gets ports, is copied, and gives what was changed in it to its likes. */
#include <string.h>

#include "engine/command/block.h"
#include "engine/command/expand.h"
#include "engine/command/layer.h"
#include "engine/graph/scope.h"

/* ---- ports ---- */

/* What goes through a port. Variables and tables are shared by all instances, and what refers to
 * one goes by no copy. */
static gboolean
is_value (SluiceEdge edge)
{
  SluiceDType dtype = edge.node != NULL ? sluice_edge_dtype (edge) : SLUICE_INVALID;
  return dtype != SLUICE_INVALID && dtype != SLUICE_RESOURCE && !sluice_dtype_is_ref (dtype);
}

typedef struct
{
  SluiceCommandCall *call;
  const char *scope, *block;
  GArray *edges; /* SluiceEdge, that have a port */
  GPtrArray *ports;
  const char *kind; /* "in", "out" */
} Ports;

/* The port of the edge, which is made where there is none yet. (nullable) */
static SluiceNode *
get_port (Ports *self, SluiceEdge edge, GError **error)
{
  for (guint i = 0; i < self->edges->len; i++)
    {
      const SluiceEdge *other = &g_array_index (self->edges, SluiceEdge, i);
      if (other->node == edge.node && other->port == edge.port)
        return self->ports->pdata[i];
    }
  g_autofree char *name = g_strdup_printf ("%s/%s_%u", self->scope, self->kind, self->edges->len);
  g_autofree char *text = g_strdup_printf ("%s:%d", edge.node->name, edge.port);
  g_autoptr (GHashTable) values = sluice_template_values_new ();
  sluice_template_values_set (values, "name", name);
  const SluiceTemplate *template = sluice_template_find ("part", "port", error);
  if (template == NULL
      || !sluice_template_values_set_edge (values, self->call, "input", text, error)
      || !sluice_template_expand (template, "do", values, self->call, error))
    return NULL;
  SluiceNode *port = sluice_graph_find (self->call->graph, name);
  SluiceAttr attr = sluice_attr_string (SLUICE_BLOCK_ATTR, self->block);
  if (!sluice_edit_set_attr (self->call->graph, port, &attr, error))
    return NULL;
  g_array_append_val (self->edges, edge);
  g_ptr_array_add (self->ports, port);
  return port;
}

/* What the nodes of the scope read of others they read through ports. */
static gboolean
add_inputs (Ports *self, const GPtrArray *nodes, GError **error)
{
  for (guint i = 0; i < nodes->len; i++)
    {
      SluiceNode *node = nodes->pdata[i];
      for (guint k = 0; k < node->n_inputs; k++)
        {
          SluiceEdge edge = node->inputs[k];
          if (!is_value (edge) || sluice_name_is_of (edge.node->name, self->scope))
            continue;
          SluiceNode *port = get_port (self, edge, error);
          if (port == NULL
              || !sluice_edit_set_input (self->call->graph, node, k, (SluiceEdge){ port, 0 },
                                         error))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
add_outputs (Ports *self, const GPtrArray *nodes, GError **error)
{
  for (guint i = 0; i < nodes->len; i++)
    {
      SluiceNode *node = nodes->pdata[i];
      guint n;
      const SluiceUse *uses = sluice_graph_get_uses (self->call->graph, node, &n);
      g_autofree SluiceUse *readers = g_memdup2 (uses, n * sizeof *readers);
      for (guint k = 0; k < n; k++)
        {
          SluiceEdge edge = { node, readers[k].port };
          if (readers[k].input < 0 || !is_value (edge)
              || sluice_name_is_of (readers[k].node->name, self->scope))
            continue;
          SluiceNode *port = get_port (self, edge, error);
          if (port == NULL
              || !sluice_edit_set_input (self->call->graph, readers[k].node,
                                         (guint) readers[k].input, (SluiceEdge){ port, 0 }, error))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
check_scope (const SluiceCommandCall *call, const char *scope, GError **error)
{
  g_autofree char *block = sluice_block_dup_name (call->graph, scope);
  if (block != NULL)
    return sluice_fail (error, SLUICE_ERROR_ALREADY_EXISTS,
                        "'%s' is an instance of the block %s already", scope, block);
  if (sluice_layer_find_node (call->graph, scope) != NULL)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "'%s' is a layer; group it, and make a block of the group, or take it "
                        "apart first",
                        scope);
  if (sluice_graph_find (call->graph, scope) != NULL)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "'%s' is a node; group what is to be a block, and make one of the group",
                        scope);
  return TRUE;
}

gboolean
sluice_command_block (SluiceCommandCall *call, GError **error)
{
  const char *scope = call->arguments[0], *block = call->arguments[1];
  g_autoptr (GPtrArray) nodes = sluice_command_collect (call, scope, error);
  if (nodes == NULL || !check_scope (call, scope, error))
    return FALSE;
  g_auto (GStrv) others = sluice_block_list_instances (call->graph, block);
  if (others[0] != NULL)
    return sluice_fail (error, SLUICE_ERROR_ALREADY_EXISTS,
                        "there is a block %s already, as '%s'; choose another name", block,
                        others[0]);
  guint n_ports = 0;
  for (int out = 0; out < 2; out++)
    {
      g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (SluiceEdge));
      g_autoptr (GPtrArray) made = g_ptr_array_new ();
      Ports ports = { call, scope, block, edges, made, out ? "out" : "in" };
      if (!(out ? add_outputs : add_inputs) (&ports, nodes, error))
        return FALSE;
      n_ports += made->len;
    }
  return n_ports > 0
         || sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                         "'%s' reads nothing of others, and nothing reads it: connect it first",
                         scope);
}

/* ---- instances ---- */

static gboolean
duplicate (SluiceCommandCall *call, const char *from, const char *to, GError **error)
{
  char *arguments[] = { (char *) from, (char *) to, NULL };
  SluiceCommandCall copy = *call;
  copy.arguments = arguments;
  copy.n_arguments = 2;
  return sluice_command_duplicate (&copy, error);
}

static SluiceNode *
find_input (SluiceGraph *graph, const char *scope, guint i)
{
  g_autofree char *name = g_strdup_printf ("%s/in_%u", scope, i);
  SluiceNode *port = sluice_graph_find (graph, name);
  return port != NULL && port->n_inputs == 1 ? port : NULL;
}

/* What an instance reads, by the number of its port. (transfer full) */
static GArray *
list_inputs (SluiceGraph *graph, const char *scope)
{
  GArray *edges = g_array_new (FALSE, FALSE, sizeof (SluiceEdge));
  for (guint i = 0; find_input (graph, scope, i) != NULL; i++)
    g_array_append_val (edges, find_input (graph, scope, i)->inputs[0]);
  return edges;
}

static gboolean
set_inputs (SluiceGraph *graph, const char *scope, const GArray *edges, GError **error)
{
  for (guint i = 0; i < edges->len; i++)
    {
      SluiceNode *port = find_input (graph, scope, i);
      if (port != NULL
          && !sluice_edit_set_input (graph, port, 0, g_array_index (edges, SluiceEdge, i), error))
        return FALSE;
    }
  return TRUE;
}

gboolean
sluice_command_instance (SluiceCommandCall *call, GError **error)
{
  const char *block = call->arguments[0], *name = call->arguments[1];
  g_auto (GStrv) others = sluice_block_list_instances (call->graph, block);
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (SluiceEdge));
  if (others[0] == NULL)
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                        "there is no block %s; make one of a scope, as in block SCOPE %s", block,
                        block);
  g_autoptr (GArray) known = list_inputs (call->graph, others[0]);
  if (call->n_arguments - 2 > known->len)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "%u inputs are too many; the block %s has %u", call->n_arguments - 2, block,
                        known->len);
  for (guint i = 2; i < call->n_arguments; i++)
    {
      SluiceEdge edge;
      if (!sluice_command_find_edge (call, call->arguments[i], &edge, error))
        return FALSE;
      g_array_append_val (edges, edge);
    }
  return duplicate (call, others[0], name, error) && set_inputs (call->graph, name, edges, error);
}

/* ---- what was changed in one ---- */

/* Scopes are as they were copied; what they read stays theirs. */
static gboolean
copy_over (SluiceCommandCall *call, const char *from, const char *to, GError **error)
{
  g_autoptr (GPtrArray) nodes = sluice_command_collect (call, to, error);
  g_autoptr (GArray) inputs = list_inputs (call->graph, to);
  g_autoptr (GArray) readers = nodes != NULL ? sluice_command_take_away (call, nodes, error) : NULL;
  return readers != NULL && duplicate (call, from, to, error)
         && set_inputs (call->graph, to, inputs, error)
         && sluice_command_give_back (call, readers, error);
}

gboolean
sluice_command_apply (SluiceCommandCall *call, GError **error)
{
  const char *scope = call->arguments[0];
  g_autofree char *block = sluice_block_dup_name (call->graph, scope);
  if (block == NULL)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "'%s' is an instance of no block; make one of it, as in block %s NAME",
                        scope, scope);
  g_auto (GStrv) instances = sluice_block_list_instances (call->graph, block);
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  for (guint i = 0; instances[i] != NULL; i++)
    if (!g_str_equal (instances[i], scope))
      {
        g_autoptr (GPtrArray) nodes = sluice_command_collect (call, instances[i], error);
        g_ptr_array_extend (all, nodes, NULL, NULL);
      }
  if (!sluice_command_take_training (call, all, error))
    return FALSE;
  for (guint i = 0; instances[i] != NULL; i++)
    if (!g_str_equal (instances[i], scope) && !copy_over (call, scope, instances[i], error))
      return FALSE;
  return TRUE;
}

gboolean
sluice_command_unblock (SluiceCommandCall *call, GError **error)
{
  const char *scope = call->arguments[0];
  g_autofree char *block = sluice_block_dup_name (call->graph, scope);
  g_autoptr (GPtrArray) nodes = sluice_command_collect (call, scope, error);
  gsize length = strlen (scope) + 1;
  if (nodes == NULL)
    return FALSE;
  if (block == NULL)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION, "'%s' is an instance of no block",
                        scope);
  for (guint i = 0; i < nodes->len; i++)
    {
      SluiceNode *node = nodes->pdata[i];
      if (strlen (node->name) > length && strchr (node->name + length, '/') == NULL
          && sluice_node_get_attr (node, SLUICE_BLOCK_ATTR) != NULL
          && !sluice_edit_remove_attr (call->graph, node, SLUICE_BLOCK_ATTR, error))
        return FALSE;
    }
  return TRUE;
}
