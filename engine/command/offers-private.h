/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/command/judge.h"
#include "engine/command/offers.h"
#include "engine/command/stack.h"

/* ---- offers-box.c: a small graph in which things are tried ---- */

/* Copies of nodes under their own names, so that a command for the graph is one for the box. */
typedef struct
{
  SluiceGraph *graph;
  SluiceCommandStack *stack;
} SluiceBox;

void sluice_box_init (SluiceBox *self);
void sluice_box_clear (SluiceBox *self);
/* With its inputs; of a node that is only read nothing behind it is needed. */
void sluice_box_add (SluiceBox *self, const SluiceNode *node);
void sluice_box_add_reader (SluiceBox *self, const SluiceNode *node);
/* Does the command; what it did stays until sluice_box_undo(). reader: (nullable): of the graph,
 * whose twin in the box is to be well then. */
gboolean sluice_box_do (SluiceBox *self, const char *line, const SluiceNode *reader);
void sluice_box_undo (SluiceBox *self);
/* An open input is nothing wrong yet, but what the others say together may be. */
gboolean sluice_box_is_well (SluiceBox *self, const char *name);
/* Output 0 of a node of the box, with open inputs as values of which nothing is known. FALSE: it
 * has none. */
gboolean sluice_box_get_output (SluiceBox *self, const char *name, SluiceOutput *output);

/* ---- names of what comes ---- */

/* How much of a node's name is that of the layer it stands in, the outermost one; 0: in none. */
gsize sluice_offers_layer_span (SluiceGraph *graph, const char *name);
/* Is it a layer's own affair, and not its outcome? */
gboolean sluice_offers_is_inside (SluiceGraph *graph, const SluiceNode *node);
gboolean sluice_offers_is_read (SluiceGraph *graph, SluiceEdge edge);

typedef struct
{
  SluiceGraph *graph;
  char *scope;       /* "" or "a/b/" */
  GHashTable *taken; /* (nullable): names directly in it */
} SluiceNamer;

/* near: (nullable): beside which new nodes come: in its scope, but outside of layers */
void sluice_namer_init (SluiceNamer *self,
                        SluiceGraph *graph,
                        const SluiceNode *near,
                        const char *scope);
void sluice_namer_clear (SluiceNamer *self);
/* A name that neither a node nor a scope has. (transfer full) */
char *sluice_namer_make (SluiceNamer *self, const char *base);

/* ---- lists ---- */

typedef struct
{
  SluiceGraph *graph;
  const SluiceHand *hand;
  SluiceBox *box;
  SluiceNamer *namer;
  GPtrArray *offers; /* of SluiceOffer */
} SluiceOfferList;

SluiceOffer *
sluice_offer_new (const char *key, const char *title, SluiceOfferReason reason, char *take_line);
void sluice_offer_free (SluiceOffer *self);
/* "together WORDS LINE…". lines: ends with NULL. (transfer full) */
char *sluice_offer_join (const char *words, const char *const *lines);
/* "NODE:K". (transfer full) */
char *sluice_offer_input_text (const SluiceNode *node, guint input);

/* offers-fit.c: what comes between the edge in hand and what refused it. */
void sluice_offers_add_fitting (SluiceOfferList *list);
/* An offer that was done in the box. lines: what adds it, with places for one more and a NULL;
 * name: what is added; made: the node that gives what comes of it. (transfer none) (nullable) */
SluiceOffer *sluice_offers_try (SluiceOfferList *list,
                                const char *key,
                                const char *title,
                                const char **lines,
                                guint n,
                                const char *name,
                                const char *made);

/* offers-block.c */
void sluice_offers_add_blocks (SluiceOfferList *list);
/* offers-list.c */
void sluice_offers_add_layers (SluiceOfferList *list);
void sluice_offers_add_ops (SluiceOfferList *list);
void sluice_offers_add_edges (SluiceOfferList *list); /* that an open input could read */
/* "add OP NAME …", which reads nothing yet. wanted: of its values, where it may be; INVALID: any.
 * (transfer full) */
char *sluice_offers_write_alone (const SluiceOp *op, const char *name, SluiceDType wanted);
/* offers-why.c: as sluice_offers_get_why() of an op. (transfer full) */
char *sluice_offers_explain (const SluiceHand *hand, const SluiceOp *op);
/* offers-match.c: 0: nothing of the text is in it; more is better. */
guint sluice_offer_match (const SluiceOffer *self, const char *text);
GPtrArray *sluice_offers_rank (const GPtrArray *offers,
                               const char *text,
                               const char *const *recent,
                               const char *const *pinned,
                               gboolean with_others);

/* ---- offers-words.c: data/layers/ops.words ---- */

/* 0 for the most usual op; G_MAXUINT16 for one that is not. */
guint sluice_op_words_get_order (const char *op);
const char *sluice_op_words_get_also (const char *key); /* (nullable) */
/* The op that goes a way, and the name of its constant or attribute. */
const char *sluice_op_words_get_fit (const char *way, const char **name);
/* "compares", "rounds", "losses" */
gboolean sluice_op_words_is (const char *what, const char *op);
