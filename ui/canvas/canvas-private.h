/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The widget's parts: canvas.c (public face, scenes and their worker), canvas-view.c (view
 * transform, motion, drawing), canvas-open.c (scopes), canvas-history.c (undo), canvas-arrange.c,
 * canvas-input.c (pointer), canvas-menu.c, canvas-select.c (selection, keyboard walk),
 * canvas-actions.c, canvas-overlay.c (colour-by bar, empty and failed states), canvas-proxy.c
 * (accessible children), canvas-marks.c (badges, traced ways), canvas-lines.c (the line that is
 * chosen), canvas-legend.c, canvas-tip.c, canvas-muted.c; of editing canvas-edit*.c
 * (canvas-edit-private.h). Main thread only. */
#pragma once

#include "ui/canvas/canvas.h"
#include "ui/canvas/draw.h"
#include "ui/canvas/place-new.h"

G_BEGIN_DECLS

#define CANVAS_MOTION_US      220000
#define CANVAS_MIN_ZOOM       0.0005 /* 36,000 nodes, all open, in one view */
#define CANVAS_MAX_ZOOM       4.0
#define CANVAS_MINIMAP_WIDTH  150
#define CANVAS_MINIMAP_HEIGHT 104
#define CANVAS_MINIMAP_MARGIN 14
#define CANVAS_MAX_PROXIES    200

typedef struct _CanvasJob CanvasJob;   /* a scene under construction; canvas.c */
typedef struct _CanvasEdit CanvasEdit; /* canvas-edit-private.h */

typedef struct
{
  double x, y, zoom; /* scene point at the top left, pixels of the widget per scene unit */
} CanvasView;

/* A scope that was opened, and what was in view then and after it had been framed. */
typedef struct
{
  char *path;
  CanvasView before, after;
  gboolean was_fitted;
  gboolean has_after;
} CanvasOpened;

typedef struct
{
  char *selected;   /* (nullable): id of the note or frame that is */
  SluicePoint by;   /* how far it has been dragged */
  char *edited;     /* (nullable): the one whose words are written */
  GtkWidget *entry; /* (nullable), with it */
  guint source;     /* takes away an entry that was left */
} CanvasNoteState;

/* The line that is chosen besides what is selected. */
typedef struct
{
  guint edge;      /* of the scene; SLUICE_NONE: none is */
  char *from, *to; /* (nullable): paths of the boxes that it joins */
  GArray *breaks;  /* (nullable): dots on lines, found before they are drawn */
} CanvasLine;

/* What somebody else tells of nodes, from PLACED on; texts (nullable). */
typedef SluiceColorTold CanvasTold[SLUICE_COLOR_BY_MARGIN - SLUICE_COLOR_BY_PLACED + 1];

/* Who is told of a box that is dragged out of the picture. */
typedef struct
{
  SluiceCanvasDragOut func; /* (nullable) */
  gpointer data;
} CanvasOut;

struct _SluiceCanvas
{
  GtkWidget parent;

  SluiceGraphModel *model;    /* or NULL */
  SluiceHierarchy *hierarchy; /* of model, or NULL while it is built */
  SluiceHierarchy *before;    /* while it is built: of a model that model was made after, or NULL */
  SluiceScene *scene;         /* or NULL */
  SluiceViewState *state;
  gboolean is_unseen; /* nobody has looked at the graph yet: see first-sight.h */
  CanvasJob *job;     /* the newest request, or NULL */
  SluiceFlowDirection flow;
  SluiceColorBy color_by;
  SluiceValueTable *values;
  GPtrArray *own_marks, *own_breaks; /* (nullable): badges and breakpoints as they were set */
  SluiceMarks *marks, *breaks;       /* of the hierarchy, or NULL */
  CanvasTold told;
  SluiceColorClasses *classes; /* of the hierarchy, where colour is by such, or NULL */
  guint8 *traced;              /* per group, or NULL */
  guint8 *muted;               /* the same */
  SluiceDrawer *drawer;
  cairo_surface_t *minimap; /* picture of the scene without the view's frame, or NULL */
  SluiceTheme theme;
  char *font;
  gboolean reduced_motion;
  char *loading, *failure;
  /* View */
  CanvasView view;
  double text_scale; /* of the desktop: what a unit of the scene is in pixels at full size */
  int allocated_width, allocated_height;
  gboolean is_fitted; /* the view shows all of the graph, and goes on to when the size changes */
  gboolean has_view;  /* FALSE: fit as soon as there is a size and a scene */
  GArray *opened;     /* CanvasOpened, in the order of opening */
  char *toggled;      /* (nullable): the scope to be framed when the scene is there, or closed */
  gboolean restores;  /* then what was in view before it was opened comes back */
  CanvasView view_from, view_to;
  gint64 view_start;                      /* frame time in us, 0 = at rest */
  SluicePoint *shift_from, *stretch_from; /* per item, where the motion began; NULL = at rest */
  SluicePoint *shift, *stretch;
  gint64 motion_start;
  guint tick;

