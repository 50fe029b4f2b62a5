/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The table of very many runs, each with settings and results, and what differs between two with
 * large graphs: one JSON line a figure. With a folder only these runs are made, as a workspace
 * there, for bench-runs-page.py. */
#include <math.h>
#include <stdio.h>

#include "app/runs/run-table.h"
#include "engine/graph/builder.h"
#include "engine/graph/graphdef.h"
#include "engine/store/chunks.h"
#include "engine/store/kind-private.h"
#include "engine/store/kinds/hparams.h"
#include "engine/store/sql.h"
#include "engine/train/run-diff.h"
#include "kernels/registry.h"
#include "tests/bench/median.h"
#include "tests/remove-tree.h"

#define N_RUNS     10000
#define N_SETTINGS 40
#define N_TAGS     20
#define N_POINTS   64 /* of the loss, whose curve is drawn; other tags have one */
#define N_ROUNDS   7
#define N_NODES    36000 /* of each graph that is compared */

static void
print_figure (const char *bench, double ms, double goal, const char *what)
{
  printf ("{\"name\":\"%s\",\"value\":%.2f,\"unit\":\"ms\",\"goal\":%g,\"what\":\"%s\"}\n", bench,
          ms, goal, what);
  fflush (stdout);
}

/* ---- what is measured ---- */

static gboolean
add_series (sqlite3 *db, gint64 run, const char *tag, SluiceSeriesKind kind, gint64 *id)
{
  gboolean ok = sluice_sql_change (db, NULL, "INSERT INTO series (run, tag, kind) VALUES (?, ?, ?)",
                                   "isi", run, tag, (gint64) kind);
  *id = sqlite3_last_insert_rowid (db);
  return ok;
}

static gboolean
add_settings (sqlite3 *db, gint64 run, guint i)
{
  SluiceHparam settings[N_SETTINGS];
  char names[N_SETTINGS][16];
  gint64 id;
  for (guint k = 0; k < N_SETTINGS; k++)
    {
      g_snprintf (names[k], sizeof names[k], "setting-%02u", k);
      settings[k] = (SluiceHparam){ names[k], (double) ((i * (k + 1) * 7919) % 1000) / 1000 };
    }
  g_autoptr (GError) error = NULL;
  SluiceRecord *record = &sluice_hparams_new_start (0, 1, settings, N_SETTINGS)->base;
  gboolean ok = add_series (db, run, SLUICE_HPARAMS_START_TAG, SLUICE_SERIES_HPARAMS, &id)
                && record->kind->write (db, id, record, &error);
  sluice_record_free (record);
  return ok;
}

static gboolean
add_loss (sqlite3 *db, gint64 run, guint i)
{
  static Chunk chunk;
  gint64 id;
  chunk = (Chunk){ .n = N_POINTS };
  for (guint k = 0; k < N_POINTS; k++)
    {
      chunk.steps[k] = k;
      chunk.walls[k] = 1 + k;
      chunk.values[k] = 2.3 * exp (-(double) k / (8 + i % 31)) + 0.02 * ((k * 7919 + i) % 13);
    }
  return add_series (db, run, "loss", SLUICE_SERIES_SCALAR, &id)
         && sluice_chunk_write (&chunk, id, db);
}

static gboolean
add_results (sqlite3 *db, gint64 run, guint i)
{
  static const char sql[] =
      "INSERT INTO scalar_chunks (series, n, first_step, last_step, min, max, min_step, max_step, "
      "sum, n_nonfinite, first_value, last_value, last_wall, data) VALUES (?1, 1, 9, 9, ?2, ?2, 9, "
      "9, ?2, 0, ?2, ?2, 1, zeroblob (24))";
  for (guint k = 1; k < N_TAGS; k++) /* and the loss */
    {
      char tag[24];
      gint64 id;
      g_snprintf (tag, sizeof tag, "evaluate/metric-%02u", k);
      if (!add_series (db, run, tag, SLUICE_SERIES_SCALAR, &id)
          || !sluice_sql_change (db, NULL, sql, "id", id, (double) ((i + 31 * k) % 997) / 997))
        return FALSE;
    }
  return TRUE;
}

static gboolean
fill (sqlite3 *db, gpointer data, GError **error)
{
  for (guint i = 0; i < N_RUNS; i++)
    {
      g_autofree char *name = g_strdup_printf ("sweep-%u", i);
      gint64 run = i + 1;
      if (!sluice_sql_change (
              db, error,
              "INSERT INTO runs (id, name, project, state, step, n_steps, seed, "
              "created, started, ended, seconds) VALUES (?1, ?2, 'digits', ?3, 9, 9, "
              "?1, ?1, ?1, ?1, 1)",
              "isi", run, name, (gint64) SLUICE_RUN_FINISHED)
          || !add_settings (db, run, i) || !add_loss (db, run, i) || !add_results (db, run, i))
        return FALSE;
    }
  return TRUE;
}

/* ---- measuring ---- */

static double
milliseconds_since (gint64 start)
{
  return (double) (g_get_monotonic_time () - start) * 1e-3;
}

static double
open_table (SluiceStore *store, SluiceRunTable *table)
{
  gint64 start = g_get_monotonic_time ();
  sluice_run_table_read (table, store);
  while (sluice_run_table_is_reading (table))
    g_main_context_iteration (NULL, TRUE);
  return milliseconds_since (start);
}

