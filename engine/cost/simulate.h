/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/workload.h"

/* When everything runs: what the simulator says, in microseconds from the start of the step. */
typedef struct
{
  double start_us, end_us;
} SluiceSimulatedSpan;

typedef struct
{
  guint node;   /* that made the value, or is waited for */
  guint output; /* number in the workload; G_MAXUINT: no value, only that the node has ended */
  guint from, to;
  double start_us, end_us;
  double bytes;
} SluiceSimulatedTransfer;

typedef struct
{
  guint n_nodes;
  guint *devices;             /* by node */
  SluiceSimulatedSpan *spans; /* by node */
  GArray *transfers;          /* of SluiceSimulatedTransfer, by start */
  double *peak_bytes;         /* by device */
  double us;                  /* of the whole step */
} SluiceSimulation;

void sluice_simulation_free (SluiceSimulation *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceSimulation, sluice_simulation_free)

/**
 * sluice_simulate:
 * @devices: (array length=n_nodes): where each node stands
 * @ranks: (nullable): of what is ready on a device the lowest goes first; %NULL: by how long the
 *   longest way from it to the end takes
 *
 * Returns: (transfer full) (nullable): a schedule that keeps workload.h's rules. RESOURCE_EXHAUSTED
 * where a memory is too small in this order, which names device, node and what would do;
 * FAILED_PRECONDITION where a node cannot stand there or a link is missing
 */
SluiceSimulation *sluice_simulate (const SluiceWorkload *workload,
                                   const guint *devices,
                                   const double *ranks,
                                   GError **error);
