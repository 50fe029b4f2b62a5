/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Layers: a template that becomes nodes in a scope. What it was made by stands on its last node, in
 * an attribute that TensorFlow passes over, so that it can be made again with other parameters. Of
 * an edge there stands who reads it within the layer, "./MatMul:0": whatever is renamed, healed or
 * connected anew outside, the layer reads what it reads.
 */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/command/expand.h"
#include "engine/graph/edge-text.h"

#define OUTPUT "/output"
#define ATTR   "_layer"
#define INSIDE "./"

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
        && sluice_command_is_below (uses[i].node->name, scope))
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

/* What an input of the layer reads now; nothing where it reads nothing. (transfer full) */
static char *
recall_edge (SluiceGraph *graph, const char *scope, const char *text)
{
  const char *colon = strrchr (text, ':');
  if (!g_str_has_prefix (text, INSIDE) || colon == NULL)
    return g_strdup (text);
  g_autofree char *name = g_strdup_printf ("%s/%.*s", scope, (int) (colon - text - 2), text + 2);
  const SluiceNode *node = sluice_graph_find (graph, name);
  guint64 input;
  if (node == NULL || !g_ascii_string_to_unsigned (colon + 1, 10, 0, G_MAXUINT16, &input, NULL)
      || input >= node->n_inputs || node->inputs[input].node == NULL)
    return g_strdup ("");
  return sluice_edge_to_text (node->inputs[input]);
}

/* The same of "[./a:0,./b:0]". (transfer full) */
static char *
recall_value (SluiceGraph *graph, const char *scope, const char *text)
{
  if (!g_str_has_prefix (text, "[" INSIDE))
    return recall_edge (graph, scope, text);
  g_auto (GStrv) edges = sluice_template_split_edges (text);
  for (guint i = 0; edges[i] != NULL; i++)
    {
      char *edge = recall_edge (graph, scope, edges[i]);
      g_free (edges[i]);
      edges[i] = edge;
    }
  g_autofree char *all = g_strjoinv (",", edges);
  return g_strdup_printf ("[%s]", all);
}

/* The node that remembers the layer of that name. (nullable): there is none */
static SluiceNode *
find_layer (SluiceGraph *graph, const char *name)
{
  g_autofree char *output = g_strconcat (name, OUTPUT, NULL);
  SluiceNode *node = sluice_graph_find (graph, output);
  const SluiceAttrValue *value =
      node != NULL && node->n_outputs > 0 ? sluice_node_get_attr (node, ATTR) : NULL;
  return value != NULL && value->kind == SLUICE_ATTR_STRING ? node : NULL;
}

/* What the layer of that name was made by. (transfer full) (nullable): there is none, or what
 * stands there cannot be read */
static SluiceLine *
recall (SluiceGraph *graph, const char *name)
{
  const SluiceNode *node = find_layer (graph, name);
  if (node == NULL)
    return NULL;
  const SluiceAttrValue *value = sluice_node_get_attr (node, ATTR);
  g_autofree char *text = g_strndup (value->s.data, value->s.length);
  SluiceLine *line = sluice_line_parse (text, NULL);
  for (guint i = 1; line != NULL && i < line->n; i++)
    {
      char *now = recall_value (graph, name, line->words[i].text);
      g_free (line->words[i].text);
      line->words[i].text = now;
    }
  if (line == NULL || (line->n > 0 && line->words[0].key == NULL))
    return line;
  sluice_line_free (line);
  return NULL;
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

/* Was it made with an edge of that layer as a parameter? */
static gboolean
reads_layer (const SluiceLine *line, const char *name)
{
  for (guint i = 1; i < line->n; i++)
    {
      g_auto (GStrv) edges = sluice_template_split_edges (line->words[i].text);
      for (guint k = 0; edges[k] != NULL; k++)
        {
          edges[k][strcspn (edges[k], ":")] = '\0';
          if (sluice_command_is_below (edges[k], name))
            return TRUE;
        }
    }
  return FALSE;
}

/* The layer whose outcome the node is. (transfer full) (nullable) */
static char *
dup_layer_of (const SluiceNode *node)
{
  if (!g_str_has_suffix (node->name, OUTPUT) || sluice_node_get_attr (node, ATTR) == NULL)
    return NULL;
  return g_strndup (node->name, strlen (node->name) - strlen (OUTPUT));
}

/* Layers that read it, or such a one, in order of creation, which is that of their edges. (transfer
 * full) */
static GPtrArray *
list_followers (SluiceGraph *graph, const char *name)
{
  GPtrArray *found = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      g_autofree char *layer = dup_layer_of (sluice_graph_get_node (graph, i));
      g_autoptr (SluiceLine) line = layer != NULL ? recall (graph, layer) : NULL;
      gboolean follows = line != NULL && reads_layer (line, name);
      for (guint k = 0; line != NULL && k < found->len; k++)
        follows |= reads_layer (line, found->pdata[k]);
      if (follows && !g_str_equal (layer, name))
        g_ptr_array_add (found, g_steal_pointer (&layer));
    }
  return found;
}

