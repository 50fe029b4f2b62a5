/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/scale.h"
#include "ui/chart/series-source.h"
#include "ui/common/theme.h"
#include "ui/chart/ticks.h"
#include "ui/common/geometry.h"

#include <cairo.h>

G_BEGIN_DECLS

/*
 * A chart of scalars: series, view and cursor, drawn as a whole card. No GTK: the command line and
 * the tests draw with it, and #SluiceChartCard is a widget round it. Main thread only.
 */
typedef struct _SluiceChart SluiceChart;

typedef enum
{
  SLUICE_EVENT_NOTE,    /* learning rate, resume */
  SLUICE_EVENT_FAILURE, /* NaN, failed */
  SLUICE_EVENT_QUIET,   /* comes as regularly as the grid (checkpoint): a mark on the axis */
} SluiceEventKind;

typedef enum
{
  SLUICE_CHART_FRAME = 1 << 0,  /* ground and border of the card */
  SLUICE_CHART_TITLE = 1 << 1,  /* the title */
  SLUICE_CHART_LEGEND = 1 << 2, /* names of the series beside the title: for files */
  SLUICE_CHART_VECTOR = 1 << 3, /* curves as paths instead of pixels: for SVG and PDF */
} SluiceChartFlags;

/* What is said of the values at the cursor. */
typedef enum
{
  SLUICE_READOUT_BOX,  /* those of all series, in a box where it hides no curve beside the cursor */
  SLUICE_READOUT_NOTE, /* that of the series in front, beside the title */
} SluiceReadoutStyle;

/* What a series has at a place of the axis. */
typedef struct
{
  guint id;
  const char *name; /* borrowed from the chart */
  SluiceColor color;
  SluiceSeriesSample sample; /* the point nearest to the place */
  SluiceMeasure measure;     /* of a mean: what it is of, at that point */
  gboolean here;             /* the place lies between its first and its last point */
  double min, max; /* of the finite values in the range drawn last; NaN where there is none */
} SluiceChartValue;

/** sluice_chart_new: (transfer full): an empty chart on the step axis. */
SluiceChart *sluice_chart_new (void);
void sluice_chart_free (SluiceChart *self);

/** sluice_chart_set_title: @title is copied. */
void sluice_chart_set_title (SluiceChart *self, const char *title);

/** sluice_chart_set_title_room: what the title leaves free at the end of its row, in user units; so
 * does the note of a box that has no place. */
void sluice_chart_set_title_room (SluiceChart *self, double room);

/** sluice_chart_set_unit: how values are written; %SLUICE_UNIT_NONE at first. */
void sluice_chart_set_unit (SluiceChart *self, SluiceUnit unit);
SluiceUnit sluice_chart_get_unit (SluiceChart *self);

/**
 * sluice_chart_add_series:
 * @name: shown in the read-out; copied
 * @color: of the curve; adapted to the theme's ground where its contrast is below 3 : 1
 * @source: a reference is taken
 *
 * Returns: the id that the other calls take; ids are not used twice.
 */
guint sluice_chart_add_series (SluiceChart *self,
                               const char *name,
                               SluiceColor color,
                               SluiceSeriesSource *source);
void sluice_chart_remove_series (SluiceChart *self, guint id);
/** sluice_chart_set_series_visible: a hidden series is not drawn, read or counted. */
void sluice_chart_set_series_visible (SluiceChart *self, guint id, gboolean visible);
/** sluice_chart_dup_member_names: (transfer full): the name of a series, of a mean with the names
 * of those that it is of: "mlp × 2 (mlp-1, mlp-2)". */
char *sluice_chart_dup_member_names (SluiceChart *self, guint id);
guint sluice_chart_get_n_series (SluiceChart *self);

/**
 * sluice_chart_set_front:
 * @id: of a series; 0 for none
 *
 * Draws a series over the others and shows its last value beside the title, as long as there is no
 * cursor. A series that is not visible is not in front.
 */
void sluice_chart_set_front (SluiceChart *self, guint id);

/** sluice_chart_set_front_leads: fits the value axis to the series in front: others have as much of
 * the plot as leaves it a third of the height. At first they are all alike. */
void sluice_chart_set_front_leads (SluiceChart *self, gboolean leads);

/** sluice_chart_set_marked: draws a series over the others, and these paler; 0: none. */
void sluice_chart_set_marked (SluiceChart *self, guint id);

/**
 * sluice_chart_add_event:
 * @id: the series that it belongs to: shown while that is visible, gone when it is removed
 *
 * @word: copied, as is
 * @detail: (nullable): more of it, for tooltips and screen readers
 *
 * Adds a dashed mark with a word, at @step (and @wall on the time axes).
 */
void sluice_chart_add_event (SluiceChart *self,
                             guint id,
                             SluiceEventKind kind,
                             gint64 step,
                             double wall,
                             const char *word,
                             const char *detail);
