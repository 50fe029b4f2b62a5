/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n.h>

#include "app/graph/node-words.h"
#include "app/memory/memory-legend.h"
#include "app/memory/memory-words.h"
#include "app/timeline/timeline-private.h"
#include "ui/common/number.h"

/* What memory held while the lanes ran, on their axis. Of a step that was not recorded that of the
 * nearest one that was is shown, from where this one began, and that is said. */

#define ASK_EVERY 3 /* looks at the run: a step that is recorded takes longer than others */

/* ---- which step, which device ---- */

static guint64
get_distance (const SluiceMemoryTape *tape, guint64 step)
{
  return tape->step > step ? tape->step - step : step - tape->step;
}

static gboolean
is_better (const SluiceMemoryTape *tape,
           const SluiceMemoryTape *than,
           guint64 step,
           const char *device)
{
  guint64 x = get_distance (tape, step), y = get_distance (than, step);
  gboolean is_asked = g_strcmp0 (tape->device, device) == 0;
  if (x != y)
    return x < y;
  if (is_asked != (g_strcmp0 (than->device, device) == 0))
    return is_asked;
  return tape->log->n_records > than->log->n_records;
}

/* device: (nullable): whose memory is asked for, where it was recorded. (nullable) */
static SluiceMemoryTape *
choose_tape (const GPtrArray *tapes, guint64 step, const char *device)
{
  SluiceMemoryTape *chosen = NULL;
  for (guint i = 0; i < tapes->len; i++)
    {
      SluiceMemoryTape *tape = tapes->pdata[i];
      if (!tape->is_failure && (chosen == NULL || is_better (tape, chosen, step, device)))
        chosen = tape;
    }
  return chosen;
}

/* Of the device on which what is selected ran; of a lane its name may have job and task. */
static const char *
get_device (SluiceTimelinePage *self)
{
  guint64 number = sluice_lanes_get_selected (self->lanes);
  SluiceTraceSpan span;
  if (number == SLUICE_SPAN_NONE)
    return self->memory != NULL ? sluice_memory_view_get_tape (self->memory)->device : NULL;
  sluice_trace_view_get_span (self->picture->view, number, &span);
  return sluice_lanes_get_device (sluice_trace_view_get_lane (self->picture->view, span.lane));
}

/* When the first thing ran of the step that was recorded, on any device. */
static gint64
find_first_run (const GPtrArray *tapes, const SluiceMemoryTape *of)
{
  gint64 first = G_MAXINT64;
  for (guint i = 0; i < tapes->len; i++)
    {
      const SluiceMemoryTape *tape = tapes->pdata[i];
      if (tape->step == of->step && tape->runs->len > 0)
        first = MIN (first, tape->begin + g_array_index (tape->runs, SluiceMemoryRun, 0).start);
    }
  return first < G_MAXINT64 ? first : of->begin;
}

/* ---- what is shown ---- */

static void
fill_caption (SluiceTimelinePage *self)
{
  const SluiceMemoryView *view = self->memory;
  const SluiceMemoryTape *tape = sluice_memory_view_get_tape (view);
  const SluiceTraceStep *step = sluice_step_picture_find (self->picture, self->step);
  guint peak = sluice_memory_view_get_peak (view);
  gint64 at = sluice_memory_view_get_time (view, peak) + self->memory_shift;
  g_autofree char *title = g_strdup_printf (_ ("%s memory"), tape->device);
  g_autofree char *bytes =
      sluice_memory_format_bytes ((double) sluice_memory_view_get_live (view, peak));
  g_autofree char *time =
      sluice_words_duration ((double) (at - (step != NULL ? step->start : 0)) / 1000);
  g_autofree char *number = sluice_format_step ((gint64) tape->step);
  g_autofree char *words =
      tape->step == self->step
          ? g_strdup_printf (_ ("peak %s at %s"), bytes, time)
          : g_strdup_printf (_ ("peak %s at %s of step %s, recorded nearest to this one"), bytes,
                             time, number);
  sluice_timeline_page_say_lower (self, "memory", title, words, TRUE);
  sluice_memory_legend_fill (self->memory_legend, view);
}

