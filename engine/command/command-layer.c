/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Layers: a template that becomes nodes in a scope. What it was made by stands on its last node, in
 * an attribute that TensorFlow passes over, so that it can be made again with other parameters.
 */
#include <string.h>

#include "engine/command/expand.h"

#define OUTPUT "/output"
#define ATTR   "_layer"

/* ---- what a layer remembers ---- */

/* "dense input=x units=3". (transfer full) */
static char *
describe (const SluiceTemplate *template, const SluiceTemplateValues *values)
{
  GString *text = g_string_new (template->name);
  for (guint i = 0; i < template->parameters->len; i++)
    {
      const char *name = g_array_index (template->parameters, SluiceTemplateParameter, i).name;
      g_string_append_printf (text, " %s=%s", name, sluice_template_values_get (values, name));
    }
  return g_string_free (text, FALSE);
}

/* What the layer of that name was made by. (transfer full) (nullable): there is none */
static SluiceLine *
recall (SluiceGraph *graph, const char *name)
{
  g_autofree char *output = g_strconcat (name, OUTPUT, NULL);
  const SluiceNode *node = sluice_graph_find (graph, output);
  const SluiceAttrValue *value = node != NULL ? sluice_node_get_attr (node, ATTR) : NULL;
  if (value == NULL || value->kind != SLUICE_ATTR_STRING)
    return NULL;
  g_autofree char *text = g_strndup (value->s.data, value->s.length);
  return sluice_line_parse (text, NULL);
}

static gboolean
remember (SluiceCommandCall *call, const char *name, const char *text, GError **error)
{
  g_autofree char *output = g_strconcat (name, OUTPUT, NULL);
  SluiceNode *node = sluice_graph_find (call->graph, output);
  SluiceAttr attr = sluice_attr_string (ATTR, text);
  return node == NULL || sluice_edit_set_attr (call->graph, node, &attr, error);
}

/* ---- making one again ---- */

/* Who reads a node of a layer, by its name. */
typedef struct
{
  SluiceNode *reader;
  int input; /* -1: waits for it */
  int port;
  const char *name; /* interned */
} Reader;

static GArray *
list_readers (SluiceGraph *graph, const GPtrArray *nodes, const char *scope)
{
  GArray *readers = g_array_new (FALSE, FALSE, sizeof (Reader));
  for (guint i = 0; i < nodes->len; i++)
    {
      const SluiceNode *node = nodes->pdata[i];
      guint n;
      const SluiceUse *uses = sluice_graph_get_uses (graph, node, &n);
      for (guint k = 0; k < n; k++)
        if (!sluice_command_is_below (uses[k].node->name, scope))
          {
            Reader reader = { uses[k].node, uses[k].input, uses[k].port, node->name };
            g_array_append_val (readers, reader);
          }
    }
  return readers;
}

/* Optimizers have slots that go with the variables. */
static gboolean
check_untrained (const GArray *readers, const char *scope, GError **error)
{
  for (guint i = 0; i < readers->len; i++)
    {
      const SluiceNode *reader = g_array_index (readers, Reader, i).reader;
      if (reader->op != NULL && (reader->op->def->flags & SLUICE_OP_OPTIMIZER))
        return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                            "%s '%s' trains the layer '%s'; undo the training, change the layer, "
                            "and train it then",
                            reader->op_name, reader->name, scope);
    }
  return TRUE;
}

/* Lets go of the nodes; readers wait for those that come. */
static gboolean
take_away (SluiceCommandCall *call, const GArray *readers, const GPtrArray *nodes, GError **error)
{
  for (guint i = 0; i < readers->len; i++)
    {
      const Reader *r = &g_array_index (readers, Reader, i);
      SluiceNode *node = sluice_graph_find (call->graph, r->name);
      gboolean ok = r->input < 0 ? sluice_edit_remove_control (call->graph, r->reader, node, error)
                                 : sluice_edit_set_input (call->graph, r->reader, (guint) r->input,
                                                          SLUICE_NO_EDGE, error);
      if (!ok)
        return FALSE;
    }
  return sluice_edit_remove (call->graph, (SluiceNode *const *) nodes->pdata, nodes->len, error);
}

/* A reader of what the layer no longer has is left with an open input. */
static gboolean
give_back (SluiceCommandCall *call, const GArray *readers, GError **error)
{
  for (guint i = 0; i < readers->len; i++)
    {
      const Reader *r = &g_array_index (readers, Reader, i);
      SluiceNode *node = sluice_graph_find (call->graph, r->name);
      if (node == NULL)
        continue;
      gboolean ok = r->input < 0 ? sluice_edit_add_control (call->graph, r->reader, node, error)
                                 : sluice_edit_set_input (call->graph, r->reader, (guint) r->input,
                                                          (SluiceEdge){ node, r->port }, error);
      if (!ok)
        return FALSE;
    }
  return TRUE;
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
  gboolean is_same = before != NULL && before->n > 0 && before->words[0].key == NULL
                     && g_str_equal (before->words[0].text, template->name);
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
  g_autofree char *text = describe (template, all);
  return sluice_template_expand (template, "do", all, call, error)
         && remember (call, name, text, error);
}

static gboolean
expand_again (SluiceCommandCall *call,
              const SluiceTemplate *template,
              const SluiceLine *before,
              GError **error)
{
  const char *name = call->arguments[1];
  g_autoptr (GPtrArray) nodes = sluice_command_collect (call, name, error);
  g_autoptr (GArray) readers = list_readers (call->graph, nodes, name);
  return check_untrained (readers, name, error) && take_away (call, readers, nodes, error)
         && expand (call, template, before, error) && give_back (call, readers, error);
}

/* ---- those that follow ---- */

/* Was it made with an edge of that layer as a parameter? */
static gboolean
reads_layer (const SluiceLine *line, const char *name)
{
  for (guint i = 1; i < line->n; i++)
    {
      g_autofree char *node = g_strndup (line->words[i].text, strcspn (line->words[i].text, ":"));
      if (g_str_has_prefix (node, name) && sluice_command_is_below (node, name))
        return TRUE;
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
      gboolean follows = line != NULL && line->n > 0 && reads_layer (line, name);
      for (guint k = 0; line != NULL && line->n > 0 && k < found->len; k++)
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

static gboolean
change (SluiceCommandCall *call,
        const SluiceTemplate *template,
        const SluiceLine *before,
        GError **error)
{
  const char *name = call->arguments[1];
  SluiceShape was = *find_shape (call->graph, name);
  if (!expand_again (call, template, before, error))
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
