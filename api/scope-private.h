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
