/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* One more instance of a block of the graph. */
#include <string.h>

#include "engine/command/block.h"
#include "engine/command/line.h"
#include "engine/command/offers-private.h"
#include "engine/graph/edge-text.h"
#include "engine/graph/scope.h"

#define MOST_BLOCKS 32
#define MOST_NODES  400 /* of an instance: a larger one is not tried, and not offered */

/* All of an instance, with what it reads. FALSE: it is too large. */
static gboolean
fill_box (SluiceOfferList *list, const char *scope)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  for (guint i = 0; i < sluice_graph_get_n_nodes (list->graph); i++)
    {
      SluiceNode *node = sluice_graph_get_node (list->graph, i);
      if (sluice_name_is_below (node->name, scope))
        g_ptr_array_add (nodes, node);
    }
  for (guint i = 0; i < nodes->len && nodes->len <= MOST_NODES; i++)
    sluice_box_add_reader (list->box, nodes->pdata[i]);
  return nodes->len <= MOST_NODES;
}

static gboolean
has_port (SluiceOfferList *list, const char *scope, const char *port)
{
  g_autofree char *name = g_strconcat (scope, port, NULL);
  return sluice_graph_find (list->graph, name) != NULL;
}

/* Does all of it run with what it reads? */
static gboolean
is_well (SluiceOfferList *list, const char *line, const char *name)
{
  gsize length = strlen (name);
  SluiceGraph *box = list->box->graph;
  gboolean is_well = TRUE;
  if (!sluice_box_do (list->box, line, NULL))
    return FALSE;
  for (guint i = 0; i < sluice_graph_get_n_nodes (box) && is_well; i++)
    {
      const SluiceNode *node = sluice_graph_get_node (box, i);
      is_well = strncmp (node->name, name, length) != 0 || node->name[length] != '/'
                || node->error == NULL;
    }
  sluice_box_undo (list->box);
  return is_well;
}

static void
add_block (SluiceOfferList *list, const char *block)
{
  g_auto (GStrv) instances = sluice_block_list_instances (list->graph, block);
  g_autofree char *key = g_strconcat ("block ", block, NULL),
                  *name = sluice_namer_make (list->namer, block),
                  *made = g_strconcat (name, "/out_0", NULL);
  g_autofree char *edge = sluice_edge_to_text (list->hand->edge);
  if ((edge != NULL && !has_port (list, instances[0], "/in_0"))
      || (list->hand->node != NULL && !has_port (list, instances[0], "/out_0"))
      || !fill_box (list, instances[0]))
    return;
  g_autofree char *quoted_block = sluice_line_quote (block), *quoted = sluice_line_quote (name),
                  *from = sluice_line_quote (edge != NULL ? edge : "");
  g_autofree char *line = g_strdup_printf ("instance %s %s%s%s", quoted_block, quoted,
                                           edge != NULL ? " " : "", edge != NULL ? from : "");
  const char *lines[3] = { line };
  SluiceOffer *offer = edge == NULL || is_well (list, line, name)
                           ? sluice_offers_try (list, key, block, lines, 1, name, made)
                           : NULL;
  if (offer != NULL)
    offer->reason = SLUICE_OFFER_BLOCK;
}

void
sluice_offers_add_blocks (SluiceOfferList *list)
{
  g_auto (GStrv) blocks = sluice_block_list (list->graph);
  for (guint i = 0; blocks[i] != NULL && i < MOST_BLOCKS; i++)
    add_block (list, blocks[i]);
}
