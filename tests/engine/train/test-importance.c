/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Shares of variance, against numbers that NumPy made of the same definition: epsilon squared of
 * ranks, and the jackknife over runs, or over a hundred parts of them. */

#include <math.h>

#include "engine/store/kinds/hparams.h"
#include "engine/train/importance.h"

static void
add_setting (SluiceRunEntry *entry, const char *name, double number, const char *text)
{
  SluiceSetting *setting = g_new0 (SluiceSetting, 1);
  *setting = (SluiceSetting){ g_strdup (name), number, g_strdup (text) };
  g_ptr_array_add (entry->settings, setting);
}

/* result: (nullable): of a run without one */
static SluiceRunEntry *
add_run (GPtrArray *entries, const char *result, double last)
{
  SluiceRunEntry *entry = g_new0 (SluiceRunEntry, 1);
  entry->info = g_new0 (SluiceRunInfo, 1);
  entry->settings = g_ptr_array_new_with_free_func (sluice_setting_free);
  entry->results = g_ptr_array_new_with_free_func (g_free);
  if (result != NULL)
    {
      SluiceRunResult *of = g_new0 (SluiceRunResult, 1);
      *of = (SluiceRunResult){ .tag = (char *) result, .last = last };
      g_ptr_array_add (entry->results, of);
    }
  g_ptr_array_add (entries, entry);
  return entry;
}

static void
entry_free (gpointer data)
{
  SluiceRunEntry *self = data;
  g_ptr_array_unref (self->settings);
  g_ptr_array_unref (self->results);
  g_free (self->info);
  g_free (self);
}

static GPtrArray *
new_entries (void)
{
  return g_ptr_array_new_with_free_func (entry_free);
}

static const SluiceSettingImportance *
find (const SluiceImportance *self, const char *name)
{
  for (guint i = 0; i < self->settings->len; i++)
    {
      const SluiceSettingImportance *setting = self->settings->pdata[i];
      if (g_strcmp0 (setting->name, name) == 0)
        return setting;
    }
  g_error ("nothing is said of %s", name);
}

static void
assert_found (const SluiceSettingImportance *self,
              guint n_values,
              guint n_levels,
              double share,
              double plus_minus,
              double correlation)
{
  g_assert_null (self->why);
  g_assert_cmpuint (self->n_values, ==, n_values);
  g_assert_cmpuint (self->n_levels, ==, n_levels);
  g_assert_cmpfloat_with_epsilon (self->share, share, 1e-12);
  g_assert_cmpfloat_with_epsilon (self->plus_minus, plus_minus, 1e-12);
  g_assert_cmpfloat_with_epsilon (self->correlation, correlation, 1e-12);
}

static void
test_grid (void)
{
  static const double rates[] = { 0.01, 0.1, 0.5 };
  static const char *const batches[] = { "16", "32", "64" };
  static const double accuracies[] = { 0.9583, 0.9583, 0.9667, 0.8472, 0.9139,
                                       0.9361, 0.0917, 0.1611, 0.0806 };
  g_autoptr (GPtrArray) entries = new_entries ();
  for (guint i = 0; i < 9; i++)
    {
      SluiceRunEntry *entry = add_run (entries, "evaluate/accuracy", accuracies[i]);
      add_setting (entry, "batch", g_ascii_strtod (batches[i % 3], NULL), NULL);
      add_setting (entry, "same", 1, NULL);
      add_setting (entry, "seed", i, NULL);
      add_setting (entry, "rate", rates[i / 3], NULL);
    }
  add_run (entries, NULL, 0);
  g_assert_cmpstr (sluice_importance_choose_result (entries), ==, "evaluate/accuracy");
  g_autoptr (SluiceImportance) self = sluice_importance_new (entries, "evaluate/accuracy");
  g_assert_cmpuint (self->n, ==, 9);
  g_assert_cmpuint (self->n_without, ==, 1);
  /* "same" is not what the run without a result has, which has none. */
  g_assert_cmpuint (self->settings->len, ==, 3);
  g_assert_true (find (self, "rate") == self->settings->pdata[0]);
  assert_found (find (self, "rate"), 3, 3, 0.876750700280112, 0.1318450003202541,
                -0.9526610232449337);
  assert_found (find (self, "batch"), 3, 3, 0, 0.7530865907177144, 0.13231403100624078);
  g_assert_nonnull (find (self, "same")->why);
  g_assert_true (isnan (find (self, "same")->share));
}

