/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/settings-plot.h"

#include "ui/chart/scale.h"
#include "ui/common/geometry.h"
#include "ui/common/paint.h"
#include "ui/common/text.h"

#include <math.h>
#include <string.h>

#define REACH       10.0
#define DOT_RADIUS  4.0
#define LINE_WIDTH  1.6
#define MARK_WIDTH  2.6
#define PALE        0.22
#define LEFT_ROOM   60.0
#define SIDE_ROOM   44.0 /* half a label beside the first and the last parallel axis */
#define TOP_ROOM    30.0
#define BOTTOM_ROOM 40.0
#define FAR_APART   100.0
#define MOST_WORDS  12 /* labels of an axis of texts */

typedef struct
{
  GPtrArray *words; /* (nullable): of const char *, those of an axis of texts in their order */
  SluiceScale scale;
  SluiceUnit unit;
  double only; /* the one value that all runs have; NaN: there are others, or none */
} Axis;

/* ---- axes ---- */

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Where one is a text, all are words: a number beside them is none of theirs. */
static GPtrArray *
collect_words (const SluiceSettingsTable *table, guint column)
{
  GPtrArray *words = g_ptr_array_new ();

  for (guint i = 0; i < table->rows->len; i++)
    {
      const SluiceSettingsRow *row = g_ptr_array_index (table->rows, i);
      const char *text = row->cells[column].text;

      if (text != NULL && !g_ptr_array_find_with_equal_func (words, text, g_str_equal, NULL))
        g_ptr_array_add (words, (gpointer) text);
    }
  g_ptr_array_sort (words, by_text);
  if (words->len == 0)
    g_clear_pointer (&words, g_ptr_array_unref);
  return words;
}

static void
axis_init (Axis *self, const SluiceSettingsTable *table, guint column, double p0, double p1)
{
  double low = INFINITY;
  double high = -INFINITY;

  self->unit = ((SluiceSettingsColumn *) g_ptr_array_index (table->columns, column))->unit;
  self->words = collect_words (table, column);
  self->only = NAN;
  for (guint i = 0; i < table->rows->len; i++)
    {
      double number =
          ((SluiceSettingsRow *) g_ptr_array_index (table->rows, i))->cells[column].number;

      if (!isfinite (number))
        continue;
      low = MIN (low, number);
      high = MAX (high, number);
    }
  self->scale = (SluiceScale){ low, high, p0, p1, low > 0 && high >= FAR_APART * low };
  if (self->words != NULL)
    self->scale = (SluiceScale){ -0.5, self->words->len - 0.5, p0, p1, FALSE };
  else if (!(low < high))
    {
      self->only = isfinite (low) ? low : NAN;
      low = isfinite (low) ? low : 0;
      self->scale.d0 = low - (low != 0 ? fabs (low) / 2 : 1);
      self->scale.d1 = low + (low != 0 ? fabs (low) / 2 : 1);
    }
}

static void
axis_clear (Axis *self)
{
  g_clear_pointer (&self->words, g_ptr_array_unref);
}

/* NaN: the run has no place on it. */
static double
axis_place (const Axis *self, const SluiceSettingsCell *cell)
{
  guint at;

  if (self->words == NULL)
    return isfinite (cell->number) ? sluice_scale_to_pixel (&self->scale, cell->number) : NAN;
  if (cell->text == NULL
      || !g_ptr_array_find_with_equal_func (self->words, cell->text, g_str_equal, &at))
    return NAN;
  return sluice_scale_to_pixel (&self->scale, at);
}

/* ---- where runs are ---- */

/* Those of the plot: the first settings and results. */
static guint
choose_columns (const SluiceSettingsTable *table, guint columns[SLUICE_PARALLEL_MOST])
{
  guint n_results = 0;
  guint n = 0;
  guint room;

  for (guint i = 0; i < table->columns->len; i++)
    n_results += ((SluiceSettingsColumn *) g_ptr_array_index (table->columns, i))->is_result;
  room = SLUICE_PARALLEL_MOST - MIN (n_results, SLUICE_PARALLEL_MOST / 2);
  for (gboolean result = FALSE; result <= TRUE; result++)
    {
      for (guint i = 0; i < table->columns->len && n < room; i++)
        if (((SluiceSettingsColumn *) g_ptr_array_index (table->columns, i))->is_result == result)
          columns[n++] = i;
      room = SLUICE_PARALLEL_MOST;
    }
  return n;
}

