/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/cost/workload.h"

/* What a workload is drawn by; chances are of a hundred. Times and bytes are whole numbers, so that
 * sums are exact. */
typedef struct
{
  guint n_nodes, n_devices;
  guint most_reads;     /* of a node */
  guint before_chance;  /* of a node: waits for another */
  guint group_chance;   /* of a node: stands with another */
  guint missing_chance; /* of a node and a device: cannot stand there */
  guint gap_chance;     /* of a direction of a link: there is none */
  double memory;        /* of each device, of all bytes that there are; 0: no limit */
} WorkloadKind;

/* Of devices and links. (transfer full) */
SluiceMachine *draw_machine (GRand *lot, const WorkloadKind *kind);
/* (transfer full) */
SluiceWorkload *draw_workload (GRand *lot, const WorkloadKind *kind, SluiceMachine *machine);
/* Devices that no node and no group forbids. FALSE: a group has none */
gboolean draw_devices (GRand *lot, const SluiceWorkload *workload, guint *devices);

/* a makes 100 bytes for b and c, which stand apart; b and c for d, which also waits for a. Of two
 * devices, as fast as each other. (transfer full) */
SluiceWorkload *make_diamond (const SluiceMachine *machine);
