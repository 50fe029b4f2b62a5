/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The bands themselves, and what is free over them. */
#include <math.h>

#include "ui/common/paint.h"
#include "ui/timeline/memory-draw-private.h"

#define SINK     5.0  /* units in which a band sinks */
#define THIN     2.5  /* lower ones have no border */
#define LABEL    15.0 /* the lowest band with words */
#define INSET    8.0
#define LETTER   5.0 /* the least that one takes: what cannot fit is not measured */
#define LINE     1.0
#define RING     2.5
#define HATCH    6.0
#define EMPHASIS 0.35 /* more of the hue under the pointer */

void
sluice_memory_hatch (cairo_t *cr, const SluiceRect *rect, SluiceColor color)
{
  sluice_cairo_set_color (cr, color);
  cairo_set_line_width (cr, LINE);
  for (double x = floor ((rect->x - rect->height) / HATCH) * HATCH; x < rect->x + rect->width;
       x += HATCH)
    {
      cairo_move_to (cr, x, rect->y + rect->height);
      cairo_line_to (cr, x + rect->height, rect->y);
    }
  cairo_stroke (cr);
}

/* ---- a shape ---- */

typedef struct
{
  const SluiceMemoryPicture *picture;
  const SluiceMemoryPoint *points;
  guint n;
  double end; /* of the shape */
  gsize bytes;
} Outline;

static Outline
outline_of (const SluiceMemoryPicture *self, const SluiceMemoryShape *shape)
{
  return (Outline){ self,
                    &g_array_index (self->layout->points, SluiceMemoryPoint, shape->first_point),
                    shape->n_points, sluice_memory_x_of_column (self, shape->end),
                    sluice_memory_view_get_band (self->view, shape->band)->bytes };
}

static double
outline_x (const Outline *self, guint i)
{
  return i < self->n ? sluice_memory_x_of_column (self->picture, self->points[i].column)
                     : self->end;
}

/* To the right along its top, or to the left along its foot. */
static void
add_edge (const Outline *self, cairo_t *cr, gsize over, gboolean to_right)
{
  for (guint k = 0; k < self->n; k++)
    {
      guint i = to_right ? k : self->n - 1 - k;
      double y = sluice_memory_y_of (self->picture, (double) (self->points[i].base + over));
      double from = outline_x (self, i);
      double to = outline_x (self, i + 1);
      double begin = i > 0 ? MIN (from + SINK, to) : from;

      cairo_line_to (cr, to_right ? begin : to, y);
      cairo_line_to (cr, to_right ? to : begin, y);
    }
}

static void
add_outline (const Outline *self, cairo_t *cr)
{
  cairo_new_path (cr);
  add_edge (self, cr, self->bytes, TRUE);
  add_edge (self, cr, 0, FALSE);
  cairo_close_path (cr);
}

/* The longest stretch in which it does not sink. */
static guint
find_longest (const Outline *self)
{
  guint longest = 0;

  for (guint i = 1; i < self->n; i++)
    if (outline_x (self, i + 1) - outline_x (self, i)
        > outline_x (self, longest + 1) - outline_x (self, longest))
      longest = i;
  return longest;
}

/* "conv1/Relu · 6.4 MB", the name alone where that has no room, else nothing: never cut. */
static void
draw_label (SluiceMemoryDrawing *d, const Outline *self, guint number)
{
  const SluiceMemoryBand *band = sluice_memory_view_get_band (d->picture->view, number);
  guint at = find_longest (self);
  double left = outline_x (self, at) + (at > 0 ? SINK : 0) + INSET;
  double room = outline_x (self, at + 1) - INSET - left;
  double y =
      sluice_memory_y_of (d->picture, (double) self->points[at].base + (double) self->bytes / 2);

  if (room < 3 * LETTER)
    return;
  g_autofree char *name = sluice_memory_dup_name (d->picture->view, band->owner);
  g_autofree char *bytes = sluice_memory_format_bytes ((double) band->bytes);
  g_autofree char *both = g_strdup_printf ("%s · %s", name, bytes);
  const char *const words[] = { both, name };
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      double width;

      sluice_text_set (&d->text, words[i], SLUICE_TEXT_LABEL, FALSE, 0);
      sluice_text_measure (&d->text, &width, NULL);
      if (width > room)
        continue;
      sluice_text_draw (&d->text, left, y, SLUICE_ANCHOR_START, d->theme->text);
      return;
    }
}

