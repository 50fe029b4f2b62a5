/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart-private.h"

#include "ui/common/paint.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define BOX_PADDING 11.0
#define ROW_HEIGHT  19.0
#define HEAD_HEIGHT 20.0
#define NAME_MOST   150.0
#define NAME_LEAST  84.0
#define MOST_ROWS   8 /* all of them are in the table */
#define COLUMN_GAP  14.0
#define BOX_AIR     10.0 /* between the cursor's line and the box */
#define N_HEIGHTS   9
#define N_DISTANCES 6
#define DISTANCE    70.0 /* between two of them */
#define N_SLOTS     (2 * N_HEIGHTS * N_DISTANCES)

typedef struct
{
  const SluiceChartValue *of;
  char *value, *smoothed;
} Row;

typedef struct
{
  GArray *values; /* of SluiceChartValue: what the rows are of */
  Row *rows;
  guint n, n_shown;
  char *head;
  double name_most;
  double name_width, value_width, smoothed_width;
  double width, height;
} Readout;

static void
readout_clear (Readout *self)
{
  for (guint i = 0; i < self->n; i++)
    {
      g_free (self->rows[i].value);
      g_free (self->rows[i].smoothed);
    }
  g_free (self->rows);
  g_free (self->head);
  g_array_unref (self->values);
}

static double
measure (SluiceText *text, const char *string, double size, gboolean bold, double most)
{
  double width;

  sluice_text_set (text, string, size, bold, 0);
  sluice_text_measure (text, &width, NULL);
  return most > 0 ? MIN (width, most) : width;
}

/* A run that has ended, or not begun, has no value here and no row. */
static void
readout_collect (Readout *self, SluiceChart *chart, const SluiceSeriesSample *at)
{
  self->head = sluice_chart_dup_head (chart, at);
  self->values = sluice_chart_dup_values (chart, at->x);
  self->rows = g_new0 (Row, MAX (1, self->values->len));
  for (guint i = 0; i < self->values->len; i++)
    {
      const SluiceChartValue *value = &g_array_index (self->values, SluiceChartValue, i);
      Row *row = &self->rows[self->n];

      if (!value->here)
        continue;
      self->n++;
      row->of = value;
      row->value = sluice_chart_format_value (chart, value);
      if (chart->smoothing > 0)
        row->smoothed = sluice_format_value (value->sample.smoothed, chart->unit);
    }
}

static void
measure_columns (Readout *self, SluiceText *text)
{
  self->name_width = self->value_width = self->smoothed_width = 0;
  for (guint i = 0; i < self->n_shown; i++)
    {
      const Row *row = &self->rows[i];

      self->name_width = MAX (self->name_width, measure (text, row->of->name, SLUICE_TEXT_LABEL,
                                                         FALSE, self->name_most));
      self->value_width =
          MAX (self->value_width, measure (text, row->value, SLUICE_TEXT_LABEL, TRUE, 0));
      if (row->smoothed != NULL)
        self->smoothed_width =
            MAX (self->smoothed_width, measure (text, row->smoothed, SLUICE_TEXT_LABEL, FALSE, 0));
    }
  if (self->smoothed_width > 0)
    {
      self->smoothed_width =
          MAX (self->smoothed_width, measure (text, _ ("smoothed"), SLUICE_TEXT_LABEL, FALSE, 0));
      self->value_width =
          MAX (self->value_width, measure (text, _ ("value"), SLUICE_TEXT_LABEL, FALSE, 0));
    }
}

static void
readout_measure (Readout *self, const SluiceChart *chart, SluiceText *text)
{
  guint room =
      (guint) CLAMP ((chart->plot.height - HEAD_HEIGHT - BOX_PADDING) / ROW_HEIGHT, 1, MOST_ROWS);

  self->n_shown = self->n <= room ? self->n : room - 1;
  measure_columns (self, text);
  self->name_width =
      MAX (self->name_width, measure (text, self->head, SLUICE_TEXT_LABEL, FALSE, 0) - 15);
  self->width = 2 * BOX_PADDING + 15 + self->name_width + COLUMN_GAP + self->value_width
                + (self->smoothed_width > 0 ? COLUMN_GAP + self->smoothed_width : 0);
  self->height = BOX_PADDING + HEAD_HEIGHT
                 + ROW_HEIGHT * (self->n_shown + (self->n_shown < self->n ? 1 : 0)) + 3;
}

