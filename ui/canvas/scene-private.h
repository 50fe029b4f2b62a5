/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* How a scene is made: each open scope is a level. A level's children are sorted into members
 * (boxes), satellites (glyphs at a member) and those set aside; its bundles become wires. Levels
 * are laid out from the inside out, then placed from the outside in. */
#pragma once

#include "ui/canvas/grid.h"
#include "ui/canvas/layout.h"
#include "ui/canvas/scene.h"

G_BEGIN_DECLS

/* Pixels at zoom 1, from the look. */
#define SCENE_SCOPE_HEIGHT       46.0
#define SCENE_PLAIN_SCOPE_HEIGHT 40.0 /* without a second line */
#define SCENE_OP_HEIGHT          28.0
#define SCENE_VARIABLE_HEIGHT    26.0
#define SCENE_SUMMARY_HEIGHT     22.0
#define SCENE_CONSTANT_HEIGHT    19.0
#define SCENE_HEADER             30.0
#define SCENE_PADDING            16.0
#define SCENE_ASIDE_GAP          56.0
#define SCENE_ASIDE_STEP         40.0
#define SCENE_LOOP_ROOM          26.0 /* beside a closed loop, for the line back */
#define SCENE_STUB_LENGTH        18.0 /* of what is left of a line that is shortened */
#define SCENE_STUB_BESIDE        17.0 /* the middle of the box, if it can */

#define SCENE_TITLE_SIZE 13.5 /* CSS pixels */
#define SCENE_OP_SIZE    12.0
#define SCENE_NOTE_SIZE  11.0
#define SCENE_LABEL_SIZE 10.5
#define SCENE_GLYPH_SIZE 11.0

/* Words are never smaller than this, in pixels of the screen: what has no room is cut, and what
 * stands in a box that is too low for it is left out. */
#define SCENE_SMALLEST_TEXT 9.0

typedef struct _SceneLevel SceneLevel;

typedef struct
{
  guint group;
  SluiceItemKind kind;
  SceneLevel *inner; /* of an open scope, owned */
  const char *note;
  double width, height; /* of the box itself */
  double anchor;        /* where edges attach, from the left side of the box */
  double left, right;   /* extents from the anchor, satellites included */
  double row;           /* height with satellites */
  double x, y;          /* top left of the box, in the level */
  gboolean aside;
  gboolean loose;  /* no line that is drawn ends at it */
  gboolean moved;  /* by hand */
  gboolean second; /* stands in the backward half */
  guint layout;    /* its node in the layout, SLUICE_NONE when set aside */
  guint item;      /* once placed */
  guint tagged[2]; /* wires that have the tags of values and of updates at it, + 1 */
} SceneMember;

typedef struct
{
  guint group;  /* SLUICE_NONE for "+5" */
  guint bundle; /* that ties it to its host; SLUICE_NONE for "+5" */
  guint host;   /* member */
  SluiceItemKind kind;
  gboolean right;
  double width, height, x, y;
  const char *title;
  const char *note;
  guint item;
} SceneSatellite;

/* Ends of wires that are no members. */
#define SCENE_PORT_IN  (G_MAXUINT - 1)
#define SCENE_PORT_OUT (G_MAXUINT - 2)

typedef struct
{
  guint from, to;             /* member, or a port of the level, or SLUICE_NONE */
  guint from_group, to_group; /* what it joins, for wires whose ends are no members */
  guint bundle;               /* SLUICE_NONE at ports */
  SluiceEdgeKind kind;
  guint64 bytes;
  const char *label;
  gboolean quiet;
  gboolean stub;      /* too long to draw: both ends name each other */
  const char *tag;    /* of a stub at its end only, of an update at its beginning; or NULL */
  gboolean in_row;    /* it joins boxes of one row */
  guint n_names;      /* of lines that the tag tells of */
  gsize names_length; /* bytes of it that are names, not their number */
  guint first_point, n_points; /* into the level's points */
  gboolean arrow;
} SceneWire;

struct _SceneLevel
{
  guint group;
  GArray *members;                /* SceneMember */
  GArray *satellites;             /* SceneSatellite */
  GArray *wires;                  /* SceneWire */
  GArray *points;                 /* SluicePoint */
  SluiceFlowDirection flow;       /* turned round inside of a backward half */
  double view_width, view_height; /* what it should fit */
  gboolean has_in, has_out;
  double port_x;               /* where lines from outside enter and leave, in the level */
  double heading_x, heading_y; /* of the aside column */
  gboolean has_heading;
  SluiceRect content; /* of everything in it */
};

