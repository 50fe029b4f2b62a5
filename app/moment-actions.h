/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/window.h"

/* win.show-moment (sx): a run by its name, and a step: what was kept of the steps around it is
 * shown by the page that can (SluicePageInterface.show_moment); where none can, what it was is
 * said. */
#define SLUICE_MOMENT_ACTION "show-moment"
void sluice_moment_actions_add (SluiceWindow *window);
