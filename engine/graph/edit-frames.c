/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Are the loops of what a transaction changed, and of all behind it, one and the same? */
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/edit-log.h"
#include "engine/graph/edit-private.h"
#include "engine/graph/node-queue.h"

/* "inside the loop 'while/context'". (transfer full) */
static char *
describe (const char *frame)
{
  const char *name = strrchr (frame, SLUICE_FRAME_INSIDE);
  return name != NULL ? g_strdup_printf ("inside the loop '%s'", name + 1)
                      : g_strdup ("outside all loops");
}

static gboolean
fail_mixed (const SluiceNode *node, SluiceNode *a, SluiceNode *b, GError **error)
{
  g_autofree char *here = describe (sluice_node_output_frame (a));
  g_autofree char *there = describe (sluice_node_output_frame (b));
  return sluice_fail (
      error, SLUICE_ERROR_INVALID_ARGUMENT,
      "%s '%s' has inputs from different frames: '%s' lies %s, '%s' %s; bring values "
      "into a loop by Enter and out of it by Exit",
      node->op_name, node->name, a->name, here, b->name, there);
}

/* *frame: where the node's outputs lie now. */
static gboolean
check_node (SluiceNode *node, const char **frame, GError **error)
{
  SluiceNode *first = sluice_node_first_before (node);
  const char *inside = first != NULL ? sluice_node_output_frame (first) : sluice_intern ("");
  SluiceRole role = sluice_node_get_role (node);
  for (guint i = 0; i < node->n_inputs + node->n_control_inputs; i++)
    {
      SluiceNode *before = sluice_node_nth_before (node, i);
      if (before != NULL && sluice_node_output_frame (before) != inside)
        return fail_mixed (node, first, before, error);
    }
  if (*inside == '\0' && role == SLUICE_ROLE_EXIT && first != NULL)
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "its input '%s' does not come from inside a loop: an Exit needs an "
                             "Enter somewhere before it",
                             first->name);
  if (*inside == '\0' && role == SLUICE_ROLE_NEXT_ITERATION && first != NULL)
    return sluice_node_fail (node, error, SLUICE_ERROR_INVALID_ARGUMENT,
                             "its input '%s' does not come from inside a loop, so there is no "
                             "next iteration: bring the value in by an Enter",
                             first->name);
  *frame = sluice_node_lead_out (node, inside);
  return TRUE;
}

/* What comes round must come from the loop that the Merge stands in. */
static gboolean
check_back_edges (SluiceNode *merge, GError **error)
{
  for (guint i = 0; i < merge->n_inputs; i++)
    {
      SluiceNode *next = merge->inputs[i].node;
      if (next != NULL && sluice_edge_is_back_edge (next, merge)
          && sluice_node_output_frame (next) != sluice_node_output_frame (merge))
        return fail_mixed (merge, merge, next, error);
    }
  return TRUE;
}

static gboolean
check_closing (SluiceNode *node, GError **error)
{
  const SluiceNodeRecord *record = sluice_node_record (node);
  SluiceRole role = sluice_node_get_role (node);
  if (role == SLUICE_ROLE_MERGE)
    return check_back_edges (node, error);
  for (guint i = 0; role == SLUICE_ROLE_NEXT_ITERATION && i < record->n_uses; i++)
    if (sluice_edge_is_back_edge (node, record->uses[i].node)
        && !check_back_edges (record->uses[i].node, error))
      return FALSE;
  return TRUE;
}

static gboolean
may_lead_elsewhere (const SluiceNodeImage *image)
{
  guint what = sluice_node_image_compare (image);
  return (what & (SLUICE_CHANGED_INPUTS | SLUICE_CHANGED_CONTROLS)) != 0
         || ((what & SLUICE_CHANGED_ATTRS)
             && sluice_node_get_role (image->node) == SLUICE_ROLE_ENTER);
}

static void
push_changed (SluiceEdit *self, SluiceNodeQueue *queue)
{
  for (guint i = 0; i < self->images->len; i++)
    {
      const SluiceNodeImage *image = self->images->pdata[i];
      if (image->node->graph != NULL && may_lead_elsewhere (image))
        sluice_node_queue_push (queue, image->node);
    }
  for (guint i = 0; i < self->added->len; i++)
    sluice_node_queue_push (queue, g_array_index (self->added, SluiceNodePlace, i).node);
}

gboolean
sluice_edit_check_frames (SluiceEdit *self, GError **error)
{
  SluiceNodeQueue queue;
  gboolean ok = TRUE;
  g_autoptr (GPtrArray) checked = g_ptr_array_new ();
  if (self->graph->n_enters == 0 && self->n_enters_before == 0)
    return TRUE;
  sluice_node_queue_init (&queue);
  push_changed (self, &queue);
  for (SluiceNode *node; ok && (node = sluice_node_queue_pop (&queue)) != NULL;)
    {
      SluiceNodeRecord *record = sluice_node_record (node);
      const char *old = record->frame, *frame = NULL;
      ok = check_node (node, &frame, error);
      g_ptr_array_add (checked, node);
      if (!ok || frame == old)
        continue;
      sluice_graph_touch (self->graph, node);
      record->frame = frame;
      for (guint i = 0; i < record->n_uses; i++)
        if (!sluice_edge_is_back_edge (node, record->uses[i].node))
          sluice_node_queue_push (&queue, record->uses[i].node);
    }
  for (guint i = 0; ok && i < checked->len; i++)
    ok = check_closing (checked->pdata[i], error);
  sluice_node_queue_clear (&queue);
  return ok;
}
