/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* When the runs of a queue will run: one after the other, the first that may. Plain C. */
typedef struct
{
  gboolean is_running;
  double started; /* Unix seconds; of one that is running */
  gint64 step, n_steps;
  double step_seconds; /* NAN: nobody knows */
  double step_spread;  /* standard deviation of that; NAN: not known */
  guint after;         /* 1 and the index of the one that is to finish first; 0: none */
} SluiceQueueItem;

/* Seconds from now on. */
typedef struct
{
  double start, end;
  double spread;     /* of the end, standard deviation; NAN: not known */
  double part_done;  /* of its steps, 0 to 1 */
  gboolean is_known; /* else it has the length of the others, to be seen at all */
} SluiceQueueSpan;

/**
 * sluice_queue_times:
 * @now: Unix seconds
 * @spans: (out caller-allocates) (array length=n)
 *
 * Those that run do so beside each other; those that wait begin when all of them have ended, each
 * as soon as it is the first whose @after has.
 */
void sluice_queue_times (const SluiceQueueItem *items, guint n, double now, SluiceQueueSpan *spans);
/* When the last one ends, the longest of all; 0: there is none. spread: (out) */
double sluice_queue_times_get_end (const SluiceQueueSpan *spans, guint n, double *spread);

/**
 * sluice_queue_step_time:
 * @seconds: (array length=n): a step of other runs took
 *
 * Returns: their mean; NAN where there is none. spread: (out): NAN of less than two
 */
double sluice_queue_step_time (const double *seconds, guint n, double *spread);
