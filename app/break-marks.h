/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/window.h"

/* Breakpoints on both canvases of the graph: where runs stop, where one does not and why, and where
 * one has stopped now. Cheap where nothing is another than it was. */
void sluice_break_marks_update (SluiceWindow *window);
/* The text of the breakpoint at that very place: (nullable) (transfer none). note: (out) (nullable)
 * (transfer full): what the run under way makes of it */
const char *sluice_break_marks_find (SluiceWindow *window, const char *place, char **note);
