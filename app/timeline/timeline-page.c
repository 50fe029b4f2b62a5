/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/timeline/timeline-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <json-glib/json-glib.h>

#include "app/graph/node-words.h"
#include "app/timeline/timeline-private.h"
#include "ui/chart/ticks.h"
#include "ui/timeline/steps-draw.h"

/* How often a run at work is looked at. Each time a thread copies what was traced since. */
#define LIVE_MS 200

static void init_page (SluicePageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (SluiceTimelinePage,
                               sluice_timeline_page,
                               GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (SLUICE_TYPE_PAGE, init_page))

static guint node_selected_signal;

enum
{
  PROP_LIVE = 1,
};
static GParamSpec *live_property;

/* ---- the step ---- */

guint
sluice_timeline_page_get_place (SluiceTimelinePage *self)
{
  const SluiceTraceStep *step =
      self->picture != NULL ? sluice_step_picture_find (self->picture, self->step) : NULL;
  if (step == NULL)
    return self->picture != NULL ? self->picture->steps->len : 0;
  return (guint) (step - (const SluiceTraceStep *) self->picture->steps->data);
}

/* "step 1 126 · 4.1 ms · 1.7 × median" */
static char *
dup_step_words (const GArray *steps, const SluiceTraceStep *step)
{
  gint64 median = sluice_steps_get_median ((const SluiceTraceStep *) steps->data, steps->len);
  gint64 took = step->end - step->start;
  g_autofree char *number = sluice_format_step ((gint64) step->step);
  g_autofree char *time = sluice_words_duration ((double) took / 1000);
  g_autofree char *times = sluice_format_fixed ((double) took / (double) MAX (median, 1), 1);
  return step->is_slow ? g_strdup_printf (_ ("step %s · %s · %s × median"), number, time, times)
                       : g_strdup_printf (_ ("step %s · %s"), number, time);
}

static void
show_bars (SluiceTimelinePage *self)
{
  const GArray *steps = self->picture->steps;
  const SluiceTraceStep *step = sluice_step_picture_find (self->picture, self->step);
  g_autofree char *words = step != NULL ? dup_step_words (steps, step) : NULL;
  sluice_step_bars_set_steps (self->bars, (const SluiceTraceStep *) steps->data, steps->len,
                              self->step, words);
}

/* ---- the span ---- */

static void
show_flows (SluiceTimelinePage *self, guint64 span)
{
  g_autoptr (GArray) flows = g_array_new (FALSE, FALSE, sizeof (SluiceLanesFlow));
  SluiceGraph *graph = sluice_document_get_graph (self->document);
  if (span != SLUICE_SPAN_NONE)
    {
      g_autoptr (SluiceSpanFlows) found = sluice_span_flows_new (self->picture, graph, span);
      for (guint i = 0; i < found->read->len; i++)
        g_array_append_val (
            flows, ((const SluiceLanesFlow){ g_array_index (found->read, guint64, i), span }));
      for (guint i = 0; i < found->readers->len; i++)
        g_array_append_val (
            flows, ((const SluiceLanesFlow){ span, g_array_index (found->readers, guint64, i) }));
    }
  sluice_lanes_set_flows (self->lanes, flows);
}

static void
show_span (SluiceTimelinePage *self, guint64 span, gboolean reveals)
{
  sluice_lanes_select (self->lanes, span, reveals);
  show_flows (self, span);
  sluice_span_pane_show (self->pane, self->picture, sluice_document_get_graph (self->document),
                         self->analysis, span);
  sluice_timeline_page_update_actions (self);
}

/* What is selected, in the step that is shown: the one that began then, or else the first. */
static guint64
find_selected (SluiceTimelinePage *self)
{
  const GArray *spans =
      self->node != NULL ? g_hash_table_lookup (self->picture->by_name, self->node) : NULL;
  for (guint i = 0; spans != NULL && i < spans->len; i++)
    {
      SluiceTraceSpan span;
      guint64 number = g_array_index (spans, guint64, i);
      sluice_trace_view_get_span (self->picture->view, number, &span);
      if (span.step == self->step && span.start == self->start)
        return number;
    }
  return self->node != NULL ? sluice_step_picture_find_span (self->picture, self->node, self->step,
                                                             self->iteration)
                            : SLUICE_SPAN_NONE;
}

static void show_step (SluiceTimelinePage *self);

static void
set_node (SluiceTimelinePage *self, const char *name)
{
  if (g_strcmp0 (self->node, name) == 0)
    return;
  g_free (self->node);
  self->node = g_strdup (name);
}

void
sluice_timeline_page_select_span (SluiceTimelinePage *self, guint64 number)
{
  SluiceTraceSpan span;
  if (self->picture == NULL)
    return;
  if (number == SLUICE_SPAN_NONE)
    {
      set_node (self, NULL);
      show_span (self, SLUICE_SPAN_NONE, FALSE);
      return;
    }
  sluice_trace_view_get_span (self->picture->view, number, &span);
  set_node (self, span.name);
  self->iteration = span.iteration;
  self->start = span.start;
  if (span.step != 0 && span.step != self->step)
    {
      self->step = span.step;
      self->follows_step = FALSE;
      show_step (self);
    }
  show_span (self, number, TRUE);
  g_signal_emit (self, node_selected_signal, 0, span.name);
}

void
sluice_timeline_page_select_node (SluiceTimelinePage *self, const char *name)
{
  if (g_strcmp0 (self->node, name) == 0)
    return;
  set_node (self, name);
  self->iteration = 0;
  self->start = G_MININT64;
  if (self->picture != NULL)
    show_span (self, find_selected (self), gtk_widget_get_mapped (GTK_WIDGET (self)));
}

/* ---- what is in front ---- */

static gboolean is_at_work (SluiceTimelinePage *self);

/* What moves on five times a second nobody reads: of a run that is followed there is none. */
static void
analyse_step (SluiceTimelinePage *self)
{
  SluiceGraph *graph = sluice_document_get_graph (self->document);
  g_autoptr (GArray) gaps = sluice_lanes_gaps_new ();
  g_autoptr (GArray) path = NULL;
  const SluiceTraceStep *step = sluice_step_picture_find (self->picture, self->step);
  g_clear_pointer (&self->analysis, sluice_step_analysis_free);
  if (step != NULL && !(self->is_live && is_at_work (self)))
    self->analysis = sluice_step_analysis_new (self->picture, graph, self->step);
  if (self->analysis != NULL)
    path = sluice_step_analysis_dup_path (self->analysis);
  for (guint i = 0; self->analysis != NULL && i < self->analysis->gaps->len; i++)
    {
      const SluiceTraceGap *gap = &g_array_index (self->analysis->gaps, SluiceTraceGap, i);
      const SluiceLanesGap shown = {
        .lane = gap->lane,
        .start = gap->start,
        .end = gap->end,
        .is_wait = gap->cause == SLUICE_GAP_INPUT || gap->cause == SLUICE_GAP_TRANSFER
                   || gap->cause == SLUICE_GAP_QUEUE,
        .words = sluice_gap_words (gap, self->picture->view),
        .sentence = sluice_gap_sentence (gap, self->picture->view, step->start),
      };
      g_array_append_val (gaps, shown);
    }
  sluice_lanes_set_path (self->lanes, path);
  sluice_lanes_set_gaps (self->lanes, gaps);
}

static void
show_step (SluiceTimelinePage *self)
{
  const SluiceTraceStep *step = sluice_step_picture_find (self->picture, self->step);
  gint64 begin, end;
  sluice_trace_view_get_extent (self->picture->view, &begin, &end);
  sluice_lanes_set_zero (self->lanes, step != NULL ? step->start : begin,
                         step != NULL ? step->end : end);
  if (self->follows_step && step != NULL)
    sluice_lanes_show (self->lanes, step->start, step->end);
  show_bars (self);
  analyse_step (self);
  show_span (self, find_selected (self), FALSE);
}

static void read_trace (SluiceTimelinePage *self);

void
sluice_timeline_page_show_step (SluiceTimelinePage *self, guint64 step)
{
  self->step = step;
  self->follows_step = TRUE;
  sluice_timeline_page_set_live (self, FALSE);
  if (self->picture != NULL)
    show_step (self);
}

void
sluice_timeline_page_set_live (SluiceTimelinePage *self, gboolean is_live)
{
  if (self->is_live == is_live)
    return;
  if (is_live && self->file != NULL)
    {
      sluice_timeline_page_close_file (self); /* and follows then */
      return;
    }
  self->is_live = is_live;
  self->follows_step |= is_live;
  g_object_notify_by_pspec (G_OBJECT (self), live_property);
  read_trace (self);
}

static gboolean
is_at_work (SluiceTimelinePage *self)
{
  SluiceControlState state = sluice_run_controller_get_state (self->controller);
  return state == SLUICE_CONTROL_RUNNING || state == SLUICE_CONTROL_STOPPING;
}

/* Who had the keyboard on the page keeps it there. */
static void
show_state (SluiceTimelinePage *self, gboolean has_steps)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  gboolean is_mine = gtk_widget_get_mapped (GTK_WIDGET (self))
                     && (focus == NULL || gtk_widget_is_ancestor (focus, GTK_WIDGET (self)));
  const char *name = has_steps ? "steps" : "empty";
  if (g_strcmp0 (gtk_stack_get_visible_child_name (self->states), name) == 0)
    return;
  gtk_stack_set_visible_child_name (self->states, name);
  if (is_mine && has_steps)
    gtk_widget_grab_focus (GTK_WIDGET (self->lanes));
}

