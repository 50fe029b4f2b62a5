/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Draws a scene with Cairo in one pass: culled to the view, with less detail from afar. The widget,
 * pictures and tests share it. */
#pragma once

#include <cairo.h>

#include "ui/canvas/color-classes.h"
#include "ui/canvas/marks.h"
#include "ui/common/theme.h"

G_BEGIN_DECLS

/* Keeps label layouts between frames; one thread at a time. */
typedef struct _SluiceDrawer SluiceDrawer;

SluiceDrawer *sluice_drawer_new (void);
void sluice_drawer_free (SluiceDrawer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceDrawer, sluice_drawer_free)

/* Live values by path, for a drawing: sluice_canvas_set_values() fills one. */
typedef struct _SluiceValueTable SluiceValueTable;

SluiceValueTable *sluice_value_table_new (void);
void sluice_value_table_free (SluiceValueTable *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceValueTable, sluice_value_table_free)
/* TRUE where its text is another now. */
gboolean sluice_value_table_set (SluiceValueTable *self, const SluiceCanvasValue *value);
void sluice_value_table_clear (SluiceValueTable *self);
const SluiceCanvasValue *sluice_value_table_get (const SluiceValueTable *self, const char *name);

typedef struct
{
  const SluiceTheme *theme;
  double x, y;          /* scene point at the top left of the picture */
  double zoom;          /* pixels per scene unit, where text is not scaled */
  double text_scale;    /* what the desktop's text is scaled by: of everything, so that words fit */
  double width, height; /* of the picture, in pixels */
  SluiceColorBy color_by;
  const SluiceValueTable *values;    /* or NULL */
  const SluiceMarks *marks;          /* or NULL */
  const SluiceMarks *breaks;         /* or NULL */
  const SluiceColorClasses *classes; /* where colour is by such */
  const guint8 *traced;              /* per group: it is on the way that is traced; or NULL */
  guint lead;                        /* item of the selection, SLUICE_NONE */
  const guint8 *selected;            /* per item, or NULL */
  guint hover;                       /* item under the pointer, SLUICE_NONE */
  const SluicePoint
      *shift; /* per item: where it still is on its way, added to its rectangle; or NULL */
  const SluicePoint *stretch; /* per item: added to width and height; or NULL */
  const SluicePoint *ends; /* per edge: how far its beginning (x) and its end (y) lie to the right
                              of where the scene has them; or NULL */
  /* (nullable): between the ground and the boxes, in the scene */
  void (*draw_under) (cairo_t *cr, gpointer data);
  gpointer under_data;
  gboolean plain;      /* ground without dots: for pictures on paper */
  gboolean is_zooming; /* one picture of many: text has the nearest of a few sizes */
} SluiceDrawState;

#define SLUICE_DRAW_STATE_INIT                                                                     \
  {                                                                                                \
    .zoom = 1, .text_scale = 1, .lead = SLUICE_NONE, .hover = SLUICE_NONE                          \
  }

void sluice_drawer_draw (SluiceDrawer *self,
                         SluiceScene *scene,
                         cairo_t *cr,
                         const SluiceDrawState *state);

/* Boxes, frames and glyphs that the last drawing drew: what is out of view, or too small to be seen
 * from afar, is left out. */
guint sluice_drawer_get_n_boxes (SluiceDrawer *self);

/* The whole scene as grey boxes within @width x @height pixels. */
void sluice_draw_minimap (
    SluiceScene *scene, cairo_t *cr, const SluiceTheme *theme, double width, double height);

/* The frame of the view (a rectangle in scene coordinates) on a minimap of that size. */
void sluice_draw_minimap_view (SluiceScene *scene,
                               cairo_t *cr,
                               const SluiceTheme *theme,
                               double width,
                               double height,
                               const SluiceRect *view);

/* Scene point under a point of the minimap. */
SluicePoint
sluice_minimap_locate (SluiceScene *scene, double width, double height, double x, double y);

/* What full colour stands for where colour is by time or bytes: a share of the step's time or,
 * where none is known, of the predicted work; bytes. */
typedef struct
{
  double share, cost, bytes;
} SluiceColorScale;

SluiceColorScale sluice_scene_get_color_scale (SluiceScene *scene, const SluiceValueTable *values);

/* Rectangle of the "close" word of an open scope, in scene coordinates. */
SluiceRect sluice_scene_get_close_rect (SluiceScene *scene, guint item);

/* The words at an edge, and where they are drawn. */
typedef struct
{
  guint edge;
  SluiceRect rect; /* of the plate under them, in scene coordinates */
} SluiceScenePlate;

/* (transfer full) (element-type SluiceScenePlate): of those edges what is not cut by one of those
 * items or by another plate: words do not get smaller than can be read, so that from afar there is
 * less room for them. */
GArray *sluice_scene_list_plates (SluiceScene *scene,
                                  const GArray *edges,
                                  const GArray *items,
                                  double zoom);

/* Rectangle of an item on its way. */
SluiceRect sluice_draw_item_rect (SluiceScene *scene, const SluiceDrawState *state, guint item);

G_END_DECLS
