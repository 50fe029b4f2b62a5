/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/graph-workload.h"

/* What `sluice place` says of a policy's choice. */
typedef struct
{
  SluiceGraph *graph;
  const SluiceMachine *machine;
  const SluiceGraphWorkload *workload;
  const SluiceChoice *choice;
  const SluicePlacements *placements; /* of the graph by that choice */
} CliPlaceChoice;

/* One object: see Verb.json of verb-place.c. */
void sluice_cli_print_choice_json (const CliPlaceChoice *self);
/* For people: how long, a line a device, and what one device would take. */
void sluice_cli_print_choice (const CliPlaceChoice *self);
