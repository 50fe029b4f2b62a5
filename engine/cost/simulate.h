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

/* Puts transfers into their order. */
void sluice_simulation_sort (SluiceSimulation *self);
/* Which transfers, by number, carry each value: as sluice_workload_index_readers(). */
void sluice_simulation_index_transfers (const SluiceSimulation *self,
                                        const SluiceWorkload *workload,
                                        guint **first,
                                        guint **transfers);
void sluice_simulation_free (SluiceSimulation *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceSimulation, sluice_simulation_free)

/* What one workload is simulated with again and again: nothing is allocated by a run. */
typedef struct _SluiceSimulator SluiceSimulator;

SluiceSimulator *sluice_simulator_new (const SluiceWorkload *workload);
void sluice_simulator_free (SluiceSimulator *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceSimulator, sluice_simulator_free)

/**
 * sluice_simulator_run:
 * @devices: (array length=n_nodes): where each node stands
 * @ranks: (nullable) (array length=n_nodes): of what is ready on a device the lowest goes first, of
 *   what is ready for a link that with the lowest reader; %NULL: by how long the longest way from
 * it to the end takes
 * @error: (nullable): %NULL costs no time either
 *
 * What is ready begins as soon as its device or link is free; where the first does not fit into the
 * memory, the next that does.
 *
 * Returns: how long the step takes; INFINITY: RESOURCE_EXHAUSTED where a memory is too small in
 * this order, which names device, node and what would do; FAILED_PRECONDITION where a node cannot
 * stand there or a link is missing
 */
double sluice_simulator_run (SluiceSimulator *self,
                             const guint *devices,
                             const double *ranks,
                             GError **error);
/* The last run's, which ended well. (transfer full) */
SluiceSimulation *sluice_simulator_dup_simulation (const SluiceSimulator *self);
const SluiceWorkload *sluice_simulator_get_workload (const SluiceSimulator *self);
/* Did the last run end because a memory was too small? */
gboolean sluice_simulator_is_full (const SluiceSimulator *self);
/* The last run's, by device: what it has held at most until it ended, well or not. */
const double *sluice_simulator_get_peaks (const SluiceSimulator *self);
/* TRUE: runs from now on count what is held, but nothing is too much. */
void sluice_simulator_set_unlimited (SluiceSimulator *self, gboolean is_unlimited);

/* Once: a schedule that keeps workload.h's rules. (transfer full) (nullable): as
 * sluice_simulator_run */
SluiceSimulation *sluice_simulate (const SluiceWorkload *workload,
                                   const guint *devices,
                                   const double *ranks,
                                   GError **error);
