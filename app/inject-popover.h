/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/edge-popover.h"

/* Gives an edge of the run under way another value: one that is written, of a file, or the one that
 * it had in the last step, again and again; or its own again (win.inject-value). */
#define SLUICE_TYPE_INJECT_POPOVER (sluice_inject_popover_get_type ())
G_DECLARE_FINAL_TYPE (
    SluiceInjectPopover, sluice_inject_popover, SLUICE, INJECT_POPOVER, SluiceEdgePopover)

/* @edge: "fc1/Relu:0" */
GtkWidget *sluice_inject_popover_new (const char *edge);