  GPtrArray *done, *undone; /* SluiceViewState, as it was before each command; newest last */

  /* Selection: paths of groups, so that it survives every rebuild */
  char *lead;
  GHashTable *selected; /* set of char*, the lead included */
  guint8 *flags;        /* per item */
  guint lead_item;
  guint hover;
  char *reveal; /* path to bring into view when the scene is there */
  CanvasLine line;
  const SluiceCanvasCommand *commands;
  guint n_commands;
  CanvasNoteState notes;
  /* Pointer */
  double pointer_x, pointer_y;
  int drag;              /* CanvasDrag */
  double drag_x, drag_y; /* where it began */
  guint drag_item;
  CanvasOut out; /* who holds the canvas */
  CanvasView drag_view;
  SluiceRect band; /* rubber band, widget coordinates; empty = none */
  double pinch_zoom;

  CanvasEdit *edit; /* (nullable): the graph is only looked at */

  /* Child widgets */
  GtkWidget *bar;
  GtkWidget *legend;  /* of the colours and of ports, above the bar */
  char *legend_types; /* (nullable): all that it says now */
  guint style_source; /* does what is not done while styles are applied */
  GtkWidget *tip;     /* beside the box that the pointer rests on */
  guint tip_item, tip_source;
  guint spin_source; /* starts the spinner of a long wait */
  guint room_tick;   /* until the widget's first size has settled */
  int room_width, room_height;
  GtkWidget *message, *spinner, *message_icon, *message_title, *message_text;
  GtkWidget *way_out; /* a button of the message */
  GtkWidget *menu;    /* (nullable): made when it is asked for */
  GPtrArray *proxies; /* GtkWidget */
  guint proxy_source;
};

enum
{
  CANVAS_SELECTION_CHANGED,
  CANVAS_ACTIVATED,
  CANVAS_LAYOUT_CHANGED,
  CANVAS_FAILED,
  CANVAS_N_SIGNALS,
};
extern guint sluice_canvas_signals[CANVAS_N_SIGNALS];

/* canvas.c */
void sluice_canvas_rebuild (SluiceCanvas *self, const char *anchor);
/* Of a canvas that nobody sees there is none: it is made at once. */
void sluice_canvas_need_scene (
    SluiceCanvas *self); /* @anchor: path that keeps its place on the screen, or NULL */
void sluice_canvas_layout_changed (SluiceCanvas *self);

/* canvas-open.c */
void sluice_canvas_toggle (SluiceCanvas *self, const char *path, gboolean open);
/* Once the scene is there: frames what was opened, goes back from what was closed. */
void sluice_canvas_finish_toggle (SluiceCanvas *self);
void sluice_canvas_forget_opened (SluiceCanvas *self);

/* canvas-history.c */
/* Before a command changes what a person arranged: (transfer full). */
SluiceViewState *sluice_canvas_begin_arranging (SluiceCanvas *self);
/* And after it: words: what it is called behind Undo. */
void sluice_canvas_end_arranging (SluiceCanvas *self, SluiceViewState *take, const char *words);
void sluice_canvas_history_action (GtkWidget *widget, const char *name, GVariant *parameter);
gboolean sluice_canvas_can_move (SluiceCanvas *self, guint item);
void sluice_canvas_move_action (GtkWidget *widget, const char *name, GVariant *parameter);
void sluice_canvas_update_history_actions (SluiceCanvas *self);
void sluice_canvas_clear_history (SluiceCanvas *self);
void sluice_canvas_free_history (SluiceCanvas *self);

