/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/command/offers.h"

#include <string.h>

#include "engine/command/line.h"
#include "engine/command/offers-private.h"
#include "engine/graph/trial.h"

struct _SluiceOffers
{
  SluiceGraph *graph;
  SluiceHand hand;
  char *refused_name, *hand_name; /* (nullable) */
  GPtrArray *offers;              /* of SluiceOffer */
};

/* ---- an offer ---- */

SluiceOffer *
sluice_offer_new (const char *key, const char *title, SluiceOfferReason reason, char *take_line)
{
  SluiceOffer *self = g_new0 (SluiceOffer, 1);
  self->key = g_strdup (key);
  self->title = g_strdup (title);
  self->line = take_line;
  self->reason = reason;
  self->result.shape = SLUICE_SHAPE_UNKNOWN;
  return self;
}

void
sluice_offer_free (SluiceOffer *self)
{
  g_free (self->key);
  g_free (self->title);
  g_free (self->detail);
  g_free (self->line);
  g_free (self->why);
  g_free (self);
}

char *
sluice_offer_join (const char *words, const char *const *lines)
{
  g_autofree char *called = sluice_line_quote (words);
  GString *text = g_string_new ("together ");
  g_string_append (text, called);
  for (; *lines != NULL; lines++)
    {
      g_autofree char *quoted = sluice_line_quote (*lines);
      g_string_append_printf (text, " %s", quoted);
    }
  return g_string_free (text, FALSE);
}

char *
sluice_offer_input_text (const SluiceNode *node, guint input)
{
  return g_strdup_printf ("%s:%u", node->name, input);
}

/* ---- the list ---- */

#define MAX_ENDS 1000 /* nodes among which the end of a model is looked for */

static gboolean
has_input (const SluiceNode *node, guint input)
{
  return input < node->n_inputs || (input == node->n_inputs && sluice_node_takes_more (node));
}

/* An edge that is none is nothing in hand. */
static SluiceHand
look_at_hand (const SluiceHand *given)
{
  SluiceHand hand = *given;
  if (hand.edge.node != NULL && (guint) hand.edge.port >= hand.edge.node->n_outputs)
    hand.edge = SLUICE_NO_EDGE;
  if (hand.node != NULL && !has_input (hand.node, hand.input))
    hand.node = NULL;
  if (hand.refused != NULL && !has_input (hand.refused, hand.refused_input))
    hand.refused = NULL;
  return hand;
}

/* A layer is made again whole: all of it, in the order in which it was made. */
static void
add_layer (SluiceBox *box, SluiceGraph *graph, const SluiceNode *node)
{
  gsize span = sluice_offers_layer_span (graph, node->name);
  for (guint i = 0; span > 0 && i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *other = sluice_graph_get_node (graph, i);
      if (strncmp (other->name, node->name, span) == 0 && other->name[span] == '/')
        sluice_box_add_reader (box, other);
    }
}

static void
fill_box (SluiceBox *box, SluiceGraph *graph, const SluiceHand *hand)
{
  if (hand->edge.node != NULL)
    sluice_box_add (box, hand->edge.node);
  if (hand->refused != NULL)
    add_layer (box, graph, hand->refused);
  if (hand->node != NULL)
    sluice_box_add_reader (box, hand->node);
  if (hand->refused != NULL)
    sluice_box_add_reader (box, hand->refused);
}

/* Where a model goes on with nothing in hand: what was made last, and nothing reads. */
static SluiceEdge
find_open_end (SluiceGraph *graph)
{
  guint n = sluice_graph_get_n_nodes (graph);
  for (guint i = 0; i < MIN (n, MAX_ENDS); i++)
    {
      SluiceNode *node = sluice_graph_get_node (graph, n - 1 - i);
      SluiceRole role = sluice_node_get_role (node);
      SluiceEdge edge = { node, 0 };
      if (node->n_outputs > 0 && sluice_dtype_is_floating (node->outputs[0].dtype)
          && node->outputs[0].shape.rank > 0 && role != SLUICE_ROLE_VARIABLE
          && role != SLUICE_ROLE_CONST && !sluice_offers_is_inside (graph, node)
          && !sluice_offers_is_read (graph, edge))
        return edge;
    }
  return SLUICE_NO_EDGE;
}

