/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/timeline/timeline-page.h"

#include <glib/gi18n.h>

#include "app/graph/node-words.h"
#include "app/timeline/timeline-private.h"
#include "ui/chart/ticks.h"
#include "ui/timeline/steps-draw.h"

static void init_page (SluicePageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (SluiceTimelinePage,
                               sluice_timeline_page,
                               GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (SLUICE_TYPE_PAGE, init_page))

static guint node_selected_signal;

enum
{
  PROP_LIVE = 1,
  PROP_LOWER,
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

void
sluice_timeline_page_show_bars (SluiceTimelinePage *self)
{
  const GArray *steps = self->picture->steps;
  const SluiceTraceStep *step = sluice_step_picture_find (self->picture, self->step);
  g_autofree char *words = step != NULL ? dup_step_words (steps, step) : NULL;
  sluice_step_bars_set_steps (self->bars, (const SluiceTraceStep *) steps->data, steps->len,
                              self->step, words);
  sluice_step_bars_set_other (self->bars, sluice_timeline_page_get_other (self));
}

/* ---- the span ---- */

static void
show_flows (SluiceTimelinePage *self, guint64 span)
{
  g_autoptr (GArray) flows = g_array_new (FALSE, FALSE, sizeof (SluiceLanesFlow));
  SluiceGraph *graph = sluice_document_get_graph (self->document);
  if (span != SLUICE_SPAN_NONE && self->band_is_chosen)
    sluice_timeline_page_add_readers (self, span, flows);
  else if (span != SLUICE_SPAN_NONE)
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
  guint band;
  const SluiceMemoryView *memory = sluice_timeline_page_get_memory (self, &band);
  const SluiceSpanSubject subject = { self->picture, sluice_document_get_graph (self->document),
                                      self->analysis, memory, band };
  sluice_lanes_select (self->lanes, span, reveals);
  show_flows (self, span);
  sluice_timeline_page_mark_heat (self);
  sluice_span_pane_show (self->pane, &subject, span);
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

void
sluice_timeline_page_show_selected (SluiceTimelinePage *self)
{
  show_span (self, find_selected (self), FALSE);
}

void
sluice_timeline_page_select_idle (SluiceTimelinePage *self, const char *name)
{
  sluice_page_renew_text (&self->node, name);
  show_span (self, SLUICE_SPAN_NONE, FALSE);
  g_signal_emit (self, node_selected_signal, 0, self->node);
}

static void show_step (SluiceTimelinePage *self);

void
sluice_timeline_page_select_span (SluiceTimelinePage *self, guint64 number)
{
  SluiceTraceSpan span;
  if (self->picture == NULL)
    return;
  if (number == SLUICE_SPAN_NONE)
    {
      sluice_page_renew_text (&self->node, NULL);
      show_span (self, SLUICE_SPAN_NONE, FALSE);
      return;
    }
  sluice_trace_view_get_span (self->picture->view, number, &span);
  sluice_page_renew_text (&self->node, span.name);
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
  if (!sluice_page_renew_text (&self->node, name))
    return;
  self->iteration = 0;
  self->start = G_MININT64;
  if (self->picture != NULL)
    show_span (self, find_selected (self), gtk_widget_get_mapped (GTK_WIDGET (self)));
}

/* ---- what is in front ---- */

/* What moves on five times a second nobody reads: of a run that is followed there is none. */
static void
analyse_step (SluiceTimelinePage *self)
{
  SluiceGraph *graph = sluice_document_get_graph (self->document);
  g_autoptr (GArray) gaps = sluice_lanes_gaps_new ();
  g_autoptr (GArray) path = NULL;
  const SluiceTraceStep *step = sluice_step_picture_find (self->picture, self->step);
  g_clear_pointer (&self->analysis, sluice_step_analysis_free);
  if (step != NULL && !(self->is_live && sluice_timeline_page_is_at_work (self)))
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
  sluice_timeline_page_show_bars (self);
  analyse_step (self);
  sluice_timeline_page_show_notes (self);
  sluice_timeline_page_show_lower (self);
  sluice_timeline_page_show_selected (self);
}

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
  sluice_timeline_page_read (self);
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
  sluice_span_pane_show (self->pane, NULL, SLUICE_SPAN_NONE);
  sluice_timeline_page_clear_memory (self);
  sluice_timeline_page_drop_heat (self);
  sluice_timeline_page_clear_predicted (self);
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
  if (self->other_wanted != 0 && picture->is_wide)
    sluice_timeline_page_set_other (self, self->other_wanted);
}

/* ---- by a person ---- */

static void
compared_cb (SluiceTimelinePage *self, guint64 step)
{
  sluice_timeline_page_set_other (self, step);
}

static void
chosen_cb (SluiceTimelinePage *self, guint64 step)
{
  sluice_timeline_page_show_step (self, step);
}

void
sluice_timeline_page_touch (SluiceTimelinePage *self)
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
  sluice_timeline_page_touch (self);
  sluice_timeline_page_select_span (self, span);
}

/* ---- a page of the window ---- */

static void
timeline_page_attach (SluicePage *page, const SluicePageContext *context)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (page);
  self->document = context->document;
  self->workspace = context->workspace;
  if (g_set_object (&self->controller, context->controller))
    g_signal_connect_object (self->controller, "changed", G_CALLBACK (sluice_timeline_page_read),
                             self, G_CONNECT_SWAPPED);
  sluice_timeline_page_begin_reading (self);
  sluice_timeline_page_update_actions (self);
}

