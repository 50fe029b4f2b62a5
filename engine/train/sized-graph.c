/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/sized-graph.h"

#include "engine/graph/edit.h"
#include "engine/graph/role.h"
#include "engine/runtime/session/copy.h"

/* FALSE: nothing is open, or not even the rank is known. */
static gboolean
fill_in (SluiceShape *shape, gint64 batch)
{
  gboolean is_open = FALSE;
  for (int d = 0; d < shape->rank; d++)
    if (shape->dim[d] < 0)
      {
        shape->dim[d] = batch;
        is_open = TRUE;
      }
  return is_open;
}

static gboolean
size_placeholders (SluiceGraph *graph, gint64 batch)
{
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      SluiceNode *node = sluice_graph_get_node (graph, i);
      if (node->op == NULL || node->op->def->role != SLUICE_ROLE_PLACEHOLDER || node->error != NULL)
        continue;
      SluiceShape shape = node->outputs[0].shape;
      if (!fill_in (&shape, batch))
        continue;
      const SluiceAttr attr = sluice_attr_shape ("shape", &shape);
      if (!sluice_edit_set_attr (graph, node, &attr, NULL))
        return FALSE;
    }
  return TRUE;
}

static SluiceGraph *
copy (SluiceGraph *graph)
{
  SluiceGraph *to = sluice_graph_new ();
  sluice_copy_new_nodes (to, graph, NULL);
  return to;
}

SluiceGraph *
sluice_graph_dup_sized (SluiceGraph *graph, gint64 batch)
{
  g_autoptr (SluiceGraph) sized = copy (graph);
  sluice_edit_begin (sized);
  if (!size_placeholders (sized, batch))
    sluice_edit_abandon (sized);
  else
    {
      SluiceEdit *edit = sluice_edit_commit (sized, NULL);
      g_clear_pointer (&edit, sluice_edit_free);
    }
  return g_steal_pointer (&sized);
}
