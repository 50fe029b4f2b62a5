/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/scene-private.h"

#include <math.h>

#include "ui/canvas/path.h"

/* Lines that a person has bent lead through the points that were chosen, and leave and arrive as
 * they did. */

#define PULL 0.4 /* of a piece's length: how far its ends go straight on */

static SluicePoint
towards (SluicePoint from, SluicePoint to, double length)
{
  double dx = to.x - from.x, dy = to.y - from.y, whole = hypot (dx, dy);
  return whole > 0 ? (SluicePoint){ dx / whole * length, dy / whole * length }
                   : (SluicePoint){ 0, 0 };
}

SluicePoint
sluice_bend_base (SluicePoint from, SluicePoint to, guint n, guint i)
{
  double part = (i + 1.0) / (n + 1.0);
  return (SluicePoint){ from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part };
}

guint
sluice_bent_path (const SluicePoint *path, guint n, const SluiceViewBends *bends, GArray *points)
{
  SluicePoint via[SLUICE_MAX_BENDS + 2] = { path[0] };
  const guint last = bends->n + 1;
  via[last] = path[n - 1];
  for (guint i = 0; i < bends->n; i++)
    {
      SluicePoint base = sluice_bend_base (path[0], path[n - 1], bends->n, i);
      via[i + 1] = (SluicePoint){ base.x + bends->by[i].x, base.y + bends->by[i].y };
    }
  sluice_path_add (points, via[0].x, via[0].y);
  for (guint i = 0; i < last; i++)
    {
      SluicePoint a = via[i], b = via[i + 1];
      double length = hypot (b.x - a.x, b.y - a.y) * PULL;
      SluicePoint out = i == 0 ? towards (a, path[1], length) : towards (via[i - 1], b, length),
                  in = i + 1 == last ? towards (b, path[n - 2], length)
                                     : towards (via[i + 2], a, length);
      sluice_path_add (points, a.x + out.x, a.y + out.y);
      sluice_path_add (points, b.x + in.x, b.y + in.y);
      sluice_path_add (points, b.x, b.y);
    }
  return 3 * last + 1;
}

static const char *
path_of (SluiceScene *scene, guint item)
{
  guint group = item != SLUICE_NONE ? sluice_scene_get_item (scene, item)->node : SLUICE_NONE;
  return group != SLUICE_NONE ? sluice_hierarchy_get_group (scene->hierarchy, group)->path : NULL;
}

gboolean
sluice_scene_get_bends (SluiceScene *scene,
                        const SluiceViewState *state,
                        guint edge,
                        SluiceViewBends *bends)
{
  const SluiceSceneEdge *e = sluice_scene_get_edge (scene, edge);
  const char *from = path_of (scene, e->from), *to = path_of (scene, e->to);
  return from != NULL && to != NULL && !e->quiet
         && sluice_view_state_get_bends (state, from, to, bends);
}

void
sluice_scene_bend (SluiceScene *scene, const SluiceViewState *state)
{
  if (state == NULL || !sluice_view_state_has_bends (state))
    return;
  for (guint i = 0; i < scene->edges->len; i++)
    {
      SluiceSceneEdge *e = &g_array_index (scene->edges, SluiceSceneEdge, i);
      SluiceViewBends bends;
      if (e->n_points < 4 || !sluice_scene_get_bends (scene, state, i, &bends))
        continue;
      g_autofree SluicePoint *path = g_memdup2 (
          &g_array_index (scene->points, SluicePoint, e->first_point), e->n_points * sizeof *path);
      guint first = scene->points->len, n = e->n_points;
      e->n_points = sluice_bent_path (path, n, &bends, scene->points);
      e->first_point = first;
      e->bounds = sluice_scene_path_bounds (&g_array_index (scene->points, SluicePoint, first),
                                            e->n_points, e->width);
    }
}