static void
draw_shape (SluiceMemoryDrawing *d, const SluiceMemoryShape *shape)
{
  const SluiceMemoryPicture *p = d->picture;
  const SluiceMemoryBand *band = sluice_memory_view_get_band (p->view, shape->band);
  const Outline outline = outline_of (p, shape);
  double height = sluice_memory_y_of (p, 0) - sluice_memory_y_of (p, (double) band->bytes);
  SluiceColor hue = sluice_memory_get_color (band->owner.memory_class, d->theme);
  SluiceColor fill = sluice_memory_get_fill (band->owner.memory_class, d->theme);

  if (shape->band == p->hovered)
    fill = sluice_color_mix (fill, hue, EMPHASIS);
  add_outline (&outline, d->cr);
  sluice_cairo_set_color (d->cr, height < THIN ? sluice_color_mix (fill, hue, 0.5) : fill);
  cairo_fill_preserve (d->cr);
  if (height >= THIN)
    {
      sluice_cairo_set_color (d->cr, sluice_color_with_alpha (hue, 0.8));
      cairo_set_line_width (d->cr, LINE);
      cairo_stroke (d->cr);
    }
  cairo_new_path (d->cr);
  if (height >= LABEL)
    draw_label (d, &outline, shape->band);
}

/* ---- all ---- */

/* What the device has and no buffer uses. */
static void
draw_free (SluiceMemoryDrawing *d)
{
  const SluiceMemoryPicture *p = d->picture;
  const SluiceMemoryLayout *layout = p->layout;
  double from = sluice_memory_x_of_column (p, 0);
  double to = sluice_memory_x_of_column (p, layout->n_columns);
  const SluiceRect plot = { from, sluice_memory_y_of (p, p->top_bytes), to - from,
                            sluice_memory_y_of (p, 0) - sluice_memory_y_of (p, p->top_bytes) };

  cairo_save (d->cr);
  cairo_new_path (d->cr);
  for (guint c = 0; c < layout->n_columns; c++)
    {
      double y = sluice_memory_y_of (p, MIN ((double) layout->reserved[c], p->top_bytes));

      cairo_line_to (d->cr, sluice_memory_x_of_column (p, c), y);
      cairo_line_to (d->cr, sluice_memory_x_of_column (p, c + 1), y);
    }
  cairo_path_t *edge = cairo_copy_path (d->cr);
  cairo_line_to (d->cr, to, sluice_memory_y_of (p, 0));
  cairo_line_to (d->cr, from, sluice_memory_y_of (p, 0));
  cairo_close_path (d->cr);
  cairo_clip (d->cr);
  sluice_memory_hatch (d->cr, &plot, sluice_color_mix (d->theme->ground, d->theme->dim, 0.2));
  cairo_restore (d->cr);
  cairo_append_path (d->cr, edge);
  cairo_path_destroy (edge);
  sluice_cairo_set_color (d->cr, sluice_color_mix (d->theme->ground, d->theme->dim, 0.5));
  cairo_set_line_width (d->cr, LINE);
  cairo_stroke (d->cr);
}

/* The band that is selected, or a part of what its owner has. */
static gboolean
is_ringed (const SluiceMemoryPicture *self, guint band)
{
  if (band == self->selected || self->selected == SLUICE_BAND_NONE || !self->is_shared)
    return band == self->selected;
  guint32 owner = sluice_memory_view_get_band (self->view, self->selected)->owner.node;
  return owner != 0 && sluice_memory_view_get_band (self->view, band)->owner.node == owner;
}

static void
draw_rings (SluiceMemoryDrawing *d)
{
  const GArray *shapes = d->picture->layout->shapes;

  for (guint i = 0; i < shapes->len; i++)
    {
      const SluiceMemoryShape *shape = &g_array_index (shapes, SluiceMemoryShape, i);

      if (!is_ringed (d->picture, shape->band))
        continue;
      const Outline outline = outline_of (d->picture, shape);
      add_outline (&outline, d->cr);
      sluice_cairo_set_color (d->cr, d->theme->accent);
      cairo_set_line_width (d->cr, shape->band == d->picture->selected ? RING : RING / 2);
      cairo_set_line_join (d->cr, CAIRO_LINE_JOIN_ROUND);
      cairo_stroke (d->cr);
    }
}

void
sluice_memory_draw_bands (SluiceMemoryDrawing *d)
{
  const GArray *shapes = d->picture->layout->shapes;

  if (!d->picture->is_shared) /* which stand for what ran, not for the pool */
    draw_free (d);
  for (guint i = 0; i < shapes->len; i++)
    draw_shape (d, &g_array_index (shapes, SluiceMemoryShape, i));
  draw_rings (d);
}
