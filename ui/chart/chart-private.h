/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "ui/chart/chart.h"
#include "ui/chart/pen.h"
#include "ui/chart/raster.h"
#include "ui/common/text.h"
#include "ui/common/geometry.h"

G_BEGIN_DECLS

typedef struct
{
  guint id;
  char *name;
  SluiceColor color;
  SluiceSeriesSource *own;    /* all its points */
  SluiceSeriesSource *pairs;  /* (nullable): its values over those of another series */
  SluiceSeriesSource *source; /* borrowed: one of the two, that the axis shows */
  gboolean visible;
  guint64 drawn_serial;
  SluiceColumn *columns; /* n_columns of the chart's key, or NULL before the first read */
  SluiceEdges edges;
} SluiceChartSeries;

typedef struct
{
  guint series; /* id */
  SluiceEventKind kind;
  gint64 step;
  double wall;
  char *word, *detail; /* detail: (nullable) */
} SluiceChartEvent;

/* Everything that decides what the columns hold; compared as bytes, so it is cleared before use. */
typedef struct
{
  double x0, x1;
  guint64 n_columns;
  guint64 data; /* changes with the data and with the set of visible series */
  SluiceXAxis axis;
} SluiceReadKey;

/* Everything that decides the image of the curves; compared as bytes. */
typedef struct
{
  guint64 read_count;
  guint64 style_count;
  double y0, y1;
  double width, height, scale;
  SluiceColor card;
  SluiceColor failure;
  double raw_alpha;
} SluiceImageKey;

struct _SluiceChart
{
  char *title;
  SluiceUnit unit;
  GPtrArray *series; /* of SluiceChartSeries */
  GPtrArray *events; /* of SluiceChartEvent */
  guint next_id;
  guint front; /* id of a series, or 0 */
  gboolean front_leads;
  guint marked; /* likewise */

  SluiceXAxis axis;
  char *x_name;      /* of the series that gives the places of %SLUICE_X_SERIES */
  SluiceUnit x_unit; /* of its values */
  gboolean log_y;
  double smoothing;
  gboolean ignore_outliers;
  gboolean band;
  gint64 expected_steps;
  double view_x0, view_x1; /* NaN: everything */
  double view_y0, view_y1; /* NaN: what fits the data */
  double cursor;           /* NaN: none */
  SluiceReadoutStyle readout_style;
  double selection_a, selection_b;

  gboolean moving;  /* the view follows the pointer */
  gboolean shifts;  /* the image of the curves only changes its place */
  int shift;        /* to the left, in device pixels */
  gboolean shifted; /* the image is no longer that of its key */

  gboolean dirty;
  guint64 read_count;  /* how often the columns were read */
  guint64 style_count; /* how often the look of the curves changed */

  /* Of the last drawing. */
  SluiceReadKey read_key;
  SluiceImageKey image_key;
  SluiceRect plot;
  SluiceScale x_scale, y_scale;
  SluiceTicks x_ticks, y_ticks;
  cairo_surface_t *image;
  double image_x0, image_x1; /* of the plot that it shows */
  GArray *words;             /* of SluiceRect: where the words of events stand */
  SluiceRect readout;        /* where it stands; of no width when there is none */
  guint readout_slot;        /* where the read-out stood: it moves only for a better place */
  char *note;                /* what stands beside the title; NULL: nothing */
  SluiceColor note_color;
  gboolean note_rests; /* it is the last value, and not that at the cursor */
  double title_room;   /* that other things take at the end of the title's row */
};

/* Room round the plot that the image of the curves has, so that no curve at its edge is halved. */
#define SLUICE_CURVE_AIR 3.0

/** sluice_chart_layout: decides plot, scales and ticks, and reads the columns. */
void sluice_chart_layout (
    SluiceChart *self, SluiceText *text, double width, double height, double scale);

/** sluice_chart_layout_shifted: the same for a view that moves, where the picture of the curves can
 * be shifted. Returns: %FALSE where all has to be drawn. */
gboolean sluice_chart_layout_shifted (SluiceChart *self, double width, double height, double scale);
/** sluice_chart_place_plot: with so much room on its left. */
SluiceRect sluice_chart_place_plot (double width, double height, double gutter);
void sluice_chart_find_x_ticks (SluiceChart *self);

/** sluice_chart_find_series: (nullable) (transfer none) */
SluiceChartSeries *sluice_chart_find_series (const SluiceChart *self, guint id);

/** sluice_chart_get_front: (nullable) (transfer none): where it is visible. */
SluiceChartSeries *sluice_chart_get_front (const SluiceChart *self);

/** sluice_chart_fit_y: the range of y for the columns that were read. */
void sluice_chart_fit_y (SluiceChart *self, double *y0, double *y1);

/** sluice_chart_y_pixel: of a finite value; a value a log axis cannot show lies below the plot. */
double sluice_chart_y_pixel (const SluiceChart *self, double value);

/** sluice_chart_draw_curves: curves, bands and marks of what is not finite, in or as pixels. */
void sluice_chart_draw_curves (
    SluiceChart *self, cairo_t *cr, double scale, const SluiceTheme *theme, gboolean vector);

/** sluice_chart_draw_series: all of them on @pen, by the columns that they have. */
void sluice_chart_draw_series (SluiceChart *self, SluicePen *pen, const SluiceTheme *theme);
/** sluice_chart_has_many: so many that those behind are drawn as one stroke a pixel column. */
gboolean sluice_chart_has_many (const SluiceChart *self);
/** sluice_chart_shift_image: by what the layout said. */
void sluice_chart_shift_image (SluiceChart *self, const SluicePen *pen, const SluiceTheme *theme);

/** sluice_chart_draw_readout: cursor line, dots and the box with the values, or sets the note. */
void sluice_chart_draw_readout (SluiceChart *self, SluiceText *text, const SluiceTheme *theme);

/* A curve nearer than this to the cursor's line is being read. */
#define SLUICE_READ_REACH 48.0

/** sluice_chart_get_covered: how much of the curves and words, in pixels, @box would lie on. */
double sluice_chart_get_covered (SluiceChart *self, const SluiceRect *box);

/** sluice_chart_find_nearest: the point nearest to @x in any visible series. */
gboolean sluice_chart_find_nearest (SluiceChart *self, double x, SluiceSeriesSample *sample);
/** sluice_chart_find_cursor: that nearest to the cursor; %FALSE without one. */
gboolean sluice_chart_find_cursor (SluiceChart *self, SluiceSeriesSample *sample);

/** sluice_chart_dup_full_title: (transfer full): the title, with what gives the places where that
 * is another series. */
char *sluice_chart_dup_full_title (const SluiceChart *self);

/** sluice_chart_format_x: (transfer full): "step 1 120", "12 min 5 s", a date. */
char *sluice_chart_format_x (SluiceChart *self, const SluiceSeriesSample *sample);

/** sluice_chart_event_x: its place on the axis; NaN where it is not shown. */
double sluice_chart_event_x (const SluiceChart *self, const SluiceChartEvent *event);

/** sluice_chart_dup_head: (transfer full): of a read-out: the place, and what happened there. */
char *sluice_chart_dup_head (SluiceChart *self, const SluiceSeriesSample *at);

/** sluice_chart_append_events: what happened to its series, without what is quiet, for a summary.
 */
void sluice_chart_append_events (const SluiceChart *self, GString *out);

/** sluice_chart_series_color: the colour that @series is drawn in on this theme's ground. */
SluiceColor sluice_chart_series_color (const SluiceChartSeries *series, const SluiceTheme *theme);

G_END_DECLS