/* A layer always reads something; ops may stand alone. */
static void
add_layers (SluiceOfferList *list)
{
  SluiceHand hand = *list->hand;
  SluiceOfferList behind = *list;
  if (hand.edge.node == NULL && hand.node == NULL)
    hand.edge = find_open_end (list->graph);
  behind.hand = &hand;
  if (hand.edge.node != NULL)
    sluice_box_add (list->box, hand.edge.node);
  sluice_offers_add_layers (&behind);
}

static GPtrArray *
make_list (SluiceGraph *graph, const SluiceHand *given, gboolean only_fitting)
{
  const SluiceHand held = look_at_hand (given), *hand = &held;
  SluiceBox box;
  SluiceNamer namer, namer_of_refused;
  GPtrArray *offers = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_offer_free);
  sluice_box_init (&box);
  sluice_namer_init (&namer, graph, hand->node != NULL ? hand->node : hand->edge.node, hand->scope);
  sluice_namer_init (&namer_of_refused, graph, hand->refused, NULL);
  fill_box (&box, graph, hand);
  if (hand->edge.node != NULL && hand->refused != NULL)
    sluice_offers_add_fitting (&(SluiceOfferList){ graph, hand, &box, &namer_of_refused, offers });
  SluiceOfferList list = { graph, hand, &box, &namer, offers };
  if (!only_fitting)
    {
      if (hand->node != NULL && hand->edge.node == NULL)
        sluice_offers_add_edges (&list);
      add_layers (&list);
      sluice_offers_add_ops (&list);
      sluice_offers_add_blocks (&list);
    }
  sluice_namer_clear (&namer);
  sluice_namer_clear (&namer_of_refused);
  sluice_box_clear (&box);
  return offers;
}

/* "fc1" of "fc1/MatMul" where fc1 is a layer: what people see of it. */
static char *
dup_shown_name (SluiceGraph *graph, const SluiceNode *node)
{
  gsize span = sluice_offers_layer_span (graph, node->name);
  return span > 0 ? g_strndup (node->name, span) : g_strdup (node->name);
}

SluiceOffers *
sluice_offers_new (SluiceGraph *graph, const SluiceHand *hand)
{
  SluiceOffers *self = g_new0 (SluiceOffers, 1);
  const SluiceNode *held = hand->edge.node != NULL ? hand->edge.node : hand->node;
  self->graph = graph;
  self->hand = *hand;
  self->offers = make_list (graph, hand, FALSE);
  self->refused_name = hand->refused != NULL ? dup_shown_name (graph, hand->refused) : NULL;
  self->hand_name = held != NULL ? dup_shown_name (graph, held) : NULL;
  return self;
}

void
sluice_offers_free (SluiceOffers *self)
{
  g_ptr_array_unref (self->offers);
  g_free (self->refused_name);
  g_free (self->hand_name);
  g_free (self);
}

GPtrArray *
sluice_offers_list_fitting (SluiceGraph *graph, const SluiceHand *hand)
{
  return make_list (graph, hand, TRUE);
}

GPtrArray *
sluice_offers_list_edges (SluiceGraph *graph, SluiceNode *node, guint input)
{
  const SluiceHand hand = { .node = node, .input = input };
  GPtrArray *offers = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_offer_free);
  SluiceOfferList list = { .graph = graph, .hand = &hand, .offers = offers };
  sluice_offers_add_edges (&list);
  return offers;
}

guint
sluice_offers_get_n (SluiceOffers *self)
{
  return self->offers->len;
}

const char *
sluice_offers_get_refused_name (SluiceOffers *self)
{
  return self->refused_name;
}

const char *
sluice_offers_get_hand_name (SluiceOffers *self)
{
  return self->hand_name;
}

const char *
sluice_offers_get_why (SluiceOffers *self, const SluiceOffer *offer)
{
  SluiceOffer *own = (SluiceOffer *) offer;
  SluiceHand hand = look_at_hand (&self->hand);
  if (offer->reason != SLUICE_OFFER_OTHER || offer->op == NULL
      || (hand.edge.node == NULL && hand.node == NULL))
    return NULL;
  if (own->why == NULL)
    own->why = sluice_offers_explain (&hand, offer->op);
  return own->why;
}

GPtrArray *
sluice_offers_match (SluiceOffers *self,
                     const char *text,
                     const char *const *recent,
                     const char *const *pinned,
                     gboolean with_others)
{
  return sluice_offers_rank (self->offers, text, recent, pinned, with_others);
}
