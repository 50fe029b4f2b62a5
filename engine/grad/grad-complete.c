/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * A node in a branch may read a value from outside of it without a Switch: gradients of branches
 * do. What it gives back is dead where the branch was not taken, and would take the sum with it.
 * So zeros come in its place there.
 */
#include "engine/grad/grad-private.h"

/* Where nothing else holds it, so alive wherever its inputs are. */
static SluiceEdge
make_plain (SluiceBuilder *b, SluiceRole role, SluiceEdge x, SluiceEdge y)
{
  SluiceBuilder plain = *b;
  SluiceEdge inputs[] = { x, y };
  plain.n_control_inputs = 0;
  SluiceEdge edge = sluice_grad_role_op (&plain, role, inputs, y.node ? 2 : 1, NULL, 0);
  b->error = plain.error;
  return edge;
}

static SluiceEdge
make_zeros (Walk *w, SluiceBuilder *b, SluiceEdge of)
{
  if (w->backward)
    return sluice_backward_zeros (w->backward, b, of);
  of = sluice_walk_bring_in (w, b, of);
  if (b->error)
    return SLUICE_NO_EDGE;
  if (sluice_edge_dtype (of) == SLUICE_RESOURCE)
    {
      SluiceBuilder plain = *b;
      SluiceAttr dtype = sluice_attr_type ("dtype", of.node->outputs[of.port].handle_dtype);
      of = sluice_grad_role_op (&plain, SLUICE_ROLE_READ_VARIABLE, &of, 1, &dtype, 1);
      b->error = plain.error;
    }
  return make_plain (b, SLUICE_ROLE_ZEROS_LIKE, of, SLUICE_NO_EDGE);
}

/* dx, which is there on one side of the branch, and zeros on the other. */
static SluiceEdge
complete (Walk *w, SluiceBuilder *b, const SluiceBranch *branch, SluiceEdge dx, SluiceEdge zeros)
{
  SluiceEdge pred = w->backward ? sluice_backward_value (w->backward, b, branch->pred)
                                : sluice_walk_bring_in (w, b, branch->pred);
  SluiceEdge there = make_plain (b, SLUICE_ROLE_SWITCH, dx, pred);
  SluiceEdge elsewhere = make_plain (b, SLUICE_ROLE_SWITCH, zeros, pred);
  there.port = branch->side;
  elsewhere.port = 1 - branch->side;
  return make_plain (b, SLUICE_ROLE_MERGE, there, elsewhere);
}

/* Is the value there wherever the branch is, and elsewhere as well? */
static gboolean
lies_around (const SluiceBranch *value, const SluiceBranch *branch)
{
  while (branch && branch != value)
    branch = branch->parent;
  return branch == value;
}

gboolean
sluice_walk_complete (
    Walk *w, const SluiceNode *node, SluiceEdge of, SluiceGrad *dx, GError **error)
{
  if (!w->flow || !dx->values.node)
    return TRUE;
  const SluiceBranch *at = sluice_control_flow_branch_of (w->flow, node);
  const SluiceBranch *to = sluice_control_flow_branch_of_edge (w->flow, of);
  if (at == to || !lies_around (to, at))
    return TRUE;
  SluiceBuilder b;
  SluiceNode *control;
  SluiceEdge zeros = SLUICE_NO_EDGE, values = SLUICE_NO_EDGE;
  sluice_walk_init_builder (w, &b, node, w->scope, &control);
  for (const SluiceBranch *branch = at; !b.error && branch != to; branch = branch->parent)
    {
      if (sluice_node_get_role (branch->pred.node) == SLUICE_ROLE_LOOP_COND
          || sluice_walk_is_within (w, node, branch))
        continue;
      if (!values.node)
        {
          values = sluice_grad_to_dense (&b, dx);
          zeros = make_zeros (w, &b, of);
        }
      values = complete (w, &b, branch, values, zeros);
    }
  if (values.node)
    *dx = (SluiceGrad){ .values = values };
  return sluice_builder_finish (&b, error);
}
