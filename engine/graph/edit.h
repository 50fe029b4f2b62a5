/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/*
 * A graph changes by transactions: begin, any number of changes, commit. Changes take effect at
 * once, so that later ones of the same transaction see them; what the whole of it makes of the
 * graph is judged at the commit, and where that is refused the graph is as it was. What adds nodes
 * or edges without knowing of transactions (builders, gradients, imports) may be called within one
 * and becomes part of it. Nodes keep their records: a SluiceNode that is not removed stays valid.
 *
 * A committed transaction is undone by sluice_edit_apply(), which makes it its own inverse: applied
 * again it is redone. Undo restores all that order of creation decides: positions, numbers of
 * nodes, names that unique_name() makes, the order of uses.
 *
 * A session keeps nodes as they were when it took them over (sluice_session_update()). Not
 * thread-safe, like the graph.
 */
typedef struct _SluiceEdit SluiceEdit;

/* Opens a transaction; there must be none. */
void sluice_edit_begin (SluiceGraph *graph);

/**
 * sluice_edit_commit:
 *
 * Judges what the open transaction made of the graph and ends it. Refused, with a message that
 * names node, op and input: an edge that closes a cycle without NextIteration into Merge, what
 * reads a node or an output that is gone, inputs of another dtype or number than the op takes,
 * inputs from different loops, a `_class` that names no node, a node that the transaction made or
 * changed whose shapes contradict each other. Shapes are inferred again behind what changed; a node
 * behind it whose shapes contradict now keeps that as its error, as after an import. So does a node
 * with an open input.
 *
 * Returns: (transfer full) (nullable): what undoes it; %NULL with INVALID_ARGUMENT or NOT_FOUND,
 * and the graph is as it was before sluice_edit_begin()
 */
SluiceEdit *sluice_edit_commit (SluiceGraph *graph, GError **error);

/* Brings the shapes behind what the open transaction has changed so far up to date, for changes
 * that go by them. What contradicts is not refused yet. */
void sluice_edit_settle (SluiceGraph *graph);

/* Ends the open transaction; the graph is as it was before it. */
void sluice_edit_abandon (SluiceGraph *graph);

/**
 * sluice_edit_apply:
 *
 * Undoes a transaction, or one that was undone does again. The graph must be as this left it:
 * transactions are undone from the last one back.
 *
 * Returns: %FALSE with FAILED_PRECONDITION where the graph is not, and nothing has happened
 */
gboolean sluice_edit_apply (SluiceEdit *self, GError **error);
/* Nodes that are in the graph no more are freed with it. */
void sluice_edit_free (SluiceEdit *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceEdit, sluice_edit_free)

/*
 * The changes. All but sluice_edit_begin() need an open transaction. FALSE: that one change was
 * refused and is not part of the transaction, which stays open.
 */

/**
 * sluice_edit_add:
 * @spec: inputs may be SLUICE_NO_EDGE, or fewer than the op takes: they stay open
 *
 * Adds a node as sluice_graph_add() does.
 *
 * Returns: (transfer none) (nullable)
 */
SluiceNode *sluice_edit_add (SluiceGraph *graph, const SluiceNodeSpec *spec, GError **error);

/* Takes nodes away. What still reads them at the commit refuses it. What a MetaGraphDef around the
 * graph says of them goes, too: the name out of a list, else the entry that it stands in. */
gboolean sluice_edit_remove (SluiceGraph *graph, SluiceNode *const *nodes, guint n, GError **error);

/**
 * sluice_edit_delete:
 *
 * Takes nodes away, and what refers to them changes: where one has one input and one output of the
 * same dtype, readers of the output read that input; other readers are left with an open input.
 * Control edges from it, and a `_class` that names it, go. RESOURCE_EXHAUSTED: some of them may be
 * changed already, so the transaction is to be abandoned.
 */
gboolean sluice_edit_delete (SluiceGraph *graph, SluiceNode *const *nodes, guint n, GError **error);

/* Gives a node another name; all references follow: edges, `_class`, the MetaGraphDef around the
 * graph. */
