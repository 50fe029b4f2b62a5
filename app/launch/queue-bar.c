/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/queue-bar.h"

#include <glib/gi18n.h>
#include <math.h>

#include "ui/common/paint.h"
#include "ui/common/text.h"
#include "ui/common/widget.h"

#define ROW_HEIGHT  32
#define AXIS_HEIGHT 18
#define LEAST_WIDTH 90
#define BAR_HEIGHT  17
#define LEAST_BAR   5
#define TEXT_SIZE   11.0
#define FIRST_ROOM  16 /* at its start, for half of the word "now" */
#define LABEL_ROOM  44 /* at the end of the axis, for what is written behind the last bar */

struct _SluiceQueueBar
{
  GtkWidget parent;
  const SluiceQueueScale *scale;
  SluiceQueueSpan span;
  SluiceQueueBarKind kind;
  SluiceColor color;
};

G_DEFINE_FINAL_TYPE (SluiceQueueBar, sluice_queue_bar, GTK_TYPE_WIDGET)

/* ---- words ---- */

/* "0:48", "1:02:13", "2 d 3 h" */
static char *
clock_words (double seconds)
{
  gint64 s = (gint64) (MAX (seconds, 0) + 0.5);
  if (s >= 2 * 86400)
    return g_strdup_printf (_ ("%d d %d h"), (int) (s / 86400), (int) (s % 86400 / 3600));
  return s >= 3600 ? g_strdup_printf ("%d:%02d:%02d", (int) (s / 3600), (int) (s % 3600 / 60),
                                      (int) (s % 60))
                   : g_strdup_printf ("%d:%02d", (int) (s / 60), (int) (s % 60));
}

char *
sluice_queue_time_words (double seconds, double spread)
{
  g_autofree char *time = clock_words (seconds), *around = clock_words (spread);
  return isfinite (spread) && spread >= 0.5 ? g_strdup_printf ("%s ± %s", time, around)
                                            : g_strdup (time);
}

char *
sluice_queue_span_words (const SluiceQueueSpan *span)
{
  if (!span->is_known)
    return g_strdup (_ ("how long it takes is not known: no run of its project has been trained"));
  g_autofree char *end = sluice_queue_time_words (span->end, span->spread);
  g_autofree char *start = clock_words (span->start);
  return span->start <= 0 && span->part_done > 0
             ? g_strdup_printf (_ ("%d %% done, ends in %s"), (int) (100 * span->part_done), end)
             : g_strdup_printf (_ ("begins in %s, ends in %s"), start, end);
}

/* ---- the scale ---- */

void
sluice_queue_scale_set (SluiceQueueScale *self, const SluiceQueueSpan *spans, guint n)
{
  double low = 0, high = 1;
  for (guint i = 0; i < n; i++)
    {
      low = MIN (low, spans[i].start);
      high = MAX (high, spans[i].end + (isfinite (spans[i].spread) ? spans[i].spread : 0));
    }
  self->low = low;
  self->high = high;
  sluice_ticks (&self->ticks, 0, high, 4, SLUICE_UNIT_SECONDS, FALSE);
}

/* In the text's direction. */
static double
get_x (SluiceQueueBar *self, double seconds)
{
  const SluiceQueueScale *scale = self->scale;
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double x =
      FIRST_ROOM
      + (seconds - scale->low) / (scale->high - scale->low) * (width - LABEL_ROOM - FIRST_ROOM);
  return gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL ? width - x : x;
}

/* ---- drawing ---- */

static void
draw_line (cairo_t *cr, double x, double height, double width, SluiceColor color)
{
  sluice_cairo_set_color (cr, color);
  cairo_rectangle (cr, x - width / 2, 0, width, height);
  cairo_fill (cr);
}

static void
draw_axis (SluiceQueueBar *self, SluiceText *text, const SluiceTheme *theme, double height)
{
  const SluiceTicks *ticks = &self->scale->ticks;
  sluice_text_set (text, _ ("now"), TEXT_SIZE, TRUE, 0);
  double now = get_x (self, 0), free_from, h;
  sluice_text_measure (text, &free_from, &h);
  sluice_text_draw (text, now, height / 2, SLUICE_ANCHOR_MIDDLE,
                    sluice_color_readable (theme->accent, theme->card, 4.5));
  free_from = free_from / 2 + 6;
  for (guint i = 0; i < ticks->n; i++)
    {
      g_autofree char *tick =
          sluice_format_tick (ticks->values[i], ticks->step, SLUICE_UNIT_SECONDS);
      g_autofree char *label = g_strdup_printf ("+%s", tick);
      double x = get_x (self, ticks->values[i]), width;
      sluice_text_set (text, label, TEXT_SIZE, FALSE, 0);
      sluice_text_measure (text, &width, &h);
      if (ticks->values[i] <= 0 || fabs (x - now) - width / 2 < free_from)
        continue;
      sluice_text_draw (text, x, height / 2, SLUICE_ANCHOR_MIDDLE, theme->dim);
      free_from = fabs (x - now) + width / 2 + 6;
    }
}

/* from, to: pixels, in any order */
static SluiceRect
get_rect (double from, double to, double height)
{
  double left = MIN (from, to), right = MAX (MAX (from, to), left + LEAST_BAR);
  return (SluiceRect){ left + 0.5, (height - BAR_HEIGHT) / 2 + 0.5, right - left, BAR_HEIGHT - 1 };
}

