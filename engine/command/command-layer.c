/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Layers: a template that becomes nodes in a scope, and again with other parameters. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/command/expand.h"
#include "engine/command/layer.h"
#include "engine/graph/edge-text.h"
#include "engine/graph/scope.h"

#define OUTPUT SLUICE_LAYER_OUTPUT
#define ATTR   SLUICE_LAYER_ATTR
#define INSIDE SLUICE_LAYER_INSIDE

/* ---- what a layer remembers ---- */

/* "./MatMul:0", the first input of the scope's nodes that reads the edge, or the edge. (transfer
 * full) */
static char *
describe_edge (const SluiceCommandCall *call, const char *scope, const char *text)
{
  SluiceGraph *graph = call->graph;
  SluiceEdge edge;
  gsize prefix = strlen (scope) + 1;
  if (!sluice_command_find_edge (call, text, &edge, NULL))
    return g_strdup (text);
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (graph, edge.node, &n);
  for (guint i = 0; i < n; i++)
    if (uses[i].input >= 0 && uses[i].port == edge.port
        && sluice_name_is_of (uses[i].node->name, scope))
      return g_strdup_printf (INSIDE "%s:%d", uses[i].node->name + prefix, uses[i].input);
  return g_strdup (text);
}

/* "[./read_0:0,./read_1:0]". (transfer full) */
static char *
describe_edges (const SluiceCommandCall *call, const char *scope, const char *text)
{
  g_auto (GStrv) edges = sluice_template_split_edges (text);
  for (guint i = 0; edges[i] != NULL; i++)
    {
      char *inside = describe_edge (call, scope, edges[i]);
      g_free (edges[i]);
      edges[i] = inside;
    }
  g_autofree char *all = g_strjoinv (",", edges);
  return g_strdup_printf ("[%s]", all);
}

/* "dense input=./MatMul:0 units=3". (transfer full) */
static char *
describe (const SluiceCommandCall *call,
          const char *scope,
          const SluiceTemplate *template,
          const SluiceTemplateValues *values)
{
  GString *text = g_string_new (template->name);
  for (guint i = 0; i < template->parameters->len; i++)
    {
      const SluiceTemplateParameter *parameter =
          &g_array_index (template->parameters, SluiceTemplateParameter, i);
      const char *value = sluice_template_values_get (values, parameter->name);
      g_autofree char *edge = parameter->kind == SLUICE_TEMPLATE_EDGE && *value != '\0'
                                  ? describe_edge (call, scope, value)
                              : parameter->kind == SLUICE_TEMPLATE_EDGES
                                  ? describe_edges (call, scope, value)
                                  : NULL;
      g_string_append_printf (text, " %s=%s", parameter->name, edge != NULL ? edge : value);
    }
  return g_string_free (text, FALSE);
}

static gboolean
remember (SluiceCommandCall *call, const char *name, const char *text, GError **error)
{
  g_autofree char *output = g_strconcat (name, OUTPUT, NULL);
  SluiceNode *node = sluice_graph_find (call->graph, output);
  SluiceAttr attr = sluice_attr_string (ATTR, text);
  return node == NULL || sluice_edit_set_attr (call->graph, node, &attr, error);
}

/* ---- the command ---- */

/* The values that are given, and behind them those that the layer was made by. (transfer container)
 */
static GPtrArray *
list_values (const SluiceCommandCall *call,
             const SluiceLine *before,
             const SluiceTemplate *template)
{
  GPtrArray *values = g_ptr_array_new ();
  gboolean is_same = before != NULL && g_str_equal (before->words[0].text, template->name);
  for (guint i = 1; is_same && i < before->n; i++)
    if (before->words[i].key != NULL)
      g_ptr_array_add (values, &before->words[i]);
  for (guint i = 0; i < call->n_values; i++)
    g_ptr_array_add (values, (gpointer) call->values[i]);
  return values;
}

static gboolean
expand (SluiceCommandCall *call,
        const SluiceTemplate *template,
        const SluiceLine *before,
        GError **error)
{
  const char *name = call->arguments[1];
  g_autoptr (GPtrArray) values = list_values (call, before, template);
  g_autoptr (GHashTable) all = sluice_template_values_new ();
  sluice_template_values_set (all, "name", name);
  if (!sluice_template_values_set_parameters (
          all, call, template, (const SluiceWord *const *) values->pdata, values->len, NULL, error))
    return FALSE;
  if (!sluice_template_expand (template, "do", all, call, error))
    return FALSE;
  g_autofree char *text = describe (call, name, template, all);
  return remember (call, name, text, error);
}

