/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/measure.h"

#include "ui/canvas/draw-private.h"
#include "ui/canvas/path.h"
#include "ui/canvas/scene-private.h"

/* A line of the scene as straight pieces. */
typedef struct
{
  const SluiceSceneEdge *edge;
  GArray *points; /* SluicePoint */
} Line;

static void
line_clear (gpointer data)
{
  g_array_unref (((Line *) data)->points);
}

static gboolean
overlap (SluiceRect a, SluiceRect b)
{
  return a.x <= b.x + b.width && b.x <= a.x + a.width && a.y <= b.y + b.height
         && b.y <= a.y + a.height;
}

static gboolean
lines_cross (const Line *a, const Line *b)
{
  const SluiceSceneEdge *e = a->edge, *f = b->edge;
  if (e->from == f->from || e->from == f->to || e->to == f->from || e->to == f->to
      || !overlap (e->bounds, f->bounds))
    return FALSE;
  return sluice_lines_cross (a->points, b->points);
}

static void
measure_lines (SluiceScene *scene, SluiceSceneFigures *figures)
{
  g_autoptr (GArray) lines = g_array_new (FALSE, FALSE, sizeof (Line));
  g_array_set_clear_func (lines, line_clear);
  for (guint i = 0; i < sluice_scene_get_n_edges (scene); i++)
    {
      const SluiceSceneEdge *edge = sluice_scene_get_edge (scene, i);
      if (edge->quiet || sluice_scene_is_stalk (scene, edge))
        continue;
      Line line = { edge, sluice_path_flatten (sluice_scene_get_points (scene) + edge->first_point,
                                               edge->n_points) };
      g_array_append_val (lines, line);
    }
  figures->n_edges = lines->len;
  for (guint i = 0; i < lines->len; i++)
    for (guint k = i + 1; k < lines->len; k++)
      figures->n_crossings +=
          lines_cross (&g_array_index (lines, Line, i), &g_array_index (lines, Line, k));
}

/* Of its name; 0: it has none that one must read. */
static double
text_size (const SluiceSceneItem *item)
{
  switch (item->kind)
    {
    case SLUICE_ITEM_SCOPE:
    case SLUICE_ITEM_OPEN_SCOPE:
      return item->aside ? SCENE_OP_SIZE : SCENE_TITLE_SIZE;
    case SLUICE_ITEM_OP:
    case SLUICE_ITEM_VARIABLE:
      return SCENE_OP_SIZE;
    case SLUICE_ITEM_CONSTANT:
    case SLUICE_ITEM_SUMMARY:
      return SCENE_GLYPH_SIZE;
    case SLUICE_ITEM_MORE:
    case SLUICE_ITEM_HEADING:
      return 0;
    }
  g_assert_not_reached ();
}

void
sluice_scene_measure (SluiceScene *scene,
                      double view_width,
                      double view_height,
                      SluiceSceneFigures *figures)
{
  SluiceRect bounds = sluice_scene_get_bounds (scene);
  *figures = (SluiceSceneFigures){
    .width = bounds.width,
    .height = bounds.height,
    .fit = MIN (1, MIN (view_width / MAX (bounds.width, 1), view_height / MAX (bounds.height, 1))),
  };
  for (guint i = 0; i < sluice_scene_get_n_items (scene); i++)
    {
      const SluiceSceneItem *item = sluice_scene_get_item (scene, i);
      double size = text_size (item);
      gboolean is_box = size > 0 && size != SCENE_GLYPH_SIZE;
      figures->n_boxes += is_box && !item->aside;
      figures->n_aside += is_box && item->aside;
      if (size == 0)
        continue;
      /* What is left out would have been as small as the picture makes it. */
      gboolean is_written = sluice_scene_has_room (item->rect.height, figures->fit)
                            && figures->fit >= DRAW_SMALL_ZOOM;
      double pixels =
          is_written ? sluice_scene_text_size (size, figures->fit) : size * figures->fit;
      if (figures->smallest_text == 0 || pixels < figures->smallest_text)
        figures->smallest_text = pixels;
    }
  measure_lines (scene, figures);
}
