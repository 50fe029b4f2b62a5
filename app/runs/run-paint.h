/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <gtk/gtk.h>

#include "ui/common/color.h"

/*
 * What rows are drawn with that have no widgets in them: the colours and shapes of the style, and
 * words that are laid out, many of which rows have in common.
 */
typedef struct _SluiceRunPaint SluiceRunPaint;

typedef enum
{
  SLUICE_RUN_INK_TEXT,
  SLUICE_RUN_INK_FAINT, /* a shape that says little */
  SLUICE_RUN_INK_RUNNING,
  SLUICE_RUN_INK_FINISHED,
  SLUICE_RUN_INK_FAILED,
  SLUICE_RUN_INK_STAR,
  SLUICE_N_RUN_INKS,
} SluiceRunInk;

typedef enum
{
  SLUICE_RUN_FONT_PLAIN,
  SLUICE_RUN_FONT_STRONG,
  SLUICE_RUN_FONT_DETAIL,
  SLUICE_RUN_FONT_PILL,
} SluiceRunFont;

#define SLUICE_RUN_N_HUES       7    /* of tags: app/style.css */
#define SLUICE_RUN_PILL_LETTERS 18   /* of a tag; of a longer one its ends */
#define SLUICE_RUN_DETAIL_SIZE  0.82 /* of what stands behind the words, where theirs is 1 */
#define SLUICE_RUN_ICON         16   /* pixels */
#define SLUICE_RUN_DOT          10
#define SLUICE_RUN_GAP          6 /* between what stands in one cell */

/* @widget: whose style it is; borrowed. */
SluiceRunPaint *sluice_run_paint_new (GtkWidget *widget);
void sluice_run_paint_free (SluiceRunPaint *self);
/* The style is another one. */
void sluice_run_paint_renew (SluiceRunPaint *self);
int sluice_run_paint_get_line_height (SluiceRunPaint *self);

/* A row while it is drawn. All places are pixels from where reading begins, and all that is drawn
 * stands in the middle of its height. */
typedef struct
{
  SluiceRunPaint *paint;
  GtkSnapshot *snapshot;
  GtkWidget *row;
  int width, height;
  gboolean mirrored;
} SluiceRunPen;

typedef struct
{
  const char *text;
  const char *shorter; /* (nullable): in its stead, where there is no room for all of it */
  const char *detail;  /* (nullable): smaller and fainter, behind it */
  SluiceRunFont font;
  SluiceRunInk ink;
  gboolean at_end;              /* of its room: a number */
  PangoEllipsizeMode ellipsize; /* where the text is shortened; NONE: what stands behind it is */
} SluiceRunWords;

void sluice_run_pen_words (const SluiceRunPen *pen, int x, int room, const SluiceRunWords *words);
void sluice_run_pen_icon (const SluiceRunPen *pen, int x, const char *name, SluiceRunInk ink);
/* Of a run; @square: of a group. */
void sluice_run_pen_dot (const SluiceRunPen *pen, int x, SluiceColor color, gboolean square);
/* @hue: of the style's tags. Returns its width. */
int sluice_run_pen_pill (const SluiceRunPen *pen, int x, const char *words, guint hue);
/* @texture: of sluice_texture_take_surface(). */
void
sluice_run_pen_picture (const SluiceRunPen *pen, int x, int width, int height, GdkTexture *texture);
/* What follows ends at its edges, until it is popped off the snapshot. */
void sluice_run_pen_push_clip (const SluiceRunPen *pen, int x, int width);
