/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Children in rows and columns of equal cells, as large as there is room for. */
#define SLUICE_TYPE_SQUARE_LAYOUT (sluice_square_layout_get_type ())
G_DECLARE_FINAL_TYPE (
    SluiceSquareLayout, sluice_square_layout, SLUICE, SQUARE_LAYOUT, GtkLayoutManager)

GtkLayoutManager *sluice_square_layout_new (void);

/** sluice_square_layout_choose: (transfer none): how many columns make the cells of @n children
 * largest in @width x @height. */
int sluice_square_layout_choose (int n, int width, int height);

G_END_DECLS