void
sluice_timeline_page_clear (SluiceTimelinePage *self)
{
  sluice_lanes_set_view (self->lanes, NULL);
  sluice_span_pane_show (self->pane, NULL, NULL, NULL, SLUICE_SPAN_NONE);
  g_clear_pointer (&self->analysis, sluice_step_analysis_free);
  g_clear_pointer (&self->picture, sluice_step_picture_unref);
  self->step = 0;
  sluice_timeline_page_show_area (self);
  show_state (self, FALSE);
}

void
sluice_timeline_page_take_picture (SluiceTimelinePage *self, SluiceStepPicture *picture)
{
  SluiceStepPicture *before = g_steal_pointer (&self->picture);
  g_clear_pointer (&self->analysis, sluice_step_analysis_free);
  guint n = picture->steps->len;
  self->picture = sluice_step_picture_ref (picture);
  sluice_lanes_set_view (self->lanes, picture->view);
  if (before != NULL)
    sluice_step_picture_unref (before);
  sluice_timeline_page_show_area (self); /* it was another picture's */
  if (n > 0 && (self->is_live || sluice_step_picture_find (picture, self->step) == NULL))
    {
      self->step = g_array_index (picture->steps, SluiceTraceStep, n - 1).step;
      self->follows_step = TRUE;
    }
  if (n == 0)
    self->step = 0; /* another program's */
  show_state (self, sluice_trace_view_get_n_spans (picture->view) > 0);
  show_step (self);
  sluice_timeline_page_renew_report (self);
}

