/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/parameters.h"

#include <string.h>

#include "engine/graph/collections.h"
#include "engine/graph/shape-context.h"
#include "engine/passes/work.h"

static gboolean
is_variable (const SluiceNode *node)
{
  return node->error == NULL && sluice_node_get_traits (node)->is_state;
}

/* The variable that an edge is, or hands on as it is. (nullable) */
static const SluiceNode *
find_variable (SluiceEdge edge)
{
  const SluiceNode *node = edge.node;
  guint n_left = node != NULL ? sluice_graph_get_n_nodes (node->graph) : 0; /* in a loop: no end */
  for (; node != NULL && n_left > 0; n_left--)
    {
      SluiceRole role = sluice_node_get_role (node);
      if (is_variable (node))
        return node;
      if (node->error != NULL || node->n_inputs == 0
          || !(sluice_node_get_traits (node)->moves_value || role == SLUICE_ROLE_READ_VARIABLE))
        return NULL;
      node = node->inputs[0].node;
    }
  return NULL;
}

/* ---- variables ---- */

static gboolean
takes_variable (const SluiceNode *node, guint input)
{
  return node->inputs[input].node != NULL
         && (sluice_edge_dtype (node->inputs[input]) == SLUICE_RESOURCE
             || sluice_node_takes_ref (node, input));
}

/* By use: what optimizers update, and what they keep beside it. kinds: node -> kind. */
static void
find_optimized (SluiceGraph *graph, GHashTable *kinds)
{
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      if (node->op == NULL || node->error != NULL || !(node->op->def->flags & SLUICE_OP_OPTIMIZER))
        continue;
      for (guint k = 0; k < node->n_inputs; k++)
        {
          const SluiceNode *variable =
              takes_variable (node, k) ? find_variable (node->inputs[k]) : NULL;
          if (variable != NULL)
            g_hash_table_insert (
                kinds, (gpointer) variable,
                GUINT_TO_POINTER (k == 0 ? SLUICE_PARAMETER_TRAINED : SLUICE_PARAMETER_SLOT));
        }
    }
}

static gboolean
find_collected (SluiceGraph *graph, GHashTable *kinds, GError **error)
{
  g_autoptr (GPtrArray) names = sluice_graph_dup_trainable (graph, error);
  for (guint i = 0; names != NULL && i < names->len; i++)
    {
      SluiceEdge edge;
      if (sluice_graph_parse_edge (graph, names->pdata[i], &edge, NULL) && is_variable (edge.node))
        g_hash_table_insert (kinds, edge.node, GUINT_TO_POINTER (SLUICE_PARAMETER_TRAINED));
    }
  return names != NULL;
}

/* TensorFlow names what an optimizer keeps "VARIABLE/SLOT". */
static gboolean
is_named_below_variable (SluiceGraph *graph, const SluiceNode *node)
{
  g_autofree char *scope = g_strdup (node->name);
  char *slash = strrchr (scope, '/');
  if (slash == NULL)
    return FALSE;
  *slash = '\0';
  const SluiceNode *above = sluice_graph_find (graph, scope);
  return above != NULL && is_variable (above);
}

/* Nodes of one container and shared_name make the same variable. (transfer full) */
static char *
dup_identity (const SluiceNode *node)
{
  const SluiceString *container = sluice_node_get_string (node, "container");
  const SluiceString *shared = sluice_node_get_string (node, "shared_name");
  g_autofree char *name = shared->length > 0 ? g_strndup (shared->data, shared->length) : NULL;
  return g_strdup_printf ("%.*s\n%s", (int) container->length,
                          container->length > 0 ? container->data : "",
                          name != NULL ? name : node->name);
}

static SluiceParameter
describe (const SluiceNode *node, SluiceParameterKind kind)
{
  const SluiceOutput *output = &node->outputs[0];
  gboolean is_handle = sluice_node_get_role (node) == SLUICE_ROLE_RESOURCE_HANDLE;
  SluiceParameter self = {
    .node = node,
    .kind = kind,
    .dtype = is_handle ? output->handle_dtype : sluice_dtype_base (output->dtype),
    .shape = is_handle ? output->handle_shape : output->shape,
  };
  self.n_elements = sluice_shape_n_elements (&self.shape);
  return self;
}

