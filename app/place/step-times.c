/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/place/step-times.h"

#include <math.h>
#include <stdlib.h>

#include "app/timeline/step-record.h"

#define N_FEW 10 /* steps, of which no spread is told */

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

SluiceStepTimes
sluice_step_times_sum_up (const GArray *steps)
{
  g_autofree double *us = g_new (double, steps->len + 1);
  SluiceStepTimes times = { .plus_minus = INFINITY };
  for (guint i = 0; i + 1 < steps->len; i++) /* the last one may be under way */
    {
      const SluiceTraceStep *step = &g_array_index (steps, SluiceTraceStep, i);
      us[times.n++] = (double) (step->end - step->start) / 1000;
    }
  if (times.n == 0)
    return times;
  qsort (us, times.n, sizeof *us, compare);
  times.us = us[times.n / 2];
  if (times.n >= N_FEW)
    times.plus_minus =
        MAX (us[(times.n - 1) * 95 / 100] - times.us, times.us - us[(times.n - 1) * 5 / 100]);
  return times;
}

static void
measure (GTask *task, gpointer session, gpointer data, GCancellable *cancellable)
{
  SluiceStepRecord *record = sluice_step_record_new (session);
  SluiceStepTimes times = { 0 };
  if (sluice_step_record_read (record))
    {
      g_autoptr (SluiceStepPicture) picture = sluice_step_record_make (record, FALSE, FALSE, NULL);
      times = sluice_step_times_sum_up (picture->steps);
    }
  sluice_step_record_unref (record);
  g_task_return_pointer (task, g_memdup2 (&times, sizeof times), g_free);
}

void
sluice_step_times_begin (SluiceSession *session, GAsyncReadyCallback done, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (session, NULL, done, data);
  g_task_run_in_thread (task, measure);
}

SluiceStepTimes
sluice_step_times_finish (GAsyncResult *result)
{
  g_autofree SluiceStepTimes *times = g_task_propagate_pointer (G_TASK (result), NULL);
  return *times;
}
