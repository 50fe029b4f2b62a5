/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/* A node whose op may touch files. */
typedef struct
{
  char *name; /* of the node; of one in a function "FUNCTION/NAME" */
  const char *op;
  gboolean writes;
} SluiceFileOp;

/* Of a graph and the functions it came with, in order of definition. Returns: (transfer full)
 * (element-type SluiceFileOp) */
GArray *sluice_graph_dup_file_ops (SluiceGraph *self);

/* One sentence that names the first few; NULL: there is none. (transfer full) */
char *sluice_graph_describe_file_ops (SluiceGraph *self);
