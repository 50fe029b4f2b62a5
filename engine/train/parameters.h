/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/*
 * What a graph has to learn, counted without running it. White paper 6, lesson 1: "Build tools to
 * gain insight into the exact number of parameters in a given model", by which "operations and
 * variables instantiated incorrectly due to automatic broadcasting in a mathematical operation
 * across a dimension" were found.
 */
typedef enum
{
  SLUICE_PARAMETER_TRAINED, /* an optimizer updates it, or the collection of trainable variables
                               names it */
  SLUICE_PARAMETER_SLOT,    /* an optimizer's own state: so used, or named below another variable */
  SLUICE_PARAMETER_OTHER,
  SLUICE_N_PARAMETER_KINDS
} SluiceParameterKind;

typedef struct
{
  const SluiceNode *node; /* that makes the variable, or its handle */
  SluiceParameterKind kind;
  SluiceDType dtype;
  SluiceShape shape;
  gint64 n_elements; /* -1: the shape is not known */
} SluiceParameter;

/* A node that broadcasts both of its operands, each along a dimension that the other one has: from
 * [n,1] and [n] comes [n,n]. */
typedef struct
{
  const SluiceNode *node;
  const SluiceNode
      *variable;       /* (nullable): an operand, or what gets its initial value from it;
                          NULL: neither, but ranks differ, which nobody writes who means it */
  gboolean is_initial; /* variable is the latter */
} SluiceDoubleBroadcast;

/**
 * sluice_graph_dup_parameters:
 *
 * Nodes that share a variable by its name count once.
 *
 * Returns: (transfer full) (nullable) (element-type SluiceParameter): in order of creation;
 * DATA_LOSS where the collection is damaged
 */
GArray *sluice_graph_dup_parameters (SluiceGraph *self, GError **error);

/* By static shapes: what is not known before a run is not told. (transfer full) (element-type
 * SluiceDoubleBroadcast): in order of creation. */
GArray *sluice_graph_dup_broadcasts (SluiceGraph *self);
