/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <glib/gi18n-lib.h>

#include "engine/graph/lower.h"
#include "engine/passes/analysis.h"
#include "engine/passes/pass.h"
#include "engine/passes/sort.h"

#define MAX_PATH 12 /* nodes of a path that a message shows */

typedef struct
{
  const SluiceSignature *signature;
  const SluicePlacements *placements;
  const SluiceKeptNodes *kept; /* (nullable) */
  SluiceWork *work;
  SluiceGraph *graph;
  guint8 *is_fed;         /* by node index: some output of it is fed */
  SluiceWorkNode **nodes; /* by node index: what is in the closure */
  guint32 *reached_from;  /* by node index: id of the node that needed it; 0: a fetch or target */
  guint8 *is_called;      /* by node index: a call that was written out, and is needed */
  GPtrArray *effects;     /* of SluiceWorkNode: what such calls do besides giving values */
  SluiceWorkNode **feeds; /* of a partial run: by feed; NULL: nothing needs it */
  GPtrArray *stack;       /* of SluiceNode: reached, inputs not followed yet */
} Prune;

static int
find_feed (const Prune *prune, SluiceEdge edge)
{
  if (!prune->is_fed[edge.node->id - 1])
    return -1;
  for (guint i = 0; i < prune->signature->n_feeds; i++)
    if (prune->signature->feeds[i].node == edge.node
        && prune->signature->feeds[i].port == edge.port)
      return (int) i;
  return -1;
}

static char *
path_to (const Prune *prune, const SluiceNode *node)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint32 id = node->id; id; id = prune->reached_from[id - 1])
    g_ptr_array_add (names, (gpointer) sluice_graph_get_node (prune->graph, id - 1)->name);
  GString *text = g_string_new (NULL);
  for (guint i = names->len; i-- > 0;)
    {
      if (names->len > MAX_PATH && i == names->len - MAX_PATH / 2)
        {
          g_string_append_printf (text, "… %u more … → ", names->len - MAX_PATH);
          i = MAX_PATH / 2 - 1;
        }
      g_string_append (text, names->pdata[i]);
      if (i)
        g_string_append (text, " → ");
    }
  return g_string_free (text, FALSE);
}

/* Of what was fed, the name that looks most like this one. */
static const char *
nearest_feed (const Prune *prune, const char *name)
{
  const char *best = NULL;
  gsize best_length = 2; /* fewer letters in common say nothing */
  for (guint i = 0; i < prune->signature->n_feeds; i++)
    {
      const char *fed = prune->signature->feeds[i].node->name;
      gsize front = 0, back = 0, n = strlen (name), m = strlen (fed);
      while (front < n && front < m && name[front] == fed[front])
        front++;
      while (back < n - front && back < m - front && name[n - 1 - back] == fed[m - 1 - back])
        back++;
      if (front + back > best_length)
        {
          best_length = front + back;
          best = fed;
        }
    }
  return best;
}

static gboolean
fail_unfed (const Prune *prune, const SluiceNode *node, GError **error)
{
  g_autofree char *path = path_to (prune, node);
  const char *similar = nearest_feed (prune, node->name);
  char shape[SLUICE_SHAPE_STR];
  return sluice_node_fail (
      node, error, SLUICE_ERROR_INVALID_ARGUMENT,
      "feed a value for this placeholder of %s %s; it is needed by %s%s%s%s",
      sluice_dtype_name (node->outputs[0].dtype), sluice_shape_str (&node->outputs[0].shape, shape),
      path, similar ? " (fed was '" : "", similar ? similar : "", similar ? "')" : "");
}

/* One behind a control input may be dead when its time comes: its kernel fails if it is not. */
static gboolean
is_unfed (const SluiceNode *node)
{
  return sluice_node_get_role (node) == SLUICE_ROLE_PLACEHOLDER && node->n_control_inputs == 0;
}