/* canvas-arrange.c */
/* All of it that can be moved, by so much in the scene, as one command. */
void sluice_canvas_move_selection (SluiceCanvas *self, double dx, double dy);
void sluice_canvas_append_arrange_menu (SluiceCanvas *self, GMenu *menu);
void sluice_canvas_install_arrange_actions (GtkWidgetClass *klass);

/* canvas-view.c */
/* Pixels that a picture that is shown whole leaves free at each side. */
#define CANVAS_FIT_MARGIN 40.0
/* Of the widget without that margin, in units of the scene at full size; FALSE: it has no size yet.
 */
gboolean sluice_canvas_get_room (SluiceCanvas *self, double *width, double *height);
/* Where a zoom under way will end: several steps in a row add up. */
CanvasView sluice_canvas_target_view (SluiceCanvas *self);
/* The view that shows @rect, no larger than it is. */
CanvasView sluice_canvas_view_of_rect (SluiceCanvas *self, const SluiceRect *rect);
SluicePoint sluice_canvas_to_scene (SluiceCanvas *self, double x, double y);
SluiceRect sluice_canvas_visible (SluiceCanvas *self);
void sluice_canvas_set_view (SluiceCanvas *self, CanvasView view, gboolean animate);
void
sluice_canvas_zoom_at (SluiceCanvas *self, double factor, double x, double y, gboolean animate);
/* Shows all anew where that is what the view was. */
void sluice_canvas_refit (SluiceCanvas *self);
void sluice_canvas_fit_rect (SluiceCanvas *self, const SluiceRect *rect, gboolean animate);
void sluice_canvas_show_rect (SluiceCanvas *self, const SluiceRect *rect);
void sluice_canvas_begin_motion (SluiceCanvas *self, SluiceScene *before, const char *anchor);
void sluice_canvas_end_motion (SluiceCanvas *self);
gboolean sluice_canvas_may_move (SluiceCanvas *self);
void sluice_canvas_snapshot (GtkWidget *widget, GtkSnapshot *snapshot);
void sluice_canvas_update_theme (SluiceCanvas *self);
void sluice_canvas_drop_minimap (SluiceCanvas *self);
SluiceRect
sluice_canvas_minimap_rect (SluiceCanvas *self); /* widget coordinates; empty when hidden */

/* canvas-input.c */
/* A box that a press can grab; the inside of an open scope is ground, its name is its handle. */
gboolean sluice_canvas_is_handle (SluiceCanvas *self, guint item, double y);
void sluice_canvas_add_controllers (SluiceCanvas *self);
/* The picture has scrolled under what is dragged. */
void sluice_canvas_drag_on (SluiceCanvas *self);
/* Gives up a drag; nothing of it stays. */
void sluice_canvas_cancel_drag (SluiceCanvas *self);

/* canvas-menu.c */
void sluice_canvas_menu_at (SluiceCanvas *self, double x, double y);
/* Of what is selected. */
void sluice_canvas_menu_action (GtkWidget *widget, const char *name, GVariant *parameter);

/* canvas-select.c */
const char *sluice_canvas_item_path (SluiceCanvas *self, guint item);
const char *sluice_canvas_path_name (SluiceCanvas *self, const char *path);
/* "conv1", "conv1 and 2 more", of what is selected: (transfer full). */
char *sluice_canvas_dup_selection_words (SluiceCanvas *self);
/* What a screen reader says of it, with its live value. */
char *sluice_canvas_item_text (SluiceCanvas *self, guint item);
void sluice_canvas_select_item (SluiceCanvas *self, guint item, gboolean extend);
void sluice_canvas_select_path (SluiceCanvas *self, const char *path);
/* @paths: char*, the one above first */
void sluice_canvas_select_paths (SluiceCanvas *self, const GPtrArray *paths);
void sluice_canvas_select_none (SluiceCanvas *self);
/* What a command took out of the graph is selected no longer; @successor: (nullable): a path or
 * name that is, instead. */
void sluice_canvas_drop_gone (SluiceCanvas *self, const char *successor);
void sluice_canvas_select_rect (SluiceCanvas *self, const SluiceRect *area, gboolean extend);
void sluice_canvas_update_flags (SluiceCanvas *self);
gboolean sluice_canvas_reveal (SluiceCanvas *self, guint group);
void sluice_canvas_finish_reveal (SluiceCanvas *self);
void sluice_canvas_walk (SluiceCanvas *self, int dx, int dy);
void sluice_canvas_walk_order (SluiceCanvas *self, int step);

