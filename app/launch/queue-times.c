/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/queue-times.h"

#include <math.h>

#define UNKNOWN_SECONDS 60   /* of a run of which nothing is known, beside none that is */
#define MOST_PAST       0.25 /* of what is to come: how much of what is done is shown */

static double
get_rest (const SluiceQueueItem *item)
{
  return (double) MAX (item->n_steps - item->step, 0) * item->step_seconds;
}

/* The mean of those that are known. */
static double
guess_length (const SluiceQueueItem *items, guint n)
{
  double sum = 0;
  guint n_known = 0;
  for (guint i = 0; i < n; i++)
    if (isfinite (get_rest (&items[i])))
      {
        sum += get_rest (&items[i]);
        n_known++;
      }
  return n_known > 0 && sum > 0 ? sum / n_known : UNKNOWN_SECONDS;
}

static void
set_span (const SluiceQueueItem *item, double start, double guess, SluiceQueueSpan *span)
{
  double rest = get_rest (item);
  span->is_known = isfinite (rest);
  span->start = start;
  span->end = start + (span->is_known ? rest : guess);
  span->spread = (double) MAX (item->n_steps - item->step, 0) * item->step_spread;
  span->part_done = item->n_steps > 0 ? CLAMP ((double) item->step / item->n_steps, 0, 1) : 0;
}

/* The first that may begin, of those that are not placed yet; there is one. */
static guint
find_next (const SluiceQueueItem *items, const gboolean *placed, guint n)
{
  guint first = n;
  for (guint i = 0; i < n; i++)
    if (!placed[i])
      {
        guint after = items[i].after;
        if (after == 0 || after > n || placed[after - 1])
          return i;
        first = MIN (first, i);
      }
  return first; /* each comes after another one */
}

/* Of runs one after the other the variances add up. */
static void
place_waiting (const SluiceQueueItem *items,
               guint n,
               gboolean *placed,
               double *at,
               double guess,
               double variance,
               SluiceQueueSpan *spans)
{
  for (guint i; (i = find_next (items, placed, n)) < n; placed[i] = TRUE)
    {
      SluiceQueueSpan *span = &spans[i];
      set_span (&items[i], *at, guess, span);
      if (isfinite (span->spread))
        variance += span->spread * span->spread;
      span->spread = isfinite (span->spread) ? sqrt (variance) : NAN;
      *at = span->end;
    }
}

void
sluice_queue_times (const SluiceQueueItem *items, guint n, double now, SluiceQueueSpan *spans)
{
  g_autofree gboolean *placed = g_new0 (gboolean, n);
  double guess = guess_length (items, n), at = 0, variance = 0;
  for (guint i = 0; i < n; i++)
    if (items[i].is_running)
      {
        set_span (&items[i], 0, guess, &spans[i]);
        spans[i].start = MIN (items[i].started - now, 0);
        if (spans[i].end > at)
          variance = isfinite (spans[i].spread) ? spans[i].spread * spans[i].spread : 0;
        at = MAX (at, spans[i].end);
        placed[i] = TRUE;
      }
  place_waiting (items, n, placed, &at, guess, variance, spans);
  for (guint i = 0; i < n; i++)
    spans[i].start = MAX (spans[i].start, -MOST_PAST * MAX (at, 1));
}

double
sluice_queue_times_get_end (const SluiceQueueSpan *spans, guint n, double *spread)
{
  double end = 0;
  *spread = NAN;
  for (guint i = 0; i < n; i++)
    if (spans[i].end > end)
      {
        end = spans[i].end;
        *spread = spans[i].spread;
      }
  return end;
}

double
sluice_queue_step_time (const double *seconds, guint n, double *spread)
{
  double sum = 0, squares = 0;
  for (guint i = 0; i < n; i++)
    sum += seconds[i];
  double mean = n > 0 ? sum / n : NAN;
  for (guint i = 0; i < n; i++)
    squares += (seconds[i] - mean) * (seconds[i] - mean);
  *spread = n > 1 ? sqrt (squares / (n - 1)) : NAN;
  return mean;
}
