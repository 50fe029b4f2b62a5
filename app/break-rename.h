/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/**
 * sluice_break_rename:
 * @breakpoints: text -> anything, which stays: as sluice_run_controller_get_breakpoints()
 * @graph: with the new names
 * @renamed: a node's name -> the one that it has now
 *
 * Breakpoints go along with their nodes; one of a scope does when nothing is left under its name.
 */
void sluice_break_rename (GHashTable *breakpoints, SluiceGraph *graph, GHashTable *renamed);

/* "fc1/Relu:0" as it is called now. (transfer full) (nullable): NULL: as before */
char *sluice_break_rename_edge (const char *edge, GHashTable *renamed);