/* canvas-lines.c */
void sluice_canvas_choose_line (SluiceCanvas *self, guint edge);
/* FALSE: there is none at this pixel. */
gboolean sluice_canvas_choose_line_at (SluiceCanvas *self, double x, double y);
void sluice_canvas_line_action (GtkWidget *widget, const char *name, GVariant *parameter);
void sluice_canvas_lines_scene_changed (SluiceCanvas *self);
/* In the scene: on the line. */
SluicePoint sluice_canvas_line_middle (SluiceCanvas *self, guint edge);
void sluice_canvas_append_line_menu (SluiceCanvas *self, GMenu *menu);
void sluice_canvas_append_place_menu (SluiceCanvas *self,
                                      GMenu *menu,
                                      const char *place,
                                      gboolean is_scope);
void sluice_canvas_draw_lines (SluiceCanvas *self, cairo_t *cr);
void sluice_canvas_append_line_state (SluiceCanvas *self, GString *out);

/* canvas-actions.c */
void sluice_canvas_install_actions (GtkWidgetClass *klass);

/* canvas-overlay.c */
void sluice_canvas_add_overlays (SluiceCanvas *self);
void sluice_canvas_update_message (SluiceCanvas *self);
/* canvas-legend.c */
GtkWidget *sluice_canvas_new_legend (void);
/* After the colours, what they mean or whom they are for changed. */
void sluice_canvas_update_legend (SluiceCanvas *self);
/* canvas-tip.c */
GtkWidget *sluice_canvas_new_tip (void);
void sluice_canvas_queue_tip (SluiceCanvas *self);
void sluice_canvas_hide_tip (SluiceCanvas *self);
SluiceRect sluice_canvas_tip_rect (SluiceCanvas *self); /* empty where there is none */
/* canvas-overlay.c */
/* Where the bar stands, in pixels of the widget; empty where it is not. */
SluiceRect sluice_canvas_bar_rect (SluiceCanvas *self);
SluiceRect sluice_canvas_legend_rect (SluiceCanvas *self);
void sluice_canvas_allocate_overlays (SluiceCanvas *self, int width, int height);

/* canvas-marks.c */
void sluice_canvas_hierarchy_changed (SluiceCanvas *self);
void sluice_canvas_update_classes (SluiceCanvas *self);
/* Is it one of what somebody else tells? */
gboolean sluice_canvas_is_told (SluiceColorBy by);
void sluice_canvas_clear_told (SluiceCanvas *self);
void sluice_canvas_trace_none (SluiceCanvas *self);
void sluice_canvas_trace_action (GtkWidget *widget, const char *name, GVariant *parameter);
void sluice_canvas_free_marks (SluiceCanvas *self);
/* Of breakpoints on values. */
gboolean sluice_canvas_has_line_breaks (SluiceCanvas *self);
SluiceMarkKind sluice_canvas_get_break_of (SluiceCanvas *self, const char *value);

/* canvas-muted.c */
void sluice_canvas_update_muted (SluiceCanvas *self);
gboolean sluice_canvas_is_muted (SluiceCanvas *self, guint item);
void sluice_canvas_draw_muted (SluiceCanvas *self, cairo_t *cr);

/* canvas-state.c */
/* A string in quotes, or null. */
void sluice_canvas_append_json (GString *out, const char *text);

/* canvas-edit.c: each of them does nothing where the graph is only looked at. */
void sluice_canvas_edit_init (SluiceCanvas *self);
void sluice_canvas_edit_free (SluiceCanvas *self);
/* The next model is about to be taken over; a scene was. */
void sluice_canvas_edit_model_changes (SluiceCanvas *self);
void sluice_canvas_edit_scene_changed (SluiceCanvas *self);
gboolean sluice_canvas_edit_has_history (SluiceCanvas *self);
/* TRUE: the editor took back, or did again, what was done last. */
gboolean sluice_canvas_edit_history (SluiceCanvas *self, gboolean redo);
gboolean sluice_canvas_edit_can_arrange (SluiceCanvas *self);
/* Asks for a command: lines as of sluice_view_state_diff(). */
void sluice_canvas_edit_arrange (SluiceCanvas *self, const GPtrArray *lines, const char *words);
/* Where what is new in the next model goes: (transfer full) (nullable). */
SluicePlacing *sluice_canvas_edit_take_placing (SluiceCanvas *self);
/* That did not come to anything. (nullable) */
void sluice_canvas_edit_give_back_placing (SluiceCanvas *self, const SluicePlacing *placing);
/* What keeps its place on the screen while the graph around it changes: (nullable). */
const char *sluice_canvas_edit_get_anchor (SluiceCanvas *self);
/* What the next frame is drawn with: SluiceDrawState's ends, (nullable). */
const SluicePoint *sluice_canvas_edit_begin_frame (SluiceCanvas *self);
void sluice_canvas_edit_draw (SluiceCanvas *self, cairo_t *cr);
void sluice_canvas_edit_snapshot (SluiceCanvas *self, GtkSnapshot *snapshot);
void sluice_canvas_edit_allocate (SluiceCanvas *self, int width);
/* The pointer, without a button; TRUE: another port, or none any more, is under it. @item: (inout):
 * the box there; a port's, where one is. */
