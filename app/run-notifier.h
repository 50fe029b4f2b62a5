/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/window.h"

/**
 * sluice_run_notifier_attach:
 *
 * From now on, as long as the window lives, the desktop is told when a run has finished or failed
 * while another window has the focus, and what alerts of its project say; not where a person
 * stopped it, nor where the setting "notify" is off. What is told has the actions app.show-run,
 * or where it failed app.show-moment, and app.resume-run, and goes when the window is looked at.
 */
void sluice_run_notifier_attach (SluiceWindow *window, GSettings *settings);