/* ---- reading ---- */

typedef struct
{
  SluiceStepRecord *record;
  gboolean is_wide, has_ended;
  gboolean is_first; /* also where nothing is new */
  char *node;        /* (nullable) */
} Reading;

static void
reading_free (gpointer data)
{
  Reading *reading = data;
  sluice_step_record_unref (reading->record);
  g_free (reading->node);
  g_free (reading);
}

static void
picture_unref (gpointer picture)
{
  sluice_step_picture_unref (picture);
}

static void
read_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Reading *reading = data;
  gboolean is_news = sluice_step_record_read (reading->record);
  if (is_news || reading->is_first)
    g_task_return_pointer (task,
                           sluice_step_record_make (reading->record, reading->is_wide,
                                                    reading->has_ended, reading->node),
                           picture_unref);
  else
    g_task_return_pointer (task, NULL, NULL);
}

static void
read_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (object);
  const Reading *reading = g_task_get_task_data (G_TASK (result));
  g_autoptr (SluiceStepPicture) picture = g_task_propagate_pointer (G_TASK (result), NULL);
  self->reading = FALSE;
  if (self->states == NULL)
    return; /* the page goes */
  /* What somebody looks at is exchanged once, for all steps of that moment. */
  gboolean is_wanted = picture != NULL && reading->record == self->record && self->file == NULL
                       && (self->is_live || self->picture == NULL || !self->picture->is_wide);
  if (is_wanted)
    sluice_timeline_page_take_picture (self, picture);
  if (self->again)
    read_trace (self);
}

