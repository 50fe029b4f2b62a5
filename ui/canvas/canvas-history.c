/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "ui/canvas/canvas-private.h"

#include <string.h>

/* Undo of what a person arranged by hand: moves, what is set aside or brought back, who lays out.
 * A command is kept as the state before it. What is open or in view is no command. */

#define MOST_COMMANDS 200

static void
update_actions (SluiceCanvas *self)
{
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "canvas.undo", self->done->len > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "canvas.redo", self->undone->len > 0);
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
  update_actions (self);
}

void
sluice_canvas_remember (SluiceCanvas *self)
{
  g_ptr_array_add (self->done, sluice_view_state_copy (self->state));
  if (self->done->len > MOST_COMMANDS)
    g_ptr_array_remove_index (self->done, 0);
  g_ptr_array_set_size (self->undone, 0);
  update_actions (self);
}

void
sluice_canvas_history_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceCanvas *self = SLUICE_CANVAS (widget);
  gboolean is_undo = strcmp (name, "canvas.undo") == 0;
  GPtrArray *from = is_undo ? self->done : self->undone, *to = is_undo ? self->undone : self->done;
  if (from->len == 0)
    return;
  g_ptr_array_add (to, sluice_view_state_copy (self->state));
  sluice_view_state_take_arrangement (self->state, from->pdata[from->len - 1]);
  g_ptr_array_set_size (from, from->len - 1);
  update_actions (self);
  sluice_canvas_rebuild (self, NULL);
  sluice_canvas_layout_changed (self);
}
