/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What steps lose beside the one that stands for all: those that take much longer, what is done
 * between them; and what can be said of a trace that knows no steps. */
#include <glib/gi18n-lib.h>
#include <inttypes.h>

#include "engine/trace/bottleneck-private.h"

#define STRAGGLER_TIMES 2 /* medians */

/* ---- steps that take longer ---- */

typedef struct
{
  const SluiceTraceView *view;
  guint64 step;
  GHashTable *times; /* name -> gint64 */
  GHashTable *spans; /* name -> guint64: the longest */
} Sums;

static void
sum_span (const SluiceTracePiece *piece, gpointer data)
{
  Sums *sums = data;
  SluiceTraceSpan span, longest;
  sluice_trace_view_get_span (sums->view, piece->span, &span);
  if (span.step != sums->step || span.kind == SLUICE_SPAN_LOCK)
    return;
  gint64 *time = g_hash_table_lookup (sums->times, span.name);
  if (time == NULL)
    {
      time = g_new0 (gint64, 1);
      g_hash_table_insert (sums->times, (gpointer) span.name, time);
    }
  *time += span.end - span.start;
  guint64 *before = g_hash_table_lookup (sums->spans, span.name);
  if (before != NULL)
    sluice_trace_view_get_span (sums->view, *before, &longest);
  if (before == NULL || longest.end - longest.start < span.end - span.start)
    g_hash_table_insert (sums->spans, (gpointer) span.name,
                         g_memdup2 (&piece->span, sizeof piece->span));
}

static void
sums_init (Sums *self, const SluiceTraceView *view, const SluiceTraceStep *step)
{
  *self = (Sums){ view, step->step, g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free),
                  g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free) };
  for (guint lane = 0; lane < sluice_trace_view_get_n_lanes (view); lane++)
    for (guint row = 0; row < sluice_trace_view_get_lane (view, lane)->n_rows; row++)
      sluice_trace_view_each_piece (view, lane, row, step->start - 1, step->end + 1, 0, sum_span,
                                    self);
}

static void
sums_clear (Sums *self)
{
  g_hash_table_unref (self->times);
  g_hash_table_unref (self->spans);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sums, sums_clear)

/* What took more than it usually does by most; usual: (out): what it usually takes */
static guint64
find_grown (const SluiceBottlenecks *self, const SluiceTraceStep *slow, gint64 *took, gint64 *usual)
{
  g_auto (Sums) now = { 0 };
  g_auto (Sums) before = { 0 };
  sums_init (&now, self->source->view, slow);
  sums_init (&before, self->source->view, self->typical);
  GHashTableIter iter;
  gpointer name, time;
  guint64 grown = SLUICE_SPAN_NONE;
  gint64 most = 0;
  g_hash_table_iter_init (&iter, now.times);
  while (g_hash_table_iter_next (&iter, &name, &time))
    {
      const gint64 *old = g_hash_table_lookup (before.times, name);
      gint64 more = *(gint64 *) time - (old != NULL ? *old : 0);
      if (more <= most)
        continue;
      most = more;
      *took = *(gint64 *) time;
      *usual = old != NULL ? *old : 0;
      grown = *(guint64 *) g_hash_table_lookup (now.spans, name);
    }
  return grown;
}

static void
say_straggler (SluiceBottleneck *one,
               const SluiceTraceStep *worst,
               guint n,
               double times,
               guint of,
               gint64 took,
               gint64 usual)
{
  g_autofree char *excess = sluice_bottleneck_dup_time (one->cost);
  g_autofree char *now = sluice_bottleneck_dup_time (took);
  g_autofree char *before = sluice_bottleneck_dup_time (usual);
  one->words = g_strdup_printf (
      g_dngettext (GETTEXT_PACKAGE,
                   "Straggler: %u of %u steps takes more than twice the median, step %" PRIu64
                   " %.1f × it: %.0f %% of all time (%s a step).",
                   "Stragglers: %u of %u steps take more than twice the median, step %" PRIu64
                   " %.1f × it: %.0f %% of all time (%s a step).",
                   n),
      n, of, worst->step, times, 100 * one->share, excess);
  one->remedy =
      one->node != NULL
          ? g_strdup_printf (_ ("See what %s did there: it took %s, and takes %s in a usual step. "
                                "Without them there would be %.2f × the steps."),
                             one->node, now, before, 1 / MAX (1 - one->share, 0.001))
          : g_strdup_printf (_ ("Nothing that ran took longer: see what else the machine did. "
                                "Without them there would be %.2f × the steps."),
                             1 / MAX (1 - one->share, 0.001));
}

