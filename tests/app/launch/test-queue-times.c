/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/launch/queue-times.h"

#include <math.h>

#define NOW 1000000.0

static void
test_order (void)
{
  const SluiceQueueItem items[] = {
    { TRUE, NOW - 30, 300, 1000, 0.1, NAN },
    { FALSE, 0, 0, 500, 0.1, 0.01 },
    { FALSE, 0, 100, 300, 0.2, 0.02 },
  };
  SluiceQueueSpan spans[3];
  double spread;
  sluice_queue_times (items, 3, NOW, spans);
  g_assert_cmpfloat_with_epsilon (spans[0].start, -30, 1e-6);
  g_assert_cmpfloat_with_epsilon (spans[0].end, 70, 1e-6);
  g_assert_cmpfloat_with_epsilon (spans[0].part_done, 0.3, 1e-6);
  g_assert_cmpfloat_with_epsilon (spans[1].start, 70, 1e-6);
  g_assert_cmpfloat_with_epsilon (spans[1].end, 120, 1e-6);
  g_assert_cmpfloat_with_epsilon (spans[2].end, 160, 1e-6);
  /* 5 s and 4 s, one after the other. */
  g_assert_cmpfloat_with_epsilon (spans[2].spread, sqrt (41), 1e-6);
  g_assert_cmpfloat_with_epsilon (sluice_queue_times_get_end (spans, 3, &spread), 160, 1e-6);
  g_assert_cmpfloat_with_epsilon (spread, sqrt (41), 1e-6);
}

/* The second is to come after the fourth, which stands behind the third; the last one waits for one
 * that waits. */
static void
test_after (void)
{
  const SluiceQueueItem items[] = { { TRUE, NOW, 0, 100, 0.1, NAN, 0 },
                                    { FALSE, 0, 0, 200, 0.1, NAN, 4 },
                                    { FALSE, 0, 0, 300, 0.1, NAN, 1 },
                                    { FALSE, 0, 0, 400, 0.1, NAN, 0 },
                                    { FALSE, 0, 0, 100, 0.1, NAN, 2 } };
  static const double starts[] = { 0, 80, 10, 40, 100 };
  SluiceQueueSpan spans[5];
  sluice_queue_times (items, 5, NOW, spans);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpfloat_with_epsilon (spans[i].start, starts[i], 1e-6);
  const SluiceQueueItem circle[] = { { FALSE, 0, 0, 10, 1, NAN, 2 },
                                     { FALSE, 0, 0, 10, 1, NAN, 1 } };
  sluice_queue_times (circle, 2, NOW, spans);
  g_assert_cmpfloat_with_epsilon (spans[1].end, 20, 1e-6);
}

/* What is not known is as long as the others, and says that it is not known. */
static void
test_unknown (void)
{
  const SluiceQueueItem items[] = { { FALSE, 0, 0, 100, 0.5, NAN }, { FALSE, 0, 0, 9, NAN, NAN } };
  SluiceQueueSpan spans[2];
  sluice_queue_times (items, 2, NOW, spans);
  g_assert_true (spans[0].is_known);
  g_assert_false (spans[1].is_known);
  g_assert_cmpfloat_with_epsilon (spans[1].end - spans[1].start, 50, 1e-6);
  sluice_queue_times (items + 1, 1, NOW, spans);
  g_assert_cmpfloat (spans[0].end, >, 0);
}

/* A clock that jumped, and a run from long ago, leave the axis usable. */
static void
test_clock (void)
{
  const SluiceQueueItem items[] = { { TRUE, NOW + 500, 10, 20, 1, NAN },
                                    { TRUE, NOW - 1e6, 10, 20, 1, NAN } };
  SluiceQueueSpan spans[2];
  sluice_queue_times (items, 2, NOW, spans);
  g_assert_cmpfloat (spans[0].start, <=, 0);
  g_assert_cmpfloat (spans[1].start, >=, -10);
}

static void
test_step_time (void)
{
  const double seconds[] = { 0.1, 0.2, 0.3 };
  double spread;
  g_assert_cmpfloat_with_epsilon (sluice_queue_step_time (seconds, 3, &spread), 0.2, 1e-9);
  g_assert_cmpfloat_with_epsilon (spread, 0.1, 1e-9);
  g_assert_cmpfloat_with_epsilon (sluice_queue_step_time (seconds, 1, &spread), 0.1, 1e-9);
  g_assert_true (isnan (spread));
  g_assert_true (isnan (sluice_queue_step_time (NULL, 0, &spread)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/launch/queue-times/order", test_order);
  g_test_add_func ("/app/launch/queue-times/after", test_after);
  g_test_add_func ("/app/launch/queue-times/unknown", test_unknown);
  g_test_add_func ("/app/launch/queue-times/clock", test_clock);
  g_test_add_func ("/app/launch/queue-times/step-time", test_step_time);
  return g_test_run ();
}
