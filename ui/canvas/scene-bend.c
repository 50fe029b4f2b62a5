/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/scene-private.h"

#include <math.h>

#include "ui/canvas/path.h"

/* Lines that a person has bent lead through the point that was chosen, and leave and arrive as they
 * did. */

#define PULL 0.4 /* of a piece's length: how far its ends go straight on */

static SluicePoint
towards (SluicePoint from, SluicePoint to, double length)
{
  double dx = to.x - from.x, dy = to.y - from.y, whole = hypot (dx, dy);
  return whole > 0 ? (SluicePoint){ dx / whole * length, dy / whole * length }
                   : (SluicePoint){ 0, 0 };
}

guint
sluice_bent_path (const SluicePoint *path, guint n, SluicePoint by, GArray *points)
{
  SluicePoint from = path[0], leave = path[1], arrive = path[n - 2], to = path[n - 1];
  SluicePoint bend = { (from.x + to.x) / 2 + by.x, (from.y + to.y) / 2 + by.y };
  double first = hypot (bend.x - from.x, bend.y - from.y) * PULL,
         second = hypot (to.x - bend.x, to.y - bend.y) * PULL;
  SluicePoint out = towards (from, leave, first), in = towards (to, arrive, second),
              before = towards (to, from, first), after = towards (from, to, second);
  sluice_path_add (points, from.x, from.y);
  sluice_path_add (points, from.x + out.x, from.y + out.y);
  sluice_path_add (points, bend.x + before.x, bend.y + before.y);
  sluice_path_add (points, bend.x, bend.y);
  sluice_path_add (points, bend.x + after.x, bend.y + after.y);
  sluice_path_add (points, to.x + in.x, to.y + in.y);
  sluice_path_add (points, to.x, to.y);
  return 7;
}

static const char *
path_of (SluiceScene *scene, guint item)
{
  guint group = item != SLUICE_NONE ? sluice_scene_get_item (scene, item)->node : SLUICE_NONE;
  return group != SLUICE_NONE ? sluice_hierarchy_get_group (scene->hierarchy, group)->path : NULL;
}

gboolean
sluice_scene_get_bend (SluiceScene *scene,
                       const SluiceViewState *state,
                       guint edge,
                       SluicePoint *by)
{
  const SluiceSceneEdge *e = sluice_scene_get_edge (scene, edge);
  const char *from = path_of (scene, e->from), *to = path_of (scene, e->to);
  return from != NULL && to != NULL && !e->quiet
         && sluice_view_state_get_bend (state, from, to, &by->x, &by->y);
}

void
sluice_scene_bend (SluiceScene *scene, const SluiceViewState *state)
{
  if (state == NULL || !sluice_view_state_has_bends (state))
    return;
  for (guint i = 0; i < scene->edges->len; i++)
    {
      SluiceSceneEdge *e = &g_array_index (scene->edges, SluiceSceneEdge, i);
      SluicePoint by;
      if (e->n_points < 4 || !sluice_scene_get_bend (scene, state, i, &by))
        continue;
      g_autofree SluicePoint *path = g_memdup2 (
          &g_array_index (scene->points, SluicePoint, e->first_point), e->n_points * sizeof *path);
      guint first = scene->points->len, n = e->n_points;
      e->n_points = sluice_bent_path (path, n, by, scene->points);
      e->first_point = first;
      e->bounds = sluice_scene_path_bounds (&g_array_index (scene->points, SluicePoint, first),
                                            e->n_points, e->width);
    }
}
