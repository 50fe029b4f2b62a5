/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Straight (not premultiplied) sRGB, each 0 to 1. */
typedef struct
{
  double r, g, b, a;
} SluiceColor;

/**
 * sluice_color_from_hex:
 * @rgb: 0xRRGGBB
 *
 * Returns: the opaque colour.
 */
SluiceColor sluice_color_from_hex (guint32 rgb);

/** sluice_color_with_alpha: @color at opacity @alpha. */
SluiceColor sluice_color_with_alpha (SluiceColor color, double alpha);

/** sluice_color_mix: from @a (t = 0) to @b (t = 1). */
SluiceColor sluice_color_mix (SluiceColor a, SluiceColor b, double t);

/** sluice_color_contrast: WCAG contrast ratio of two opaque colours, 1 to 21. */
double sluice_color_contrast (SluiceColor a, SluiceColor b);

/**
 * sluice_color_readable:
 * @color: a colour that carries meaning
 * @ground: what it is drawn on
 * @ratio: the contrast it must reach (3 for lines, 4.5 for text)
 *
 * Returns: @color, moved towards black or white no further than @ratio asks.
 */
SluiceColor sluice_color_readable (SluiceColor color, SluiceColor ground, double ratio);

/**
 * sluice_palette_color:
 * @index: the place of a run in its list, from 0
 *
 * Seven named hues, then golden-angle hues of equal lightness: no two indices share a colour.
 */
SluiceColor sluice_palette_color (guint index);

/**
 * sluice_palette_structure:
 * @index: the place of a structure or a device in its list, from 0
 *
 * As sluice_palette_color(), without red, which says failure where structures are drawn, and with
 * brown, which also says variable, as the last named one.
 */
SluiceColor sluice_palette_structure (guint index);

G_END_DECLS
