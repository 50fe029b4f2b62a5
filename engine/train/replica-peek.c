/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/base/error.h"
#include "engine/device/random.h"
#include "engine/graph/role.h"
#include "engine/passes/work.h"
#include "engine/train/replica-private.h"

/*
 * The value of an edge between two steps. What is behind it is run once more for that, so the run
 * goes on as if nobody had asked only where that changes nothing: random streams are put back, and
 * a graph that would write what outlives the step is refused.
 */

/* A value comes out of it, and all else is as before, but for random streams. */
static gboolean
leaves_nothing (const SluiceNode *node)
{
  const guint reads = SLUICE_OP_ONLY_READS | SLUICE_OP_ENDS_WITH_STEP;
  if (node->op == NULL || node->op->def->flags & SLUICE_OP_WRITES_FILES)
    return FALSE;
  if (node->op->def->flags & reads || sluice_node_get_traits (node)->is_state)
    return TRUE;
  for (guint i = 0; i < node->n_inputs; i++)
    if (sluice_node_takes_ref (node, i))
      return sluice_node_get_traits (node)->moves_value;
  return !sluice_node_is_stateful (node);
}

static void
reach (GPtrArray *found, GHashTable *seen, SluiceNode *node)
{
  if (g_hash_table_add (seen, node))
    g_ptr_array_add (found, node);
}

static gboolean
is_fed (const SluiceEdge *feeds, guint n_feeds, SluiceEdge edge)
{
  for (guint i = 0; i < n_feeds; i++)
    if (feeds[i].node == edge.node && feeds[i].port == edge.port)
      return TRUE;
  return FALSE;
}

/* The nodes that make the edge, as far as what is fed. draws: one of them has a random stream.
 * Returns: (nullable): one that leaves something */
static const SluiceNode *
find_writer (SluiceEdge edge, const SluiceEdge *feeds, guint n_feeds, gboolean *draws)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  if (!is_fed (feeds, n_feeds, edge))
    reach (found, seen, edge.node);
  for (guint i = 0; i < found->len; i++)
    {
      const SluiceNode *node = found->pdata[i];
      if (!leaves_nothing (node))
        return node;
      *draws |= sluice_node_is_stateful (node) && sluice_node_get_attr (node, "seed") != NULL;
      for (guint k = 0; k < node->n_inputs; k++)
        if (!is_fed (feeds, n_feeds, node->inputs[k]))
          reach (found, seen, node->inputs[k].node);
      for (guint k = 0; k < node->n_control_inputs; k++)
        reach (found, seen, node->control_inputs[k]);
    }
  return NULL;
}

/* FALSE with the reason where the run would not be as if nobody had asked. */
static gboolean
check_peek (
    SluiceReplica *self, const char *name, const SluiceFeed *feeds, guint n_feeds, GError **error)
{
  SluiceEdge edge;
  gboolean draws = FALSE;
  g_autofree SluiceEdge *fed = g_new (SluiceEdge, n_feeds + 1);
  for (guint i = 0; i < n_feeds; i++)
    if (!sluice_graph_parse_edge (self->graph, feeds[i].edge, &fed[i], error))
      return FALSE;
  if (!sluice_graph_parse_edge (self->graph, name, &edge, error))
    return FALSE;
  const SluiceNode *writer = find_writer (edge, fed, n_feeds, &draws);
  if (writer != NULL)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "%s has no value between two steps: %s (%s) is behind it and changes what "
                        "outlives a step; stop at a breakpoint behind it and put a value there",
                        name, writer->name, writer->op_name);
  if (draws && self->runners != NULL)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "%s has no value between two steps: it is drawn at random while queue "
                        "runners draw; stop at a breakpoint behind it and put a value there",
                        name);
  return TRUE;
}

SluiceTensor *
sluice_replica_peek (
    SluiceReplica *self, const char *name, const SluiceFeed *feeds, guint n_feeds, GError **error)
{
  if (!check_peek (self, name, feeds, n_feeds, error))
    return NULL;
  SluiceTensor *value = NULL;
  const SluiceStepNames step = {
    .feeds = feeds, .n_feeds = n_feeds, .fetches = &name, .n_fetches = 1
  };
  g_autoptr (SluiceResources) before = sluice_resources_new ();
  SluiceResources *now = sluice_session_get_resources (self->session);
  sluice_replica_carry_random (now, before);
  gboolean ok = sluice_session_run (self->session, &step, &value, NULL, error);
  if (self->runners == NULL)
    {
      sluice_resources_reset (now, SLUICE_RANDOM_CONTAINER); /* with those that it began */
      sluice_replica_carry_random (before, now);
    }
  return ok ? value : NULL;
}
