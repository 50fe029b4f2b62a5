/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The store in parts, so that a request costs no more than the part that it is of. */
#include "tests/faults/store-parts.h"

#include <string.h>

#include "engine/base/error.h"
#include "engine/store/checkpoints.h"
#include "engine/store/draft.h"
#include "engine/store/export.h"
#include "engine/store/file.h"
#include "engine/store/import.h"
#include "engine/store/kind-private.h"
#include "engine/store/query.h"
#include "engine/store/run-control.h"
#include "tests/engine/store/sample.h"
#include "tests/faults/store-open.h"
#include "tests/remove-tree.h"

#define N_POINTS 1100 /* more than one chunk */

/* The workspace that is there, with a run of all kinds; one that comes and goes; a file. */
static char *stock, *fresh, *exported, *logs;
static char *stock_list;        /* of what it holds */
static SluiceStore *open_stock; /* of the parts between opening and closing */

/* ---- logging ---- */

static gboolean
log_points (
    SluiceStore *store, const SluiceRunInfo *info, gint64 n, guint64 *n_safe, GError **error)
{
  SluiceRunLog *log = sluice_store_open_log (store, info->id, error);
  if (log == NULL)
    return FALSE;
  gint64 series = sluice_run_log_series (log, "loss", SLUICE_SERIES_SCALAR, error);
  gboolean ok = series >= 0;
  double waited;
  for (gint64 i = 0; ok && i < n; i++)
    {
      sluice_run_log_scalar (log, series, i, 1e9 + (double) i, (double) i);
      ok = i % 100 != 0 || sluice_run_log_end_step (log, &waited, error);
    }
  ok = ok && sluice_run_log_flush (log, error);
  *n_safe = sluice_run_log_get_n_committed (log);
  return sluice_run_log_close (log, ok ? error : NULL) && ok;
}

/* Points that were acknowledged, and then those that were not, are there from the first on. */
static guint64
count_points (SluiceStore *store, gint64 run)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) series = sluice_store_dup_series (store, run, &error);
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  g_assert_no_error (error);
  if (series->len == 0)
    return 0;
  sluice_store_read_points (store, ((SluiceSeriesInfo *) series->pdata[0])->id, 0, G_MAXSIZE,
                            points, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < points->len; i++)
    g_assert_cmpint (g_array_index (points, SluiceScalar, i).step, ==, i);
  return points->len;
}

static void
purge (SluiceStore *store, gint64 run)
{
  g_autoptr (GError) error = NULL;
  if (run != 0)
    sluice_store_purge_run (store, run, &error);
  g_assert_no_error (error);
}

static char *
log_scalars (Plan *plan, GError **error)
{
  SluiceRunInfo info = { .name = g_strdup ("run"), .n_steps = 1 };
  guint64 n_safe = 0;
  plan_begin (plan);
  gboolean ok = sluice_store_add_run (open_stock, &info, error)
                && log_points (open_stock, &info, N_POINTS, &n_safe, error);
  faults_disarm ();
  guint64 n = info.id != 0 ? count_points (open_stock, info.id) : 0;
  if (n < n_safe || (ok && n < N_POINTS))
    g_error ("%" G_GUINT64_FORMAT " points were acknowledged, %" G_GUINT64_FORMAT " are there",
             n_safe, n);
  purge (open_stock, info.id);
  g_free (info.name);
  return ok ? g_strdup_printf ("%" G_GUINT64_FORMAT " points", n) : NULL;
}

/* (element-type SluiceRecord): two of each kind; to be made before requests count */
static GPtrArray *
make_samples (void)
{
  GPtrArray *samples = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_record_free);
  const SluiceKind *kind;
  SLUICE_EACH_KIND (kind)
  for (gint64 step = 0; step < 2; step++)
    g_ptr_array_add (samples, sample_new (kind, step));
  return samples;
}

static gboolean
log_samples (SluiceRunLog *log, gint64 run, GPtrArray *samples, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static ("metadata", 8);
  while (samples->len > 0)
    if (!sample_log (log, run, g_ptr_array_steal_index (samples, 0), error))
      return FALSE;
  gint64 series = sluice_run_log_series (log, "kind-tensor", SLUICE_SERIES_TENSOR, error);
  return series >= 0 && sluice_run_log_set_metadata (log, series, bytes, error)
         && sluice_run_log_publish_checkpoint (log, 1, "checkpoints/1", 10, NULL, error);
}

