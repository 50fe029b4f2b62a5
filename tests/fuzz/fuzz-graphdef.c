/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Fuzzes the reader of graph files, from seeds in binary GraphDef form. */
#include "tests/fuzz/fuzz-graph.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  return fuzz_graph (data, size);
}

GPtrArray *
fuzz_seeds (void)
{
  return fuzz_graph_seeds (FALSE);
}
