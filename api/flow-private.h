/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "api/scope-private.h"

/* A branch or a loop that nodes go into. */

Flow *sluice_flow_ref (Flow *self);
void sluice_flow_unref (Flow *self);

/* What runs exactly where what is within does. self: (nullable) */
SluiceNode *sluice_flow_get_pivot (Flow *self);
/* The edge as it is seen within: through Switch or Enter nodes where it comes from outside. self:
 * (nullable). Errors stick to b. */
SluiceEdge sluice_flow_import (Flow *self, SluiceBuilder *b, SluiceEdge edge);
/* What within runs once a node has run. */
SluiceNode *sluice_flow_import_control (Flow *self, SluiceBuilder *b, SluiceNode *node);
/* Nodes made since there were n_before are within: those that nothing else would hold back wait for
 * the branch, or the iteration. self: (nullable) */
void sluice_flow_settle (Flow *self, SluiceGraph *graph, guint n_before);
