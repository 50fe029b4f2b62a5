/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/window.h"

/* Asks from which of its checkpoints a run is to go on, and whether data may have changed since;
 * then activates "win.resume-run-from" of the window, which forgets what was logged later. */
void sluice_resume_dialog_present (SluiceWindow *window, SluiceStore *store, SluiceRun *run);
