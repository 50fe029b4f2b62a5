/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/sketch.h"

#include <math.h>

static int
compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

static void
assert_quantiles (const SluiceSketch *sketch, double *samples, guint n)
{
  static const double parts[] = { 0.05, 0.5, 0.9, 0.95 };
  qsort (samples, n, sizeof *samples, compare);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      double want = samples[(guint) (parts[i] * (n - 1))];
      g_assert_cmpfloat (fabs (sluice_sketch_get (sketch, parts[i]) / want - 1), <, 0.05);
    }
}

/* Of a log-normal: most within two octaves, as times are. */
static double
draw (GRand *rand, double median)
{
  double sum = -6;
  for (int i = 0; i < 12; i++)
    sum += g_rand_double (rand);
  return median * exp (0.25 * sum);
}

static void
test_quantiles (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  static double samples[20000];
  for (double median = 50; median < 1e10; median *= 23)
    {
      SluiceSketch sketch = { 0 };
      for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
        sluice_sketch_add (&sketch, samples[i] = draw (rand, median));
      g_assert_cmpuint (sketch.n, ==, G_N_ELEMENTS (samples));
      assert_quantiles (&sketch, samples, G_N_ELEMENTS (samples));
    }
}

/* The first is a thousand times as long, and one in fifty after it. */
static void
test_disturbed (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  static double samples[5000];
  SluiceSketch sketch = { 0 };
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    sluice_sketch_add (&sketch, samples[i] = draw (rand, 7000) * (i % 50 == 0 ? 1000 : 1));
  assert_quantiles (&sketch, samples, G_N_ELEMENTS (samples));
}

static void
test_merge (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  static double samples[6000];
  SluiceSketch parts[3] = { 0 }, all = { 0 };
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    sluice_sketch_add (&parts[i % 3], samples[i] = draw (rand, 900));
  for (guint i = 0; i < 3; i++)
    sluice_sketch_merge (&all, &parts[i]);
  g_assert_cmpuint (all.n, ==, G_N_ELEMENTS (samples));
  assert_quantiles (&all, samples, G_N_ELEMENTS (samples));
  SluiceSketch empty = { 0 };
  sluice_sketch_merge (&all, &empty);
  g_assert_cmpuint (all.n, ==, G_N_ELEMENTS (samples));
}

/* What was measured lately wins, however much there was before. */
static void
test_forgets (void)
{
  SluiceSketch sketch = { 0 };
  sluice_sketch_add_times (&sketch, 100, G_MAXUINT32);
  for (guint i = 0; i < 2 * SLUICE_SKETCH_MOST; i++)
    sluice_sketch_add (&sketch, 1e6);
  g_assert_cmpuint (sketch.weight, <, SLUICE_SKETCH_MOST);
  g_assert_cmpfloat (fabs (sluice_sketch_get (&sketch, 0.5) / 1e6 - 1), <, 0.05);
}

static void
test_bounds (void)
{
  SluiceSketch sketch = { 0 };
  g_assert_true (isnan (sluice_sketch_get (&sketch, 0.5)));
  sluice_sketch_add_times (&sketch, 5, 0);
  g_assert_true (isnan (sluice_sketch_get (&sketch, 0.5)));
  static const double odd[] = { -1, 0, NAN, 0.5 };
  for (guint i = 0; i < G_N_ELEMENTS (odd); i++)
    sluice_sketch_add (&sketch, odd[i]);
  g_assert_cmpfloat (sluice_sketch_get (&sketch, 1), <=, 1.05);
  sluice_sketch_add_times (&sketch, INFINITY, 100);
  g_assert_true (isfinite (sluice_sketch_get (&sketch, 0.5)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sketch/quantiles", test_quantiles);
  g_test_add_func ("/sketch/disturbed", test_disturbed);
  g_test_add_func ("/sketch/merge", test_merge);
  g_test_add_func ("/sketch/forgets", test_forgets);
  g_test_add_func ("/sketch/bounds", test_bounds);
  return g_test_run ();
}
