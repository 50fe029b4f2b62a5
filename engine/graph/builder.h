/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"
#include "engine/base/visibility.h"

SLUICE_PUBLIC_BEGIN

/*
 * Builds nodes one call each. The first error sticks: later calls return SLUICE_NO_EDGE and do
 * nothing, so a gradient function builds all it needs and looks at the error once. Plain value;
 * borrows the graph.
 */
typedef struct _SluiceBuilder SluiceBuilder;
struct _SluiceBuilder
{
  SluiceGraph *graph;
  const char *scope;  /* (nullable): "gradients/fc1": prefix of names, which are made unique */
  const char *device; /* (nullable) */
  SluiceNode *const *control_inputs; /* of every node made */
  guint n_control_inputs;
  SluiceNode *colocate_with; /* (nullable): nodes made get _class = ["loc:@NAME"] */
  GError *error;             /* the first one */
};

void sluice_builder_init (SluiceBuilder *self, SluiceGraph *graph, const char *scope);
/* Hands the sticky error over; TRUE where there was none. */
gboolean sluice_builder_finish (SluiceBuilder *self, GError **error);

/**
 * sluice_builder_add:
 * @name: (nullable): within the scope; %NULL: the op's name
 *
 * Returns: output 0 of the new node, SLUICE_NO_EDGE after an error
 */
SluiceEdge sluice_builder_add (SluiceBuilder *self,
                               const char *op,
                               const char *name,
                               const SluiceEdge *inputs,
                               guint n_inputs,
                               const SluiceAttr *attrs,
                               guint n_attrs);

#define SLUICE_COUNT_(type, ...) (sizeof ((type[]){ __VA_ARGS__ }) / sizeof (type))
/* sluice_op (b, "Mul", x, y) and sluice_op_with (b, "MatMul", SLUICE_ATTRS (sluice_attr_bool (…)),
 * x, y) */
#define sluice_op(b, op, ...)                                                                      \
  sluice_builder_add ((b), (op), NULL, (SluiceEdge[]){ __VA_ARGS__ },                              \
                      SLUICE_COUNT_ (SluiceEdge, __VA_ARGS__), NULL, 0)
#define SLUICE_ATTRS(...) (SluiceAttr[]){ __VA_ARGS__ }, SLUICE_COUNT_ (SluiceAttr, __VA_ARGS__)
#define sluice_op_with(b, op, attrs_and_n, ...)                                                    \
  sluice_op_with_ ((b), (op), attrs_and_n, (SluiceEdge[]){ __VA_ARGS__ },                          \
                   SLUICE_COUNT_ (SluiceEdge, __VA_ARGS__))
static inline SluiceEdge
sluice_op_with_ (SluiceBuilder *b,
                 const char *op,
                 const SluiceAttr *attrs,
                 guint n_attrs,
                 const SluiceEdge *inputs,
                 guint n_inputs)
{
  return sluice_builder_add (b, op, NULL, inputs, n_inputs, attrs, n_attrs);
}

/* A Const node. take: the builder owns the tensor. */
SluiceEdge sluice_builder_const (SluiceBuilder *self, SluiceTensor *take);
SluiceEdge sluice_builder_const_int32 (SluiceBuilder *self, gint32 value);
SluiceEdge
sluice_builder_const_ints (SluiceBuilder *self, SluiceDType dtype, const gint64 *values, guint n);
/* A scalar constant of any numeric dtype. */
SluiceEdge sluice_builder_const_number (SluiceBuilder *self, SluiceDType dtype, double value);

/* Another output of the same node. */
static inline SluiceEdge
sluice_edge_port (SluiceEdge edge, int port)
{
  return (SluiceEdge){ edge.node, port };
}

SLUICE_PUBLIC_END