/* The lanes' time, in that of the recording. */
static void
align_memory (SluiceTimelinePage *self)
{
  gint64 from, to, begin, end;
  if (self->memory == NULL || self->picture == NULL)
    return;
  sluice_lanes_get_range (self->lanes, &from, &to);
  sluice_trace_view_get_extent (self->picture->view, &begin, &end);
  const SluiceTraceStep *step = sluice_step_picture_find (self->picture, self->step);
  sluice_memory_bands_share (self->bands, begin - self->memory_shift, end - self->memory_shift,
                             (step != NULL ? step->start : begin) - self->memory_shift);
  sluice_memory_bands_show (self->bands, from - self->memory_shift, to - self->memory_shift);
}

/* What the node that is selected holds: the largest is told of, or the one that somebody chose. */
static void
mark_memory (SluiceTimelinePage *self)
{
  const SluiceMemoryBand *band = self->band != SLUICE_BAND_NONE
                                     ? sluice_memory_view_get_band (self->memory, self->band)
                                     : NULL;
  const char *name =
      band != NULL ? sluice_memory_view_get_name (self->memory, band->owner.node) : NULL;
  if (band == NULL || g_strcmp0 (name, self->node) != 0)
    {
      self->band = sluice_memory_view_find_node (self->memory, self->node);
      self->band_is_chosen = FALSE;
    }
  sluice_memory_bands_select (self->bands, self->band);
}

const SluiceMemoryView *
sluice_timeline_page_get_memory (SluiceTimelinePage *self, guint *band)
{
  if (self->memory != NULL)
    mark_memory (self);
  *band = self->memory != NULL ? self->band : SLUICE_BAND_NONE;
  return self->memory;
}

void
sluice_timeline_page_add_readers (SluiceTimelinePage *self, guint64 maker, GArray *flows)
{
  guint n;
  const guint *readings = sluice_memory_view_get_readings (self->memory, self->band, &n);
  for (guint i = 0; i < n; i++)
    {
      const SluiceMemoryRun *run = sluice_memory_view_get_run (self->memory, readings[i]);
      const char *name = sluice_memory_view_get_name (self->memory, run->node);
      guint64 span = name != NULL
                         ? sluice_step_picture_find_span (self->picture, name, self->step, 0)
                         : SLUICE_SPAN_NONE;
      if (span != SLUICE_SPAN_NONE)
        g_array_append_val (flows, ((const SluiceLanesFlow){ maker, span }));
    }
}

/* Who made it is selected, if it ran in the step; what it holds is told in any case. */
static void
band_selected_cb (SluiceTimelinePage *self, guint number)
{
  const SluiceMemoryBand *band =
      number != SLUICE_BAND_NONE ? sluice_memory_view_get_band (self->memory, number) : NULL;
  const char *name =
      band != NULL ? sluice_memory_view_get_name (self->memory, band->owner.node) : NULL;
  guint64 span = name != NULL ? sluice_step_picture_find_span (self->picture, name, self->step, 0)
                              : SLUICE_SPAN_NONE;
  sluice_timeline_page_touch (self);
  self->band = number;
  self->band_is_chosen = number != SLUICE_BAND_NONE;
  if (span != SLUICE_SPAN_NONE || name == NULL)
    sluice_timeline_page_select_span (self, span);
  else
    sluice_timeline_page_select_idle (self, name);
}

/* ---- making views, in a worker ---- */

static void
make_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_task_return_pointer (task, sluice_memory_view_new (data),
                         (GDestroyNotify) sluice_memory_view_free);
}

static void
make_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (object);
  g_autoptr (SluiceMemoryView) view = g_task_propagate_pointer (G_TASK (result), NULL);
  self->memory_making = FALSE;
  if (self->states == NULL || self->picture == NULL || self->file != NULL)
    return; /* the page goes, or shows something else by now */
  sluice_memory_bands_set_view (self->bands, view);
  g_clear_pointer (&self->memory, sluice_memory_view_free);
  self->memory = g_steal_pointer (&view);
  self->band = SLUICE_BAND_NONE; /* another view's */
  self->band_is_chosen = FALSE;
  sluice_timeline_page_show_memory (self);
  sluice_timeline_page_show_selected (self);
}

static void
make (SluiceTimelinePage *self, SluiceMemoryTape *tape)
{
  if (self->memory_making)
    return; /* and looks again when it is made */
  self->memory_making = TRUE;
  g_autoptr (GTask) task = g_task_new (self, NULL, make_done, NULL);
  g_task_set_task_data (task, sluice_memory_tape_ref (tape),
                        (GDestroyNotify) sluice_memory_tape_unref);
  g_task_run_in_thread (task, make_in_worker);
}