/* A run that goes on has another session than the one before. */
static void
renew_record (SluiceTimelinePage *self, SluiceSession *session)
{
  if (self->record != NULL && sluice_step_record_is_of (self->record, session))
    return;
  g_clear_pointer (&self->record, sluice_step_record_unref);
  self->record = sluice_step_record_new (session);
  self->is_live = self->follows_step = TRUE;
  self->step = 0;
  g_object_notify_by_pspec (G_OBJECT (self), live_property);
}

/* While nobody sees the page nothing is read. */
static void
read_trace (SluiceTimelinePage *self)
{
  SluiceSession *session =
      self->controller != NULL ? sluice_run_controller_get_session (self->controller) : NULL;
  self->again = self->reading;
  if (session == NULL || self->reading || self->file != NULL
      || !gtk_widget_get_mapped (GTK_WIDGET (self))
      || sluice_run_controller_get_state (self->controller) == SLUICE_CONTROL_STARTING)
    return;
  gboolean is_other = self->record == NULL || !sluice_step_record_is_of (self->record, session);
  renew_record (self, session);
  gboolean is_wide = !self->is_live || !is_at_work (self);
  gboolean is_first = is_other || self->picture == NULL || is_wide != self->picture->is_wide;
  if (!self->is_live && !is_first)
    return; /* it stands */
  Reading *reading = g_new (Reading, 1);
  *reading = (Reading){ sluice_step_record_ref (self->record), is_wide, !is_at_work (self),
                        is_first, g_strdup (self->node) };
  self->reading = TRUE;
  g_autoptr (GTask) task = g_task_new (self, NULL, read_done, NULL);
  g_task_set_task_data (task, reading, reading_free);
  g_task_run_in_thread (task, read_in_worker);
}

static gboolean
live_cb (gpointer data)
{
  SluiceTimelinePage *self = data;
  if (is_at_work (self) && self->is_live)
    read_trace (self);
  return G_SOURCE_CONTINUE;
}

/* ---- by a person ---- */

static void
chosen_cb (SluiceTimelinePage *self, guint64 step)
{
  sluice_timeline_page_show_step (self, step);
}

static void
touched_cb (SluiceTimelinePage *self)
{
  self->follows_step = FALSE;
  sluice_timeline_page_set_live (self, FALSE);
}

static void
selected_cb (SluiceTimelinePage *self, guint64 span)
{
  sluice_timeline_page_select_span (self, span);
}

static void
span_chosen_cb (SluiceTimelinePage *self, guint64 span)
{
  touched_cb (self);
  sluice_timeline_page_select_span (self, span);
}

/* ---- a page of the window ---- */

static void
timeline_page_attach (SluicePage *page, const SluicePageContext *context)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (page);
  self->document = context->document;
  if (g_set_object (&self->controller, context->controller))
    g_signal_connect_object (self->controller, "changed", G_CALLBACK (read_trace), self,
                             G_CONNECT_SWAPPED);
  if (self->source == 0)
    self->source = g_timeout_add (LIVE_MS, live_cb, self);
  sluice_timeline_page_update_actions (self);
}

static gboolean
timeline_page_is_settled (SluicePage *page)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (page);
  SluiceControlState state = sluice_run_controller_get_state (self->controller);
  gboolean is_seen = gtk_widget_get_mapped (GTK_WIDGET (self));
  gboolean is_moving = state == SLUICE_CONTROL_STARTING || (is_at_work (self) && self->is_live);
  return !self->reading && !self->opening && !sluice_timeline_page_is_reporting (self)
         && !(is_seen && is_moving);
}

