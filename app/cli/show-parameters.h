/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/* `sluice info --parameters`: the variables of a graph by kind and scope, and broadcasts that look
 * like mistakes. Returns the exit status. */
int sluice_cli_show_parameters (SluiceGraph *graph, GError **error);
