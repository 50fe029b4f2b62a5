/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/graph/variable-kind.h"

#include "engine/graph/shape-words.h"

/* Nodes between a variable and the op that updates it: Switch, Enter, Identity; rarely one. */
#define MOST_STEPS 4

/* Nodes between a moving average and its new value: read, cast, subtracted, multiplied, chosen. */
#define MOST_AVERAGE_STEPS 7

static gboolean
has_flag (const SluiceNode *node, SluiceOpFlags flag)
{
  return node->op != NULL && node->op->def->flags & flag;
}

gboolean
sluice_graph_has_optimizer (SluiceGraph *graph)
{
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    if (has_flag (sluice_graph_get_node (graph, i), SLUICE_OP_OPTIMIZER))
      return TRUE;
  return FALSE;
}

/* Does it give what it takes, a reference or a handle? */
static gboolean
hands_on (const SluiceNode *node, int port)
{
  SluiceRole role = sluice_node_get_role (node);
  SluiceDType dtype = (guint) port < node->n_outputs ? node->outputs[port].dtype : SLUICE_INVALID;
  return (role == SLUICE_ROLE_IDENTITY || role == SLUICE_ROLE_SWITCH || role == SLUICE_ROLE_ENTER)
         && (sluice_dtype_is_ref (dtype) || dtype == SLUICE_RESOURCE);
}

/* What optimizers do with it: SLOT, TRAINED, or OTHER for nothing. Being updated counts most. */
static SluiceVariableKind
find_use (SluiceGraph *graph, const SluiceNode *node, guint n_steps)
{
  SluiceVariableKind found = SLUICE_VARIABLE_OTHER;
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (graph, node, &n);
  for (guint i = 0; i < n && found != SLUICE_VARIABLE_TRAINED; i++)
    {
      SluiceVariableKind here = SLUICE_VARIABLE_OTHER;
      if (uses[i].input >= 0 && has_flag (uses[i].node, SLUICE_OP_OPTIMIZER))
        {
          SluiceDType dtype = node->outputs[uses[i].port].dtype;
          gboolean is_held = sluice_dtype_is_ref (dtype) || dtype == SLUICE_RESOURCE;
          here = uses[i].input == 0 ? SLUICE_VARIABLE_TRAINED
                 : is_held          ? SLUICE_VARIABLE_SLOT
                                    : SLUICE_VARIABLE_OTHER;
        }
      else if (uses[i].input >= 0 && n_steps > 0 && hands_on (uses[i].node, 0))
        here = find_use (graph, uses[i].node, n_steps - 1);
      if (here == SLUICE_VARIABLE_TRAINED || found == SLUICE_VARIABLE_OTHER)
        found = here;
    }
  return found;
}

static const SluiceOutput *
get_output (const SluiceNode *node, SluiceDType *dtype, const SluiceShape **shape)
{
  SluiceRole role = sluice_node_get_role (node);
  if (node->n_outputs == 0 || (role != SLUICE_ROLE_VARIABLE && role != SLUICE_ROLE_RESOURCE_HANDLE))
    return NULL;
  const SluiceOutput *output = &node->outputs[0];
  *dtype = role == SLUICE_ROLE_VARIABLE ? sluice_dtype_base (output->dtype) : output->handle_dtype;
  *shape = role == SLUICE_ROLE_VARIABLE ? &output->shape : &output->handle_shape;
  return output;
}

/* Is @edge computed from the value of @variable through nothing but values of its @shape, as the
 * new value of an average or of a moment is? */
static gboolean
follows_itself (SluiceEdge edge,
                const SluiceNode *variable,
                const SluiceShape *shape,
                guint n_steps)
{
  if (edge.node == variable)
    return TRUE;
  if (edge.node == NULL || n_steps == 0
      || !sluice_shape_equal (&edge.node->outputs[edge.port].shape, shape))
    return FALSE;
  for (guint i = 0; i < edge.node->n_inputs; i++)
    if (follows_itself (edge.node->inputs[i], variable, shape, n_steps - 1))
      return TRUE;
  return FALSE;
}

/* Does an optimizer update rows of it that were looked up? There is no op of that kind for some of
 * them (Adam): differences are subtracted or scattered. What the optimizer keeps itself, and an
 * average, follows from its own value. */
static gboolean
is_taught (SluiceGraph *graph, const SluiceNode *node, const SluiceShape *shape)
{
  gboolean found = FALSE;
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (graph, node, &n);
  for (guint i = 0; i < n; i++)
    {
      const SluiceNode *user = uses[i].node;
      gboolean takes_step = has_flag (user, SLUICE_OP_TAKES_STEP);
      if (uses[i].input != 0 || user->n_inputs < 2
          || (!takes_step && sluice_node_get_role (user) != SLUICE_ROLE_ASSIGN))
        continue;
      if (follows_itself (user->inputs[user->n_inputs - 1], node, shape, MOST_AVERAGE_STEPS))
        return FALSE;
      found |= takes_step;
    }
  return found;
}

/* Is it read for nothing but to be kept, as what an optimizer has of a training that is not in this
 * graph? Whether there is a value is no reading. */
static gboolean
is_only_kept (SluiceGraph *graph, const SluiceNode *node, guint n_steps, gboolean *is_saved)
{
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (graph, node, &n);
  for (guint i = 0; i < n; i++)
    {
      const SluiceNode *user = uses[i].node;
      SluiceRole role = sluice_node_get_role (user);
      gboolean asks = user->n_outputs == 1 && user->outputs[0].dtype == SLUICE_BOOL;
      if (uses[i].input < 0 || role == SLUICE_ROLE_ASSIGN || asks)
        continue;
      if (has_flag (user, SLUICE_OP_WRITES_FILES))
        *is_saved = TRUE;
      else if ((role != SLUICE_ROLE_IDENTITY && role != SLUICE_ROLE_READ_VARIABLE) || n_steps == 0
               || !is_only_kept (graph, user, n_steps - 1, is_saved))
        return FALSE;
    }
  return TRUE;
}

SluiceVariableKind
sluice_variable_get_kind (SluiceGraph *graph, const SluiceNode *node, gboolean has_optimizer)
{
  SluiceDType dtype;
  const SluiceShape *shape;
  if (get_output (node, &dtype, &shape) == NULL)
    return SLUICE_VARIABLE_NONE;
  gboolean is_saved = FALSE, may_learn = sluice_dtype_is_floating (dtype);
  if (has_optimizer)
    {
      SluiceVariableKind kind = find_use (graph, node, MOST_STEPS);
      return kind == SLUICE_VARIABLE_OTHER && may_learn && is_taught (graph, node, shape)
                 ? SLUICE_VARIABLE_TRAINED
                 : kind;
    }
  if (!may_learn || (is_only_kept (graph, node, MOST_STEPS, &is_saved) && is_saved))
    return SLUICE_VARIABLE_OTHER;
  return SLUICE_VARIABLE_TRAINED;
}

double
sluice_variable_get_elements (const SluiceNode *node)
{
  SluiceDType dtype;
  const SluiceShape *shape;
  if (get_output (node, &dtype, &shape) == NULL || shape->rank < 0)
    return 0;
  double n = 1;
  for (int i = 0; i < shape->rank; i++)
    n *= (double) MAX (shape->dim[i], 0);
  return n;
}

char *
sluice_variable_dup_shape (const SluiceNode *node)
{
  SluiceDType dtype;
  const SluiceShape *shape;
  char *words = get_output (node, &dtype, &shape) != NULL ? sluice_shape_dup_words (shape) : NULL;
  return words != NULL ? words : g_strdup ("?");
}
