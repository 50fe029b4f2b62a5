/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n.h>

#include "app/graph/node-words.h"
#include "app/timeline/timeline-private.h"
#include "ui/chart/ticks.h"
#include "ui/common/number.h"

/* How long each node took in each step: a worker counts it, once a trace. */

static const SluiceHeatNode *
get_node (const SluiceTraceHeat *heat, guint node)
{
  return &g_array_index (heat->nodes, SluiceHeatNode, node);
}

static char *
dup_cell (const SluiceTraceHeat *heat, guint node, guint step)
{
  const SluiceHeatNode *told = get_node (heat, node);
  gint64 time = sluice_trace_heat_get_time (heat, node, step);
  g_autofree char *number =
      sluice_format_step ((gint64) g_array_index (heat->steps, guint64, step));
  g_autofree char *took = sluice_words_duration ((double) time / 1000);
  g_autofree char *times = sluice_format_fixed ((double) time / (double) MAX (told->median, 1), 1);
  if (time == SLUICE_HEAT_NONE)
    return g_strdup_printf (_ ("%s did not run in step %s"), told->name, number);
  return g_strdup_printf (_ ("%s in step %s: %s, %s × its median"), told->name, number, took,
                          times);
}

static char *
dup_row (const SluiceTraceHeat *heat, guint node)
{
  const SluiceHeatNode *told = get_node (heat, node);
  guint longest = sluice_trace_heat_find_longest (heat, node, 0, heat->steps->len);
  g_autofree char *total = sluice_words_duration ((double) told->total / 1000);
  g_autofree char *median = sluice_words_duration ((double) told->median / 1000);
  g_autofree char *most = sluice_words_duration ((double) told->most / 1000);
  g_autofree char *step =
      sluice_format_step ((gint64) g_array_index (heat->steps, guint64, longest));
  return g_strdup_printf (ngettext ("%s: %s in %u step, median %s, most %s in step %s",
                                    "%s: %s in %u steps, median %s, most %s in step %s",
                                    told->n_steps),
                          told->name, total, told->n_steps, median, most, step);
}

/* ---- what is shown ---- */

void
sluice_timeline_page_mark_heat (SluiceTimelinePage *self)
{
  sluice_heat_map_show (self->heat_map, self->node, self->step);
}

static void
say (SluiceTimelinePage *self)
{
  g_autofree char *nodes = sluice_format_step (self->heat->nodes->len);
  g_autofree char *steps = sluice_format_step (self->heat->steps->len);
  g_autofree char *words = g_strdup_printf (
      self->heat_by_time ? _ ("%s nodes in %s steps: the darker, the longer it took")
                         : _ ("%s nodes in %s steps: the redder, the longer than usual it took"),
      nodes, steps);
  sluice_timeline_page_say_lower (self, "heat", _ ("Heat map"), words, TRUE);
}

static void
count_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_task_return_pointer (task, sluice_trace_heat_new (((SluiceStepPicture *) data)->view),
                         (GDestroyNotify) sluice_trace_heat_free);
}

static void
count_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (object);
  SluiceStepPicture *picture = g_task_get_task_data (G_TASK (result));
  g_autoptr (SluiceTraceHeat) heat = g_task_propagate_pointer (G_TASK (result), NULL);
  if (self->states == NULL || picture != self->picture)
    return; /* the page goes, or has another one */
  sluice_timeline_page_drop_heat (self);
  self->heat = g_steal_pointer (&heat);
  self->heat_of = sluice_step_picture_ref (picture); /* whose texts it has */
  sluice_heat_map_set_heat (self->heat_map, self->heat);
  say (self);
  sluice_timeline_page_mark_heat (self);
}

void
sluice_timeline_page_drop_heat (SluiceTimelinePage *self)
{
  sluice_heat_map_set_heat (self->heat_map, NULL);
  g_clear_pointer (&self->heat, sluice_trace_heat_free);
  g_clear_pointer (&self->heat_of, sluice_step_picture_unref);
}

void
sluice_timeline_page_show_heat (SluiceTimelinePage *self)
{
  if (!sluice_timeline_page_is_lower (self, "heat"))
    return;
  if (self->picture == NULL || !self->picture->is_wide || self->picture->steps->len < 2)
    {
      sluice_timeline_page_say_lower (
          self, "heat", _ ("Heat map"),
          _ ("Of a run that stands, or of a trace, every node in every step."), FALSE);
      return;
    }
  if (self->heat_of == self->picture)
    {
      say (self);
      sluice_timeline_page_mark_heat (self);
      return;
    }
  g_autoptr (GTask) task = g_task_new (self, NULL, count_done, NULL);
  g_task_set_task_data (task, sluice_step_picture_ref (self->picture),
                        (GDestroyNotify) sluice_step_picture_unref);
  g_task_run_in_thread (task, count_in_worker);
}

void
sluice_timeline_page_turn_heat (SluiceTimelinePage *self)
{
  if (!sluice_timeline_page_is_lower (self, "heat"))
    {
      sluice_timeline_page_set_lower (self, "heat");
      return;
    }
  self->heat_by_time = !self->heat_by_time;
  sluice_heat_map_set_by_time (self->heat_map, self->heat_by_time);
  if (self->heat != NULL)
    say (self);
}

/* That node in that step. */
static void
chosen_cb (SluiceTimelinePage *self, guint node, guint step)
{
  guint64 number = g_array_index (self->heat->steps, guint64, step);
  guint64 span =
      sluice_step_picture_find_span (self->picture, get_node (self->heat, node)->name, number, 0);
  if (number != self->step)
    sluice_timeline_page_show_step (self, number);
  if (span != SLUICE_SPAN_NONE)
    sluice_timeline_page_select_span (self, span);
}

GtkWidget *
sluice_timeline_page_make_heat (SluiceTimelinePage *self)
{
  static const SluiceHeatWords words = { dup_cell, dup_row };
  GtkWidget *overlay = gtk_overlay_new ();
  self->heat_map = SLUICE_HEAT_MAP (sluice_heat_map_new ());
  sluice_heat_map_set_words (self->heat_map, &words);
  gtk_widget_set_vexpand (overlay, TRUE);
  gtk_overlay_set_child (GTK_OVERLAY (overlay), GTK_WIDGET (self->heat_map));
  gtk_overlay_add_overlay (
      GTK_OVERLAY (overlay),
      sluice_timeline_page_make_scrollbar (sluice_heat_map_get_adjustment (self->heat_map)));
  g_signal_connect_swapped (self->heat_map, "chosen", G_CALLBACK (chosen_cb), self);
  return overlay;
}
