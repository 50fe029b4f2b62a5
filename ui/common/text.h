/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/theme.h"

#include <cairo.h>
#include <pango/pangocairo.h>

G_BEGIN_DECLS

/* Sizes of type, in user units (pixels at scale 1). */
#define SLUICE_TEXT_TITLE 13.5
#define SLUICE_TEXT_BODY  12.5
#define SLUICE_TEXT_LABEL 11.0

/* Where the point that text is drawn at lies in it. */
typedef enum
{
  SLUICE_ANCHOR_START,
  SLUICE_ANCHOR_MIDDLE,
  SLUICE_ANCHOR_END,
} SluiceAnchor;

/* Draws short texts with one layout; lives as long as one drawing. */
typedef struct
{
  cairo_t *cr;
  PangoLayout *layout;
  const char *family;
  gboolean mirrored;
} SluiceText;

void sluice_text_begin (SluiceText *text, cairo_t *cr, const SluiceTheme *theme);
/** sluice_text_begin_mirrored: turns @cr, of which @width is drawn on, so that what is at its start
 * comes to stand at the right; words stay readable. The caller saved it. */
void
sluice_text_begin_mirrored (SluiceText *text, cairo_t *cr, const SluiceTheme *theme, double width);
void sluice_text_end (SluiceText *text);

/**
 * sluice_text_set:
 * @string: what is measured or drawn next
 * @size: in user units
 * @bold: semi-bold
 * @max_width: ellipsised beyond it; 0 for no limit
 */
void sluice_text_set (
    SluiceText *text, const char *string, double size, gboolean bold, double max_width);

/** sluice_text_measure: size of what was set last. */
void sluice_text_measure (SluiceText *text, double *width, double *height);

/** sluice_text_draw: draws it with its vertical middle at @y, its @anchor at @x. */
void
sluice_text_draw (SluiceText *text, double x, double y, SluiceAnchor anchor, SluiceColor color);

G_END_DECLS
