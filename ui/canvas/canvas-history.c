/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-notes.h"

#include <string.h>

/* Undo of what a person arranged by hand: moves, what is set aside or brought back, who lays out.
 * A command is kept as the state before it. What is open or in view is no command. */

#define MOST_COMMANDS 200
#define KEY_MOVE      20.0 /* unzoomed pixels that a key moves a box */

/* An editor has a history of its own, of which only it knows whether it is empty. */
void
sluice_canvas_update_history_actions (SluiceCanvas *self)
{
  gboolean edits = sluice_canvas_edit_has_history (self);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "canvas.undo", edits || self->done->len > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "canvas.redo", edits || self->undone->len > 0);
}

static GPtrArray *
new_stack (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_view_state_free);
}

void
sluice_canvas_free_history (SluiceCanvas *self)
{
  g_clear_pointer (&self->done, g_ptr_array_unref);
  g_clear_pointer (&self->undone, g_ptr_array_unref);
}

void
sluice_canvas_clear_history (SluiceCanvas *self)
{
  sluice_canvas_free_history (self);
  self->done = new_stack ();
  self->undone = new_stack ();
  sluice_canvas_update_history_actions (self);
}

static void
remember (SluiceCanvas *self, SluiceViewState *take)
{
  g_ptr_array_add (self->done, take);
  if (self->done->len > MOST_COMMANDS)
    g_ptr_array_remove_index (self->done, 0);
  g_ptr_array_set_size (self->undone, 0);
  sluice_canvas_update_history_actions (self);
}

SluiceViewState *
sluice_canvas_begin_arranging (SluiceCanvas *self)
{
  return sluice_view_state_copy (self->state);
}

/* With an editor it is a command of its history, and comes back as lines of it. */
void
sluice_canvas_end_arranging (SluiceCanvas *self, SluiceViewState *take, const char *words)
{
  g_autoptr (SluiceViewState) before = take;
  g_autoptr (GPtrArray) lines = sluice_view_state_diff (before, self->state);
  if (lines->len == 0)
    return;
  if (sluice_canvas_edit_can_arrange (self))
    {
      sluice_view_state_take_arrangement (self->state, before);
      sluice_canvas_edit_arrange (self, lines, words);
      return;
    }
  remember (self, g_steal_pointer (&before));
  sluice_canvas_rebuild (self, NULL);
  sluice_canvas_layout_changed (self);
}

void
sluice_canvas_arrange (SluiceCanvas *self, const GPtrArray *lines)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  for (guint i = 0; i < lines->len; i++)
    sluice_view_state_apply (self->state, lines->pdata[i]);
  sluice_canvas_rebuild (self, NULL);
  sluice_canvas_layout_changed (self);
}

void
sluice_canvas_take_arrangement (SluiceCanvas *self, const SluiceViewState *state)
{
  g_return_if_fail (SLUICE_IS_CANVAS (self));
  g_autoptr (GPtrArray) lines = sluice_view_state_diff (self->state, state);
  if (lines->len == 0)
    return;
  sluice_view_state_take_arrangement (self->state, state);
  sluice_canvas_rebuild (self, NULL);
}

void
sluice_canvas_history_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  gboolean is_undo = strcmp (name, "canvas.undo") == 0;
  if (sluice_canvas_edit_history (self, !is_undo))
    return;
  GPtrArray *from = is_undo ? self->done : self->undone, *to = is_undo ? self->undone : self->done;
  if (from->len == 0)
    return;
  g_ptr_array_add (to, sluice_view_state_copy (self->state));
  sluice_view_state_take_arrangement (self->state, from->pdata[from->len - 1]);
  g_ptr_array_set_size (from, from->len - 1);
  sluice_canvas_update_history_actions (self);
  sluice_canvas_rebuild (self, NULL);
  sluice_canvas_layout_changed (self);
}

gboolean
sluice_canvas_can_move (SluiceCanvas *self, guint item)
{
  return item != SLUICE_NONE && sluice_scene_can_move (self->scene, item);
}

void
sluice_canvas_move_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  const char *where = name + strlen ("canvas.move-");
  double dx = *where == 'r' ? KEY_MOVE : *where == 'l' ? -KEY_MOVE : 0;
  double dy = *where == 'd' ? KEY_MOVE : *where == 'u' ? -KEY_MOVE : 0;
  if (self->scene == NULL || sluice_canvas_edit_move_bend (self, dx, dy)
      || (self->notes.selected == NULL && !sluice_canvas_can_move (self, self->lead_item)))
    return;
  if (self->notes.selected != NULL)
    sluice_canvas_move_note (self, dx, dy);
  else
    sluice_canvas_move_selection (self, dx, dy);
}