/** sluice_chart_dup_events_at: (transfer full) (nullable): the events marked near pixel @px of the
 * last drawing, a line each: whose, when, what. NULL where there is none. */
char *sluice_chart_dup_events_at (SluiceChart *self, double px);
/** sluice_chart_move_to_event: the cursor goes to the next (+1) or previous (-1) mark. */
void sluice_chart_move_to_event (SluiceChart *self, int direction);
/** sluice_chart_clear_events: of one series. */
void sluice_chart_clear_events (SluiceChart *self, guint id);

/**
 * sluice_chart_set_series_x:
 * @x: (nullable): the series of the same run whose values are the places on %SLUICE_X_SERIES;
 *   %NULL: there is none, and nothing to draw. A reference is taken
 */
void sluice_chart_set_series_x (SluiceChart *self, guint id, SluiceSeriesSource *x);
/** sluice_chart_set_x_name: what %SLUICE_X_SERIES is called, and the unit of its values. */
void sluice_chart_set_x_name (SluiceChart *self, const char *name, SluiceUnit unit);

void sluice_chart_set_x_axis (SluiceChart *self, SluiceXAxis axis);
SluiceXAxis sluice_chart_get_x_axis (SluiceChart *self);
/** sluice_chart_get_x_unit: how places on the axis are written. */
SluiceUnit sluice_chart_get_x_unit (const SluiceChart *self);
void sluice_chart_set_log_y (SluiceChart *self, gboolean log_y);
gboolean sluice_chart_get_log_y (SluiceChart *self);

/** sluice_chart_set_smoothing: weight 0 to 0.999, clamped; 0.6 at first, as in TensorBoard. */
void sluice_chart_set_smoothing (SluiceChart *self, double weight);
double sluice_chart_get_smoothing (SluiceChart *self);

/** sluice_chart_set_ignore_outliers: fit y to the 5th to 95th percentile; on at first. */
void sluice_chart_set_ignore_outliers (SluiceChart *self, gboolean ignore);
gboolean sluice_chart_get_ignore_outliers (SluiceChart *self);

/** sluice_chart_set_band: fill between least and greatest value of a column; off at first. */
void sluice_chart_set_band (SluiceChart *self, gboolean band);

/** sluice_chart_set_expected_steps: the step axis reaches here, as soon as there is something to be
 * seen on it (sluice_chart_choose_end()); 0 when not known. */
void sluice_chart_set_expected_steps (SluiceChart *self, gint64 steps);

/** sluice_chart_choose_end: of a step axis while a run has come to @last of @expected: the end that
 * is to come, or a part of that until the curve fills a quarter of it. */
double sluice_chart_choose_end (double last, double expected);

/**
 * sluice_chart_set_view:
 *
 * Shows [@x0, @x1] of the current axis. NaN in either shows everything, live.
 */
void sluice_chart_set_view (SluiceChart *self, double x0, double x1);
/** sluice_chart_get_view: the range shown. Returns: whether it is zoomed. */
gboolean sluice_chart_get_view (SluiceChart *self, double *x0, double *x1);
/** sluice_chart_full_x: the range of x when nothing is zoomed. */
void sluice_chart_full_x (SluiceChart *self, double *x0, double *x1);
/** sluice_chart_set_y_view: shows these values; NaN in either those that fit the data. A log axis
 * shows only what is positive, and fits where that is nothing. */
void sluice_chart_set_y_view (SluiceChart *self, double y0, double y1);
/** sluice_chart_get_y_view: the values shown in the last drawing. Returns: whether they were set.
 */
gboolean sluice_chart_get_y_view (SluiceChart *self, double *y0, double *y1);
/** sluice_chart_pan: shows [@x0, @x1], or as much as lies within the full range. */
void sluice_chart_pan (SluiceChart *self, double x0, double x1);
/** sluice_chart_set_moving: the view is being dragged: of hundreds of curves only what comes into
 * view is drawn, and the value axis rests, until this is said to end. */
void sluice_chart_set_moving (SluiceChart *self, gboolean moving);
gboolean sluice_chart_is_moving (const SluiceChart *self);
/** sluice_chart_zoom: by @factor (> 1 is closer) about @x, which stays where it is. */
void sluice_chart_zoom (SluiceChart *self, double factor, double x);

/** sluice_chart_set_cursor: shows the read-out at @x; NaN hides it. */
void sluice_chart_set_cursor (SluiceChart *self, double x);
double sluice_chart_get_cursor (SluiceChart *self);
/** sluice_chart_set_readout_style: %SLUICE_READOUT_BOX at first. A box that has no place becomes a
 * note. */
void sluice_chart_set_readout_style (SluiceChart *self, SluiceReadoutStyle style);

