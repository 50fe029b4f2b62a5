/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * In which loops nodes lie, as engine/passes/frames.c has it: an Enter runs outside and what it
 * gives lies inside, an Exit the other way round, all else stands where its inputs lie. Found when
 * it is asked for, kept on the node, and followed only as far as it changes.
 */
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/edit-private.h"

#define INSIDE '\x1f' /* between the names of nested frames; no text of a graph has it */

static const char *
outermost (void)
{
  return sluice_intern ("");
}

/* Of what comes before a node within an iteration, the i-th; NULL: an open input or a back edge. */
static SluiceNode *
nth_before (const SluiceNode *node, guint i)
{
  SluiceNode *before =
      i < node->n_inputs ? node->inputs[i].node : node->control_inputs[i - node->n_inputs];
  return before != NULL && sluice_edge_is_back_edge (before, node) ? NULL : before;
}

static SluiceNode *
first_before (const SluiceNode *node)
{
  for (guint i = 0; i < node->n_inputs + node->n_control_inputs; i++)
    if (nth_before (node, i) != NULL)
      return nth_before (node, i);
  return NULL;
}

/* Where outputs lie of a node whose inputs lie in @frame. */
static const char *
lead_out (const SluiceNode *node, const char *frame)
{
  const SluiceAttrValue *name = NULL;
  const char *end;
  switch (sluice_node_get_role (node))
    {
    case SLUICE_ROLE_ENTER:
      name = sluice_node_get_attr (node, "frame_name");
      if (name == NULL || name->kind != SLUICE_ATTR_STRING)
        return frame; /* it is wrong, and says so */
      else
        {
          g_autofree char *path =
              g_strdup_printf ("%s%c%.*s", frame, INSIDE, (int) name->s.length, name->s.data);
          return sluice_intern (path);
        }
    case SLUICE_ROLE_EXIT:
      end = strrchr (frame, INSIDE);
      if (end == NULL)
        return frame;
      else
        {
          g_autofree char *path = g_strndup (frame, end - frame);
          return sluice_intern (path);
        }
    default:
      return frame;
    }
}

const char *
sluice_node_output_frame (SluiceNode *node)
{
  if (node->graph->n_enters == 0)
    return outermost ();
  if (sluice_node_record (node)->frame != NULL)
    return sluice_node_record (node)->frame;
  /* A cycle that is no loop would have no end. */
  guint left = sluice_graph_get_n_nodes (node->graph);
  g_autoptr (GPtrArray) chain = g_ptr_array_new ();
  for (SluiceNode *at = node; at != NULL && sluice_node_record (at)->frame == NULL && left-- > 0;
       at = first_before (at))
    g_ptr_array_add (chain, at);
  SluiceNode *known = first_before (chain->pdata[chain->len - 1]);
  const char *frame = known != NULL ? sluice_node_record (known)->frame : NULL;
  if (frame == NULL)
    frame = outermost ();
  for (guint i = chain->len; i-- > 0;)
    frame = sluice_node_record (chain->pdata[i])->frame = lead_out (chain->pdata[i], frame);
  return frame;
}

const char *
sluice_node_get_loop (SluiceNode *self)
{
  SluiceNode *before = sluice_node_get_role (self) == SLUICE_ROLE_EXIT ? first_before (self) : self;
  const char *frame = sluice_node_output_frame (before != NULL ? before : self);
  const char *name = strrchr (frame, INSIDE);
  return name != NULL ? sluice_intern (name + 1) : NULL;
}

/* "inside the loop 'while/context'". (transfer full) */
static char *
describe (const char *frame)
{
  const char *name = strrchr (frame, INSIDE);
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
  SluiceNode *first = first_before (node);
  const char *inside = first != NULL ? sluice_node_output_frame (first) : outermost ();
  SluiceRole role = sluice_node_get_role (node);
  for (guint i = 0; i < node->n_inputs + node->n_control_inputs; i++)
    {
      SluiceNode *before = nth_before (node, i);
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
  *frame = lead_out (node, inside);
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
