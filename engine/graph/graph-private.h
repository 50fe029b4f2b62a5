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
  /* In an order in which only the back edges of loops run backwards; edges of cycles that an import
   * brought do as well (SluiceGraph.is_unordered). Unique, not without gaps. */
  guint32 position;
  /* (nullable): interned path of the frames in which its outputs lie; NULL while nobody asked */
  const char *frame;
  /* (nullable): what the open transaction keeps of it; SLUICE_IMAGE_OF_NEW: that made it */
  struct _SluiceNodeImage *image;
  /* Booleans; records are many, and a fresh page is dear. */
  guint8 visits;            /* a count: of inference, while it works */
  guint8 inferred;          /* shapes were looked at: an edge from here says something */
  guint8 shape_error;       /* node->error came from the shape function */
  guint8 cycle_error;       /* node->error says that it is part of a cycle */
  guint8 constants_pending; /* being worked out: a cycle has no constants */
  guint8 was_asked;         /* for constants, ever: what stands behind it may go by its values */
  guint8 is_queued;
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

#define SLUICE_IMAGE_OF_NEW ((struct _SluiceNodeImage *) 1)

/* graph-names.c: nodes by name. Starts as { 0 }. */
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
/* The node must be there. */
void sluice_name_table_remove (SluiceNameTable *self, const SluiceNode *node);
void sluice_name_table_clear (SluiceNameTable *self);

/* graph-class-users.c: nodes by the names that stand in their `_class`. Starts as { 0 }. */
typedef struct _SluiceClassSlot SluiceClassSlot;
typedef struct _SluiceClassUser SluiceClassUser;
typedef struct
{
  SluiceClassSlot *slots;
  guint n_slots, capacity; /* a power of two, or 0 */
  SluiceClassUser *users;
  guint n_users, users_capacity;
  guint32 spare; /* the first of users that is free, + 1, or 0 */
} SluiceClassTable;
void sluice_class_table_clear (SluiceClassTable *self);
void sluice_class_table_note (SluiceClassTable *self, const SluiceNode *node, gboolean add);
/* Appends who names @name in its `_class` (SluiceNode); some may come twice. */
void sluice_graph_collect_class_users (SluiceGraph *self, const char *name, GPtrArray *users);

/* graph-attrs.c: what is known of the attributes of all nodes together: who stands in a `_class`,
 * and how many nodes have an attribute. To be told of each node that comes or goes, before and
 * after its attributes change. */
void sluice_graph_index_attrs (SluiceGraph *self, const SluiceNode *node, gboolean add);
/* Of a copy all of it is made once somebody asks. */
void sluice_graph_index_copy (SluiceGraph *self);
/* Until then. */
void sluice_graph_drop_index (SluiceGraph *self);

struct _SluiceGraph
{
  _Atomic int ref_count;
  GPtrArray *nodes; /* SluiceNode, in order of creation */
  SluiceNameTable by_name;
  GHashTable *suffixes; /* interned name -> the last number that unique_name() put behind it */
  guint64 version;
  guint64 state, last_state; /* which of the states that it was in; an undo brings one back */
  guint32 next_position;
  gboolean is_unordered;    /* it has, or had, cycles that are no loops */
  guint n_enters;           /* nodes of that role: without one there are no frames */
  GPtrArray *afar;          /* nodes with SLUICE_OP_LOOKS_AFAR */
  struct _SluiceEdit *edit; /* (nullable): the open transaction */
  guint n_holds;            /* sluice_graph_hold() */
  GArray *followers;        /* (nullable): edit-log.c */
  SluiceClassTable class_users;
  GHashTable *marks; /* (nullable): interned name of an attribute -> nodes that have it, of those
                        that sluice_graph_count_marked() tells */
  gboolean is_copy;  /* whose class_users and marks nobody has asked for yet */
  int producer;
  struct _SluiceLibrary *library; /* (nullable): its functions */
  GBytes *shell;      /* (nullable): the GraphDef that was imported, without its nodes */
  GBytes *meta_shell; /* (nullable): the MetaGraphDef around it, without the GraphDef */
};