static gboolean
check_node (const Prune *prune, const SluiceNode *node, GError **error)
{
  if (node->error)
    {
      g_propagate_error (error, g_error_copy (node->error));
      return FALSE;
    }
  for (guint i = 0; i < node->n_inputs; i++)
    if (!node->inputs[i].node)
      return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                               "input %u is not connected", i);
  const SluicePlacement *placement = sluice_placements_get (prune->placements, node);
  if (placement->error)
    {
      g_propagate_error (error, g_error_copy (placement->error));
      return FALSE;
    }
  if (!is_unfed (node))
    return TRUE;
  if (!prune->signature->may_lack_feeds)
    return fail_unfed (prune, node, error);
  if (!prune->work->unfed)
    fail_unfed (prune, node, &prune->work->unfed);
  return TRUE;
}

/* The work node of a node; a new one is put on the stack. */
static SluiceWorkNode *
reach (Prune *prune, SluiceNode *node, guint32 from)
{
  SluiceWorkNode **slot = &prune->nodes[node->id - 1];
  if (!*slot)
    {
      guint device = (guint) sluice_placements_get (prune->placements, node)->device;
      *slot = sluice_work_alloc (prune->work, sizeof **slot);
      **slot = (SluiceWorkNode){ .origin = node,
                                 .kind = SLUICE_WORK_OP,
                                 .device = device,
                                 .is_kept = sluice_kept_has (prune->kept, node->name) };
      prune->reached_from[node->id - 1] = from;
      g_ptr_array_add (prune->stack, node);
    }
  return *slot;
}

/* Who makes the value of an output of a call: later passes take those away that only pass it on. */
static SluiceEdge
find_maker (SluiceEdge edge)
{
  edge = sluice_edge_resolve (edge);
  while (
      edge.node != NULL && sluice_node_get_role (edge.node) == SLUICE_ROLE_IDENTITY
      && edge.node->inputs[0].node != NULL
      && !sluice_dtype_is_ref (edge.node->inputs[0].node->outputs[edge.node->inputs[0].port].dtype))
    edge = sluice_edge_resolve (edge.node->inputs[0]);
  return edge;
}

/* What a call was written out to, and what of that runs in any case. NULL: it is no such call. */
static const SluiceLowered *
reach_call (Prune *prune, const SluiceNode *node)
{
  const SluiceLowered *lowered = sluice_node_get_lowered (node);
  if (lowered && !prune->is_called[node->id - 1])
    {
      prune->is_called[node->id - 1] = 1;
      for (guint i = 0; i < lowered->n_outputs; i++)
        {
          SluiceWorkCall call = { node, i, find_maker (lowered->outputs[i]) };
          g_array_append_val (prune->work->calls, call);
        }
      for (guint i = 0; i < lowered->n_effects; i++)
        {
          const SluiceLowered *inner = reach_call (prune, lowered->effects[i]);
          g_ptr_array_add (prune->effects,
                           reach (prune, inner ? inner->done : lowered->effects[i], node->id));
        }
    }
  return lowered;
}

static guint
device_of (const Prune *prune, const SluiceNode *node)
{
  int device = sluice_placements_get (prune->placements, node)->device;
  return (guint) MAX (device, 0);
}

/* Of a partial run: the node that gives what is fed. */
static SluiceWorkNode *
reach_feed (Prune *prune, int feed)
{
  SluiceEdge edge = prune->signature->feeds[feed];
  if (!prune->feeds[feed])
    {
      prune->feeds[feed] =
          sluice_work_add (prune->work, SLUICE_WORK_FEED, edge.node, device_of (prune, edge.node));
      prune->feeds[feed]->end.port = edge.port;
      prune->feeds[feed]->end.number = (guint) feed;
    }
  return prune->feeds[feed];
}

