/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Why an op does not fit what is in hand: the op is added to a box of its own, and each of its
 * inputs asked, as where a wire is dragged over it. */
#include <glib/gi18n-lib.h>

#include "engine/command/line.h"
#include "engine/command/offers-private.h"
#include "engine/graph/edge-text.h"
#include "engine/graph/trial.h"

#define NAME "why" /* of the op in the box; another one's there is no one's to see */

/* The twin of a node in the box. */
static SluiceEdge
find_twin (const SluiceBox *box, SluiceEdge edge)
{
  return (SluiceEdge){ sluice_graph_find (box->graph, edge.node->name), edge.port };
}

/* Of the first input that takes the type at all, else of the first one. fits: (out): which input
 * reads it; -1: none. (transfer full) (nullable) */
static char *
explain_reading (SluiceJudge *judge, SluiceEdge from, SluiceNode *node, int *fits)
{
  guint n = node->n_inputs + sluice_node_takes_more (node);
  char *reason = NULL;
  gboolean is_of_shape = FALSE;
  *fits = -1;
  for (guint i = 0; i < n; i++)
    {
      g_auto (SluiceVerdict) verdict = { 0 };
      SluiceDType want = sluice_node_get_input_dtype (node, i);
      gboolean takes = want == SLUICE_INVALID
                       || sluice_dtype_base (want) == sluice_dtype_base (sluice_edge_dtype (from));
      if (sluice_judge_ask (judge, from, node, i, &verdict))
        {
          *fits = (int) i;
          g_free (reason);
          return NULL;
        }
      if (reason != NULL && (is_of_shape || !takes))
        continue;
      g_free (reason);
      reason = g_steal_pointer (&verdict.reason);
      is_of_shape = takes;
    }
  return reason != NULL ? reason : g_strdup (_ ("reads nothing"));
}

/* (transfer full) (nullable) */
static char *
explain_giving (SluiceJudge *judge, SluiceNode *node, SluiceNode *reader, guint input)
{
  g_auto (SluiceVerdict) verdict = { 0 };
  if (node->n_outputs == 0)
    return g_strdup (_ ("gives nothing"));
  if (sluice_judge_ask (judge, (SluiceEdge){ node, 0 }, reader, input, &verdict))
    return NULL;
  return g_strconcat (reader->name, " ", verdict.reason, NULL);
}

/* The wire is laid, so that what it would give is known, and what the op says to it that one input
 * alone does not tell. (transfer full) (nullable) */
static char *
connect (const SluiceBox *box, SluiceEdge from, const SluiceNode *node, int input)
{
  g_autofree char *text = sluice_edge_to_text (from);
  g_autofree char *place = sluice_offer_input_text (node, (guint) input);
  g_autofree char *quoted = sluice_line_quote (text), *to = sluice_line_quote (place);
  g_autofree char *line = g_strdup_printf ("connect %s %s", quoted, to);
  g_autoptr (GError) error = NULL;
  if (!sluice_command_stack_do (box->stack, line, NULL, &error))
    return sluice_judge_dup_rest (error->message);
  return sluice_box_is_well ((SluiceBox *) box, node->name)
             ? NULL
             : sluice_judge_dup_rest (node->error->message);
}

static char *
explain (const SluiceBox *box, const SluiceHand *hand, SluiceNode *node)
{
  g_autoptr (SluiceJudge) judge = sluice_judge_new (box->graph);
  char *reason = NULL;
  int fits = -1;
  if (hand->edge.node != NULL)
    {
      SluiceEdge from = find_twin (box, hand->edge);
      reason = explain_reading (judge, from, node, &fits);
      if (fits >= 0)
        reason = connect (box, from, node, fits);
    }
  if (reason == NULL && hand->node != NULL)
    reason =
        explain_giving (judge, node, sluice_graph_find (box->graph, hand->node->name), hand->input);
  return reason;
}

char *
sluice_offers_explain (const SluiceHand *hand, const SluiceOp *op)
{
  SluiceBox box;
  SluiceDType wanted =
      hand->edge.node != NULL ? sluice_dtype_base (sluice_edge_dtype (hand->edge)) : SLUICE_INVALID;
  g_autoptr (GError) error = NULL;
  char *reason = NULL;
  sluice_box_init (&box);
  if (hand->edge.node != NULL)
    sluice_box_add (&box, hand->edge.node);
  if (hand->node != NULL)
    sluice_box_add_reader (&box, hand->node);
  SluiceNamer namer;
  sluice_namer_init (&namer, box.graph, NULL, NULL);
  g_autofree char *name = sluice_namer_make (&namer, NAME);
  g_autofree char *line = sluice_offers_write_alone (op, name, wanted);
  if (sluice_command_stack_do (box.stack, line, NULL, &error))
    reason = explain (&box, hand, sluice_graph_find (box.graph, name));
  sluice_namer_clear (&namer);
  sluice_box_clear (&box);
  if (reason == NULL && error != NULL)
    reason = sluice_judge_dup_rest (error->message);
  return reason != NULL ? reason : g_strdup (_ ("does not go with the rest of what it reads"));
}
