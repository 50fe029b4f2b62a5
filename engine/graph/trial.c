/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/trial.h"

#include <string.h>

#include "engine/graph/graph-private.h"
#include "engine/graph/shape-context-private.h"

/* ---- stand-ins ---- */

SluiceNode *
sluice_stand_in_new (SluiceDType dtype, const SluiceShape *shape)
{
  SluiceNodeRecord *self = g_new0 (SluiceNodeRecord, 1);
  self->node.name = self->node.op_name = self->node.device = "";
  self->inferred = TRUE;
  self->frame = "";
  sluice_node_set_n_outputs (&self->node, 1);
  sluice_stand_in_set (&self->node, dtype, shape);
  return &self->node;
}

void
sluice_stand_in_set (SluiceNode *self, SluiceDType dtype, const SluiceShape *shape)
{
  self->outputs[0] =
      (SluiceOutput){ .dtype = dtype, .shape = *shape, .handle_shape = SLUICE_SHAPE_UNKNOWN };
}

void
sluice_stand_in_free (SluiceNode *self)
{
  sluice_node_free (self);
}

/* ---- a node with another input ---- */

gboolean
sluice_node_takes_more (const SluiceNode *node)
{
  return node->op != NULL && node->op->n_inputs > 0
         && node->op->inputs[node->op->n_inputs - 1].number_attr != NULL;
}

static SluiceEdge *
dup_inputs (const SluiceNode *node, guint input, SluiceEdge edge, guint *n)
{
  *n = MAX (node->n_inputs, input + 1);
  SluiceEdge *inputs = g_new0 (SluiceEdge, *n);
  if (node->n_inputs > 0)
    memcpy (inputs, node->inputs, node->n_inputs * sizeof *inputs);
  inputs[input] = edge;
  return inputs;
}

/* Attributes as they are, but for the count of inputs where there is one more. */
static SluiceAttr *
dup_attrs (const SluiceNode *node, guint input)
{
  const char *count =
      input == node->n_inputs ? node->op->inputs[node->op->n_inputs - 1].number_attr : NULL;
  SluiceAttr *attrs = g_new (SluiceAttr, node->n_attrs + 1);
  for (guint i = 0; i < node->n_attrs; i++)
    {
      attrs[i].name = node->attrs[i].name;
      sluice_attr_value_copy (&attrs[i].value, &node->attrs[i].value);
      if (attrs[i].name == count && attrs[i].value.kind == SLUICE_ATTR_INT)
        attrs[i].value.i++;
    }
  return attrs;
}

/* Shape rules read all inputs: those that are open read a value of which nothing is known. */
static void
fill_open_inputs (SluiceNode *node, SluiceNode *unknown)
{
  sluice_node_set_n_outputs (unknown, node->n_inputs);
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i].node == NULL)
      {
        unknown->outputs[i].dtype = sluice_node_get_input_dtype (node, i);
        node->inputs[i] = (SluiceEdge){ unknown, (int) i };
      }
}

static gboolean
infer (SluiceNode *node, GError **error)
{
  SluiceShape shape = SLUICE_SHAPE_UNKNOWN;
  SluiceNode *unknown = sluice_stand_in_new (SLUICE_INVALID, &shape);
  fill_open_inputs (node, unknown);
  gboolean ok = sluice_node_infer_shapes (node, error);
  sluice_stand_in_free (unknown);
  return ok;
}

