/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/chart.h"
#include "ui/common/export.h"
#include "ui/chart/histogram-chart.h"
#include "ui/chart/pen.h"
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

typedef struct
{
  guint id;
  char *name;
  SluiceColor color;
  GPtrArray *steps; /* of SluiceHistogramStep, ascending */

  /* Of the last layout. */
  SluiceRect plot;
  guint *shown; /* indices of the steps that have a ridge, oldest first */
  guint n_shown;
} SluiceHistogramRun;

struct _SluiceHistogramChart
{
  char *title;
  SluiceHistogramMode mode;
  GPtrArray *runs; /* of SluiceHistogramRun */
  guint next_id, front;
  guint most_steps; /* 0: as many as fit */
  double title_room, names_room;
  double cursor_x, cursor_y;
  const SluiceHistogramRun *selected_run; /* (nullable) */
  int selected;
  gboolean dirty;

  gboolean fresh; /* what follows belongs to the runs as they are */

  /* Of the last drawing. */
  GPtrArray *drawn;       /* of SluiceHistogramRun, borrowed: that in front first */
  guint n_panels;         /* how many of them are seen */
  guint n_left;           /* how many are not, or without their name */
  double lo, hi;          /* range of values */
  double highest;         /* greatest count of a bin */
  double first, end;      /* range of steps, of heat and bands */
  double relief;          /* height of the highest ridge */
  cairo_surface_t *image; /* what does not depend on the cursor, or NULL */
  gboolean image_is_current;
  double image_width, image_height, image_scale;
  SluiceColor image_card;
};

/** sluice_histogram_chart_order: fills drawn with the runs that have steps, that in front first. */
void sluice_histogram_chart_order (SluiceHistogramChart *self);

/** sluice_histogram_step_at: the step drawn under a pixel of the last drawing, or -1, and its run.
 */
int sluice_histogram_step_at (SluiceHistogramChart *self,
                              double px,
                              double py,
                              const SluiceHistogramRun **run);

/** sluice_histogram_resample: spreads the buckets of @step over bins of [lo, hi] by overlap. */
void sluice_histogram_resample (SluiceHistogramStep *step, double lo, double hi);

/** sluice_histogram_quantile: the value below which @share of the values lie, as far as the buckets
 * say. */
double sluice_histogram_quantile (const SluiceHistogramStep *step, double share);

static inline SluiceHistogramStep *
_sluice_histogram_get_step (const SluiceHistogramRun *run, guint index)
{
  return g_ptr_array_index (run->steps, index);
}

/* What histogram-steps.c draws: heat and bands, over steps to the right. */
double sluice_histogram_step_x (const SluiceHistogramChart *self,
                                const SluiceHistogramRun *run,
                                double step);
void sluice_histogram_step_span (const SluiceHistogramChart *self,
                                 const SluiceHistogramRun *run,
                                 guint i,
                                 double *left,
                                 double *right);
void sluice_histogram_draw_heat (const SluiceHistogramChart *self,
                                 const SluiceHistogramRun *run,
                                 SluicePen *pen,
                                 const SluiceTheme *theme);
void sluice_histogram_draw_bands (const SluiceHistogramChart *self,
                                  const SluiceHistogramRun *run,
                                  SluicePen *pen,
                                  const SluiceTheme *theme);

G_END_DECLS
