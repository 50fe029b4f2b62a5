/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/window.h"

/* Asks how a new run is to differ from what its project says, says which run it would repeat, then
 * activates "win.start-run" of the window. */
void sluice_new_run_dialog_present (SluiceWindow *window, const char *folder);