/* One who logs what it did not get done logs it again: into the same run, each time. */
static char *
log_records (Plan *plan, GError **error)
{
  g_autoptr (GBytes) graph = g_bytes_new_static ("a graph", 7);
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (open_stock, "stock", NULL);
  g_autoptr (GPtrArray) samples = make_samples ();
  SluiceRunLog *log = sluice_store_open_log (open_stock, info->id, NULL);
  plan_begin (plan);
  gboolean ok = log_samples (log, info->id, samples, error)
                && sluice_store_put_graph (open_stock, "hash", graph, error)
                && sluice_store_update_run (open_stock, info, error);
  ok = sluice_run_log_close (log, ok ? error : NULL) && ok;
  faults_disarm ();
  g_autofree char *list = store_list_all (open_stock, NULL); /* nothing is doubled or lost */
  g_assert_cmpstr (list, ==, stock_list);
  return ok ? g_steal_pointer (&list) : NULL;
}

/* ---- changing ---- */

/* Row and folder come together or not at all. */
static char *
start_run (Plan *plan, GError **error)
{
  static const char *const tags[] = { "loss", NULL };
  g_autoptr (GBytes) graph = g_bytes_new_static ("a graph", 7);
  SluiceRunInfo info = { .project = g_strdup ("project"), .graph_hash = g_strdup ("hash") };
  const SluiceRunStart start = { .graph = graph, .scalars = tags, .checkpoint = "c/0" };
  plan_begin (plan);
  SluiceRunDraft *draft = sluice_run_draft_new (open_stock, error);
  gboolean ok = draft != NULL && sluice_run_draft_start (draft, &info, &start, error);
  faults_disarm ();
  g_autoptr (GArray) lost = sluice_store_dup_lost_runs (open_stock, NULL);
  g_assert_cmpuint (lost->len, ==, 0);
  g_assert_true (ok == (info.id != 0));
  g_autofree char *result = ok ? g_strdup (info.name) : NULL;
  if (ok)
    sluice_store_unlock_run (open_stock, info.id);
  purge (open_stock, info.id);
  g_free (info.name);
  g_free (info.project);
  g_free (info.graph_hash);
  return g_steal_pointer (&result);
}

static gboolean
write_name (const char *folder, const SluiceRunInfo *info, gpointer data, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "name", NULL);
  return sluice_file_put ("run", path, info->name, strlen (info->name), error);
}

/* Two, of which the first one's name is taken: both or none. */
static char *
start_both (Plan *plan, GError **error)
{
  g_autoptr (GPtrArray) infos =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_run_info_free);
  const SluiceQueueNeeds needs = { .threads = 1 };
  const SluiceRunStart starts[2] = { { .waits = &needs, .write = write_name },
                                     { .waits = &needs } };
  for (guint i = 0; i < 2; i++)
    {
      SluiceRunInfo info = { .name = (char *) (i == 0 ? "stock" : "other") };
      g_ptr_array_add (infos, sluice_run_info_copy (&info));
    }
  plan_begin (plan);
  SluiceRunDraft *draft = sluice_run_draft_new (open_stock, error);
  gboolean ok = draft != NULL;
  for (guint i = 0; ok && i < 2; i++)
    {
      g_autofree char *folder = sluice_run_draft_add_folder (draft, error);
      ok = folder != NULL;
    }
  if (ok)
    ok = sluice_run_draft_start_all (draft, infos, starts, error);
  else
    g_clear_pointer (&draft, sluice_run_draft_free);
  faults_disarm ();
  g_autoptr (GArray) lost = sluice_store_dup_lost_runs (open_stock, NULL);
  g_assert_cmpuint (lost->len, ==, 0);
  GString *result = g_string_new (NULL);
  for (guint i = 0; i < 2; i++)
    {
      const SluiceRunInfo *info = infos->pdata[i];
      g_assert_true (ok == (info->id != 0));
      g_string_append_printf (result, "%s ", info->name);
      purge (open_stock, info->id);
    }
  return g_string_free (result, !ok);
}