static gboolean
expand_again (SluiceCommandCall *call,
              const SluiceTemplate *template,
              const SluiceLine *before,
              GError **error)
{
  const char *name = call->arguments[1];
  g_autoptr (GPtrArray) nodes = sluice_command_collect (call, name, error);
  g_autoptr (GArray) readers = sluice_command_take_away (call, nodes, error);
  return readers != NULL && expand (call, template, before, error)
         && sluice_command_give_back (call, readers, error);
}

/* ---- those that follow ---- */

/* What is being gone through: a node, and how many of its uses were. */
typedef struct
{
  SluiceNode *node;
  guint n_seen;
} Visit;

/* Nodes that depend on those given, and these, each behind all that depend on it. (transfer
 * container) */
static GPtrArray *
list_behind (SluiceGraph *graph, const GPtrArray *from)
{
  GPtrArray *order = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) way = g_array_new (FALSE, FALSE, sizeof (Visit));
  for (guint i = 0; i < from->len; i++)
    {
      Visit first = { from->pdata[i], 0 };
      if (g_hash_table_add (seen, first.node))
        g_array_append_val (way, first);
      while (way->len > 0)
        {
          Visit *last = &g_array_index (way, Visit, way->len - 1);
          guint n;
          const SluiceUse *uses = sluice_graph_get_uses (graph, last->node, &n);
          while (last->n_seen < n
                 && (uses[last->n_seen].input < 0
                     || !g_hash_table_add (seen, uses[last->n_seen].node)))
            last->n_seen++;
          Visit next = { last->n_seen < n ? uses[last->n_seen].node : NULL, 0 };
          if (next.node != NULL)
            g_array_append_val (way, next);
          else
            {
              g_ptr_array_add (order, last->node);
              g_array_set_size (way, way->len - 1);
            }
        }
    }
  return order;
}

/* The layer whose outcome the node is. (transfer full) (nullable) */
static char *
dup_layer_of (const SluiceNode *node)
{
  if (!g_str_has_suffix (node->name, OUTPUT) || sluice_node_get_attr (node, ATTR) == NULL)
    return NULL;
  return g_strndup (node->name, strlen (node->name) - strlen (OUTPUT));
}

/* Layers that depend on it, each behind those that it reads. (transfer full) */
static GPtrArray *
list_followers (SluiceGraph *graph, const char *name, const GPtrArray *nodes)
{
  GPtrArray *found = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) behind = list_behind (graph, nodes);
  for (guint i = behind->len; i > 0; i--)
    {
      g_autofree char *layer = dup_layer_of (behind->pdata[i - 1]);
      if (layer != NULL && !g_str_equal (layer, name))
        g_ptr_array_add (found, g_steal_pointer (&layer));
    }
  return found;
}

/* The dtypes and shapes that it is made for. (transfer full) */
static char *
dup_signature (const SluiceCommandCall *call, const char *layer)
{
  g_autoptr (SluiceLine) line = sluice_layer_recall (call->graph, layer);
  GString *text = g_string_new (NULL);
  char shape[SLUICE_SHAPE_STR];
  for (guint i = 1; line != NULL && i < line->n; i++)
    {
      g_auto (GStrv) edges = sluice_template_split_edges (line->words[i].text);
      SluiceEdge edge;
      for (guint k = 0; edges[k] != NULL; k++)
        if (sluice_command_find_edge (call, edges[k], &edge, NULL))
          g_string_append_printf (text, "%s%s ", sluice_dtype_name (sluice_edge_dtype (edge)),
                                  sluice_shape_str (sluice_edge_shape (edge), shape));
    }
  return g_string_free (text, FALSE);
}

static gboolean
make_again (SluiceCommandCall *call, char *layer, GError **error)
{
  g_autoptr (SluiceLine) before = sluice_layer_recall (call->graph, layer);
  if (before == NULL)
    return TRUE; /* it cannot be read: it stays, and may not fit */
  char *arguments[] = { before->words[0].text, layer, NULL };
  SluiceCommandCall again = { .stack = call->stack,
                              .graph = call->graph,
                              .command = call->command,
                              .arguments = arguments,
                              .n_arguments = 2,
                              .said = call->said };
  const SluiceTemplate *template = sluice_template_find ("layer", arguments[0], error);
  return template != NULL && expand_again (&again, template, before, error);
}

/* Behind what contradicts nothing is known, so a layer there is refused for a poor reason: the good
 * one is what contradicts first. */
