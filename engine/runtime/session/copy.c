/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Extend: inputs before their readers, by an own stack, since chains are long. The back edge of a
 * loop is set at the end. An edge of any other cycle stays open: its nodes carry an error from the
 * import, with which a run fails.
 */
#include "engine/runtime/session/copy.h"

#include "engine/graph/lower.h"

typedef struct
{
  SluiceGraph *to;
  const SluiceCopyView *view; /* (nullable) */
  SluiceNode **copies;        /* by index in the source */
  guint8 *is_entered;
  guint32 *next_input; /* by index in the source: the predecessor to look at next */
  GPtrArray *stack;
  GArray *late; /* of SluiceUse in the source: edges set at the end */
} Copy;

static SluiceEdge
edge_of (const Copy *copy, SluiceEdge edge)
{
  return copy->view != NULL && edge.node != NULL ? copy->view->get_edge (edge, copy->view->data)
                                                 : edge;
}

static SluiceNode *
control_of (const Copy *copy, SluiceNode *node)
{
  return copy->view != NULL ? copy->view->get_control (node, copy->view->data) : node;
}

static gboolean
is_back_edge (const SluiceNode *from, const SluiceNode *to)
{
  return sluice_node_get_role (from) == SLUICE_ROLE_NEXT_ITERATION
         && sluice_node_get_role (to) == SLUICE_ROLE_MERGE;
}

/* The next predecessor that is neither copied nor on the stack; NULL: the node can be copied. What
 * is on the stack waits for this node, so the edge closes a cycle. */
static SluiceNode *
next_missing (Copy *copy, const SluiceNode *node)
{
  guint32 *i = &copy->next_input[node->id - 1];
  while (*i < node->n_inputs + node->n_control_inputs)
    {
      SluiceNode *input = *i < node->n_inputs
                              ? edge_of (copy, node->inputs[*i]).node
                              : control_of (copy, node->control_inputs[*i - node->n_inputs]);
      (*i)++;
      if (input && !copy->copies[input->id - 1] && !copy->is_entered[input->id - 1]
          && !is_back_edge (input, node))
        return input;
    }
  return NULL;
}

static void
copy_one (Copy *copy, SluiceNode *node)
{
  g_autofree SluiceEdge *inputs = g_new0 (SluiceEdge, node->n_inputs + 1);
  g_autofree SluiceNode **controls = g_new (SluiceNode *, node->n_control_inputs + 1);
  guint n_controls = 0;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      SluiceEdge edge = edge_of (copy, node->inputs[i]);
      if (!edge.node)
        continue;
      inputs[i] = (SluiceEdge){ copy->copies[edge.node->id - 1], edge.port };
      if (!inputs[i].node)
        {
          SluiceUse use = { node, (int) i, edge.port };
          inputs[i] = SLUICE_NO_EDGE;
          g_array_append_val (copy->late, use);
        }
    }
  for (guint i = 0; i < node->n_control_inputs; i++)
    {
      const SluiceNode *control = control_of (copy, node->control_inputs[i]);
      if (control && copy->copies[control->id - 1])
        controls[n_controls++] = copy->copies[control->id - 1];
    }
  g_autofree char *wanted = copy->view ? copy->view->dup_name (node, copy->view->data) : NULL;
  g_autofree char *name = wanted ? sluice_graph_unique_name (copy->to, wanted) : NULL;
  copy->copies[node->id - 1] = sluice_graph_copy_node (copy->to, node, name ? name : node->name,
                                                       inputs, controls, n_controls);
}

static void
copy_from (Copy *copy, SluiceNode *root)
{
  for (SluiceNode *node = root; node;)
    {
      if (!copy->is_entered[node->id - 1])
        {
          copy->is_entered[node->id - 1] = 1;
          g_ptr_array_add (copy->stack, node);
        }
      SluiceNode *input = next_missing (copy, node);
      if (input)
        {
          node = input;
          continue;
        }
      copy_one (copy, node);
      g_ptr_array_set_size (copy->stack, (int) copy->stack->len - 1);
      node = copy->stack->len ? copy->stack->pdata[copy->stack->len - 1] : NULL;
    }
}

static gboolean
set_late_edges (Copy *copy, GError **error)
{
  for (guint i = 0; i < copy->late->len; i++)
    {
      SluiceUse use = g_array_index (copy->late, SluiceUse, i);
      SluiceEdge edge = edge_of (copy, use.node->inputs[use.input]);
      if (sluice_node_get_role (use.node) != SLUICE_ROLE_MERGE || use.node->error)
        continue;
      edge.node = copy->copies[edge.node->id - 1];
      if (!sluice_graph_set_input (copy->to, copy->copies[use.node->id - 1], (guint) use.input,
                                   edge, error))
        return FALSE;
    }
  return TRUE;
}

/* copies: by index in @from, filled with those there are. */
static gboolean
copy_all (SluiceGraph *to,
          SluiceGraph *from,
          const SluiceCopyView *view,
          SluiceNode **copies,
          GError **error)
{
  guint n = sluice_graph_get_n_nodes (from);
  g_autofree guint8 *is_entered = g_new0 (guint8, n + 1);
  g_autofree guint32 *next_input = g_new0 (guint32, n + 1);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  g_autoptr (GArray) late = g_array_new (FALSE, FALSE, sizeof (SluiceUse));
  Copy copy = { to, view, copies, is_entered, next_input, stack, late };
  sluice_graph_share_functions (to, from);
  for (guint i = 0; i < n; i++)
    {
      SluiceNode *node = sluice_graph_get_node (from, i);
      g_autofree char *name = view ? view->dup_name (node, view->data) : NULL;
      if (!copies[i] && (!view || name))
        copy_from (&copy, node);
    }
  return set_late_edges (&copy, error);
}

gboolean
sluice_copy_new_nodes (SluiceGraph *to, SluiceGraph *from, GError **error)
{
  guint n = sluice_graph_get_n_nodes (from);
  g_autofree SluiceNode **copies = g_new0 (SluiceNode *, n + 1);
  for (guint i = 0; i < n; i++)
    copies[i] = sluice_graph_find (to, sluice_graph_get_node (from, i)->name);
  if (!copy_all (to, from, NULL, copies, error))
    return FALSE;
  sluice_graph_copy_lowered (to, from, copies);
  return TRUE;
}

gboolean
sluice_copy_view (SluiceGraph *to, SluiceGraph *from, const SluiceCopyView *view, GError **error)
{
  g_autofree SluiceNode **copies = g_new0 (SluiceNode *, sluice_graph_get_n_nodes (from) + 1);
  return copy_all (to, from, view, copies, error);
}