static gboolean
change_run (SluiceRunLog *log, gint64 run, GError **error)
{
  g_autoptr (GArray) forgotten = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (gint64 step = 1; step < 3; step++) /* of which the first is pinned, and stays */
    g_array_append_val (forgotten, step);
  return sluice_run_log_truncate (log, 700, error)
         && sluice_store_pin_checkpoint (open_stock, run, 1, TRUE, error)
         && sluice_run_log_publish_checkpoint (log, 3, "c", 10, forgotten, error)
         && sluice_store_delete_run (open_stock, run, error)
         && sluice_store_restore_run (open_stock, run, error);
}

/* What is to be cut is cut, or all of it is there. */
static char *
cut_run (Plan *plan, GError **error)
{
  SluiceRunInfo info = { .name = g_strdup ("run"), .n_steps = 1 };
  guint64 n_safe = 0;
  double first = 0;
  sluice_store_add_run (open_stock, &info, NULL);
  g_assert_true (log_points (open_stock, &info, N_POINTS, &n_safe, NULL));
  SluiceRunLog *log = sluice_store_open_log (open_stock, info.id, NULL);
  for (gint64 step = 1; step < 3; step++)
    g_assert_true (sluice_run_log_publish_checkpoint (log, step, "c", 10, NULL, NULL));
  plan_begin (plan);
  gboolean ok = change_run (log, info.id, error);
  ok = sluice_run_log_close (log, ok ? error : NULL) && ok;
  faults_disarm ();
  guint64 n = count_points (open_stock, info.id);
  g_assert_true (n == 701 || (!ok && n == N_POINTS));
  g_autoptr (GPtrArray) checkpoints = sluice_store_read_checkpoints (open_stock, info.id, NULL);
  g_assert_true (!ok || checkpoints->len == 2);
  if (ok)
    first = ((SluiceCheckpointInfo *) checkpoints->pdata[0])->is_pinned;
  purge (open_stock, info.id);
  g_free (info.name);
  return ok ? g_strdup_printf ("%u checkpoints, %g", checkpoints->len, first) : NULL;
}

/* Asked, obeyed, answered and fetched; what was not answered is refused in the end. */
static char *
control_run (Plan *plan, GError **error)
{
  SluiceRunInfo info = { .name = g_strdup ("run"), .n_steps = 1 };
  sluice_store_add_run (open_stock, &info, NULL);
  g_assert_true (sluice_store_lock_run (open_stock, info.id, NULL));
  plan_begin (plan);
  SluiceRunControl *control = sluice_run_control_new (open_stock, info.id, error);
  gint64 id = control != NULL ? sluice_run_control_ask (open_stock, &info, "set", "a=1", error) : 0;
  g_autoptr (SluiceCommand) command = id != 0 ? sluice_run_control_next (control, error) : NULL;
  gboolean ok =
      command != NULL && sluice_run_control_answer (control, command, TRUE, 3, "done", error);
  g_autoptr (SluiceCommand) answered = ok ? sluice_run_control_read (open_stock, id, error) : NULL;
  g_autofree char *result =
      answered != NULL ? g_strdup_printf ("%s %s", answered->argument, answered->answer) : NULL;
  ok = result != NULL && sluice_run_control_forget (open_stock, id, error);
  g_clear_pointer (&control, sluice_run_control_free);
  faults_disarm ();
  sluice_store_unlock_run (open_stock, info.id);
  purge (open_stock, info.id);
  g_free (info.name);
  return ok ? g_steal_pointer (&result) : NULL;
}

/* ---- reading ---- */

static gboolean
read_one (SluiceStore *store, const SluiceSeriesInfo *series, GString *list, GError **error)
{
  if (series->kind != SLUICE_SERIES_SCALAR && series->kind != SLUICE_SERIES_EVENT)
    {
      g_autoptr (GBytes) metadata = NULL;
      g_autoptr (GPtrArray) records = sluice_store_read_records (store, series, 0, 2, error);
      if (records == NULL || !sluice_store_dup_metadata (store, series->id, &metadata, error))
        return FALSE;
      g_string_append_printf (list, "%s %u %d\n", series->tag, records->len, metadata != NULL);
      return TRUE;
    }
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  if (!sluice_store_read_points (store, series->id, 0, 100, points, error)
      || !sluice_store_read_chunk (store, series->id, 1, points, error))
    return FALSE;
  g_string_append_printf (list, "%s %u\n", series->tag, points->len);
  return TRUE;
}

