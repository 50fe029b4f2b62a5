/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/page.h"

/* The page of all runs of the workspace as a table: what each was begun with, how it came out, what
 * people say of it. */
#define SLUICE_TYPE_RUNS_PAGE (sluice_runs_page_get_type ())
G_DECLARE_FINAL_TYPE (SluiceRunsPage, sluice_runs_page, SLUICE, RUNS_PAGE, GtkWidget)
