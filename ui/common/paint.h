/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/geometry.h"
#include "ui/common/theme.h"

#include <cairo.h>

G_BEGIN_DECLS

/** sluice_cairo_set_color: makes @color the source of @cr. */
void sluice_cairo_set_color (cairo_t *cr, SluiceColor color);

/** sluice_cairo_rounded_rect: adds a rounded rectangle to the path of @cr. */
void sluice_cairo_rounded_rect (cairo_t *cr, const SluiceRect *rect, double radius);

/** sluice_cairo_draw_card: the ground and border of a card at the origin. */
void sluice_cairo_draw_card (cairo_t *cr, double width, double height, const SluiceTheme *theme);

/** sluice_cairo_get_scale: device pixels per user unit, within reason. */
double sluice_cairo_get_scale (cairo_t *cr);

G_END_DECLS