static SluiceWorkEdge
reach_edge (Prune *prune, SluiceEdge edge, guint32 from)
{
  int feed = find_feed (prune, edge);
  const SluiceLowered *lowered;
  while (feed < 0 && (lowered = reach_call (prune, edge.node)))
    {
      edge = lowered->outputs[edge.port];
      feed = find_feed (prune, edge);
    }
  if (feed >= 0 && prune->signature->is_partial)
    return (SluiceWorkEdge){ reach_feed (prune, feed), 0 };
  if (feed >= 0)
    return (SluiceWorkEdge){ NULL, feed };
  return (SluiceWorkEdge){ reach (prune, edge.node, from), edge.port };
}

static void
follow (Prune *prune, const SluiceNode *node)
{
  SluiceWork *work = prune->work;
  SluiceWorkNode *copy = prune->nodes[node->id - 1];
  if (sluice_node_get_role (node) == SLUICE_ROLE_CONST)
    {
      copy->kind = SLUICE_WORK_CONST;
      copy->values = sluice_work_alloc (work, sizeof (SluiceTensor *));
      copy->values[0] = sluice_tensor_ref (sluice_node_get_attr (node, "value")->tensor);
    }
  copy->n_inputs = node->n_inputs;
  copy->inputs = sluice_work_alloc (work, node->n_inputs * sizeof (SluiceWorkEdge));
  for (guint i = 0; i < node->n_inputs; i++)
    copy->inputs[i] = reach_edge (prune, node->inputs[i], node->id);
  copy->controls = sluice_work_alloc (work, node->n_control_inputs * sizeof (SluiceWorkNode *));
  for (guint i = 0; i < node->n_control_inputs; i++)
    {
      SluiceNode *before = node->control_inputs[i];
      /* A fed placeholder has its value from the start: nothing is left to wait for. */
      if (prune->is_fed[before->id - 1] && sluice_node_get_role (before) == SLUICE_ROLE_PLACEHOLDER)
        {
          if (prune->signature->is_partial)
            copy->controls[copy->n_controls++] =
                reach_feed (prune, find_feed (prune, (SluiceEdge){ before, 0 }));
          continue;
        }
      const SluiceLowered *lowered = reach_call (prune, before);
      copy->controls[copy->n_controls++] =
          reach (prune, lowered ? lowered->done : before, node->id);
    }
}

static gboolean
check_feeds (const SluiceSignature *signature, GError **error)
{
  for (guint i = 0; i < signature->n_feeds; i++)
    for (guint k = 0; k < i; k++)
      if (signature->feeds[i].node == signature->feeds[k].node
          && signature->feeds[i].port == signature->feeds[k].port)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s:%d' is fed twice",
                            signature->feeds[i].node->name, signature->feeds[i].port);
  return TRUE;
}

/* Numbers the closure in order of creation. */
static void
collect (Prune *prune)
{
  guint n = sluice_graph_get_n_nodes (prune->graph);
  for (guint i = 0; i < n; i++)
    if (prune->nodes[i])
      {
        prune->nodes[i]->index = prune->work->nodes->len;
        g_ptr_array_add (prune->work->nodes, prune->nodes[i]);
      }
}

static void
add_effects (Prune *prune)
{
  SluiceWork *work = prune->work;
  if (!prune->effects->len)
    return;
  guint n = work->n_targets + prune->effects->len;
  SluiceWorkNode **targets = sluice_work_alloc (work, n * sizeof (SluiceWorkNode *));
  for (guint i = 0; i < n; i++)
    targets[i] =
        i < work->n_targets ? work->targets[i] : prune->effects->pdata[i - work->n_targets];
  work->targets = targets;
  work->n_targets = n;
}

