/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

/*
 * A slider over steps, hidden while there are none. It stays at the newest until somebody moves it
 * away. Signal: step-changed (gint64 step), when what it stands at is another one.
 */
#define SLUICE_TYPE_STEP_BAR (sluice_step_bar_get_type ())
G_DECLARE_FINAL_TYPE (SluiceStepBar, sluice_step_bar, SLUICE, STEP_BAR, GtkBox)

/* Takes @steps, of gint64 in any order, some more than once. */
void sluice_step_bar_take_steps (SluiceStepBar *self, GArray *steps);
/* As of a page: SluicePageInterface. */
void sluice_step_bar_keep (SluiceStepBar *self, GKeyFile *state, gboolean saves);
/* Where it stands; G_MAXINT64 at the newest. */
gint64 sluice_step_bar_get_step (SluiceStepBar *self);
