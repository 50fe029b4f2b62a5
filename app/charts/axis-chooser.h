/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "ui/chart/series-source.h"

/* What the horizontal axis of all charts is: a button each for steps and times, and one that lists
 * the tags whose values can be the axis. Signal: changed, when somebody has chosen another. */
#define SLUICE_TYPE_AXIS_CHOOSER (sluice_axis_chooser_get_type ())
G_DECLARE_FINAL_TYPE (SluiceAxisChooser, sluice_axis_chooser, SLUICE, AXIS_CHOOSER, GtkBox)

/* @dup_tags: (transfer full) what may be chosen, when the list opens. */
void sluice_axis_chooser_set_tags_func (SluiceAxisChooser *self,
                                        GStrv (*dup_tags) (gpointer data),
                                        gpointer data);

/* @tag: (nullable): whose values are the axis; only with SLUICE_X_SERIES. Tells nobody. */
void sluice_axis_chooser_set (SluiceAxisChooser *self, SluiceXAxis axis, const char *tag);
/* As of a page: SluicePageInterface. Of a tag: what the user prefers of steps and times is a
 * setting. Returns: whether one was taken up */
gboolean sluice_axis_chooser_keep (SluiceAxisChooser *self, GKeyFile *state, gboolean saves);
SluiceXAxis sluice_axis_chooser_get_axis (SluiceAxisChooser *self);
const char *sluice_axis_chooser_get_tag (SluiceAxisChooser *self); /* (nullable) */

/* Opens the list of tags. */
void sluice_axis_chooser_open (SluiceAxisChooser *self);