/* graph.c: a record that no graph holds yet. Inputs, attributes and outputs are filled in by the
 * caller, then commit() makes it a node of the graph, or free() drops it. */
SluiceNode *
sluice_node_new (SluiceGraph *graph, const char *name, const char *op, const char *device);
void sluice_node_free (SluiceNode *node);
/* What a record holds. */
void sluice_node_clear (SluiceNodeRecord *record);
/* The state changed outside of a transaction that can bring it back. */
void sluice_graph_changed (SluiceGraph *self);
/* Counts what the graph knows of its nodes beside their names. */
void sluice_graph_count_node (SluiceGraph *self, SluiceNode *node, gboolean add);
/* Takes the values; duplicates by name are dropped but for the last. */
void sluice_node_take_attrs (SluiceNode *node, SluiceAttr *attrs, guint n);
void sluice_node_set_n_outputs (SluiceNode *node, guint n);
/* sluice_graph_add(); may_be_open: with inputs that nothing is connected to. */
SluiceNode *sluice_graph_make (SluiceGraph *self,
                               const SluiceNodeSpec *spec,
                               gboolean may_be_open,
                               GError **error);
/* FALSE: the name is taken, and the node is the caller's still. */
gboolean sluice_graph_commit (SluiceGraph *self, SluiceNode *node);
/* Takes the nodes from `first` on away again; nothing may be connected to them. */
void sluice_graph_drop_new (SluiceGraph *self, guint first);
void sluice_node_add_use (SluiceNode *producer, SluiceUse use);
void sluice_node_remove_use (SluiceNode *producer, const SluiceNode *user, int input);
/* Each once, in the order given; the uses are the caller's to add. */
void sluice_node_set_control_inputs (SluiceNode *node, SluiceNode *const *nodes, guint n);
/* The node that a mistyped name may mean. */
const char *sluice_graph_suggest_name (SluiceGraph *self, const char *name);
gboolean sluice_node_name_is_valid (const char *name, gboolean internal);

/* graph-infer.c */
/* Takes the values, and adds what they leave out to the node's attributes. from_inputs: also from
 * the inputs' dtypes, as a builder wants; a GraphDef must say them. Makes the outputs; after an
 * error as far as they can be told. */
gboolean sluice_node_complete (
    SluiceNode *node, const SluiceAttr *take, guint n, gboolean from_inputs, GError **error);
gboolean sluice_node_check_inputs (const SluiceNode *node, GError **error);
/* Where it has no other error and an open input. */
void sluice_node_set_open_error (SluiceNode *node);

/* graph-infer-shapes.c */
/* Calls the op's shape function. On an error all shapes are unknown. */
gboolean sluice_node_infer_shapes (SluiceNode *node, GError **error);
/* Infers the shapes of new nodes: order lists them so that only the back edges of loops run against
 * it. Gives them their positions. Errors stay on the nodes. */
void sluice_graph_settle_new (SluiceGraph *self, SluiceNode *const *order, guint n);
/* Brings the shapes of the nodes up to date, and those behind what changes by it. again: loops that
 * are concerned are inferred from what enters them, as if they were new. */
void sluice_graph_settle (SluiceGraph *self, SluiceNode *const *nodes, guint n, gboolean again);
/* Does the edge close a loop: NextIteration into Merge? */
gboolean sluice_edge_is_back_edge (const SluiceNode *producer, const SluiceNode *consumer);

/* graph-frames.c */
/* Between the names of nested frames; no text of a graph has it. */
#define SLUICE_FRAME_INSIDE '\x1f'
/* The interned path of frames in which a node's outputs lie; "" outside all loops, NULL where that
 * cannot be told. */
const char *sluice_node_output_frame (SluiceNode *node);
/* Where outputs lie of a node whose inputs lie in @frame. */
const char *sluice_node_lead_out (const SluiceNode *node, const char *frame);
/* Of what comes before a node within an iteration, the i-th; NULL: an open input or a back edge. */
SluiceNode *sluice_node_nth_before (const SluiceNode *node, guint i);
/* (nullable): the first of them that is none of these */
SluiceNode *sluice_node_first_before (const SluiceNode *node);
