/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/color.h"

G_BEGIN_DECLS

typedef enum
{
  SLUICE_THEME_LIGHT,
  SLUICE_THEME_DARK,
  SLUICE_THEME_HIGH_CONTRAST_LIGHT,
  SLUICE_THEME_HIGH_CONTRAST_DARK,
} SluiceThemeKind;

/* What graphs and charts are drawn with: plain numbers, so that a picture needs no widget and no
 * display. The command line takes the colours of a kind, widgets ask GTK's style which kind
 * (ui/common/widget.h). */
typedef struct
{
  gboolean dark;
  const char *font;    /* Pango family, borrowed; NULL is the system's */
  double contrast;     /* that a hue which carries meaning has at least against its ground */
  SluiceColor text;    /* titles and values */
  SluiceColor dim;     /* second lines, labels, captions */
  SluiceColor failure; /* red, for what failed only: errors, NaN, infinity */
  SluiceColor accent;  /* selection */

  /* Cards */
  SluiceColor window; /* behind the cards */
  SluiceColor card;   /* the card's ground */
  SluiceColor border; /* the card's and the read-out's edge */
  SluiceColor grid;   /* horizontal lines */
  SluiceColor cursor; /* the line under the pointer */
  SluiceColor event;  /* dashed marks: learning rate, checkpoint, resume */
  double raw_alpha;   /* opacity of the unsmoothed curve */

  /* The canvas */
  SluiceColor ground;   /* behind everything, and of label plates */
  SluiceColor dot;      /* the dotted ground */
  SluiceColor surface;  /* inside of capsules, minimap, colour-by bar */
  SluiceColor line;     /* data edges */
  SluiceColor outline;  /* borders without a hue */
  SluiceColor track;    /* empty part of a heat bar */
  SluiceColor heat;     /* full part of a heat bar */
  SluiceColor update;   /* what updates a variable */
  SluiceColor variable; /* brown */
  SluiceColor summary;  /* teal */
  SluiceColor loop;     /* back edges: what goes round */
  double tint;          /* opacity of the hue inside a scope */
  double border_width;  /* of a box */
} SluiceTheme;

/** sluice_theme_get: (transfer none): the colours of @kind; its font is the system's. */
const SluiceTheme *sluice_theme_get (SluiceThemeKind kind);

/**
 * sluice_theme_get_hue:
 * @index: the place of a structure or a device in its list, from 0
 *
 * Returns: its colour (sluice_palette_structure()), with the theme's contrast to the canvas.
 */
SluiceColor sluice_theme_get_hue (const SluiceTheme *theme, guint index);

G_END_DECLS
