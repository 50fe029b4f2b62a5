/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <adwaita.h>

#include "app/page.h"

/* A new run, or a sweep of them, before it is begun: its settings, what is known of it before, and
 * the queue. Pushed on the page of the runs. */
#define SLUICE_TYPE_LAUNCH_PAGE (sluice_launch_page_get_type ())
G_DECLARE_FINAL_TYPE (SluiceLaunchPage, sluice_launch_page, SLUICE, LAUNCH_PAGE, GtkWidget)

/* The form gets the focus, and reads the project if it has changed. */
void sluice_launch_page_begin (SluiceLaunchPage *self);
/* The same, to begin where a run stood at a step. */
void sluice_launch_page_fork (SluiceLaunchPage *self, gint64 run, gint64 step);
/* The same with what was left unfinished, as a run of state draft. */
void sluice_launch_page_resume (SluiceLaunchPage *self, gint64 draft);
