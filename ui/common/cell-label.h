/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * SluiceCellLabel:
 *
 * One line of words in a cell of a long table, and fainter ones behind it. Its size does not depend
 * on them: other words are only drawn, where a GtkLabel's would have the whole table measured. What
 * it says stands in the accessible name of its cell, not here.
 */
#define SLUICE_TYPE_CELL_LABEL (sluice_cell_label_get_type ())
G_DECLARE_FINAL_TYPE (SluiceCellLabel, sluice_cell_label, SLUICE, CELL_LABEL, GtkWidget)

#define SLUICE_CELL_DETAIL_SIZE 0.82 /* of what stands behind the words, where theirs is 1 */

/**
 * sluice_cell_label_new: (transfer floating)
 * @at_end: it stands at the end of its room: a number, whose figures are of one width
 * @ellipsize: where the words are shortened; PANGO_ELLIPSIZE_NONE: what stands behind them is
 */
GtkWidget *sluice_cell_label_new (gboolean at_end, PangoEllipsizeMode ellipsize);
/** sluice_cell_label_set: @detail: (nullable): smaller and fainter, behind the words */
void sluice_cell_label_set (SluiceCellLabel *self, const char *words, const char *detail);

G_END_DECLS