typedef struct
{
  guint n; /* of columns */
  guint columns[SLUICE_PARALLEL_MOST];
  Axis axes[SLUICE_PARALLEL_MOST];
  double xs[SLUICE_PARALLEL_MOST]; /* of parallel axes */
} Layout;

static void
layout_init (Layout *self, const SluiceSettingsPlot *plot, const SluiceSettingsTable *table)
{
  double bottom = plot->height - BOTTOM_ROOM;

  if (plot->kind == SLUICE_SETTINGS_SCATTER)
    {
      self->n = 2;
      self->columns[0] = plot->x;
      self->columns[1] = plot->y;
      axis_init (&self->axes[0], table, plot->x, LEFT_ROOM + 12, plot->width - 24);
      axis_init (&self->axes[1], table, plot->y, bottom - 12, TOP_ROOM + 8);
      return;
    }
  self->n = choose_columns (table, self->columns);
  for (guint i = 0; i < self->n; i++)
    {
      double room = plot->width - 2 * SIDE_ROOM;

      axis_init (&self->axes[i], table, self->columns[i], bottom, TOP_ROOM + 8);
      self->xs[i] = SIDE_ROOM + (self->n > 1 ? room * i / (self->n - 1) : room / 2);
    }
}

static void
layout_clear (Layout *self)
{
  for (guint i = 0; i < self->n; i++)
    axis_clear (&self->axes[i]);
}

static double
get_place (const Layout *self, const SluiceSettingsRow *row, guint i)
{
  return axis_place (&self->axes[i], &row->cells[self->columns[i]]);
}

/* ---- drawing ---- */

static void
draw_line (const Layout *self, cairo_t *cr, const SluiceSettingsRow *row)
{
  gboolean open = FALSE;

  cairo_new_path (cr);
  for (guint i = 0; i < self->n; i++)
    {
      double y = get_place (self, row, i);

      if (isnan (y))
        open = FALSE;
      else if (open)
        cairo_line_to (cr, self->xs[i], y);
      else
        {
          /* A value that nothing joins is a dot of the pen's round end. */
          cairo_move_to (cr, self->xs[i], y);
          cairo_line_to (cr, self->xs[i], y);
          open = TRUE;
        }
    }
  cairo_stroke (cr);
}

static void
draw_row (const SluiceSettingsPlot *plot,
          const Layout *layout,
          cairo_t *cr,
          const SluiceSettingsRow *row,
          const SluiceTheme *theme)
{
  gboolean marked = row->run == plot->marked;
  SluiceColor color = sluice_color_readable (row->color, theme->card, 3);
  double x;
  double y;

  sluice_cairo_set_color (cr,
                          sluice_color_with_alpha (color, marked || plot->marked == 0 ? 1 : PALE));
  if (plot->kind == SLUICE_SETTINGS_PARALLEL)
    {
      cairo_set_line_width (cr, marked ? MARK_WIDTH : LINE_WIDTH);
      draw_line (layout, cr, row);
      return;
    }
  x = get_place (layout, row, 0);
  y = get_place (layout, row, 1);
  if (isnan (x) || isnan (y))
    return;
  cairo_new_path (cr);
  cairo_arc (cr, x, y, marked ? DOT_RADIUS * 1.5 : DOT_RADIUS, 0, 2 * G_PI);
  cairo_fill (cr);
}

static void
draw_rows (const SluiceSettingsPlot *plot,
           const Layout *layout,
           const SluiceSettingsTable *table,
           cairo_t *cr,
           const SluiceTheme *theme)
{
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_ROUND);
  for (guint over = 0; over < 2; over++)
    for (guint i = 0; i < table->rows->len; i++)
      {
        const SluiceSettingsRow *row = g_ptr_array_index (table->rows, i);

        if ((row->run == plot->marked) == over)
          draw_row (plot, layout, cr, row, theme);
      }
}

typedef void (*LabelFunc) (double place, const char *label, gpointer data);