/**
 * sluice_chart_dup_values:
 * @x: a place on the current axis; infinity is the end
 *
 * Returns: (transfer full) (element-type SluiceChartValue): of all visible series that have a
 *   point, in the order that they were added, that in front first.
 */
GArray *sluice_chart_dup_values (SluiceChart *self, double x);
/** sluice_chart_format_value: (transfer full): "0.071", of a mean "0.071 ± 0.003, n 5". */
char *sluice_chart_format_value (SluiceChart *self, const SluiceChartValue *value);
/** sluice_chart_dup_place: (transfer full): "step 1 120", or what the axis calls the point nearest
 * to @x; "" where there is none. */
char *sluice_chart_dup_place (SluiceChart *self, double x);
/** sluice_chart_move_cursor: to the next (+1) or previous (-1) point, at least one pixel away. */
void sluice_chart_move_cursor (SluiceChart *self, int direction);

/** sluice_chart_x_at: the value under pixel @px of the last drawing, clamped to the plot. */
double sluice_chart_x_at (SluiceChart *self, double px);
/** sluice_chart_get_plot: the plot's rectangle in the last drawing. */
SluiceRect sluice_chart_get_plot (SluiceChart *self);
/** sluice_chart_set_selection: shades [@a, @b], what a drag is about to zoom to; NaN for none. */
void sluice_chart_set_selection (SluiceChart *self, double a, double b);

/** sluice_chart_needs_redraw: whether data, view or style differ from what was last drawn. */
gboolean sluice_chart_needs_redraw (SluiceChart *self);

/**
 * sluice_chart_prepare:
 * @budget_us: how long it may take; -1 for as long as needed
 *
 * Brings the smoothing of all series up to date. Returns: %FALSE if more calls are needed.
 */
gboolean sluice_chart_prepare (SluiceChart *self, gint64 budget_us);
/**
 * sluice_chart_refine:
 * @budget_us: how long it may take
 *
 * Works on the columns that were not exact when they were drawn; when they are, the chart needs a
 * redraw. Returns: %FALSE if more calls are needed.
 */
gboolean sluice_chart_refine (SluiceChart *self, gint64 budget_us);

/**
 * sluice_chart_render:
 * @cr: where to draw; its device scale decides the pixels of the curves
 * @width: of the card, in user units
 * @height: of the card
 * @theme: colours and font
 * @flags: which parts
 *
 * Draws the whole card at the origin. Curves whose data and view have not changed are taken from
 * the last call.
 */
void sluice_chart_render (SluiceChart *self,
                          cairo_t *cr,
                          double width,
                          double height,
                          const SluiceTheme *theme,
                          SluiceChartFlags flags);

/** sluice_chart_dup_summary: (transfer full): a sentence with the last value of each series. */
char *sluice_chart_dup_summary (SluiceChart *self);
/** sluice_chart_dup_told: (transfer full): what a screen reader says of it: the values at the
 * cursor, or else the summary and what the vertical axis spans. */
char *sluice_chart_dup_told (SluiceChart *self);

/** sluice_chart_dup_readout: (transfer full) (nullable): what the read-out shows, as one line. */
char *sluice_chart_dup_readout (SluiceChart *self);

/**
 * sluice_chart_export:
 * @path: ends in .png, .svg, .pdf, .csv or .jsonl; that decides the format. The last two have every
 *   point
 * @width: of the picture, in user units
 * @height: of the picture
 * @scale: pixels per unit of a PNG
 *
 * Returns: %FALSE and @error when the file cannot be written; nothing half-written is left.
 */
gboolean sluice_chart_export (SluiceChart *self,
                              const char *path,
                              double width,
                              double height,
                              double scale,
                              const SluiceTheme *theme,
                              GError **error);

/* A file of all points, CSV or (.jsonl) lines of JSON, that is being written a part at a time, so
 * that a window can stay alive meanwhile. */
typedef struct _SluiceChartCsv SluiceChartCsv;

/**
 * sluice_chart_csv_new:
 * @path: replaced when the last point is written, and not before
 *
 * Starts a file of every point of the series that are visible now.
 *
 * Returns: (transfer full): %NULL and @error (a #GFileError) when the folder cannot be written to.
 */
SluiceChartCsv *sluice_chart_csv_new (SluiceChart *self, const char *path, GError **error);

/**
 * sluice_chart_csv_write:
 * @budget_us: how long the call may take, in microseconds; -1 for as long as it needs
 * @done: (out): whether the file is whole and in its place
 *
 * Returns: %FALSE and @error when the disk refuses; then nothing is left behind.
 */
gboolean
sluice_chart_csv_write (SluiceChartCsv *csv, gint64 budget_us, gboolean *done, GError **error);

/** sluice_chart_csv_free: an unfinished file is removed. */
void sluice_chart_csv_free (SluiceChartCsv *csv);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceChartCsv, sluice_chart_csv_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceChart, sluice_chart_free)

G_END_DECLS
