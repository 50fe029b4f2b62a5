/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/* What runs, but probably not as it was meant: found in the graph alone, before anything ran. */
typedef struct
{
  char *node;
  char *text; /* what it is and what to do, for people */
} SluiceGraphWarning;

/* (transfer full) (element-type SluiceGraphWarning), in the order of the nodes. */
GPtrArray *sluice_graph_find_warnings (SluiceGraph *graph);
