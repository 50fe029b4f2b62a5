/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * SluiceModeBar:
 *
 * One of a few ways to show a thing: a button each where there is room, or else one that opens the
 * same as a menu and has the word of the mode that is on.
 */
#define SLUICE_TYPE_MODE_BAR (sluice_mode_bar_get_type ())
G_DECLARE_FINAL_TYPE (SluiceModeBar, sluice_mode_bar, SLUICE, MODE_BAR, GtkWidget)

typedef struct
{
  const char *name; /* the action's target, a string */
  const char *word; /* translated by who shows it: N_() */
} SluiceMode;

/**
 * sluice_mode_bar_new_over:
 * @row: buttons that know themselves what they do
 * @menu: has the same
 */
GtkWidget *sluice_mode_bar_new_over (GtkWidget *row, GMenuModel *menu);
/** sluice_mode_bar_set_word: what the one button says. */
void sluice_mode_bar_set_word (SluiceModeBar *self, const char *word);

/** sluice_mode_bar_new: @action: whose state is a mode's name. */
GtkWidget *sluice_mode_bar_new (const char *action, const SluiceMode *modes, guint n_modes);

G_END_DECLS