/* Marks in `needs` the feeds that a node is behind. */
static void
find_needs (SluiceWork *work, SluiceWorkNode *from, guint8 *needs)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_ptr_array_add (stack, from);
  while (stack->len)
    {
      SluiceWorkNode *node = g_ptr_array_steal_index_fast (stack, stack->len - 1);
      if (!g_hash_table_add (seen, node))
        continue;
      if (node->kind == SLUICE_WORK_FEED)
        needs[node->end.number] = TRUE;
      for (guint i = 0; i < node->n_inputs + node->n_controls; i++)
        g_ptr_array_add (stack, i < node->n_inputs ? node->inputs[i].node
                                                   : node->controls[i - node->n_inputs]);
    }
}

/* Of a partial run: a node takes each fetch as soon as it is there. */
static void
add_fetch_nodes (Prune *prune)
{
  SluiceWork *work = prune->work;
  guint n_feeds = work->n_feeds, n = work->n_targets + work->n_fetches;
  SluiceWorkNode **targets = sluice_work_alloc (work, n * sizeof (SluiceWorkNode *));
  work->needs = sluice_work_alloc (work, (gsize) work->n_fetches * n_feeds);
  for (guint i = 0; i < work->n_targets; i++)
    targets[i] = work->targets[i];
  for (guint i = 0; i < work->n_fetches; i++)
    {
      SluiceWorkEdge from = work->fetches[i];
      SluiceWorkNode *node = targets[work->n_targets + i] =
          sluice_work_add (work, SLUICE_WORK_FETCH, from.node->origin, from.node->device);
      node->inputs = sluice_work_alloc (work, sizeof (SluiceWorkEdge));
      node->inputs[node->n_inputs++] = from;
      node->end.port = from.node->kind == SLUICE_WORK_FEED ? from.node->end.port : from.port;
      node->end.number = i;
      find_needs (work, node, work->needs + (gsize) i * n_feeds);
    }
  work->targets = targets;
  work->n_targets = n;
  work->n_feeds = work->n_fetches = 0;
}

/* ---- without a feed ---- */

/* Can the node never run, as these (by index) never do? */
static gboolean
waits_for (const SluiceWorkNode *node, const guint8 *never)
{
  guint n_waiting = 0;
  for (guint i = 0; i < node->n_controls; i++)
    if (never[node->controls[i]->index])
      return TRUE;
  for (guint i = 0; i < node->n_inputs; i++)
    n_waiting += node->inputs[i].node && never[node->inputs[i].node->index];
  return sluice_work_role (node) == SLUICE_ROLE_MERGE ? n_waiting == node->n_inputs : n_waiting > 0;
}

static gboolean
may_change_something (const SluiceWorkNode *node)
{
  if (node->kind != SLUICE_WORK_OP)
    return FALSE;
  gboolean takes_ref = FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    takes_ref |= sluice_node_takes_ref (node->origin, i);
  return takes_ref || sluice_node_is_stateful (node->origin);
}

/* TensorFlow finds out that a placeholder has no value when its kernel runs, and what does not wait
 * for it has run by then or still does. Of that only effects are seen. */
static gboolean
keep_effects (Prune *prune, GError **error)
{
  SluiceWork *work = prune->work;
  SluiceWorkNode *stuck;
  const GPtrArray *order = sluice_analysis_get_order (work, &stuck);
  if (!order)
    return sluice_work_fail_cycle (stuck, error);
  g_autofree guint8 *never = g_new0 (guint8, work->nodes->len + 1);
  work->n_fetches = work->n_targets = 0;
  work->targets = sluice_work_alloc (work, order->len * sizeof (SluiceWorkNode *));
  for (guint i = 0; i < order->len; i++)
    {
      SluiceWorkNode *node = order->pdata[i];
      never[node->index] = is_unfed (node->origin) || waits_for (node, never);
      if (!never[node->index] && may_change_something (node))
        work->targets[work->n_targets++] = node;
    }
  sluice_work_sweep (work);
  return TRUE;
}

static gboolean
follow_all (Prune *prune, GError **error)
{
  while (prune->stack->len)
    {
      SluiceNode *node = g_ptr_array_steal_index_fast (prune->stack, prune->stack->len - 1);
      if (!check_node (prune, node, error))
        return FALSE;
      follow (prune, node);
    }
  return TRUE;
}

