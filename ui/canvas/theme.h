/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Colours and metrics of the drawn graph: plain numbers, so that a picture needs no widget and no
 * display. */
#pragma once

#include "ui/common/color.h"

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  SluiceColor ground;   /* behind everything, and of label plates */
  SluiceColor dot;      /* the dotted ground */
  SluiceColor surface;  /* inside of capsules, minimap, colour-by bar */
  SluiceColor text;     /* titles */
  SluiceColor dim;      /* second lines, edge labels */
  SluiceColor line;     /* data edges */
  SluiceColor outline;  /* borders without a hue */
  SluiceColor track;    /* empty part of a heat bar */
  SluiceColor heat;     /* full part of a heat bar */
  SluiceColor update;   /* what updates a variable */
  SluiceColor loop;     /* back edges: what goes round */
  SluiceColor variable; /* brown */
  SluiceColor summary;  /* teal */
  SluiceColor failure;  /* red, for errors only */
  SluiceColor accent;   /* selection */
  double tint;          /* opacity of the hue inside a scope: 0.16 */
  double border;        /* width of a box's border: 1.4 */
  gboolean dark;
  const char *font; /* Pango family, static string; NULL = "Sans" */
} SluiceCanvasTheme;

typedef enum
{
  SLUICE_CANVAS_LIGHT,
  SLUICE_CANVAS_DARK,
  SLUICE_CANVAS_HIGH_CONTRAST,
  SLUICE_CANVAS_HIGH_CONTRAST_DARK,
} SluiceCanvasThemeKind;

const SluiceCanvasTheme *sluice_canvas_theme_get (SluiceCanvasThemeKind kind);

/* The @index-th colour of structures and devices: six named ones, then golden-angle hues of equal
 * lightness; lighter in dark themes so that a line keeps 3 : 1 against the ground. */
SluiceColor sluice_canvas_theme_hue (const SluiceCanvasTheme *theme, guint index);

G_END_DECLS