static void
draw_bar (SluiceQueueBar *self, cairo_t *cr, const SluiceTheme *theme, double height)
{
  static const double dashes[] = { 3, 2 };
  SluiceColor color = sluice_color_readable (self->color, theme->card, 3);
  SluiceRect all = get_rect (get_x (self, self->span.start), get_x (self, self->span.end), height);
  sluice_cairo_set_color (cr, sluice_color_with_alpha (color, 0.18));
  sluice_cairo_rounded_rect (cr, &all, 4);
  cairo_fill (cr);
  if (self->kind == SLUICE_QUEUE_BAR_RUNNING)
    {
      SluiceRect done = get_rect (get_x (self, self->span.start), get_x (self, 0), height);
      sluice_cairo_set_color (cr, color);
      sluice_cairo_rounded_rect (cr, &done, 4);
      cairo_fill (cr);
    }
  cairo_set_line_width (cr, 1.2);
  if (self->kind != SLUICE_QUEUE_BAR_RUNNING)
    cairo_set_dash (cr, dashes, 2, 0);
  sluice_cairo_set_color (cr, color);
  sluice_cairo_rounded_rect (cr, &all, 4);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
}

/* How far the end may lie away. */
static void
draw_whisker (SluiceQueueBar *self, cairo_t *cr, const SluiceTheme *theme, double height)
{
  double a = get_x (self, self->span.end - self->span.spread);
  double b = get_x (self, self->span.end + self->span.spread), y = height / 2;
  if (!isfinite (self->span.spread) || !self->span.is_known)
    return;
  sluice_cairo_set_color (cr, theme->text);
  cairo_set_line_width (cr, 1.2);
  cairo_move_to (cr, a, y);
  cairo_line_to (cr, b, y);
  cairo_move_to (cr, a, y - 3);
  cairo_line_to (cr, a, y + 3);
  cairo_move_to (cr, b, y - 3);
  cairo_line_to (cr, b, y + 3);
  cairo_stroke (cr);
}

/* In the bar where it fits, behind it where it does not, never cut. */
static void
draw_label (SluiceQueueBar *self, SluiceText *text, const SluiceTheme *theme, double height)
{
  g_autofree char *words = !self->span.is_known ? g_strdup ("?")
                           : self->kind == SLUICE_QUEUE_BAR_RUNNING
                               ? g_strdup_printf ("%d %%", (int) (100 * self->span.part_done))
                               : clock_words (self->span.end - self->span.start);
  gboolean is_rtl = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;
  double spread = isfinite (self->span.spread) ? self->span.spread : 0;
  double start = get_x (self, self->span.start), end = get_x (self, self->span.end), width, h;
  sluice_text_set (text, words, TEXT_SIZE, TRUE, 0);
  sluice_text_measure (text, &width, &h);
  gboolean fits = self->kind != SLUICE_QUEUE_BAR_RUNNING
                  && fabs (get_x (self, self->span.end - spread) - start) > width + 16;
  double x = fits ? start + (is_rtl ? -7 : 7)
                  : (is_rtl ? MIN (get_x (self, self->span.end + spread), end - LEAST_BAR) - 7
                            : MAX (get_x (self, self->span.end + spread), start + LEAST_BAR) + 7);
  sluice_text_draw (text, x, height / 2, is_rtl ? SLUICE_ANCHOR_END : SLUICE_ANCHOR_START,
                    theme->text);
}

static void
sluice_queue_bar_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SluiceQueueBar *self = SLUICE_QUEUE_BAR (widget);
  double width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  cairo_t *cr = gtk_snapshot_append_cairo (
      snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
  SluiceTheme theme;
  SluiceText text;
  sluice_theme_from_widget (&theme, widget);
  sluice_text_begin (&text, cr, &theme);
  if (self->kind == SLUICE_QUEUE_BAR_AXIS)
    draw_axis (self, &text, &theme, height);
  else
    {
      for (guint i = 0; i < self->scale->ticks.n; i++)
        draw_line (cr, get_x (self, self->scale->ticks.values[i]), height, 1, theme.grid);
      draw_bar (self, cr, &theme, height);
      draw_line (cr, get_x (self, 0), height, 1.5, theme.accent);
      draw_whisker (self, cr, &theme, height);
      draw_label (self, &text, &theme, height);
    }
  sluice_text_end (&text);
  cairo_destroy (cr);
}

static void
sluice_queue_bar_measure (GtkWidget *widget,
                          GtkOrientation orientation,
                          int for_size,
                          int *minimum,
                          int *natural,
                          int *minimum_baseline,
                          int *natural_baseline)
{
  SluiceQueueBar *self = SLUICE_QUEUE_BAR (widget);
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? LEAST_WIDTH
                        : self->kind == SLUICE_QUEUE_BAR_AXIS     ? AXIS_HEIGHT
                                                                  : ROW_HEIGHT;
}

static void
sluice_queue_bar_class_init (SluiceQueueBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  widget_class->snapshot = sluice_queue_bar_snapshot;
  widget_class->measure = sluice_queue_bar_measure;
  /* Its row says it in words. */
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
sluice_queue_bar_init (SluiceQueueBar *self)
{
}

GtkWidget *
sluice_queue_bar_new (const SluiceQueueScale *scale)
{
  SluiceQueueBar *self = g_object_new (SLUICE_TYPE_QUEUE_BAR, NULL);
  self->scale = scale;
  return GTK_WIDGET (self);
}

void
sluice_queue_bar_set (SluiceQueueBar *self,
                      const SluiceQueueSpan *span,
                      SluiceQueueBarKind kind,
                      SluiceColor color)
{
  self->span = *span;
  self->kind = kind;
  self->color = color;
  gtk_widget_queue_resize (GTK_WIDGET (self));
}