/* Short names and no smoothed values: half as wide. */
static void
readout_narrow (Readout *self, const SluiceChart *chart, SluiceText *text)
{
  self->name_most = NAME_LEAST;
  for (guint i = 0; i < self->n; i++)
    g_clear_pointer (&self->rows[i].smoothed, g_free);
  readout_measure (self, chart, text);
}

double
sluice_chart_get_covered (SluiceChart *self, const SluiceRect *box)
{
  guint n = (guint) self->read_key.n_columns;
  double step = self->plot.width / n;
  guint first = (guint) CLAMP ((box->x - self->plot.x) / step, 0, n);
  guint last = (guint) CLAMP ((box->x + box->width - self->plot.x) / step + 1, 0, n);
  double sum = 0;

  for (guint i = 0; i < self->words->len; i++)
    {
      const SluiceRect *word = &g_array_index (self->words, SluiceRect, i);

      sum += MAX (0, MIN (word->x + word->width, box->x + box->width) - MAX (word->x, box->x))
             * (word->y + word->height > box->y && box->y + box->height > word->y);
    }
  for (guint i = 0; i < self->series->len; i++)
    {
      const SluiceChartSeries *series = g_ptr_array_index (self->series, i);

      if (!series->visible || series->columns == NULL)
        continue;
      for (guint c = first; c < last; c++)
        {
          const SluiceColumn *column = &series->columns[c];
          const SluiceTrace *t = self->smoothing > 0 ? &column->smooth : &column->raw;
          double top;
          double bottom;

          if (column->n_finite == 0)
            continue;
          top = sluice_chart_y_pixel (self, t->max) - 2;
          bottom = sluice_chart_y_pixel (self, t->min) + 2;
          sum += MAX (0, MIN (bottom, box->y + box->height) - MAX (top, box->y));
        }
    }
  return sum;
}

/* Slots are counted from the nearest to the cursor's line outwards, and there from the top. */
static SluiceRect
slot_rect (SluiceChart *self, const Readout *readout, double cursor, guint slot)
{
  const SluiceRect *plot = &self->plot;
  guint height = slot / 2 % N_HEIGHTS;
  double away = BOX_AIR + DISTANCE * (slot / (2 * N_HEIGHTS));
  gboolean left = slot % 2 == 1;
  double spare = plot->height - readout->height - 12;

  return (SluiceRect){ left ? cursor - away - readout->width : cursor + away,
                       plot->y + 6 + MAX (0, spare) * height / (N_HEIGHTS - 1), readout->width,
                       readout->height };
}

/* FALSE where the box would leave the card or hide what is being read. */
static gboolean
slot_cost (SluiceChart *self,
           const Readout *readout,
           double cursor,
           double card_right,
           guint slot,
           double *cost)
{
  SluiceRect rect = slot_rect (self, readout, cursor, slot);
  SluiceRect near = rect;

  if (rect.x < 4 || rect.x + rect.width > card_right - 4)
    return FALSE;
  near.x = MAX (rect.x, cursor - SLUICE_READ_REACH);
  near.width = MIN (rect.x + rect.width, cursor + SLUICE_READ_REACH) - near.x;
  if (near.width > 0 && sluice_chart_get_covered (self, &near) > 0)
    return FALSE;
  *cost = sluice_chart_get_covered (self, &rect);
  return TRUE;
}

/*
 * Beside the cursor's line, never on it, where it lies on the least of the curves. It stays where
 * it was until another place is clearly better: a box that jumps cannot be read. FALSE: there is no
 * place.
 */
static gboolean
place_readout (SluiceChart *self, const Readout *readout, double cursor, double card_right)
{
  const double clearly = 30;
  double best = INFINITY;
  double current = INFINITY;
  guint best_slot = 0;
  guint end;

  if (readout->height > self->plot.height)
    return FALSE;
  slot_cost (self, readout, cursor, card_right, self->readout_slot, &current);
  /* From a free place only one nearer to the cursor is better. */
  end = current == 0 ? self->readout_slot / (2 * N_HEIGHTS) * (2 * N_HEIGHTS) : N_SLOTS;
  for (guint slot = 0; slot < end && best > 0; slot++)
    {
      double cost;

      if (!slot_cost (self, readout, cursor, card_right, slot, &cost) || cost >= best)
        continue;
      best = cost;
      best_slot = slot;
    }
  if (!isfinite (MIN (best, current)))
    return FALSE;
  if (best == 0 || current > best + clearly)
    self->readout_slot = best_slot;
  self->readout = slot_rect (self, readout, cursor, self->readout_slot);
  return TRUE;
}