static char *
read_all (Plan *plan, GError **error)
{
  g_autoptr (GString) list = g_string_new (NULL);
  plan_begin (plan);
  g_autoptr (SluiceRunInfo) run = sluice_store_dup_run (open_stock, "stock", error);
  g_autoptr (GPtrArray) series =
      run != NULL ? sluice_store_dup_series (open_stock, run->id, error) : NULL;
  for (guint i = 0; series != NULL && i < series->len; i++)
    if (!read_one (open_stock, series->pdata[i], list, error))
      return NULL;
  if (series == NULL)
    return NULL;
  g_autoptr (GPtrArray) events = sluice_store_read_events (open_stock, run->id, error);
  g_autoptr (GPtrArray) checkpoints =
      events != NULL ? sluice_store_read_checkpoints (open_stock, run->id, error) : NULL;
  g_autoptr (GBytes) graph =
      checkpoints != NULL ? sluice_store_get_graph (open_stock, "stock", error) : NULL;
  if (graph == NULL)
    return NULL;
  g_string_append_printf (list, "%u %u %zu", events->len, checkpoints->len,
                          g_bytes_get_size (graph));
  return g_strdup (list->str);
}

/* The file is there whole or not at all. */
static char *
export_as (Plan *plan, SluiceLogFormat format, GError **error)
{
  guint64 n = 0;
  guint hash = 0;
  g_autoptr (SluiceRunInfo) run = sluice_store_dup_run (open_stock, "stock", NULL);
  plan_begin (plan);
  gboolean ok = sluice_store_export (open_stock, run, format, exported, &n, error);
  faults_disarm ();
  g_assert_true (ok || format == SLUICE_LOG_TFEVENTS
                 || !g_file_test (exported, G_FILE_TEST_EXISTS));
  if (ok && format != SLUICE_LOG_TFEVENTS)
    {
      g_autofree char *text = NULL;
      g_assert_true (g_file_get_contents (exported, &text, NULL, NULL));
      hash = g_str_hash (text);
    }
  remove_tree (exported);
  return ok ? g_strdup_printf ("%" G_GUINT64_FORMAT " records, %08x", n, hash) : NULL;
}

static char *
export_tfevents (Plan *plan, GError **error)
{
  return export_as (plan, SLUICE_LOG_TFEVENTS, error);
}

static char *
export_csv (Plan *plan, GError **error)
{
  return export_as (plan, SLUICE_LOG_CSV, error);
}

static char *
export_jsonl (Plan *plan, GError **error)
{
  return export_as (plan, SLUICE_LOG_JSONL, error);
}

static gboolean
add_row (sqlite3_stmt *row, gpointer data, GError **error)
{
  for (int i = 0; i < sqlite3_column_count (row); i++)
    g_string_append_printf (data, "%d ", sqlite3_column_bytes (row, i));
  return TRUE;
}

static char *
query (Plan *plan, GError **error)
{
  static const char sql[] =
      "SELECT p.tag, count (*), max (p.value), (SELECT limits FROM histogram_points LIMIT 1) FROM "
      "points p WHERE run = 'stock' GROUP BY p.tag; -- all";
  g_autoptr (GString) rows = g_string_new (NULL);
  g_autofree char *list = store_list_all (open_stock, NULL); /* a reader is connected */
  plan_begin (plan);
  return sluice_store_query (open_stock, sql, add_row, rows, error) ? g_strdup (rows->str) : NULL;
}

/* ---- importing ---- */

static gboolean
tell_run (const SluiceImportedRun *run, gpointer list, GError **error)
{
  g_string_append_printf (list, "%s %" G_GUINT64_FORMAT " %u\n", run->run, run->n_records,
                          run->damaged->len);
  return TRUE;
}

static gboolean
import_logs (GString *list, GError **error)
{
  const SluiceImportOptions options = { 0 };
  g_autoptr (SluiceImporter) importer = sluice_importer_new (open_stock, &options);
  return sluice_importer_add (importer, logs, error)
         && sluice_importer_run (importer, tell_run, list, error);
}

