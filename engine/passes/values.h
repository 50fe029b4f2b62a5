/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/work.h"

/* What nodes of a work graph leave in memory, fused ones too: for forecast.c and fit-work.c. */

guint sluice_work_count_outputs (const SluiceWorkNode *node);
/* Of the user's graph: whose output that is. port: (out): -1: a control edge from device to device
 */
const SluiceNode *sluice_work_get_output_origin (const SluiceWorkNode *node, guint i, int *port);
/* (nullable): a control edge from device to device */
const SluiceOutput *sluice_work_get_output (const SluiceWorkNode *node, guint i);
/* Does an output lie in memory of its own, that the step itself holds? */
gboolean sluice_work_makes_memory (const SluiceWorkNode *node, guint i);
gboolean sluice_work_is_view (const SluiceWorkNode *node);
/* Hands on what its first input is; a Merge what comes first. */
gboolean sluice_work_hands_on (const SluiceWorkNode *node);
/* FALSE: it has no element-wise kernel. */
gboolean sluice_work_get_strip (const SluiceWork *self, SluiceWorkNode *node, SluiceStrip *strip);
/* Such a kernel writes over an operand that nobody needs any more. */
gboolean sluice_work_is_element_wise (const SluiceWork *self, SluiceWorkNode *node);
/* What lies there all the time for the node: constants, and variables that the signature names. */
double sluice_work_get_held_bytes (const SluiceWorkNode *node);
