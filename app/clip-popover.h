/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/edge-popover.h"
#include "engine/runtime/debug/debugger.h"

/* Where a stopped node makes what is not finite: puts a clip on an edge that it reads (win.clip).
 */
#define SLUICE_TYPE_CLIP_POPOVER (sluice_clip_popover_get_type ())
G_DECLARE_FINAL_TYPE (
    SluiceClipPopover, sluice_clip_popover, SLUICE, CLIP_POPOVER, SluiceEdgePopover)

/* Offers the inputs of the stop that are floats, the largest one first. FALSE: there is none. */
gboolean sluice_clip_popover_set_stop (SluiceClipPopover *self, const SluiceStop *stop);