static void
look_at_stragglers (SluiceBottlenecks *self)
{
  gint64 usual = MAX (self->typical->end - self->typical->start, 1), excess = 0, all = 0;
  const SluiceTraceStep *worst = NULL;
  guint n = 0;
  for (guint i = 0; i < self->n_steps; i++)
    {
      gint64 took = self->steps[i].end - self->steps[i].start;
      all += took + self->between;
      if (took <= STRAGGLER_TIMES * usual)
        continue;
      n++;
      excess += took - usual;
      if (worst == NULL || took > worst->end - worst->start)
        worst = &self->steps[i];
    }
  /* Where half of the steps are slow, slow is what is usual. */
  if (self->n_steps < 3 || n == 0 || n > self->n_steps / 3)
    return;
  SluiceBottleneck *one = sluice_bottlenecks_add (self, SLUICE_BOTTLENECK_STRAGGLER);
  gint64 took = 0, before = 0;
  one->cost = one->gain = excess / self->n_steps;
  one->share = one->weight = (double) excess / (double) MAX (all, 1);
  sluice_bottlenecks_show_span (self, one, find_grown (self, worst, &took, &before));
  if (one->span == SLUICE_SPAN_NONE)
    {
      one->start = worst->start;
      one->end = worst->end;
    }
  one->step = worst->step;
  say_straggler (one, worst, n, (double) (worst->end - worst->start) / (double) usual,
                 self->n_steps, took, before);
}

/* ---- between steps ---- */

static void
look_at_host (SluiceBottlenecks *self)
{
  gint64 log = self->works[SLUICE_GAP_LOG], save = self->works[SLUICE_GAP_SAVE];
  double period = (double) sluice_bottlenecks_get_period (self);
  if (log + save <= 0)
    return;
  SluiceBottleneck *one = sluice_bottlenecks_add (self, SLUICE_BOTTLENECK_HOST);
  one->cost = one->gain = log + save;
  one->share = one->weight = (double) one->cost / period;
  one->step = self->typical->step;
  g_autofree char *time = sluice_bottleneck_dup_time (one->cost);
  one->words = g_strdup_printf (
      _ ("Between steps: %.0f %% of the time (%s a step) results (%.0f %%) and checkpoints "
         "(%.0f %%) are written."),
      100 * one->share, time, 100 * (double) log / period, 100 * (double) save / period);
  one->remedy = g_strdup_printf (_ ("Write fewer of them: without any there would be %.2f × the "
                                    "steps."),
                                 period / MAX (period - (double) one->cost, period / 1000));
}

void
sluice_bottlenecks_look_at_steps (SluiceBottlenecks *self)
{
  look_at_stragglers (self);
  look_at_host (self);
}

/* ---- without steps ---- */

typedef struct
{
  gint64 start, end;
  guint64 span;
  gint64 within; /* of what began in it */
} Nested;

static void
collect_nested (const SluiceTracePiece *piece, gpointer data)
{
  const Nested one = { piece->start, piece->end, piece->span, 0 };
  g_array_append_val ((GArray *) data, one);
}

static int
compare_nested (gconstpointer a, gconstpointer b)
{
  const Nested *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->end > y->end ? -1 : x->end < y->end;
}

