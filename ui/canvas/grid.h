/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* A static spatial index: rectangles in cells of a grid. */
#pragma once

#include "ui/common/geometry.h"

G_BEGIN_DECLS

typedef struct _SluiceGrid SluiceGrid;

/* Keeps a copy of the @n rectangles. */
SluiceGrid *sluice_grid_new (const SluiceRect *rects, guint n);
void sluice_grid_free (SluiceGrid *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceGrid, sluice_grid_free)

/* Indices of the rectangles that touch @area and are so wide or high at @least, ascending, appended
 * to @result (guint). */
void
sluice_grid_query (const SluiceGrid *self, const SluiceRect *area, double least, GArray *result);

G_END_DECLS
