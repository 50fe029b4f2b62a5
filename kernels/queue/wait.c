/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "kernels/queue/wait.h"

#include <string.h>

#define MOST 3 /* nodes that a message names */

/* The node that makes the handle. */
static const SluiceNode *
find_maker (const SluiceNode *node, guint input)
{
  const SluiceNode *maker = node->inputs[input].node;
  while (maker != NULL && sluice_node_get_role (maker) == SLUICE_ROLE_IDENTITY)
    maker = maker->inputs[0].node;
  return maker;
}

/* "" where the op has no such attribute. */
static const SluiceString *
get_text (const SluiceNode *node, const char *name)
{
  static const SluiceString empty = { NULL, 0 };
  const SluiceAttrValue *value = sluice_node_get_attr (node, name);
  return value != NULL && value->kind == SLUICE_ATTR_STRING ? &value->s : &empty;
}

static gboolean
is_same_text (const SluiceString *a, const SluiceString *b)
{
  return a->length == b->length && (a->length == 0 || memcmp (a->data, b->data, a->length) == 0);
}

static gboolean
is_same_queue (const SluiceNode *a, const SluiceNode *b)
{
  if (a == b)
    return TRUE;
  const SluiceString *name = get_text (a, "shared_name");
  return name->length > 0 && is_same_text (name, get_text (b, "shared_name"))
         && is_same_text (get_text (a, "container"), get_text (b, "container"));
}

/* Nodes of the graph whose op begins so and that have the queue as their first input. */
static guint
list_nodes (GString *text, const SluiceNode *maker, const char *op)
{
  const SluiceGraph *graph = maker->graph;
  guint n = 0;
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      if (!g_str_has_prefix (node->op_name, op) || node->n_inputs == 0)
        continue;
      const SluiceNode *other = find_maker (node, 0);
      if (other == NULL || !is_same_queue (maker, other))
        continue;
      if (n < MOST)
        g_string_append_printf (text, "%s'%s'", n > 0 ? ", " : "", node->name);
      n++;
    }
  if (n > MOST)
    g_string_append_printf (text, " and %u more", n - MOST);
  return n;
}

char *
sluice_queue_describe_wait (SluiceQueue *queue, gpointer data, const SluiceNode *node, guint input)
{
  gboolean is_full = FALSE;
  g_autofree char *state = sluice_queue_describe (queue, data, &is_full);
  const SluiceNode *maker = find_maker (node, input);
  g_autoptr (GString) names = g_string_new (NULL);
  if (state == NULL || maker == NULL)
    return g_steal_pointer (&state);
  guint n = list_nodes (names, maker, is_full ? "QueueDequeue" : "QueueEnqueue");
  const char *verb = is_full ? "empty" : "fill";
  if (n == 0)
    return g_strdup_printf ("%s; no node of the graph would %s it", state, verb);
  return g_strdup_printf ("%s; %s would %s it, in a run that has %s", state, names->str, verb,
                          n == 1 ? "it" : "one of them");
}

void
sluice_queue_step_failed (const SluiceNode *node, SluiceResources *resources, const GError *error)
{
  const SluiceNode *maker = find_maker (node, 0);
  /* Input that ends and runs that are cancelled are no failures. */
  if (maker == NULL || g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_OUT_OF_RANGE)
      || g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED))
    return;
  const SluiceString *container = get_text (maker, "container"),
                     *shared = get_text (maker, "shared_name");
  g_autofree char *place =
      g_strndup (container->length > 0 ? container->data : "", container->length);
  g_autofree char *name =
      shared->length > 0 ? g_strndup (shared->data, shared->length) : g_strdup (maker->name);
  SluiceResource *queue =
      sluice_resources_get (resources, place, name, &sluice_queue_type, NULL, NULL, NULL);
  if (queue == NULL)
    return;
  sluice_queue_note_failure ((SluiceQueue *) queue, error);
  sluice_resource_unref (queue);
}
