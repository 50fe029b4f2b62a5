/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/measure.h"

#include "ui/canvas/draw-private.h"
#include "ui/canvas/scene-private.h"

#define PIECES 8 /* straight ones that a cubic segment is looked at as */

/* A line of the scene as straight pieces. */
typedef struct
{
  const SluiceSceneEdge *edge;
  SluicePoint *points;
  guint n;
} Line;

static void
line_clear (gpointer data)
{
  g_free (((Line *) data)->points);
}

static SluicePoint
on_cubic (const SluicePoint *p, double t)
{
  double s = 1 - t, a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
  return (SluicePoint){ a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                        a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y };
}

static Line
flatten (const SluiceSceneEdge *edge, const SluicePoint *points)
{
  guint n_segments = edge->n_points > 0 ? (edge->n_points - 1) / 3 : 0;
  const SluicePoint *path = points + edge->first_point;
  Line line = { edge, g_new (SluicePoint, n_segments * PIECES + 1), 0 };
  if (n_segments > 0)
    line.points[line.n++] = path[0];
  for (guint s = 0; s < n_segments; s++)
    for (guint i = 1; i <= PIECES; i++)
      line.points[line.n++] = on_cubic (path + 3 * s, (double) i / PIECES);
  return line;
}

static double
side (SluicePoint a, SluicePoint b, SluicePoint p)
{
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

static gboolean
pieces_cross (SluicePoint a, SluicePoint b, SluicePoint c, SluicePoint d)
{
  return side (a, b, c) * side (a, b, d) < 0 && side (c, d, a) * side (c, d, b) < 0;
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
  for (guint i = 1; i < a->n; i++)
    for (guint k = 1; k < b->n; k++)
      if (pieces_cross (a->points[i - 1], a->points[i], b->points[k - 1], b->points[k]))
        return TRUE;
  return FALSE;
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
      Line line = flatten (edge, sluice_scene_get_points (scene));
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