GArray *
sluice_graph_dup_parameters (SluiceGraph *self, GError **error)
{
  g_autoptr (GHashTable) kinds = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  find_optimized (self, kinds);
  if (!find_collected (self, kinds, error))
    return NULL;
  GArray *parameters = g_array_new (FALSE, FALSE, sizeof (SluiceParameter));
  for (guint i = 0; i < sluice_graph_get_n_nodes (self); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (self, i);
      gpointer kind;
      if (!is_variable (node) || !g_hash_table_add (seen, dup_identity (node)))
        continue;
      if (!g_hash_table_lookup_extended (kinds, node, NULL, &kind))
        kind = GUINT_TO_POINTER (is_named_below_variable (self, node) ? SLUICE_PARAMETER_SLOT
                                                                      : SLUICE_PARAMETER_OTHER);
      SluiceParameter parameter = describe (node, GPOINTER_TO_UINT (kind));
      g_array_append_val (parameters, parameter);
    }
  return parameters;
}

/* ---- broadcasts ---- */

static SluiceTensor *
no_constant (SluiceShapeContext *context, guint input)
{
  return NULL;
}

/* Does the op broadcast? Its own shape rule says what it makes of [2,1] and [3]; a product of
 * matrices, say, refuses them. */
static gboolean
broadcasts (const SluiceNode *node)
{
  static const SluiceShape probe[] = { { .rank = 2, .dim = { 2, 1 } },
                                       { .rank = 1, .dim = { 3 } } };
  SluiceOutput output = { .shape = SLUICE_SHAPE_UNKNOWN };
  SluiceShapeContext context = { .node = node,
                                 .inputs = probe,
                                 .n_inputs = 2,
                                 .outputs = &output,
                                 .n_outputs = 1,
                                 .constant = no_constant };
  return node->op->def->shape != NULL && !(node->op->def->flags & SLUICE_OP_LOOKS_AFAR)
         && node->op->def->shape (&context, NULL)
         && sluice_shape_equal (&output.shape, &SLUICE_SHAPE (2, 3));
}

/* Is one repeated along a dimension that the other has? */
static gboolean
is_repeated (const SluiceShape *one, const SluiceShape *other)
{
  for (int back = 1; back <= other->rank; back++)
    {
      gint64 mine = back <= one->rank ? one->dim[one->rank - back] : 1;
      gint64 theirs = other->dim[other->rank - back];
      if (mine == 1 && theirs != 1)
        return TRUE;
    }
  return FALSE;
}

/* Both operands must be repeated; where nothing else is known a dimension of unknown size, a
 * batch's, counts as more than one. */
static gboolean
repeats_both (const SluiceNode *node)
{
  if (node->n_inputs != 2 || node->n_outputs != 1 || node->op == NULL || node->error != NULL)
    return FALSE;
  const SluiceShape *a = sluice_edge_shape (node->inputs[0]);
  const SluiceShape *b = sluice_edge_shape (node->inputs[1]);
  return a->rank > 0 && b->rank > 0 && is_repeated (a, b) && is_repeated (b, a)
         && broadcasts (node);
}

/* The variable whose initial value the node makes. (nullable) */
static const SluiceNode *
find_initialized (const SluiceNode *node)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_ptr_array_add (stack, (gpointer) node);
  while (stack->len > 0)
    {
      const SluiceNode *from = g_ptr_array_steal_index_fast (stack, stack->len - 1);
      guint n;
      const SluiceUse *uses = sluice_graph_get_uses (from->graph, from, &n);
      if (!g_hash_table_add (seen, (gpointer) from))
        continue;
      for (guint i = 0; i < n; i++)
        {
          SluiceRole role = sluice_node_get_role (uses[i].node);
          if (role == SLUICE_ROLE_ASSIGN && uses[i].input == 1 && uses[i].node->n_inputs > 1)
            return find_variable (uses[i].node->inputs[0]);
          if (role == SLUICE_ROLE_IDENTITY && uses[i].input == 0)
            g_ptr_array_add (stack, uses[i].node);
        }
    }
  return NULL;
}

GArray *
sluice_graph_dup_broadcasts (SluiceGraph *self)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (SluiceDoubleBroadcast));
  for (guint i = 0; i < sluice_graph_get_n_nodes (self); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (self, i);
      if (!repeats_both (node))
        continue;
      SluiceDoubleBroadcast broadcast = { .node = node, .variable = find_initialized (node) };
      broadcast.is_initial = broadcast.variable != NULL;
      for (guint k = 0; k < 2 && broadcast.variable == NULL; k++)
        broadcast.variable = find_variable (node->inputs[k]);
      if (broadcast.variable != NULL
          || sluice_edge_shape (node->inputs[0])->rank != sluice_edge_shape (node->inputs[1])->rank)
        g_array_append_val (found, broadcast);
    }
  return found;
}
