/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <cairo.h>

#include "engine/trace/trace-heat.h"
#include "ui/common/geometry.h"
#include "ui/common/theme.h"

G_BEGIN_DECLS

#define SLUICE_HEAT_ROW  18.0 /* units high */
#define SLUICE_HEAT_NODE G_MAXUINT

/* Nodes by steps: a row a node, those that took longest first; a column a step, under its bar among
 * the steps where there is one. */
typedef struct
{
  const SluiceTraceHeat *heat;
  double x0, x1, width, height;
  double scroll;                  /* units that rows are moved up */
  gboolean by_time;               /* dark is long; else long for that node: by its median */
  guint node, step;               /* places of what is shown elsewhere; SLUICE_HEAT_NODE: none */
  guint cursor_node, cursor_step; /* likewise, of the keyboard */
  gboolean mirrored;              /* the first step stands at the right */
} SluiceHeatPicture;

/* How hot it is, 0 to 1: by time of the longest of all; or by the node's median, of which what is
 * usual is a quarter, and four times as much is all. */
double
sluice_heat_get_value (const SluiceTraceHeat *heat, guint node, gint64 time, gboolean by_time);
SluiceColor sluice_heat_get_color (double value, const SluiceTheme *theme);

/* Fills pixels of an ARGB32 surface, as large as from x0 to x1 and the height times @scale. Of
 * steps that share one the longest is seen. */
void sluice_heat_paint (const SluiceHeatPicture *self,
                        cairo_surface_t *surface,
                        double scale,
                        const SluiceTheme *theme);
/* All; @cells: so painted */
void sluice_heat_draw (const SluiceHeatPicture *self,
                       cairo_surface_t *cells,
                       double scale,
                       cairo_t *cr,
                       const SluiceTheme *theme);

/* FALSE: nothing is there. Of steps that share a pixel the one in which the node took longest. */
gboolean
sluice_heat_pick (const SluiceHeatPicture *self, double x, double y, guint *node, guint *step);
/* Where it is; it may be out of what is seen. */
SluiceRect sluice_heat_get_rect (const SluiceHeatPicture *self, guint node, guint step);

G_END_DECLS
