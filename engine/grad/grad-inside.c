/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Gradients that stand in the body of a loop, of what one iteration computes, or in a branch. The
 * walk ends at the loop's variables; through what the loop takes in as a constant, or the branch by
 * its Switch, it goes on outside, and the nodes that it adds for that take the forward values into
 * the loop. Loops within the body have their gradients there as well (grad-backward.c).
 */
#include "engine/grad/grad-private.h"

/* Is the frame one that the gradient stands in? */
static gboolean
is_around (const Walk *w, guint frame)
{
  const SluiceLoop *loop = w->inside;
  while (loop && loop->frame != frame)
    loop = sluice_control_flow_get_loop (w->flow, loop->parent);
  return loop != NULL;
}

/* While a builder is at work in the body, the Merge has its Enter twice. */
static gboolean
is_unfinished_head (const SluiceNode *merge)
{
  for (guint i = 0; i < merge->n_inputs; i++)
    if (!merge->inputs[i].node || sluice_node_get_role (merge->inputs[i].node) != SLUICE_ROLE_ENTER
        || sluice_node_get_bool (merge->inputs[i].node, "is_constant"))
      return FALSE;
  return TRUE;
}

gboolean
sluice_walk_ends_at (Walk *w, const SluiceNode *node)
{
  return w->inside && sluice_node_get_role (node) == SLUICE_ROLE_MERGE
         && (sluice_loop_merge_next (node) || is_unfinished_head (node))
         && is_around (w, sluice_control_flow_frame_of (w->flow, node));
}

/* In a frame around the gradient: which branch it, or the loop that it is in, stands in. */
static const SluiceBranch *
branch_around (Walk *w, guint frame)
{
  const SluiceLoop *loop = w->inside;
  if (frame == (loop ? loop->frame : 0))
    return sluice_control_flow_branch_of (w->flow, w->pivot);
  while (loop->parent != frame)
    loop = sluice_control_flow_get_loop (w->flow, loop->parent);
  const SluiceBranch *deepest = NULL;
  for (guint i = 0; i < loop->enters->len; i++)
    {
      SluiceEdge entered = ((SluiceNode *) loop->enters->pdata[i])->inputs[0];
      const SluiceBranch *branch =
          entered.node ? sluice_control_flow_branch_of_edge (w->flow, entered) : NULL;
      if (branch && (!deepest || branch->depth > deepest->depth))
        deepest = branch;
    }
  return deepest;
}

gboolean
sluice_walk_is_within (Walk *w, const SluiceNode *node, const SluiceBranch *branch)
{
  guint frame = sluice_control_flow_frame_of (w->flow, node);
  if (!w->pivot || w->backward || (frame && !is_around (w, frame)))
    return FALSE;
  const SluiceBranch *around = branch_around (w, frame);
  while (around
         && (around->pred.node != branch->pred.node || around->pred.port != branch->pred.port
             || around->side != branch->side))
    around = around->parent;
  return around != NULL;
}

/* The side of the Switch that the gradient is on; -1: it is on neither. */
static int
side_around (Walk *w, const SluiceNode *node)
{
  guint frame = sluice_control_flow_frame_of (w->flow, node);
  if (!node->inputs[1].node || (frame && !is_around (w, frame)))
    return -1;
  SluiceEdge pred = sluice_edge_strip (node->inputs[1]);
  const SluiceBranch *branch = branch_around (w, frame);
  while (branch && (branch->pred.node != pred.node || branch->pred.port != pred.port))
    branch = branch->parent;
  return branch ? branch->side : -1;
}

gboolean
sluice_walk_passes (Walk *w, const SluiceNode *node, const SluiceGrad *dys, SluiceGrad *dxs)
{
  if (!w->pivot || w->backward)
    return FALSE;
  int side = 0;
  SluiceRole role = sluice_node_get_role (node);
  if (role == SLUICE_ROLE_SWITCH)
    side = side_around (w, node);
  else if (role != SLUICE_ROLE_ENTER
           || !is_around (w, sluice_control_flow_output_frame_of (w->flow, node)))
    return FALSE;
  if (side >= 0)
    dxs[0] = dys[side];
  return side >= 0;
}

gboolean
sluice_walk_check_exit (Walk *w, const SluiceNode *exit, GError **error)
{
  guint frame = sluice_control_flow_output_frame_of (w->flow, exit);
  if (!w->inside || w->backward || frame == w->inside->frame)
    return TRUE;
  return sluice_node_fail (
      exit, error, SLUICE_ERROR_UNIMPLEMENTED,
      "the loop that it ends lies outside of '%s', in which the gradient "
      "stands and would need all its iterations each time: take the gradient where "
      "the first loop is, and its result into the other",
      w->inside->name);
}

static SluiceEdge
bring_into (Walk *w, SluiceBuilder *b, const SluiceLoop *loop, SluiceEdge edge)
{
  if (!loop || sluice_control_flow_output_frame_of (w->flow, edge.node) == loop->frame)
    return edge;
  edge = bring_into (w, b, sluice_control_flow_get_loop (w->flow, loop->parent), edge);
  if (b->error)
    return SLUICE_NO_EDGE;
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (w->graph, edge.node, &n);
  for (guint i = 0; i < n; i++)
    if (uses[i].input == 0 && uses[i].port == edge.port
        && sluice_node_get_role (uses[i].node) == SLUICE_ROLE_ENTER
        && sluice_node_get_bool (uses[i].node, "is_constant")
        && sluice_control_flow_output_frame_of (w->flow, uses[i].node) == loop->frame)
      return (SluiceEdge){ uses[i].node, 0 };
  return sluice_grad_enter (b, loop, loop->name, edge, TRUE);
}

SluiceEdge
sluice_walk_bring_in (Walk *w, SluiceBuilder *b, SluiceEdge edge)
{
  return bring_into (w, b, w->inside, edge);
}

/* What lies inside a loop has a value in every iteration, and no gradient of its own outside. */
gboolean
sluice_walk_check_place (
    Walk *w, const char *what, const SluiceEdge *edges, guint n, gboolean or_around, GError **error)
{
  for (guint i = 0; w->flow && i < n; i++)
    {
      guint frame = sluice_control_flow_output_frame_of (w->flow, edges[i].node);
      const SluiceLoop *loop = sluice_control_flow_get_loop (w->flow, frame);
      if (loop == w->inside || (or_around && (!loop || is_around (w, frame))))
        continue;
      if (!loop)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                            "%s '%s' lies outside the loop '%s', in which its gradient is asked "
                            "for: take it in first",
                            what, edges[i].node->name, w->inside->name);
      return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                          "%s '%s' lies inside the loop '%s': ask for the gradient of what enters "
                          "or leaves the loop, or build it in the loop's body",
                          what, edges[i].node->name, loop->name);
    }
  return TRUE;
}

void
sluice_walk_hold_inside (Walk *w, guint n_before)
{
  for (guint i = n_before; w->inside && i < sluice_graph_get_n_nodes (w->graph); i++)
    {
      SluiceNode *node = sluice_graph_get_node (w->graph, i);
      if (node->n_inputs == 0 && node->n_control_inputs == 0)
        sluice_graph_add_control_input (w->graph, node, w->pivot);
    }
}
