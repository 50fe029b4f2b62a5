/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#pragma once

#include <pango/pangocairo.h>

#include "ui/canvas/draw.h"
#include "ui/common/paint.h"

G_BEGIN_DECLS

typedef enum
{
  TEXT_TITLE,
  TEXT_OP,
  TEXT_NOTE,
  TEXT_LABEL,
  TEXT_GLYPH,
  TEXT_HEADING,
  TEXT_FAR, /* of sluice_draw_far_text(), as is the next: */
  TEXT_FAR_OP,
  N_TEXTS,
} TextStyle;

#define DRAW_SMALL_ZOOM 0.5 /* below: only names are written, where there is room */
#define DRAW_STACK      2   /* cards behind the box of a series */
#define DRAW_STACK_STEP 4.0 /* how far each is up and to the right */
#define DRAW_FAR_SIZE   9.0 /* of sluice_draw_far_text(), pixels of the screen */

typedef enum
{
  ALIGN_CENTRE,
  ALIGN_LEFT,
  ALIGN_RIGHT,
} TextAlign;

struct _SluiceDrawer
{
  GHashTable *layouts; /* char* "style width text" -> PangoLayout: those of the last drawings */
  GHashTable *older_layouts; /* of as many before, where they were not needed since */
  guint n_drawings;
  PangoContext *context;
  GArray
      *hues; /* SluiceColor: sluice_theme_get_hue() by index; what can be read is found by trying */
  SluiceColor hue_ground; /* of the theme that they are of */
  double hue_contrast;
  guint n_boxes; /* of the last drawing */
};

/* One drawing. */
typedef struct
{
  SluiceDrawer *drawer;
  SluiceScene *scene;
  cairo_t *cr;
  const SluiceDrawState *state;
  const SluiceTheme *theme;
  SluiceRect area;              /* visible, in scene coordinates */
  SluiceColorScale color_scale; /* for colour by time and bytes */
} Draw;

/* draw-items.c */
/* A series that is closed: a box with cards behind it. */
gboolean sluice_draw_is_stack (const SluiceGroup *g);
void sluice_draw_frame (Draw *d, guint item);
void sluice_draw_box (Draw *d, guint item);
/* The name of a scope or frame in a size that can be read, where it finds room. */
void sluice_draw_far_title (Draw *d, guint item);
/* @width: in pixels of the screen */
void sluice_draw_ring (Draw *d, guint item, double width);
SluiceColor sluice_draw_item_color (Draw *d, const SluiceSceneItem *item);

/* draw-labels.c */
void sluice_draw_labels (Draw *d, const GArray *edges, const GArray *items);

/* draw.c */
/* The head of an arrow of that width that ends at @tip. */
void sluice_draw_arrow (Draw *d, SluicePoint before, SluicePoint tip, double width);
/* Text on one line within @width from or around (x, y), which is its vertical middle; cut with an
 * ellipsis. It does not get smaller than can be read; below DRAW_SMALL_ZOOM it is left out. */
void sluice_draw_text (Draw *d,
                       TextStyle style,
                       const char *text,
                       double x,
                       double y,
                       double width,
                       TextAlign align,
                       SluiceColor color);
/* The same in DRAW_FAR_SIZE whatever the zoom, cut at the end; @width in pixels of the screen. */
void sluice_draw_far_text (Draw *d,
                           TextStyle style,
                           const char *text,
                           double x,
                           double y,
                           double width,
                           TextAlign align,
                           SluiceColor color);

G_END_DECLS
