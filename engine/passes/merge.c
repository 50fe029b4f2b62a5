/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Common sub-expressions, as in Click: one walk in topological order with a table of what was seen.
 * Nodes are the same when device, op, attributes, inputs and control inputs are: equal control
 * inputs keep branches apart, equal inputs frames.
 */
#include <glib/gi18n-lib.h>

#include "engine/passes/analysis.h"
#include "engine/passes/pass.h"

#define HASH(hash, value) ((hash) *0x9E3779B97F4A7C15u ^ (guint64) (gsize) (value))

/* Of two inputs the order does not matter; of more it does, to the last bit. */
static gboolean
is_commutative (const SluiceWorkNode *node)
{
  return node->n_inputs == 2 && node->kind == SLUICE_WORK_OP && node->origin->op
         && (node->origin->op->def->flags & SLUICE_OP_COMMUTATIVE);
}

static guint64
hash_edge (SluiceWorkEdge edge)
{
  return HASH (HASH (1, edge.node), edge.port);
}

static gboolean
equal_edges (SluiceWorkEdge a, SluiceWorkEdge b)
{
  return a.node == b.node && a.port == b.port;
}

static int
compare_nodes (const void *a, const void *b)
{
  const SluiceWorkNode *x = *(SluiceWorkNode *const *) a, *y = *(SluiceWorkNode *const *) b;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* What is in `_output_shapes` and its like is no part of what a node computes; `_class` ties it. */
static gboolean
is_meaningless (const SluiceAttr *attr)
{
  return attr->name[0] == '_' && strcmp (attr->name, "_class") != 0;
}

static guint
hash_node (gconstpointer key)
{
  const SluiceWorkNode *node = key;
  const gboolean is_const = node->kind == SLUICE_WORK_CONST;
  guint64 hash = HASH (node->device, is_const ? NULL : node->origin->op_name);
  if (is_commutative (node))
    hash = HASH (hash, hash_edge (node->inputs[0]) + hash_edge (node->inputs[1]));
  for (guint i = 0; !is_commutative (node) && i < node->n_inputs; i++)
    hash = HASH (hash, hash_edge (node->inputs[i]));
  for (guint i = 0; i < node->n_controls; i++)
    hash = HASH (hash, node->controls[i]);
  for (guint i = 0; is_const && i < node->origin->n_outputs; i++)
    hash = HASH (HASH (hash, node->values[i]->dtype), node->values[i]->n_elements);
  for (guint i = 0; !is_const && i < node->origin->n_attrs; i++)
    if (!is_meaningless (&node->origin->attrs[i]))
      hash = HASH (hash, sluice_attr_value_hash (&node->origin->attrs[i].value));
  return (guint) (hash >> 32);
}

static gboolean
equal_attrs (const SluiceNode *a, const SluiceNode *b)
{
  guint i = 0, k = 0;
  for (;; i++, k++)
    {
      while (i < a->n_attrs && is_meaningless (&a->attrs[i]))
        i++;
      while (k < b->n_attrs && is_meaningless (&b->attrs[k]))
        k++;
      if (i == a->n_attrs || k == b->n_attrs)
        return i == a->n_attrs && k == b->n_attrs;
      if (a->attrs[i].name != b->attrs[k].name
          || !sluice_attr_value_equal (&a->attrs[i].value, &b->attrs[k].value))
        return FALSE;
    }
}

static gboolean
equal_values (const SluiceWorkNode *a, const SluiceWorkNode *b)
{
  if (a->origin->n_outputs != b->origin->n_outputs)
    return FALSE;
  for (guint i = 0; i < a->origin->n_outputs; i++)
    if (!sluice_tensor_identical (a->values[i], b->values[i]))
      return FALSE;
  return TRUE;
}

static gboolean
equal_inputs (const SluiceWorkNode *a, const SluiceWorkNode *b)
{
  if (is_commutative (a) && is_commutative (b) && equal_edges (a->inputs[0], b->inputs[1])
      && equal_edges (a->inputs[1], b->inputs[0]))
    return TRUE;
  for (guint i = 0; i < a->n_inputs; i++)
    if (!equal_edges (a->inputs[i], b->inputs[i]))
      return FALSE;
  return TRUE;
}

static gboolean
equal_nodes (gconstpointer x, gconstpointer y)
{
  const SluiceWorkNode *a = x, *b = y;
  if (a->kind != b->kind || a->device != b->device || a->n_inputs != b->n_inputs
      || a->n_controls != b->n_controls)
    return FALSE;
  if (!equal_inputs (a, b))
    return FALSE;
  for (guint i = 0; i < a->n_controls; i++)
    if (a->controls[i] != b->controls[i])
      return FALSE;
  if (a->kind == SLUICE_WORK_CONST)
    return equal_values (a, b);
  return a->origin->op_name == b->origin->op_name && equal_attrs (a->origin, b->origin);
}

static gboolean
may_merge (const SluiceWork *work, const SluiceWorkNode *node)
{
  if (node->kind == SLUICE_WORK_CONST)
    return TRUE;
  if (node->kind != SLUICE_WORK_OP || node->is_kept || node->origin->n_outputs == 0
      || sluice_node_is_stateful (node->origin)
      || sluice_work_role (node) == SLUICE_ROLE_PLACEHOLDER
      || sluice_work_get_traits (node)->crosses_frames)
    return FALSE;
  return sluice_work_takes_values (work, node);
}

/* Edges to what is merged away lead to what stays. */
static void
redirect (SluiceWorkNode *node, SluiceWorkNode *const *instead)
{
  for (guint k = 0; k < node->n_inputs; k++)
    if (node->inputs[k].node && instead[node->inputs[k].node->index])
      node->inputs[k].node = instead[node->inputs[k].node->index];
  for (guint k = 0; k < node->n_controls; k++)
    if (instead[node->controls[k]->index])
      node->controls[k] = instead[node->controls[k]->index];
  if (node->n_controls)
    qsort (node->controls, node->n_controls, sizeof (SluiceWorkNode *), compare_nodes);
}

static gboolean
run (SluiceWork *work, const SluicePassOptions *options, GError **error)
{
  const GPtrArray *order = sluice_analysis_get_order (work, NULL);
  if (!order)
    return TRUE; /* the schedule pass names the cycle */
  g_autoptr (GHashTable) seen = g_hash_table_new (hash_node, equal_nodes);
  g_autofree SluiceWorkNode **instead = g_new0 (SluiceWorkNode *, work->nodes->len);
  for (guint i = 0; i < order->len; i++)
    {
      SluiceWorkNode *node = order->pdata[i];
      redirect (node, instead);
      if (!may_merge (work, node))
        continue;
      SluiceWorkNode *first = g_hash_table_lookup (seen, node);
      if (first)
        instead[node->index] = first;
      else
        g_hash_table_add (seen, node);
    }
  for (guint i = 0; i < work->n_fetches; i++)
    if (work->fetches[i].node && instead[work->fetches[i].node->index])
      work->fetches[i].node = instead[work->fetches[i].node->index];
  for (guint i = 0; i < work->n_targets; i++)
    if (instead[work->targets[i]->index])
      work->targets[i] = instead[work->targets[i]->index];
  sluice_work_sweep (work);
  return TRUE;
}

const SluicePass sluice_pass_merge = {
  .name = "merge",
  .summary = N_ ("Nodes that compute the same become one"),
  .enabled = SLUICE_PASS_OPTIMIZE,
  .requires = SLUICE_FACT_PRUNED,
  .excludes = SLUICE_FACT_PARTITIONED,
  .run = run,
};
