/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/node-error.h"
#include "engine/graph/op.h"
#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/* Output `port` of `node`. node NULL: no edge. */
typedef struct
{
  SluiceNode *node;
  int port;
} SluiceEdge;
#define SLUICE_NO_EDGE ((SluiceEdge){ NULL, 0 })

/* What inference knows of one output. */
typedef struct
{
  SluiceDType dtype; /* with SLUICE_REF for a reference */
  SluiceShape shape;
  /* Of a resource handle: what it refers to; INVALID and unknown where not known. */
  SluiceDType handle_dtype;
  SluiceShape handle_shape;
} SluiceOutput;

/*
 * A node. Records are owned by their graph, are never moved, and do not change once added, but
 * through the graph's own functions. Read the fields; never write them.
 */
struct _SluiceNode
{
  guint32 id;          /* 1 …, in order of creation; unique in its graph */
  const char *name;    /* interned */
  const char *op_name; /* interned */
  const SluiceOp *op;  /* (nullable): NULL for an op that this program does not know */
  const char *device;  /* interned; as requested, "" where nothing was asked for */
  SluiceAttr *attrs;   /* sorted by name text; completed with the defaults of the definition */
  guint n_attrs;
  SluiceEdge *inputs; /* SLUICE_NO_EDGE where an import named what does not exist; error is set then
                       */
  guint n_inputs;
  SluiceNode **control_inputs;
  guint n_control_inputs;
  SluiceOutput *outputs;
  guint n_outputs; /* of an unknown op: one more than the highest port in use, at least one */
  GError *error; /* (nullable): why the node cannot run (unknown op, shapes that contradict …): an
                    import keeps it here, a run that reaches the node fails with it */
  SluiceGraph *graph;
};

/* Output i may be named by several inputs of several nodes; the graph keeps the reverse lists. */
typedef struct
{
  SluiceNode *node;
  int input; /* -1: control */
  int port;  /* of the producer; 0 for control */
} SluiceUse;

/**
 * sluice_graph_new:
 *
 * Returns: (transfer full): an empty graph. Counted; not thread-safe while it changes
 */
SluiceGraph *sluice_graph_new (void);
SluiceGraph *sluice_graph_ref (SluiceGraph *self);
void sluice_graph_unref (SluiceGraph *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceGraph, sluice_graph_unref)

guint sluice_graph_get_n_nodes (const SluiceGraph *self);
SluiceNode *
sluice_graph_get_node (const SluiceGraph *self, guint index); /* in order of creation, from 0 */
SluiceNode *sluice_graph_find (const SluiceGraph *self, const char *name); /* (nullable) */
const SluiceUse *sluice_graph_get_uses (const SluiceGraph *self, const SluiceNode *node, guint *n);
guint64 sluice_graph_get_version (const SluiceGraph *self); /* grows with every change */
/* Versions of the GraphDef that the graph came from, or the current producer. */
int sluice_graph_get_producer (const SluiceGraph *self);
void sluice_graph_set_producer (SluiceGraph *self, int producer);

/* What a new node is made of. */
typedef struct
{
  const char *name; /* (nullable): made from the op's name. A name that is taken is an error */
  const char *op;
  const char *device; /* (nullable) */
  const SluiceEdge *inputs;
  guint n_inputs;
  SluiceNode *const *control_inputs;
  guint n_control_inputs;
  const SluiceAttr *attrs; /* what cannot be told from the inputs; attributes whose name begins with
                              '_' go with any op */
  guint n_attrs;
} SluiceNodeSpec;

/**
 * sluice_graph_add:
 *
 * Adds a node: attributes are completed (from input dtypes, then from defaults) and checked, output
 * dtypes and shapes inferred. Refuses a wrong node and leaves the graph as it was.
 *
 * Returns: (transfer none) (nullable): the node; %NULL with INVALID_ARGUMENT, ALREADY_EXISTS or
 * NOT_FOUND (unknown op)
 */
SluiceNode *sluice_graph_add (SluiceGraph *self, const SluiceNodeSpec *spec, GError **error);

/* Copies a node of another graph with its attributes, device, error and inferred outputs as they
 * are; inputs are given. */
SluiceNode *sluice_graph_copy_node (SluiceGraph *self,
                                    const SluiceNode *node,
                                    const char *name,
                                    const SluiceEdge *inputs,
                                    SluiceNode *const *control_inputs,
                                    guint n_control_inputs);

/* The back edge of a loop, the one way to make a cycle: gives input `input` of a Merge its value.
 * Shapes are merged. */
gboolean sluice_graph_set_input (
    SluiceGraph *self, SluiceNode *node, guint input, SluiceEdge edge, GError **error);
void sluice_graph_add_control_input (SluiceGraph *self, SluiceNode *node, SluiceNode *before);

/* "scope/name", "scope/name_1" …: a name that is not taken. (transfer full) */
char *sluice_graph_unique_name (SluiceGraph *self, const char *wanted);

/**
 * sluice_graph_parse_edge:
 * @text: "name:1", "name" (port 0), "^name" is refused
 */
gboolean
sluice_graph_parse_edge (SluiceGraph *self, const char *text, SluiceEdge *edge, GError **error);

/* Attributes of a node. get: %NULL where absent. The typed ones abort on a kind that the definition
 * rules out. */
const SluiceAttrValue *sluice_node_get_attr (const SluiceNode *self, const char *name);
/* How many nodes have an attribute that begins with '_', none of TensorFlow's own two that nearly
 * all have: whoever looks for them all need not look at each node of a graph that has none. */
guint sluice_graph_count_marked (SluiceGraph *self, const char *name);
gint64 sluice_node_get_int (const SluiceNode *self, const char *name);
float sluice_node_get_float (const SluiceNode *self, const char *name);
gboolean sluice_node_get_bool (const SluiceNode *self, const char *name);
SluiceDType sluice_node_get_type (const SluiceNode *self, const char *name);
const SluiceString *sluice_node_get_string (const SluiceNode *self, const char *name);
gboolean sluice_node_string_is (const SluiceNode *self, const char *name, const char *text);
/* The same names with equal values. */
gboolean sluice_node_attrs_equal (const SluiceNode *a, const SluiceNode *b);
/* A list(int) into a caller's array; returns its length (which may be over max: then max are
 * written). */
guint sluice_node_get_ints (const SluiceNode *self, const char *name, gint64 *values, guint max);

/* "x", "values[2]": as the definition calls them, for messages and inspectors. (transfer full) */
char *sluice_node_dup_input_name (const SluiceNode *self, guint input);
char *sluice_node_dup_output_name (const SluiceNode *self, guint output);

/* (nullable): interned name of the innermost loop that the node runs in; an Enter belongs to the
 * one that it leads into. Not while other threads look at the graph. */
const char *sluice_node_get_loop (SluiceNode *self);

gboolean sluice_node_is_stateful (const SluiceNode *self); /* an unknown op counts as stateful */
SluiceRole sluice_node_get_role (const SluiceNode *self);
static inline SluiceDType
sluice_edge_dtype (SluiceEdge edge)
{
  return edge.node->outputs[edge.port].dtype;
}
static inline const SluiceShape *
sluice_edge_shape (SluiceEdge edge)
{
  return &edge.node->outputs[edge.port].shape;
}

SLUICE_PUBLIC_END
