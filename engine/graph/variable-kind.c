/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/graph/variable-kind.h"

#include "engine/graph/shape-words.h"

/* Nodes between a variable and the op that updates it: Switch, Enter, Identity; rarely one. */
#define MOST_STEPS 4

static gboolean
is_optimizer (const SluiceNode *node)
{
  return node->op != NULL && node->op->def->flags & SLUICE_OP_OPTIMIZER;
}

gboolean
sluice_graph_has_optimizer (SluiceGraph *graph)
{
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    if (is_optimizer (sluice_graph_get_node (graph, i)))
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
      if (uses[i].input >= 0 && is_optimizer (uses[i].node))
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

SluiceVariableKind
sluice_variable_get_kind (SluiceGraph *graph, const SluiceNode *node, gboolean has_optimizer)
{
  SluiceDType dtype;
  const SluiceShape *shape;
  if (get_output (node, &dtype, &shape) == NULL)
    return SLUICE_VARIABLE_NONE;
  if (has_optimizer)
    return find_use (graph, node, MOST_STEPS);
  return sluice_dtype_is_floating (dtype) ? SLUICE_VARIABLE_TRAINED : SLUICE_VARIABLE_OTHER;
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
