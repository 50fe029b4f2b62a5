/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n.h>

#include "app/timeline/report.h"
#include "app/timeline/timeline-private.h"
#include "engine/trace/bottleneck.h"

/* Steps are computed again a dozen times: a worker does it. */

/* What is asked for, and what was found of it. */
typedef struct
{
  SluiceStepPicture *picture;
  SluiceGraph *graph;  /* (nullable) */
  GPtrArray *tapes;    /* of SluiceMemoryTape (nullable) */
  GPtrArray *memories; /* of SluiceMemoryView */
  GPtrArray *found;    /* of SluiceBottleneck */
  guint number;
} Asking;

struct _SluiceTimelineReporter
{
  SluiceTimelineReport *report; /* under the lanes */
  Asking *shown;                /* (nullable) */
  SluiceStepPicture *asked;     /* (nullable): of what it was asked for last */
  guint n_asked;                /* the last one is shown */
  gboolean takes_focus;         /* once it is there */
  char *before;                 /* (nullable): what stood under the lanes before it was opened */
};

static void
asking_free (gpointer data)
{
  Asking *self = data;
  g_clear_pointer (&self->picture, sluice_step_picture_unref);
  g_clear_pointer (&self->graph, sluice_graph_unref);
  g_clear_pointer (&self->tapes, g_ptr_array_unref);
  g_clear_pointer (&self->memories, g_ptr_array_unref);
  g_clear_pointer (&self->found, g_ptr_array_unref);
  g_free (self);
}

void
sluice_timeline_reporter_free (SluiceTimelineReporter *self)
{
  g_clear_pointer (&self->shown, asking_free);
  g_clear_pointer (&self->asked, sluice_step_picture_unref);
  g_free (self->before);
  g_free (self);
}

static gboolean
is_open (SluiceTimelinePage *self)
{
  return sluice_timeline_page_is_lower (self, "report");
}

static void
say (SluiceTimelinePage *self)
{
  const Asking *shown = self->reporter->shown;
  guint n_steps = 0;
  if (shown != NULL)
    sluice_trace_view_get_steps (shown->picture->view, &n_steps);
  g_autofree char *words =
      sluice_timeline_report_dup_words (shown != NULL ? shown->found : NULL, n_steps);
  sluice_timeline_page_say_lower (self, "report", _ ("Why slow"), words,
                                  shown == NULL || shown->found->len > 0);
}

/* ---- finding ---- */

/* Of the device that held most. */
static void
view_memories (Asking *self)
{
  const char *device = NULL;
  gsize most = 0;
  self->memories = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_memory_view_free);
  for (guint i = 0; self->tapes != NULL && i < self->tapes->len; i++)
    {
      SluiceMemoryTape *tape = self->tapes->pdata[i];
      g_autoptr (SluiceMemoryView) view = sluice_memory_view_new (tape);
      gsize peak = sluice_memory_view_get_live (view, sluice_memory_view_get_peak (view));
      if (tape->is_failure || (device != NULL && peak <= most))
        continue;
      most = peak;
      device = tape->device;
    }
  for (guint i = 0; device != NULL && i < self->tapes->len; i++)
    {
      SluiceMemoryTape *tape = self->tapes->pdata[i];
      if (!tape->is_failure && g_str_equal (tape->device, device))
        g_ptr_array_add (self->memories, sluice_memory_view_new (tape));
    }
}

static void
find_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Asking *asking = data;
  view_memories (asking);
  const SluiceBottleneckSource all = { asking->picture->view, asking->graph,
                                       (SluiceMemoryView *const *) asking->memories->pdata,
                                       asking->memories->len };
  asking->found = sluice_bottleneck_find (&all);
  g_task_return_boolean (task, TRUE);
}

static void
find_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (object);
  SluiceTimelineReporter *reporter = self->reporter;
  Asking *asking = g_task_get_task_data (G_TASK (result));
  if (self->states == NULL || asking->number != reporter->n_asked)
    return; /* the page goes, or it shows something else */
  g_clear_pointer (&reporter->shown, asking_free);
  reporter->shown = g_new (Asking, 1);
  *reporter->shown = *asking;
  *asking = (Asking){ .number = asking->number };
  sluice_timeline_report_show (reporter->report, reporter->shown->found);
  say (self);
  if (reporter->takes_focus)
    sluice_timeline_report_focus (reporter->report);
  reporter->takes_focus = FALSE;
}

static void
ask (SluiceTimelinePage *self)
{
  SluiceTimelineReporter *reporter = self->reporter;
  SluiceGraph *graph = self->file == NULL ? sluice_document_get_graph (self->document) : NULL;
  Asking *asking = g_new0 (Asking, 1);
  asking->picture = sluice_step_picture_ref (self->picture);
  asking->graph = graph != NULL ? sluice_graph_ref (graph) : NULL;
  if (self->file == NULL && self->controller != NULL)
    asking->tapes = sluice_run_controller_dup_memory (self->controller);
  asking->number = ++reporter->n_asked;
  g_clear_pointer (&reporter->asked, sluice_step_picture_unref);
  reporter->asked = sluice_step_picture_ref (self->picture);
  g_clear_pointer (&reporter->shown, asking_free);
  sluice_timeline_report_show (reporter->report, NULL);
  say (self);
  g_autoptr (GTask) task = g_task_new (self, NULL, find_done, NULL);
  g_task_set_task_data (task, asking, asking_free);
  g_task_run_in_thread (task, find_in_worker);
}