/* What failed is done by importing again, and nothing is there twice. */
static char *
import (Plan *plan, GError **error)
{
  g_autoptr (GString) list = g_string_new (NULL);
  g_autoptr (GString) again = g_string_new (NULL);
  plan_begin (plan);
  gboolean ok = import_logs (list, error);
  faults_disarm ();
  g_assert_true (import_logs (again, NULL));
  g_autoptr (SluiceRunInfo) run = sluice_store_dup_run (open_stock, "logs", NULL);
  g_autoptr (GPtrArray) series = sluice_store_dup_series (open_stock, run->id, NULL);
  g_assert_cmpuint (series->len, ==, 12); /* points, and a sample of each kind */
  for (guint i = 0; i < series->len; i++)
    {
      const SluiceSeriesInfo *info = series->pdata[i];
      gboolean is_damaged = g_str_equal (info->tag, "kind-tensor"); /* "metadata" are none */
      gboolean is_loss = g_str_equal (info->tag, "loss");
      g_assert_cmpint (info->n_points, ==, is_loss ? 40 : is_damaged ? 1 : 2);
    }
  purge (open_stock, run->id);
  return ok ? g_strdup (list->str) : NULL;
}

/* The stock's own log, as TensorBoard has it. */
static void
write_logs (void)
{
  guint64 n;
  g_autoptr (SluiceStore) store = store_open_well (stock);
  g_autoptr (SluiceRunInfo) run = sluice_store_dup_run (store, "stock", NULL);
  g_assert_true (sluice_store_export (store, run, SLUICE_LOG_TFEVENTS, logs, &n, NULL));
}

/* ---- all of it ---- */

static void
set_up_open (void)
{
  open_stock = store_open_well (stock);
  stock_list = store_list_all (open_stock, NULL);
  g_assert_nonnull (stock_list);
}

static void
tear_down_open (void)
{
  g_clear_object (&open_stock);
  g_clear_pointer (&stock_list, g_free);
}

static void
write_stock (void)
{
  g_autoptr (SluiceStore) store = store_open_well (stock);
  g_autoptr (GBytes) graph = g_bytes_new_static ("a graph", 7);
  SluiceRunInfo info = { .name = g_strdup ("stock"), .n_steps = 1, .state = SLUICE_RUN_RUNNING };
  guint64 n_safe;
  g_assert_true (sluice_store_add_run (store, &info, NULL));
  g_assert_true (log_points (store, &info, 40, &n_safe, NULL));
  g_autoptr (GPtrArray) samples = make_samples ();
  SluiceRunLog *log = sluice_store_open_log (store, info.id, NULL);
  g_assert_true (log_samples (log, info.id, samples, NULL));
  g_assert_true (sluice_run_log_close (log, NULL));
  g_assert_true (sluice_store_put_graph (store, "stock", graph, NULL));
  g_free (info.name);
}

void
store_parts_init (const char *folder)
{
  stock = g_build_filename (folder, "stock", NULL);
  fresh = g_build_filename (folder, "fresh", NULL);
  exported = g_build_filename (folder, "exported", NULL);
  logs = g_build_filename (folder, "logs", NULL);
}

void
store_parts_inject (void)
{
  static const Part parts[] = {
    { "store, points", log_scalars, set_up_open, tear_down_open },
    { "store, records", log_records, set_up_open, tear_down_open, .well_every = 32 },
    { "store, start", start_run, set_up_open, tear_down_open },
    { "store, start both", start_both, set_up_open, tear_down_open },
    { "store, cut", cut_run, set_up_open, tear_down_open, .well_every = 32 },
    { "store, control", control_run, set_up_open, tear_down_open, .well_every = 32 },
    { "store, read", read_all, set_up_open, tear_down_open, .well_every = 32 },
    { "store, import", import, set_up_open, tear_down_open, .well_every = 32 },
    { "store, query", query, set_up_open, tear_down_open, .well_every = 32 },
    { "store, tfevents", export_tfevents, set_up_open, tear_down_open, .well_every = 32 },
    { "store, CSV", export_csv, set_up_open, tear_down_open, .well_every = 32 },
    { "store, JSON lines", export_jsonl, set_up_open, tear_down_open, .well_every = 32 },
  };
  Count total = { 0 };
  write_stock ();
  write_logs ();
  store_open_inject (stock, fresh, &total);
  inject_each (parts, G_N_ELEMENTS (parts), &total);
  count_print (&total, "store");
}
