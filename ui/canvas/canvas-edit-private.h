/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The editing side of the widget: canvas-edit.c (the editor, what the rest of the widget calls),
 * canvas-edit-names.c (what the selection is called), canvas-edit-ports.c (which there are),
 * canvas-edit-places.c (where), canvas-edit-wire.c (a wire in hand, and where it may go),
 * canvas-edit-drop.c (what becomes of it), canvas-edit-interface.c (ports of nodes and scopes),
 * canvas-edit-pointer.c (drags), canvas-edit-bend.c, canvas-edit-splice.c, canvas-edit-draw.c,
 * canvas-edit-sprites.c, canvas-edit-keys.c (a wire by keys), canvas-edit-actions.c,
 * canvas-edit-rename.c. Main thread only. */
#pragma once

#include "ui/canvas/canvas-edit.h"
#include "ui/canvas/canvas-private.h"

G_BEGIN_DECLS

#define EDIT_PORT_RADIUS 5.5  /* of a port, in the scene */
#define EDIT_PORT_REACH  11.0 /* pixels: so near is the pointer at a port */
#define EDIT_PORT_SHARE  0.3  /* of its box' height at most, within the box */
#define EDIT_WIRE_REACH  7.0  /* and so near at a wire */

typedef struct
{
  char *node;
  guint id; /* of the node in the scene's model */
  guint index;
  gboolean is_output;
  char *name, *dtype, *shape; /* (nullable) */
  gboolean is_open;
  SluicePoint at;    /* in the scene, where its box comes to rest */
  gboolean is_drawn; /* it finds room at its box */
} CanvasPort;

/* An end that the wire in hand may be asked to go to. */
typedef struct
{
  guint item, port;
  gboolean is_judged, fits;
  char *words; /* (nullable): the shape, or the reason */
} CanvasTarget;

typedef enum
{
  WIRE_NONE,
  WIRE_DRAGGED, /* by the pointer */
  WIRE_WAITS,   /* for what is chosen of the palette */
  WIRE_PORTS,   /* by keys: at which port it begins */
  WIRE_KEYS,    /* by keys: where it goes */
} CanvasWireState;

typedef struct
{
  CanvasWireState state;
  char *node; /* the end that is not in hand; all of it as of a port */
  guint index;
  gboolean is_output;
  char *dtype, *shape;
  guint item; /* where it begins; by keys also its port of that box */
  guint port;
  SluicePoint at;
  char *off_node; /* (nullable): of the input that it was taken off */
  guint off_index;
  double x, y;      /* the end in hand, pixels */
  GArray *targets;  /* CanvasTarget, those of an item side by side */
  guint8 *is_asked; /* per item: 1: its open ends are among the targets, 2: all of them */
  guint n_judged;
  guint chosen; /* the target at the pointer, or by keys */
} CanvasWire;

struct _CanvasEdit
{
  const SluiceCanvasEditor *editor;
  gpointer user_data;
  GPtrArray *ports;    /* per item of the scene: GArray of CanvasPort, NULL until it is asked for */
  SluicePoint *ends;   /* per edge: SluiceDrawState */
  GHashTable *sprites; /* (nullable): char* -> cairo_surface_t */
  guint hover_item, hover_port;
  CanvasWire wire;

  /* Drags */
  gboolean may_splice; /* the box in hand has an open end at either side */
  guint splice_edge;   /* at the pointer, or chosen, where it fits; else SLUICE_NONE */
  GArray *wires;       /* (nullable): guint, edges that keys go through */
  guint chosen_wire;
  gboolean is_detaching;
  GArray *cut;                  /* guint, edges that the line crosses; NULL: there is no line */
  SluicePoint cut_from, cut_to; /* in the scene */
  guint bent_edge;              /* in hand, or SLUICE_NONE */
  SluicePoint bend_at;          /* in the scene */
  guint bend;                   /* which of the line's; SLUICE_NONE: a new one */
  guint ticks;                  /* callback while something is dragged */
  gint64 last_tick;             /* frame time, 0: none yet */

  SluicePlacing *placing; /* (nullable): of the next model */
  char *successor; /* (nullable): what is selected then, where what is selected now is gone */

  char *ghost; /* (nullable): the name of what would come */
  SluicePoint ghost_at;

