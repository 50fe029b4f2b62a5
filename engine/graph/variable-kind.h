/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/* What a variable is for, by what is done with it, whatever it is called. */
typedef enum
{
  SLUICE_VARIABLE_NONE,    /* the node is no variable */
  SLUICE_VARIABLE_TRAINED, /* an optimizer's op updates it, or its rows; in a graph without one, any
                              of floats that is not only saved */
  SLUICE_VARIABLE_SLOT,    /* such an op's own: momentum, moments */
  SLUICE_VARIABLE_OTHER,   /* counters, moving averages */
  SLUICE_N_VARIABLE_KINDS
} SluiceVariableKind;

/* Has the graph an op that updates a variable by a gradient? Looks at all nodes. */
gboolean sluice_graph_has_optimizer (SluiceGraph *graph);
/* has_optimizer: of its graph. */
SluiceVariableKind
sluice_variable_get_kind (SluiceGraph *graph, const SluiceNode *node, gboolean has_optimizer);
/* Elements that it holds; 0 where that is not known or it is no variable. */
double sluice_variable_get_elements (const SluiceNode *node);
/* "128×10": (transfer full) */
char *sluice_variable_dup_shape (const SluiceNode *node);
