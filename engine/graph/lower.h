/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/builder.h"
#include "engine/graph/shape-context.h"

/*
 * Calls of functions, and control flow by functions (If, While), are written out as nodes of the
 * same graph before anything runs or is differentiated: bodies beside the call, named below
 * "CALL/_call", with Switch, Merge and the frames of loops. The call itself stays what it is to
 * whoever looks at the graph; who follows edges asks what they stand for.
 */
typedef struct
{
  SluiceEdge *outputs; /* what the outputs of the call are */
  guint n_outputs;
  SluiceNode *done;     /* runs when all of the call has run: for control edges from the call */
  SluiceNode **effects; /* what must run although no output needs it, as far as it is alive */
  guint n_effects;
} SluiceLowered;

/* Has the graph functions? Without them nothing here has anything to do. */
gboolean sluice_graph_has_functions (const SluiceGraph *self);

/* (nullable): not written out, or no call at all */
const SluiceLowered *sluice_node_get_lowered (const SluiceNode *self);

/* What an edge stands for: an output of a call that was written out, or itself. */
SluiceEdge sluice_edge_resolve (SluiceEdge edge);

/* The same for a gradient, which takes a call of a function that has a gradient of its own as one
 * node and does not look into it. */
SluiceEdge sluice_edge_resolve_for_gradient (SluiceEdge edge);

/* The function that the graph names as the gradient of another (GradientDef in its library): of the
 * inputs of that one and the gradients of its outputs. (nullable) */
const char *sluice_graph_get_function_gradient (const SluiceGraph *self, const char *function);
/* That of the function that the node calls, if it calls one. (nullable) */
const char *sluice_node_get_function_gradient (const SluiceNode *self);

/**
 * sluice_builder_add_gradient_call:
 * @of: sluice_node_get_function_gradient() is not %NULL
 * @inputs: those of the node, then the gradients of its outputs
 *
 * Adds a call of that function, with the attributes of the node's call: output i is the gradient of
 * input i.
 *
 * Returns: (transfer none) (nullable): %NULL with INVALID_ARGUMENT where there is no such function,
 * or it does not give a gradient for each input
 */
SluiceNode *sluice_builder_add_gradient_call (SluiceBuilder *b,
                                              const SluiceNode *of,
                                              const SluiceEdge *inputs,
                                              guint n_inputs,
                                              GError **error);

/**
 * sluice_graph_lower_closure:
 *
 * Writes out every call that the edges and nodes need, and the calls in there. A call that cannot
 * be written out keeps the reason as its error.
 *
 * Returns: whether nodes were added
 */
gboolean sluice_graph_lower_closure (SluiceGraph *self,
                                     const SluiceEdge *edges,
                                     guint n_edges,
                                     SluiceNode *const *nodes,
                                     guint n_nodes);

/* The same for all nodes that there are. */
gboolean sluice_graph_lower_all (SluiceGraph *self);

/* The functions of another graph: those of @self, which must have none of its own. */
void sluice_graph_share_functions (SluiceGraph *self, const SluiceGraph *from);
/* Are the functions of both the same ones? */
gboolean sluice_graph_has_functions_of (const SluiceGraph *self, const SluiceGraph *other);
/* copies: what became of each node of @from in @self, by index; NULL: nothing. */
void
sluice_graph_copy_lowered (SluiceGraph *self, const SluiceGraph *from, SluiceNode *const *copies);

/* A body that stands by itself, to be run with its inputs fed. */
typedef struct
{
  SluiceEdge *inputs; /* placeholders */
  guint n_inputs;
  SluiceEdge *outputs;
  guint n_outputs;
  GPtrArray *effects; /* (element-type SluiceNode): what must run although no output needs it */
} SluiceBody;

/**
 * sluice_graph_add_body:
 * @caller: calls the function in its attribute @attr, whenever it likes; the nodes are named below
 * it
 * @body: (out): clear it also where this fails
 *
 * Returns: FALSE with NOT_FOUND where there is no such function, INVALID_ARGUMENT where it is
 * damaged or calls itself, RESOURCE_EXHAUSTED
 */
gboolean sluice_graph_add_body (
    SluiceGraph *self, SluiceNode *caller, const char *attr, SluiceBody *body, GError **error);
void sluice_body_clear (SluiceBody *self);

/* ---- for ops that are calls ---- */

typedef struct
{
  SluiceBuilder b; /* scope and device of the call */
  SluiceNode *node;
  SluiceEdge *outputs; /* to be set, n_outputs of node */
  SluiceNode *done;    /* to be set */
  GPtrArray *effects;
} SluiceLowering;

typedef gboolean (*SluiceLowerFunc) (SluiceLowering *l, GError **error);

/**
 * sluice_shape_context_call:
 * @first_input: of the inputs that are the function's
 *
 * The shape rule of a call: what the body makes of the shapes of the inputs. What cannot be told
 * stays unknown.
 */
void sluice_shape_context_call (SluiceShapeContext *self,
                                const SluiceFuncValue *func,
                                guint first_input);

/* At start-up only: how calls by this op are written out. */
void sluice_lowering_register (const char *op, SluiceLowerFunc func);
/* At start-up only: the op calls the function in that attribute, with its own inputs and outputs.
 */
void sluice_lowering_set_called (const char *op, const char *attr);
/* Is the op such a call? It has no kernel then. */
gboolean sluice_lowering_exists (const char *op);

/**
 * sluice_lowering_call:
 * @scope: of the names of its nodes, within the call's; two calls of one lowering differ in it
 * @pivot: (nullable): must have run, alive, where nothing else says whether the body is; NULL: the
 * inputs of the call and its control inputs
 * @outputs: (out caller-allocates) (array length=n_outputs)
 * @done: (out) (optional): runs after all of the body
 *
 * Writes the body of a function out.
 *
 * Returns: FALSE with NOT_FOUND where there is no such function, INVALID_ARGUMENT where its
 * signature does not fit or where it calls itself
 */
gboolean sluice_lowering_call (SluiceLowering *l,
                               const SluiceFuncValue *func,
                               const char *scope,
                               const SluiceEdge *inputs,
                               guint n_inputs,
                               SluiceNode *pivot,
                               SluiceEdge *outputs,
                               guint n_outputs,
                               SluiceNode **done,
                               GError **error);
