/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/first-sight.h"

#include "ui/canvas/measure.h"

#define MAX_OPENED 3     /* scopes in each other */
#define MAX_BESIDE 6     /* boxes beside one that is opened */
#define MAX_INSIDE 40    /* boxes in one: more do not fit the window */
#define NEARLY_ALL 0.75f /* of the ops of the model on a level */
#define READABLE   0.6   /* zoom at which all of it is in sight */

static gboolean
is_box (const SluiceGroup *g)
{
  return !g->hub
         && (g->node_class == SLUICE_NODE_CLASS_OP
             || g->node_class == SLUICE_NODE_CLASS_PLACEHOLDER);
}

static guint
count_boxes (SluiceHierarchy *hierarchy, const SluiceGroup *level)
{
  guint n = 0;
  for (guint i = 0; i < level->n_children; i++)
    n += is_box (sluice_hierarchy_get_group (hierarchy, level->first_child + i));
  return n;
}

/* The scope that is to be opened on this level; SLUICE_NONE: there is none. Gradients stand where
 * the model does and say no more of it. */
static guint
find_dominant (SluiceHierarchy *hierarchy, const SluiceGroup *level)
{
  guint best = SLUICE_NONE, n_best = 0, n_ops = 0, n_boxes = 0;
  for (guint i = level->first_child; i < level->first_child + level->n_children; i++)
    {
      const SluiceGroup *g = sluice_hierarchy_get_group (hierarchy, i);
      if (!is_box (g) || g->gradient)
        continue;
      n_boxes++;
      n_ops += g->n_model;
      if (g->kind != SLUICE_GROUP_SCOPE || g->n_model <= n_best)
        continue;
      best = i;
      n_best = g->n_model;
    }
  if (best == SLUICE_NONE || n_boxes > MAX_BESIDE + 1 || n_best < NEARLY_ALL * n_ops)
    return SLUICE_NONE;
  guint n_inside = count_boxes (hierarchy, sluice_hierarchy_get_group (hierarchy, best));
  return n_inside > 1 && n_inside <= MAX_INSIDE ? best : SLUICE_NONE;
}

/* In a window that is not smaller than most. */
static gboolean
is_readable (SluiceHierarchy *hierarchy, const SluiceViewState *state, SluiceFlowDirection flow)
{
  double width = SLUICE_SCENE_VIEW_WIDTH, height = SLUICE_SCENE_VIEW_HEIGHT;
  SluiceSceneFigures figures;
  g_autoptr (SluiceScene) scene = sluice_scene_new (hierarchy, state, flow, NULL);
  sluice_view_state_get_size (state, &width, &height);
  sluice_scene_measure (scene, MAX (width, SLUICE_SCENE_VIEW_WIDTH),
                        MAX (height, SLUICE_SCENE_VIEW_HEIGHT), &figures);
  return figures.fit >= READABLE;
}

void
sluice_open_first_sight (SluiceHierarchy *hierarchy,
                         SluiceViewState *state,
                         SluiceFlowDirection flow)
{
  guint at = 0;
  for (guint n = 0; n < MAX_OPENED; n++)
    {
      at = find_dominant (hierarchy, sluice_hierarchy_get_group (hierarchy, at));
      if (at == SLUICE_NONE)
        return;
      const char *path = sluice_hierarchy_get_group (hierarchy, at)->path;
      sluice_view_state_set_open (state, path, TRUE);
      if (is_readable (hierarchy, state, flow))
        continue;
      sluice_view_state_set_open (state, path, FALSE);
      return;
    }
}
