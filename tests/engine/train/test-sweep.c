/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/train/sweep.h"
#include "kernels/registry.h"
#include "tests/engine/train/trained.h"

/* All trials, "a=1 b=x" each, with '|' between. (transfer full) */
static char *
dup_text (GPtrArray *trials)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < trials->len; i++)
    {
      g_autofree char *trial = g_strjoinv (" ", trials->pdata[i]);
      g_string_append_printf (text, "%s%s", i > 0 ? "|" : "", trial);
    }
  return g_string_free (text, FALSE);
}

static GPtrArray *
parse (const char *const *words)
{
  GPtrArray *axes = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_sweep_axis_free);
  for (guint i = 0; words[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      SluiceSweepAxis *axis = sluice_sweep_axis_parse (words[i], &error);
      g_assert_no_error (error);
      g_ptr_array_add (axes, axis);
    }
  return axes;
}

static char *
plan (const char *const *words, const SluiceSweepPlan *plan)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) axes = parse (words);
  g_autoptr (GPtrArray) trials = sluice_sweep_dup_trials (axes, plan, &error);
  g_assert_no_error (error);
  return dup_text (trials);
}

static void
test_grid (void)
{
  static const char *const lists[] = { "a=1,2", "b=x,y,z", NULL };
  static const char *const ranges[] = { "r=0.1..0.5/5", NULL };
  static const char *const logs[] = { "r=0.001..10/5:log", NULL };
  static const char *const signs[] = { "r=-1e0..1/3", NULL };
  const SluiceSweepPlan all = { .seed = 1 };
  g_autofree char *a = plan (lists, &all);
  g_assert_cmpstr (a, ==, "a=1 b=x|a=1 b=y|a=1 b=z|a=2 b=x|a=2 b=y|a=2 b=z");
  g_autofree char *b = plan (ranges, &all);
  g_assert_cmpstr (b, ==, "r=0.1|r=0.2|r=0.3|r=0.4|r=0.5");
  g_autofree char *c = plan (logs, &all);
  g_assert_cmpstr (c, ==, "r=0.001|r=0.01|r=0.1|r=1|r=10");
  g_autofree char *d = plan (signs, &all);
  g_assert_cmpstr (d, ==, "r=-1|r=0|r=1");
}

/* What only looks like a range is a list. */
static void
test_paths (void)
{
  static const char *const words[] = { "train-x=../a.csv,../b..c", NULL };
  const SluiceSweepPlan all = { .seed = 1 };
  g_autofree char *text = plan (words, &all);
  g_assert_cmpstr (text, ==, "train-x=../a.csv|train-x=../b..c");
}

static void
test_lot (void)
{
  static const char *const words[] = { "a=1..100/100", "b=1..100/100", "c=1..100/100", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) axes = parse (words);
  SluiceSweepPlan lot = { .seed = 7 };
  g_assert_null (sluice_sweep_dup_trials (axes, &lot, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "1000000"));
  lot.n_trials = 500;
  g_autofree char *once = plan (words, &lot), *again = plan (words, &lot);
  g_assert_cmpstr (once, ==, again);
  lot.seed = 8;
  g_autofree char *other = plan (words, &lot);
  g_assert_cmpstr (once, !=, other);
  g_auto (GStrv) parts = g_strsplit (once, "|", -1);
  g_autoptr (GHashTable) different = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; parts[i] != NULL; i++)
    g_hash_table_add (different, parts[i]);
  g_assert_cmpuint (g_hash_table_size (different), ==, 500);
}