static void
draw_row (const Row *row,
          const Readout *readout,
          SluiceText *text,
          const SluiceRect *box,
          double y,
          const SluiceTheme *theme)
{
  SluiceColor color = sluice_color_readable (row->of->color, theme->card, 3);
  double right = box->x + box->width - BOX_PADDING;
  cairo_t *cr = text->cr;

  cairo_new_path (cr);
  cairo_arc (cr, box->x + BOX_PADDING + 4, y, 4, 0, 2 * G_PI);
  sluice_cairo_set_color (cr, color);
  cairo_fill (cr);
  sluice_text_set (text, row->of->name, SLUICE_TEXT_LABEL, FALSE, readout->name_width + 1);
  sluice_text_draw (text, box->x + BOX_PADDING + 15, y, SLUICE_ANCHOR_START, theme->text);
  if (readout->smoothed_width > 0)
    {
      if (row->smoothed != NULL)
        {
          sluice_text_set (text, row->smoothed, SLUICE_TEXT_LABEL, FALSE, 0);
          sluice_text_draw (text, right, y, SLUICE_ANCHOR_END, theme->dim);
        }
      right -= readout->smoothed_width + COLUMN_GAP;
    }
  sluice_text_set (text, row->value, SLUICE_TEXT_LABEL, TRUE, 0);
  sluice_text_draw (text, right, y, SLUICE_ANCHOR_END,
                    isfinite (row->of->sample.value) ? theme->text : theme->failure);
}

static void
draw_head (const Readout *readout,
           SluiceText *text,
           const SluiceRect *box,
           const SluiceTheme *theme)
{
  double right = box->x + box->width - BOX_PADDING;
  double y = box->y + BOX_PADDING + 5;

  sluice_text_set (text, readout->head, SLUICE_TEXT_LABEL, TRUE, 0);
  sluice_text_draw (text, box->x + BOX_PADDING, y, SLUICE_ANCHOR_START, theme->dim);
  if (readout->smoothed_width <= 0)
    return;
  sluice_text_set (text, _ ("smoothed"), SLUICE_TEXT_LABEL, FALSE, 0);
  sluice_text_draw (text, right, y, SLUICE_ANCHOR_END, theme->dim);
  sluice_text_set (text, _ ("value"), SLUICE_TEXT_LABEL, FALSE, 0);
  sluice_text_draw (text, right - readout->smoothed_width - COLUMN_GAP, y, SLUICE_ANCHOR_END,
                    theme->dim);
}

static void
draw_box (const Readout *readout, SluiceText *text, const SluiceRect *box, const SluiceTheme *theme)
{
  SluiceColor ground = sluice_color_with_alpha (theme->card, 0.96);
  cairo_t *cr = text->cr;
  double y = box->y + BOX_PADDING + HEAD_HEIGHT + 5;

  sluice_cairo_rounded_rect (cr,
                             &(SluiceRect){ round (box->x) + 0.5, round (box->y) + 0.5,
                                            round (box->width), round (box->height) },
                             8);
  sluice_cairo_set_color (cr, ground);
  cairo_fill_preserve (cr);
  sluice_cairo_set_color (cr, theme->border);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  draw_head (readout, text, box, theme);
  for (guint i = 0; i < readout->n_shown; i++, y += ROW_HEIGHT)
    draw_row (&readout->rows[i], readout, text, box, y, theme);
  if (readout->n_shown < readout->n)
    {
      g_autofree char *more = g_strdup_printf (_ ("and %u more"), readout->n - readout->n_shown);

      sluice_text_set (text, more, SLUICE_TEXT_LABEL, FALSE, 0);
      sluice_text_draw (text, box->x + BOX_PADDING + 15, y, SLUICE_ANCHOR_START, theme->dim);
    }
}

