/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/error.h"
#include "engine/graph/graph.h"
#include "engine/graph/lower.h"

/* What the files of graph/ share. Nobody else includes this. */

/* More inputs or outputs of one node are refused: kernels count them in 16 bits. */
#define SLUICE_MAX_PORTS G_MAXUINT16

/* Attributes of a node; nodes copied from each other share them. Behind it n SluiceAttr. */
typedef struct
{
  _Atomic int ref_count;
  guint n;
  SluiceAttr attrs[];
} SluiceAttrBlock;

/* A node and what only its graph knows of it. */
typedef struct
{
  SluiceNode node; /* first: a SluiceNode is a SluiceNodeRecord */
  SluiceAttrBlock *block;
  SluiceUse *uses;
  guint n_uses, uses_capacity;
  /* Values of outputs that are known before a run; NULL while nobody asked. */
  SluiceTensor **constants;
  guint position;             /* in the order that sluice_graph_settle() goes by, while it works */
  guint visits;               /* of that */
  gboolean inferred;          /* shapes were looked at: an edge from here says something */
  gboolean shape_error;       /* node->error came from the shape function */
  gboolean constants_pending; /* being worked out: a cycle has no constants */
  struct _SluiceCallPath *path; /* (nullable): of a node that a call was written out to */
  SluiceLowered *lowered;       /* (nullable): of a call that was written out */
  /* A NodeDef of what this program does not understand, for the way out; NULL where it understands
   * all. Where it has inputs they stand for all of node->inputs. */
  GBytes *foreign;
} SluiceNodeRecord;

static inline SluiceNodeRecord *
sluice_node_record (const SluiceNode *node)
{
  return (SluiceNodeRecord *) node;
}

/* names.c: nodes by name. Starts as { 0 }. */
typedef struct _SluiceNameSlot SluiceNameSlot;
typedef struct
{
  SluiceNameSlot *slots;
  guint n, capacity; /* a power of two */
} SluiceNameTable;
SluiceNode *sluice_name_table_find (const SluiceNameTable *self, const char *name, gsize length);
/* Makes room for so many more. */
void sluice_name_table_reserve (SluiceNameTable *self, guint n);
/* FALSE: there is a node of this name. */
gboolean sluice_name_table_add (SluiceNameTable *self, SluiceNode *node);
void sluice_name_table_clear (SluiceNameTable *self);

struct _SluiceGraph
{
  _Atomic int ref_count;
  GPtrArray *nodes; /* SluiceNode, in order of creation */
  SluiceNameTable by_name;
  GHashTable *suffixes; /* interned name -> the last number that unique_name() put behind it */
  guint64 version;
  int producer;
  struct _SluiceLibrary *library; /* (nullable): its functions */
  GBytes *shell;      /* (nullable): the GraphDef that was imported, without its nodes */
  GBytes *meta_shell; /* (nullable): the MetaGraphDef around it, without the GraphDef */
};

/* op.c */
/* (transfer full) (nullable): INVALID_ARGUMENT says what does not parse, and where */
SluiceOp *sluice_op_parse (const SluiceOpDef *def, GError **error);
void sluice_op_free (SluiceOp *self);

/* graph.c: a record that no graph holds yet. Inputs, attributes and outputs are filled in by the
 * caller, then commit() makes it a node of the graph, or free() drops it. */
SluiceNode *
sluice_node_new (SluiceGraph *graph, const char *name, const char *op, const char *device);
void sluice_node_free (SluiceNode *node);
/* Takes the values; duplicates by name are dropped but for the last. */
void sluice_node_take_attrs (SluiceNode *node, SluiceAttr *attrs, guint n);
void sluice_node_set_n_outputs (SluiceNode *node, guint n);
/* FALSE: the name is taken, and the node is the caller's still. */
gboolean sluice_graph_commit (SluiceGraph *self, SluiceNode *node);
/* Takes the nodes from `first` on away again; nothing may be connected to them. */
void sluice_graph_drop_new (SluiceGraph *self, guint first);
void sluice_node_add_use (SluiceNode *producer, SluiceUse use);
/* Each once, in the order given; the uses are the caller's to add. */
void sluice_node_set_control_inputs (SluiceNode *node, SluiceNode *const *nodes, guint n);
/* The node's name nearest to a mistyped one. */
const char *sluice_graph_near_name (SluiceGraph *self, const char *name);
gboolean sluice_node_name_is_valid (const char *name, gboolean internal);

/* infer.c */
/* Takes the values, and adds what they leave out to the node's attributes. from_inputs: also from
 * the inputs' dtypes, as a builder wants; a GraphDef must say them. Makes the outputs; after an
 * error as far as they can be told. */
gboolean sluice_node_complete (
    SluiceNode *node, const SluiceAttr *take, guint n, gboolean from_inputs, GError **error);
gboolean sluice_node_check_inputs (const SluiceNode *node, GError **error);

/* infer-shapes.c */
/* Calls the op's shape function. On an error all shapes are unknown. */
gboolean sluice_node_infer_shapes (SluiceNode *node, GError **error);
/* Brings shapes behind changed nodes up to date: order lists the nodes so that only the back edges
 * of loops run against it, dirty says of each position whether it must be looked at. Errors stay
 * on the nodes. */
void sluice_graph_settle (SluiceGraph *self, SluiceNode *const *order, guint8 *dirty, guint n);
/* Does the edge close a loop: NextIteration into Merge? */
gboolean sluice_edge_is_back_edge (const SluiceNode *producer, const SluiceNode *consumer);

/* Calls func for every node that pops from the stack that `push` fills, where it fills one. */
void sluice_node_foreach_pop (const SluiceNode *push,
                              void (*func) (SluiceNode *pop, gpointer data),
                              gpointer data);

/* shape-context.c */
void sluice_node_forget_constants (SluiceNode *node);
