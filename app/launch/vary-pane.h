/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/launch/vary.h"

/* How one setting is varied: values one by one, points of a range, or draws from it. Signal:
 * changed. */
#define SLUICE_TYPE_VARY_PANE (sluice_vary_pane_get_type ())
G_DECLARE_FINAL_TYPE (SluiceVaryPane, sluice_vary_pane, SLUICE, VARY_PANE, GtkBox)

/* title: of the setting; first: (nullable): a value to begin with; default_value: (nullable) */
GtkWidget *sluice_vary_pane_new (const char *title, const char *first, const char *default_value);
/* As sluice_vary_dup_text(); remembers how many draws there are, to show where they fell. */
char *sluice_vary_pane_dup_text (
    SluiceVaryPane *self, const char *key, SluiceProject *scratch, guint64 *count, GError **error);
/* "3 values", "5 points", "2 draws": (transfer full). */
char *sluice_vary_pane_dup_words (SluiceVaryPane *self, guint64 count);
void sluice_vary_pane_focus (SluiceVaryPane *self);

/* All that was typed and chosen, in a group of a file, and back. */
void sluice_vary_pane_save (SluiceVaryPane *self, GKeyFile *file, const char *group);
void sluice_vary_pane_load (SluiceVaryPane *self, GKeyFile *file, const char *group);
