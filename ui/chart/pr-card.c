/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/pr-card.h"

#include "ui/chart/ticks.h"
#include "ui/common/geometry.h"
#include "ui/common/paint.h"
#include "ui/common/text.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define LEAST_HEIGHT   180
#define NATURAL_HEIGHT 300
#define PADDING        16.0
#define TITLE_MIDDLE   20.0
#define TITLE_HEIGHT   41.0
#define LEFT_ROOM      56.0
#define BOTTOM_ROOM    44.0

typedef struct
{
  gint64 id, step;
  char *name;
  SluiceColor color;
  guint n;
  double *precision, *recall;
} Run;

struct _SluicePrCard
{
  SluiceCard parent_instance;
  GPtrArray *runs; /* of Run */
  SluiceRect plot; /* of the last drawing */
  double pointer_x, pointer_y;
  gboolean dirty;
};

G_DEFINE_FINAL_TYPE (SluicePrCard, sluice_pr_card, SLUICE_TYPE_CARD)

static void
run_free (Run *run)
{
  g_free (run->name);
  g_free (run->precision);
  g_free (run->recall);
  g_free (run);
}

/* ---- drawing ---- */

static double
to_x (const SluicePrCard *self, double recall)
{
  return self->plot.x + self->plot.width * recall;
}

static double
to_y (const SluicePrCard *self, double precision)
{
  return self->plot.y + self->plot.height * (1 - precision);
}

static void
draw_axes (const SluicePrCard *self, SluiceText *text, double height, const SluiceTheme *theme)
{
  for (guint i = 0; i <= 4; i++)
    {
      g_autofree char *label = sluice_format_tick (i / 4.0, 0.25, SLUICE_UNIT_PERCENT);
      double y = floor (to_y (self, i / 4.0)) + 0.5;

      cairo_move_to (text->cr, self->plot.x, y);
      cairo_line_to (text->cr, self->plot.x + self->plot.width, y);
      sluice_cairo_set_color (text->cr, theme->grid);
      cairo_set_line_width (text->cr, 1);
      cairo_stroke (text->cr);
      sluice_text_set (text, label, SLUICE_TEXT_LABEL, FALSE, 0);
      sluice_text_draw (text, self->plot.x - 9, y, SLUICE_ANCHOR_END, theme->dim);
      sluice_text_draw (text, to_x (self, i / 4.0), self->plot.y + self->plot.height + 14,
                        SLUICE_ANCHOR_MIDDLE, theme->dim);
    }
  sluice_text_set (text, _ ("precision over recall"), SLUICE_TEXT_LABEL, FALSE, 0);
  sluice_text_draw (text, self->plot.x + self->plot.width / 2, height - 12, SLUICE_ANCHOR_MIDDLE,
                    theme->dim);
}

static void
draw_run (const SluicePrCard *self, cairo_t *cr, const Run *run, const SluiceTheme *theme)
{
  cairo_new_path (cr);
  for (guint i = 0; i < run->n; i++)
    if (isfinite (run->precision[i]) && isfinite (run->recall[i]))
      cairo_line_to (cr, to_x (self, CLAMP (run->recall[i], 0, 1)),
                     to_y (self, CLAMP (run->precision[i], 0, 1)));
  sluice_cairo_set_color (cr, sluice_color_readable (run->color, theme->card, 3));
  cairo_set_line_width (cr, 2.2);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_stroke (cr);
}

/* The point nearest to the pointer, within reach. */
static const Run *
find_point (const SluicePrCard *self, guint *index)
{
  const Run *found = NULL;
  double best = 24;

  for (guint r = 0; r < self->runs->len; r++)
    {
      const Run *run = g_ptr_array_index (self->runs, r);

      for (guint i = 0; i < run->n; i++)
        {
          double distance = hypot (to_x (self, run->recall[i]) - self->pointer_x,
                                   to_y (self, run->precision[i]) - self->pointer_y);

          if (!(distance < best))
            continue;
          best = distance;
          found = run;
          *index = i;
        }
    }
  return found;
}

/* In the title's row, where it hides nothing. */
static void
draw_reading (const SluicePrCard *self, SluiceText *text, double width, const SluiceTheme *theme)
{
  guint i = 0;
  const Run *run = find_point (self, &i);
  g_autofree char *precision = NULL;
  g_autofree char *recall = NULL;
  g_autofree char *threshold = NULL;
  g_autofree char *words = NULL;

  if (run == NULL)
    return;
  precision = sluice_format_value (run->precision[i], SLUICE_UNIT_PERCENT);
  recall = sluice_format_value (run->recall[i], SLUICE_UNIT_PERCENT);
  threshold = sluice_format_value (run->n > 1 ? i / (run->n - 1.0) : 0, SLUICE_UNIT_NONE);
  words = g_strdup_printf (_ ("%s · precision %s, recall %s above %s"), run->name, precision,
                           recall, threshold);
  sluice_text_set (text, words, SLUICE_TEXT_LABEL, FALSE, width - PADDING * 2);
  sluice_text_draw (text, self->plot.x, TITLE_HEIGHT - 2, SLUICE_ANCHOR_START, theme->dim);
  cairo_new_path (text->cr);
  cairo_arc (text->cr, to_x (self, run->recall[i]), to_y (self, run->precision[i]), 4, 0, 2 * G_PI);
  sluice_cairo_set_color (text->cr, sluice_color_readable (run->color, theme->card, 3));
  cairo_fill (text->cr);
}

