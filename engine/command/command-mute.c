/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What is muted stays in the graph and is gone around: what read its outcome reads instead what it
 * reads itself, so that the saved graph runs everywhere as it is drawn. Its nodes have an attribute
 * that TensorFlow passes over; that of the outcome remembers the output's number and who read it,
 * as in "0 relu:0 \"a mean:1\"".
 */
#include <string.h>

#include "engine/command/command-private.h"
#include "engine/graph/role.h"
#include "engine/graph/scope.h"
#include "engine/graph/shape-words.h"

gboolean
sluice_command_is_muted (const GPtrArray *nodes)
{
  for (guint i = 0; i < nodes->len; i++)
    if (sluice_node_get_attr (nodes->pdata[i], SLUICE_MUTED_ATTR) == NULL)
      return FALSE;
  return nodes->len > 0;
}

/* ---- what goes in and comes out ---- */

/* The one output that others read: OUT_OF_RANGE or FAILED_PRECONDITION where there is not one. */
static gboolean
find_outcome (SluiceGraph *graph,
              const char *name,
              const GPtrArray *nodes,
              SluiceEdge *outcome,
              GError **error)
{
  *outcome = SLUICE_NO_EDGE;
  for (guint i = 0; i < nodes->len; i++)
    {
      SluiceNode *node = nodes->pdata[i];
      guint n;
      const SluiceUse *uses = sluice_graph_get_uses (graph, node, &n);
      for (guint k = 0; k < n; k++)
        {
          if (uses[k].input < 0 || sluice_name_is_of (uses[k].node->name, name))
            continue;
          if (outcome->node != NULL && (outcome->node != node || outcome->port != uses[k].port))
            return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                                "'%s' gives others more than one value, '%s:%d' and '%s:%d'; mute "
                                "what makes one of them",
                                name, outcome->node->name, outcome->port, node->name, uses[k].port);
          *outcome = (SluiceEdge){ node, uses[k].port };
        }
    }
  return outcome->node != NULL
         || sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                         "nothing reads '%s', so nothing would change; delete it, or connect it "
                         "first",
                         name);
}

/* The first thing of that dtype that comes in: what can stand for the outcome. */
static SluiceEdge
find_through (const char *name, const GPtrArray *nodes, SluiceDType dtype)
{
  for (guint i = 0; i < nodes->len; i++)
    {
      const SluiceNode *node = nodes->pdata[i];
      for (guint k = 0; k < node->n_inputs; k++)
        if (node->inputs[k].node != NULL && !sluice_name_is_of (node->inputs[k].node->name, name)
            && sluice_edge_dtype (node->inputs[k]) == dtype)
          return node->inputs[k];
    }
  return SLUICE_NO_EDGE;
}

static gboolean
check (const char *name, const GPtrArray *nodes, GError **error)
{
  if (sluice_command_is_muted (nodes))
    return sluice_fail (error, SLUICE_ERROR_ALREADY_EXISTS,
                        "'%s' is muted already; unmute undoes it", name);
  for (guint i = 0; i < nodes->len; i++)
    {
      const SluiceNode *node = nodes->pdata[i];
      if (sluice_node_get_traits (node)->is_control_flow
          || sluice_node_get_traits (node)->crosses_frames)
        return sluice_node_fail (node, error, SLUICE_ERROR_FAILED_PRECONDITION,
                                 "decides what runs; a loop or a branch is not muted in part");
      if (sluice_node_get_attr (node, SLUICE_MUTED_ATTR) != NULL)
        return sluice_node_fail (node, error, SLUICE_ERROR_FAILED_PRECONDITION,
                                 "is muted already; unmute it, then mute '%s'", name);
    }
  return TRUE;
}

/* ---- mute ---- */