  GtkWidget *status;   /* says what keys do while they lead a wire */
  GtkWidget *rename;   /* (nullable): the entry over a box */
  char *renamed;       /* the path of that */
  guint rename_source; /* takes away an entry that was left */
};

/* canvas-edit.c */
/* As sluice_canvas_place_next(), and what stands in @group counts as new, too. */
void sluice_canvas_edit_place_again (SluiceCanvas *self, guint group, double x, double y);

/* canvas-edit-ghost.c */
void sluice_canvas_edit_draw_ghost (SluiceCanvas *self, cairo_t *cr);

/* canvas-edit-names.c */
/* What is selected, outermost names only, NULL-terminated: (transfer full). */
char **sluice_canvas_edit_dup_names (SluiceCanvas *self);
/* The node of an op's box; NULL of others. */
const char *sluice_canvas_edit_get_node (SluiceCanvas *self, guint item);

/* canvas-edit-ports.c */
gboolean sluice_canvas_edit_shows_ports (SluiceCanvas *self);
/* Whether those of a box are drawn as long as nobody points at it: glyphs are too small. */
gboolean sluice_canvas_edit_shows_ports_of (SluiceCanvas *self, guint item);
/* (element-type CanvasPort), never NULL */
GArray *sluice_canvas_edit_get_ports (SluiceCanvas *self, guint item);
void sluice_canvas_edit_forget_ports (SluiceCanvas *self);
/* Of what is in view; before it is drawn. */
void sluice_canvas_edit_prepare_ports (SluiceCanvas *self);
/* That is drawn at this pixel, and its box; NULL: none is. */
const CanvasPort *
sluice_canvas_edit_pick_port (SluiceCanvas *self, double x, double y, guint *item, guint *port);
/* "input labels, int64 ?, open": (transfer full) */
char *sluice_canvas_edit_port_text (const CanvasPort *port);
/* Pixels of the widget where @at of the scene is. */
SluicePoint sluice_canvas_edit_to_pixels (SluiceCanvas *self, SluicePoint at);

/* canvas-edit-places.c */
/* Where the ports of a box are; lines that reach them end there. */
void sluice_canvas_edit_place_ports (SluiceCanvas *self, guint item, GArray *ports);

/* canvas-edit-interface.c */
/* Of closed scopes: what crosses their borders and what is open in them. @lists: per group, NULL
 * where it is not wanted. */
void sluice_canvas_edit_fill_interfaces (SluiceCanvas *self, GArray **lists);
/* Appends what the editor says of a node. */
void sluice_canvas_edit_describe (SluiceCanvas *self, guint node, GArray *list);
GArray *sluice_canvas_edit_new_ports (void);

/* canvas-edit-wire.c */
CanvasTarget *sluice_canvas_edit_get_target (SluiceCanvas *self, guint target);
const CanvasPort *sluice_canvas_edit_target_port (SluiceCanvas *self, guint target);
SluiceCanvasLink sluice_canvas_edit_target_link (SluiceCanvas *self, guint target);
void
sluice_canvas_edit_begin_wire (SluiceCanvas *self, CanvasWireState state, guint item, guint port);
/* The end in hand came to this pixel. */
void sluice_canvas_edit_move_wire (SluiceCanvas *self, double x, double y);
void sluice_canvas_edit_end_wire (SluiceCanvas *self);
/* All ends of a box, or only the open ones, become targets. */
void sluice_canvas_edit_ask (SluiceCanvas *self, guint item, gboolean all);
void sluice_canvas_edit_judge_target (SluiceCanvas *self, guint target);
/* Asks the editor of targets, for so many microseconds. TRUE: that is all of them. */
gboolean sluice_canvas_edit_judge (SluiceCanvas *self, gint64 budget);
/* What is in view becomes targets. */
void sluice_canvas_edit_ask_visible (SluiceCanvas *self);
/* Of those of @item the first that says best what becomes of the wire there; @all: also where it
 * would replace another one. SLUICE_NONE. */
guint sluice_canvas_edit_best_target (SluiceCanvas *self, guint item, gboolean all);
/* The scene is another one: the wire's box may have another number, or be gone. */
void sluice_canvas_edit_rebind_wire (SluiceCanvas *self);

