/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "app/queue-worker.h"

/*
 * Of two runs that differ in several things: which one matters? Proposes the short runs that find
 * out (engine/train/which-matters.h) with what they will take, puts them into the queue when that
 * is pressed, and shows the answer as soon as all have ended, also where they were asked for before
 * the window was opened.
 */
#define SLUICE_TYPE_MATTERS_BOX (sluice_matters_box_get_type ())
G_DECLARE_FINAL_TYPE (SluiceMattersBox, sluice_matters_box, SLUICE, MATTERS_BOX, GtkWidget)

GtkWidget *sluice_matters_box_new (void);
/* Once: whose queue it is. */
void sluice_matters_box_attach (SluiceMattersBox *self,
                                SluiceWorkspace *workspace,
                                SluiceQueueWorker *queue);
/* Copies both. Hides itself where nothing can be tried. */
void sluice_matters_box_show (SluiceMattersBox *self,
                              SluiceStore *store,
                              const SluiceRunInfo *first,
                              const SluiceRunInfo *second);
/* (transfer full): what it says of the runs that it shows. */
char *sluice_matters_box_dup_text (SluiceMattersBox *self);
