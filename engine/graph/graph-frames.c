/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * In which loops nodes lie, as engine/passes/frames.c has it: an Enter runs outside and what it
 * gives lies inside, an Exit the other way round, all else stands where its inputs lie. Found when
 * it is asked for, kept on the node, and followed only as far as it changes.
 */
#include <string.h>

#include "engine/graph/graph-private.h"

static const char *
outermost (void)
{
  return sluice_intern ("");
}

SluiceNode *
sluice_node_nth_before (const SluiceNode *node, guint i)
{
  SluiceNode *before =
      i < node->n_inputs ? node->inputs[i].node : node->control_inputs[i - node->n_inputs];
  return before != NULL && sluice_edge_is_back_edge (before, node) ? NULL : before;
}

SluiceNode *
sluice_node_first_before (const SluiceNode *node)
{
  for (guint i = 0; i < node->n_inputs + node->n_control_inputs; i++)
    if (sluice_node_nth_before (node, i) != NULL)
      return sluice_node_nth_before (node, i);
  return NULL;
}

const char *
sluice_node_lead_out (const SluiceNode *node, const char *frame)
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
          g_autofree char *path = g_strdup_printf ("%s%c%.*s", frame, SLUICE_FRAME_INSIDE,
                                                   (int) name->s.length, name->s.data);
          return sluice_intern (path);
        }
    case SLUICE_ROLE_EXIT:
      end = strrchr (frame, SLUICE_FRAME_INSIDE);
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
       at = sluice_node_first_before (at))
    g_ptr_array_add (chain, at);
  SluiceNode *known = sluice_node_first_before (chain->pdata[chain->len - 1]);
  const char *frame = known != NULL ? sluice_node_record (known)->frame : NULL;
  if (frame == NULL)
    frame = outermost ();
  for (guint i = chain->len; i-- > 0;)
    frame = sluice_node_record (chain->pdata[i])->frame =
        sluice_node_lead_out (chain->pdata[i], frame);
  return frame;
}

const char *
sluice_node_get_loop (SluiceNode *self)
{
  SluiceNode *before =
      sluice_node_get_role (self) == SLUICE_ROLE_EXIT ? sluice_node_first_before (self) : self;
  const char *frame = sluice_node_output_frame (before != NULL ? before : self);
  const char *name = strrchr (frame, SLUICE_FRAME_INSIDE);
  return name != NULL ? sluice_intern (name + 1) : NULL;
}
