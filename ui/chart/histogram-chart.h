/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/common/theme.h"

#include <cairo.h>

G_BEGIN_DECLS

/* Histograms of some runs over their steps, drawn as a whole card. No GTK; main thread only. */
typedef struct _SluiceHistogramChart SluiceHistogramChart;

typedef enum
{
  SLUICE_HISTOGRAM_RIDGE,   /* one ridge a step, older ones behind and paler; runs beside each other
                             */
  SLUICE_HISTOGRAM_OVERLAY, /* one curve a step, all runs on one ground */
  SLUICE_HISTOGRAM_HEAT,    /* steps to the right, values up, count as depth of colour */
  SLUICE_HISTOGRAM_BANDS,   /* steps to the right, between which values most of them lie */
} SluiceHistogramMode;

/** sluice_histogram_chart_new: (transfer full): an empty one, in ridge mode. */
SluiceHistogramChart *sluice_histogram_chart_new (void);
void sluice_histogram_chart_free (SluiceHistogramChart *self);

void sluice_histogram_chart_set_title (SluiceHistogramChart *self, const char *title);
const char *sluice_histogram_chart_get_title (SluiceHistogramChart *self);

/** sluice_histogram_chart_add_run: Returns: the id that the other calls take, never 0. */
guint
sluice_histogram_chart_add_run (SluiceHistogramChart *self, const char *name, SluiceColor color);
void sluice_histogram_chart_remove_run (SluiceHistogramChart *self, guint run);
void sluice_histogram_chart_set_run_style (SluiceHistogramChart *self,
                                           guint run,
                                           const char *name,
                                           SluiceColor color);
/** sluice_histogram_chart_clear_run: its steps are forgotten. */
void sluice_histogram_chart_clear_run (SluiceHistogramChart *self, guint run);
/** sluice_histogram_chart_keep_steps:
 * @steps: (element-type gint64): of the run; all others are forgotten, which takes the selection
 * only where it was one of them
 */
void sluice_histogram_chart_keep_steps (SluiceHistogramChart *self, guint run, GHashTable *steps);
/** sluice_histogram_chart_set_front: which run stands first; 0: the one added first. */
void sluice_histogram_chart_set_front (SluiceHistogramChart *self, guint run);
/** sluice_histogram_chart_get_n_left: how many runs had no room, or no name, in the last drawing.
 */
guint sluice_histogram_chart_get_n_left (SluiceHistogramChart *self);
guint sluice_histogram_chart_get_n_runs (SluiceHistogramChart *self);

void sluice_histogram_chart_set_mode (SluiceHistogramChart *self, SluiceHistogramMode mode);
SluiceHistogramMode sluice_histogram_chart_get_mode (SluiceHistogramChart *self);

/**
 * sluice_histogram_chart_set_most_steps:
 * @n: how many ridges or curves a run has, evenly over its steps, the newest among them; 0: as many
 *   as can be told from each other
 */
void sluice_histogram_chart_set_most_steps (SluiceHistogramChart *self, guint n);
/** sluice_histogram_chart_get_n_shown: of the run that stands first in the last drawing; @n_steps:
 * (out) (nullable): how many it has. */
guint sluice_histogram_chart_get_n_shown (SluiceHistogramChart *self, guint *n_steps);

/**
 * sluice_histogram_chart_append:
 * @step: past the last one; the same step replaces it
 * @n_buckets: how many
 * @edges: (array): n_buckets + 1 ascending edges, copied
 * @counts: (array length=n_buckets): how many values fell between them, copied
 *
 * Returns: %FALSE, and nothing is added, if an edge is not finite or not in order, a count is
 *   negative or not finite, or there is no bucket.
 */
gboolean sluice_histogram_chart_append (SluiceHistogramChart *self,
                                        guint run,
                                        gint64 step,
                                        guint n_buckets,
                                        const double *edges,
                                        const double *counts);

/**
 * sluice_histogram_chart_append_proto:
 * @min: least value, the left edge of the first bucket that is not empty
 * @max: greatest value, the right edge of the last one
 * @limits: (array length=n): right edge of each bucket, as in TensorFlow's HistogramProto
 * @buckets: (array length=n): counts
 *
 * As sluice_histogram_chart_append(), from the fields of a HistogramProto.
 */
gboolean sluice_histogram_chart_append_proto (SluiceHistogramChart *self,
                                              guint run,
                                              gint64 step,
                                              double min,
                                              double max,
                                              guint n,
                                              const double *limits,
                                              const double *buckets);

/** sluice_histogram_chart_get_n_steps: of the run that stands first. */
guint sluice_histogram_chart_get_n_steps (SluiceHistogramChart *self);

/** sluice_histogram_chart_set_room: what is kept free at the end of the title's row, and of the row
 * of names below it, in user units. */
void sluice_histogram_chart_set_room (SluiceHistogramChart *self, double title, double names);

/** sluice_histogram_chart_set_cursor: the pixel under the pointer; NaN for none. */
void sluice_histogram_chart_set_cursor (SluiceHistogramChart *self, double px, double py);
/** sluice_histogram_chart_select: reads out the step at @index, from 0, of the run that stands
 * first; -1 for none. */
void sluice_histogram_chart_select (SluiceHistogramChart *self, int index);
int sluice_histogram_chart_get_selected (SluiceHistogramChart *self);

gboolean sluice_histogram_chart_needs_redraw (SluiceHistogramChart *self);

/** sluice_histogram_chart_render: draws the card at the origin; @flags are #SluiceChartFlags. */
void sluice_histogram_chart_render (SluiceHistogramChart *self,
                                    cairo_t *cr,
                                    double width,
                                    double height,
                                    const SluiceTheme *theme,
                                    guint flags);

/** sluice_histogram_chart_dup_summary: (transfer full): a sentence about the last step of each run.
 */
char *sluice_histogram_chart_dup_summary (SluiceHistogramChart *self);

/** sluice_histogram_chart_export: as sluice_chart_export(). */
gboolean sluice_histogram_chart_export (SluiceHistogramChart *self,
                                        const char *path,
                                        double width,
                                        double height,
                                        double scale,
                                        const SluiceTheme *theme,
                                        GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceHistogramChart, sluice_histogram_chart_free)

G_END_DECLS
