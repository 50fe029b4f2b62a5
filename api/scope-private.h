/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "api/flow.h"
#include "engine/graph/builder.h"

/* A branch or a loop, while nodes go into it. Counted, by its scopes. */
typedef struct _Flow Flow;

struct _SluiceScope
{
  SluiceGraph *graph;
  char *prefix; /* "": none */
  char *device; /* (nullable) */
  GPtrArray *control_inputs;
  SluiceNode *colocate_with; /* (nullable) */
  Flow *flow;                /* (nullable): outside of all */
};

/* A copy that may still be changed. */
SluiceScope *sluice_scope_copy (SluiceScope *self);
/* Adds nodes with what the scope says, but for the control inputs of nodes within a flow, which
 * sluice_flow_settle() gives those that need them. */
SluiceBuilder sluice_scope_builder (SluiceScope *self);
/* A scope below that nobody else's nodes have names in, numbered where they do. first: the name of
 * the first node that will be made in it. */
SluiceScope *sluice_scope_new_below (SluiceScope *self, const char *name, const char *first);
/* sluice_scope_add() with what it reads from text. name: (nullable) */
SluiceEdge sluice_scope_add_edge (SluiceScope *self,
                                  const char *op,
                                  const char *name,
                                  const SluiceEdge *inputs,
                                  guint n_inputs,
                                  const SluiceAttr *attrs,
                                  guint n_attrs,
                                  GError **error);
/* "node:1"; "" for no edge. (transfer full) */
char *sluice_api_edge_name (SluiceEdge edge);

Flow *sluice_flow_ref (Flow *self);
void sluice_flow_unref (Flow *self);

/* What runs exactly where what is within does. self: (nullable) */
SluiceNode *sluice_flow_get_pivot (Flow *self);
/* The edge as it is seen within: through Switch or Enter nodes where it comes from outside. self:
 * (nullable). Errors stick to b. */
SluiceEdge sluice_flow_import (Flow *self, SluiceBuilder *b, SluiceEdge edge);
/* What within runs once a node has run. */
SluiceNode *sluice_flow_import_control (Flow *self, SluiceBuilder *b, SluiceNode *node);
/* Nodes made since there were n_before are within: those that nothing else would hold back wait for
 * the branch, or the iteration. self: (nullable) */
void sluice_flow_settle (Flow *self, SluiceGraph *graph, guint n_before);
