/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/node-text.h"

/*
 * The text of a graph, a block for each node, kept while the graph changes by transactions, and
 * where each node stands in it. Comments, blanks and the order of blocks are the text's own: what
 * changes the graph writes anew what it changed, and nothing else. Not thread-safe, like the graph.
 *
 * Lines are counted as an editor does: one more than there are newlines.
 */
typedef struct _SluiceGraphText SluiceGraphText;

/* What is between begin and end is @text from now on; to be done in turn to what held the text
 * before. */
typedef void (*SluiceTextFollower) (SluiceGraphText *self,
                                    SluiceTextPlace begin,
                                    SluiceTextPlace end,
                                    const char *text,
                                    gpointer user_data);
/* There is something to refresh. */
typedef void (*SluiceTextStale) (SluiceGraphText *self, gpointer user_data);

/**
 * sluice_graph_text_new:
 * @text: (nullable): that the graph was read from; %NULL, or one that is no GraphDef: the text is
 * made
 *
 * The text is empty until sluice_graph_text_refresh() makes it.
 */
SluiceGraphText *sluice_graph_text_new (SluiceGraph *graph, const char *text);
void sluice_graph_text_free (SluiceGraphText *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceGraphText, sluice_graph_text_free)

/* One at a time, NULL for none: it is told of all of the text first, as it is refreshed. */
void sluice_graph_text_follow (SluiceGraphText *self,
                               SluiceTextFollower follower,
                               SluiceTextStale stale,
                               gpointer user_data);

/* Makes the text say what the graph is, for so many µs at most and at least one block; FALSE: there
 * is more to do. */
gboolean sluice_graph_text_refresh (SluiceGraphText *self, gint64 budget_us);

/* FALSE: the graph came in a MetaGraphDef, and the text is its GraphDef alone. */
gboolean sluice_graph_text_is_whole (const SluiceGraphText *self);

/* All of it, up to date. (transfer full) */
char *sluice_graph_text_dup_text (SluiceGraphText *self);
guint sluice_graph_text_get_n_lines (const SluiceGraphText *self); /* of what was refreshed */
/* The lines from first to the one before behind, as they were refreshed. (transfer full) */
char *sluice_graph_text_dup_lines (const SluiceGraphText *self, guint first, guint behind);

/* ---- where what stands ---- */

typedef struct
{
  SluiceNode *node;
  SluiceTextPlace begin, end; /* of its block */
  SluiceNodeFieldKind kind;
  guint input;
  char *attr;                             /* (nullable) */
  SluiceTextPlace field_begin, field_end; /* of a field of that kind */
} SluiceTextSpot;

void sluice_text_spot_clear (SluiceTextSpot *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SluiceTextSpot, sluice_text_spot_clear)

/* The node whose block the place is in, and the field. FALSE: it is between blocks. */
gboolean
sluice_graph_text_find_spot (SluiceGraphText *self, SluiceTextPlace place, SluiceTextSpot *spot);
/* The block of a node, and its field of a kind, if it has it. FALSE: it has no text yet. */
gboolean sluice_graph_text_find_node (SluiceGraphText *self,
                                      const SluiceNode *node,
                                      SluiceNodeFieldKind kind,
                                      const char *attr,
                                      guint input,
                                      SluiceTextSpot *spot);

/* ---- the text is edited ---- */

/* Lines at the beginning and at the end that an edit left as they were; made fewer, so that whole
 * blocks stand between. */
void sluice_graph_text_widen (SluiceGraphText *self, guint *n_before, guint *n_behind);

/* A node or a scope gets another name, and with it all that stands below. */
typedef struct
{
  char *from, *to;
} SluiceTextRename;

/* Renames, and then what sluice_graph_rewrite() takes. */
typedef struct
{
  GArray *renames;  /* of SluiceTextRename; no one takes anything where another puts something */
  GPtrArray *nodes; /* SluiceNode */
  char *text;       /* (nullable): NULL: nothing else changes in the graph */
  guint n_blocks;   /* in text */
} SluiceTextChange;

void sluice_text_change_clear (SluiceTextChange *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SluiceTextChange, sluice_text_change_clear)

/**
 * sluice_graph_text_propose:
 * @n_before: as sluice_graph_text_widen() made it
 * @text: what stands between now, with the newline at its end
 * @change: (out): what does to the graph what was done to the text
 *
 * Reads an edited part of the text; the map stays as it is until sluice_graph_text_accept().
 *
 * Returns: %FALSE with INVALID_ARGUMENT "line:column: …", by the lines of the whole text
 */
gboolean sluice_graph_text_propose (SluiceGraphText *self,
                                    guint n_before,
                                    guint n_behind,
                                    const char *text,
                                    SluiceTextChange *change,
                                    GError **error);
/* The change was made, or there was none: the proposed text stands. */
void sluice_graph_text_accept (SluiceGraphText *self);

/* Blocks stand for the nodes that they name from now on, as they are written, with what stands
 * before those that have none yet: the graph says the same already. */
void sluice_graph_text_adopt (SluiceGraphText *self, const char *text);

/**
 * sluice_graph_text_locate:
 * @message: what is wrong with the change that was proposed last, as sluice_graph_rewrite() or the
 * commit says it
 * @node: (nullable): that the error names
 * @place: (out): where that is in the edited text
 *
 * Returns: %FALSE where no place is known
 */
gboolean sluice_graph_text_locate (SluiceGraphText *self,
                                   const char *message,
                                   const char *node,
                                   SluiceTextPlace *place);
