/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/chart-private.h"

#include "ui/common/paint.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define PADDING      16.0
#define TITLE_MIDDLE 20.0

#define LEGEND_GAP 16.0
#define EVENT_TICK 3.5
#define LEGEND_DOT 9.0

static double
measure_name (SluiceText *text, const SluiceChartSeries *series)
{
  double width;

  sluice_text_set (text, series->name, SLUICE_TEXT_LABEL, FALSE, 0);
  sluice_text_measure (text, &width, NULL);
  return width + LEGEND_DOT + LEGEND_GAP;
}

/* Names of the series at the right edge; those without room are counted. Returns: where it starts.
 */
static double
draw_legend (SluiceChart *self, SluiceText *text, double width, const SluiceTheme *theme)
{
  double room = width * 0.65;
  guint n_fit = 0;
  guint n_left = 0;
  double used = 0;
  double x;

  for (guint i = 0; i < self->series->len; i++)
    {
      const SluiceChartSeries *series = g_ptr_array_index (self->series, i);
      double w = series->visible ? measure_name (text, series) : 0;

      if (n_left > 0 || used + w > room)
        {
          n_left += series->visible;
          continue;
        }
      used += w;
      n_fit = i + 1;
    }
  x = width - PADDING;
  if (n_left > 0)
    {
      g_autofree char *more = g_strdup_printf ("+ %u", n_left);
      double w;

      sluice_text_set (text, more, SLUICE_TEXT_LABEL, FALSE, 0);
      sluice_text_measure (text, &w, NULL);
      sluice_text_draw (text, x, TITLE_MIDDLE, SLUICE_ANCHOR_END, theme->dim);
      x -= w + LEGEND_GAP;
    }
  for (guint i = n_fit; i-- > 0;)
    {
      const SluiceChartSeries *series = g_ptr_array_index (self->series, i);
      SluiceColor color = sluice_chart_series_color (series, theme);
      double w;

      if (!series->visible)
        continue;
      w = measure_name (text, series);
      sluice_text_draw (text, x, TITLE_MIDDLE, SLUICE_ANCHOR_END, theme->dim);
      cairo_new_path (text->cr);
      cairo_arc (text->cr, x - w + LEGEND_GAP, TITLE_MIDDLE, 4, 0, 2 * G_PI);
      sluice_cairo_set_color (text->cr, color);
      cairo_fill (text->cr);
      x -= w;
    }
  return x;
}

static void
draw_grid (SluiceChart *self, SluiceText *text, const SluiceTheme *theme)
{
  const SluiceRect *plot = &self->plot;
  cairo_t *cr = text->cr;

  cairo_set_line_width (cr, 1);
  for (guint i = 0; i < self->y_ticks.n; i++)
    {
      double y = floor (sluice_scale_to_pixel (&self->y_scale, self->y_ticks.values[i])) + 0.5;
      g_autofree char *label =
          sluice_format_tick (self->y_ticks.values[i], self->y_ticks.step, self->unit);

      cairo_move_to (cr, plot->x, y);
      cairo_line_to (cr, plot->x + plot->width, y);
      sluice_cairo_set_color (cr, theme->grid);
      cairo_stroke (cr);
      sluice_text_set (text, label, SLUICE_TEXT_LABEL, FALSE, 0);
      sluice_text_draw (text, plot->x - 9, y, SLUICE_ANCHOR_END, theme->dim);
    }
}

/* Labels under the plot, each inside the card and none touching its neighbour. */
static void
draw_x_labels (SluiceChart *self, SluiceText *text, double width, const SluiceTheme *theme)
{
  double y = self->plot.y + self->plot.height + 14;
  double free_from = 0;

  for (guint i = 0; i < self->x_ticks.n; i++)
    {
      double x = sluice_scale_to_pixel (&self->x_scale, self->x_ticks.values[i]);
      g_autofree char *label = sluice_format_tick (self->x_ticks.values[i], self->x_ticks.step,
                                                   sluice_chart_get_x_unit (self));
      double w;

      sluice_text_set (text, label, SLUICE_TEXT_LABEL, FALSE, 0);
      sluice_text_measure (text, &w, NULL);
      x = CLAMP (x, w / 2 + 4, width - w / 2 - 6);
      if (x - w / 2 < free_from)
        continue;
      sluice_text_draw (text, x, y, SLUICE_ANCHOR_MIDDLE, theme->dim);
      free_from = x + w / 2 + 10;
    }
}