/* What a layer makes has another shape now: those that read it are made for the other one. */
static gboolean
let_follow (SluiceCommandCall *call, const char *name, GError **error)
{
  g_autoptr (GPtrArray) followers = list_followers (call->graph, name);
  for (guint i = 0; i < followers->len; i++)
    {
      char *layer = followers->pdata[i];
      g_autoptr (SluiceLine) before = recall (call->graph, layer);
      char *arguments[] = { before->words[0].text, layer, NULL };
      SluiceCommandCall again = { .stack = call->stack,
                                  .graph = call->graph,
                                  .command = call->command,
                                  .arguments = arguments,
                                  .n_arguments = 2,
                                  .said = call->said };
      const SluiceTemplate *template = sluice_template_find ("layer", arguments[0], error);
      if (template == NULL || !expand_again (&again, template, before, error))
        {
          g_prefix_error (error, "layer '%s', which reads '%s': ", layer, name);
          return FALSE;
        }
    }
  return TRUE;
}

/* (nullable) */
static const SluiceShape *
find_shape (SluiceGraph *graph, const char *name)
{
  g_autofree char *output = g_strconcat (name, OUTPUT, NULL);
  const SluiceNode *node = sluice_graph_find (graph, output);
  return node != NULL ? &node->outputs[0].shape : NULL;
}

/* All nodes that may be made again with a layer. (transfer container) */
static GPtrArray *
collect_with_followers (SluiceCommandCall *call, const char *name)
{
  GPtrArray *nodes = sluice_command_collect (call, name, NULL);
  g_autoptr (GPtrArray) followers = list_followers (call->graph, name);
  for (guint i = 0; i < followers->len; i++)
    {
      g_autoptr (GPtrArray) more = sluice_command_collect (call, followers->pdata[i], NULL);
      g_ptr_array_extend (nodes, more, NULL, NULL);
    }
  return nodes;
}

static gboolean
change (SluiceCommandCall *call,
        const SluiceTemplate *template,
        const SluiceLine *before,
        GError **error)
{
  const char *name = call->arguments[1];
  SluiceShape was = *find_shape (call->graph, name);
  g_autoptr (GPtrArray) nodes = collect_with_followers (call, name);
  if (!sluice_command_take_training (call, nodes, error)
      || !expand_again (call, template, before, error))
    return FALSE;
  const SluiceShape *is = find_shape (call->graph, name);
  return (is != NULL && sluice_shape_equal (&was, is)) || let_follow (call, name, error);
}

gboolean
sluice_command_layer (SluiceCommandCall *call, GError **error)
{
  const char *name = call->arguments[1];
  const SluiceTemplate *template = sluice_template_find ("layer", call->arguments[0], error);
  g_autoptr (SluiceLine) before = recall (call->graph, name);
  if (template == NULL)
    return FALSE;
  if (before != NULL)
    return change (call, template, before, error);
  for (guint i = 0; i < sluice_graph_get_n_nodes (call->graph); i++)
    if (sluice_command_is_below (sluice_graph_get_node (call->graph, i)->name, name))
      return sluice_fail (error, SLUICE_ERROR_ALREADY_EXISTS,
                          "there is a node or a scope '%s' already, which is no layer; choose "
                          "another name",
                          name);
  return expand (call, template, NULL, error);
}

gboolean
sluice_command_is_layer (const SluiceCommandCall *call, const char *name)
{
  return find_layer (call->graph, name) != NULL;
}

gboolean
sluice_command_set_layer (SluiceCommandCall *call, GError **error)
{
  const char *name = call->arguments[0];
  g_autoptr (SluiceLine) before = recall (call->graph, name);
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
  SluiceNode *node = find_layer (call->graph, name);
  if (node != NULL)
    return sluice_edit_remove_attr (call->graph, node, ATTR, error);
  g_autoptr (GPtrArray) nodes = sluice_command_collect (call, name, error);
  return nodes != NULL
         && sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                         "'%s' is no layer, so there is nothing to take apart; ungroup takes a "
                         "scope away",
                         name);
}
