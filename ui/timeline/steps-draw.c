/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/timeline/steps-draw.h"

#include <math.h>
#include <stdlib.h>

#include "ui/common/paint.h"
#include "ui/common/text.h"

#define TOP     18.0 /* over the bars, for words */
#define FOOT    6.0
#define NAMES_X 14.0
#define PITCH   40.0 /* units: a few steps stand apart, and no wider */
#define USUAL   0.55 /* of the height, for a step as most are */
#define LEAST   2.0
#define RING    2.0
#define LETTER  10.0 /* between one and the words beside it */

/* ---- where they are ---- */

double
sluice_steps_get_pitch (double x0, double x1, guint n)
{
  return MIN (PITCH, (x1 - x0) / MAX (n, 1));
}

static double
get_pitch (const SluiceStepsPicture *self)
{
  return sluice_steps_get_pitch (self->x0, self->x1, self->n);
}

guint
sluice_steps_pick (const SluiceStepsPicture *self, double x)
{
  if (self->n == 0)
    return 0;
  double at = (x - self->x0) / MAX (get_pitch (self), 1e-6);
  return (guint) CLAMP (floor (at), 0, self->n - 1);
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a;
  gint64 y = *(const gint64 *) b;

  return x < y ? -1 : x > y;
}

gint64
sluice_steps_get_median (const SluiceTraceStep *steps, guint n)
{
  if (n == 0)
    return 0;
  g_autofree gint64 *times = g_new (gint64, n);
  for (guint i = 0; i < n; i++)
    times[i] = steps[i].end - steps[i].start;
  qsort (times, n, sizeof *times, compare_times);
  return times[(n - 1) / 2];
}

/* ---- drawing ---- */

typedef struct
{
  const SluiceStepsPicture *picture;
  cairo_t *cr;
  const SluiceTheme *theme;
  SluiceText text;
  double median;
} Drawing;

/* Twice as long as usual is as high as there is room, and what is longer, too: how long it was is
 * said in words, and those as usual can still be compared. */
static double
get_height (const Drawing *d, const SluiceTraceStep *step)
{
  double room = d->picture->height - TOP - FOOT;
  double times = d->median > 0 ? (double) (step->end - step->start) / d->median : 1;

  return CLAMP (times * USUAL, LEAST / room, 1) * room;
}

static void
draw_bars (Drawing *d)
{
  const SluiceStepsPicture *p = d->picture;
  double pitch = get_pitch (p);
  double gap = pitch >= 3 ? 1 : 0;
  double foot = p->height - FOOT;

  for (gboolean slow = FALSE; slow <= TRUE; slow++)
    {
      for (guint i = 0; i < p->n; i++)
        if (!p->steps[i].is_slow == !slow)
          {
            double height = get_height (d, &p->steps[i]);

            cairo_rectangle (d->cr, p->x0 + i * pitch, foot - height, MAX (pitch - gap, 1), height);
          }
      SluiceColor color = slow ? d->theme->event : d->theme->accent;
      sluice_cairo_set_color (d->cr, slow ? color : sluice_color_with_alpha (color, 0.75));
      cairo_fill (d->cr);
    }
}

/* Where steps are missing, for they were not kept. */
static void
draw_notches (Drawing *d)
{
  const SluiceStepsPicture *p = d->picture;

  for (guint i = 1; i < p->n; i++)
    if (p->steps[i].step != p->steps[i - 1].step + 1)
      cairo_rectangle (d->cr, floor (p->x0 + i * get_pitch (p)) - 1, p->height - FOOT, 1.5,
                       FOOT - 1);
  sluice_cairo_set_color (d->cr, d->theme->dim);
  cairo_fill (d->cr);
}

static void
draw_ring (Drawing *d, guint place, SluiceColor color)
{
  const SluiceStepsPicture *p = d->picture;
  double pitch = get_pitch (p);
  double top = p->height - FOOT - get_height (d, &p->steps[place]);
  const SluiceRect bar = { p->x0 + place * pitch, top, MAX (pitch - (pitch >= 3 ? 1 : 0), 1),
                           p->height - FOOT - top };
  const SluiceRect ring = sluice_rect_grown (&bar, 3);

  sluice_cairo_rounded_rect (d->cr, &ring, 3);
  sluice_cairo_set_color (d->cr, color);
  cairo_set_line_width (d->cr, RING);
  cairo_stroke (d->cr);
}

/* What is said of the chosen one, from where to where: nothing, where there is nothing to say. */
static void
draw_words (Drawing *d, double *from, double *to)
{
  const SluiceStepsPicture *p = d->picture;
  double width;

  *from = *to = -G_MAXDOUBLE;
  if (p->chosen >= p->n || p->words == NULL)
    return;
  double middle = p->x0 + (p->chosen + 0.5) * get_pitch (p);
  sluice_text_set (&d->text, p->words, SLUICE_TEXT_LABEL, TRUE, 0);
  sluice_text_measure (&d->text, &width, NULL);
  *from = CLAMP (middle - width / 2, p->x0, MAX (p->x1 - width, p->x0));
  *to = *from + width;
  sluice_text_draw (&d->text, *from, 9, SLUICE_ANCHOR_START, d->theme->text);
}

/* The chosen one, and that which it is compared with: B, where that can stand beside the words. */
static void
draw_chosen (Drawing *d)
{
  const SluiceStepsPicture *p = d->picture;
  double from;
  double to;

  if (p->chosen < p->n)
    draw_ring (d, p->chosen, d->theme->accent);
  draw_words (d, &from, &to);
  if (p->other >= p->n || p->other == p->chosen)
    return;
  draw_ring (d, p->other, d->theme->text);
  double x = p->x0 + (p->other + 0.5) * get_pitch (p);
  if (x > from - LETTER && x < to + LETTER)
    return;
  sluice_text_set (&d->text, "B", SLUICE_TEXT_LABEL, TRUE, 0);
  sluice_text_draw (&d->text, x, 9, SLUICE_ANCHOR_MIDDLE, d->theme->text);
}

void
sluice_steps_draw (const SluiceStepsPicture *self,
                   cairo_t *cr,
                   double width,
                   const SluiceTheme *theme)
{
  Drawing d = { .picture = self, .cr = cr, .theme = theme };

  d.median = (double) sluice_steps_get_median (self->steps, self->n);
  cairo_save (cr);
  if (self->mirrored)
    sluice_text_begin_mirrored (&d.text, cr, theme, width);
  else
    sluice_text_begin (&d.text, cr, theme);
  if (self->heading != NULL)
    {
      sluice_text_set (&d.text, self->heading, SLUICE_TEXT_LABEL, TRUE, self->x0 - NAMES_X - 8);
      sluice_text_draw (&d.text, NAMES_X, self->height / 2 - 5, SLUICE_ANCHOR_START, theme->text);
    }
  if (self->range != NULL)
    {
      sluice_text_set (&d.text, self->range, SLUICE_TEXT_LABEL, FALSE, self->x0 - NAMES_X - 8);
      sluice_text_draw (&d.text, NAMES_X, self->height / 2 + 10, SLUICE_ANCHOR_START, theme->dim);
    }
  draw_bars (&d);
  draw_notches (&d);
  draw_chosen (&d);
  sluice_text_end (&d.text);
  cairo_restore (cr);
}
