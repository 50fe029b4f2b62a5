/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/*
 * What is different between two graphs, in terms of nodes. The order of nodes, of attributes and of
 * control inputs is no difference, and neither is an attribute that has its default here and is
 * left out there.
 */
typedef enum
{
  SLUICE_DIFF_ADDED,
  SLUICE_DIFF_REMOVED,
  SLUICE_DIFF_CHANGED,
  SLUICE_DIFF_RENAMED, /* and perhaps changed, too */
} SluiceDiffKind;
const char *sluice_diff_kind_name (SluiceDiffKind kind); /* "added", translatable with _() */

typedef struct
{
  char *field;     /* "op", "device", "input 0", "control inputs", or an attribute's name */
  char *from, *to; /* (nullable): NULL: there is none */
} SluiceFieldDiff;

typedef struct
{
  SluiceDiffKind kind;
  const SluiceNode *was, *is; /* (nullable): the node in either graph. Both NULL: a function of the
                                 library, by name */
  char *function;             /* (nullable) */
  GArray *fields;             /* of SluiceFieldDiff: of what is changed */
} SluiceNodeDiff;

/**
 * sluice_graph_diff:
 * @from: lives as long as the result, and so does @to
 *
 * Nodes of one name are one node. Of the others those are one that do the same with the same
 * inputs, and then those that a scope renamed so far would call alike, and those of the same kind
 * that one node reads in the same place. An input that changed its name, and nothing but that, is
 * no change of the node that reads it. Time grows with the number of nodes.
 *
 * Returns: (transfer full) (element-type SluiceNodeDiff): in order of @to, and then what was
 * removed
 */
GPtrArray *sluice_graph_diff (SluiceGraph *from, SluiceGraph *to);