/* Own time of what ran on a lane, by name: without what ran within it. */
static void
sum_lane (const SluiceTraceView *view, guint lane, GHashTable *times, GHashTable *spans)
{
  gint64 begin, end;
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Nested));
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint));
  sluice_trace_view_get_extent (view, &begin, &end);
  for (guint row = 0; row < sluice_trace_view_get_lane (view, lane)->n_rows; row++)
    sluice_trace_view_each_piece (view, lane, row, begin - 1, end + 1, 0, collect_nested, all);
  g_array_sort (all, compare_nested);
  Nested *nested = (Nested *) all->data;
  for (guint i = 0; i < all->len; i++)
    {
      while (open->len > 0
             && nested[g_array_index (open, guint, open->len - 1)].end <= nested[i].start)
        g_array_set_size (open, open->len - 1);
      if (open->len > 0)
        nested[g_array_index (open, guint, open->len - 1)].within +=
            nested[i].end - nested[i].start;
      g_array_append_val (open, i);
    }
  for (guint i = 0; i < all->len; i++)
    {
      SluiceTraceSpan span;
      sluice_trace_view_get_span (view, nested[i].span, &span);
      gint64 *time = g_hash_table_lookup (times, span.name);
      gint64 own = nested[i].end - nested[i].start - nested[i].within;
      if (time == NULL)
        {
          time = g_new0 (gint64, 1);
          g_hash_table_insert (times, (gpointer) span.name, time);
          g_hash_table_insert (spans, (gpointer) span.name,
                               g_memdup2 (&nested[i].span, sizeof nested[i].span));
        }
      *time += MAX (own, 0);
    }
}

static guint
find_busiest (const SluiceTraceView *view)
{
  guint busiest = SLUICE_LANE_NONE;
  for (guint i = 0; i < sluice_trace_view_get_n_lanes (view); i++)
    {
      const SluiceTraceLane *lane = sluice_trace_view_get_lane (view, i);
      if (lane->kind != SLUICE_LANE_WAIT
          && (busiest == SLUICE_LANE_NONE
              || lane->busy > sluice_trace_view_get_lane (view, busiest)->busy))
        busiest = i;
    }
  return busiest;
}

/* Of the lane that works most: what it does, and how much it does not. */
void
sluice_bottlenecks_look_at_lanes (SluiceBottlenecks *self)
{
  const SluiceTraceView *view = self->source->view;
  guint busiest = find_busiest (view);
  gint64 begin, end, most = 0;
  sluice_trace_view_get_extent (view, &begin, &end);
  if (busiest == SLUICE_LANE_NONE || end <= begin)
    return;
  g_autoptr (GHashTable) times = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  g_autoptr (GHashTable) spans = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  sum_lane (view, busiest, times, spans);
  GHashTableIter iter;
  gpointer name, time;
  const char *worst = NULL;
  g_hash_table_iter_init (&iter, times);
  while (g_hash_table_iter_next (&iter, &name, &time))
    if (*(gint64 *) time > most
        || (*(gint64 *) time == most && worst != NULL && g_strcmp0 (name, worst) < 0))
      {
        most = *(gint64 *) time;
        worst = name;
      }
  if (worst == NULL)
    return;
  const SluiceTraceLane *lane = sluice_trace_view_get_lane (view, busiest);
  SluiceBottleneck *one = sluice_bottlenecks_add (self, SLUICE_BOTTLENECK_SLOW_OP);
  one->cost = most;
  one->gain = most / 2;
  one->share = one->weight = (double) most / (double) (end - begin);
  sluice_bottlenecks_show_span (self, one, *(guint64 *) g_hash_table_lookup (spans, worst));
  g_autofree char *took = sluice_bottleneck_dup_time (most);
  one->words = g_strdup_printf (_ ("Slow op: %s takes %.0f %% of the time (%s) on %s of %s, which "
                                   "works %.0f %% of it."),
                                worst, 100 * one->share, took, lane->name, lane->device,
                                100 * (double) lane->busy / (double) (end - begin));
  one->remedy =
      g_strdup_printf (_ ("Twice as fast, it would save at most %.0f %%; the trace has no "
                          "steps, and does not say what waited for what."),
                       50 * one->share);
}
