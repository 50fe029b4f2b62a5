/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* How a column is made wider or narrower by its title's edge where text goes from right to left:
 * there its end is at the left, and GTK 4.8 looks for it at the right. */
#include "app/runs/run-view-private.h"

#include <math.h>

#define EDGE 5 /* pixels to both sides of it that take hold */

/* (nullable) (transfer full): the one that ends here; x: from the left of all titles. Their widths
 * are their own, and one of them has the room that is left. */
static GtkColumnViewColumn *
dup_ending_at (SluiceRunView *self, double x)
{
  GListModel *columns = gtk_column_view_get_columns (self->view);
  GtkWidget *header = gtk_widget_get_first_child (GTK_WIDGET (self->view));
  int end = gtk_widget_get_width (header), left = end;
  guint n = g_list_model_get_n_items (columns);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GtkColumnViewColumn) c = g_list_model_get_item (columns, i);
      if (gtk_column_view_column_get_visible (c))
        left -= gtk_column_view_column_get_fixed_width (c);
    }
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GtkColumnViewColumn) c = g_list_model_get_item (columns, i);
      if (!gtk_column_view_column_get_visible (c))
        continue;
      end -= gtk_column_view_column_get_fixed_width (c)
             + (gtk_column_view_column_get_expand (c) ? MAX (0, left) : 0);
      if (fabs (x - end) <= EDGE)
        return g_steal_pointer (&c);
    }
  return NULL;
}

static void
begin_cb (GtkGestureDrag *drag, double x, double y, SluiceRunView *self)
{
  GtkWidget *header = gtk_widget_get_first_child (GTK_WIDGET (self->view));
  gboolean is_mirrored = gtk_widget_get_direction (header) == GTK_TEXT_DIR_RTL;
  double in_header, unused;
  if (is_mirrored
      && gtk_widget_translate_coordinates (GTK_WIDGET (self->view), header, x, y, &in_header,
                                           &unused))
    self->resized = dup_ending_at (self, in_header);
  if (self->resized == NULL)
    {
      gtk_gesture_set_state (GTK_GESTURE (drag), GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  gtk_gesture_set_state (GTK_GESTURE (drag), GTK_EVENT_SEQUENCE_CLAIMED);
  self->resized_from = gtk_column_view_column_get_fixed_width (self->resized);
}

static void
update_cb (GtkGestureDrag *drag, double by_x, double by_y, SluiceRunView *self)
{
  if (self->resized != NULL)
    gtk_column_view_column_set_fixed_width (
        self->resized, MAX (SLUICE_RUN_VIEW_LEAST, self->resized_from - (int) by_x));
}

static void
end_cb (GtkGestureDrag *drag, double by_x, double by_y, SluiceRunView *self)
{
  g_clear_object (&self->resized);
}

void
sluice_run_view_init_drag (SluiceRunView *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();
  g_signal_connect (drag, "drag-begin", G_CALLBACK (begin_cb), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (update_cb), self);
  g_signal_connect (drag, "drag-end", G_CALLBACK (end_cb), self);
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (drag), GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (GTK_WIDGET (self->view), GTK_EVENT_CONTROLLER (drag));
}
