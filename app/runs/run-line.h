/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/runs/run-cells.h"

/*
 * A row of the table of runs, which draws its cells itself. A widget for each would be styled,
 * measured and drawn whenever its row comes into sight, which is more than a frame has time for.
 * Assistive technology is told of the cells of the rows that stay in sight.
 */
#define SLUICE_TYPE_RUN_LINE (sluice_run_line_get_type ())
G_DECLARE_FINAL_TYPE (SluiceRunLine, sluice_run_line, SLUICE, RUN_LINE, GtkWidget)

/* (transfer full): of rows that draw @cells. */
GtkListItemFactory *sluice_run_line_new_factory (SluiceRunCells *cells);
/* (nullable) (transfer none): what the row is of that has the focus, or has in it what does. */
SluiceRunItem *sluice_run_line_get_item_of (GtkWidget *focus);
/* There is an object for each cell, or none. FALSE: it was so already. */
gboolean sluice_run_line_tell_cells (SluiceRunLine *self, gboolean tells);

/* ---- of all rows ---- */

/* The columns stand elsewhere, or are others. */
void sluice_run_lines_place (SluiceRunCells *cells);
/* The style is another one. */
void sluice_run_lines_renew (SluiceRunCells *cells);
/* Of all curves. */
void
sluice_run_lines_set_scale (SluiceRunCells *cells, double least, double greatest, double last_step);
