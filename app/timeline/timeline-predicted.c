/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n.h>
#include <string.h>

#include "app/failure-words.h"
#include "app/graph/node-words.h"
#include "app/place/place-words.h"
#include "app/place/step-times.h"
#include "app/timeline/timeline-private.h"

/* What was predicted of a step, from where the step that is shown began: lanes of its own under
 * those of what ran, and a sentence that compares. */

/* ---- its lanes ---- */

static gint64
get_time (gint64 begin, double us)
{
  return begin + (gint64) (us * 1000 + 0.5);
}

static void
add_nodes (SluiceTraceView *view, const SluicePlacePrediction *p, const SluiceTraceStep *step)
{
  const SluiceSimulation *s = p->choice->schedule;
  g_autofree guint *lanes = g_new (guint, p->machine->n_devices);
  for (guint d = 0; d < p->machine->n_devices; d++)
    lanes[d] = sluice_trace_view_add_lane (view, SLUICE_LANE_THREAD,
                                           p->machine->devices[d].device->short_name, _ ("plan"));
  for (guint v = 0; v < s->n_nodes; v++)
    {
      const SluiceNode *node = p->workload->nodes[v];
      const SluiceTraceSpan span = { .scheduled = get_time (step->start, s->spans[v].start_us),
                                     .start = get_time (step->start, s->spans[v].start_us),
                                     .end = get_time (step->start, s->spans[v].end_us),
                                     .name = node->name,
                                     .op = node->op_name,
                                     .kind = SLUICE_SPAN_NODE,
                                     .lane = lanes[s->devices[v]],
                                     .step = step->step };
      sluice_trace_view_add (view, &span);
    }
}

static void
add_transfers (SluiceTraceView *view, const SluicePlacePrediction *p, const SluiceTraceStep *step)
{
  const GArray *transfers = p->choice->schedule->transfers;
  for (guint i = 0; i < transfers->len; i++)
    {
      const SluiceSimulatedTransfer *at = &g_array_index (transfers, SluiceSimulatedTransfer, i);
      g_autofree char *way =
          g_strdup_printf ("%s → %s", p->machine->devices[at->from].device->short_name,
                           p->machine->devices[at->to].device->short_name);
      g_autofree char *name =
          sluice_graph_workload_dup_value_name (p->workload, at->node, at->output);
      const SluiceTraceSpan span = { .scheduled = get_time (step->start, at->start_us),
                                     .start = get_time (step->start, at->start_us),
                                     .end = get_time (step->start, at->end_us),
                                     .name = name,
                                     .kind = SLUICE_SPAN_COPY,
                                     .lane = sluice_trace_view_add_lane (view, SLUICE_LANE_LINK,
                                                                         way, _ ("plan")),
                                     .step = step->step,
                                     .bytes_out = (gsize) at->bytes };
      sluice_trace_view_add (view, &span);
    }
}

void
sluice_timeline_page_clear_predicted (SluiceTimelinePage *self)
{
  sluice_lanes_set_view (self->ghosts, NULL);
  g_clear_pointer (&self->predicted, sluice_trace_view_free);
}

static void
align (SluiceTimelinePage *self)
{
  gint64 from, to, begin, end;
  if (self->predicted == NULL || self->picture == NULL)
    return;
  sluice_trace_view_get_extent (self->picture->view, &begin, &end);
  sluice_lanes_get_range (self->lanes, &from, &to);
  self->aligns = TRUE;
  sluice_lanes_set_ghost (self->ghosts, begin, end);
  sluice_lanes_show (self->ghosts, from, to);
  self->aligns = FALSE;
}

static void
show_lanes (SluiceTimelinePage *self, const SluicePlacePrediction *p, const SluiceTraceStep *step)
{
  SluiceTraceView *view = sluice_trace_view_new ();
  add_nodes (view, p, step);
  add_transfers (view, p, step);
  sluice_trace_view_settle (view);
  self->aligns = TRUE;
  sluice_lanes_set_view (self->ghosts, view);
  g_clear_pointer (&self->predicted, sluice_trace_view_free);
  self->predicted = view;
  sluice_lanes_set_zero (self->ghosts, step->start,
                         get_time (step->start, p->choice->schedule->us));
  align (self);
}

/* ---- the sentence ---- */

/* The scope that a node stands in, of a gradient that of what it is of. (transfer full) */
static char *
dup_scope (const char *name)
{
  const char *at = g_str_has_prefix (name, "gradients/") ? name + strlen ("gradients/") : name;
  return g_strndup (at, strcspn (at, "/"));
}

