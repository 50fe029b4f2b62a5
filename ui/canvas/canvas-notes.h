/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a person writes on the picture: frames around boxes, notes beside them. canvas-notes.c
 * (where they are, drawing, drags), canvas-notes-text.c (what they say). Main thread only. */
#pragma once

#include "ui/canvas/canvas-private.h"

G_BEGIN_DECLS

/* One that is drawn. */
typedef struct
{
  const char *id;
  const SluiceViewNote *note;
  SluiceRect rect; /* in the scene */
} CanvasNote;

/* All that are drawn, frames first: (transfer full) (element-type CanvasNote); valid until the view
 * state changes. */
GArray *sluice_canvas_list_notes (SluiceCanvas *self);
/* Of the picture with all that is written on it. */
SluiceRect sluice_canvas_get_bounds (SluiceCanvas *self);
/* The first words, for the name of a command: (transfer full). */
char *sluice_canvas_dup_note_words (const char *text);
/* Of the handle: all of a note, the title of a frame. (nullable): there is none at this pixel */
const char *sluice_canvas_pick_note (SluiceCanvas *self, double x, double y);
/* id: (nullable): none. Boxes are not selected then. */
void sluice_canvas_select_note (SluiceCanvas *self, const char *id);
/* Moves the one that is selected, with the boxes of a frame, as a command. */
void sluice_canvas_move_note (SluiceCanvas *self, double dx, double dy);
/* The selected one is dragged, by so much in the scene. FALSE: it goes with its boxes. */
gboolean sluice_canvas_drag_note (SluiceCanvas *self, SluicePoint by);
/* The boxes of a frame, which are dragged: SLUICE_NONE: it is a note. */
guint sluice_canvas_grab_frame (SluiceCanvas *self, const char *id);
/* Under the boxes, in the scene. */
void sluice_canvas_draw_notes (cairo_t *cr, gpointer canvas);
/* Of frames, over wires and the words on them: cr is the widget's. */
void sluice_canvas_draw_titles (SluiceCanvas *self, cairo_t *cr);
/* What a screen reader says of all of them. */
void sluice_canvas_append_note_words (SluiceCanvas *self, GString *text);
/* A member of the state, for tests of the window. */
void sluice_canvas_append_note_state (SluiceCanvas *self, GString *out);

/* canvas-notes-text.c */
/* An entry in its place. */
void sluice_canvas_edit_note (SluiceCanvas *self, const char *id);
void sluice_canvas_end_note_edit (SluiceCanvas *self);
void sluice_canvas_allocate_note_edit (SluiceCanvas *self);
/* FALSE: none is selected. */
gboolean sluice_canvas_delete_note (SluiceCanvas *self);
void sluice_canvas_append_note_menu (SluiceCanvas *self, GMenu *menu);
void sluice_canvas_install_note_actions (GtkWidgetClass *klass);

G_END_DECLS
