/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/run-facts.h"

#include <math.h>

#include "app/runs/run-settings.h"
#include "engine/store/kinds/hparams.h"
#include "tests/remove-tree.h"

typedef struct
{
  const char *name, *project;
  double rate, batch;
} Row;

typedef struct
{
  char *folder;
  SluiceStore *store;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  f->folder = g_dir_make_tmp ("sluice-facts-XXXXXX", NULL);
  f->store = sluice_store_open (f->folder, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_clear_object (&f->store);
  remove_tree (f->folder);
  g_free (f->folder);
}

/* In memory: the store of another test would have to hold them. */
static void
add_points (SluiceRun *run, SluiceStore *store, const char *tag, const double *values, guint n)
{
  const SluiceSeriesInfo info = {
    .id = 1, .run = 1, .tag = (char *) tag, .kind = SLUICE_SERIES_SCALAR
  };
  SluiceRunSeries *series = sluice_run_ensure_series (run, store, &info);
  sluice_series_buffer_unref (series->buffer);
  series->buffer = sluice_series_buffer_new ();
  for (guint i = 0; i < n; i++)
    sluice_series_buffer_append (series->buffer, 10 * (i + 1), 1000 + i, values[i]);
}

static SluiceRun *
new_run (gint64 id, const Row *row)
{
  const SluiceRunInfo info = { .id = id,
                               .name = (char *) row->name,
                               .project = (char *) row->project,
                               .state = SLUICE_RUN_STOPPED,
                               .step = 30,
                               .created = 900,
                               .seconds = 12.5 };
  const SluiceSeriesInfo series = {
    .id = id, .run = id, .tag = SLUICE_HPARAMS_START_TAG, .kind = SLUICE_SERIES_HPARAMS
  };
  const SluiceHparam settings[] = { { "batch", row->batch },
                                    { "rate", row->rate },
                                    { "seed", id } };
  SluiceRun *run = sluice_run_new (&info);
  g_ptr_array_add (sluice_run_ensure_series (run, NULL, &series)->items,
                   sluice_hparams_new_start (0, 1, settings, G_N_ELEMENTS (settings)));
  return run;
}

static GListModel *
new_runs (void)
{
  static const Row rows[] = {
    { "third", "mlp", 0.3, 16 },
    { "second", "mlp", 0.1, 16 },
    { "first", "mlp", 0.1, 16 },
    { "of another", "lenet", 7, 8 },
  };
  GListStore *runs = g_list_store_new (SLUICE_TYPE_RUN);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (SluiceRun) run = new_run (i + 1, &rows[i]);
      g_list_store_append (runs, run);
    }
  return G_LIST_MODEL (runs);
}

static void
test_settings (void)
{
  g_autoptr (GListModel) runs = new_runs ();
  g_autoptr (SluiceRun) run = g_list_model_get_item (runs, 2);
  g_autoptr (SluiceRunFacts) facts = sluice_run_facts_new (run, runs);
  g_assert_cmpstr (facts->name, ==, "first");
  g_assert_cmpstr (facts->project, ==, "mlp");
  g_assert_cmpstr (facts->status, ==, "stopped · resumable");
  g_assert_cmpint (facts->step, ==, 30);
  g_assert_cmpfloat (facts->started, ==, 900);
  g_assert_cmpfloat (facts->seconds_active, ==, 12.5);
  g_assert_cmpuint (facts->settings->len, ==, 3);
  g_assert_cmpuint (facts->n_differing, ==, 2); /* the rate and the seed; other projects' do not */
  const SluiceSettingFacts *rate = facts->settings->pdata[0], *batch = facts->settings->pdata[2];
  g_assert_cmpstr (rate->name, ==, "rate");
  g_assert_cmpstr (rate->value, ==, "0.1");
  g_assert_cmpstr (rate->others, ==, "0.3");
  g_assert_cmpstr (batch->name, ==, "batch");
  g_assert_null (batch->others);

  g_autoptr (GPtrArray) three = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < 3; i++)
    g_ptr_array_add (three, g_list_model_get_item (runs, i));
  g_autoptr (GHashTable) differing = sluice_runs_find_differing (three);
  g_assert_cmpuint (g_hash_table_size (differing), ==, 2);
  g_autofree char *own = sluice_run_dup_own_settings (run, differing, 3);
  g_autofree char *nothing = sluice_run_dup_own_settings (run, differing, 0);
  g_assert_cmpstr (own, ==, "rate 0.1"); /* without the seed */
  g_assert_cmpstr (nothing, ==, "");
}

static void
test_tags (Fixture *f, gconstpointer data)
{
  static const double losses[] = { 2, 0.5, NAN, 0.75 }, none[] = { NAN, NAN },
                      accuracies[] = { 0.5, 0.9, 0.8 };
  g_autoptr (GListModel) runs = new_runs ();
  g_autoptr (SluiceRun) run = g_list_model_get_item (runs, 0);
  g_autoptr (SluiceRun) other = g_list_model_get_item (runs, 1);
  add_points (run, f->store, "extra", none, 2);
  add_points (run, f->store, "loss", losses, 4);
  add_points (run, f->store, "evaluate/accuracy", accuracies, 3);
  add_points (run, f->store, "not read", none, 0);
  add_points (other, f->store, "loss", losses, 1);
  g_autoptr (SluiceRunFacts) facts = sluice_run_facts_new (run, runs);
  g_assert_cmpuint (facts->tags->len, ==, 3);
  g_assert_cmpuint (facts->n_other_tags, ==, 1);
  const SluiceTagFacts *accuracy = facts->tags->pdata[0], *loss = facts->tags->pdata[1];
  const SluiceTagFacts *nan = facts->tags->pdata[2];
  g_assert_cmpstr (accuracy->tag, ==, "evaluate/accuracy");
  g_assert_cmpint (accuracy->unit, ==, SLUICE_UNIT_PERCENT);
  g_assert_cmpfloat (accuracy->first, ==, 0.5);
  g_assert_cmpfloat (accuracy->last, ==, 0.8);
  g_assert_cmpfloat (accuracy->best, ==, 0.9);
  g_assert_cmpfloat (loss->best, ==, 0.5);
  g_assert_cmpint (loss->first_step, ==, 10);
  g_assert_cmpint (loss->last_step, ==, 40);
  g_assert_cmpuint (loss->n_points, ==, 4);
  g_assert_cmpint (nan->better, ==, SLUICE_BEST_UNKNOWN);
  g_assert_cmpfloat (sluice_run_get_last_value (run, "loss"), ==, 0.75);
  g_assert_true (isnan (sluice_run_get_last_value (run, "not read")));
  g_assert_true (isnan (nan->best) && isnan (nan->least) && isnan (nan->last));

  g_autoptr (SluiceTagFacts) one = sluice_tag_facts_new (run, "loss");
  g_assert_cmpstr (one->tag, ==, "loss");
  g_assert_cmpfloat (one->best, ==, 0.5);
  g_assert_cmpint (one->best_step, ==, 20);
  g_assert_cmpuint (one->n_non_finite, ==, 1);
  g_assert_cmpfloat (one->seconds, ==, 3);
  g_autoptr (SluiceTagFacts) bad = sluice_tag_facts_new (run, nan->tag);
  g_assert_cmpuint (bad->n_non_finite, ==, bad->n_points);
  g_assert_null (sluice_tag_facts_new (run, "no such tag"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/runs/facts/settings", test_settings);
  g_test_add ("/runs/facts/tags", Fixture, NULL, set_up, test_tags, tear_down);
  return g_test_run ();
}
