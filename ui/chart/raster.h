/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/color.h"

#include <cairo.h>

G_BEGIN_DECLS

/*
 * A coverage rasteriser for charts. Shapes are added to a mask (overlaps of one curve with itself
 * do not darken), the mask is painted in one colour into an image, and the image becomes a cairo
 * surface. Ten noisy curves cost a millisecond or two; stroking them in cairo costs a second.
 *
 * Coordinates are pixels of the image, y down, pixel (0, 0) spans [0, 1) x [0, 1). Everything is
 * clipped to the image.
 */
typedef struct _SluiceRaster SluiceRaster;

/** sluice_raster_new: (transfer full): a transparent image of @width x @height pixels. What one
 * takes is kept for the next when it is freed: draw and free, do not keep it. */
SluiceRaster *sluice_raster_new (guint width, guint height);
void sluice_raster_free (SluiceRaster *self);

guint sluice_raster_get_width (const SluiceRaster *self);
guint sluice_raster_get_height (const SluiceRaster *self);

/** sluice_raster_clear: makes the image transparent again and the mask empty. */
void sluice_raster_clear (SluiceRaster *self);

/** sluice_raster_segment: a straight stroke of @width with round ends. Not finite: nothing. */
void sluice_raster_segment (
    SluiceRaster *self, double x0, double y0, double x1, double y1, double width);

/** sluice_raster_box: a rectangle; its edges may lie between pixels. */
void sluice_raster_box (SluiceRaster *self, double x0, double y0, double x1, double y1);

/**
 * sluice_raster_trapezoid:
 *
 * What lies between the lines (@x0, @top0)-(@x1, @top1) and (@x0, @bottom0)-(@x1, @bottom1).
 * Neighbours that share an edge leave no seam: coverage of trapezoids adds up.
 */
void sluice_raster_trapezoid (SluiceRaster *self,
                              double x0,
                              double top0,
                              double bottom0,
                              double x1,
                              double top1,
                              double bottom1);

/** sluice_raster_disc: a filled circle. */
void sluice_raster_disc (SluiceRaster *self, double x, double y, double radius);

/** sluice_raster_paint: paints the mask in @color over the image and empties it. */
void sluice_raster_paint (SluiceRaster *self, SluiceColor color);

/* A colour as the image has it: opacity and premultiplied components. */
typedef struct
{
  guint8 parts[4];
} SluiceRasterInk;

SluiceRasterInk sluice_raster_get_ink (SluiceColor color);

/**
 * sluice_raster_stroke:
 *
 * Paints the rows @y0 to @y1 of column @x at once, without the mask: what touches itself there gets
 * darker. For curves that go through a column once, where there are hundreds of them.
 */
void sluice_raster_stroke (SluiceRaster *self, guint x, double y0, double y1, SluiceRasterInk ink);

/** sluice_raster_get_coverage: how far the mask covers a pixel, 0 to 255. For tests. */
guint8 sluice_raster_get_coverage (const SluiceRaster *self, guint x, guint y);

/** sluice_raster_to_surface: writes the image into @surface, ARGB32 of the same size. */
void sluice_raster_to_surface (const SluiceRaster *self, cairo_surface_t *surface);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceRaster, sluice_raster_free)

G_END_DECLS
