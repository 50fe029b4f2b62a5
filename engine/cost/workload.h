/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/machine.h"

/*
 * What is to be placed and when, in numbers alone: policies and the simulator know nothing of ops
 * and graphs. passes/workload-of-graph.h makes it of a graph; tests draw it by lot.
 *
 * Rules, which simulator, policies and the tests' checker share:
 * - a device runs one node at a time; a link carries one value at a time in each direction; links
 *   and devices work beside each other;
 * - a node begins when what it reads is on its device, and after the nodes that it waits for: from
 *   one on another device it learns that by a transfer of no bytes;
 * - a value travels once to each device that needs it, from the device that made it;
 * - it is held on its device from the start of the node that makes it, a copy from the start of its
 *   transfer, to the end of its last reader or transfer there, its maker's at least. The sum never
 *   passes the device's memory.
 */
typedef struct
{
  const char *name;              /* lives as long as the workload */
  guint first_read, n_reads;     /* in reads: outputs, each once */
  guint first_before, n_befores; /* in befores: nodes, all earlier in the order */
  guint first_output, n_outputs;
  guint group; /* nodes of a group stand on one device */
} SluiceWorkloadNode;

typedef struct
{
  guint node;
  double bytes;
} SluiceWorkloadOutput;

typedef struct
{
  SluiceWorkloadNode *nodes; /* whoever reads or waits comes later */
  guint n_nodes;
  guint n_groups;
  SluiceWorkloadOutput *outputs;
  guint n_outputs;
  guint *reads, *befores;
  guint n_reads, n_befores;
  /* Time of a node on a device: [node * n_devices + device], in microseconds; INFINITY: it can not
   * stand there. */
  double *us;
  const SluiceMachine *machine; /* borrowed */
  GStringChunk *texts;
} SluiceWorkload;

SluiceWorkload *sluice_workload_new (const SluiceMachine *machine);
void sluice_workload_free (SluiceWorkload *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceWorkload, sluice_workload_free)

/*
 * What nodes need: what they read, and behind it what they wait for. A value is an output, by
 * number, or, behind all of them, the end of a node.
 */
static inline guint
sluice_workload_get_n_needs (const SluiceWorkload *self, guint node)
{
  return self->nodes[node].n_reads + self->nodes[node].n_befores;
}

static inline guint
sluice_workload_get_n_values (const SluiceWorkload *self)
{
  return self->n_outputs + self->n_nodes;
}

/* The value that a node needs, and who makes it. */
static inline guint
sluice_workload_get_need (const SluiceWorkload *self, guint node, guint i, guint *maker)
{
  const SluiceWorkloadNode *at = &self->nodes[node];
  if (i < at->n_reads)
    {
      guint output = self->reads[at->first_read + i];
      *maker = self->outputs[output].node;
      return output;
    }
  *maker = self->befores[at->first_before + i - at->n_reads];
  return self->n_outputs + *maker;
}

static inline double
sluice_workload_get_bytes (const SluiceWorkload *self, guint value)
{
  return value < self->n_outputs ? self->outputs[value].bytes : 0;
}

/* For who fills one: adds to a list of reads or befores what is not there from first on. Returns:
 * how many it has added */
guint sluice_workload_add_once (GArray *list, guint first, guint value);

/* Who needs each value: those of value i are readers[first[i]] to before readers[first[i + 1]].
 * Both are the caller's. */
void sluice_workload_index_readers (const SluiceWorkload *self, guint **first, guint **readers);

static inline double
sluice_workload_get_us (const SluiceWorkload *self, guint node, guint device)
{
  return self->us[node * self->machine->n_devices + device];
}
