/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/scale.h"
#include "ui/chart/range-text.h"
#include "ui/chart/ticks.h"
#include "tests/remove-tree.h"

#include <locale.h>
#include <math.h>
#include <pango/pango.h>
#include <string.h>

static void
test_linear_counts (void)
{
  /* Nine ranges of ten get 4 to 6 ticks, the rest 3 or 7; all lie inside and are evenly spaced. */
  int off = 0;

  for (int i = 0; i < 4000; i++)
    {
      double range = pow (10, g_test_rand_double_range (-9, 9));
      double lo = g_test_rand_double_range (-2, 2) * range;
      SluiceTicks ticks;

      sluice_ticks (&ticks, lo, lo + range, 5, SLUICE_UNIT_NONE, FALSE);
      g_assert_cmpuint (ticks.n, >=, 3);
      g_assert_cmpuint (ticks.n, <=, 7);
      off += ticks.n < 4 || ticks.n > 6;
      for (guint k = 0; k < ticks.n; k++)
        {
          g_assert_cmpfloat (ticks.values[k], >=, lo);
          g_assert_cmpfloat (ticks.values[k], <=, lo + range);
          if (k > 0)
            g_assert_cmpfloat_with_epsilon (ticks.values[k] - ticks.values[k - 1], ticks.step,
                                            1e-6 * ticks.step);
        }
    }
  g_assert_cmpint (off, <, 4000 / 8);
}

static void
test_linear_known (void)
{
  SluiceTicks ticks;

  sluice_ticks (&ticks, 0, 1.2, 4, SLUICE_UNIT_NONE, FALSE);
  g_assert_cmpuint (ticks.n, ==, 5);
  g_assert_cmpfloat (ticks.step, ==, 0.25);
  sluice_ticks (&ticks, 0, 2000, 5, SLUICE_UNIT_NONE, FALSE);
  g_assert_cmpuint (ticks.n, ==, 5);
  g_assert_cmpfloat (ticks.values[4], ==, 2000);
  sluice_ticks (&ticks, 0, 3600, 5, SLUICE_UNIT_SECONDS, FALSE);
  g_assert_cmpfloat (ticks.step, ==, 600);
  sluice_ticks (&ticks, 1, 1, 5, SLUICE_UNIT_NONE, FALSE);
  g_assert_cmpuint (ticks.n, ==, 0);
  sluice_ticks (&ticks, 0, INFINITY, 5, SLUICE_UNIT_NONE, FALSE);
  g_assert_cmpuint (ticks.n, ==, 0);
  /* One unit in the last place: it must end, and stay inside. */
  sluice_ticks (&ticks, 1e16, nextafter (1e16, INFINITY), 5, SLUICE_UNIT_NONE, FALSE);
  g_assert_cmpuint (ticks.n, <=, SLUICE_TICKS_MAX);
}

static void
test_steps (void)
{
  for (double range = 1; range < 40; range++)
    {
      SluiceTicks ticks;

      sluice_ticks (&ticks, 3, 3 + range, 5, SLUICE_UNIT_STEPS, FALSE);
      g_assert_cmpuint (ticks.n, >=, 2);
      for (guint i = 0; i < ticks.n; i++)
        g_assert_cmpfloat (ticks.values[i], ==, round (ticks.values[i]));
    }
}

static void
test_log (void)
{
  SluiceTicks ticks;

  sluice_ticks (&ticks, 1e-4, 10, 5, SLUICE_UNIT_NONE, TRUE);
  g_assert_cmpuint (ticks.n, ==, 6);
  g_assert_cmpfloat_with_epsilon (ticks.values[0], 1e-4, 1e-12);
  g_assert_cmpfloat_with_epsilon (ticks.values[5], 10, 1e-9);
  sluice_ticks (&ticks, 0.9, 60, 5, SLUICE_UNIT_NONE, TRUE);
  g_assert_cmpuint (ticks.n, ==, 6); /* 1 2 5 10 20 50 */
  g_assert_cmpfloat_with_epsilon (ticks.values[2], 5, 1e-9);
  sluice_ticks (&ticks, 1e-300, 1e300, 5, SLUICE_UNIT_NONE, TRUE);
  g_assert_cmpuint (ticks.n, >=, 4);
  g_assert_cmpuint (ticks.n, <=, 7);
}

typedef struct
{
  double value, step;
  SluiceUnit unit;
  const char *expected;
} FormatCase;

