/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What a person did to the picture, apart from the graph: open scopes, moved boxes, bent lines,
 * notes and frames, what is set aside or brought back, the view. Keyed by names, so it survives
 * every rebuild of the graph. Its text form is the `model.layout` sidecar:
 *
 *   layout 1 graph=<hash>
 *   bend <from> <to> <dx> <dy> [<dx> <dy>]...
 *   engine dot
 *   exclude <name>
 *   frame <id> <title> <name>...
 *   include <name>
 *   moved <name> <dx> <dy>
 *   note <id> <text> <dx> <dy> [<name>]
 *   open <scope>
 *   size <width> <height>
 *   view <x> <y> <zoom>
 *
 * Lines are sorted, so that two people's moves merge; lines of an unknown kind are kept as they
 * are. Blanks, control characters and backslashes in names are three octal digits (`\040`). */
#pragma once

#include <glib.h>

#include "ui/common/geometry.h"

G_BEGIN_DECLS

typedef struct _SluiceViewState SluiceViewState;

SluiceViewState *sluice_view_state_new (void);
SluiceViewState *sluice_view_state_copy (const SluiceViewState *self);
void sluice_view_state_free (SluiceViewState *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceViewState, sluice_view_state_free)

/* Names are those of the hierarchy: sluice_hierarchy_get_node()->path. */
gboolean sluice_view_state_is_open (const SluiceViewState *self, const char *scope);
void sluice_view_state_set_open (SluiceViewState *self, const char *scope, gboolean open);
void sluice_view_state_close_all (SluiceViewState *self);
/* What is open in @other is open as well. */
void sluice_view_state_take_open (SluiceViewState *self, const SluiceViewState *other);

/* A moved box: how far from where the layout puts it, in unzoomed pixels, so that it stays with its
 * neighbours when a scope opens beside it. */
gboolean
sluice_view_state_get_move (const SluiceViewState *self, const char *name, double *dx, double *dy);
void sluice_view_state_set_move (SluiceViewState *self, const char *name, double dx, double dy);
void sluice_view_state_unset_moves (SluiceViewState *self);
/* Of that and of what stands in it. */
void sluice_view_state_unset_moves_below (SluiceViewState *self, const char *name);

#define SLUICE_MAX_BENDS 8 /* of a line */

/* The line between two boxes leads through points: each so far from where it would be if all lay
 * evenly on the straight way between its ends; one alone from the middle. */
typedef struct
{
  guint n;
  SluicePoint by[SLUICE_MAX_BENDS];
} SluiceViewBends;

/* FALSE: it has none. */
gboolean sluice_view_state_get_bends (const SluiceViewState *self,
                                      const char *from,
                                      const char *to,
                                      SluiceViewBends *bends);
void sluice_view_state_set_bends (SluiceViewState *self,
                                  const char *from,
                                  const char *to,
                                  const SluiceViewBends *bends);
void sluice_view_state_unset_bend (SluiceViewState *self, const char *from, const char *to);
gboolean sluice_view_state_has_bends (const SluiceViewState *self);

/* What is written on the picture: a frame around boxes, or a note beside one of them. */
typedef struct
{
  gboolean is_frame;
  char *text;    /* the title of a frame; never empty */
  char **names;  /* what the frame goes around; of a note one name, or none */
  double dx, dy; /* of a note: from the middle of its box, or of the picture, to its top left */
} SluiceViewNote;

/* (element-type char* SluiceViewNote*): by its id, "1" */
GHashTable *sluice_view_state_get_notes (const SluiceViewState *self);
/* A copy of it; note: (nullable): no more. */
void sluice_view_state_set_note (SluiceViewState *self, const char *id, const SluiceViewNote *note);
/* One that no note has: (transfer full). */
char *sluice_view_state_new_note_id (const SluiceViewState *self);

/* What was moved, bent, noted and set aside, and who lays out, become as they are in @other; what
 * is open and in view stays. */
void sluice_view_state_take_arrangement (SluiceViewState *self, const SluiceViewState *other);

/* What was arranged of a box, and of what stands in it, is of one with another name. */
void sluice_view_state_rename (SluiceViewState *self, const char *from, const char *to);

/* What makes one arrangement of the other: lines of the text, those that go first, "-moved fc1 20
 * 0",
 * "+moved fc1 40 0". (transfer full) (element-type utf8): empty where they are equal */
GPtrArray *sluice_view_state_diff (const SluiceViewState *before, const SluiceViewState *after);
/* Does such a line; one that is not understood does nothing. */
void sluice_view_state_apply (SluiceViewState *self, const char *line);

typedef enum
{
  SLUICE_PLACE_DEFAULT,
  SLUICE_PLACE_INCLUDE, /* keep in the drawing although it is a hub */
  SLUICE_PLACE_EXCLUDE, /* set aside */
} SluicePlace;

SluicePlace sluice_view_state_get_place (const SluiceViewState *self, const char *name);
void sluice_view_state_set_place (SluiceViewState *self, const char *name, SluicePlace place);

/* Small levels can be laid out by Graphviz instead of by our own layout. */
gboolean sluice_view_state_get_use_dot (const SluiceViewState *self);
void sluice_view_state_set_use_dot (SluiceViewState *self, gboolean use_dot);

/* Centre of the view in scene coordinates, and zoom; FALSE when never set (then the view fits the
 * graph). */
gboolean
sluice_view_state_get_view (const SluiceViewState *self, double *x, double *y, double *zoom);
void sluice_view_state_set_view (SluiceViewState *self, double x, double y, double zoom);

/* Pixels of the view that the drawing is packed to fit: left alone where they were never set. Of
 * the text where there is a view, which is one of that packing. */
void sluice_view_state_get_size (const SluiceViewState *self, double *width, double *height);
void sluice_view_state_set_size (SluiceViewState *self, double width, double height);

/* Parses the text of a layout file. On a bad line: NULL and G_KEY_FILE_ERROR-free message naming
 * the line (domain G_FILE_ERROR, code INVAL). @hash (out, optional): the graph it was written for.
 */
SluiceViewState *sluice_view_state_parse (const char *text, char **hash, GError **error);

/* The text for a file; ends with a newline. Parsing it gives an equal state. */
char *sluice_view_state_print (const SluiceViewState *self, const char *graph_hash);

G_END_DECLS