static void
time_filter (SluiceRunTable *table)
{
  static const char *const texts[] = { "1", "17", "setting-07>0.5", "evaluate/metric-03<0.2", "" };
  double times[G_N_ELEMENTS (texts)];
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      gint64 start = g_get_monotonic_time ();
      sluice_run_table_set_filter (table, texts[i], NULL);
      times[i] = milliseconds_since (start);
    }
  print_figure ("runs-filter", bench_median (times, G_N_ELEMENTS (texts)), 50,
                "10,000 runs are filtered by a word, a setting, a result");
}

static void
time_sort (SluiceRunTable *table)
{
  GPtrArray *columns = sluice_run_table_get_columns (table);
  double *times = g_new (double, columns->len);
  for (guint i = 0; i < columns->len; i++)
    {
      gint64 start = g_get_monotonic_time ();
      sluice_run_table_set_sort (table, ((const SluiceRunColumn *) columns->pdata[i])->id, i % 2);
      times[i] = milliseconds_since (start);
    }
  print_figure ("runs-sort", bench_median (times, columns->len), 50,
                "10,000 runs are sorted by each column");
  print_figure ("runs-sort-longest", times[columns->len - 1], 50, "by the slowest of them");
  g_free (times);
}

/* ---- what differs ---- */

/* A deep model: towers of layers. The other one has another activation in each hundredth layer, one
 * layer more, and calls its last tower otherwise. (transfer full) (nullable) */
static GBytes *
make_graph (gboolean is_other, GError **error)
{
  const SluiceShape shapes[] = { SLUICE_SHAPE (8, 8), SLUICE_SHAPE (8) };
  const guint n_layers = N_NODES / 5 + is_other;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceEdge x = { 0 };
  for (guint i = 0; i < n_layers; i++)
    {
      g_autofree char *scope = g_strdup_printf (
          "%s_%u/layer_%u", is_other && i / 800 == 8 ? "column" : "tower", i / 800, i % 800);
      SluiceBuilder b;
      SluiceEdge fed[2];
      sluice_builder_init (&b, graph, scope);
      for (guint k = 0; k < 2; k++)
        {
          const SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                                       sluice_attr_shape ("shape", &shapes[k]) };
          fed[k] = sluice_builder_add (&b, "Placeholder", k == 0 ? "weights" : "biases", NULL, 0,
                                       attrs, G_N_ELEMENTS (attrs));
        }
      x = sluice_op (&b, "MatMul", i > 0 ? x : fed[0], fed[0]);
      x = sluice_op (&b, "BiasAdd", x, fed[1]);
      x = sluice_op (&b, is_other && i % 100 == 50 ? "Tanh" : "Relu", x);
      if (!sluice_builder_finish (&b, error))
        return NULL;
    }
  return sluice_graph_export (graph, SLUICE_EXPORT_PLAIN_GRAPH, error);
}

/* A run of each graph, and nothing else. */
static gboolean
add_graphs (SluiceStore *store, SluiceRunInfo *runs, GError **error)
{
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GBytes) graph = make_graph (i == 1, error);
      runs[i] = (SluiceRunInfo){ .name = g_strdup (i == 0 ? "one" : "other"),
                                 .project = "digits",
                                 .graph_hash = i == 0 ? "first graph" : "second graph",
                                 .state = SLUICE_RUN_FINISHED };
      if (graph == NULL || !sluice_store_put_graph (store, runs[i].graph_hash, graph, error)
          || !sluice_store_add_run (store, &runs[i], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
time_differs (GError **error)
{
  g_autofree char *folder = g_dir_make_tmp ("sluice-bench-XXXXXX", error);
  g_autoptr (SluiceStore) store = folder != NULL ? sluice_store_open (folder, error) : NULL;
  SluiceRunInfo runs[2] = { 0 };
  gboolean ok = store != NULL && add_graphs (store, runs, error);
  double times[N_ROUNDS];
  for (guint i = 0; ok && i < N_ROUNDS; i++)
    {
      gint64 start = g_get_monotonic_time ();
      g_autoptr (SluiceRunDiff) diff =
          sluice_run_diff_new (store, (const SluiceRunInfo *[]){ &runs[0], &runs[1] }, 2, error);
      times[i] = milliseconds_since (start);
      ok = diff != NULL;
      g_assert (!ok || diff->nodes->len > N_NODES / 500);
    }
  if (ok)
    print_figure ("runs-differ", bench_median (times, N_ROUNDS), 100,
                  "what differs between runs of two graphs of 36,000 nodes, from the database");
  for (guint i = 0; i < 2; i++)
    g_free (runs[i].name);
  g_clear_object (&store);
  if (folder != NULL)
    remove_tree (folder);
  return ok;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder =
      argc > 1 ? g_strdup (argv[1]) : g_dir_make_tmp ("sluice-bench-XXXXXX", &error);
  g_autoptr (SluiceStore) store = folder != NULL ? sluice_store_open (folder, &error) : NULL;
  if (store == NULL
      || !sluice_store_writer_run (sluice_store_get_writer (store), fill, NULL, &error))
    {
      g_printerr ("bench-runs: %s\n", error != NULL ? error->message : "the runs cannot be made");
      return 1;
    }
  if (argc > 1)
    return 0;
  double times[N_ROUNDS];
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      g_autoptr (SluiceRunTable) table = sluice_run_table_new ();
      times[i] = open_table (store, table);
      if (i + 1 < N_ROUNDS)
        continue;
      print_figure ("runs-open", bench_median (times, N_ROUNDS), 300,
                    "10,000 runs x 40 settings x 20 metrics are read into the table");
      time_filter (table);
      time_sort (table);
    }
  g_clear_object (&store);
  remove_tree (folder);
  sluice_registry_init (sluice_kernel_modules ());
  if (time_differs (&error))
    return 0;
  g_printerr ("bench-runs: %s\n", error->message);
  return 1;
}