/* The word beside the line, in the first of two rows where it touches no other; else nowhere. */
static void
draw_event_word (SluiceChart *self,
                 SluiceText *text,
                 const SluiceChartEvent *event,
                 double x,
                 const SluiceTheme *theme)
{
  const SluiceRect *plot = &self->plot;
  SluiceRect rect = { .y = plot->y + 1, .height = 14 };

  if (event->kind == SLUICE_EVENT_QUIET)
    return;
  sluice_text_set (text, event->word, SLUICE_TEXT_LABEL - 0.5, FALSE, 0);
  sluice_text_measure (text, &rect.width, NULL);
  rect.x = x + 5 + rect.width > plot->x + plot->width ? x - 5 - rect.width : x + 5;
  for (guint row = 0; row < 2; row++, rect.y += rect.height)
    {
      gboolean is_free = TRUE;

      for (guint i = 0; i < self->words->len && is_free; i++)
        {
          const SluiceRect *other = &g_array_index (self->words, SluiceRect, i);

          is_free = other->y != rect.y || other->x > rect.x + rect.width + 8
                    || rect.x > other->x + other->width + 8;
        }
      if (!is_free)
        continue;
      cairo_rectangle (text->cr, rect.x - 2, rect.y, rect.width + 4, rect.height);
      sluice_cairo_set_color (text->cr, theme->card);
      cairo_fill (text->cr);
      sluice_text_draw (text, rect.x, rect.y + rect.height / 2, SLUICE_ANCHOR_START,
                        event->kind == SLUICE_EVENT_FAILURE ? theme->failure : theme->dim);
      g_array_append_val (self->words, rect);
      return;
    }
}

/* A triangle that stands on the axis. */
static void
draw_event_tick (const SluiceChart *self, cairo_t *cr, double x, const SluiceTheme *theme)
{
  double bottom = self->plot.y + self->plot.height;

  cairo_new_path (cr);
  cairo_move_to (cr, x - EVENT_TICK, bottom + EVENT_TICK);
  cairo_line_to (cr, x + EVENT_TICK, bottom + EVENT_TICK);
  cairo_line_to (cr, x, bottom);
  cairo_close_path (cr);
  sluice_cairo_set_color (cr, sluice_color_with_alpha (theme->event, 0.8));
  cairo_fill (cr);
}

static void
draw_event_line (SluiceChart *self,
                 SluiceText *text,
                 const SluiceChartEvent *event,
                 double x,
                 const SluiceTheme *theme)
{
  const double dash[] = { 4, 3 };
  cairo_t *cr = text->cr;

  if (event->kind == SLUICE_EVENT_QUIET)
    {
      draw_event_tick (self, cr, x, theme);
      return;
    }
  cairo_save (cr);
  cairo_set_dash (cr, dash, 2, 0);
  cairo_set_line_width (cr, 1.2);
  sluice_cairo_set_color (cr, event->kind == SLUICE_EVENT_FAILURE ? theme->failure : theme->event);
  cairo_move_to (cr, x, self->plot.y);
  cairo_line_to (cr, x, self->plot.y + self->plot.height);
  cairo_stroke (cr);
  cairo_restore (cr);
}

typedef void (*DrawEvent) (SluiceChart *self,
                           SluiceText *text,
                           const SluiceChartEvent *event,
                           double x,
                           const SluiceTheme *theme);

/* drawn: (inout): where the last quiet one was: a run that saves often has thousands of them, and
 * where they share a pixel one is seen. */
static void
draw_event (SluiceChart *self,
            SluiceText *text,
            const SluiceChartEvent *event,
            const SluiceTheme *theme,
            DrawEvent draw,
            double *drawn)
{
  const SluiceRect *plot = &self->plot;
  double x =
      floor (sluice_scale_to_pixel (&self->x_scale, sluice_chart_event_x (self, event))) + 0.5;

  if (!(x >= plot->x && x <= plot->x + plot->width + 1)
      || (event->kind == SLUICE_EVENT_QUIET && x == *drawn))
    return;
  if (event->kind == SLUICE_EVENT_QUIET)
    *drawn = x;
  draw (self, text, event, x, theme);
}