static void
render (SluicePrCard *self, cairo_t *cr, double width, double height, const SluiceTheme *theme)
{
  SluiceText text;

  sluice_cairo_draw_card (cr, width, height, theme);
  self->plot = (SluiceRect){ LEFT_ROOM, TITLE_HEIGHT + 10, MAX (8, width - LEFT_ROOM - 20),
                             MAX (8, height - TITLE_HEIGHT - 10 - BOTTOM_ROOM) };
  sluice_text_begin (&text, cr, theme);
  draw_axes (self, &text, height, theme);
  for (guint i = 0; i < self->runs->len; i++)
    draw_run (self, cr, g_ptr_array_index (self->runs, i), theme);
  draw_reading (self, &text, width, theme);
  sluice_text_set (&text, sluice_card_get_title (SLUICE_CARD (self)), SLUICE_TEXT_TITLE, TRUE,
                   MAX (40, width - 2 * PADDING - SLUICE_CARD_BUTTONS_WIDTH));
  sluice_text_draw (&text, PADDING, TITLE_MIDDLE, SLUICE_ANCHOR_START, theme->text);
  sluice_text_end (&text);
}

/* ---- as a card ---- */

static void
draw (SluiceCard *card, cairo_t *cr, double width, double height, const SluiceTheme *theme)
{
  render (SLUICE_PR_CARD (card), cr, width, height, theme);
  SLUICE_PR_CARD (card)->dirty = FALSE;
}

static gboolean
needs_redraw (SluiceCard *card)
{
  return SLUICE_PR_CARD (card)->dirty;
}

static void
changed (SluicePrCard *self)
{
  self->dirty = TRUE;
  sluice_card_refresh (SLUICE_CARD (self));
}

static void
motion_cb (GtkEventControllerMotion *controller, double x, double y, gpointer data)
{
  SluicePrCard *self = data;

  self->pointer_x = x / sluice_card_get_text_scale (data);
  self->pointer_y = y / sluice_card_get_text_scale (data);
  changed (self);
}

static void
leave_cb (GtkEventControllerMotion *controller, gpointer data)
{
  SLUICE_PR_CARD (data)->pointer_x = NAN;
  changed (data);
}

static char *
dup_summary (SluiceCard *card)
{
  return sluice_pr_card_dup_text (SLUICE_PR_CARD (card));
}

static void
sluice_pr_card_finalize (GObject *object)
{
  g_ptr_array_unref (SLUICE_PR_CARD (object)->runs);
  G_OBJECT_CLASS (sluice_pr_card_parent_class)->finalize (object);
}

static void
sluice_pr_card_class_init (SluicePrCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  SluiceCardClass *card_class = SLUICE_CARD_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sluice_pr_card_finalize;
  card_class->least_height = LEAST_HEIGHT;
  card_class->natural_height = NATURAL_HEIGHT;
  card_class->needs_redraw = needs_redraw;
  card_class->dup_summary = dup_summary;
  card_class->draw = draw;
  gtk_widget_class_set_css_name (widget_class, "prcard");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
sluice_pr_card_init (SluicePrCard *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();

  self->runs = g_ptr_array_new_with_free_func ((GDestroyNotify) run_free);
  self->pointer_x = NAN;
  self->dirty = TRUE;
  g_signal_connect (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect (motion, "leave", G_CALLBACK (leave_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
}

GtkWidget *
sluice_pr_card_new (const char *title)
{
  return g_object_new (SLUICE_TYPE_PR_CARD, "title", title, NULL);
}

static Run *
find_run (SluicePrCard *self, gint64 id)
{
  for (guint i = 0; i < self->runs->len; i++)
    if (((Run *) g_ptr_array_index (self->runs, i))->id == id)
      return g_ptr_array_index (self->runs, i);
  return NULL;
}

void
sluice_pr_card_set_run (SluicePrCard *self,
                        gint64 id,
                        const char *name,
                        SluiceColor color,
                        gint64 step,
                        guint n,
                        const double *precision,
                        const double *recall)
{
  Run *run;

  g_return_if_fail (SLUICE_IS_PR_CARD (self));

  run = find_run (self, id);
  if (run == NULL)
    {
      run = g_new0 (Run, 1);
      g_ptr_array_add (self->runs, run);
    }
  g_free (run->name);
  g_free (run->precision);
  g_free (run->recall);
  *run = (Run){ .id = id,
                .step = step,
                .name = g_strdup (name),
                .color = color,
                .n = n,
                .precision = g_memdup2 (precision, n * sizeof *precision),
                .recall = g_memdup2 (recall, n * sizeof *recall) };
  changed (self);
}

void
sluice_pr_card_remove_run (SluicePrCard *self, gint64 id)
{
  Run *run = find_run (self, id);

  g_return_if_fail (run != NULL);

  g_ptr_array_remove (self->runs, run);
  changed (self);
}

/* By trapezoids; recall falls with the threshold. */
static double
get_area (const Run *run)
{
  double area = 0;

  for (guint i = 1; i < run->n; i++)
    area += fabs (run->recall[i - 1] - run->recall[i]) * (run->precision[i - 1] + run->precision[i])
            / 2;
  return area;
}

char *
sluice_pr_card_dup_text (SluicePrCard *self)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < self->runs->len; i++)
    {
      const Run *run = g_ptr_array_index (self->runs, i);
      g_autofree char *area = sluice_format_value (get_area (run), SLUICE_UNIT_NONE);
      g_autofree char *step = sluice_format_step (run->step);

      g_string_append (out, i > 0 ? "; " : "");
      g_string_append_printf (out, _ ("%s: area %s under precision and recall at step %s"),
                              run->name, area, step);
    }
  return g_string_free (out, FALSE);
}
