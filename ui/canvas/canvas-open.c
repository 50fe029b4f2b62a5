/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-private.h"

#include <string.h>

/* Scopes are opened and closed: what opens is framed, and closing it brings back what was in view,
 * unless somebody looked elsewhere meanwhile. */

#define READABLE_ZOOM 0.6 /* a scope that is opened is at least as large as that, where it fits */

static void
clear_opened (SluiceCanvas *self, guint index)
{
  g_free (g_array_index (self->opened, CanvasOpened, index).path);
  g_array_remove_index (self->opened, index);
}

void
sluice_canvas_forget_opened (SluiceCanvas *self)
{
  while (self->opened->len > 0)
    clear_opened (self, self->opened->len - 1);
  g_clear_pointer (&self->toggled, g_free);
}

static guint
find_opened (SluiceCanvas *self, const char *path)
{
  for (guint i = 0; i < self->opened->len; i++)
    if (strcmp (g_array_index (self->opened, CanvasOpened, i).path, path) == 0)
      return i;
  return SLUICE_NONE;
}

/* Before the view changes. */
static void
note_toggle (SluiceCanvas *self, const char *path, gboolean open)
{
  CanvasView now = sluice_canvas_target_view (self);
  guint index = find_opened (self, path);
  self->restores = FALSE;
  if (open && index != SLUICE_NONE)
    clear_opened (self, index);
  if (open)
    {
      CanvasOpened opened = { .path = g_strdup (path),
                              .before = now,
                              .was_fitted = self->is_fitted };
      g_array_append_val (self->opened, opened);
    }
  else if (index != SLUICE_NONE)
    {
      const CanvasOpened *opened = &g_array_index (self->opened, CanvasOpened, index);
      self->restores = opened->has_after && opened->after.x == now.x && opened->after.y == now.y
                       && opened->after.zoom == now.zoom;
    }
  g_free (self->toggled);
  self->toggled = g_strdup (path);
}

void
sluice_canvas_toggle (SluiceCanvas *self, const char *path, gboolean open)
{
  g_autofree char *anchor = g_strdup (path);
  note_toggle (self, anchor, open);
  sluice_view_state_set_open (self->state, anchor, open);
  /* What is selected below a closing scope is no longer seen: the scope takes over. */
  if (!open && self->lead != NULL && self->hierarchy != NULL)
    {
      guint scope = sluice_hierarchy_lookup (self->hierarchy, anchor);
      guint lead = sluice_hierarchy_lookup (self->hierarchy, self->lead);
      if (scope != SLUICE_NONE && lead != SLUICE_NONE && lead != scope
          && sluice_hierarchy_is_below (self->hierarchy, lead, scope))
        sluice_canvas_select_path (self, anchor);
    }
  sluice_canvas_rebuild (self, anchor);
  sluice_canvas_layout_changed (self);
}

/* All of it in view, at the zoom that there is where it fits. */
static void
frame (SluiceCanvas *self, guint item)
{
  SluiceRect rect = sluice_scene_get_item (self->scene, item)->rect;
  CanvasView now = sluice_canvas_target_view (self),
             whole = sluice_canvas_view_of_rect (self, &rect);
  if (whole.zoom < now.zoom || now.zoom < READABLE_ZOOM * self->text_scale)
    sluice_canvas_fit_rect (self, &rect, TRUE);
  else
    sluice_canvas_show_rect (self, &rect);
}

void
sluice_canvas_finish_toggle (SluiceCanvas *self)
{
  g_autofree char *path = g_steal_pointer (&self->toggled);
  guint group = path != NULL ? sluice_hierarchy_lookup (self->hierarchy, path) : SLUICE_NONE;
  guint index = path != NULL ? find_opened (self, path) : SLUICE_NONE;
  if (group == SLUICE_NONE || index == SLUICE_NONE || !self->has_view)
    return;
  CanvasOpened *opened = &g_array_index (self->opened, CanvasOpened, index);
  guint item = sluice_scene_find_item (self->scene, group);
  if (sluice_view_state_is_open (self->state, path))
    {
      if (item != SLUICE_NONE)
        frame (self, item);
      opened->after = sluice_canvas_target_view (self);
      opened->has_after = TRUE;
      return;
    }
  if (self->restores)
    {
      sluice_canvas_set_view (self, opened->before, TRUE);
      self->is_fitted = opened->was_fitted;
    }
  clear_opened (self, index);
}
