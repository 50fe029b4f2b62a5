/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/trace/trace-view.h"

G_BEGIN_DECLS

/**
 * SluiceStepBars:
 *
 * The last steps of a run, one of which is chosen by a click or the arrow keys; a click with Ctrl
 * is for one to compare it with. Signals: chosen, compared (uint64 step), by a person.
 */
#define SLUICE_TYPE_STEP_BARS (sluice_step_bars_get_type ())
G_DECLARE_FINAL_TYPE (SluiceStepBars, sluice_step_bars, SLUICE, STEP_BARS, GtkWidget)

GtkWidget *sluice_step_bars_new (void);

/**
 * sluice_step_bars_set_steps:
 * @steps: (array length=n): copied
 * @chosen: (array length=n): the number of the one that is shown; 0: none
 * @words: (nullable): about it
 */
void sluice_step_bars_set_steps (
    SluiceStepBars *self, const SluiceTraceStep *steps, guint n, guint64 chosen, const char *words);
/* That the chosen one is compared with; 0: none. */
void sluice_step_bars_set_other (SluiceStepBars *self, guint64 step);

G_END_DECLS