static gboolean
close_over (Prune *prune, GError **error)
{
  const SluiceSignature *signature = prune->signature;
  SluiceWork *work = prune->work;
  for (guint i = 0; i < signature->n_feeds; i++)
    {
      prune->is_fed[signature->feeds[i].node->id - 1] = 1;
      work->feeds_inner |=
          sluice_node_get_role (signature->feeds[i].node) != SLUICE_ROLE_PLACEHOLDER;
    }
  for (guint i = 0; i < signature->n_fetches; i++)
    work->fetches[i] = reach_edge (prune, signature->fetches[i], 0);
  for (guint i = 0; i < signature->n_targets; i++)
    {
      const SluiceLowered *lowered = reach_call (prune, signature->targets[i]);
      work->targets[i] = reach (prune, lowered ? lowered->done : signature->targets[i], 0);
    }
  gboolean ok = follow_all (prune, error);
  add_effects (prune);
  collect (prune); /* also of a failure: the work graph owns the constants */
  if (!ok)
    return FALSE;
  if (signature->is_partial)
    add_fetch_nodes (prune);
  return !work->unfed || keep_effects (prune, error);
}

/* What the signature says, as arrays of the work graph. */
static void
take_signature (SluiceWork *work, const SluiceSignature *signature)
{
  SluiceEdge *feeds = sluice_work_alloc (work, signature->n_feeds * sizeof (SluiceEdge));
  for (guint i = 0; i < signature->n_feeds; i++)
    feeds[i] = signature->feeds[i];
  work->feeds = feeds;
  work->n_feeds = signature->n_feeds;
  work->n_fetches = signature->n_fetches;
  work->n_targets = signature->n_targets;
  work->fetches = sluice_work_alloc (work, signature->n_fetches * sizeof (SluiceWorkEdge));
  work->targets = sluice_work_alloc (work, signature->n_targets * sizeof (SluiceWorkNode *));
}

static gboolean
run (SluiceWork *work, const SluicePassOptions *options, GError **error)
{
  const SluiceSignature *signature = options->signature;
  if (!check_feeds (signature, error))
    return FALSE;
  take_signature (work, signature);
  SluiceNode *any = signature->n_fetches   ? signature->fetches[0].node
                    : signature->n_targets ? signature->targets[0]
                                           : NULL;
  if (!any)
    return TRUE;
  guint n = sluice_graph_get_n_nodes (any->graph);
  g_autofree guint8 *is_fed = g_new0 (guint8, n);
  g_autofree SluiceWorkNode **nodes = g_new0 (SluiceWorkNode *, n);
  g_autofree guint32 *reached_from = g_new0 (guint32, n);
  g_autofree guint8 *is_called = g_new0 (guint8, n);
  g_autofree SluiceWorkNode **feed_nodes = g_new0 (SluiceWorkNode *, signature->n_feeds + 1);
  g_autoptr (GPtrArray) effects = g_ptr_array_new ();
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  Prune prune = { .signature = signature,
                  .placements = options->placements,
                  .kept = options->kept,
                  .work = work,
                  .graph = any->graph,
                  .is_fed = is_fed,
                  .nodes = nodes,
                  .reached_from = reached_from,
                  .is_called = is_called,
                  .effects = effects,
                  .feeds = feed_nodes,
                  .stack = stack };
  return close_over (&prune, error);
}

/* Errors name what cannot run and why: a node that kept an error from its import, one that could
 * not be placed, a placeholder that nothing feeds (with the path from the fetch to it). */
const SluicePass sluice_pass_prune = {
  .name = "prune",
  .summary = N_ ("What the fetches and targets need, cut where something is fed"),
  .excludes = SLUICE_FACT_PRUNED,
  .provides = SLUICE_FACT_PRUNED,
  .run = run,
};