gboolean
sluice_timeline_page_is_reporting (SluiceTimelinePage *self)
{
  const SluiceTimelineReporter *reporter = self->reporter;
  return is_open (self) && reporter->asked != NULL && reporter->shown == NULL;
}

/* ---- evidence ---- */

/* The same span in the picture that is shown now, which may be a newer one. */
static guint64
find_span (SluiceTimelinePage *self, const SluiceTimelineReporter *reporter, guint64 number)
{
  SluiceTraceSpan span, now;
  if (number == SLUICE_SPAN_NONE || reporter->shown->picture == self->picture)
    return number;
  sluice_trace_view_get_span (reporter->shown->picture->view, number, &span);
  guint64 found =
      sluice_step_picture_find_span (self->picture, span.name, span.step, span.iteration);
  if (found == SLUICE_SPAN_NONE)
    return found;
  sluice_trace_view_get_span (self->picture->view, found, &now);
  return now.start == span.start ? found : SLUICE_SPAN_NONE;
}

/* A time without a span of its own: all lanes, or one, as an area. */
static void
show_time (SluiceTimelinePage *self, const SluiceBottleneck *one)
{
  gint64 room = MAX ((one->end - one->start) / 4, 1);
  sluice_lanes_show (self->lanes, one->start - room, one->end + room);
}

static void
finding_chosen_cb (SluiceTimelinePage *self, guint number)
{
  const SluiceTimelineReporter *reporter = self->reporter;
  if (self->picture == NULL || reporter->shown == NULL || number >= reporter->shown->found->len)
    return;
  const SluiceBottleneck *one = reporter->shown->found->pdata[number];
  if (sluice_bottleneck_is_of_memory (one->kind))
    {
      gtk_widget_activate_action (GTK_WIDGET (self), "win.show-page", "s", "memory");
      return;
    }
  if (one->step > 0)
    sluice_timeline_page_show_step (self, one->step);
  guint64 span = find_span (self, reporter, one->span);
  self->follows_step = FALSE;
  if (span != SLUICE_SPAN_NONE)
    sluice_timeline_page_select_span (self, span);
  if (one->end > one->start)
    show_time (self, one);
}

/* ---- under the lanes ---- */

void
sluice_timeline_page_show_report (SluiceTimelinePage *self)
{
  if (self->picture == NULL)
    sluice_timeline_page_say_lower (self, "report", _ ("Why slow"), "", FALSE);
  else if (self->reporter->asked != self->picture)
    ask (self);
  else
    say (self);
}

/* Opens it with the keyboard in it, or goes back to what stood there before. */
static void
report_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (widget);
  SluiceTimelineReporter *reporter = self->reporter;
  if (is_open (self))
    {
      gtk_widget_grab_focus (widget); /* the report may have had it */
      sluice_timeline_page_set_lower (self, reporter->before != NULL ? reporter->before : "memory");
      return;
    }
  if (self->picture == NULL)
    return;
  g_free (reporter->before);
  reporter->before = g_strdup (self->lower);
  reporter->takes_focus = TRUE;
  sluice_timeline_page_set_live (self, FALSE);
  sluice_timeline_page_set_lower (self, "report");
  if (!sluice_timeline_page_is_reporting (self))
    sluice_timeline_report_focus (reporter->report);
}

void
sluice_timeline_page_install_report (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "timeline.report", NULL, report_action);
}

char *
sluice_timeline_page_dup_report (SluiceTimelinePage *self)
{
  return is_open (self) ? sluice_timeline_report_dup_text (self->reporter->report) : g_strdup ("");
}

GtkWidget *
sluice_timeline_page_make_report (SluiceTimelinePage *self)
{
  SluiceTimelineReporter *reporter = self->reporter = g_new0 (SluiceTimelineReporter, 1);
  reporter->report = SLUICE_TIMELINE_REPORT (sluice_timeline_report_new ());
  g_signal_connect_swapped (reporter->report, "finding-chosen", G_CALLBACK (finding_chosen_cb),
                            self);
  return GTK_WIDGET (reporter->report);
}

/* Behind that which follows the run, in the room over the names of lanes. */
GtkWidget *
sluice_timeline_page_make_report_button (void)
{
  GtkWidget *button = gtk_button_new_with_label ("?");
  gtk_widget_set_tooltip_text (button, _ ("What makes steps slow (Y)"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("What makes steps slow"), -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "timeline.report");
  gtk_widget_set_halign (button, GTK_ALIGN_START);
  gtk_widget_set_valign (button, GTK_ALIGN_START);
  gtk_widget_add_css_class (button, "timeline-live");
  gtk_widget_add_css_class (button, "timeline-why");
  return button;
}
