/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What mends a problem. Only what is surely meant is offered; the palette has the rest. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/command/line.h"
#include "engine/command/offers-private.h"
#include "engine/command/problems-private.h"
#include "engine/graph/edge-text.h"
#include "engine/graph/shape-words.h"
#include "engine/graph/trial.h"

void
sluice_problem_fix_free (SluiceProblemFix *self)
{
  g_free (self->title);
  g_free (self->line);
  g_free (self->text);
  g_free (self);
}

/* All (transfer full). */
static SluiceProblemFix *
fix_new (char *title, char *line, char *text)
{
  SluiceProblemFix *self = g_new (SluiceProblemFix, 1);
  *self = (SluiceProblemFix){ title, line, text };
  return self;
}

/* ---- a node that is wrong ---- */

static SluiceProblemFix *
insert (const SluiceOffer *offer, const SluiceNode *read)
{
  g_autofree char *shape = offer->has_result ? sluice_shape_dup_words (&offer->result.shape) : NULL;
  g_autofree char *what = g_strjoin (" ", offer->title, offer->detail, NULL);
  return fix_new (g_strdup_printf (_ ("Insert %s"), offer->title), g_strdup (offer->line),
                  shape != NULL
                      ? g_strdup_printf (_ ("%s makes %s fit: %s."), what, read->name, shape)
                      : g_strdup_printf (_ ("%s makes %s fit."), what, read->name));
}

/* The first input before which something helps. */
static SluiceProblemFix *
mend_error (SluiceGraph *graph, SluiceNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    {
      if (node->inputs[i].node == NULL)
        return NULL;
      const SluiceHand hand = { .edge = node->inputs[i], .refused = node, .refused_input = i };
      g_autoptr (GPtrArray) offers = sluice_offers_list_fitting (graph, &hand);
      if (offers->len > 0)
        return insert (offers->pdata[0], node->inputs[i].node);
    }
  return NULL;
}

/* ---- an open input ---- */

/* Values that nothing reads, the newest first, of which so many are asked at the most. */
#define MOST_ASKED 16

/* The one of the right dtype that nothing reads yet and that fits behind another node. */
static SluiceProblemFix *
bring_to_fit (SluiceGraph *graph, SluiceNode *node, guint input)
{
  SluiceDType dtype = sluice_node_get_input_dtype (node, input);
  SluiceProblemFix *fix = NULL;
  guint n_asked = 0;
  for (guint i = sluice_graph_get_n_nodes (graph); i-- > 0 && n_asked < MOST_ASKED;)
    {
      SluiceNode *other = sluice_graph_get_node (graph, i);
      const SluiceHand hand = { .edge = { other, 0 }, .refused = node, .refused_input = input };
      guint n_uses;
      sluice_graph_get_uses (graph, other, &n_uses);
      if (n_uses > 0 || other == node || other->n_outputs == 0 || other->error != NULL
          || other->outputs[0].dtype != dtype || sluice_offers_is_inside (graph, other))
        continue;
      n_asked++;
      g_autoptr (GPtrArray) offers = sluice_offers_list_fitting (graph, &hand);
      if (offers->len == 0)
        continue;
      if (fix != NULL)
        {
          sluice_problem_fix_free (fix);
          return NULL;
        }
      fix = insert (offers->pdata[0], other);
    }
  return fix;
}

/* The one edge that nothing reads yet and that fits. */
static SluiceProblemFix *
connect_open (SluiceGraph *graph, SluiceNode *node, guint input)
{
  g_autoptr (GPtrArray) edges = sluice_offers_list_edges (graph, node, input);
  const SluiceOffer *found = NULL;
  for (guint i = 0; i < edges->len; i++)
    {
      const SluiceOffer *edge = edges->pdata[i];
      if (edge->has_reader)
        continue;
      if (found != NULL)
        return NULL;
      found = edge;
    }
  if (found == NULL)
    return bring_to_fit (graph, node, input);
  return fix_new (g_strdup_printf (_ ("Connect %s"), found->title), g_strdup (found->line),
                  g_strdup_printf (_ ("%s gives just that."), found->title));
}

/* ---- what an end could be read by ---- */

