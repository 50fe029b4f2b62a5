/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/graph/graph.h"

/* Adds to `to` every node of `from` whose name it has not; inputs are found by name. */
gboolean sluice_copy_new_nodes (SluiceGraph *to, SluiceGraph *from, GError **error);
