/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/*
 * What could be done with what somebody holds: a list of commands, each with the shape that comes
 * of it, the most fitting first. Each was done to a small copy of what is around before it is
 * offered, so that it works when it is taken. The graph is only read. Not thread-safe, like it.
 */

/* What is in hand. */
typedef struct
{
  SluiceEdge edge;  /* an output, to be read; with `node`, the edge that something goes into */
  SluiceNode *node; /* (nullable): whose input `input` is open, or reads the edge */
  guint input;
  SluiceNode *refused; /* (nullable): with an output in hand: whose input it does not fit */
  guint refused_input;
  const char *scope; /* (nullable): with nothing in hand: where new nodes go */
} SluiceHand;

typedef enum
{
  SLUICE_OFFER_MAKES_FIT, /* between the output in hand and the input that refused it */
  SLUICE_OFFER_FITS,      /* what is in hand */
  SLUICE_OFFER_BLOCK,     /* the same, one more of a block of this graph */
  SLUICE_OFFER_OTHER,     /* it is added, and connected to nothing */
} SluiceOfferReason;

typedef struct
{
  char *key;    /* "Reshape", "layer dense", "block body": what is remembered of it */
  char *title;  /* "Reshape" */
  char *detail; /* (nullable): "to ?×3136" */
  char *line;   /* the command that does it */
  SluiceOfferReason reason;
  gboolean is_layer;
  gboolean has_result; /* FALSE: it gives nothing, or nothing is known */
  SluiceOutput result; /* of what it adds; of the node that refused, where it makes it fit */
  guint order;         /* the usual ones first */
  gboolean has_reader; /* of an edge that is there: something reads it */
  const SluiceOp *op;  /* (nullable) */
  char *why;           /* (nullable): sluice_offers_get_why() has found it */
} SluiceOffer;

/* "Batch normalisation", of the template batch-norm. order: (out): the usual ones first. (transfer
 * full) */
char *sluice_offers_dup_layer_title (const char *name, guint *order);

/**
 * sluice_offer_split_text:
 * @text: what was typed: "dense units=10 name=logits", "Reshape shape=[2, 3]"
 * @values: (out) (transfer full): its words of a key and a value
 *
 * Returns: (transfer full): the others, by which offers are found
 */
char *sluice_offer_split_text (const char *text, char ***values);

/**
 * sluice_offer_dup_line_with:
 * @values: KEY=VALUE: of the node's attributes, of the layer's parameters, of a constant that is
 * added beside the node; `name` is what it is called
 *
 * Returns: (transfer full) (nullable): the command with those values; INVALID_ARGUMENT where there
 * is nothing that they could be of
 */
char *
sluice_offer_dup_line_with (const SluiceOffer *self, const char *const *values, GError **error);

typedef struct _SluiceOffers SluiceOffers;

/* All that can be offered. Valid as long as the graph does not change. */
SluiceOffers *sluice_offers_new (SluiceGraph *graph, const SluiceHand *hand);
void sluice_offers_free (SluiceOffers *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceOffers, sluice_offers_free)

/* What makes the hand's edge fit what refused it, alone; the first one is the best. (transfer full)
 * (element-type SluiceOffer) */
GPtrArray *sluice_offers_list_fitting (SluiceGraph *graph, const SluiceHand *hand);

/* Edges that an open input could read: first those that nothing reads yet, which has_reader says.
 * (transfer full) (element-type SluiceOffer) */
GPtrArray *sluice_offers_list_edges (SluiceGraph *graph, SluiceNode *node, guint input);

guint sluice_offers_get_n (SluiceOffers *self);
/* "fc1" in "Makes it fit fc1"; (nullable) (transfer none): nothing is in hand */
const char *sluice_offers_get_refused_name (SluiceOffers *self);
const char *sluice_offers_get_hand_name (SluiceOffers *self);

/**
 * sluice_offers_get_why:
 * @offer: one of them
 *
 * Why an op does not fit what is in hand, in a few words: "reads 4 axes, this has 2". It is found
 * when it is asked for, which takes a trial for each input.
 *
 * Returns: (nullable) (transfer none): %NULL: it fits, or nothing is in hand
 */
const char *sluice_offers_get_why (SluiceOffers *self, const SluiceOffer *offer);

/**
 * sluice_offers_match:
 * @text: (nullable): what was typed: a part of a name, an alias, of what is said about it, with
 *   letters left out
 * @recent: (nullable): keys, the last one first
 * @pinned: (nullable): keys
 * @with_others: also what does not fit; always where a text is given
 *
 * Returns: (transfer container) (element-type SluiceOffer): first what makes it fit, then what
 * fits, then the others; pinned ones, recent ones and usual ones first in each
 */
GPtrArray *sluice_offers_match (SluiceOffers *self,
                                const char *text,
                                const char *const *recent,
                                const char *const *pinned,
                                gboolean with_others);
