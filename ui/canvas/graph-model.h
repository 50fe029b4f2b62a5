/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What the canvas draws, free of any engine: nodes with names, edges between them. An adapter of
 * the application fills it from a graph; tests fill it by hand. */
#pragma once

#include "ui/canvas/texts.h"

G_BEGIN_DECLS

typedef enum
{
  SLUICE_NODE_CLASS_OP,
  SLUICE_NODE_CLASS_CONSTANT,
  SLUICE_NODE_CLASS_VARIABLE,
  SLUICE_NODE_CLASS_PLACEHOLDER,
  SLUICE_NODE_CLASS_SUMMARY,
  SLUICE_NODE_CLASS_CONTROL, /* no data in or out: NoOp, groups of targets */
} SluiceNodeClass;

/* What an op does for the values of variables rather than with them. */
typedef enum
{
  SLUICE_SERVICE_NONE,
  SLUICE_SERVICE_KEEP, /* assigns, saves, restores */
  SLUICE_SERVICE_ASK,  /* asks whether there is a value: what depends on that serves as well */
} SluiceNodeService;

typedef enum
{
  SLUICE_EDGE_DATA,
  SLUICE_EDGE_REFERENCE, /* variable -> the op that writes it: drawn as an update of the variable */
  SLUICE_EDGE_BACK,      /* what the next iteration of a loop begins with: against the flow */
  SLUICE_EDGE_CONTROL,
} SluiceEdgeKind;

/* Strings are copied by sluice_graph_model_add_node(); NULL is allowed but for name and op. */
typedef struct
{
  const char *name; /* unique, '/' separates scopes */
  const char *op;
  const char *device;
  const char *asked;  /* the device that it asks for, or NULL */
  const char *change; /* of two graphs in one: what one has otherwise, its sign in it, or NULL */
  const char *loop;   /* name of the innermost loop that it runs in, or NULL */
  const char *error;  /* a sentence for people: what is wrong with this node, or NULL */
  SluiceNodeClass node_class;
  SluiceNodeService service;
  double cost;       /* predicted work, any unit that adds up (flops); 0 = unknown */
  guint64 bytes;     /* of all outputs; 0 = unknown */
  guint64 params;    /* trainable elements held (variables); 0 = none */
  guint64 held;      /* elements held, trainable or not; 0 = none or unknown */
  gboolean is_muted; /* it is gone around */
} SluiceModelNode;

typedef struct
{
  guint from; /* node index */
  guint to;   /* node index */
  guint port; /* output of `from` */
  guint slot; /* input of `to` */
  SluiceEdgeKind kind;
  const char *dtype; /* "float32", or NULL */
  const char *shape; /* as drawn, "?×784", or NULL when unknown */
  guint64 bytes;     /* of this one tensor; 0 = unknown */
} SluiceModelEdge;

/* Filled by one thread, then immutable and shared: reference counted, safe to read on any thread.
 */
typedef struct _SluiceGraphModel SluiceGraphModel;

SluiceGraphModel *sluice_graph_model_new (void);
SluiceGraphModel *sluice_graph_model_ref (SluiceGraphModel *self);
void sluice_graph_model_unref (SluiceGraphModel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceGraphModel, sluice_graph_model_unref)

/* An empty model that shares the texts of @base, for what an edit made of it: nodes and edges that
 * are as they were are taken over without being looked at. */
SluiceGraphModel *sluice_graph_model_new_after (SluiceGraphModel *base);
/* Makes room for so many in all. */
void sluice_graph_model_reserve (SluiceGraphModel *self, guint n_nodes, guint n_edges);
guint sluice_graph_model_take_node (SluiceGraphModel *self, SluiceGraphModel *base, guint index);
void sluice_graph_model_take_edge (
    SluiceGraphModel *self, SluiceGraphModel *base, guint index, guint from, guint to);

/* The model's own text that equals @text; a node or edge that is added with it costs no search.
 * (nullable): of none */
const char *sluice_graph_model_keep (SluiceGraphModel *self, const char *text);

/* Adds a copy of @node and returns its index. A name that is already there is an error of the
 * caller: G_MAXUINT. */
guint sluice_graph_model_add_node (SluiceGraphModel *self, const SluiceModelNode *node);

/* While nobody else has it. */
void sluice_graph_model_set_device (SluiceGraphModel *self, guint index, const char *device);

/* Adds a copy of @edge; FALSE (and nothing added) when an end does not exist. Self edges and
 * parallel edges are fine. */
gboolean sluice_graph_model_add_edge (SluiceGraphModel *self, const SluiceModelEdge *edge);

guint sluice_graph_model_get_n_nodes (SluiceGraphModel *self);
guint sluice_graph_model_get_n_edges (SluiceGraphModel *self);
const SluiceModelNode *sluice_graph_model_get_node (SluiceGraphModel *self, guint index);
const SluiceModelEdge *sluice_graph_model_get_edge (SluiceGraphModel *self, guint index);
/* All of them, in their order. */
const SluiceModelNode *sluice_graph_model_get_nodes (SluiceGraphModel *self, guint *n);
const SluiceModelEdge *sluice_graph_model_get_edges (SluiceGraphModel *self, guint *n);

/* Index of the node named @name, or G_MAXUINT. */
guint sluice_graph_model_lookup (SluiceGraphModel *self, const char *name);

/* g_str_hash() of a node's name. */
guint sluice_graph_model_get_name_hash (SluiceGraphModel *self, guint index);

/* Of this model and those made after it: (transfer none). Equal texts in it are one pointer. */
SluiceTexts *sluice_graph_model_get_texts (SluiceGraphModel *self);

/* What is written as graph=<hash> into layout files. Empty until set. */
void sluice_graph_model_set_hash (SluiceGraphModel *self, const char *hash);
const char *sluice_graph_model_get_hash (SluiceGraphModel *self);

G_END_DECLS
