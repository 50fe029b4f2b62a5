/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/text.h"
#include "ui/timeline/lanes-draw.h"

/* For lanes-draw*.c only. */

#define SLUICE_LANES_HUES 64

typedef struct
{
  const SluiceLanesPicture *picture;
  cairo_t *cr;
  const SluiceTheme *theme;
  SluiceText text;
  /* By scope, of gradients behind those: to find one takes longer than to draw a small bar. */
  SluiceColor colors[2 * SLUICE_LANES_HUES];
  gboolean has_color[2 * SLUICE_LANES_HUES];
} SluiceLanesDrawing;

/* From the top of the widget. */
double sluice_lanes_row_top (const SluiceLanesPicture *self, const SluiceLanesRow *row);

/* lanes-draw-bars.c */
void sluice_lanes_draw_row (SluiceLanesDrawing *d, const SluiceLanesRow *row);

/* lanes-draw-over.c: what stands over the bars. */
void sluice_lanes_draw_notes (SluiceLanesDrawing *d);
void sluice_lanes_draw_over (SluiceLanesDrawing *d);
