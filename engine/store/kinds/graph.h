/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/kinds/bytes.h"

/* The tag of the graph that a run was started with. */
#define SLUICE_RUN_GRAPH_TAG "__run_graph__"

/* A graph as it was recorded: GraphDef bytes. (transfer full): takes a reference of bytes. */
SluiceBytesRecord *sluice_graph_record_new (gint64 step, double wall, GBytes *bytes);
