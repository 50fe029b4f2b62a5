/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What is drawn: the hierarchy, opened as the view state says, laid out and routed. Boxes and
 * curves in scene coordinates (unzoomed pixels, y down). Immutable; built on any thread. */
#pragma once

#include "ui/canvas/hierarchy.h"
#include "ui/canvas/view-state.h"
#include "ui/common/geometry.h"

G_BEGIN_DECLS

typedef enum
{
  SLUICE_ITEM_SCOPE,      /* closed */
  SLUICE_ITEM_OPEN_SCOPE, /* a frame round its members */
  SLUICE_ITEM_OP,
  SLUICE_ITEM_VARIABLE,
  SLUICE_ITEM_CONSTANT, /* glyph at its reader */
  SLUICE_ITEM_SUMMARY,  /* glyph at what it watches */
  SLUICE_ITEM_MORE,     /* "+5": glyphs that found no room; opens nothing, lists them in its text */
  SLUICE_ITEM_HEADING,  /* "SET ASIDE" */
} SluiceItemKind;

typedef enum
{
  SLUICE_COLOR_BY_STRUCTURE,
  SLUICE_COLOR_BY_DEVICE,
  SLUICE_COLOR_BY_TIME,
  SLUICE_COLOR_BY_BYTES,
  SLUICE_COLOR_BY_ASKED, /* the device that nodes ask for; DEVICE is where they stand */
  SLUICE_COLOR_BY_DTYPE,
  SLUICE_COLOR_BY_GRADIENT, /* a gradient and what it is of alike, the rest without */
  SLUICE_COLOR_BY_HEALTH,
  SLUICE_COLOR_BY_PLACED, /* what is told of them: sluice_canvas_set_told() */
  SLUICE_COLOR_BY_REASON,
  SLUICE_COLOR_BY_MARGIN,
  SLUICE_N_COLOR_BY,                          /* that a person chooses from */
  SLUICE_COLOR_BY_CHANGE = SLUICE_N_COLOR_BY, /* of two graphs in one picture */
} SluiceColorBy;

typedef enum
{
  SLUICE_FLOW_UP,
  SLUICE_FLOW_DOWN,
} SluiceFlowDirection;

typedef struct
{
  SluiceItemKind kind;
  guint node;   /* hierarchy node, SLUICE_NONE for MORE and HEADING; a constant may be drawn at
                   several readers */
  guint parent; /* item of the open scope around it, SLUICE_NONE at the top */
  guint depth;  /* of open scopes around it */
  SluiceRect rect;
  const char *title; /* owned by the scene or the hierarchy */
  const char *note;  /* second line, or NULL */
  guint host;        /* satellites: the item they stand at; else SLUICE_NONE */
  gboolean aside;
} SluiceSceneItem;

typedef struct
{
  guint from;   /* item */
  guint to;     /* item */
  guint bundle; /* into sluice_hierarchy_get_bundle(); SLUICE_NONE at "+5" and at borders */
  SluiceEdgeKind kind;
  guint first_point; /* cubic path: start, then three points a segment */
  guint n_points;
  double width;         /* 0.75 .. 4 px */
  const char *label;    /* shape, "3 tensors", or NULL */
  SluicePoint label_at; /* centre of the plate; meaningless without a label */
  SluiceRect bounds;
  gboolean arrow; /* a head at the end of the path */
  gboolean quiet; /* drawn only when an end is selected */
  gboolean stub;  /* a short piece whose label says what it joins */
} SluiceSceneEdge;

/* Values shown beside a node while it runs; see sluice_canvas_set_values(). */
typedef struct
{
  const char *name;  /* path of a node or scope in the hierarchy */
  const char *text;  /* second line, or NULL to keep the static one */
  double share;      /* of the step's time, 0..1; negative = no heat bar */
  double bytes;      /* live memory; negative = unknown */
  const float *bins; /* histogram glyph, or NULL */
  guint n_bins;
} SluiceCanvasValue;