/* The relative axis says what it leaves out, where it does. */
static void
draw_pauses_of (SluiceChart *self,
                SluiceText *text,
                const SluiceTheme *theme,
                const SluiceChartSeries *series,
                DrawEvent draw)
{
  const SluicePauses *pauses = sluice_series_source_get_pauses (series->source);
  double drawn = -INFINITY;

  for (guint i = 0; pauses != NULL && i < pauses->found->len; i++)
    {
      const SluicePause *pause = &g_array_index (pauses->found, SluicePause, i);
      g_autofree char *time = sluice_format_value (pause->to - pause->from, SLUICE_UNIT_SECONDS);
      /* Translators: a time, during which a run stood still. */
      g_autofree char *word = g_strdup_printf (_ ("paused %s"), time);
      const SluiceChartEvent event = { .series = series->id, .wall = pause->from, .word = word };

      draw_event (self, text, &event, theme, draw, &drawn);
    }
}

/* Those of the series in front, or of the others. */
static void
draw_events_of (
    SluiceChart *self, SluiceText *text, const SluiceTheme *theme, gboolean front, DrawEvent draw)
{
  double drawn = -INFINITY;

  for (guint i = 0; i < self->events->len; i++)
    {
      const SluiceChartEvent *event = g_ptr_array_index (self->events, i);

      if ((event->series == self->front) == front)
        draw_event (self, text, event, theme, draw, &drawn);
    }
  for (guint i = 0; i < self->series->len && self->axis == SLUICE_X_RELATIVE; i++)
    {
      const SluiceChartSeries *series = g_ptr_array_index (self->series, i);

      if (series->visible && (series->id == self->front) == front)
        draw_pauses_of (self, text, theme, series, draw);
    }
}

/* Under the curves. */
static void
draw_event_lines (SluiceChart *self, SluiceText *text, const SluiceTheme *theme)
{
  draw_events_of (self, text, theme, FALSE, draw_event_line);
  draw_events_of (self, text, theme, TRUE, draw_event_line);
}

/* Over the curves; what is in front takes the room first. */
static void
draw_event_words (SluiceChart *self, SluiceText *text, const SluiceTheme *theme)
{
  g_array_set_size (self->words, 0);
  draw_events_of (self, text, theme, TRUE, draw_event_word);
  draw_events_of (self, text, theme, FALSE, draw_event_word);
}

static void
draw_selection (SluiceChart *self, cairo_t *cr, const SluiceTheme *theme)
{
  double a = sluice_scale_to_pixel (&self->x_scale, self->selection_a);
  double b = sluice_scale_to_pixel (&self->x_scale, self->selection_b);
  SluiceColor fill = sluice_color_with_alpha (theme->accent, 0.14);

  if (isnan (a) || isnan (b))
    return;
  a = CLAMP (a, self->plot.x, self->plot.x + self->plot.width);
  b = CLAMP (b, self->plot.x, self->plot.x + self->plot.width);
  cairo_rectangle (cr, MIN (a, b), self->plot.y, fabs (b - a), self->plot.height);
  sluice_cairo_set_color (cr, fill);
  cairo_fill (cr);
  cairo_set_line_width (cr, 1);
  sluice_cairo_set_color (cr, theme->accent);
  for (int i = 0; i < 2; i++)
    {
      double x = floor (i == 0 ? a : b) + 0.5;

      cairo_move_to (cr, x, self->plot.y);
      cairo_line_to (cr, x, self->plot.y + self->plot.height);
      cairo_stroke (cr);
    }
}

static gboolean
has_points (SluiceChart *self)
{
  for (guint i = 0; i < self->series->len; i++)
    {
      SluiceChartSeries *series = g_ptr_array_index (self->series, i);
      SluiceExtent extent;

      sluice_series_source_get_extent (series->source, self->axis, &extent);
      if (series->visible && extent.n_points > 0)
        return TRUE;
    }
  return FALSE;
}

static void
draw_nothing (const SluiceChart *self,
              SluiceText *text,
              double width,
              double height,
              const SluiceTheme *theme)
{
  g_autofree char *words =
      self->axis == SLUICE_X_SERIES
          ? g_strdup_printf (_ ("No run has a step with %s and %s"), self->title, self->x_name)
          : g_strdup (_ ("No points yet"));

  sluice_text_set (text, words, SLUICE_TEXT_BODY, FALSE, MAX (40, width - 2 * PADDING));
  sluice_text_draw (text, width / 2, height / 2, SLUICE_ANCHOR_MIDDLE, theme->dim);
}

