/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/timeline/step-record.h"

#include <string.h>

#include "engine/trace/fill.h"

struct _SluiceStepRecord
{
  gatomicrefcount ref_count;
  SluiceSession *session; /* which owns the texts of events */
  guint64 cursor;
  GArray *events; /* of SluiceTraceEvent, of steps that are kept and of a few before them */
  GArray *steps;  /* of SluiceTraceStep, by number */
  guint64 n_read;
  GArray *lanes; /* of LaneRead, of the reading under way */
};

typedef struct
{
  guint64 first_step;
  guint64 n; /* events */
} LaneRead;

SluiceStepRecord *
sluice_step_record_new (SluiceSession *session)
{
  SluiceStepRecord *self = g_new0 (SluiceStepRecord, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->session = g_object_ref (session);
  self->events = g_array_new (FALSE, FALSE, sizeof (SluiceTraceEvent));
  self->steps = g_array_new (FALSE, FALSE, sizeof (SluiceTraceStep));
  self->lanes = g_array_new (FALSE, TRUE, sizeof (LaneRead));
  return self;
}

SluiceStepRecord *
sluice_step_record_ref (SluiceStepRecord *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
sluice_step_record_unref (SluiceStepRecord *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  sluice_session_drop_trace (self->session, &self->cursor);
  g_object_unref (self->session);
  g_array_unref (self->events);
  g_array_unref (self->steps);
  g_array_unref (self->lanes);
  g_free (self);
}

gboolean
sluice_step_record_is_of (SluiceStepRecord *self, SluiceSession *session)
{
  return self->session == session;
}

/* ---- reading ---- */

static SluiceTraceStep *
step_at (const GArray *steps, guint i)
{
  return &g_array_index (steps, SluiceTraceStep, i);
}

/* Where it is, or would be; most events are of the last few steps. */
static guint
find_place (const GArray *steps, guint64 step)
{
  guint i = steps->len;
  while (i > 0 && step_at (steps, i - 1)->step >= step)
    i--;
  return i;
}

static gint64
to_ns (double us)
{
  return (gint64) (us * 1000);
}

static void
take_event (const SluiceTraceEvent *event, gpointer data)
{
  SluiceStepRecord *self = data;
  self->n_read++;
  if (event->node == NULL || event->step == 0)
    return; /* what a run does before its first step */
  if (event->lane >= self->lanes->len)
    g_array_set_size (self->lanes, event->lane + 1);
  LaneRead *lane = &g_array_index (self->lanes, LaneRead, event->lane);
  if (lane->n++ == 0)
    lane->first_step = event->step;
  guint i = find_place (self->steps, event->step);
  if (event->kind == SLUICE_TRACE_HOST)
    {
      g_array_append_vals (self->events, event, 1);
      return; /* beside the step */
    }
  const SluiceTraceStep news = { event->step, to_ns (event->start_us), to_ns (event->end_us),
                                 FALSE };
  if (i == self->steps->len || step_at (self->steps, i)->step != event->step)
    g_array_insert_val (self->steps, i, news);
  SluiceTraceStep *step = step_at (self->steps, i);
  step->start = MIN (step->start, news.start);
  step->end = MAX (step->end, news.end);
  g_array_append_vals (self->events, event, 1);
}

static void
drop_steps (SluiceStepRecord *self, guint64 from, guint64 to)
{
  SluiceTraceEvent *events = (SluiceTraceEvent *) self->events->data;
  guint first = find_place (self->steps, from), end = find_place (self->steps, to + 1), kept = 0;
  for (guint i = 0; i < self->events->len; i++)
    if (events[i].step < from || events[i].step > to)
      events[kept++] = events[i];
  g_array_set_size (self->events, kept);
  g_array_remove_range (self->steps, first, end - first);
}

/* Lanes that lost something have all brought as much as they hold, which is most. Whatever is older
 * than what they begin with may lack a part, down to the newest step of the time before. */
static void
drop_torn (SluiceStepRecord *self, guint64 newest_before)
{
  guint64 most = 0, torn = 0;
  for (guint i = 0; i < self->lanes->len; i++)
    most = MAX (most, g_array_index (self->lanes, LaneRead, i).n);
  for (guint i = 0; i < self->lanes->len; i++)
    {
      const LaneRead *lane = &g_array_index (self->lanes, LaneRead, i);
      if (lane->n > most / 2)
        torn = MAX (torn, lane->first_step);
    }
  if (torn >= newest_before)
    drop_steps (self, newest_before, torn);
}

/* Whole steps go, the oldest first. */
static void
drop_old (SluiceStepRecord *self)
{
  guint n_old = self->steps->len > SLUICE_RECORD_STEPS ? self->steps->len - SLUICE_RECORD_STEPS : 0;
  if (self->events->len > SLUICE_RECORD_SPANS)
    n_old = MAX (n_old, self->steps->len / 4);
  if (n_old > 0)
    drop_steps (self, 0, step_at (self->steps, n_old - 1)->step);
}

gboolean
sluice_step_record_read (SluiceStepRecord *self)
{
  guint64 n_before = self->n_read;
  guint64 newest = self->steps->len > 0 ? step_at (self->steps, self->steps->len - 1)->step : 0;
  g_array_set_size (self->lanes, 0);
  if (sluice_session_each_trace (self->session, &self->cursor, take_event, self) > 0)
    drop_torn (self, newest);
  drop_old (self);
  return self->n_read > n_before;
}

/* ---- pictures ---- */

static void
array_unref (gpointer array)
{
  g_array_unref (array);
}

static int
compare_starts (gconstpointer a, gconstpointer b, gpointer data)
{
  guint64 i = *(const guint64 *) a, k = *(const guint64 *) b;
  SluiceTraceSpan x, y;
  sluice_trace_view_get_span (data, i, &x);
  sluice_trace_view_get_span (data, k, &y);
  if (x.start != y.start)
    return x.start < y.start ? -1 : 1;
  return i < k ? -1 : i > k;
}

static void
index_names (SluiceStepPicture *self)
{
  GHashTableIter iter;
  gpointer spans;
  for (guint64 i = 0; i < sluice_trace_view_get_n_spans (self->view); i++)
    {
      SluiceTraceSpan span;
      sluice_trace_view_get_span (self->view, i, &span);
      GArray *of_name = g_hash_table_lookup (self->by_name, span.name);
      if (of_name == NULL)
        {
          of_name = g_array_new (FALSE, FALSE, sizeof (guint64));
          g_hash_table_insert (self->by_name, (gpointer) span.name, of_name);
        }
      g_array_append_val (of_name, i);
    }
  g_hash_table_iter_init (&iter, self->by_name);
  while (g_hash_table_iter_next (&iter, NULL, &spans))
    g_array_sort_with_data (spans, compare_starts, self->view);
}

/* Waiting is no work. */
static void
add_time (GArray *times, guint64 step, gint64 ns)
{
  guint i = times->len;
  while (i > 0 && g_array_index (times, SluiceStepTime, i - 1).step > step)
    i--;
  if (i > 0 && g_array_index (times, SluiceStepTime, i - 1).step == step)
    {
      g_array_index (times, SluiceStepTime, i - 1).ns += ns;
      return;
    }
  const SluiceStepTime time = { step, ns };
  g_array_insert_val (times, i, time);
}

static GArray *
new_times (void)
{
  return g_array_new (FALSE, FALSE, sizeof (SluiceStepTime));
}

/* As in the view, where the same is told of all steps. */
static void
mark_slow (GArray *steps)
{
  g_autoptr (SluiceTraceView) view = sluice_trace_view_new ();
  guint n, lane = sluice_trace_view_add_lane (view, SLUICE_LANE_OTHER, "", "");
  for (guint i = 0; i < steps->len; i++)
    {
      const SluiceTraceStep *step = step_at (steps, i);
      const SluiceTraceSpan span = { .scheduled = step->start,
                                     .start = step->start,
                                     .end = step->end,
                                     .name = "",
                                     .kind = SLUICE_SPAN_OTHER,
                                     .lane = lane,
                                     .step = step->step };
      sluice_trace_view_add (view, &span);
    }
  sluice_trace_view_settle (view);
  const SluiceTraceStep *told = sluice_trace_view_get_steps (view, &n);
  for (guint i = 0; i < n; i++)
    step_at (steps, i)->is_slow = told[i].is_slow;
}

/* To the nanosecond as the view has them: how it rounds is its own affair. */
static void
take_times (SluiceStepPicture *picture)
{
  guint n;
  const SluiceTraceStep *steps = sluice_trace_view_get_steps (picture->view, &n);
  for (guint i = 0; i < n; i++)
    {
      guint place = find_place (picture->steps, steps[i].step);
      SluiceTraceStep *step = step_at (picture->steps, place);
      step->start = steps[i].start;
      step->end = steps[i].end;
    }
}

static SluiceStepPicture *
new_picture (SluiceTraceView *take_view)
{
  SluiceStepPicture *picture = g_new0 (SluiceStepPicture, 1);
  g_atomic_ref_count_init (&picture->ref_count);
  picture->view = take_view;
  picture->by_name = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, array_unref);
  picture->steps = g_array_new (FALSE, FALSE, sizeof (SluiceTraceStep));
  picture->times = new_times ();
  return picture;
}

SluiceStepPicture *
sluice_step_picture_new_of_view (SluiceTraceView *take_view)
{
  SluiceStepPicture *picture = new_picture (take_view);
  guint n;
  const SluiceTraceStep *steps = sluice_trace_view_get_steps (take_view, &n);
  picture->is_wide = TRUE;
  g_array_append_vals (picture->steps, steps, n);
  index_names (picture);
  return picture;
}

SluiceStepPicture *
sluice_step_record_make (SluiceStepRecord *self,
                         gboolean is_wide,
                         gboolean has_ended,
                         const char *node)
{
  SluiceStepPicture *picture = new_picture (sluice_trace_view_new ());
  g_autoptr (GArray) chosen = g_array_new (FALSE, FALSE, sizeof (SluiceTraceEvent));
  guint n = self->steps->len, n_whole = has_ended || n < 2 ? n : n - 1;
  picture->is_wide = is_wide;
  picture->node = g_strdup (node);
  g_array_append_vals (picture->steps, self->steps->data, n_whole);
  mark_slow (picture->steps);
  if (n_whole == 0)
    return picture;
  guint first = is_wide || n_whole < SLUICE_LIVE_WIDTH ? 0 : n_whole - SLUICE_LIVE_WIDTH;
  guint64 from = step_at (picture->steps, first)->step;
  guint64 to = step_at (picture->steps, n_whole - 1)->step;
  for (guint i = 0; i < self->events->len; i++)
    {
      const SluiceTraceEvent *event = &g_array_index (self->events, SluiceTraceEvent, i);
      if (event->step >= from && event->step <= to)
        g_array_append_vals (chosen, event, 1);
      if (node != NULL && event->step <= to && event->kind == SLUICE_TRACE_NODE
          && g_str_equal (event->node, node))
        add_time (picture->times, event->step, to_ns (event->end_us - event->start_us));
    }
  sluice_trace_view_add_events (picture->view, chosen);
  take_times (picture);
  index_names (picture);
  return picture;
}

SluiceStepPicture *
sluice_step_picture_ref (SluiceStepPicture *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
sluice_step_picture_unref (SluiceStepPicture *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_hash_table_unref (self->by_name);
  sluice_trace_view_free (self->view);
  g_array_unref (self->steps);
  g_array_unref (self->times);
  g_free (self->node);
  g_free (self);
}

const SluiceTraceStep *
sluice_step_picture_find (const SluiceStepPicture *self, guint64 step)
{
  guint i = find_place (self->steps, step);
  return i < self->steps->len && step_at (self->steps, i)->step == step ? step_at (self->steps, i)
                                                                        : NULL;
}

guint64
sluice_step_picture_find_span (const SluiceStepPicture *self,
                               const char *node,
                               guint64 step,
                               guint64 iteration)
{
  GArray *spans = g_hash_table_lookup (self->by_name, node);
  guint64 found = SLUICE_SPAN_NONE;
  for (guint i = 0; spans != NULL && i < spans->len; i++)
    {
      SluiceTraceSpan span;
      sluice_trace_view_get_span (self->view, g_array_index (spans, guint64, i), &span);
      if (span.step != step)
        continue;
      if (span.iteration == iteration)
        return g_array_index (spans, guint64, i);
      if (found == SLUICE_SPAN_NONE)
        found = g_array_index (spans, guint64, i);
    }
  return found;
}

GArray *
sluice_step_picture_dup_times (const SluiceStepPicture *self, const char *node)
{
  GArray *spans = g_hash_table_lookup (self->by_name, node), *times = new_times ();
  if (g_strcmp0 (node, self->node) == 0)
    g_array_append_vals (times, self->times->data, self->times->len);
  else if (self->is_wide)
    for (guint i = 0; spans != NULL && i < spans->len; i++)
      {
        SluiceTraceSpan span;
        sluice_trace_view_get_span (self->view, g_array_index (spans, guint64, i), &span);
        if (span.kind != SLUICE_SPAN_WAIT && span.step != 0)
          add_time (times, span.step, span.end - span.start);
      }
  return times;
}
