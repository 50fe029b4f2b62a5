/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Commands on edges. */
#include <string.h>

#include "engine/command/command-private.h"
#include "engine/graph/trial.h"

static gboolean
fail_no_input (const SluiceNode *node, const char *input, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);
  for (guint i = 0; i < MIN (node->n_inputs, 8); i++)
    {
      g_autofree char *name = sluice_node_dup_input_name (node, i);
      g_string_append_printf (known, "%s%u (%s)", i > 0 ? ", " : "", i, name);
    }
  return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                           "has no input '%s'; it has %u%s%s", input, node->n_inputs,
                           known->len > 0 ? ": " : "", known->str);
}

/* "NODE:K", K a number or the input's name. */
static gboolean
find_input (
    SluiceCommandCall *call, const char *text, SluiceNode **node, guint *input, GError **error)
{
  const char *colon = strrchr (text, ':');
  if (colon == NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "'%s' is no input: write NODE:K, its first one is '%s:0'", text, text);
  g_autofree char *name = g_strndup (text, (gsize) (colon - text));
  guint64 number;
  if ((*node = sluice_command_find_node (call, name, error)) == NULL)
    return FALSE;
  guint n = (*node)->n_inputs;
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *known = sluice_node_dup_input_name (*node, i);
      if (!g_str_equal (known, colon + 1))
        continue;
      *input = i;
      return TRUE;
    }
  if (!g_ascii_string_to_unsigned (colon + 1, 10, 0, G_MAXUINT16, &number, NULL)
      || (number >= n && !(number == n && sluice_node_takes_more (*node))))
    return fail_no_input (*node, colon + 1, error);
  *input = (guint) number;
  return TRUE;
}

gboolean
sluice_command_append_input (SluiceGraph *graph, SluiceNode *node, SluiceEdge edge, GError **error)
{
  const char *count = node->op->inputs[node->op->n_inputs - 1].number_attr;
  SluiceAttr attr = sluice_attr_int (count, sluice_node_get_int (node, count) + 1);
  guint n = node->n_inputs;
  g_autofree SluiceEdge *edges = g_new (SluiceEdge, n + 1);
  memcpy (edges, node->inputs, n * sizeof *edges);
  edges[n] = edge;
  return sluice_edit_set_inputs (graph, node, edges, n + 1, error)
         && sluice_edit_set_attr (graph, node, &attr, error);
}

gboolean
sluice_command_connect (SluiceCommandCall *call, GError **error)
{
  SluiceEdge edge;
  SluiceNode *node;
  guint input;
  if (!sluice_command_find_edge (call, call->arguments[0], &edge, error)
      || !find_input (call, call->arguments[1], &node, &input, error))
    return FALSE;
  if (input == node->n_inputs)
    return sluice_command_append_input (call->graph, node, edge, error);
  return sluice_edit_set_input (call->graph, node, input, edge, error);
}

gboolean
sluice_command_disconnect (SluiceCommandCall *call, GError **error)
{
  SluiceNode *node;
  guint input;
  if (!find_input (call, call->arguments[0], &node, &input, error))
    return FALSE;
  if (input >= node->n_inputs || node->inputs[input].node == NULL)
    return sluice_node_fail (node, error, SLUICE_ERROR_FAILED_PRECONDITION,
                             "nothing is connected to input %u", input);
  return sluice_edit_set_input (call->graph, node, input, SLUICE_NO_EDGE, error);
}

static gboolean
find_pair (SluiceCommandCall *call, SluiceNode **before, SluiceNode **node, GError **error)
{
  return (*before = sluice_command_find_node (call, call->arguments[0], error)) != NULL
         && (*node = sluice_command_find_node (call, call->arguments[1], error)) != NULL;
}

gboolean
sluice_command_control (SluiceCommandCall *call, GError **error)
{
  SluiceNode *before, *node;
  if (!find_pair (call, &before, &node, error))
    return FALSE;
  for (guint i = 0; i < node->n_control_inputs; i++)
    if (node->control_inputs[i] == before)
      return sluice_node_fail (node, error, SLUICE_ERROR_ALREADY_EXISTS, "waits for '%s' already",
                               before->name);
  return sluice_edit_add_control (call->graph, node, before, error);
}

gboolean
sluice_command_uncontrol (SluiceCommandCall *call, GError **error)
{
  SluiceNode *before, *node;
  return find_pair (call, &before, &node, error)
         && sluice_edit_remove_control (call->graph, node, before, error);
}