static SluiceProblemFix *
connect_end (SluiceGraph *graph, SluiceNode *end)
{
  g_autoptr (SluiceJudge) judge = sluice_judge_new (graph);
  SluiceNode *reader = NULL;
  guint input = 0;
  SluiceShape shape = SLUICE_SHAPE_UNKNOWN;
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      SluiceNode *node = sluice_graph_get_node (graph, i);
      for (guint k = 0; node->error != NULL && k < node->n_inputs; k++)
        {
          SluiceOutput result;
          if (node->inputs[k].node != NULL
              || !sluice_judge_fits (judge, (SluiceEdge){ end, 0 }, node, k, &result))
            continue;
          if (reader != NULL)
            return NULL;
          reader = node;
          input = k;
          shape = result.shape;
        }
    }
  if (reader == NULL)
    return NULL;
  g_autofree char *from = sluice_line_quote (end->name), *words = sluice_shape_dup_words (&shape);
  g_autofree char *text = sluice_offer_input_text (reader, input);
  g_autofree char *to = sluice_line_quote (text);
  gsize span = sluice_offers_layer_span (graph, reader->name);
  g_autofree char *name = g_strndup (reader->name, span > 0 ? span : strlen (reader->name));
  return fix_new (g_strdup_printf (_ ("Connect to %s"), name),
                  g_strdup_printf ("connect %s %s", from, to),
                  words != NULL ? g_strdup_printf (_ ("%s would give %s."), name, words) : NULL);
}

/* ---- what is put in by name ---- */

static SluiceProblemFix *
squeeze (SluiceGraph *graph, SluiceNode *node)
{
  guint column;
  int axis = sluice_problems_lost_axis (node, &column);
  const char *key, *op = sluice_op_words_get_fit ("squeeze", &key);
  SluiceNamer namer;
  if (axis < 0)
    return NULL;
  sluice_namer_init (&namer, graph, node, NULL);
  g_autofree char *name = sluice_namer_make (&namer, op), *quoted = sluice_line_quote (name);
  g_autofree char *edge = sluice_edge_to_text (node->inputs[column]);
  g_autofree char *from = sluice_line_quote (edge);
  g_autofree char *input = sluice_offer_input_text (node, column);
  g_autofree char *to = sluice_line_quote (input);
  g_autofree char *add = g_strdup_printf ("add %s %s %s %s=[%d]", op, quoted, from, key, axis);
  g_autofree char *connect = g_strdup_printf ("connect %s %s", quoted, to);
  g_autofree char *words = g_strdup_printf (_ ("insert %s"), name);
  sluice_namer_clear (&namer);
  return fix_new (g_strdup_printf (_ ("Insert %s"), op),
                  sluice_offer_join (words, (const char *const[]){ add, connect, NULL }), NULL);
}

static SluiceProblemFix *
take_mean (SluiceGraph *graph, SluiceNode *node)
{
  const char *key, *op = sluice_op_words_get_fit ("mean", &key);
  SluiceNamer namer;
  sluice_namer_init (&namer, graph, node, NULL);
  g_autofree char *name = sluice_namer_make (&namer, op), *quoted = sluice_line_quote (name);
  g_autofree char *from = sluice_line_quote (node->name);
  g_autoptr (GString) axes = g_string_new ("[0");
  for (int i = 1; i < node->outputs[0].shape.rank; i++)
    g_string_append_printf (axes, ",%d", i);
  g_autofree char *constant = g_strdup_printf ("add Const %s/%s value=%s]", quoted, key, axes->str);
  g_autofree char *add = g_strdup_printf ("add %s %s %s %s/%s", op, quoted, from, quoted, key);
  g_autofree char *words = g_strdup_printf (_ ("add %s"), name);
  sluice_namer_clear (&namer);
  return fix_new (g_strdup (_ ("Take the mean")),
                  sluice_offer_join (words, (const char *const[]){ constant, add, NULL }), NULL);
}

/* Not while something is open: it may be what is to be read there. */
static SluiceProblemFix *
take_away (SluiceGraph *graph, SluiceNode *node)
{
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *other = sluice_graph_get_node (graph, i);
      for (guint k = 0; other->error != NULL && k < other->n_inputs; k++)
        if (other->inputs[k].node == NULL)
          return NULL;
    }
  g_autofree char *name = sluice_line_quote (node->name);
  return fix_new (g_strdup_printf (_ ("Delete %s"), node->name),
                  g_strdup_printf ("delete %s", name), NULL);
}

SluiceProblemFix *
sluice_problem_find_fix (const SluiceProblem *self, SluiceGraph *graph)
{
  switch (self->kind)
    {
    case SLUICE_PROBLEM_OPEN:
      return connect_open (graph, self->node, (guint) self->input);
    case SLUICE_PROBLEM_ERROR:
      return mend_error (graph, self->node);
    case SLUICE_PROBLEM_NO_LOSS:
    case SLUICE_PROBLEM_UNREAD_DATA:
      return connect_end (graph, self->node);
    case SLUICE_PROBLEM_BROADCAST:
      return squeeze (graph, self->node);
    case SLUICE_PROBLEM_MANY:
      return take_mean (graph, self->node);
    case SLUICE_PROBLEM_UNREAD:
      {
        SluiceProblemFix *fix = connect_end (graph, self->node);
        return fix != NULL ? fix : take_away (graph, self->node);
      }
    default:
      return NULL;
    }
}