static void
say_first_error (SluiceCommandCall *call, const char *name, const char *layer, GError **error)
{
  g_autoptr (GPtrArray) nodes = sluice_command_collect (call, name, NULL);
  g_autoptr (GPtrArray) behind =
      nodes != NULL ? list_behind (call->graph, nodes) : g_ptr_array_new ();
  for (guint i = behind->len; i > 0; i--)
    {
      const SluiceNode *node = behind->pdata[i - 1];
      if (node->error == NULL || sluice_name_is_of (node->name, layer))
        continue;
      g_clear_error (error);
      if (error != NULL)
        *error = g_error_copy (node->error);
      return;
    }
  g_prefix_error (error, "layer '%s', which follows: ", layer);
}

/* Layers that are made for another shape than what they read now has are made for it. */
static gboolean
let_follow (SluiceCommandCall *call,
            const char *name,
            const GPtrArray *followers,
            const GPtrArray *signatures,
            GError **error)
{
  for (guint i = 0; i < followers->len; i++)
    {
      char *layer = followers->pdata[i];
      sluice_edit_settle (call->graph);
      g_autofree char *now = dup_signature (call, layer);
      if (!g_str_equal (now, signatures->pdata[i]) && !make_again (call, layer, error))
        {
          say_first_error (call, name, layer, error);
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
change (SluiceCommandCall *call,
        const SluiceTemplate *template,
        const SluiceLine *before,
        GError **error)
{
  const char *name = call->arguments[1];
  g_autoptr (GPtrArray) nodes = sluice_command_collect (call, name, error);
  if (sluice_command_is_muted (nodes))
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "'%s' is muted; unmute it, then change it", name);
  g_autoptr (GPtrArray) followers = list_followers (call->graph, name, nodes);
  g_autoptr (GPtrArray) signatures = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < followers->len; i++)
    {
      g_autoptr (GPtrArray) more = sluice_command_collect (call, followers->pdata[i], NULL);
      g_ptr_array_extend (nodes, more, NULL, NULL);
      g_ptr_array_add (signatures, dup_signature (call, followers->pdata[i]));
    }
  return sluice_command_take_training (call, nodes, error)
         && expand_again (call, template, before, error)
         && let_follow (call, name, followers, signatures, error);
}

gboolean
sluice_command_layer (SluiceCommandCall *call, GError **error)
{
  const char *name = call->arguments[1];
  const SluiceTemplate *template = sluice_template_find ("layer", call->arguments[0], error);
  g_autoptr (SluiceLine) before = sluice_layer_recall (call->graph, name);
  if (template == NULL)
    return FALSE;
  if (before != NULL)
    return change (call, template, before, error);
  for (guint i = 0; i < sluice_graph_get_n_nodes (call->graph); i++)
    if (sluice_name_is_of (sluice_graph_get_node (call->graph, i)->name, name))
      return sluice_fail (error, SLUICE_ERROR_ALREADY_EXISTS,
                          "there is a node or a scope '%s' already, which is no layer; choose "
                          "another name",
                          name);
  return expand (call, template, NULL, error);
}

gboolean
sluice_command_is_layer (const SluiceCommandCall *call, const char *name)
{
  return sluice_layer_find_node (call->graph, name) != NULL;
}

gboolean
sluice_command_set_layer (SluiceCommandCall *call, GError **error)
{
  const char *name = call->arguments[0];
  g_autoptr (SluiceLine) before = sluice_layer_recall (call->graph, name);
  if (before == NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "what the layer '%s' was made by cannot be read; take it apart", name);
  char *arguments[] = { before->words[0].text, (char *) name, NULL };
  SluiceCommandCall again = *call;
  again.arguments = arguments;
  again.n_arguments = 2;
  gboolean ok = sluice_command_layer (&again, error);
  call->training = again.training;
  if (!ok)
    return FALSE;
  call->words = g_strdup_printf (_ ("change the layer %s"), name);
  return TRUE;
}

gboolean
sluice_command_unlayer (SluiceCommandCall *call, GError **error)
{
  const char *name = call->arguments[0];
  SluiceNode *node = sluice_layer_find_node (call->graph, name);
  if (node != NULL)
    return sluice_edit_remove_attr (call->graph, node, ATTR, error);
  g_autoptr (GPtrArray) nodes = sluice_command_collect (call, name, error);
  return nodes != NULL
         && sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                         "'%s' is no layer, so there is nothing to take apart; ungroup takes a "
                         "scope away",
                         name);
}