/* Of a scatter's axis the ticks, of a parallel one its two ends; of texts each. */
static void
foreach_label (const Axis *axis, gboolean ends, LabelFunc func, gpointer data)
{
  SluiceTicks ticks;

  if (axis->words != NULL)
    {
      guint step = (axis->words->len + MOST_WORDS - 1) / MOST_WORDS;

      for (guint i = 0; i < axis->words->len; i += step)
        func (sluice_scale_to_pixel (&axis->scale, i), g_ptr_array_index (axis->words, i), data);
      return;
    }
  if (ends && !isnan (axis->only))
    {
      g_autofree char *only = sluice_format_value (axis->only, axis->unit);

      func (sluice_scale_to_pixel (&axis->scale, axis->only), only, data);
      return;
    }
  if (ends)
    {
      g_autofree char *low = sluice_format_value (axis->scale.d0, axis->unit);
      g_autofree char *high = sluice_format_value (axis->scale.d1, axis->unit);

      func (axis->scale.p0, low, data);
      func (axis->scale.p1, high, data);
      return;
    }
  sluice_ticks (&ticks, axis->scale.d0, axis->scale.d1, 4, axis->unit, axis->scale.log);
  for (guint i = 0; i < ticks.n; i++)
    {
      g_autofree char *label = sluice_format_tick (ticks.values[i], ticks.step, axis->unit);

      func (sluice_scale_to_pixel (&axis->scale, ticks.values[i]), label, data);
    }
}

typedef struct
{
  SluiceText *text;
  const SluiceSettingsPlot *plot;
  const SluiceTheme *theme;
  double x; /* of a parallel axis */
  double most;
  double free_from; /* labels that would touch are left out */
} Labels;

/* Above the end of a parallel axis or below it; of texts beside it. */
static void
parallel_label_cb (double place, const char *label, gpointer data)
{
  const Labels *self = data;
  double bottom = self->plot->height - BOTTOM_ROOM;
  double y = place >= bottom - 0.5 ? bottom + 12 : place <= TOP_ROOM + 8.5 ? place - 9 : place;

  sluice_text_set (self->text, label, SLUICE_TEXT_LABEL, FALSE, self->most);
  if (y == place)
    sluice_text_draw (self->text, self->x + 7, y, SLUICE_ANCHOR_START, self->theme->dim);
  else
    sluice_text_draw (self->text, self->x, y, SLUICE_ANCHOR_MIDDLE, self->theme->dim);
}

static void
x_label_cb (double place, const char *label, gpointer data)
{
  Labels *self = data;
  double width;

  sluice_text_set (self->text, label, SLUICE_TEXT_LABEL, FALSE, self->most);
  sluice_text_measure (self->text, &width, NULL);
  if (place - width / 2 < self->free_from)
    return;
  sluice_text_draw (self->text, place, self->plot->height - BOTTOM_ROOM + 12, SLUICE_ANCHOR_MIDDLE,
                    self->theme->dim);
  self->free_from = place + width / 2 + 10;
}

static void
y_label_cb (double place, const char *label, gpointer data)
{
  const Labels *self = data;
  cairo_t *cr = self->text->cr;
  double y = floor (place) + 0.5;

  cairo_move_to (cr, LEFT_ROOM, y);
  cairo_line_to (cr, self->plot->width - 12, y);
  cairo_set_line_width (cr, 1);
  sluice_cairo_set_color (cr, self->theme->grid);
  cairo_stroke (cr);
  sluice_text_set (self->text, label, SLUICE_TEXT_LABEL, FALSE, LEFT_ROOM - 10);
  sluice_text_draw (self->text, LEFT_ROOM - 9, y, SLUICE_ANCHOR_END, self->theme->dim);
}

static const char *
get_name (const SluiceSettingsTable *table, guint column)
{
  return ((SluiceSettingsColumn *) g_ptr_array_index (table->columns, column))->name;
}

