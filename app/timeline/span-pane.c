/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/timeline/span-pane.h"

#include <glib/gi18n.h>

#include "app/graph/node-words.h"
#include "app/memory/memory-words.h"
#include "ui/chart/ticks.h"
#include "ui/common/number.h"
#include "ui/timeline/memory-draw.h"
#include "ui/timeline/time-axis.h"
#include "ui/timeline/time-histogram.h"

#define MOST_LINKED 6 /* readers that are listed; how many more there are is said */

struct _SluiceSpanPane
{
  SluiceInspectorPane parent;
  SluiceInspectorRows *rows; /* of the span that is shown */
};

G_DEFINE_FINAL_TYPE (SluiceSpanPane, sluice_span_pane, SLUICE_TYPE_INSPECTOR_PANE)

enum
{
  SPAN_CHOSEN,
  STEP_CHOSEN,
  N_SIGNALS,
};
static guint signals[N_SIGNALS];

static char *
dup_time (gint64 ns)
{
  return sluice_words_duration ((double) ns / 1000);
}

char *
sluice_span_words (const SluiceTraceSpan *span, gint64 zero)
{
  g_autofree char *start = dup_time (span->start - zero);
  g_autofree char *took = dup_time (span->end - span->start);
  if (span->kind == SLUICE_SPAN_WAIT)
    return g_strdup_printf (_ ("%s waits: from %s, for %s"), span->name, start, took);
  return span->op != NULL
             ? g_strdup_printf (_ ("%s: %s, from %s, took %s"), span->name, span->op, start, took)
             : g_strdup_printf (_ ("%s: from %s, took %s"), span->name, start, took);
}

/* ---- rows ---- */

static void
add_span_link (SluiceSpanPane *self,
               const SluiceStepPicture *picture,
               const char *name,
               guint64 number,
               const char *said)
{
  SluiceTraceSpan span;
  sluice_trace_view_get_span (picture->view, number, &span);
  g_autofree char *target = g_strdup_printf ("%" G_GUINT64_FORMAT, number);
  g_autofree char *words = g_strdup_printf (said, span.name);
  sluice_inspector_rows_add_link (self->rows, name, span.name, "span.show", target, words);
}

/* Times of one step are compared: all have the unit and the digits that it needs. */
static char *
dup_time_in (gint64 ns, gint64 step)
{
  return sluice_time_format_tick (ns, MAX (step / 4000, 1), MAX (step, 1000));
}

static void
add_times (SluiceSpanPane *self, const SluiceTraceSpan *span, gint64 zero, gint64 length)
{
  g_autofree char *scheduled = dup_time_in (span->scheduled - zero, length);
  g_autofree char *start = dup_time_in (span->start - zero, length);
  g_autofree char *end = dup_time_in (span->end - zero, length);
  g_autofree char *took = dup_time (span->end - span->start);
  g_autofree char *queue = dup_time (span->start - span->scheduled);
  if (span->scheduled >= zero)
    sluice_inspector_rows_add (self->rows, _ ("Scheduled"), scheduled);
  if (span->start > span->scheduled)
    sluice_inspector_rows_add_printf (self->rows, _ ("Started"), _ ("%s (+ %s queue)"), start,
                                      queue);
  else
    sluice_inspector_rows_add (self->rows, _ ("Started"), start);
  sluice_inspector_rows_add (self->rows, _ ("Ended"), end);
  sluice_inspector_rows_add (self->rows, _ ("Took"), took);
}

static void
add_edges (SluiceSpanPane *self,
           const SluiceStepPicture *picture,
           const SluiceSpanFlows *flows,
           guint64 waited)
{
  if (waited == SLUICE_SPAN_NONE && flows->read->len > 0)
    waited = g_array_index (flows->read, guint64, 0);
  if (waited != SLUICE_SPAN_NONE)
    add_span_link (self, picture, _ ("Waited for"), waited,
                   _ ("Show %s, which came last of what it reads"));
  for (guint i = 0; i < MIN (flows->readers->len, MOST_LINKED); i++)
    add_span_link (self, picture, i == 0 ? _ ("Read by") : "",
                   g_array_index (flows->readers, guint64, i), _ ("Show %s, which reads it"));
  guint more = flows->readers->len > MOST_LINKED ? flows->readers->len - MOST_LINKED : 0;
  if (more > 0)
    sluice_inspector_rows_add_printf (self->rows, "", _ ("and %u more"), more);
}

/* What it matters: how much longer it could take, or what is won where it takes less. */
static void
add_slack (SluiceSpanPane *self, const SluiceStepAnalysis *analysis, guint64 span)
{
  gint64 slack = sluice_step_analysis_get_slack (analysis, span);
  if (slack < 0)
    return;
  gint64 gain = sluice_step_analysis_get_gain (analysis, span);
  g_autofree char *words = dup_time (slack), *won = dup_time (MAX (gain, 0));
  sluice_inspector_rows_add (self->rows, _ ("Slack"),
                             slack > 0 ? words : _ ("0, on the critical path"));
  if (gain > 0)
    sluice_inspector_rows_add_printf (self->rows, _ ("Twice as fast"), _ ("−%s a step"), won);
}

