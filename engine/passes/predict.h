/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/run-model.h"
#include "engine/passes/graph-workload.h"

/* How long a step takes on devices that are here, by what was measured of nodes and of all that
 * passes besides (cost/run-model.h). */
typedef struct
{
  double us;         /* from when its first node is ready until the host has the last */
  double plus_minus; /* nine of ten steps lie within: its parts vary by themselves, and predictions
                        of this table were off together */
  double host_us;    /* what its nodes take that threads run, together */
  double queues_us;  /* … that queues do */
} SluicePrediction;

/* devices: by node, numbers of the workload's machine. fetches: of the workload's nodes. measured:
 * as costs has it */
void sluice_graph_workload_predict (const SluiceGraphWorkload *self,
                                    const guint *devices,
                                    const SluiceEdge *fetches,
                                    guint n_fetches,
                                    SluiceCostModel *costs,
                                    SluiceMeasured *measured,
                                    guint n_threads,
                                    SluicePrediction *prediction);