/* The axis of values is made up where there are none: that is said. */
static void
draw_no_value (const SluiceChart *self, SluiceText *text, const SluiceTheme *theme)
{
  for (guint i = 0; i < self->series->len; i++)
    {
      const SluiceChartSeries *series = g_ptr_array_index (self->series, i);
      SluiceExtent extent;

      sluice_series_source_get_extent (series->source, self->axis, &extent);
      if (series->visible && !isnan (extent.min))
        return;
    }
  sluice_text_set (text, _ ("No value is a finite number"), SLUICE_TEXT_BODY, FALSE,
                   self->plot.width);
  sluice_text_draw (text, self->plot.x + self->plot.width / 2, self->plot.y + self->plot.height / 2,
                    SLUICE_ANCHOR_MIDDLE, theme->failure);
}

/* A dot and a value. Returns: where it starts. */
static double
draw_note (const SluiceChart *self, SluiceText *text, double right, const SluiceTheme *theme)
{
  double width;

  sluice_text_set (text, self->note, SLUICE_TEXT_LABEL, !self->note_rests, 0);
  sluice_text_measure (text, &width, NULL);
  sluice_text_draw (text, right, TITLE_MIDDLE, SLUICE_ANCHOR_END,
                    self->note_rests ? theme->dim : theme->text);
  cairo_new_path (text->cr);
  cairo_arc (text->cr, right - width - LEGEND_DOT, TITLE_MIDDLE, 4, 0, 2 * G_PI);
  sluice_cairo_set_color (text->cr, self->note_color);
  cairo_fill (text->cr);
  return right - width - LEGEND_DOT - LEGEND_GAP;
}

static void
draw_title (SluiceChart *self,
            SluiceText *text,
            double width,
            const SluiceTheme *theme,
            SluiceChartFlags flags)
{
  g_autofree char *title = sluice_chart_dup_full_title (self);
  double right = width - PADDING;

  if (flags & SLUICE_CHART_LEGEND)
    right = draw_legend (self, text, width, theme);
  else if (self->note != NULL && (!self->note_rests || (flags & SLUICE_CHART_TITLE)))
    right = draw_note (self, text, width - PADDING - self->title_room, theme);
  right = MIN (right, width - PADDING - self->title_room);
  if (!(flags & SLUICE_CHART_TITLE))
    return;
  sluice_text_set (text, title, SLUICE_TEXT_TITLE, TRUE, MAX (40, right - PADDING));
  sluice_text_draw (text, PADDING, TITLE_MIDDLE, SLUICE_ANCHOR_START, theme->text);
}

static void
note_drawn (SluiceChart *self)
{
  for (guint i = 0; i < self->series->len; i++)
    {
      SluiceChartSeries *series = g_ptr_array_index (self->series, i);

      series->drawn_serial = sluice_series_source_get_serial (series->source);
    }
  self->dirty = FALSE;
}

void
sluice_chart_render (SluiceChart *self,
                     cairo_t *cr,
                     double width,
                     double height,
                     const SluiceTheme *theme,
                     SluiceChartFlags flags)
{
  double scale = sluice_cairo_get_scale (cr);
  gboolean vector = (flags & SLUICE_CHART_VECTOR) != 0;
  SluiceText text;

  g_return_if_fail (self != NULL && cr != NULL && theme != NULL);

  cairo_save (cr);
  if (flags & SLUICE_CHART_FRAME)
    sluice_cairo_draw_card (cr, width, height, theme);
  sluice_text_begin (&text, cr, theme);
  if (has_points (self))
    {
      if (vector || !sluice_chart_layout_shifted (self, width, height, scale))
        sluice_chart_layout (self, &text, width, height, scale);
      draw_grid (self, &text, theme);
      draw_x_labels (self, &text, width, theme);
      draw_event_lines (self, &text, theme);
      sluice_chart_draw_curves (self, cr, scale, theme, vector);
      draw_no_value (self, &text, theme);
      draw_event_words (self, &text, theme);
      draw_selection (self, cr, theme);
      sluice_chart_draw_readout (self, &text, theme);
    }
  else
    {
      g_clear_pointer (&self->note, g_free);
      draw_nothing (self, &text, width, height, theme);
    }
  draw_title (self, &text, width, theme, flags);
  sluice_text_end (&text);
  cairo_restore (cr);
  note_drawn (self);
}
