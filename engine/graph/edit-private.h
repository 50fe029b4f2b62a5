/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/edit.h"
#include "engine/graph/graph-private.h"

/* What the files of a graph's transactions share. Nobody else includes this. */

/* A node that a transaction changed, and its other state: what it was before, or, after an undo,
 * what it was behind. The two change places. */
typedef struct _SluiceNodeImage
{
  SluiceNode *node;
  SluiceNodeRecord other;
} SluiceNodeImage;

typedef struct
{
  SluiceNode *node;
  guint32 position;
} SluicePositionImage;

typedef struct
{
  const char *name; /* interned */
  guint number;     /* 0: none */
} SluiceSuffixImage;

/* What of a graph is not nodes. */
typedef struct
{
  GBytes *shell, *meta_shell;     /* (nullable) */
  struct _SluiceLibrary *library; /* (nullable) */
  int producer;
  guint32 next_position;
  gboolean is_unordered;
  guint64 state;
} SluiceGraphImage;

/* A transaction: open, done or undone. */
struct _SluiceEdit
{
  SluiceGraph *graph; /* held by it when the transaction is over */
  gboolean is_log;    /* nobody can undo it: it only gathers what followers hear */
  gboolean is_undone;
  GPtrArray *images; /* SluiceNodeImage */
  GArray *added;     /* of SluiceNodePlace, by index */
  GArray *removed;   /* of SluiceNodePlace, by index before the transaction */
  GArray *positions; /* of SluicePositionImage */
  GArray *suffixes;  /* of SluiceSuffixImage */
  SluiceGraphImage other;
  guint64 state; /* that the graph must be in to apply it */

  /* While it is open. */
  GPtrArray *direct;  /* nodes to be judged at the commit */
  GPtrArray *dropped; /* nodes that it added and removed again */
  guint n_enters_before;
  guint64 version_before;
};

/* ---- edit-log.c: what was, and how it comes back ---- */

SluiceEdit *sluice_edit_new (SluiceGraph *graph, gboolean is_log);
/* Puts all that the transaction changed back, or there again. */
void sluice_edit_toggle (SluiceEdit *self);
/* The transaction is over: what it holds is final. */
void sluice_edit_close (SluiceEdit *self);
/* Values that were worked out before a run, of nodes that changed and of what was made of them. */
void sluice_edit_forget_constants (SluiceEdit *self);
/* Tells followers. */
void sluice_edit_notify (SluiceEdit *self);
/* What differs between a node and its image: SluiceNodeChanges. */
guint sluice_node_image_compare (const SluiceNodeImage *image);
/* Of images whose nodes are as they were. */
void sluice_edit_drop_idle_images (SluiceEdit *self);
/* NULL: the open transaction made the node, or did not touch it. */
const SluiceNodeImage *sluice_edit_find_image (const SluiceEdit *self, const SluiceNode *node);
void sluice_edit_note_position (SluiceNode *node);
/* Takes nodes out of the graph's array and names. nodes: by index. */
void sluice_edit_detach (SluiceEdit *self, SluiceNode *const *nodes, guint n);

/* ---- edit-order.c ---- */

/* Makes the edge run with the order of positions. FALSE: it closes a cycle, which the message
 * names.
 */
gboolean
sluice_graph_order_edge (SluiceGraph *self, SluiceNode *before, SluiceNode *after, GError **error);

/* ---- edit-frames.c ---- */

/* Are the loops of the node's inputs one and the same, and so those of all behind it? */
gboolean sluice_edit_check_frames (SluiceEdit *self, GError **error);

/* ---- edit-names.c ---- */

/* Calls func for each "loc:@NAME" in the node's attributes; the name is not terminated. */
void sluice_node_foreach_class (
    const SluiceNode *node,
    void (*func) (const SluiceNode *node, const char *name, gsize length, gpointer data),
    gpointer data);
/* Gives the nodes their new names, all at once, and all that refers to them, or changes nothing.
 * names: interned */
gboolean sluice_edit_rename_nodes (
    SluiceEdit *self, SluiceNode *const *nodes, const char *const *names, guint n, GError **error);
/* A `_class` that names no longer @name. */
void sluice_edit_forget_class (SluiceEdit *self, SluiceNode *node, const char *name);
/* What the MetaGraphDef around the graph says: renamed gives the new name of each node that has
 * one, interned, by its old one; NULL: it is gone. */
void sluice_edit_rename_in_shell (SluiceEdit *self, GHashTable *renamed);

/* ---- edit-check.c ---- */

/* Looks at what the transaction made or changed, and brings shapes behind it up to date. */
/* Brings shapes behind what was changed so far up to date. */
void sluice_edit_settle_so_far (SluiceEdit *self);
gboolean sluice_edit_check (SluiceEdit *self, GError **error);