/* canvas-edit-keys.c */
/* At the top, and to a screen reader. text: (nullable): nothing any more */
void sluice_canvas_edit_tell (SluiceCanvas *self, const char *text);
/* canvas-edit-draw.c */
/* A line, in the colour of what is chosen. */
void sluice_canvas_edit_draw_edge (SluiceCanvas *self, cairo_t *cr, guint edge);

/* canvas-edit-drop.c */
void sluice_canvas_edit_drop_on (SluiceCanvas *self, guint target);
void sluice_canvas_edit_drop (SluiceCanvas *self);
/* TRUE: @link is the one wire that the edge stands for. */
gboolean sluice_canvas_edit_edge_link (SluiceCanvas *self, guint edge, SluiceCanvasLink *link);
/* The edge at this pixel that is one wire; SLUICE_NONE. */
guint sluice_canvas_edit_pick_edge (SluiceCanvas *self, double x, double y);
/* The same of any line between boxes. */
guint sluice_canvas_edit_pick_line (SluiceCanvas *self, double x, double y);
/* From this pixel; of the wire in hand, where there is one, else, at the pointer, of the line
 * there. */
void sluice_canvas_edit_open_palette (
    SluiceCanvas *self, double x, double y, gboolean at_pointer, const char *text);

/* canvas-edit-pointer.c */
/* Whatever is dragged: nothing of it stays; a wire is on its own. */
void sluice_canvas_edit_end_drag (SluiceCanvas *self);

/* canvas-edit-bend.c */
/* TRUE: there was a handle of a bent line. */
void sluice_canvas_edit_bend_action (GtkWidget *widget, const char *name, GVariant *parameter);
gboolean sluice_canvas_edit_straighten_at (SluiceCanvas *self, double x, double y);
void
sluice_canvas_edit_straighten_action (GtkWidget *widget, const char *name, GVariant *parameter);
void sluice_canvas_edit_draw_bends (SluiceCanvas *self, cairo_t *cr);

/* canvas-edit-splice.c */
gboolean sluice_canvas_edit_may_splice (SluiceCanvas *self, guint item);
gboolean sluice_canvas_edit_fits_wire (SluiceCanvas *self, guint item, guint edge);
void sluice_canvas_edit_splice (SluiceCanvas *self, guint item, guint edge);
void sluice_canvas_edit_splice_action (GtkWidget *widget, const char *name, GVariant *parameter);
/* While keys choose a wire. FALSE: that is over, and the key is for others. */
gboolean sluice_canvas_edit_splice_key (SluiceCanvas *self, guint key);
char *sluice_canvas_edit_dup_splice_words (SluiceCanvas *self);

/* canvas-edit-sprites.c */
void sluice_canvas_edit_drop_sprites (SluiceCanvas *self);
/* FALSE: there is none of that @key yet. */
gboolean sluice_canvas_edit_paint_sprite (
    SluiceCanvas *self, cairo_t *cr, const char *key, double x, double y);
gboolean sluice_canvas_edit_get_sprite_size (SluiceCanvas *self,
                                             const char *key,
                                             double *width,
                                             double *height);
/* (transfer full): to draw it with */
cairo_t *
sluice_canvas_edit_new_sprite (SluiceCanvas *self, const char *key, double width, double height);

/* canvas-edit-draw.c */
void sluice_canvas_edit_draw_wire (SluiceCanvas *self, cairo_t *cr);
void sluice_canvas_edit_draw_cut (SluiceCanvas *self, cairo_t *cr);

/* canvas-edit-keys.c */
void sluice_canvas_edit_add_keys (SluiceCanvas *self);
void sluice_canvas_edit_link_action (GtkWidget *widget, const char *name, GVariant *parameter);
void sluice_canvas_edit_palette_action (GtkWidget *widget, const char *name, GVariant *parameter);
/* What is said while a wire is led by keys, or nothing. */
void sluice_canvas_edit_update_status (SluiceCanvas *self);

/* canvas-edit-rename.c */
void sluice_canvas_edit_rename_action (GtkWidget *widget, const char *name, GVariant *parameter);
void sluice_canvas_edit_end_rename (SluiceCanvas *self);
void sluice_canvas_edit_allocate_rename (SluiceCanvas *self);

G_END_DECLS
