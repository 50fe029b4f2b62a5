/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/edit.h"
#include "engine/graph/graph-text.h"
#include "engine/graph/graphdef-private.h"

/* graph-text.c (the blocks, and how they follow the graph), graph-text-edit.c (how the graph
 * follows them). */

typedef struct
{
  char *text;           /* (nullable): not made yet */
  SluiceTextPlace size; /* where the text ends that begins at 0, 0 */
  gboolean is_shown;    /* followers were told of it */
} SluiceTextPart;

typedef struct
{
  SluiceTextPart lead; /* what stands before the node, since the one before it */
  SluiceTextPart body;
  char *adopted;           /* (nullable): what the body is to be at the next refresh */
  SluiceNode *node;        /* (nullable): it is gone, the block goes at the next refresh */
  gboolean is_stale;       /* it is to be looked at */
  gboolean is_checked;     /* its text says what the node is */
  gboolean is_listed;      /* in SluiceGraphText.blocks; else in .removed */
  gboolean left_lead;      /* of one that went: the lead became the next one's */
  gboolean is_replaced;    /* for the time of an accept */
  const SluiceNode *after; /* (nullable): of one that went: whose block stood before */
} SluiceTextBlock;

/* A part of the text that was edited and is not the graph's yet. */
typedef struct
{
  GPtrArray *old;        /* SluiceTextBlock, borrowed: those that stood there */
  GPtrArray *blocks;     /* SluiceTextBlock: those that stand there; owned until accepted */
  GPtrArray *names;      /* of their nodes */
  GHashTable *was;       /* name -> what its node is called in the graph, where that is renamed */
  GHashTable *now;       /* the other way; keys and values are was's */
  SluiceTextBlock *next; /* (nullable): the first one behind; NULL: the tail */
  char *rest;            /* behind the last of the blocks */
  gboolean has_tail;
  GArray *origins;      /* of Origin */
  guint n_before;       /* lines */
  guint n_lines;        /* now */
  guint n_lines_before; /* of the text that stood there */
} SluiceTextProposal;

struct _SluiceGraphText
{
  SluiceGraph *graph;
  GPtrArray *blocks;   /* SluiceTextBlock, in the order of the text */
  GHashTable *by_node; /* SluiceNode -> SluiceTextBlock */
  GHashTable *removed; /* SluiceNode that may come back -> SluiceTextBlock, owned if not listed */
  SluiceTextPart tail;
  guint n_stale;
  guint last_found; /* index of a block that was looked for */
  guint followed;
  SluiceTextFollower follower; /* (nullable) */
  SluiceTextStale stale;       /* (nullable) */
  gpointer user_data;
  SluiceTextProposal *proposal; /* (nullable) */
};

SluiceTextBlock *sluice_text_block_new (SluiceNode *node, char *take_lead, char *take_body);
void sluice_text_block_free (SluiceTextBlock *self);
void sluice_text_part_take (SluiceTextPart *self, char *text);
void sluice_graph_text_mark (SluiceGraphText *self, SluiceTextBlock *block);
/* Where a text ends that begins there. */
SluiceTextPlace sluice_text_place_add (SluiceTextPlace at, const SluiceTextPart *part);
SluiceTextPlace sluice_text_place_over (SluiceTextPlace at, const SluiceTextBlock *block);
void sluice_text_proposal_free (SluiceTextProposal *self);

/* Cuts a text into blocks, each with what stands before it; what is behind the last one is the
 * rest. FALSE with "line:column: " where it is no text of nodes. */
gboolean sluice_text_cut (const char *text, GPtrArray *blocks, char **rest, GError **error);

/* graph-text-rename.c */
/* Finds who is called otherwise. renames: of SluiceTextRename, which are appended */
void sluice_text_proposal_find_renames (SluiceGraphText *map,
                                        SluiceTextProposal *p,
                                        const Tensorflow__GraphDef *def,
                                        GArray *renames);
void sluice_text_rename_clear (gpointer data);
/* A block that names nodes as another text does: name -> name there. (transfer full) */
char *sluice_text_dup_renamed (const char *body, GHashTable *names);