/* Leads the readers of one edge to another one; text: gets who they were. */
static gboolean
lead_over (SluiceCommandCall *call,
           const char *name,
           SluiceEdge outcome,
           SluiceEdge through,
           GString *text,
           GError **error)
{
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (call->graph, outcome.node, &n);
  g_autofree SluiceUse *readers = g_memdup2 (uses, n * sizeof *readers);
  for (guint i = 0; i < n; i++)
    {
      const SluiceUse *r = &readers[i];
      if (r->input < 0 || sluice_name_is_of (r->node->name, name))
        continue;
      g_autofree char *input = g_strdup_printf ("%s:%d", r->node->name, r->input);
      g_autofree char *word = sluice_line_quote (input);
      g_string_append_printf (text, " %s", word);
      if (!sluice_edit_set_input (call->graph, r->node, (guint) r->input, through, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
mark (SluiceCommandCall *call,
      const GPtrArray *nodes,
      const SluiceNode *outcome,
      const char *text,
      GError **error)
{
  for (guint i = 0; i < nodes->len; i++)
    {
      SluiceAttr attr =
          sluice_attr_string (SLUICE_MUTED_ATTR, nodes->pdata[i] == outcome ? text : "");
      if (!sluice_edit_set_attr (call->graph, nodes->pdata[i], &attr, error))
        return FALSE;
    }
  return TRUE;
}

/* The training is away then, and what is muted is none of it. (transfer container) (nullable) */
static GPtrArray *
collect (SluiceCommandCall *call, GError **error)
{
  const char *name = call->arguments[0];
  g_autoptr (GPtrArray) nodes = sluice_command_collect (call, name, error);
  guint n = nodes != NULL ? nodes->len : 0;
  if (n == 0 || !sluice_command_take_whole_training (call, error))
    return NULL;
  g_autoptr (GPtrArray) left = sluice_command_collect (call, name, NULL);
  if (left != NULL && left->len == n)
    return g_steal_pointer (&left);
  sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
               "'%s' belongs to the training, which is made whole: mute what it trains, or take it "
               "away by untrain",
               name);
  return NULL;
}

gboolean
sluice_command_mute (SluiceCommandCall *call, GError **error)
{
  const char *name = call->arguments[0];
  g_autoptr (GPtrArray) nodes = collect (call, error);
  SluiceEdge outcome;
  if (nodes == NULL || !check (name, nodes, error)
      || !find_outcome (call->graph, name, nodes, &outcome, error))
    return FALSE;
  SluiceDType dtype = sluice_edge_dtype (outcome);
  SluiceEdge through = find_through (call->arguments[0], nodes, dtype);
  if (through.node == NULL)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "'%s' reads no %s that could take the place of what it gives; connect its "
                        "readers to something else instead",
                        name, sluice_dtype_get_word (dtype));
  g_autoptr (GString) text = g_string_new (NULL);
  g_string_append_printf (text, "%d", outcome.port);
  return lead_over (call, name, outcome, through, text, error)
         && mark (call, nodes, outcome.node, text->str, error);
}

/* ---- unmute ---- */

/* (transfer full) (nullable): it does not give the outcome */
static SluiceLine *
recall (const SluiceNode *node)
{
  const SluiceAttrValue *value = sluice_node_get_attr (node, SLUICE_MUTED_ATTR);
  if (value == NULL || value->kind != SLUICE_ATTR_STRING || value->s.length == 0)
    return NULL;
  g_autofree char *text = g_strndup (value->s.data, value->s.length);
  return sluice_line_parse (text, NULL);
}

/* "NODE:K": FALSE: it is there no more. */
static gboolean
find_reader (SluiceGraph *graph, const char *text, SluiceNode **node, guint *input)
{
  const char *colon = strrchr (text, ':');
  g_autofree char *name = g_strndup (text, colon != NULL ? (gsize) (colon - text) : 0);
  guint64 number;
  *node = sluice_graph_find (graph, name);
  if (*node == NULL || !g_ascii_string_to_unsigned (colon + 1, 10, 0, G_MAXUINT16, &number, NULL)
      || number >= (*node)->n_inputs)
    return FALSE;
  *input = (guint) number;
  return TRUE;
}

/* Who read it reads it again, but for those that have been connected to something else. */
static gboolean
lead_back (SluiceCommandCall *call,
           const GPtrArray *nodes,
           SluiceNode *outcome,
           const SluiceLine *line,
           GError **error)
{
  guint64 port = 0;
  g_ascii_string_to_unsigned (line->words[0].text, 10, 0, G_MAXINT16, &port, NULL);
  if (port >= outcome->n_outputs)
    return TRUE;
  SluiceEdge edge = { outcome, (int) port };
  SluiceEdge through = find_through (call->arguments[0], nodes, sluice_edge_dtype (edge));
  for (guint i = 1; i < line->n; i++)
    {
      SluiceNode *reader;
      guint input;
      if (!find_reader (call->graph, line->words[i].text, &reader, &input))
        continue;
      SluiceEdge now = reader->inputs[input];
      if (now.node != through.node || now.port != through.port)
        g_string_append_printf (call->said, "%s reads something else by now, and goes on to\n",
                                line->words[i].text);
      else if (!sluice_edit_set_input (call->graph, reader, input, edge, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
sluice_command_unmute (SluiceCommandCall *call, GError **error)
{
  const char *name = call->arguments[0];
  gboolean any = FALSE;
  g_autoptr (GPtrArray) nodes = collect (call, error);
  if (nodes == NULL)
    return FALSE;
  for (guint i = 0; i < nodes->len; i++)
    {
      SluiceNode *node = nodes->pdata[i];
      g_autoptr (SluiceLine) line = recall (node);
      if (line != NULL && line->n > 0 && !lead_back (call, nodes, node, line, error))
        return FALSE;
      if (sluice_node_get_attr (node, SLUICE_MUTED_ATTR) == NULL)
        continue;
      any = TRUE;
      if (!sluice_edit_remove_attr (call->graph, node, SLUICE_MUTED_ATTR, error))
        return FALSE;
    }
  return any || sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION, "'%s' is not muted", name);
}

/* ---- names ---- */

/* "NODE:K" of a node below one of the names, below the other: (transfer full) (nullable): of none
 */
static char *
dup_renamed (const char *word, char *const *from, char *const *to, guint n)
{
  const char *colon = strrchr (word, ':');
  g_autofree char *name = g_strndup (word, colon != NULL ? (gsize) (colon - word) : 0);
  for (guint i = 0; i < n; i++)
    if (sluice_name_is_of (name, from[i]))
      {
        const char *rest = word + strlen (from[i]);
        return g_strconcat (to[i], rest + (*to[i] == '\0' && *rest == '/'), NULL);
      }
  return NULL;
}

gboolean
sluice_command_rename_in_muted (
    SluiceCommandCall *call, char *const *from, char *const *to, guint n_renamed, GError **error)
{
  guint left = sluice_graph_count_marked (call->graph, SLUICE_MUTED_ATTR);
  for (guint i = 0, n = sluice_graph_get_n_nodes (call->graph); left > 0 && i < n; i++)
    {
      /* Attributes of tens of thousands of nodes lie all over the memory. */
      __builtin_prefetch (sluice_graph_get_node (call->graph, MIN (i + 16, n - 1)));
      __builtin_prefetch (sluice_graph_get_node (call->graph, MIN (i + 8, n - 1))->attrs);
      SluiceNode *node = sluice_graph_get_node (call->graph, i);
      g_autoptr (SluiceLine) line = recall (node);
      left -= sluice_node_get_attr (node, SLUICE_MUTED_ATTR) != NULL;
      if (line == NULL || line->n == 0)
        continue;
      g_autoptr (GString) text = g_string_new (line->words[0].text);
      for (guint k = 1; k < line->n; k++)
        {
          g_autofree char *renamed = dup_renamed (line->words[k].text, from, to, n_renamed);
          g_autofree char *word =
              sluice_line_quote (renamed != NULL ? renamed : line->words[k].text);
          g_string_append_printf (text, " %s", word);
        }
      SluiceAttr attr = sluice_attr_string (SLUICE_MUTED_ATTR, text->str);
      if (!sluice_edit_set_attr (call->graph, node, &attr, error))
        return FALSE;
    }
  return TRUE;
}
