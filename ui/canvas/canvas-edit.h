/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Editing on the canvas: ports, the wire in hand, and the gestures and keys that ask for a change.
 * The canvas never changes the graph itself: it asks its editor, which does a command and then
 * calls sluice_canvas_set_model(). Main thread only.
 *
 * Actions, all of them canvas.NAME, disabled where the editor does not offer what they do:
 *
 *   link (a wire from the selected box, by keys), palette
 *   delete, detach, splice (into a wire, by keys), duplicate, rename, group, ungroup, mute, bypass
 *   copy, cut, paste, paste-wired
 *   add-bend, next-bend, remove-bend (of the line that is chosen; move-left and so on move it)
 */
#pragma once

#include "ui/canvas/canvas.h"

G_BEGIN_DECLS

/* An output or an input of a node, by its number. */
typedef struct
{
  const char *node;
  guint index;
} SluiceCanvasEnd;

typedef struct
{
  SluiceCanvasEnd from; /* an output */
  SluiceCanvasEnd to;   /* an input */
} SluiceCanvasLink;

/* Collects the ports of a node while it is described. */
typedef struct _SluiceCanvasPorts SluiceCanvasPorts;

/* One more output or input, in the op's order; texts are copied. @name: of the op's argument,
 * "labels". @dtype: "float32". @shape: as drawn, "?×784". All (nullable). @is_open: nothing feeds
 * the input, nothing reads the output. */
void sluice_canvas_ports_add (SluiceCanvasPorts *self,
                              gboolean is_output,
                              const char *name,
                              const char *dtype,
                              const char *shape,
                              gboolean is_open);

/* What a palette is asked for. */
typedef struct
{
  double x, y;           /* of the canvas, in pixels: what a popover points to */
  SluicePoint at;        /* the same in the scene: for sluice_canvas_place_next() */
  SluiceCanvasEnd port;  /* of the wire in hand; node NULL: there is none */
  gboolean is_output;    /* it is an output: what reads it is wanted, else what gives it */
  SluiceCanvasEnd near;  /* the nearest end that refused the wire; node NULL: none did */
  SluiceCanvasLink wire; /* to be cut open for what is chosen; from.node NULL: there is none */
  const char *selected;  /* (nullable): a node or scope, where no port is in hand */
  const char *text;      /* typed already; never NULL */
} SluiceCanvasPaletteRequest;

/* A member that is NULL is not offered. Names are those of nodes and of scopes ("conv1"), never of
 * what the picture groups; lists of them end with NULL and have no scope together with what is in
 * it. */
typedef struct
{
  /* Questions, answered at once and from what is known: they are asked while a frame is drawn. */

  /* Of a node: all its outputs and inputs, by sluice_canvas_ports_add(). */
  void (*describe_ports) (const char *node, SluiceCanvasPorts *ports, gpointer user_data);

  /* Would @link fit, in place of what is there? @words: (out) (transfer full) (nullable): the
   * shape that what reads it would then give, "?×10"; where it does not fit, the reason in few
   * words, "reads 2 axes, this has 4". */
  gboolean (*judge) (const SluiceCanvasLink *link, char **words, gpointer user_data);

  /* Requests. Each is one command, whatever it says here in several words; who does it says what
   * went wrong. */

  /* @off: (nullable): the input that the wire was taken off, which is open afterwards. */
  void (*connect) (const SluiceCanvasLink *link, const SluiceCanvasEnd *off, gpointer user_data);
  void (*disconnect) (const SluiceCanvasEnd *inputs, guint n, gpointer user_data);

  /* What read them reads what they read, where that can be told. */
  void (*remove) (const char *const *names, gpointer user_data);
  /* Taken out of its wires in the same way, and kept. */
  void (*detach) (const char *const *names, gpointer user_data);
  /* What is there already into a wire: it reads what the wire brings by @input, and what reads that
   * there reads its @output instead. @lines: as of arrange, of the same command: the layout puts it
   * into the wire, wherever it stood; may be empty. */
  void (*splice) (const SluiceCanvasLink *wire,
                  const SluiceCanvasEnd *input,
                  const SluiceCanvasEnd *output,
                  const GPtrArray *lines,
                  gpointer user_data);

  /* (transfer full) (nullable): why it cannot be called so, for the person who types. */
  char *(*rename) (const char *name, const char *new_name, gpointer user_data);
  void (*group) (const char *const *names, gpointer user_data);
  void (*ungroup) (const char *scope, gpointer user_data);
  void (*duplicate) (const char *const *names, gpointer user_data);
  /* Gone around, where not all of them are already; else not any more. */
  void (*mute) (const char *const *names, gpointer user_data);
  void (*bypass) (const char *const *names, gpointer user_data);

  /* The text of them, for the clipboard: (transfer full) (nullable). */
  char *(*copy) (const char *const *names, gpointer user_data);
  /* @at: in the scene. @wired: inputs that the text names and that are there are kept. */
  void (*paste) (const char *text, SluicePoint at, gboolean wired, gpointer user_data);

  /* A port in hand stays there until the model changes, or sluice_canvas_drop_wire(). */
  void (*palette) (const SluiceCanvasPaletteRequest *request, gpointer user_data);

  /* What a person arranged, as a command: lines (char*) of sluice_view_state_diff(), which come
   * back by sluice_canvas_arrange(). words: what it is called. */
  void (*arrange) (const GPtrArray *lines, const char *words, gpointer user_data);

  /* Of the one history of commands, before the canvas' own of moves. TRUE: it did. */
  gboolean (*history) (gboolean redo, gpointer user_data);
} SluiceCanvasEditor;

/* @editor: (nullable): the picture is for looking at. It is not copied and must stay. */
void
sluice_canvas_set_editor (SluiceCanvas *self, const SluiceCanvasEditor *editor, gpointer user_data);

/* What the next model has and this one has not stands there, in the scene, and is selected. */
void sluice_canvas_place_next (SluiceCanvas *self, double x, double y);

/* The same, but it stands where the layout puts it. */
void sluice_canvas_select_next (SluiceCanvas *self);

/* What becomes of the arrangement where nodes or scopes are called otherwise, one after the other:
 * lines (char*) as of arrange. (transfer full) */
GPtrArray *sluice_canvas_list_renamed (SluiceCanvas *self,
                                       const char *const *names,
                                       const char *const *new_names);

/* Draws dashed, as a box with that name, what would come there, in the scene; a place that is no
 * number: behind what is selected. name: (nullable): nothing any more */
void sluice_canvas_show_ghost (SluiceCanvas *self, const char *name, SluicePoint at);

/* The palette was closed, and nothing chosen. */
void sluice_canvas_drop_wire (SluiceCanvas *self);

G_END_DECLS
