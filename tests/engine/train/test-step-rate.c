/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/step-rate.h"

static double clock_seconds;

static double
fake_now (void)
{
  return clock_seconds;
}

/* n steps that take so long each. */
static void
run (SluiceStepRate *rate, gint64 *step, gint64 n, double seconds)
{
  for (gint64 i = 0; i < n; i++)
    {
      clock_seconds += seconds;
      sluice_step_rate_step (rate, ++*step);
    }
}

static void
begin (SluiceStepRate *rate, gint64 step, double now)
{
  clock_seconds = now;
  sluice_step_rate_init (rate, step, fake_now);
  sluice_step_rate_resume (rate);
}

static void
test_steady (void)
{
  SluiceStepRate rate;
  gint64 step = 0;
  double eta, margin;
  begin (&rate, step, 1000);
  sluice_step_rate_eta (&rate, 100, &eta, &margin);
  g_assert_cmpfloat (eta, ==, -1);
  run (&rate, &step, 200, 0.01);
  sluice_step_rate_eta (&rate, 300, &eta, &margin);
  g_assert_cmpfloat_with_epsilon (eta, 3, 1e-6);
  g_assert_cmpfloat_with_epsilon (margin, 0, 1e-6);
  g_assert_cmpfloat_with_epsilon (rate.recent, 100, 1e-6);
  g_assert_cmpfloat_with_epsilon (sluice_step_rate_seconds (&rate), 2, 1e-6);
}

/* The first steps allocate, plan and load libraries: they are no measure of those to come. */
static void
test_warm_up (void)
{
  SluiceStepRate rate;
  gint64 step = 0;
  double eta, margin;
  begin (&rate, step, 0);
  run (&rate, &step, 1, 20);
  sluice_step_rate_eta (&rate, 1000, &eta, &margin);
  g_assert_cmpfloat (eta, ==, -1);
  run (&rate, &step, 1000, 0.001);
  sluice_step_rate_eta (&rate, 1000, &eta, &margin);
  g_assert_cmpfloat_with_epsilon (eta, 1, 1e-6);
  g_assert_cmpfloat_with_epsilon (margin, 0, 1e-6);
}

static void
test_spread (void)
{
  SluiceStepRate rate;
  gint64 step = 0;
  double eta, margin;
  begin (&rate, step, 0);
  for (guint i = 0; i < 20; i++)
    run (&rate, &step, 1, i % 2 ? 0.3 : 0.5);
  sluice_step_rate_eta (&rate, 100, &eta, &margin);
  g_assert_cmpfloat (eta, >, 35);
  g_assert_cmpfloat (eta, <, 45);
  g_assert_cmpfloat (margin, >, 1);
  g_assert_cmpfloat (margin, <, 10);
  double before = margin;
  for (guint i = 0; i < 200; i++)
    run (&rate, &step, 1, i % 2 ? 0.3 : 0.5);
  sluice_step_rate_eta (&rate, 100, &eta, &margin);
  g_assert_cmpfloat (margin, <, before);
}

static void
test_pause (void)
{
  SluiceStepRate rate;
  gint64 step = 0;
  double eta, margin;
  begin (&rate, step, 5);
  run (&rate, &step, 100, 0.01);
  sluice_step_rate_pause (&rate);
  clock_seconds += 3600;
  g_assert_cmpfloat_with_epsilon (sluice_step_rate_seconds (&rate), 1, 1e-6);
  sluice_step_rate_pause (&rate);
  g_assert_cmpfloat_with_epsilon (sluice_step_rate_seconds (&rate), 1, 1e-6);
  sluice_step_rate_resume (&rate);
  run (&rate, &step, 100, 0.01);
  g_assert_cmpfloat_with_epsilon (sluice_step_rate_seconds (&rate), 2, 1e-6);
  sluice_step_rate_eta (&rate, 100, &eta, &margin);
  g_assert_cmpfloat_with_epsilon (eta, 1, 1e-6);
}

/* What another program held up does not make the rest of the steps slower. */
static void
test_skip (void)
{
  SluiceStepRate rate;
  gint64 step = 0;
  double eta, margin;
  begin (&rate, step, 5);
  run (&rate, &step, 100, 0.01);
  clock_seconds += 60;
  sluice_step_rate_skip (&rate, 60);
  run (&rate, &step, 100, 0.01);
  g_assert_cmpfloat_with_epsilon (sluice_step_rate_seconds (&rate), 2, 1e-6);
  sluice_step_rate_eta (&rate, 100, &eta, &margin);
  g_assert_cmpfloat_with_epsilon (eta, 1, 1e-6);
  g_assert_cmpfloat_with_epsilon (margin, 0, 1e-6);
  g_assert_cmpfloat_with_epsilon (rate.recent, 100, 1e-6);
}

/* Steps that another process made say nothing about this one's. */
static void
test_resumed (void)
{
  SluiceStepRate rate;
  gint64 step = 9000;
  double eta, margin;
  begin (&rate, step, 0);
  run (&rate, &step, 200, 0.01);
  sluice_step_rate_eta (&rate, 800, &eta, &margin);
  g_assert_cmpfloat_with_epsilon (eta, 8, 1e-6);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step-rate/steady", test_steady);
  g_test_add_func ("/step-rate/warm-up", test_warm_up);
  g_test_add_func ("/step-rate/spread", test_spread);
  g_test_add_func ("/step-rate/pause", test_pause);
  g_test_add_func ("/step-rate/skip", test_skip);
  g_test_add_func ("/step-rate/resumed", test_resumed);
  return g_test_run ();
}