static void
draw_dots (SluiceChart *self, const Readout *readout, cairo_t *cr, const SluiceTheme *theme)
{
  const SluiceRect *plot = &self->plot;

  for (guint i = 0; i < readout->n; i++)
    {
      const SluiceChartValue *of = readout->rows[i].of;
      SluiceColor color = sluice_color_readable (of->color, theme->card, 3);
      double value = self->smoothing > 0 ? of->sample.smoothed : of->sample.value;
      double x = sluice_scale_to_pixel (&self->x_scale, of->sample.x);
      double y = sluice_chart_y_pixel (self, value);

      if (!(y >= plot->y - 1 && y <= plot->y + plot->height + 1))
        continue;
      cairo_new_path (cr);
      cairo_arc (cr, x, y, 4.5, 0, 2 * G_PI);
      sluice_cairo_set_color (cr, theme->card);
      cairo_fill (cr);
      cairo_arc (cr, x, y, 3.2, 0, 2 * G_PI);
      sluice_cairo_set_color (cr, color);
      cairo_fill (cr);
    }
}

/* The value of the series in front, where it has one here. */
static void
set_note (SluiceChart *self, const Readout *readout, const SluiceTheme *theme)
{
  if (readout->n == 0)
    return;
  self->note = g_strdup (readout->rows[0].value);
  self->note_color = sluice_color_readable (readout->rows[0].of->color, theme->card, 3);
}

/* (nullable): that in front, or else the first: on a page that of the newest run. */
static const SluiceChartSeries *
find_main (const SluiceChart *self)
{
  const SluiceChartSeries *front = sluice_chart_get_front (self);

  for (guint i = 0; i < self->series->len && front == NULL; i++)
    {
      const SluiceChartSeries *series = g_ptr_array_index (self->series, i);
      SluiceExtent extent;

      sluice_series_source_get_extent (series->source, SLUICE_X_STEP, &extent);
      if (series->visible && extent.n_points > 0)
        front = series;
    }
  return front;
}

/* Nobody points at anything: what came of the run in front. */
static void
set_last_value (SluiceChart *self, const SluiceTheme *theme)
{
  const SluiceChartSeries *series = find_main (self);
  SluiceChartValue last = { 0 };

  if (series == NULL
      || !sluice_series_source_lookup (series->source, SLUICE_X_STEP, INFINITY, &last.sample))
    return;
  sluice_series_source_measure (series->source, SLUICE_X_STEP, (double) last.sample.step,
                                &last.measure);
  self->note = sluice_chart_format_value (self, &last);
  self->note_color = sluice_color_readable (series->color, theme->card, 3);
  self->note_rests = TRUE;
}

static void
draw_cursor_line (const SluiceChart *self, double x, cairo_t *cr, const SluiceTheme *theme)
{
  cairo_set_line_width (cr, 1);
  sluice_cairo_set_color (cr, theme->cursor);
  cairo_move_to (cr, floor (x) + 0.5, self->plot.y);
  cairo_line_to (cr, floor (x) + 0.5, self->plot.y + self->plot.height);
  cairo_stroke (cr);
}

/* Where the whole box would lie on a curve, or has no place, a narrow one is tried. */
static gboolean
fit_readout (
    SluiceChart *self, Readout *readout, SluiceText *text, double cursor, double card_right)
{
  gboolean fits;

  readout_measure (readout, self, text);
  fits = place_readout (self, readout, cursor, card_right);
  if (fits && sluice_chart_get_covered (self, &self->readout) <= 0)
    return TRUE;
  readout_narrow (readout, self, text);
  return place_readout (self, readout, cursor, card_right);
}

void
sluice_chart_draw_readout (SluiceChart *self, SluiceText *text, const SluiceTheme *theme)
{
  const SluiceRect *plot = &self->plot;
  double right = plot->x + plot->width + 20;
  Readout readout = { .name_most = NAME_MOST };
  SluiceSeriesSample at;
  double x;

  self->readout.width = 0;
  g_clear_pointer (&self->note, g_free);
  self->note_rests = FALSE;
  if (!sluice_chart_find_cursor (self, &at))
    {
      set_last_value (self, theme);
      return;
    }
  x = sluice_scale_to_pixel (&self->x_scale, at.x);
  if (!(x >= plot->x - 0.5 && x <= plot->x + plot->width + 0.5))
    return;
  draw_cursor_line (self, x, text->cr, theme);
  readout_collect (&readout, self, &at);
  draw_dots (self, &readout, text->cr, theme);
  if (self->readout_style == SLUICE_READOUT_BOX && fit_readout (self, &readout, text, x, right))
    draw_box (&readout, text, &self->readout, theme);
  if (self->readout.width == 0)
    set_note (self, &readout, theme);
  readout_clear (&readout);
}