static GtkWidget *
timeline_page_get_right (SluicePage *page)
{
  return GTK_WIDGET (SLUICE_TIMELINE_PAGE (page)->pane);
}

static void
add_int (JsonBuilder *b, const char *name, gint64 value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_int_value (b, value);
}

static char *
timeline_page_dump_state (SluicePage *page)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (page);
  const SluiceStepPicture *picture = self->picture;
  g_autoptr (JsonBuilder) b = json_builder_new ();
  g_autofree char *text = sluice_span_pane_dup_text (self->pane);
  g_autofree char *sums = gtk_revealer_get_reveal_child (self->table_revealer)
                              ? sluice_area_table_dup_text (self->table)
                              : g_strdup ("");
  g_autofree char *report = sluice_timeline_page_dup_report (self);
  gint64 from, to;
  sluice_lanes_get_range (self->lanes, &from, &to);
  json_builder_begin_object (b);
  json_builder_set_member_name (b, "live");
  json_builder_add_boolean_value (b, self->is_live);
  json_builder_set_member_name (b, "file");
  json_builder_add_string_value (
      b, gtk_widget_get_visible (self->file_bar) ? gtk_label_get_label (self->file_label) : "");
  json_builder_set_member_name (b, "node");
  json_builder_add_string_value (b, self->node != NULL ? self->node : "");
  json_builder_set_member_name (b, "span");
  json_builder_add_string_value (b, text);
  json_builder_set_member_name (b, "sums");
  json_builder_add_string_value (b, sums);
  json_builder_set_member_name (b, "report");
  json_builder_add_string_value (b, report);
  const SluiceTraceStep *step =
      picture != NULL ? sluice_step_picture_find (picture, self->step) : NULL;
  json_builder_set_member_name (b, "slow");
  json_builder_add_boolean_value (b, step != NULL && step->is_slow);
  GtkAdjustment *adjustment = sluice_lanes_get_adjustment (self->lanes);
  add_int (b, "top", (gint64) gtk_adjustment_get_value (adjustment));
  add_int (b, "below",
           (gint64) (gtk_adjustment_get_upper (adjustment)
                     - gtk_adjustment_get_page_size (adjustment)
                     - gtk_adjustment_get_value (adjustment)));
  add_int (b, "begin", step != NULL ? step->start : 0);
  add_int (b, "end", step != NULL ? step->end : 0);
  add_int (b, "n_path", self->analysis != NULL ? self->analysis->critical->path->len : 0);
  add_int (b, "n_gaps", self->analysis != NULL ? self->analysis->gaps->len : 0);
  add_int (b, "step", (gint64) self->step);
  add_int (b, "from", from);
  add_int (b, "to", to);
  add_int (b, "n_marks", sluice_lanes_get_n_marks (self->lanes));
  add_int (b, "n_steps", picture != NULL ? picture->steps->len : 0);
  add_int (b, "n_lanes", picture != NULL ? sluice_trace_view_get_n_lanes (picture->view) : 0);
  add_int (b, "n_spans",
           picture != NULL ? (gint64) sluice_trace_view_get_n_spans (picture->view) : 0);
  json_builder_end_object (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  return json_to_string (root, FALSE);
}

static void
init_page (SluicePageInterface *iface)
{
  iface->attach = timeline_page_attach;
  iface->is_settled = timeline_page_is_settled;
  sluice_timeline_page_init_moment (iface);
  iface->dump_state = timeline_page_dump_state;
  iface->get_right = timeline_page_get_right;
  sluice_timeline_page_init_find (iface);
}

/* ---- life ---- */

static void
sluice_timeline_page_dispose (GObject *object)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (object);
  g_clear_handle_id (&self->source, g_source_remove);
  g_clear_object (&self->controller);
  if (self->states != NULL)
    sluice_lanes_set_view (self->lanes, NULL);
  g_clear_pointer (&self->record, sluice_step_record_unref);
  g_clear_pointer (&self->analysis, sluice_step_analysis_free);
  g_clear_pointer (&self->picture, sluice_step_picture_unref);
  self->states = NULL;
  g_clear_pointer (&self->box, gtk_widget_unparent);
  g_clear_object (&self->pane);
  G_OBJECT_CLASS (sluice_timeline_page_parent_class)->dispose (object);
}

