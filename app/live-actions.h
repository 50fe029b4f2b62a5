/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/window.h"

/* set-live (run, "key=value", "key=value that it had"): asks it of the run at work, in whatever
 * program; what came of it is told, with Undo. */
void sluice_live_actions_add (SluiceWindow *window);
/* Is one under way here? inject-value (edge, value or "") asks it of that. */
gboolean sluice_live_actions_have_run (SluiceWindow *window);
