/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/runtime/session/snapshot.h"

#include "engine/graph/lower.h"

SluiceSnapshot *
sluice_snapshot_new (GHashTable *take_bodies)
{
  SluiceSnapshot *self = g_new0 (SluiceSnapshot, 1);
  self->ref_count = 1;
  self->graph = sluice_graph_new ();
  self->placements = sluice_placements_new ();
  self->bodies = take_bodies;
  return self;
}

SluiceSnapshot *
sluice_snapshot_ref (SluiceSnapshot *self)
{
  atomic_fetch_add_explicit (&self->ref_count, 1, memory_order_relaxed);
  return self;
}

void
sluice_snapshot_unref (SluiceSnapshot *self)
{
  if (atomic_fetch_sub_explicit (&self->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  g_hash_table_unref (self->bodies);
  sluice_placements_free (self->placements);
  g_clear_pointer (&self->numbers, g_array_unref);
  sluice_graph_unref (self->graph);
  g_free (self);
}

/* ---- what changed ---- */

static gboolean
edges_equal (const SluiceNode *a, const SluiceNode *b)
{
  if (a->n_inputs != b->n_inputs || a->n_control_inputs != b->n_control_inputs)
    return FALSE;
  for (guint i = 0; i < a->n_inputs; i++)
    {
      SluiceEdge x = a->inputs[i], y = b->inputs[i];
      if ((x.node != NULL ? x.node->name : NULL) != (y.node != NULL ? y.node->name : NULL)
          || x.port != y.port)
        return FALSE;
    }
  for (guint i = 0; i < a->n_control_inputs; i++)
    if (a->control_inputs[i]->name != b->control_inputs[i]->name)
      return FALSE;
  return TRUE;
}

static gboolean
outputs_equal (const SluiceNode *a, const SluiceNode *b)
{
  if (a->n_outputs != b->n_outputs)
    return FALSE;
  for (guint i = 0; i < a->n_outputs; i++)
    if (a->outputs[i].dtype != b->outputs[i].dtype
        || a->outputs[i].handle_dtype != b->outputs[i].handle_dtype
        || !sluice_shape_equal (&a->outputs[i].shape, &b->outputs[i].shape)
        || !sluice_shape_equal (&a->outputs[i].handle_shape, &b->outputs[i].handle_shape))
      return FALSE;
  return TRUE;
}

static int
device_of (const SluiceSnapshot *self, const SluiceNode *node)
{
  return node->id <= self->placements->nodes->len
             ? sluice_placements_get (self->placements, node)->device
             : -1;
}

/* Names are interned, so that those of two graphs compare by pointer. */
static gboolean
is_same (const SluiceSnapshot *old,
         const SluiceNode *a,
         const SluiceSnapshot *now,
         const SluiceNode *b)
{
  return b != NULL && a->op_name == b->op_name && a->device == b->device
         && sluice_node_attrs_equal (a, b) && edges_equal (a, b) && outputs_equal (a, b)
         && device_of (old, a) == device_of (now, b)
         && g_strcmp0 (a->error != NULL ? a->error->message : NULL,
                       b->error != NULL ? b->error->message : NULL)
                == 0;
}

guint8 *
sluice_snapshot_dup_changed (const SluiceSnapshot *old, const SluiceSnapshot *now)
{
  guint n = sluice_graph_get_n_nodes (old->graph);
  guint8 *changed = g_new0 (guint8, n + 1);
  gboolean same_functions = sluice_graph_has_functions_of (now->graph, old->graph);
  for (guint i = 0; i < n; i++)
    {
      const SluiceNode *node = sluice_graph_get_node (old->graph, i);
      changed[i] =
          !same_functions || !is_same (old, node, now, sluice_graph_find (now->graph, node->name));
    }
  return changed;
}

/* ---- places ---- */

void
sluice_snapshot_keep_places (SluiceSnapshot *self, const SluiceSnapshot *old)
{
  guint n = sluice_graph_get_n_nodes (self->graph);
  g_array_set_size (self->placements->nodes, n);
  for (guint i = 0; i < n; i++)
    {
      const SluiceNode *node = sluice_graph_get_node (self->graph, i);
      const SluiceNode *before =
          sluice_node_is_stateful (node) ? sluice_graph_find (old->graph, node->name) : NULL;
      SluicePlacement *to = &g_array_index (self->placements->nodes, SluicePlacement, i);
      *to = (SluicePlacement){ .device = -1 };
      if (before == NULL || before->op_name != node->op_name || before->device != node->device
          || device_of (old, before) < 0)
        continue;
      const SluicePlacement *from = sluice_placements_get (old->placements, before);
      to->device = from->device;
      to->reason = g_string_chunk_insert_const (self->placements->texts, from->reason);
    }
}
