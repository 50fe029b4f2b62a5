/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/edit.h"

/* A node's name before -> the one that it has now, of those that are called otherwise. The names
 * are the delta's. (transfer full) */
GHashTable *sluice_break_list_renamed (const SluiceGraphDelta *delta);

/**
 * sluice_break_rename:
 * @breakpoints: text -> anything, which stays: as sluice_run_controller_get_breakpoints()
 * @graph: with the new names
 * @renamed: of sluice_break_list_renamed()
 *
 * Breakpoints go along with their nodes; one of a scope does when nothing is left under its name.
 */
void sluice_break_rename (GHashTable *breakpoints, SluiceGraph *graph, GHashTable *renamed);

/* "fc1/Relu:0" as it is called now. (transfer full) (nullable): NULL: as before */
char *sluice_break_rename_edge (const char *edge, GHashTable *renamed);
