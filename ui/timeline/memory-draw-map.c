/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Where everything lies. */
#include <math.h>

#include "ui/chart/ticks.h"
#include "ui/common/paint.h"
#include "ui/timeline/memory-draw-private.h"

#define STRIP  28.0 /* height of the pieces */
#define RADIUS 3.5
#define ROUND  7.0 /* what is narrower has no corners to be seen */
#define INSET  7.0
#define RING   2.5
#define NAMED  30.0 /* the narrowest piece with words */
#define TICKS  5

typedef struct
{
  const SluiceMemoryView *view;
  const SluiceMemoryMap *map;
  guint selected;
  double width;
  cairo_t *cr;
  const SluiceTheme *theme;
  SluiceText text;
} Strip;

static SluiceRect
get_rect (const Strip *self, const SluiceMemoryPiece *piece)
{
  double unit = self->width / (double) MAX (self->map->pool, 1);
  double x = (double) piece->offset * unit, width = (double) piece->bytes * unit;

  return (SluiceRect){ x, 1, MAX (width - (width > 3 ? 1 : 0), 0.6), STRIP };
}

static void
draw_free (Strip *self, const SluiceRect *rect)
{
  cairo_save (self->cr);
  cairo_rectangle (self->cr, rect->x, rect->y, rect->width, rect->height);
  cairo_clip (self->cr);
  sluice_memory_hatch (self->cr, rect,
                       sluice_color_mix (self->theme->ground, self->theme->dim, 0.3));
  cairo_restore (self->cr);
}

static void
draw_piece (Strip *self, const SluiceMemoryPiece *piece)
{
  const SluiceRect rect = get_rect (self, piece);

  if (piece->band == SLUICE_BAND_NONE)
    {
      draw_free (self, &rect);
      return;
    }
  const SluiceMemoryBand *band = sluice_memory_view_get_band (self->view, piece->band);
  SluiceColor hue = sluice_memory_get_color (band->owner.memory_class, self->theme);
  sluice_cairo_rounded_rect (self->cr, &rect, rect.width > ROUND ? RADIUS : 0);
  sluice_cairo_set_color (self->cr, sluice_memory_get_fill (band->owner.memory_class, self->theme));
  cairo_fill_preserve (self->cr);
  sluice_cairo_set_color (self->cr, sluice_color_with_alpha (hue, 0.8));
  cairo_set_line_width (self->cr, rect.width > 3 ? 1 : 0.4);
  cairo_stroke (self->cr);
  if (rect.width < NAMED)
    return;
  double width;
  g_autofree char *name = sluice_memory_dup_name (self->view, band->owner);
  sluice_text_set (&self->text, name, SLUICE_TEXT_LABEL, FALSE, 0);
  sluice_text_measure (&self->text, &width, NULL);
  if (width + 2 * INSET <= rect.width)
    sluice_text_draw (&self->text, rect.x + INSET, rect.y + STRIP / 2, SLUICE_ANCHOR_START,
                      self->theme->text);
}

static void
draw_ring (Strip *self, const SluiceMemoryPiece *piece)
{
  const SluiceRect rect = get_rect (self, piece);

  sluice_cairo_rounded_rect (self->cr, &rect, RADIUS);
  sluice_cairo_set_color (self->cr, self->theme->accent);
  cairo_set_line_width (self->cr, RING);
  cairo_stroke (self->cr);
}

static void
draw_offsets (Strip *self, double height)
{
  SluiceTicks ticks;

  sluice_ticks (&ticks, 0, (double) MAX (self->map->pool, 1), TICKS, SLUICE_UNIT_BYTES, FALSE);
  for (guint i = 0; i < ticks.n; i++)
    {
      double width;
      g_autofree char *words = sluice_format_tick (ticks.values[i], ticks.step, SLUICE_UNIT_BYTES);

      sluice_text_set (&self->text, words, SLUICE_TEXT_LABEL, FALSE, 0);
      sluice_text_measure (&self->text, &width, NULL);
      double x = ticks.values[i] / (double) MAX (self->map->pool, 1) * self->width;
      sluice_text_draw (&self->text, CLAMP (x, width / 2, self->width - width / 2), height - 8,
                        SLUICE_ANCHOR_MIDDLE, self->theme->dim);
    }
}

void
sluice_memory_draw_map (const SluiceMemoryView *view,
                        const SluiceMemoryMap *map,
                        guint selected,
                        double width,
                        double height,
                        cairo_t *cr,
                        const SluiceTheme *theme)
{
  Strip self = { view, map, selected, width, cr, theme, { NULL } };
  const SluiceMemoryPiece *ringed = NULL;

  sluice_text_begin (&self.text, cr, theme);
  for (guint i = 0; i < map->pieces->len; i++)
    {
      const SluiceMemoryPiece *piece = &g_array_index (map->pieces, SluiceMemoryPiece, i);

      draw_piece (&self, piece);
      if (piece->band != SLUICE_BAND_NONE && piece->band == selected)
        ringed = piece;
    }
  if (ringed != NULL)
    draw_ring (&self, ringed);
  draw_offsets (&self, height);
  sluice_text_end (&self.text);
}

guint
sluice_memory_pick_map (const SluiceMemoryMap *map, double width, double x)
{
  double offset = x / MAX (width, 1) * (double) map->pool;

  for (guint i = 0; i < map->pieces->len; i++)
    {
      const SluiceMemoryPiece *piece = &g_array_index (map->pieces, SluiceMemoryPiece, i);

      if (offset >= (double) piece->offset && offset < (double) (piece->offset + piece->bytes))
        return piece->band;
    }
  return SLUICE_BAND_NONE;
}