static void
draw_parallel_axes (const SluiceSettingsPlot *plot,
                    const Layout *layout,
                    const SluiceSettingsTable *table,
                    SluiceText *text,
                    const SluiceTheme *theme)
{
  double spacing = layout->n > 1 ? layout->xs[1] - layout->xs[0] : plot->width;

  for (guint i = 0; i < layout->n; i++)
    {
      Labels labels = { text, plot, theme, layout->xs[i], MAX (30, spacing - 12), 0 };
      double x = floor (layout->xs[i]) + 0.5;
      double most;

      cairo_move_to (text->cr, x, TOP_ROOM + 8);
      cairo_line_to (text->cr, x, plot->height - BOTTOM_ROOM);
      cairo_set_line_width (text->cr, 1);
      sluice_cairo_set_color (text->cr, theme->border);
      cairo_stroke (text->cr);
      foreach_label (&layout->axes[i], TRUE, parallel_label_cb, &labels);
      most = i == 0 || i == layout->n - 1 ? MIN (spacing, 2 * SIDE_ROOM) : spacing;
      sluice_text_set (text, get_name (table, layout->columns[i]), SLUICE_TEXT_LABEL, TRUE,
                       MAX (30, most - 8));
      sluice_text_draw (text, layout->xs[i], 10, SLUICE_ANCHOR_MIDDLE, theme->text);
    }
}

static void
draw_scatter_axes (const SluiceSettingsPlot *plot,
                   const Layout *layout,
                   const SluiceSettingsTable *table,
                   SluiceText *text,
                   const SluiceTheme *theme)
{
  Labels labels = { text, plot, theme, 0, plot->width / 4, 0 };

  foreach_label (&layout->axes[1], FALSE, y_label_cb, &labels);
  foreach_label (&layout->axes[0], FALSE, x_label_cb, &labels);
  sluice_text_set (text, get_name (table, plot->y), SLUICE_TEXT_LABEL, TRUE, plot->width - 20);
  sluice_text_draw (text, 8, 10, SLUICE_ANCHOR_START, theme->text);
  sluice_text_set (text, get_name (table, plot->x), SLUICE_TEXT_LABEL, TRUE, plot->width - 20);
  sluice_text_draw (text, (LEFT_ROOM + plot->width) / 2, plot->height - 9, SLUICE_ANCHOR_MIDDLE,
                    theme->text);
}

void
sluice_settings_plot_draw (const SluiceSettingsPlot *self,
                           const SluiceSettingsTable *table,
                           cairo_t *cr,
                           const SluiceTheme *theme)
{
  SluiceText text;
  Layout layout;

  g_return_if_fail (self->x < table->columns->len && self->y < table->columns->len);

  layout_init (&layout, self, table);
  sluice_text_begin (&text, cr, theme);
  if (self->kind == SLUICE_SETTINGS_PARALLEL)
    draw_parallel_axes (self, &layout, table, &text, theme);
  else
    draw_scatter_axes (self, &layout, table, &text, theme);
  draw_rows (self, &layout, table, cr, theme);
  sluice_text_end (&text);
  layout_clear (&layout);
}

/* ---- under the pointer ---- */

static double
segment_distance (double x0, double y0, double x1, double y1, double x, double y)
{
  double length = (x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0);
  double at = length > 0 ? ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length : 0;

  at = CLAMP (at, 0, 1);
  return hypot (x0 + at * (x1 - x0) - x, y0 + at * (y1 - y0) - y);
}

static double
row_distance (const SluiceSettingsPlot *plot,
              const Layout *layout,
              const SluiceSettingsRow *row,
              double x,
              double y)
{
  double best = INFINITY;
  double before = NAN;

  if (plot->kind == SLUICE_SETTINGS_SCATTER)
    {
      double distance = hypot (get_place (layout, row, 0) - x, get_place (layout, row, 1) - y);

      return isnan (distance) ? INFINITY : distance;
    }
  for (guint i = 0; i < layout->n; i++)
    {
      double here = get_place (layout, row, i);
      gboolean joined = i > 0 && !isnan (before);

      if (!isnan (here))
        best = MIN (best, segment_distance (layout->xs[joined ? i - 1 : i], joined ? before : here,
                                            layout->xs[i], here, x, y));
      before = here;
    }
  return best;
}

gint64
sluice_settings_plot_find (const SluiceSettingsPlot *self,
                           const SluiceSettingsTable *table,
                           double x,
                           double y)
{
  double best = REACH;
  gint64 found = 0;
  Layout layout;

  g_return_val_if_fail (self->x < table->columns->len && self->y < table->columns->len, 0);

  layout_init (&layout, self, table);
  for (guint i = 0; i < table->rows->len; i++)
    {
      const SluiceSettingsRow *row = g_ptr_array_index (table->rows, i);
      double distance = row_distance (self, &layout, row, x, y);

      if (distance >= best)
        continue;
      best = distance;
      found = row->run;
    }
  layout_clear (&layout);
  return found;
}
