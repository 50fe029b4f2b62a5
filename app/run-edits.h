/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/window.h"

/*
 * A run that is paused or has stopped within a step goes on with the graph as it was edited in the
 * window meanwhile (engine/train/run-edit.h).
 *
 * Actions: win.clip (edge, by norm, least, most), win.undo-run-edit.
 */
typedef struct _SluiceRunEdits SluiceRunEdits; /* what a window knows of it */
void sluice_run_edits_free (SluiceRunEdits *self);

void sluice_run_edits_add (SluiceWindow *window);
/* The controller's state or the graph is another one. */
void sluice_run_edits_update (SluiceWindow *window);

/* Was the graph edited since the run under way began or went on, and is it paused or stopped? */
gboolean sluice_run_edits_are_there (SluiceWindow *window);
/* Lets it go on with them. FALSE: they are not there. */
gboolean sluice_run_edits_go_on (SluiceWindow *window);