static void
test_random (void)
{
  static const char *const words[] = { "a=0.001..0.1:log", "b=x,y", "c=2..3", NULL };
  SluiceSweepPlan lot = { .method = SLUICE_SWEEP_RANDOM, .n_trials = 2000, .seed = 3 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) axes = parse (words);
  g_autoptr (GPtrArray) trials = sluice_sweep_dup_trials (axes, &lot, &error);
  guint n_low = 0, n_x = 0;
  for (guint i = 0; i < trials->len; i++)
    {
      char **trial = trials->pdata[i];
      double a = g_ascii_strtod (trial[0] + 2, NULL), c = g_ascii_strtod (trial[2] + 2, NULL);
      g_assert_true (a >= 0.001 && a <= 0.1 && c >= 2 && c <= 3);
      n_low += a < 0.01;
      n_x += strcmp (trial[1], "b=x") == 0;
    }
  /* Half of them on either side of the geometric middle: five standard deviations are 112. */
  g_assert_cmpint (ABS ((int) n_low - 1000), <, 112);
  g_assert_cmpint (ABS ((int) n_x - 1000), <, 112);
  lot.n_trials = 2; /* the first ones stay what they were */
  g_autoptr (GPtrArray) fewer = sluice_sweep_dup_trials (axes, &lot, &error);
  for (guint i = 0; i < fewer->len; i++)
    g_assert_cmpstrv ((char **) fewer->pdata[i], (char **) trials->pdata[i]);
  lot.n_trials = 0;
  g_assert_null (sluice_sweep_dup_trials (axes, &lot, &error));
  g_assert_nonnull (strstr (error->message, "--trials"));
}

static void
test_refused (void)
{
  static const struct
  {
    const char *text, *part;
  } bad[] = {
    { "a", "at character 2" },
    { "=1", "at character 1" },
    { "a=", "at character 3" },
    { "a=1,,2", "at character 5" },
    { "a=1,2,1", "at character 7: this value is there twice" },
    { "a=1..", "at character 6" },
    { "a=1..x", "at character 6" },
    { "ä=1..x", "at character 6" },
    { "a=2..1", "at character 6: must be greater" },
    { "a=1..1", "must be greater" },
    { "a=1..2/1", "at character 8" },
    { "a=1..2/10001", "at character 8" },
    { "a=1..2/x:log", "at character 8" },
    { "a=0..1:log", "at character 3: must be above 0" },
    { "a=-1e308..1e308", "too far" },
    { "a=1..inf", "a number is wanted" },
    { "a=\xff", "UTF-8" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (sluice_sweep_axis_parse (bad[i].text, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
      if (strstr (error->message, bad[i].part) == NULL)
        g_error ("'%s': %s", bad[i].text, error->message);
    }
}

static void
test_twice (void)
{
  static const char *const words[] = { "a=1,2", "a=3", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) axes = parse (words);
  const SluiceSweepPlan all = { .seed = 1 };
  g_assert_null (sluice_sweep_dup_trials (axes, &all, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
}

/* Settings of whole numbers get whole numbers, each once; those of others stay as they are. */
static void
test_settings (Fixture *f, gconstpointer unused)
{
  static const struct
  {
    const char *text, *values; /* NULL: refused */
  } cases[] = {
    { "batch=1..4/7", "batch=1|batch=2|batch=3|batch=4" },
    { "batch=8..64/4:log", "batch=8|batch=16|batch=32|batch=64" },
    { "scale=0..1/3", "scale=0|scale=0.5|scale=1" },
    { "batch=0..3/4", NULL },
    { "batch=1,x", NULL },
    { "bacth=1,2", NULL },
    { "shuffle=0..1/2", NULL },
    { "shuffle=true,false", "shuffle=true|shuffle=false" },
  };
  const SluiceSweepPlan all = { .seed = 1 };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      const char *words[] = { cases[i].text, NULL };
      g_autoptr (SluiceProject) scratch = load_project (f->folder.path, NULL);
      g_autoptr (GPtrArray) axes = parse (words);
      g_assert_true (sluice_sweep_axis_check (axes->pdata[0], scratch, &error)
                     == (cases[i].values != NULL));
      g_assert_true ((error == NULL) == (cases[i].values != NULL));
      if (cases[i].values == NULL)
        continue;
      g_autoptr (GPtrArray) trials = sluice_sweep_dup_trials (axes, &all, &error);
      g_autofree char *text = dup_text (trials);
      g_assert_cmpstr (text, ==, cases[i].values);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add_func ("/train/sweep/grid", test_grid);
  g_test_add_func ("/train/sweep/paths", test_paths);
  g_test_add_func ("/train/sweep/lot", test_lot);
  g_test_add_func ("/train/sweep/random", test_random);
  g_test_add_func ("/train/sweep/refused", test_refused);
  g_test_add_func ("/train/sweep/twice", test_twice);
  g_test_add ("/train/sweep/settings", Fixture, NULL, set_up, test_settings, tear_down);
  return g_test_run ();
}