gboolean sluice_canvas_edit_hover (SluiceCanvas *self, double x, double y, guint *item);
/* Asks for the ports of boxes (guint) all at once. */
void sluice_canvas_edit_prepare (SluiceCanvas *self, const GArray *items);
/* (transfer full) (nullable): of the port under the pointer */
char *sluice_canvas_edit_dup_tip (SluiceCanvas *self);
/* ". Input a, float32 ?×784, open; …": what a screen reader says of the ports of a box. */
void sluice_canvas_edit_append_ports (SluiceCanvas *self, guint item, GString *text);
/* Other colours, or another scale. */
void sluice_canvas_edit_theme_changed (SluiceCanvas *self);
/* The types as ports show them: (transfer full) (nullable) markup. */
char *sluice_canvas_edit_dup_legend (SluiceCanvas *self);
/* For tests of the window: members of an item's JSON, and of the whole. */
void sluice_canvas_edit_append_item_state (SluiceCanvas *self, guint item, GString *out);
void sluice_canvas_edit_append_state (SluiceCanvas *self, GString *out);

/* canvas-edit-pointer.c */
/* A drag that begins at this pixel is a wire off a port, or cuts wires. */
gboolean sluice_canvas_edit_grab (SluiceCanvas *self, double x, double y);
void sluice_canvas_edit_drag_wire (SluiceCanvas *self, double x, double y);
void sluice_canvas_edit_drop_wire (SluiceCanvas *self);
gboolean sluice_canvas_edit_begin_cut (SluiceCanvas *self, double x, double y);
void sluice_canvas_edit_drag_cut (SluiceCanvas *self, double x, double y);
void sluice_canvas_edit_end_cut (SluiceCanvas *self);
/* canvas-edit-bend.c: a line is bent. */
gboolean sluice_canvas_edit_begin_bend (SluiceCanvas *self, double x, double y);
void sluice_canvas_edit_drag_bend (SluiceCanvas *self, double x, double y);
void sluice_canvas_edit_end_bend (SluiceCanvas *self);
/* Of the line that is chosen, by so much in the scene; FALSE: it has none. */
gboolean sluice_canvas_edit_move_bend (SluiceCanvas *self, double dx, double dy);
/* canvas-edit-pointer.c */
/* A box is moved: onto a wire, or, where it is @detaching, out of its own. */
void sluice_canvas_edit_begin_box (SluiceCanvas *self, guint item, gboolean detaching);
void sluice_canvas_edit_drag_box (SluiceCanvas *self, double x, double y);
/* TRUE: it stands somewhere else by that, else it is moved by so much in the scene. */
gboolean sluice_canvas_edit_drop_box (SluiceCanvas *self, guint item, SluicePoint by);
/* TRUE: the palette was asked for. */
gboolean sluice_canvas_edit_double_click (SluiceCanvas *self, double x, double y);
/* canvas-edit-actions.c */
void sluice_canvas_edit_update_actions (SluiceCanvas *self);
void sluice_canvas_edit_install_actions (GtkWidgetClass *klass);
void sluice_canvas_edit_append_menu (SluiceCanvas *self, GMenu *menu, gboolean of_item);

/* canvas-proxy.c */
void sluice_canvas_queue_proxies (SluiceCanvas *self);
void sluice_canvas_allocate_proxies (SluiceCanvas *self);
void sluice_canvas_drop_proxies (SluiceCanvas *self);

G_END_DECLS