static void
add_node (SluiceSpanPane *self, const SluiceTraceSpan *span, SluiceGraph *graph)
{
  const SluiceNode *node = graph != NULL ? sluice_graph_find (graph, span->name) : NULL;
  if (span->bytes_out > 0)
    {
      g_autofree char *bytes = sluice_format_value ((double) span->bytes_out, SLUICE_UNIT_BYTES);
      sluice_inspector_rows_add (self->rows, _ ("Gives"), bytes);
    }
  if (span->bytes_in > 0)
    {
      g_autofree char *bytes = sluice_format_value ((double) span->bytes_in, SLUICE_UNIT_BYTES);
      sluice_inspector_rows_add (self->rows, _ ("Reads"), bytes);
    }
  if (span->live > 0)
    {
      g_autofree char *bytes = sluice_format_value ((double) span->live, SLUICE_UNIT_BYTES);
      sluice_inspector_rows_add (self->rows, _ ("In use on the device"), bytes);
    }
  for (guint i = 0; node != NULL && i < MIN (node->n_outputs, MOST_LINKED); i++)
    {
      g_autofree char *output = sluice_words_output (&node->outputs[i]);
      sluice_inspector_rows_add (self->rows, i == 0 ? _ ("Output") : "", output);
    }
  if (span->frame != NULL)
    {
      g_autofree char *loop = sluice_words_loop (span->frame);
      g_autofree char *round = sluice_format_step ((gint64) span->iteration);
      sluice_inspector_rows_add_printf (self->rows, _ ("Loop"), _ ("%s, round %s"), loop, round);
    }
}

/* ---- the node over the steps ---- */

static void
time_chosen_cb (SluiceSpanPane *self, guint64 step)
{
  g_signal_emit (self, signals[STEP_CHOSEN], 0, step);
}

static int
compare_ns (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return x < y ? -1 : x > y;
}

static void
add_outliers (SluiceSpanPane *self, const GArray *times, gint64 limit)
{
  guint n = 0;
  for (guint i = 0; i < times->len; i++)
    n += g_array_index (times, SluiceStepTime, i).ns > limit;
  if (n == 0)
    return;
  for (guint i = times->len, shown = 0; i-- > 0 && shown < MOST_LINKED;)
    {
      const SluiceStepTime *time = &g_array_index (times, SluiceStepTime, i);
      if (time->ns <= limit)
        continue;
      g_autofree char *step = sluice_format_step ((gint64) time->step);
      g_autofree char *took = dup_time (time->ns);
      g_autofree char *target = g_strdup_printf ("%" G_GUINT64_FORMAT, time->step);
      g_autofree char *name = g_strdup_printf (_ ("Slow in step %s"), step);
      g_autofree char *said = g_strdup_printf (_ ("Show step %s, in which it took %s"), step, took);
      sluice_inspector_rows_add_link (self->rows, name, took, "span.step", target, said);
      shown++;
    }
  if (n > MOST_LINKED)
    sluice_inspector_rows_add_printf (self->rows, _ ("Slow steps"), "%u", n);
}

static void
add_history (SluiceSpanPane *self, const SluiceStepPicture *picture, const SluiceTraceSpan *span)
{
  g_autoptr (GArray) times = sluice_step_picture_dup_times (picture, span->name);
  if (times->len < 2)
    return;
  g_autofree gint64 *sorted = g_new (gint64, times->len);
  g_autofree guint64 *steps = g_new (guint64, times->len);
  g_autofree gint64 *in_order = g_new (gint64, times->len);
  for (guint i = 0; i < times->len; i++)
    {
      in_order[i] = sorted[i] = g_array_index (times, SluiceStepTime, i).ns;
      steps[i] = g_array_index (times, SluiceStepTime, i).step;
    }
  qsort (sorted, times->len, sizeof *sorted, compare_ns);
  gint64 median = sorted[(times->len - 1) / 2], p95 = sorted[(times->len - 1) * 95 / 100];
  g_autofree char *heading = g_strdup_printf (
      ngettext ("This node over the last %u step", "This node over the last %u steps", times->len),
      times->len);
  g_autofree char *low = dup_time (sorted[0]), *high = dup_time (sorted[times->len - 1]);
  g_autofree char *middle = dup_time (median), *most = dup_time (p95);
  GtkWidget *histogram = sluice_time_histogram_new ();
  sluice_time_histogram_set_times (SLUICE_TIME_HISTOGRAM (histogram), steps, in_order, times->len,
                                   sluice_time_outlier (sorted, times->len));
  g_autofree char *words =
      g_strdup_printf (_ ("%s to %s, median %s, 95 %% within %s"), low, high, middle, most);
  gtk_accessible_update_property (GTK_ACCESSIBLE (histogram), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  heading, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, words, -1);
  g_signal_connect_swapped (histogram, "chosen", G_CALLBACK (time_chosen_cb), self);
  sluice_inspector_rows_begin (self->rows, heading, TRUE);
  sluice_inspector_rows_add_widget (self->rows, histogram);
  sluice_inspector_rows_add_printf (self->rows, _ ("Least · most"), "%s · %s", low, high);
  sluice_inspector_rows_add_printf (self->rows, _ ("Median · 95 %"), "%s · %s", middle, most);
  add_outliers (self, times, sluice_time_outlier (sorted, times->len));
}