static void
add_time (GHashTable *sums, const char *name, double us)
{
  char *scope = dup_scope (name);
  double *sum = g_hash_table_lookup (sums, scope);
  if (sum == NULL)
    g_hash_table_insert (sums, scope, sum = g_new0 (double, 1));
  else
    g_free (scope);
  *sum += us;
}

/* The scope whose nodes took most longer than was predicted. A kernel that runs several nodes
 * counts as the one that it is called by, which mostly stands beside them. (transfer full)
 * (nullable): none did */
static char *
dup_latest (SluiceTimelinePage *self, const SluicePlacePrediction *p)
{
  g_autoptr (GHashTable) sums = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  const SluiceTraceView *view = self->picture->view;
  const SluiceSimulation *s = p->choice->schedule;
  GHashTableIter iter;
  gpointer scope, sum;
  double most = 0;
  char *latest = NULL;
  for (guint64 i = 0; i < sluice_trace_view_get_n_spans (view); i++)
    {
      SluiceTraceSpan span;
      sluice_trace_view_get_span (view, i, &span);
      if (span.step == self->step && span.kind == SLUICE_SPAN_NODE)
        add_time (sums, span.name, (double) (span.end - span.start) / 1000);
    }
  for (guint v = 0; v < s->n_nodes; v++)
    add_time (sums, p->workload->nodes[v]->name, s->spans[v].start_us - s->spans[v].end_us);
  g_hash_table_iter_init (&iter, sums);
  while (g_hash_table_iter_next (&iter, &scope, &sum))
    if (*(double *) sum > most)
      {
        most = *(double *) sum;
        latest = scope;
      }
  return g_strdup (latest);
}

/* (transfer full) */
static char *
dup_comparison (SluiceTimelinePage *self,
                const SluicePlacePrediction *p,
                const SluiceTraceStep *step)
{
  const SluiceStepTimes usual = sluice_step_times_sum_up (self->picture->steps);
  double us = (double) (step->end - step->start) / 1000, predicted = p->us;
  g_autofree char *words = sluice_place_words_measured (predicted, us, usual.plus_minus);
  g_autofree char *latest = us > predicted ? dup_latest (self, p) : NULL;
  const char *machine = sluice_predictor_get_machine (self->predictor);
  if (machine != NULL)
    return sluice_place_words_step (p, machine);
  if (latest == NULL)
    return g_steal_pointer (&words);
  return g_strdup_printf (_ ("%s, most of it in %s"), words, latest);
}

/* The lanes are the simulator's, who knows nodes and links and nothing of threads and of what
 * passes between. (transfer full) */
static char *
dup_sentence (SluiceTimelinePage *self, const SluicePlacePrediction *p, const SluiceTraceStep *step)
{
  g_autofree char *compared = dup_comparison (self, p, step);
  g_autofree char *lanes = sluice_words_duration (p->choice->schedule->us);
  g_autofree char *whole = sluice_words_duration (p->us);
  if (g_str_equal (lanes, whole))
    return g_steal_pointer (&compared);
  return g_strdup_printf (_ ("%s · nodes and links alone, as below: %s"), compared, lanes);
}

/* ---- all of it ---- */

static void
say (SluiceTimelinePage *self, const char *words, gboolean has_content)
{
  if (!has_content)
    sluice_timeline_page_clear_predicted (self);
  sluice_timeline_page_say_lower (self, "predicted", _ ("Predicted"), words, has_content);
}

void
sluice_timeline_page_show_predicted (SluiceTimelinePage *self)
{
  const GError *error = NULL;
  if (self->picture == NULL)
    return;
  const SluiceTraceStep *step = sluice_step_picture_find (self->picture, self->step);
  if (self->file != NULL || self->predictor == NULL || step == NULL)
    {
      say (self, _ ("Only steps of the graph that is open are predicted."), FALSE);
      return;
    }
  const SluicePlacePrediction *p = sluice_predictor_get (self->predictor, &error);
  if (p == NULL)
    {
      g_autofree char *words =
          error != NULL ? sluice_failure_words (error) : g_strdup (_ ("Predicting …"));
      sluice_timeline_page_clear_predicted (self);
      say (self, words, error == NULL); /* there is room already where it will stand */
      return;
    }
  g_autofree char *words = dup_sentence (self, p, step);
  show_lanes (self, p, step);
  say (self, words, TRUE);
}

/* ---- by a person ---- */