gboolean
sluice_node_try_input (
    const SluiceNode *node, guint input, SluiceEdge edge, SluiceOutput *output, GError **error)
{
  *output = (SluiceOutput){ .shape = SLUICE_SHAPE_UNKNOWN };
  if (node->op == NULL)
    return sluice_node_fail (node, error, SLUICE_ERROR_NOT_FOUND, "is of an op that is not known");
  if (input > node->n_inputs || (input == node->n_inputs && !sluice_node_takes_more (node)))
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT, "has no input %u", input);
  SluiceNodeRecord trial = { .node = *node };
  SluiceNode *copy = &trial.node;
  g_autofree SluiceAttr *attrs = dup_attrs (node, input);
  trial.uses = sluice_node_record (node)->uses; /* stacks are found by them */
  trial.n_uses = sluice_node_record (node)->n_uses;
  copy->inputs = dup_inputs (node, input, edge, &copy->n_inputs);
  copy->attrs = NULL;
  copy->control_inputs = NULL;
  copy->n_attrs = copy->n_control_inputs = copy->n_outputs = 0;
  copy->outputs = NULL;
  copy->error = NULL;
  gboolean ok = sluice_node_complete (copy, attrs, node->n_attrs, TRUE, error)
                && sluice_node_check_inputs (copy, error) && infer (copy, error);
  if (ok && copy->n_outputs > 0)
    *output = copy->outputs[0];
  trial.uses = NULL;
  sluice_node_clear (&trial);
  return ok;
}

/* ---- dtypes ---- */

SluiceDType
sluice_node_get_input_dtype (const SluiceNode *node, guint input)
{
  guint at = 0;
  for (guint i = 0; node->op != NULL && i < node->op->n_inputs; i++)
    {
      const SluiceArg *arg = &node->op->inputs[i];
      const SluiceAttrValue *number =
          arg->number_attr != NULL ? sluice_node_get_attr (node, arg->number_attr) : NULL;
      const SluiceAttrValue *list =
          arg->list_attr != NULL ? sluice_node_get_attr (node, arg->list_attr) : NULL;
      gboolean is_last = i + 1 == node->op->n_inputs; /* one more is as those that there are */
      guint n = list != NULL && list->kind == SLUICE_ATTR_LIST      ? list->list.n
                : number != NULL && number->kind == SLUICE_ATTR_INT ? (guint) number->i
                                                                    : 1;
      if (input >= at + n && !(is_last && arg->number_attr != NULL))
        {
          at += n;
          continue;
        }
      const SluiceAttrValue *type = arg->type_attr != NULL
                                        ? sluice_node_get_attr (node, arg->type_attr)
                                    : list != NULL ? &list->list.items[input - at]
                                                   : NULL;
      SluiceDType dtype = type != NULL && type->kind == SLUICE_ATTR_TYPE ? type->type : arg->type;
      return dtype != SLUICE_INVALID && arg->is_ref ? dtype + SLUICE_REF : dtype;
    }
  return SLUICE_INVALID;
}

/* ---- cycles and loops ---- */

gboolean
sluice_node_is_ordered_before (const SluiceNode *before, const SluiceNode *after)
{
  return !before->graph->is_unordered
         && sluice_node_record (before)->position < sluice_node_record (after)->position;
}

GHashTable *
sluice_node_collect_before (SluiceNode *node)
{
  GHashTable *found = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) todo = g_ptr_array_new ();
  g_hash_table_add (found, node);
  g_ptr_array_add (todo, node);
  while (todo->len > 0)
    {
      const SluiceNode *at = g_ptr_array_steal_index_fast (todo, todo->len - 1);
      for (guint i = 0; i < at->n_inputs + at->n_control_inputs; i++)
        {
          SluiceNode *before = sluice_node_nth_before (at, i);
          if (before != NULL && g_hash_table_add (found, before))
            g_ptr_array_add (todo, before);
        }
    }
  return found;
}

gboolean
sluice_node_mixes_loops (SluiceNode *node, guint input, SluiceEdge edge)
{
  if (node->graph->n_enters == 0 || sluice_edge_is_back_edge (edge.node, node))
    return FALSE;
  for (guint i = 0; i < node->n_inputs + node->n_control_inputs; i++)
    {
      SluiceNode *other = i != input ? sluice_node_nth_before (node, i) : NULL;
      if (other != NULL)
        return sluice_node_output_frame (other) != sluice_node_output_frame (edge.node);
    }
  return FALSE;
}
