/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * SluiceBarLayout:
 *
 * Children beside each other as in a box, but each has either its natural width or its least one,
 * from the first on as there is room: a button that folds to its icon takes no room for the words
 * that it does not show. Children that expand have their natural width before others unfold, and
 * what is left in the end; a child that is laid out so itself, as much as its own children make use
 * of.
 */
#define SLUICE_TYPE_BAR_LAYOUT (sluice_bar_layout_get_type ())
G_DECLARE_FINAL_TYPE (SluiceBarLayout, sluice_bar_layout, SLUICE, BAR_LAYOUT, GtkLayoutManager)

/** sluice_bar_layout_new: @spacing: pixels between children */
GtkLayoutManager *sluice_bar_layout_new (int spacing);
/** sluice_bar_layout_set_from_end: the last child unfolds first. */
void sluice_bar_layout_set_from_end (SluiceBarLayout *self);

G_END_DECLS
