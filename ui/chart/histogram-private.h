/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/chart.h"
#include "ui/common/export.h"
#include "ui/chart/histogram-chart.h"
#include "ui/common/text.h"
#include "ui/common/geometry.h"

G_BEGIN_DECLS

/* Every histogram is shown in these many equal bins over the range that all share. */
#define SLUICE_HISTOGRAM_BINS 48

typedef struct
{
  gint64 step;
  guint n;
  double *edges, *counts;
  double total;
  double bins[SLUICE_HISTOGRAM_BINS]; /* of the last layout */
} SluiceHistogramStep;

struct _SluiceHistogramChart
{
  char *title;
  SluiceColor color;
  SluiceHistogramMode mode;
  GPtrArray *steps; /* of SluiceHistogramStep, ascending */
  double cursor_x, cursor_y;
  int selected;
  gboolean dirty;

  gboolean fresh; /* what follows belongs to the steps as they are */

  /* Of the last drawing. */
  SluiceRect plot;
  double lo, hi;  /* range of values */
  double highest; /* greatest count of a bin */
  guint *shown;   /* indices of the steps that have a ridge, oldest first */
  guint n_shown;
  double relief;          /* height of the highest ridge */
  cairo_surface_t *image; /* what does not depend on the cursor, or NULL */
  double image_width, image_height, image_scale;
  SluiceColor image_card;
};

/** sluice_histogram_step_at: the step drawn under a pixel of the last drawing, or -1. */
int sluice_histogram_step_at (SluiceHistogramChart *self, double px, double py);

/** sluice_histogram_resample: spreads the buckets of @step over bins of [lo, hi] by overlap. */
void sluice_histogram_resample (SluiceHistogramStep *step, double lo, double hi);

G_END_DECLS
