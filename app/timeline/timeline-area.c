/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/timeline/timeline-private.h"
#include "ui/timeline/area-sums.h"

/* An area may have millions of spans: a worker sums them up. */

typedef struct
{
  SluiceStepPicture *picture;
  SluiceLanesArea area;
  guint number;
} Summing;

static void
summing_free (gpointer data)
{
  Summing *summing = data;
  sluice_step_picture_unref (summing->picture);
  g_free (summing);
}

static void
array_unref (gpointer array)
{
  g_array_unref (array);
}

static void
sum_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Summing *summing = data;
  g_autoptr (SluiceLanesLayout) layout = sluice_lanes_layout_new (summing->picture->view);
  g_task_return_pointer (
      task, sluice_area_sums_new (summing->picture->view, layout, &summing->area), array_unref);
}

static void
sum_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (object);
  const Summing *summing = g_task_get_task_data (G_TASK (result));
  g_autoptr (GArray) sums = g_task_propagate_pointer (G_TASK (result), NULL);
  if (self->states == NULL || summing->number != self->n_areas)
    return; /* the page goes, or another area was marked */
  sluice_area_table_show (self->table, sums, summing->area.to - summing->area.from);
  gtk_revealer_set_reveal_child (self->table_revealer, TRUE);
  sluice_timeline_page_cover_lower (self, TRUE);
}

void
sluice_timeline_page_show_area (SluiceTimelinePage *self)
{
  SluiceLanesArea area;
  self->n_areas++;
  if (self->picture == NULL || !sluice_lanes_get_area (self->lanes, &area))
    {
      gtk_revealer_set_reveal_child (self->table_revealer, FALSE);
      sluice_timeline_page_cover_lower (self, FALSE);
      return;
    }
  Summing *summing = g_new (Summing, 1);
  *summing = (Summing){ sluice_step_picture_ref (self->picture), area, self->n_areas };
  g_autoptr (GTask) task = g_task_new (self, NULL, sum_done, NULL);
  g_task_set_task_data (task, summing, summing_free);
  g_task_run_in_thread (task, sum_in_worker);
}

static void
name_chosen_cb (SluiceTimelinePage *self, const char *name)
{
  guint64 span = sluice_step_picture_find_span (self->picture, name, self->step, 0);
  if (span != SLUICE_SPAN_NONE)
    sluice_timeline_page_select_span (self, span);
}

GtkWidget *
sluice_timeline_page_make_table (SluiceTimelinePage *self)
{
  self->table = SLUICE_AREA_TABLE (sluice_area_table_new ());
  self->table_revealer = GTK_REVEALER (gtk_revealer_new ());
  gtk_revealer_set_transition_type (self->table_revealer, GTK_REVEALER_TRANSITION_TYPE_SLIDE_UP);
  gtk_revealer_set_child (self->table_revealer, GTK_WIDGET (self->table));
  g_signal_connect_swapped (self->table, "name-chosen", G_CALLBACK (name_chosen_cb), self);
  g_signal_connect_swapped (self->lanes, "area-changed",
                            G_CALLBACK (sluice_timeline_page_show_area), self);
  return GTK_WIDGET (self->table_revealer);
}
