/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/text.h"
#include "ui/timeline/memory-draw.h"

/* For memory-*.c only. */

typedef struct
{
  const SluiceMemoryPicture *picture;
  cairo_t *cr;
  const SluiceTheme *theme;
  SluiceText text;
} SluiceMemoryDrawing;

double sluice_memory_get_head (const SluiceMemoryPicture *self);
double sluice_memory_get_foot (const SluiceMemoryPicture *self);
double sluice_memory_x_of_column (const SluiceMemoryPicture *self, guint column);
double sluice_memory_y_of (const SluiceMemoryPicture *self, double bytes);
/* Diagonal lines over what is clipped. */
void sluice_memory_hatch (cairo_t *cr, const SluiceRect *rect, SluiceColor color);

/* memory-draw-bands.c */
void sluice_memory_draw_bands (SluiceMemoryDrawing *d);
/* memory-draw-over.c: what ran, and what stands over the bands. */
void sluice_memory_draw_runs (SluiceMemoryDrawing *d);
void sluice_memory_draw_limit (SluiceMemoryDrawing *d);
void sluice_memory_draw_pool (SluiceMemoryDrawing *d);
void sluice_memory_draw_peak (SluiceMemoryDrawing *d);
void sluice_memory_draw_card (SluiceMemoryDrawing *d);
