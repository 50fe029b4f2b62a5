/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/draw-private.h"

#include "ui/canvas/scene-private.h"
#include "ui/canvas/text-metrics.h"

#define PLATE_HEIGHT 16.0
#define PLATE_AIR    5.0 /* beside the words */
#define PLATE_RADIUS 4.0
#define WORDS_HEIGHT 10.0
#define MOST_WIDTH   400.0

/* What must stay free of others: the words themselves, and half of what is around them. */
static SluiceRect
find_words (const SluiceRect *plate, double scale)
{
  double side = PLATE_AIR / 2 * scale, above = (PLATE_HEIGHT - WORDS_HEIGHT) / 2 * scale;
  return (SluiceRect){ plate->x + side, plate->y + above, plate->width - 2 * side,
                       plate->height - 2 * above };
}

static gboolean
is_free (const GArray *taken, const SluiceRect *words)
{
  for (guint i = 0; i < taken->len; i++)
    if (sluice_rect_touches (&g_array_index (taken, SluiceRect, i), words))
      return FALSE;
  return TRUE;
}

/* (transfer full) (element-type SluiceRect) */
static GArray *
list_boxes (SluiceScene *scene, const GArray *items)
{
  GArray *boxes = g_array_new (FALSE, FALSE, sizeof (SluiceRect));
  for (guint i = 0; i < items->len; i++)
    {
      const SluiceSceneItem *item = sluice_scene_get_item (scene, g_array_index (items, guint, i));
      if (item->kind != SLUICE_ITEM_OPEN_SCOPE && item->kind != SLUICE_ITEM_HEADING)
        g_array_append_val (boxes, item->rect);
    }
  return boxes;
}

GArray *
sluice_scene_list_plates (SluiceScene *scene, const GArray *edges, const GArray *items, double zoom)
{
  double scale = sluice_scene_text_size (SCENE_LABEL_SIZE, zoom) / (SCENE_LABEL_SIZE * zoom);
  GArray *plates = g_array_new (FALSE, FALSE, sizeof (SluiceScenePlate));
  /* As large as they were placed for, none is in another's way. */
  g_autoptr (GArray) taken = scale > 1 ? list_boxes (scene, items) : NULL;
  /* What a short piece leads to comes first: it says nothing without. */
  for (int of_stubs = 1; of_stubs >= 0; of_stubs--)
    for (guint i = 0; i < edges->len; i++)
      {
        guint index = g_array_index (edges, guint, i);
        const SluiceSceneEdge *e = sluice_scene_get_edge (scene, index);
        if (e->label == NULL || e->stub != of_stubs)
          continue;
        double width =
            scale * (sluice_text_width (e->label, SCENE_LABEL_SIZE, FALSE) + 2 * PLATE_AIR);
        double height = scale * PLATE_HEIGHT;
        SluiceScenePlate plate = {
          index, { e->label_at.x - width / 2, e->label_at.y - height / 2, width, height }
        };
        SluiceRect words = find_words (&plate.rect, scale);
        if (taken != NULL && !e->stub && !is_free (taken, &words))
          continue;
        if (taken != NULL)
          g_array_append_val (taken, words);
        g_array_append_val (plates, plate);
      }
  return plates;
}

void
sluice_draw_labels (Draw *d, const GArray *edges, const GArray *items)
{
  if (d->state->zoom < DRAW_SMALL_ZOOM || d->state->shift != NULL)
    return;
  g_autoptr (GArray) plates = sluice_scene_list_plates (d->scene, edges, items, d->state->zoom);
  for (guint i = 0; i < plates->len; i++)
    {
      const SluiceScenePlate *plate = &g_array_index (plates, SluiceScenePlate, i);
      const SluiceSceneEdge *e = sluice_scene_get_edge (d->scene, plate->edge);
      sluice_cairo_set_color (d->cr, d->theme->ground);
      sluice_cairo_rounded_rect (d->cr, &plate->rect, PLATE_RADIUS);
      cairo_fill (d->cr);
      sluice_draw_text (d, TEXT_LABEL, e->label, e->label_at.x, e->label_at.y, MOST_WIDTH,
                        ALIGN_CENTRE,
                        e->kind == SLUICE_EDGE_REFERENCE ? d->theme->update : d->theme->dim);
    }
}
