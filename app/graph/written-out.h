/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The graph as somebody looks at it: with what its functions do in place of the calls. */
#pragma once

#include "engine/graph/graph.h"

/* (transfer full): @graph itself where it calls no function. What cannot be written out stays a
 * call, with the reason as its error. */
SluiceGraph *sluice_graph_write_out_calls (SluiceGraph *graph);
