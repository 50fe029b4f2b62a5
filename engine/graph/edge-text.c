/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/edge-text.h"

char *
sluice_edge_to_text (SluiceEdge edge)
{
  return edge.node == NULL ? NULL
         : edge.port == 0  ? g_strdup (edge.node->name)
                           : g_strdup_printf ("%s:%d", edge.node->name, edge.port);
}
