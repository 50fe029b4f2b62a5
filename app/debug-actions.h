/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/window.h"

/* toggle-breakpoint (at the selected node or scope), break-non-finite (a switch: at the first node
 * that makes something not finite), and of a run that is stopped debug-step, debug-next, debug-go.
 * Breakpoints hold for the run under way and those begun later here. */
void sluice_debug_actions_add (SluiceWindow *window);
/* Where the run has stopped, if it has: said in a bar, and its node is selected. */
void sluice_debug_actions_update (SluiceWindow *window);
/* What the selected node waits for, there, where the run has stopped at another one. */
void sluice_debug_actions_tell_why (SluiceWindow *window);

gboolean sluice_debug_actions_are_stopped (SluiceWindow *window);
/* A run that is stopped goes on to the next stop. FALSE: none is. */
gboolean sluice_debug_actions_go_on (SluiceWindow *window);
