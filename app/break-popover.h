/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/edge-popover.h"
#include "engine/runtime/debug/breakpoint.h"

/* The breakpoint of one place: its condition is made, changed, or it is removed
 * (win.set-breakpoint). */
#define SLUICE_TYPE_BREAK_POPOVER (sluice_break_popover_get_type ())
G_DECLARE_FINAL_TYPE (
    SluiceBreakPopover, sluice_break_popover, SLUICE, BREAK_POPOVER, SluiceEdgePopover)

SluiceBreakPopover *sluice_break_popover_new (void);
/* text: (nullable): the one that is set there. note: (nullable): what a run makes of it */
void sluice_break_popover_set_place (SluiceBreakPopover *self,
                                     const char *place,
                                     const char *text,
                                     const char *note);
