/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/pace.h"

static double clock_seconds;

static double
fake_now (void)
{
  return clock_seconds;
}

/* n steps that take so long each. */
static void
run (Pace *pace, gint64 *step, gint64 n, double seconds)
{
  for (gint64 i = 0; i < n; i++)
    {
      clock_seconds += seconds;
      pace_step (pace, ++*step);
    }
}

static void
test_steady (void)
{
  Pace pace;
  gint64 step = 0;
  double eta, margin;
  clock_seconds = 1000;
  pace_init (&pace, step, fake_now);
  pace_resume (&pace);
  pace_eta (&pace, 100, &eta, &margin);
  g_assert_cmpfloat (eta, ==, -1);
  run (&pace, &step, 200, 0.01);
  pace_eta (&pace, 300, &eta, &margin);
  g_assert_cmpfloat_with_epsilon (eta, 3, 1e-6);
  g_assert_cmpfloat_with_epsilon (margin, 0, 1e-6);
  g_assert_cmpfloat_with_epsilon (pace.rate, 100, 1e-6);
  g_assert_cmpfloat_with_epsilon (pace_seconds (&pace), 2, 1e-6);
}

/* The first steps allocate, plan and load libraries: they are no measure of those to come. */
static void
test_warm_up (void)
{
  Pace pace;
  gint64 step = 0;
  double eta, margin;
  clock_seconds = 0;
  pace_init (&pace, step, fake_now);
  pace_resume (&pace);
  run (&pace, &step, 1, 20);
  pace_eta (&pace, 1000, &eta, &margin);
  g_assert_cmpfloat (eta, ==, -1);
  run (&pace, &step, 1000, 0.001);
  pace_eta (&pace, 1000, &eta, &margin);
  g_assert_cmpfloat_with_epsilon (eta, 1, 1e-6);
  g_assert_cmpfloat_with_epsilon (margin, 0, 1e-6);
}

static void
test_spread (void)
{
  Pace pace;
  gint64 step = 0;
  double eta, margin;
  clock_seconds = 0;
  pace_init (&pace, step, fake_now);
  pace_resume (&pace);
  for (guint i = 0; i < 20; i++)
    run (&pace, &step, 1, i % 2 ? 0.3 : 0.5);
  pace_eta (&pace, 100, &eta, &margin);
  g_assert_cmpfloat (eta, >, 35);
  g_assert_cmpfloat (eta, <, 45);
  g_assert_cmpfloat (margin, >, 1);
  g_assert_cmpfloat (margin, <, 10);
  double before = margin;
  for (guint i = 0; i < 200; i++)
    run (&pace, &step, 1, i % 2 ? 0.3 : 0.5);
  pace_eta (&pace, 100, &eta, &margin);
  g_assert_cmpfloat (margin, <, before);
}

static void
test_pause (void)
{
  Pace pace;
  gint64 step = 0;
  double eta, margin;
  clock_seconds = 5;
  pace_init (&pace, step, fake_now);
  pace_resume (&pace);
  run (&pace, &step, 100, 0.01);
  pace_pause (&pace);
  clock_seconds += 3600;
  g_assert_cmpfloat_with_epsilon (pace_seconds (&pace), 1, 1e-6);
  pace_pause (&pace);
  g_assert_cmpfloat_with_epsilon (pace_seconds (&pace), 1, 1e-6);
  pace_resume (&pace);
  run (&pace, &step, 100, 0.01);
  g_assert_cmpfloat_with_epsilon (pace_seconds (&pace), 2, 1e-6);
  pace_eta (&pace, 100, &eta, &margin);
  g_assert_cmpfloat_with_epsilon (eta, 1, 1e-6);
}

/* What another program held up does not make the rest of the steps slower. */
static void
test_skip (void)
{
  Pace pace;
  gint64 step = 0;
  double eta, margin;
  clock_seconds = 5;
  pace_init (&pace, step, fake_now);
  pace_resume (&pace);
  run (&pace, &step, 100, 0.01);
  clock_seconds += 60;
  pace_skip (&pace, 60);
  run (&pace, &step, 100, 0.01);
  g_assert_cmpfloat_with_epsilon (pace_seconds (&pace), 2, 1e-6);
  pace_eta (&pace, 100, &eta, &margin);
  g_assert_cmpfloat_with_epsilon (eta, 1, 1e-6);
  g_assert_cmpfloat_with_epsilon (margin, 0, 1e-6);
  g_assert_cmpfloat_with_epsilon (pace.rate, 100, 1e-6);
}

/* Steps that another process made say nothing about this one's. */
static void
test_resumed (void)
{
  Pace pace;
  gint64 step = 9000;
  double eta, margin;
  clock_seconds = 0;
  pace_init (&pace, step, fake_now);
  pace_resume (&pace);
  run (&pace, &step, 200, 0.01);
  pace_eta (&pace, 800, &eta, &margin);
  g_assert_cmpfloat_with_epsilon (eta, 8, 1e-6);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pace/steady", test_steady);
  g_test_add_func ("/pace/warm-up", test_warm_up);
  g_test_add_func ("/pace/spread", test_spread);
  g_test_add_func ("/pace/pause", test_pause);
  g_test_add_func ("/pace/skip", test_skip);
  g_test_add_func ("/pace/resumed", test_resumed);
  return g_test_run ();
}
