/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/* "NODE", or "NODE:1", as GraphDef writes an edge. (transfer full) (nullable): it is none */
char *sluice_edge_to_text (SluiceEdge edge);
