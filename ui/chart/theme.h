/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/color.h"

G_BEGIN_DECLS

typedef enum
{
  SLUICE_THEME_LIGHT,
  SLUICE_THEME_DARK,
  SLUICE_THEME_HIGH_CONTRAST_LIGHT,
  SLUICE_THEME_HIGH_CONTRAST_DARK,
} SluiceThemeKind;

/* What a chart is drawn with. The widgets fill it from GTK's style, the command line from a kind.
 */
typedef struct
{
  SluiceColor window;  /* behind the cards */
  SluiceColor card;    /* the card's ground */
  SluiceColor border;  /* the card's and the read-out's edge */
  SluiceColor text;    /* titles and values */
  SluiceColor dim;     /* labels, captions */
  SluiceColor grid;    /* horizontal lines */
  SluiceColor cursor;  /* the line under the pointer */
  SluiceColor event;   /* dashed marks: learning rate, checkpoint, resume */
  SluiceColor failure; /* NaN, infinity, failed */
  SluiceColor accent;  /* selection */
  double raw_alpha;    /* opacity of the unsmoothed curve */
  const char *font;    /* Pango family, borrowed; NULL is the system's */
} SluiceChartTheme;

/** sluice_chart_theme_init: fills @theme with the colours of @kind. */
void sluice_chart_theme_init (SluiceChartTheme *theme, SluiceThemeKind kind);

G_END_DECLS
