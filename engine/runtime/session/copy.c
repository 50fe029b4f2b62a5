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
  SluiceGraph *to, *from;
  const SluiceCopyView *view; /* (nullable) */
  SluiceNode **copies;        /* by index in the source: those there are */
  guint8 *is_entered;
  guint32 *next_input; /* by index in the source: the predecessor to look at next */
  guint n_roots;       /* of the source, to which all was followed */
  GPtrArray *stack;
  GArray *late; /* of SluiceUse in the source: edges set at the end */
} Copy;

static void
copy_init (Copy *copy, SluiceGraph *to, SluiceGraph *from, const SluiceCopyView *view)
{
  const guint n = sluice_graph_get_n_nodes (from);
  *copy = (Copy){ .to = to, .from = from, .view = view };
  copy->copies = g_new0 (SluiceNode *, n + 1);
  copy->is_entered = g_new0 (guint8, n + 1);
  copy->next_input = g_new0 (guint32, n + 1);
  copy->stack = g_ptr_array_new ();
  copy->late = g_array_new (FALSE, FALSE, sizeof (SluiceUse));
  sluice_graph_share_functions (to, from);
}

static void
copy_clear (Copy *copy)
{
  g_free (copy->copies);
  g_free (copy->is_entered);
  g_free (copy->next_input);
  g_ptr_array_unref (copy->stack);
  g_array_unref (copy->late);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Copy, copy_clear)

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
enter (Copy *copy, SluiceNode *node)
{
  copy->is_entered[node->id - 1] = 1;
  g_ptr_array_add (copy->stack, node);
}

/* The next one that nobody has led to yet. FALSE: that were all. */
static gboolean
enter_root (Copy *copy)
{
  while (copy->n_roots < sluice_graph_get_n_nodes (copy->from))
    {
      SluiceNode *node = sluice_graph_get_node (copy->from, copy->n_roots++);
      g_autofree char *name = copy->view ? copy->view->dup_name (node, copy->view->data) : NULL;
      if (copy->copies[node->id - 1] || (copy->view && !name))
        continue;
      enter (copy, node);
      return TRUE;
    }
  return FALSE;
}

#define STEPS_A_LOOK 64 /* at the clock */

/* TRUE: all is copied but what is set late. */
static gboolean
copy_some (Copy *copy, gint64 budget_us)
{
  gint64 begun = g_get_monotonic_time ();
  for (guint n = 1; copy->stack->len > 0 || enter_root (copy); n++)
    {
      SluiceNode *node = copy->stack->pdata[copy->stack->len - 1];
      SluiceNode *input = next_missing (copy, node);
      if (input)
        enter (copy, input);
      else
        {
          copy_one (copy, node);
          g_ptr_array_set_size (copy->stack, (int) copy->stack->len - 1);
        }
      if (n % STEPS_A_LOOK == 0 && g_get_monotonic_time () - begun > budget_us)
        return FALSE;
    }
  return TRUE;
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

gboolean
sluice_copy_new_nodes (SluiceGraph *to, SluiceGraph *from, GError **error)
{
  g_auto (Copy) copy = { 0 };
  copy_init (&copy, to, from, NULL);
  for (guint i = 0; i < sluice_graph_get_n_nodes (from); i++)
    copy.copies[i] = sluice_graph_find (to, sluice_graph_get_node (from, i)->name);
  copy_some (&copy, G_MAXINT64);
  if (!set_late_edges (&copy, error))
    return FALSE;
  sluice_graph_copy_lowered (to, from, copy.copies);
  return TRUE;
}

gboolean
sluice_copy_view (SluiceGraph *to, SluiceGraph *from, const SluiceCopyView *view, GError **error)
{
  g_auto (Copy) copy = { 0 };
  copy_init (&copy, to, from, view);
  copy_some (&copy, G_MAXINT64);
  return set_late_edges (&copy, error);
}

/* ---- in pieces ---- */

struct _SluiceGraphCopy
{
  Copy copy;
};

SluiceGraphCopy *
sluice_graph_copy_begin (SluiceGraph *graph)
{
  SluiceGraphCopy *self = g_new (SluiceGraphCopy, 1);
  copy_init (&self->copy, sluice_graph_new (), sluice_graph_ref (graph), NULL);
  return self;
}

void
sluice_graph_copy_free (SluiceGraphCopy *self)
{
  g_clear_pointer (&self->copy.to, sluice_graph_unref);
  sluice_graph_unref (self->copy.from);
  copy_clear (&self->copy);
  g_free (self);
}

SluiceGraph *
sluice_graph_copy_go_on (SluiceGraphCopy *self, gint64 budget_us, GError **error)
{
  Copy *copy = &self->copy;
  if (!copy_some (copy, budget_us) || !set_late_edges (copy, error))
    return NULL;
  sluice_graph_copy_lowered (copy->to, copy->from, copy->copies);
  return g_steal_pointer (&copy->to);
}