/* ---- memory ---- */

static void
add_memory (SluiceSpanPane *self, const SluiceMemoryView *view, guint number)
{
  if (view == NULL || number == SLUICE_BAND_NONE)
    return;
  const SluiceMemoryBand *band = sluice_memory_view_get_band (view, number);
  g_autofree char *bytes = sluice_memory_format_bytes ((double) band->bytes);
  g_autofree char *life = dup_time (band->freed - band->made);
  g_autofree char *freer = sluice_memory_words_freer (view, number);
  if (band->stays)
    sluice_inspector_rows_add (self->rows, _ ("Holds"), bytes);
  else
    sluice_inspector_rows_add_printf (self->rows, _ ("Holds"), _ ("%s for %s"), bytes, life);
  sluice_inspector_rows_add (self->rows, band->waste > 0 ? _ ("Held until") : _ ("Freed by"),
                             freer);
}

/* What did not run in the step may hold memory all the same. */
static void
show_idle (SluiceSpanPane *self, const SluiceSpanSubject *subject)
{
  const SluiceMemoryBand *band = sluice_memory_view_get_band (subject->memory, subject->band);
  g_autofree char *name = sluice_memory_dup_name (subject->memory, band->owner);
  g_autofree char *subtitle =
      g_strdup_printf (_ ("%s on %s"), sluice_memory_class_words (band->owner.memory_class),
                       sluice_memory_view_get_tape (subject->memory)->device);
  self->rows = sluice_inspector_pane_begin (SLUICE_INSPECTOR_PANE (self), name, subtitle);
  add_memory (self, subject->memory, subject->band);
}

static void
show_span (SluiceSpanPane *self, const SluiceSpanSubject *subject, guint64 number)
{
  const SluiceStepPicture *picture = subject->picture;
  SluiceTraceSpan span;
  sluice_trace_view_get_span (picture->view, number, &span);
  const SluiceTraceLane *lane = sluice_trace_view_get_lane (picture->view, span.lane);
  const SluiceTraceStep *step = sluice_step_picture_find (picture, span.step);
  g_autoptr (SluiceSpanFlows) flows = sluice_span_flows_new (picture, subject->graph, number);
  g_autofree char *subtitle =
      span.op != NULL ? g_strdup_printf ("%s · %s · %s", span.op, lane->device, lane->name)
                      : g_strdup_printf ("%s · %s", lane->device, lane->name);
  self->rows = sluice_inspector_pane_begin (SLUICE_INSPECTOR_PANE (self), span.name, subtitle);
  gint64 zero = step != NULL ? step->start : 0;
  add_times (self, &span, zero, step != NULL ? step->end - zero : span.end);
  add_edges (self, picture, flows, sluice_step_analysis_get_waited (subject->analysis, number));
  add_memory (self, subject->memory, subject->band);
  add_slack (self, subject->analysis, number);
  add_node (self, &span, subject->graph);
  add_history (self, picture, &span);
}

void
sluice_span_pane_show (SluiceSpanPane *self, const SluiceSpanSubject *subject, guint64 number)
{
  if (subject != NULL && number != SLUICE_SPAN_NONE)
    show_span (self, subject, number);
  else if (subject != NULL && subject->memory != NULL && subject->band != SLUICE_BAND_NONE)
    show_idle (self, subject);
  else
    sluice_inspector_pane_clear (SLUICE_INSPECTOR_PANE (self));
}

/* ---- life ---- */

static void
choose_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  guint64 number = g_ascii_strtoull (g_variant_get_string (parameter, NULL), NULL, 10);
  g_signal_emit (widget, signals[g_str_equal (name, "span.show") ? SPAN_CHOSEN : STEP_CHOSEN], 0,
                 number);
}

static void
sluice_span_pane_class_init (SluiceSpanPaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  gtk_widget_class_install_action (widget_class, "span.show", "s", choose_action);
  gtk_widget_class_install_action (widget_class, "span.step", "s", choose_action);
  signals[SPAN_CHOSEN] = g_signal_new ("span-chosen", SLUICE_TYPE_SPAN_PANE, G_SIGNAL_RUN_LAST, 0,
                                       NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT64);
  signals[STEP_CHOSEN] = g_signal_new ("step-chosen", SLUICE_TYPE_SPAN_PANE, G_SIGNAL_RUN_LAST, 0,
                                       NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT64);
}

static void
sluice_span_pane_init (SluiceSpanPane *self)
{
}

GtkWidget *
sluice_span_pane_new (void)
{
  return g_object_new (SLUICE_TYPE_SPAN_PANE, NULL);
}