/* What crosses the border of an open scope at one child. */
typedef struct
{
  guint n_data;
  guint64 bytes;
} SceneCrossing;

typedef struct
{
  SluiceScene *scene;
  SluiceHierarchy *hierarchy;
  const SluiceViewState *state; /* or NULL */
  double view_width, view_height;
  const gint *cancelled;
  guint8 *open;      /* per group: drawn as a frame with its children in it */
  SceneCrossing *in; /* per group; NULL when nothing but the root is open */
  SceneCrossing *out;
  guint *member_of; /* per group: its member in its level, or SLUICE_NONE */
  guint *host_of;   /* per group: member that a variable stands at, or SLUICE_NONE */
} SceneBuilder;

struct _SluiceScene
{
  gatomicrefcount ref_count;
  SluiceHierarchy *hierarchy;
  SluiceFlowDirection flow;
  GStringChunk *strings;
  GArray *items;   /* SluiceSceneItem */
  GArray *origins; /* SluicePoint per item */
  GArray *edges;   /* SluiceSceneEdge */
  GArray *points;  /* SluicePoint */
  guint *item_of;  /* per group: its first item, SLUICE_NONE when not drawn */
  SluiceRect bounds;
  SluiceGrid *item_grid;
  SluiceGrid *edge_grid;
  guint *edge_start[2]; /* per item: edges out, in */
  guint *edge_list[2];
};

/* scene-level.c */
SceneLevel *sluice_scene_level_new (SceneBuilder *b, guint group, SluiceFlowDirection flow);
void sluice_scene_level_free (SceneLevel *self);
void sluice_scene_find_crossings (SceneBuilder *b);

/* scene-tags.c: shortens lines at boxes that have too many. */
void sluice_scene_level_shorten (SceneBuilder *b, SceneLevel *level);

/* Once they have their paths: shortens lines between the halves, and of variables that several
 * boxes read, that would cross others. */
void sluice_scene_level_untangle (SceneBuilder *b, SceneLevel *level);

/* scene-place.c: positions of members and satellites, and the paths of the wires; FALSE when
 * cancelled. */
gboolean sluice_scene_level_place (SceneBuilder *b, SceneLevel *level);

/* scene-route.c: what the layered layout leaves open: wires across halves, and within a row. */
void sluice_scene_level_route (SceneLevel *level, const SluiceLayout *layout);

/* scene-shelf.c: what no line leads to, beside or beneath a drawing of that size. */
void sluice_scene_level_shelve (SceneLevel *level, double width, double height);

/* What a column of what is set aside will take up; 0: there is nothing. */
double sluice_scene_level_get_aside_width (const SceneLevel *level);

/* Back edges: all of a level's share one line beside what they lead round. Returns how far to the
 * right that reaches. */
double sluice_scene_level_route_back (SceneLevel *level);

/* scene-reroute.c: wires at boxes that were moved by hand, and those that such a box was put on.
 * Satellites have their places. */
void sluice_scene_level_reroute (SceneLevel *level);

/* Appends the direct line between two boxes: out of the side that faces the other. Returns the
 * number of points. */
guint sluice_scene_direct_path (const SluiceRect *from, const SluiceRect *to, GArray *points);

double sluice_scene_edge_width (guint64 bytes, SluiceEdgeKind kind);

/* Pixels of the screen that a word is high at that zoom: its @size, but not less than can be read.
 */
static inline double
sluice_scene_text_size (double size, double zoom)
{
  return MAX (size * zoom, SCENE_SMALLEST_TEXT);
}

/* Whether a word can be read in a box of that height. */
static inline gboolean
sluice_scene_has_room (double height, double zoom)
{
  return height * zoom >= SCENE_SMALLEST_TEXT;
}

/* scene-labels.c */
void sluice_scene_place_labels (SluiceScene *scene);

/* scene-build.c: what a line of that width takes up. */
SluiceRect sluice_scene_path_bounds (const SluicePoint *p, guint n, double width);

/* scene-bend.c: lines that a person has bent. state: (nullable) */
void sluice_scene_bend (SluiceScene *scene, const SluiceViewState *state);

G_END_DECLS
