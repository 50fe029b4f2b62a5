/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/color.h"
#include "ui/chart/series-source.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * SluiceSparkline:
 *
 * A curve without axes, 48 x 22, for the rows of runs. Presentational: the row's words say
 * what it shows.
 */
#define SLUICE_TYPE_SPARKLINE (sluice_sparkline_get_type ())
G_DECLARE_FINAL_TYPE (SluiceSparkline, sluice_sparkline, SLUICE, SPARKLINE, GtkWidget)

GtkWidget *sluice_sparkline_new (void);

/** sluice_sparkline_set_source: (nullable): draws @source in @color; a reference is taken. */
void
sluice_sparkline_set_source (SluiceSparkline *self, SluiceSeriesSource *source, SluiceColor color);

/** sluice_sparkline_refresh: redraws if the series changed. */
void sluice_sparkline_refresh (SluiceSparkline *self);

/* A curve that somebody else shows, in a row of their own. */
typedef struct
{
  SluiceSeriesSource *source;
  SluiceColor color;
  gboolean banded; /* the source is a mean (ui/chart/mean-source.h), whose band is drawn, too */
  /* Instead of its own range: values from least to greatest, steps from 0 to last, so that curves
   * above each other can be compared. What is beyond it is drawn at its edge. */
  gboolean has_scale;
  double least, greatest, last;
} SluiceSparklineLook;

/** sluice_sparkline_draw: (transfer full): @width x @height units, in the style of @widget. */
GdkTexture *
sluice_sparkline_draw (const SluiceSparklineLook *look, GtkWidget *widget, int width, int height);

G_END_DECLS
