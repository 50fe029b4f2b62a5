/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

/*
 * The steps that images have, and the one that all their cards show: their sliders share an
 * adjustment. It stays at the newest until somebody moves it away.
 * Signal: step-changed (gint64 step), when what it stands at is another one.
 */
#define SLUICE_TYPE_IMAGE_STEPS (sluice_image_steps_get_type ())
G_DECLARE_FINAL_TYPE (SluiceImageSteps, sluice_image_steps, SLUICE, IMAGE_STEPS, GObject)

SluiceImageSteps *sluice_image_steps_new (void);
/* Takes @steps, of gint64 in any order, some more than once. */
void sluice_image_steps_take (SluiceImageSteps *self, GArray *steps);
/* As of a page: SluicePageInterface. */
void sluice_image_steps_keep (SluiceImageSteps *self, GKeyFile *state, gboolean saves);
/* Where it stands; G_MAXINT64 at the newest. */
gint64 sluice_image_steps_get_step (SluiceImageSteps *self);
/* Over the steps by their number. */
GtkAdjustment *sluice_image_steps_get_adjustment (SluiceImageSteps *self);