void
sluice_timeline_page_clear_memory (SluiceTimelinePage *self)
{
  sluice_memory_bands_set_view (self->bands, NULL);
  g_clear_pointer (&self->memory, sluice_memory_view_free);
  self->band = SLUICE_BAND_NONE;
  self->band_is_chosen = FALSE;
}

void
sluice_timeline_page_show_memory (SluiceTimelinePage *self)
{
  g_autoptr (GPtrArray) tapes = self->controller != NULL && self->file == NULL
                                    ? sluice_run_controller_dup_memory (self->controller)
                                    : NULL;
  SluiceMemoryTape *tape = tapes != NULL && self->picture != NULL
                               ? choose_tape (tapes, self->step, get_device (self))
                               : NULL;
  if (tape == NULL)
    {
      sluice_timeline_page_clear_memory (self);
      sluice_timeline_page_say_lower (self, "memory", _ ("Memory"),
                                      self->file != NULL ? _ ("A file has no memory of its steps.")
                                                         : _ ("No step's memory was recorded yet."),
                                      FALSE);
      return;
    }
  if (self->memory == NULL || sluice_memory_view_get_tape (self->memory) != tape)
    make (self, tape);
  if (self->memory == NULL)
    return;
  const SluiceMemoryTape *shown = sluice_memory_view_get_tape (self->memory);
  const SluiceTraceStep *step = sluice_step_picture_find (self->picture, self->step);
  self->memory_shift = shown->begin;
  if (step != NULL && shown->step != self->step)
    self->memory_shift += step->start - find_first_run (tapes, shown);
  fill_caption (self);
  align_memory (self);
  mark_memory (self);
}

void
sluice_timeline_page_follow_memory (SluiceTimelinePage *self)
{
  gboolean is_seen =
      gtk_widget_get_mapped (GTK_WIDGET (self)) && sluice_timeline_page_is_lower (self, "memory");
  if (is_seen && self->is_live && self->file == NULL && self->n_looks++ % ASK_EVERY == 0)
    sluice_run_controller_record_memory (self->controller, 1);
}

/* ---- by a person ---- */

static void
range_changed_cb (SluiceTimelinePage *self)
{
  gint64 from, to;
  sluice_memory_bands_get_range (self->bands, &from, &to);
  sluice_timeline_page_touch (self);
  sluice_lanes_show (self->lanes, from + self->memory_shift, to + self->memory_shift);
}

static void
cursor_moved_cb (SluiceTimelinePage *self)
{
  gint64 time = sluice_memory_bands_get_cursor_time (self->bands) + self->memory_shift;
  sluice_lanes_set_cursor (self->lanes, TRUE, time);
}

static void
left_cb (SluiceTimelinePage *self)
{
  sluice_lanes_set_cursor (self->lanes, FALSE, 0);
}

static void
pointed_cb (SluiceTimelinePage *self, gboolean is_there, gint64 time)
{
  if (is_there)
    sluice_memory_bands_point (self->bands, time - self->memory_shift);
}

GtkWidget *
sluice_timeline_page_make_memory (SluiceTimelinePage *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  self->bands = SLUICE_MEMORY_BANDS (sluice_memory_bands_new ());
  sluice_memory_bands_share (self->bands, 0, 1, 0);
  self->band = SLUICE_BAND_NONE;
  self->memory_legend = sluice_memory_legend_new ();
  sluice_memory_bands_set_words (self->bands, sluice_memory_words_band);
  gtk_widget_set_vexpand (GTK_WIDGET (self->bands), TRUE);
  gtk_widget_add_css_class (self->memory_legend, "timeline-legend");
  gtk_box_append (GTK_BOX (box), self->memory_legend);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->bands));
  g_signal_connect_swapped (self->bands, "selected", G_CALLBACK (band_selected_cb), self);
  g_signal_connect_swapped (self->bands, "range-changed", G_CALLBACK (range_changed_cb), self);
  g_signal_connect_swapped (self->bands, "cursor-moved", G_CALLBACK (cursor_moved_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (left_cb), self);
  g_signal_connect_swapped (self->lanes, "range-changed", G_CALLBACK (align_memory), self);
  g_signal_connect_swapped (self->lanes, "pointed", G_CALLBACK (pointed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self->bands), motion);
  return box;
}
