/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/work.h"

/**
 * sluice_find_frames:
 * @order: all nodes, a topological order
 *
 * Finds the loops and says of every node in which of them it runs: work->frames, node->frame.
 *
 * Returns: %FALSE with INVALID_ARGUMENT naming the node where an Exit or a NextIteration stands in
 * no loop, inputs come from different frames, a loop over several devices has no LoopCond, a fetch
 * lies inside a loop
 */
gboolean sluice_find_frames (SluiceWork *work, const GPtrArray *order, GError **error);

static inline guint
sluice_frame_parent (const SluiceWork *work, guint frame)
{
  return g_array_index (work->frames, SluiceWorkFrame, frame).parent;
}

/* The innermost frame that both lie in. */
guint sluice_frame_common (const SluiceWork *work, guint a, guint b);