static void
ghost_selected_cb (SluiceTimelinePage *self, guint64 number)
{
  SluiceTraceSpan ghost;
  if (number == SLUICE_SPAN_NONE)
    return;
  sluice_trace_view_get_span (self->predicted, number, &ghost);
  guint64 span = sluice_step_picture_find_span (self->picture, ghost.name, self->step, 0);
  sluice_timeline_page_touch (self);
  if (span != SLUICE_SPAN_NONE)
    sluice_timeline_page_select_span (self, span);
  else if (ghost.kind == SLUICE_SPAN_NODE)
    sluice_timeline_page_select_idle (self, ghost.name);
}

static void
range_changed_cb (SluiceTimelinePage *self)
{
  gint64 from, to;
  if (self->aligns || self->predicted == NULL)
    return;
  sluice_lanes_get_range (self->ghosts, &from, &to);
  sluice_timeline_page_touch (self);
  sluice_lanes_show (self->lanes, from, to);
}

/* ---- a bar that is carried to another device ---- */

/* What a node asks for to stand there. (transfer full) (nullable): no device of the machine */
static char *
dup_spec (SluiceTimelinePage *self, const SluiceTraceView *view, guint lane)
{
  const SluicePlacePrediction *p =
      self->predictor != NULL ? sluice_predictor_get (self->predictor, NULL) : NULL;
  if (p == NULL || view == NULL || lane >= sluice_trace_view_get_n_lanes (view))
    return NULL;
  const char *device = sluice_lanes_get_device (sluice_trace_view_get_lane (view, lane));
  for (guint d = 0; d < p->machine->n_devices; d++)
    if (g_str_equal (p->machine->devices[d].device->short_name, device))
      return sluice_prediction_dup_spec (p, d);
  return NULL;
}

/* The lanes that would be stand in the place of those that are. */
static void
carried_told_cb (SluicePlacePrediction *after, const GError *error, gpointer data)
{
  SluiceTimelinePage *self = data;
  const SluicePlacePrediction *before = sluice_predictor_get (self->predictor, NULL);
  const SluiceTraceStep *step =
      self->picture != NULL ? sluice_step_picture_find (self->picture, self->step) : NULL;
  g_autofree char *change =
      after != NULL && before != NULL ? sluice_place_words_change (before, after) : NULL;
  g_autofree char *why = error != NULL ? sluice_failure_words (error) : NULL;
  if (step == NULL || (change == NULL && why == NULL))
    return;
  g_autofree char *words =
      change != NULL ? g_strdup_printf (_ ("On %s, as predicted: %s"), self->carried_to, change)
                     : g_steal_pointer (&why);
  if (after != NULL && sluice_timeline_page_is_lower (self, "predicted"))
    show_lanes (self, after, step);
  sluice_timeline_page_say_lower (self, self->lower, _ ("Predicted"), words,
                                  gtk_widget_get_visible (GTK_WIDGET (self->lower_stack)));
}

static void
carried_cb (
    SluiceLanes *lanes, const char *name, guint lane, gboolean is_dropped, SluiceTimelinePage *self)
{
  const SluiceTraceView *view = lanes == self->ghosts   ? self->predicted
                                : self->picture != NULL ? self->picture->view
                                                        : NULL;
  const char *const moved[] = { name, NULL };
  g_autofree char *spec = name != NULL && self->file == NULL ? dup_spec (self, view, lane) : NULL;
  if (self->predictor == NULL)
    return;
  if (!is_dropped && spec != NULL && g_strcmp0 (spec, self->carried_to) == 0)
    return;
  g_free (self->carried_to);
  self->carried_to = g_strdup (is_dropped ? NULL : spec);
  sluice_predictor_forget (self->predictor, self);
  if (is_dropped && spec != NULL)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.put-on", "(ss)", name, spec);
  if (is_dropped || spec == NULL)
    sluice_timeline_page_show_lower (self);
  else
    sluice_predictor_try (self->predictor, moved, spec, carried_told_cb, self);
}

GtkWidget *
sluice_timeline_page_make_predicted (SluiceTimelinePage *self)
{
  self->ghosts = SLUICE_LANES (sluice_lanes_new ());
  sluice_timeline_page_init_words (self, self->ghosts);
  gtk_widget_set_vexpand (GTK_WIDGET (self->ghosts), TRUE);
  g_signal_connect_swapped (self->ghosts, "selected", G_CALLBACK (ghost_selected_cb), self);
  g_signal_connect_swapped (self->ghosts, "range-changed", G_CALLBACK (range_changed_cb), self);
  g_signal_connect_swapped (self->lanes, "range-changed", G_CALLBACK (align), self);
  g_signal_connect (self->lanes, "carried", G_CALLBACK (carried_cb), self);
  g_signal_connect (self->ghosts, "carried", G_CALLBACK (carried_cb), self);
  return GTK_WIDGET (self->ghosts);
}