gboolean
sluice_edit_rename (SluiceGraph *graph, SluiceNode *node, const char *name, GError **error);

/* The same with all nodes whose names begin with "@scope/", and the one named @scope, if any.
 * NOT_FOUND: there are none. */
gboolean
sluice_edit_rename_scope (SluiceGraph *graph, const char *scope, const char *name, GError **error);

/* edge: SLUICE_NO_EDGE leaves the input open. */
gboolean sluice_edit_set_input (
    SluiceGraph *graph, SluiceNode *node, guint input, SluiceEdge edge, GError **error);
/* All data inputs, where their number changes. */
gboolean sluice_edit_set_inputs (
    SluiceGraph *graph, SluiceNode *node, const SluiceEdge *edges, guint n, GError **error);

/* The value is copied. Whether the op has such an attribute is judged at the commit. */
gboolean
sluice_edit_set_attr (SluiceGraph *graph, SluiceNode *node, const SluiceAttr *attr, GError **error);
/* Back to what the op's definition or the inputs give. NOT_FOUND: the node has none of that name.
 */
gboolean
sluice_edit_remove_attr (SluiceGraph *graph, SluiceNode *node, const char *name, GError **error);

/* device: full or partial device name, as a node asks for it; "" for none */
void sluice_edit_set_device (SluiceGraph *graph, SluiceNode *node, const char *device);

/* before runs first. TRUE also where the edge is there already. */
gboolean
sluice_edit_add_control (SluiceGraph *graph, SluiceNode *node, SluiceNode *before, GError **error);
/* NOT_FOUND: there is no such edge. */
gboolean sluice_edit_remove_control (SluiceGraph *graph,
                                     SluiceNode *node,
                                     SluiceNode *before,
                                     GError **error);

/* Outside of transactions, where nobody undoes it. */
void sluice_graph_set_device (SluiceGraph *self, SluiceNode *node, const char *device);

/* ---- who follows a graph ---- */

/* What may differ of a node. */
typedef enum
{
  SLUICE_CHANGED_NAME = 1 << 0,
  SLUICE_CHANGED_DEVICE = 1 << 1,
  SLUICE_CHANGED_ATTRS = 1 << 2,
  SLUICE_CHANGED_INPUTS = 1 << 3,
  SLUICE_CHANGED_CONTROLS = 1 << 4,
  SLUICE_CHANGED_OUTPUTS = 1 << 5, /* their number, dtypes or shapes */
  SLUICE_CHANGED_ERROR = 1 << 6,
  SLUICE_CHANGED_LOOP = 1 << 7, /* which loop it runs in */
} SluiceNodeChanges;

typedef struct
{
  SluiceNode *node;
  guint index; /* of an added node now, of a removed one before */
} SluiceNodePlace;

typedef struct
{
  SluiceNode *node;
  guint what;           /* SluiceNodeChanges */
  const char *old_name; /* interned */
} SluiceNodeChange;

/* Each node is in one of the lists at most. Valid for the call. */
typedef struct
{
  const SluiceNodePlace *removed; /* by index; the records are kept as long as they may come back */
  guint n_removed;
  const SluiceNodePlace *added; /* by index */
  guint n_added;
  const SluiceNodeChange *changed; /* in no order */
  guint n_changed;
} SluiceGraphDelta;

/* Called after the change, on the thread that makes it; may look at the graph, not change it. */
typedef void (*SluiceGraphFollower) (SluiceGraph *graph,
                                     const SluiceGraphDelta *delta,
                                     gpointer user_data);

/* Tells of each commit, undo, redo, import, gradient …, once. Returns what ends it. */
guint sluice_graph_follow (SluiceGraph *self, SluiceGraphFollower follower, gpointer user_data);
void sluice_graph_unfollow (SluiceGraph *self, guint number);

/* What an operation changes between these reaches followers as one delta. They nest, and within a
 * transaction do nothing. */
void sluice_graph_hold (SluiceGraph *self);
void sluice_graph_release (SluiceGraph *self);