typedef struct _SluiceScene SluiceScene;

/* Of the view that a drawing is folded and packed to fit, in pixels, unless the view state says
 * otherwise. */
#define SLUICE_SCENE_VIEW_WIDTH  1100.0
#define SLUICE_SCENE_VIEW_HEIGHT 760.0

/* @state may be NULL. Cancelled through @cancelled (atomic, may be NULL): then NULL is returned. */
SluiceScene *sluice_scene_new (SluiceHierarchy *hierarchy,
                               const SluiceViewState *state,
                               SluiceFlowDirection flow,
                               const gint *cancelled);
SluiceScene *sluice_scene_ref (SluiceScene *self);
void sluice_scene_unref (SluiceScene *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceScene, sluice_scene_unref)

SluiceHierarchy *sluice_scene_get_hierarchy (SluiceScene *self);
guint sluice_scene_get_n_items (SluiceScene *self);
guint sluice_scene_get_n_edges (SluiceScene *self);
const SluiceSceneItem *sluice_scene_get_item (SluiceScene *self, guint index);
const SluiceSceneEdge *sluice_scene_get_edge (SluiceScene *self, guint index);
const SluicePoint *sluice_scene_get_points (SluiceScene *self);
SluiceRect sluice_scene_get_bounds (SluiceScene *self);
SluiceFlowDirection sluice_scene_get_flow (SluiceScene *self);

/* First item of hierarchy node @node, or of the nearest ancestor that is drawn; SLUICE_NONE only in
 * an empty scene. */
guint sluice_scene_find_item (SluiceScene *self, guint node);

/* Items that touch @area, in drawing order, appended to @result (guint); and only those of them
 * that are so wide or high as @least. */
void sluice_scene_query (SluiceScene *self, const SluiceRect *area, GArray *result);
void
sluice_scene_query_larger (SluiceScene *self, const SluiceRect *area, double least, GArray *result);
void
sluice_scene_query_edges (SluiceScene *self, const SluiceRect *area, double least, GArray *result);

/* The topmost item under the point, or SLUICE_NONE. */
guint sluice_scene_pick (SluiceScene *self, double x, double y);

/* Edges that leave / reach @item, by the position of the other end; (guint), appended to @result.
 */
void sluice_scene_get_item_edges (SluiceScene *self, guint item, gboolean outgoing, GArray *result);

/* Boxes can be moved; what stands at one goes with it, and what is set aside stands on its shelf.
 */
gboolean sluice_scene_can_move (SluiceScene *self, guint item);

/* How a line is bent; FALSE: it is not. */
gboolean sluice_scene_get_bends (SluiceScene *scene,
                                 const SluiceViewState *state,
                                 guint edge,
                                 SluiceViewBends *bends);
/* Where a bend of a line would be without what it is moved by: its ends, how many, which. */
SluicePoint sluice_bend_base (SluicePoint from, SluicePoint to, guint n, guint i);
/* Such a line, from one that is straight or bent: appended; how many points. */
guint
sluice_bent_path (const SluicePoint *path, guint n, const SluiceViewBends *bends, GArray *points);

/* TRUE for the short line between a glyph and the box it stands at. */
gboolean sluice_scene_is_stalk (SluiceScene *scene, const SluiceSceneEdge *edge);

/* "loop · 64 iterations": the second line of a loop that runs; there is room for it. */
char *sluice_loop_note (guint64 n_iterations);

/* What a screen reader says: "MatMul fc1, inputs x float32 ?×784, feeds Add, on CPU:0". @live: the
 * second line as it is now, or NULL for the static one. */
char *sluice_scene_dup_item_text (SluiceScene *self, guint item, const char *live);

/* What a pointer that rests on it is told, where that is more than what is drawn: the full name and
 * the op, the members of a fold. (transfer full) (nullable) */
char *sluice_scene_dup_item_tip (SluiceScene *self, guint item);

G_END_DECLS
