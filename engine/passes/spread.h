/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/**
 * sluice_spread_nodes:
 * @first: index of the first node to be given a device; those before it keep theirs
 * @seed: of the lot; 0: the graph stays as it is
 * @devices: (array length=n_devices): "CPU:0", "SIM:1"
 *
 * Gives nodes one of the devices each, by lot, whether or not it has a kernel there. Those that a
 * shared name, `_class`, a reference or a resource ties together get the same one. Calls are
 * written out before, so that bodies are spread too. Nodes that ask for devices that are not there,
 * or for several at once, keep what they ask for: that is what they test.
 */
void sluice_spread_nodes (
    SluiceGraph *graph, guint first, guint64 seed, const char *const *devices, guint n_devices);

/**
 * sluice_put_nodes:
 * @type: "CPU"
 *
 * The same, with all on one device that have kernels there, and none tied to them that has not.
 */
void sluice_put_nodes (SluiceGraph *graph, guint first, const char *type, guint device);

/* "CPU:0" … of so many. (transfer full) */
char **sluice_list_cpus (guint n);