static gboolean
timeline_page_is_settled (SluicePage *page)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (page);
  SluiceControlState state = sluice_run_controller_get_state (self->controller);
  gboolean is_seen = gtk_widget_get_mapped (GTK_WIDGET (self));
  gboolean is_moving =
      state == SLUICE_CONTROL_STARTING || (sluice_timeline_page_is_at_work (self) && self->is_live);
  return !self->reading && !self->opening && !sluice_timeline_page_is_reporting (self)
         && !(is_seen && is_moving);
}

static GtkWidget *
timeline_page_get_right (SluicePage *page)
{
  return GTK_WIDGET (SLUICE_TIMELINE_PAGE (page)->pane);
}

static void
init_page (SluicePageInterface *iface)
{
  iface->attach = timeline_page_attach;
  iface->is_settled = timeline_page_is_settled;
  sluice_timeline_page_init_moment (iface);
  iface->get_right = timeline_page_get_right;
  sluice_timeline_page_init_find (iface);
  sluice_timeline_page_init_dump (iface);
}

static void
predicted_cb (SluiceTimelinePage *self)
{
  if (sluice_timeline_page_is_lower (self, "predicted")
      && gtk_widget_get_mapped (GTK_WIDGET (self)))
    sluice_timeline_page_show_lower (self);
}

void
sluice_timeline_page_set_predictor (SluiceTimelinePage *self, SluicePredictor *predictor)
{
  if (g_set_object (&self->predictor, predictor) && predictor != NULL)
    g_signal_connect_object (predictor, "changed", G_CALLBACK (predicted_cb), self,
                             G_CONNECT_SWAPPED);
}

/* ---- life ---- */

static void
sluice_timeline_page_dispose (GObject *object)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (object);
  g_clear_handle_id (&self->source, g_source_remove);
  g_clear_object (&self->controller);
  if (self->predictor != NULL)
    sluice_predictor_forget (self->predictor, self);
  g_clear_object (&self->predictor);
  if (self->states != NULL)
    {
      sluice_timeline_page_clear_memory (self);
      sluice_timeline_page_drop_other (self);
      sluice_timeline_page_drop_heat (self);
      sluice_timeline_page_clear_predicted (self);
      sluice_lanes_set_view (self->lanes, NULL);
    }
  g_clear_pointer (&self->record, sluice_step_record_unref);
  g_clear_pointer (&self->analysis, sluice_step_analysis_free);
  g_clear_pointer (&self->picture, sluice_step_picture_unref);
  sluice_timeline_page_drop_notes (self);
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
  g_free (SLUICE_TIMELINE_PAGE (object)->lower);
  sluice_timeline_reporter_free (SLUICE_TIMELINE_PAGE (object)->reporter);
  g_free (SLUICE_TIMELINE_PAGE (object)->carried_to);
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
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (object);
  if (id == PROP_LIVE)
    g_value_set_boolean (value, self->is_live);
  else
    g_value_set_string (value, self->lower);
}

static void
sluice_timeline_page_set_property (GObject *object,
                                   guint id,
                                   const GValue *value,
                                   GParamSpec *pspec)
{
  SluiceTimelinePage *self = SLUICE_TIMELINE_PAGE (object);
  if (id == PROP_LIVE)
    sluice_timeline_page_set_live (self, g_value_get_boolean (value));
  else
    sluice_timeline_page_set_lower (self, g_value_get_string (value));
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
  g_object_class_install_property (
      G_OBJECT_CLASS (klass), PROP_LOWER,
      g_param_spec_string ("lower", NULL, NULL, NULL,
                           G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS));
  widget_class->grab_focus = sluice_timeline_page_grab_focus;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  node_selected_signal =
      g_signal_new ("node-selected", SLUICE_TYPE_TIMELINE_PAGE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                    NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  sluice_timeline_page_install_actions (widget_class);
  sluice_timeline_page_install_report (widget_class);
}

static void
sluice_timeline_page_init (SluiceTimelinePage *self)
{
  self->is_live = self->follows_step = TRUE;
  self->states = GTK_STACK (gtk_stack_new ());
  self->bars = SLUICE_STEP_BARS (sluice_step_bars_new ());
  self->lanes = SLUICE_LANES (sluice_lanes_new ());
  self->pane = g_object_ref_sink (SLUICE_SPAN_PANE (sluice_span_pane_new ()));
  sluice_timeline_page_init_words (self, self->lanes);
  gtk_stack_add_named (self->states, sluice_timeline_page_make_empty (), "empty");
  self->steps_box = sluice_timeline_page_make_steps (self);
  gtk_stack_add_named (self->states, self->steps_box, "steps");
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_set_vexpand (GTK_WIDGET (self->states), TRUE);
  gtk_box_append (GTK_BOX (self->box), sluice_timeline_page_make_file_bar (self));
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->states));
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  gtk_widget_add_css_class (GTK_WIDGET (self), "timeline-page");
  g_signal_connect_swapped (self->bars, "chosen", G_CALLBACK (chosen_cb), self);
  g_signal_connect_swapped (self->bars, "compared", G_CALLBACK (compared_cb), self);
  g_signal_connect_swapped (self->lanes, "touched", G_CALLBACK (sluice_timeline_page_touch), self);
  g_signal_connect_swapped (self->lanes, "selected", G_CALLBACK (selected_cb), self);
  g_signal_connect_object (self->pane, "span-chosen", G_CALLBACK (span_chosen_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->pane, "step-chosen", G_CALLBACK (chosen_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect (self, "map", G_CALLBACK (sluice_timeline_page_read), NULL);
  sluice_timeline_page_set_lower (self, "memory");
}
