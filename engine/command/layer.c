/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/command/layer.h"

#include <string.h>

#include "engine/graph/edge-text.h"

/* What an input of the layer reads now; nothing where it reads nothing. (transfer full) */
static char *
recall_edge (SluiceGraph *graph, const char *scope, const char *text)
{
  const char *colon = strrchr (text, ':');
  if (!g_str_has_prefix (text, SLUICE_LAYER_INSIDE) || colon == NULL)
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
  if (!g_str_has_prefix (text, "[" SLUICE_LAYER_INSIDE))
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

SluiceNode *
sluice_layer_find_node (SluiceGraph *graph, const char *name)
{
  g_autofree char *output = g_strconcat (name, SLUICE_LAYER_OUTPUT, NULL);
  SluiceNode *node = sluice_graph_find (graph, output);
  const SluiceAttrValue *value =
      node != NULL && node->n_outputs > 0 ? sluice_node_get_attr (node, SLUICE_LAYER_ATTR) : NULL;
  return value != NULL && value->kind == SLUICE_ATTR_STRING ? node : NULL;
}

SluiceLine *
sluice_layer_recall (SluiceGraph *graph, const char *name)
{
  const SluiceNode *node = sluice_layer_find_node (graph, name);
  if (node == NULL)
    return NULL;
  const SluiceAttrValue *value = sluice_node_get_attr (node, SLUICE_LAYER_ATTR);
  g_autofree char *text = g_strndup (value->s.length > 0 ? value->s.data : "", value->s.length);
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

/* (nullable) */
static const char *
find_value (const SluiceLine *line, const char *key)
{
  for (guint i = 1; i < line->n; i++)
    if (g_strcmp0 (line->words[i].key, key) == 0)
      return line->words[i].text;
  return NULL;
}

SluiceLayer *
sluice_layer_read (SluiceGraph *graph, const char *name)
{
  g_autoptr (SluiceLine) line = sluice_layer_recall (graph, name);
  const SluiceTemplate *template =
      line != NULL ? sluice_template_find ("layer", line->words[0].text, NULL) : NULL;
  if (template == NULL)
    return NULL;
  g_autoptr (GStrvBuilder) values = g_strv_builder_new ();
  for (guint i = 0; i < template->parameters->len; i++)
    {
      const SluiceTemplateParameter *parameter =
          &g_array_index (template->parameters, SluiceTemplateParameter, i);
      const char *value = find_value (line, parameter->name);
      if (value == NULL)
        value = parameter->value != NULL ? parameter->value : "";
      g_strv_builder_add (values, value);
    }
  SluiceLayer *self = g_new (SluiceLayer, 1);
  *self = (SluiceLayer){ template, g_strv_builder_end (values) };
  return self;
}

void
sluice_layer_free (SluiceLayer *self)
{
  g_strfreev (self->values);
  g_free (self);
}
