/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/window.h"

/* What the window can do with runs, as its actions: start and step (which go on with a selected run
 * that was stopped, and else begin one), new-run (the page that asks
 * for settings), fork-run (the same, from a run and a step), start-run (name or "",
 * KEY=VALUE that are otherwise than the project's), pause, stop, resume-run (of the selected run,
 * or else of that in front), toggle-run, solo-run, isolate-run, show-all-runs, show-project-runs,
 * resume-from (which asks from where, by resume-step and
 * resume-accept), resume-run-from (name, step or -1, accept changed data), accept-changed-data,
 * delete-run, restore-run, reindex-runs. */
void sluice_run_actions_add (SluiceWindow *window);
/* (transfer full): what start would do now. */
char *sluice_run_actions_dup_start_text (SluiceWindow *window);
/* (transfer full): what step would do now. */
char *sluice_run_actions_dup_step_text (SluiceWindow *window);
/* Enables those that may be used now, of debug-actions.h, too. */
void sluice_run_actions_update (SluiceWindow *window);