static void
sluice_timeline_page_finalize (GObject *object)
{
  g_free (SLUICE_TIMELINE_PAGE (object)->node);
  g_free (SLUICE_TIMELINE_PAGE (object)->file);
  sluice_timeline_reporter_free (SLUICE_TIMELINE_PAGE (object)->reporter);
  G_OBJECT_CLASS (sluice_timeline_page_parent_class)->finalize (object);
}

static gboolean
sluice_timeline_page_grab_focus (GtkWidget *widget)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (widget);
  GtkWidget *child = gtk_stack_get_visible_child (self->states);
  return child == self->steps_box ? gtk_widget_grab_focus (GTK_WIDGET (self->lanes))
                                  : gtk_widget_child_focus (child, GTK_DIR_TAB_FORWARD);
}

static void
sluice_timeline_page_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_boolean (value, SLUICE_TIMELINE_PAGE (object)->is_live);
}

static void
sluice_timeline_page_set_property (GObject *object,
                                   guint id,
                                   const GValue *value,
                                   GParamSpec *pspec)
{
  sluice_timeline_page_set_live (SLUICE_TIMELINE_PAGE (object), g_value_get_boolean (value));
}

static void
sluice_timeline_page_class_init (SluiceTimelinePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = sluice_timeline_page_dispose;
  G_OBJECT_CLASS (klass)->finalize = sluice_timeline_page_finalize;
  G_OBJECT_CLASS (klass)->get_property = sluice_timeline_page_get_property;
  G_OBJECT_CLASS (klass)->set_property = sluice_timeline_page_set_property;
  live_property =
      g_param_spec_boolean ("live", NULL, NULL, TRUE,
                            G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_property (G_OBJECT_CLASS (klass), PROP_LIVE, live_property);
  widget_class->grab_focus = sluice_timeline_page_grab_focus;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  node_selected_signal =
      g_signal_new ("node-selected", SLUICE_TYPE_TIMELINE_PAGE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                    NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  sluice_timeline_page_install_actions (widget_class);
  sluice_timeline_page_install_report (widget_class);
}

static char *
dup_span_words (const SluiceTraceSpan *span, gpointer data)
{
  SluiceTimelinePage *self = data;
  const SluiceTraceStep *step =
      self->picture != NULL ? sluice_step_picture_find (self->picture, span->step) : NULL;
  return sluice_span_words (span, step != NULL ? step->start : 0);
}

static char *
dup_lane_words (const SluiceTraceLane *lane, double busy, gpointer data)
{
  g_autofree char *spans = sluice_format_step ((gint64) lane->n_spans);
  g_autofree char *share = busy >= 0 ? sluice_format_tick (busy, 0.01, SLUICE_UNIT_PERCENT) : NULL;
  return share != NULL
             ? g_strdup_printf (_ ("%s of %s, %s busy, %s spans"), lane->name, lane->device, share,
                                spans)
             : g_strdup_printf (_ ("%s of %s, %s spans"), lane->name, lane->device, spans);
}

static GtkWidget *
make_empty (void)
{
  GtkWidget *page = adw_status_page_new (), *button = gtk_button_new ();
  adw_status_page_set_icon_name (ADW_STATUS_PAGE (page), "sluice-timeline-symbolic");
  adw_status_page_set_title (ADW_STATUS_PAGE (page), _ ("Nothing ran yet"));
  adw_status_page_set_description (
      ADW_STATUS_PAGE (page),
      _ ("What ran when, where and for how long appears here, step by step, while a run learns."));
  gtk_button_set_label (GTK_BUTTON (button), _ ("Start training"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.start");
  gtk_widget_set_halign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "pill");
  gtk_widget_add_css_class (button, "suggested-action");
  adw_status_page_set_child (ADW_STATUS_PAGE (page), button);
  return page;
}

/* In the room over the names of lanes, beside the axis. */
static GtkWidget *
make_live_button (void)
{
  GtkWidget *live = gtk_toggle_button_new_with_label (_ ("Live"));
  gtk_widget_set_tooltip_text (live, _ ("Follow the newest step (L)"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (live), "timeline.live");
  gtk_widget_set_halign (live, GTK_ALIGN_START);
  gtk_widget_set_valign (live, GTK_ALIGN_START);
  gtk_widget_add_css_class (live, "timeline-live");
  return live;
}

/* It is told while the lanes get their place: what would ask for another one then has none. */
static void
show_scrollbar_cb (GtkWidget *bar, GtkAdjustment *adjustment)
{
  gboolean is_needed =
      gtk_adjustment_get_upper (adjustment) > gtk_adjustment_get_page_size (adjustment) + 0.5;
  gtk_widget_set_opacity (bar, is_needed ? 1 : 0);
  gtk_widget_set_can_target (bar, is_needed);
}

static GtkWidget *
make_scrollbar (SluiceTimelinePage *self)
{
  GtkAdjustment *adjustment = sluice_lanes_get_adjustment (self->lanes);
  GtkWidget *bar = gtk_scrollbar_new (GTK_ORIENTATION_VERTICAL, adjustment);
  gtk_widget_set_halign (bar, GTK_ALIGN_END);
  g_signal_connect_object (adjustment, "changed", G_CALLBACK (show_scrollbar_cb), bar,
                           G_CONNECT_SWAPPED);
  show_scrollbar_cb (bar, adjustment);
  return bar;
}

static GtkWidget *
make_steps (SluiceTimelinePage *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *overlay = gtk_overlay_new ();
  gtk_overlay_set_child (GTK_OVERLAY (overlay), GTK_WIDGET (self->lanes));
  gtk_overlay_add_overlay (GTK_OVERLAY (overlay), make_live_button ());
  gtk_overlay_add_overlay (GTK_OVERLAY (overlay), sluice_timeline_page_make_report_button ());
  gtk_overlay_add_overlay (GTK_OVERLAY (overlay), make_scrollbar (self));
  gtk_widget_set_vexpand (overlay, TRUE);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->bars));
  gtk_box_append (GTK_BOX (box), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append (GTK_BOX (box), overlay);
  gtk_box_append (GTK_BOX (box), sluice_timeline_page_make_table (self));
  gtk_box_append (GTK_BOX (box), sluice_timeline_page_make_report (self));
  return box;
}

static void
sluice_timeline_page_init (SluiceTimelinePage *self)
{
  const SluiceLanesWords words = { dup_span_words, dup_lane_words, self };
  self->is_live = self->follows_step = TRUE;
  self->states = GTK_STACK (gtk_stack_new ());
  self->bars = SLUICE_STEP_BARS (sluice_step_bars_new ());
  self->lanes = SLUICE_LANES (sluice_lanes_new ());
  self->pane = g_object_ref_sink (SLUICE_SPAN_PANE (sluice_span_pane_new ()));
  sluice_lanes_set_words (self->lanes, &words);
  gtk_stack_add_named (self->states, make_empty (), "empty");
  self->steps_box = make_steps (self);
  gtk_stack_add_named (self->states, self->steps_box, "steps");
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_set_vexpand (GTK_WIDGET (self->states), TRUE);
  gtk_box_append (GTK_BOX (self->box), sluice_timeline_page_make_file_bar (self));
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->states));
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  gtk_widget_add_css_class (GTK_WIDGET (self), "timeline-page");
  g_signal_connect_swapped (self->bars, "chosen", G_CALLBACK (chosen_cb), self);
  g_signal_connect_swapped (self->lanes, "touched", G_CALLBACK (touched_cb), self);
  g_signal_connect_swapped (self->lanes, "selected", G_CALLBACK (selected_cb), self);
  g_signal_connect_object (self->pane, "span-chosen", G_CALLBACK (span_chosen_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->pane, "step-chosen", G_CALLBACK (chosen_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect (self, "map", G_CALLBACK (read_trace), NULL);
}