static void
test_format_tick (void)
{
  static const FormatCase cases[] = {
    { 0, 0.2, SLUICE_UNIT_NONE, "0" },
    { 0.4, 0.4, SLUICE_UNIT_NONE, "0.4" },
    { 0.4 * 3, 0.4, SLUICE_UNIT_NONE, "1.2" },
    { 0.25, 0.25, SLUICE_UNIT_NONE, "0.25" },
    { 1, 0.25, SLUICE_UNIT_NONE, "1.00" },
    { -0.2, 0.1, SLUICE_UNIT_NONE,
      "\xe2\x88\x92"
      "0.2" },
    { -1e-17, 0.1, SLUICE_UNIT_NONE, "0.0" },
    { 1500, 500, SLUICE_UNIT_NONE,
      "1\xe2\x80\xaf"
      "500" },
    { 1234567, 1, SLUICE_UNIT_NONE,
      "1\xe2\x80\xaf"
      "234\xe2\x80\xaf"
      "567" },
    { 2e7, 1e7, SLUICE_UNIT_NONE, "2e7" },
    { 1e7, 5e6, SLUICE_UNIT_STEPS,
      "10\xe2\x80\xaf"
      "000\xe2\x80\xaf"
      "000" },
    { 1.25e8, 2.5e7, SLUICE_UNIT_NONE, "1.25e8" },
    { 3e-6, 1e-6, SLUICE_UNIT_NONE,
      "3e\xe2\x88\x92"
      "6" },
    { 0.9, 0.1, SLUICE_UNIT_PERCENT, "90\xe2\x80\xaf%" },
    { 0.975, 0.025, SLUICE_UNIT_PERCENT, "97.5\xe2\x80\xaf%" },
    { 38e6, 1e6, SLUICE_UNIT_BYTES, "38\xe2\x80\xafMB" },
    { 1200, 600, SLUICE_UNIT_SECONDS, "20 min" },
    { 5400, 1800, SLUICE_UNIT_SECONDS, "1 h 30 min" },
    { 3, 1, SLUICE_UNIT_STEPS, "3" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = sluice_format_tick (cases[i].value, cases[i].step, cases[i].unit);

      g_assert_cmpstr (text, ==, cases[i].expected);
    }
}

static void
test_format_value (void)
{
  static const FormatCase cases[] = {
    { 0.0613, 0, SLUICE_UNIT_NONE, "0.06130" },
    { 0.06131234, 0, SLUICE_UNIT_NONE, "0.06131" },
    { 412, 0, SLUICE_UNIT_NONE, "412" },
    { 1234.56, 0, SLUICE_UNIT_NONE,
      "1\xe2\x80\xaf"
      "235" },
    { 1.5e-8, 0, SLUICE_UNIT_NONE,
      "1.5e\xe2\x88\x92"
      "8" },
    { 1e300, 0, SLUICE_UNIT_NONE, "1e300" },
    { NAN, 0, SLUICE_UNIT_PERCENT, "NaN" },
    { INFINITY, 0, SLUICE_UNIT_NONE, "∞" },
    { -INFINITY, 0, SLUICE_UNIT_BYTES, "\xe2\x88\x92∞" },
    { 0.986, 0, SLUICE_UNIT_PERCENT, "98.6\xe2\x80\xaf%" },
    { 180, 0, SLUICE_UNIT_SECONDS, "3 min 0 s" },
    { 7.25, 0, SLUICE_UNIT_SECONDS, "7.25 s" },
    { 38.2e6, 0, SLUICE_UNIT_BYTES, "38.2\xe2\x80\xafMB" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = sluice_format_value (cases[i].value, cases[i].unit);

      g_assert_cmpstr (text, ==, cases[i].expected);
    }
}

static void
test_format_exact (void)
{
  static const struct
  {
    double value;
    const char *expected;
  } cases[] = {
    { 4e6, "4\u202f000\u202f000" },
    { 1e5, "100\u202f000" },
    { 0.1, "0.1" },
    { 0.1f, "0.1" },
    { 0.0012345678, "0.0012345678" },
    { -0.1234567890123456, "−0.1234567890123456" },
    { 1e-05, "1e−5" },
    { 1.25e300, "1.25e300" },
    { -0.0, "0" },
    { NAN, "NaN" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = sluice_format_exact (cases[i].value);

      g_assert_cmpstr (text, ==, cases[i].expected);
    }
}

static void
test_scale_roundtrip (void)
{
  SluiceScale linear = { -3, 9, 400, 10, FALSE };
  SluiceScale log = { 1e-5, 1e3, 400, 10, TRUE };

  for (double p = 10; p <= 400; p += 13)
    {
      g_assert_cmpfloat_with_epsilon (
          sluice_scale_to_pixel (&linear, sluice_scale_to_data (&linear, p)), p, 1e-9);
      g_assert_cmpfloat_with_epsilon (sluice_scale_to_pixel (&log, sluice_scale_to_data (&log, p)),
                                      p, 1e-9);
    }
  g_assert_cmpfloat (sluice_scale_to_pixel (&linear, -3), ==, 400);
  g_assert_true (isnan (sluice_scale_to_pixel (&log, 0)));
  g_assert_true (isnan (sluice_scale_to_pixel (&log, -1)));
}

static void
check_domain (double lo, double hi, gboolean log, double expected_lo, double expected_hi)
{
  sluice_domain_fit (&lo, &hi, lo, log);
  g_assert_true (fabs (lo - expected_lo) <= 1e-9 * fabs (expected_lo));
  g_assert_true (fabs (hi - expected_hi) <= 1e-9 * fabs (expected_hi));
}

static void
test_domain (void)
{
  check_domain (3, 3, FALSE, 0, 6);
  check_domain (-3, -3, FALSE, -6, 0);
  check_domain (0, 0, FALSE, -1, 1);
  check_domain (NAN, NAN, FALSE, 0, 1);
  check_domain (INFINITY, -INFINITY, FALSE, 0, 1);
  check_domain (0.01, 10000, TRUE, 0.005011872336272723, 19952.62314968879);
  check_domain (0.97, 0.995, TRUE, 0.97 / pow (0.995 / 0.97, 0.05),
                0.995 * pow (0.995 / 0.97, 0.05));
  check_domain (3, 3, TRUE, 1.5, 6);
  check_domain (1e-300, 1e300, TRUE, G_MINDOUBLE, G_MAXDOUBLE);
  check_domain (NAN, -1, TRUE, 0.1, 10);
  /* Values that never are negative get no axis below zero. */
  check_domain (0.01, 1, FALSE, 0, 1);
  check_domain (-1, -0.01, FALSE, -1, 0);
  check_domain (0.05, 1.9, FALSE, 0, 2);
  check_domain (-3, 17, FALSE, -5, 20);
  for (int i = 0; i < 1000; i++)
    {
      double a = g_test_rand_double_range (-1, 1) * pow (10, g_test_rand_int_range (-300, 307));
      double b = g_test_rand_double_range (-1, 1) * pow (10, g_test_rand_int_range (-300, 307));
      double lo = MIN (a, b);
      double hi = MAX (a, b);

      sluice_domain_fit (&lo, &hi, NAN, FALSE);
      g_assert_true (isfinite (hi - lo) && lo < hi);
      g_assert_cmpfloat (lo, <=, MAX (MIN (a, b), -G_MAXDOUBLE / 8) + 1e-6 * (hi - lo));
      g_assert_cmpfloat (hi, >=, MIN (MAX (a, b), G_MAXDOUBLE / 8) - 1e-6 * (hi - lo));
    }
}

static void
test_ranges (void)
{
  static const struct
  {
    const char *text;
    SluiceUnit unit;
    double value;
  } good[] = {
    { "1500", SLUICE_UNIT_STEPS, 1500 },
    { "1\342\200\2575 00", SLUICE_UNIT_STEPS, 1500 },
    { "2.5k", SLUICE_UNIT_STEPS, 2500 },
    { "98 %", SLUICE_UNIT_PERCENT, 0.98 },
    { "98", SLUICE_UNIT_PERCENT, 0.98 },
    { "0,25", SLUICE_UNIT_NONE, 0.25 },
    { "\342\210\2221e-3", SLUICE_UNIT_NONE, -1e-3 },
    { "2 min", SLUICE_UNIT_SECONDS, 120 },
    { "250 ms", SLUICE_UNIT_SECONDS, 0.25 },
  };
  static const char *const bad[] = { "x", "1x0", "--1", "nan", "inf", "12 parsec" };
  g_autofree char *time = sluice_range_format (1.7e9, SLUICE_UNIT_TIME);
  double value;

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autofree char *text = NULL;
      double again;

      g_assert_true (sluice_range_parse (good[i].text, good[i].unit, &value));
      g_assert_cmpfloat_with_epsilon (value, good[i].value, 1e-9);
      text = sluice_range_format (value, good[i].unit);
      g_assert_true (sluice_range_parse (text, good[i].unit, &again));
      g_assert_cmpfloat_with_epsilon (value, again, 1e-9);
    }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    g_assert_false (sluice_range_parse (bad[i], SLUICE_UNIT_NONE, &value));
  g_assert_true (sluice_range_parse (" ", SLUICE_UNIT_NONE, &value));
  g_assert_true (isnan (value));
  g_assert_true (sluice_range_parse (time, SLUICE_UNIT_TIME, &value));
  g_assert_cmpfloat (value, ==, 1.7e9);
  g_assert_true (sluice_range_parse ("2026-11-24 18:30", SLUICE_UNIT_TIME, &value));
  g_assert_false (sluice_range_parse ("yesterday", SLUICE_UNIT_TIME, &value));
}

/* A German locale, made for the test: numbers have its decimal sign, and come back. */
static void
test_locale (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("sluice-XXXXXX", &error);
  g_assert_no_error (error);
  g_autofree char *name = g_build_filename (folder, "de_DE.UTF-8", NULL);
  const char *const command[] = { "localedef", "-c", "-i", "de_DE", "-f", "UTF-8", name, NULL };
  if (!g_spawn_sync (NULL, (char **) command, NULL,
                     G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL,
                     NULL, NULL, NULL, NULL, NULL, NULL))
    {
      g_test_skip ("there is no localedef");
      return;
    }
  g_setenv ("LOCPATH", folder, TRUE);
  g_assert_nonnull (setlocale (LC_NUMERIC, "de_DE.UTF-8"));
  g_autofree char *fixed = sluice_format_fixed (-1234567.25, 2);
  g_assert_cmpstr (fixed, ==, "−1\u202f234\u202f567,25");
  g_autofree char *value = sluice_format_value (0.04052, SLUICE_UNIT_NONE);
  g_assert_cmpstr (value, ==, "0,04052");
  g_autofree char *small = sluice_format_value (1.25e-9, SLUICE_UNIT_NONE);
  g_assert_cmpstr (small, ==, "1,25e−9");
  g_autofree char *typed = sluice_range_format (0.125, SLUICE_UNIT_PERCENT);
  g_assert_cmpstr (typed, ==, "12,5 %");
  double again;
  g_assert_true (sluice_range_parse (typed, SLUICE_UNIT_PERCENT, &again));
  g_assert_cmpfloat (again, ==, 0.125);
  setlocale (LC_NUMERIC, "C");
  g_unsetenv ("LOCPATH");
  remove_tree (folder);
}

static void
test_spread (void)
{
  static const struct
  {
    double value, spread;
    SluiceUnit unit;
    const char *text;
  } cases[] = {
    { 0.24218, 0.035431, SLUICE_UNIT_NONE, "0.2422 ± 0.0354" },
    { 0.18031, 0.0022123, SLUICE_UNIT_NONE, "0.1803 ± 0.0022" },
    { 0.18031, 0.0000123, SLUICE_UNIT_NONE, "0.1803 ± 1.23e−5" },
    { 12.5, 0, SLUICE_UNIT_NONE, "12.50 ± 0" },
    { 3, 0.25, SLUICE_UNIT_NONE, "3 ± 0.2500" },
    { 0.963, 0.0042, SLUICE_UNIT_PERCENT, "96.3\u202f% ± 0.42\u202f%" },
    { NAN, 1, SLUICE_UNIT_NONE, "NaN ± 1" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = sluice_format_spread (cases[i].value, cases[i].spread, cases[i].unit);

      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/chart/ticks/linear-counts", test_linear_counts);
  g_test_add_func ("/ui/chart/ticks/ranges", test_ranges);
  g_test_add_func ("/ui/chart/ticks/linear-known", test_linear_known);
  g_test_add_func ("/ui/chart/ticks/steps", test_steps);
  g_test_add_func ("/ui/chart/ticks/log", test_log);
  g_test_add_func ("/ui/chart/ticks/format-tick", test_format_tick);
  g_test_add_func ("/ui/chart/ticks/format-value", test_format_value);
  g_test_add_func ("/ui/chart/ticks/format-spread", test_spread);
  g_test_add_func ("/ui/chart/ticks/format-exact", test_format_exact);
  g_test_add_func ("/ui/chart/ticks/locale", test_locale);
  g_test_add_func ("/ui/chart/scale/roundtrip", test_scale_roundtrip);
  g_test_add_func ("/ui/chart/scale/domain", test_domain);
  return g_test_run ();
}
