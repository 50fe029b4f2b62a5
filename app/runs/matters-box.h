/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "engine/store/store.h"

/*
 * Of two runs that differ in several things: which one matters? Proposes the short runs that find
 * out (engine/train/which-matters.h) with what they will take, begins them when that is pressed,
 * and shows the answer. What was begun goes on, and what was found is kept, while other runs are
 * looked at.
 */
#define SLUICE_TYPE_MATTERS_BOX (sluice_matters_box_get_type ())
G_DECLARE_FINAL_TYPE (SluiceMattersBox, sluice_matters_box, SLUICE, MATTERS_BOX, GtkWidget)

GtkWidget *sluice_matters_box_new (void);
/* Copies both. Hides itself where nothing can be tried. */
void sluice_matters_box_show (SluiceMattersBox *self,
                              SluiceStore *store,
                              const SluiceRunInfo *first,
                              const SluiceRunInfo *second);
/* (transfer full): what it says of the runs that it shows. */
char *sluice_matters_box_dup_text (SluiceMattersBox *self);
