/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/graph/variable-kind.h"

#include <string.h>

#include "engine/graph/shape-words.h"

/* Nodes between a variable and the op that updates it: Switch, Enter, Identity; rarely one. */
#define MOST_STEPS 4

/* Nodes between a moving average and its new value: read, cast, subtracted, multiplied, chosen. */
#define MOST_AVERAGE_STEPS 7

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

static gboolean
is_one_of (const SluiceNode *node, const char *const *ops)
{
  return g_strv_contains (ops, node->op_name);
}

/* Is @edge computed from the value of @variable by nothing but sums and factors, as the new value
 * of an average or of a moment is? */
static gboolean
follows_itself (SluiceEdge edge, const SluiceNode *variable, guint n_steps)
{
  static const char *const ops[] = { "Add",      "AddV2", "Cast",   "Enter",
                                     "Identity", "Merge", "Mul",    "ReadVariableOp",
                                     "RealDiv",  "Sub",   "Switch", NULL };
  if (edge.node == variable)
    return TRUE;
  if (edge.node == NULL || n_steps == 0 || !is_one_of (edge.node, ops))
    return FALSE;
  for (guint i = 0; i < edge.node->n_inputs; i++)
    if (follows_itself (edge.node->inputs[i], variable, n_steps - 1))
      return TRUE;
  return FALSE;
}

/* Does an optimizer update rows of it that were looked up? There is no op of that kind for some of
 * them (Adam): differences are subtracted or scattered. What the optimizer keeps itself, and an
 * average, follows from its own value. */
static gboolean
is_taught (SluiceGraph *graph, const SluiceNode *node)
{
  static const char *const writers[] = { "AssignSub",
                                         "AssignSubVariableOp",
                                         "ResourceScatterAdd",
                                         "ResourceScatterSub",
                                         "ScatterAdd",
                                         "ScatterSub",
                                         NULL };
  gboolean found = FALSE;
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (graph, node, &n);
  for (guint i = 0; i < n; i++)
    {
      const SluiceNode *user = uses[i].node;
      gboolean writes = uses[i].input == 0 && is_one_of (user, writers);
      if (uses[i].input != 0 || user->n_inputs < 2
          || (!writes && sluice_node_get_role (user) != SLUICE_ROLE_ASSIGN))
        continue;
      if (follows_itself (user->inputs[user->n_inputs - 1], node, MOST_AVERAGE_STEPS))
        return FALSE;
      found |= writes;
    }
  return found;
}

/* Is it read for nothing but to be kept, as what an optimizer has of a training that is not in this
 * graph? */
static gboolean
is_only_kept (SluiceGraph *graph, const SluiceNode *node, guint n_steps, gboolean *is_read)
{
  static const char *const keepers[] = { "Save", "SaveSlices", "SaveV2", NULL };
  guint n;
  const SluiceUse *uses = sluice_graph_get_uses (graph, node, &n);
  for (guint i = 0; i < n; i++)
    {
      const SluiceNode *user = uses[i].node;
      SluiceRole role = sluice_node_get_role (user);
      if (uses[i].input < 0 || role == SLUICE_ROLE_ASSIGN
          || strcmp (user->op_name, "VarIsInitializedOp") == 0)
        continue;
      if (is_one_of (user, keepers))
        *is_read = TRUE;
      else if ((role != SLUICE_ROLE_IDENTITY && role != SLUICE_ROLE_READ_VARIABLE) || n_steps == 0
               || !is_only_kept (graph, user, n_steps - 1, is_read))
        return FALSE;
    }
  return TRUE;
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
  gboolean is_saved = FALSE, may_learn = sluice_dtype_is_floating (dtype);
  if (has_optimizer)
    {
      SluiceVariableKind kind = find_use (graph, node, MOST_STEPS);
      return kind == SLUICE_VARIABLE_OTHER && may_learn && is_taught (graph, node)
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
