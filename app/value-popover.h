/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/edge-popover.h"
#include "engine/runtime/debug/debugger.h"

/* Changes a value of a stopped node: an input before it has run, an output behind it (win.put,
 * win.unput). */
#define SLUICE_TYPE_VALUE_POPOVER (sluice_value_popover_get_type ())
G_DECLARE_FINAL_TYPE (
    SluiceValuePopover, sluice_value_popover, SLUICE, VALUE_POPOVER, SluiceEdgePopover)

/* Offers what can be changed. FALSE: nothing can. */
gboolean sluice_value_popover_set_stop (SluiceValuePopover *self, const SluiceStop *stop);
