/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-private.h"

#include "ui/common/paint.h"

/* What is muted is there and does nothing: it is faded, and struck through. */

#define FADE         0.55
#define STRIKE_WIDTH 1.5 /* in the scene */
#define STRIKE_AIR   6.0 /* beside the box, at either side */

/* Per group: all ops in it are. (transfer full) (nullable): none is */
static guint8 *
find_muted (SluiceHierarchy *h)
{
  guint n_nodes, n = sluice_hierarchy_get_n_groups (h);
  const SluiceModelNode *nodes =
      sluice_graph_model_get_nodes (sluice_hierarchy_get_model (h), &n_nodes);
  g_autofree guint *n_muted = NULL;
  for (guint i = 0; i < n_nodes; i++)
    {
      if (!nodes[i].is_muted)
        continue;
      if (n_muted == NULL)
        n_muted = g_new0 (guint, n + 1);
      for (guint group = sluice_hierarchy_get_op_group (h, i); group != SLUICE_NONE;
           group = sluice_hierarchy_get_group (h, group)->parent)
        n_muted[group]++;
    }
  if (n_muted == NULL)
    return NULL;
  guint8 *muted = g_new0 (guint8, n + 1);
  for (guint i = 1; i < n; i++)
    muted[i] = n_muted[i] > 0 && n_muted[i] == sluice_hierarchy_get_group (h, i)->n_ops;
  return muted;
}

void
sluice_canvas_update_muted (SluiceCanvas *self)
{
  g_clear_pointer (&self->muted, g_free);
  if (self->hierarchy != NULL)
    self->muted = find_muted (self->hierarchy);
}

gboolean
sluice_canvas_is_muted (SluiceCanvas *self, guint item)
{
  guint group = sluice_scene_get_item (self->scene, item)->node;
  return self->muted != NULL && group != SLUICE_NONE
         && sluice_scene_get_hierarchy (self->scene) == self->hierarchy && self->muted[group];
}

static void
draw_item (SluiceCanvas *self, cairo_t *cr, guint item)
{
  SluiceDrawState state = { .shift = self->shift, .stretch = self->stretch };
  SluiceRect r = sluice_draw_item_rect (self->scene, &state, item);
  double zoom = self->view.zoom, air = STRIKE_AIR * zoom;
  SluiceRect box = { (r.x - self->view.x) * zoom, (r.y - self->view.y) * zoom, r.width * zoom,
                     r.height * zoom };
  double middle = box.y + box.height / 2;
  cairo_rectangle (cr, box.x - 1, box.y - 1, box.width + 2, box.height + 2);
  sluice_cairo_set_color (cr, sluice_color_with_alpha (self->theme.ground, FADE));
  cairo_fill (cr);
  cairo_move_to (cr, box.x - air, middle);
  cairo_line_to (cr, box.x + box.width + air, middle);
  sluice_cairo_set_color (cr, self->theme.text);
  cairo_set_line_width (cr, MAX (STRIKE_WIDTH * zoom, 1));
  cairo_stroke (cr);
}

void
sluice_canvas_draw_muted (SluiceCanvas *self, cairo_t *cr)
{
  if (self->muted == NULL)
    return;
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint));
  SluiceRect area = sluice_canvas_visible (self);
  sluice_scene_query (self->scene, &area, items);
  for (guint i = 0; i < items->len; i++)
    {
      guint item = g_array_index (items, guint, i);
      if (sluice_scene_get_item (self->scene, item)->kind != SLUICE_ITEM_OPEN_SCOPE
          && sluice_canvas_is_muted (self, item))
        draw_item (self, cr, item);
    }
}