/* Numbers by lot are put into five levels. */
static void
test_lot (void)
{
  g_autoptr (GPtrArray) entries = new_entries ();
  for (guint i = 0; i < 24; i++)
    {
      double a = i * 7919 % 1000 / 1000.0, c = i * 104729 % 997 / 997.0;
      SluiceRunEntry *entry = add_run (entries, "loss", a * 2 + c * 0.3 + i * 31 % 17 / 17.0 * 0.2);
      add_setting (entry, "a", a, NULL);
      add_setting (entry, "c", c, NULL);
    }
  g_autoptr (SluiceImportance) self = sluice_importance_new (entries, "loss");
  assert_found (find (self, "a"), 24, 5, 0.9124736842105263, 0.07030687355665224,
                0.9826086956521738);
  assert_found (find (self, "c"), 24, 5, 0.15921052631578947, 0.6540819166452341,
                0.1034782608695652);
}

/* More runs than are left out one by one. */
static void
test_many (void)
{
  g_autoptr (GPtrArray) entries = new_entries ();
  for (guint i = 0; i < 250; i++)
    {
      double d = i * 7 % 3;
      SluiceRunEntry *entry = add_run (entries, "loss", d + i * 13 % 11 / 11.0 * 3);
      add_setting (entry, "d", d, NULL);
    }
  g_autoptr (SluiceImportance) self = sluice_importance_new (entries, "loss");
  assert_found (find (self, "d"), 3, 3, 0.45910139506727654, 0.08037049761922335,
                0.680630301102231);
}

/* A loss that is not finite is the worst; texts have no correlation. */
static void
test_diverged (void)
{
  static const double losses[] = { 1, 2, 1.5, NAN, INFINITY, 9 };
  g_autoptr (GPtrArray) entries = new_entries ();
  for (guint i = 0; i < 6; i++)
    add_setting (add_run (entries, "loss", losses[i]), "optimizer", NAN, i < 3 ? "adam" : "sgd");
  g_autoptr (SluiceImportance) self = sluice_importance_new (entries, "loss");
  const SluiceSettingImportance *found = find (self, "optimizer");
  g_assert_cmpuint (self->n, ==, 6);
  g_assert_cmpfloat (found->share, >, 0.6);
  g_assert_true (isnan (found->correlation));
}

static void
test_too_few (void)
{
  g_autoptr (GPtrArray) entries = new_entries ();
  for (guint i = 0; i < 4; i++)
    add_setting (add_run (entries, "loss", i), "rate", i, NULL);
  g_autoptr (SluiceImportance) self = sluice_importance_new (entries, "loss");
  g_assert_nonnull (find (self, "rate")->why);
  g_assert_true (isnan (find (self, "rate")->share));
  g_autoptr (SluiceImportance) nothing = sluice_importance_new (entries, "no such");
  g_assert_cmpuint (nothing->n, ==, 0);
  g_assert_nonnull (find (nothing, "rate")->why);
  g_autoptr (GPtrArray) none = new_entries ();
  g_autoptr (SluiceImportance) of_none = sluice_importance_new (none, "loss");
  g_assert_cmpuint (of_none->settings->len, ==, 0);
  g_assert_null (sluice_importance_choose_result (none));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/train/importance/grid", test_grid);
  g_test_add_func ("/train/importance/lot", test_lot);
  g_test_add_func ("/train/importance/many", test_many);
  g_test_add_func ("/train/importance/diverged", test_diverged);
  g_test_add_func ("/train/importance/too-few", test_too_few);
  return g_test_run ();
}
