/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/runs/seed-groups.h"

#include <math.h>

#include "engine/store/kinds/hparams.h"

typedef struct
{
  const char *name, *project, *graph;
  guint64 seed;
  double rate; /* NaN: no settings are known */
} Row;

static SluiceRun *
new_run (gint64 id, const Row *row, SluiceStore *store)
{
  const SluiceRunInfo info = { .id = id,
                               .name = (char *) row->name,
                               .project = (char *) row->project,
                               .seed = row->seed,
                               .graph_hash = (char *) row->graph };
  const SluiceSeriesInfo series = {
    .id = id, .run = id, .tag = SLUICE_HPARAMS_START_TAG, .kind = SLUICE_SERIES_HPARAMS
  };
  const SluiceHparam settings[] = { { "seed", (double) row->seed }, { "rate", row->rate } };
  SluiceRun *run = sluice_run_new (&info);
  if (!isnan (row->rate))
    g_ptr_array_add (sluice_run_ensure_series (run, store, &series)->items,
                     sluice_hparams_new_start (0, 1, settings, G_N_ELEMENTS (settings)));
  return run;
}

static void
test_groups (void)
{
  static const Row rows[] = {
    { "other-rate", "mlp", "a", 3, 0.2 }, { "mlp-3", "mlp", "a", 1, 0.1 }, /* a seed again */
    { "mlp-2", "mlp", "a", 2, 0.1 },      { "mlp", "mlp", "a", 1, 0.1 },
    { "graph", "mlp", "b", 4, 0.1 },      { "nothing known", "mlp", "a", 5, NAN },
    { "project", "lenet", "a", 6, 0.1 },
  };
  g_autoptr (GListStore) runs = g_list_store_new (SLUICE_TYPE_RUN);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (SluiceRun) run = new_run (i + 1, &rows[i], NULL);
      g_list_store_append (runs, run);
    }
  g_autoptr (GPtrArray) groups = sluice_seed_groups_new (G_LIST_MODEL (runs), FALSE);
  g_assert_cmpuint (groups->len, ==, 1);
  const SluiceSeedGroup *group = groups->pdata[0];
  g_assert_cmpuint (group->runs->len, ==, 2);
  g_assert_cmpstr (group->name, ==, "mlp");
  g_assert_cmpstr (sluice_run_get_info (group->runs->pdata[0])->name, ==, "mlp");
  g_autoptr (SluiceRun) second = g_list_model_get_item (G_LIST_MODEL (runs), 2);
  g_autoptr (SluiceRun) again = g_list_model_get_item (G_LIST_MODEL (runs), 1);
  g_assert_true (sluice_seed_groups_find (groups, second) == group);
  g_assert_null (sluice_seed_groups_find (groups, again));
  g_assert_null (sluice_seed_groups_find (NULL, second));

  g_autoptr (GPtrArray) sorted = sluice_seed_groups_sort (groups, G_LIST_MODEL (runs));
  g_assert_cmpuint (sorted->len, ==, G_N_ELEMENTS (rows));
  g_assert_cmpstr (sluice_run_get_info (sorted->pdata[2])->name, ==, "mlp-2");
  g_assert_cmpstr (sluice_run_get_info (sorted->pdata[3])->name, ==, "mlp");

  g_autoptr (GPtrArray) same = sluice_seed_groups_new (G_LIST_MODEL (runs), FALSE);
  g_assert_true (sluice_seed_groups_equal (groups, same));
  sluice_run_set_shown (second, FALSE); /* the one of the same seed is not its like */
  g_autoptr (GPtrArray) fewer = sluice_seed_groups_new (G_LIST_MODEL (runs), FALSE);
  g_autoptr (GPtrArray) all = sluice_seed_groups_new (G_LIST_MODEL (runs), TRUE);
  g_assert_cmpuint (fewer->len, ==, 0);
  g_assert_true (sluice_seed_groups_equal (groups, all));
  g_assert_false (sluice_seed_groups_equal (groups, fewer));
  g_assert_true (sluice_seed_groups_equal (NULL, fewer));
}

/* Names that have nothing in common. */
static void
test_names (void)
{
  static const Row rows[] = { { "b", "moe", "a", 1, 0.1 }, { "a", "moe", "a", 2, 0.1 } };
  g_autoptr (GListStore) runs = g_list_store_new (SLUICE_TYPE_RUN);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (SluiceRun) run = new_run (i + 1, &rows[i], NULL);
      g_list_store_append (runs, run);
    }
  g_autoptr (GPtrArray) groups = sluice_seed_groups_new (G_LIST_MODEL (runs), FALSE);
  g_assert_cmpuint (groups->len, ==, 1);
  g_assert_cmpstr (((SluiceSeedGroup *) groups->pdata[0])->name, ==, "moe");
}

/* Of a log neither graph nor project are known: its settings have a seed, or its name. */
static void
test_logs (void)
{
  static const Row rows[] = {
    { "b/run", NULL, NULL, 2, 0.1 },
    { "a/run", NULL, "", 1, 0.1 },
    { "wide/seed=2", NULL, "", 0, NAN },
    { "wide/seed=1", NULL, "", 0, NAN },
    { "narrow_seed3/eval", "", "", 0, NAN },
    { "narrow_seed12/eval", "", "", 0, NAN },
    { "narrow_seed12/train", "", "", 0, NAN },
    { "seedling", "", "", 0, NAN },
    { "seed", "", "", 0, NAN },
  };
  g_autoptr (GListStore) runs = g_list_store_new (SLUICE_TYPE_RUN);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (SluiceRun) run = new_run (i + 1, &rows[i], NULL);
      g_list_store_append (runs, run);
    }
  g_autoptr (GPtrArray) groups = sluice_seed_groups_new (G_LIST_MODEL (runs), FALSE);
  g_assert_cmpuint (groups->len, ==, 3);
  for (guint i = 0; i < groups->len; i++)
    g_assert_cmpuint (((SluiceSeedGroup *) groups->pdata[i])->runs->len, ==, 2);
  g_assert_cmpstr (((SluiceSeedGroup *) groups->pdata[0])->name, ==, "narrow_seed");
  g_assert_cmpstr (((SluiceSeedGroup *) groups->pdata[1])->name, ==, "wide/seed");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/runs/seed-groups/groups", test_groups);
  g_test_add_func ("/runs/seed-groups/names", test_names);
  g_test_add_func ("/runs/seed-groups/logs", test_logs);
  return g_test_run ();
}
