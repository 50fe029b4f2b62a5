/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What is known of a run before a step of it was taken. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/graph/builder.h"
#include "engine/passes/forecast.h"
#include "engine/train/calibration.h"
#include "engine/train/preflight.h"
#include "engine/train/run-forecast.h"
#include "kernels/registry.h"
#include "tests/engine/train/trained.h"

/* ---- a plan ---- */

/* What y = -|x . w|, x of unknown rows, takes with so many of them; fused or not. */
static SluiceForecast *
look_ahead (gint64 n_rows, gboolean no_fusion)
{
  static const float w[8 * 16];
  static const char *const fetch = "y:0";
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceBuilder b;
  SluiceShape rows = SLUICE_SHAPE (-1, 8);
  sluice_builder_init (&b, graph, NULL);
  SluiceEdge x = sluice_builder_add (
      &b, "Placeholder", "x", NULL, 0,
      SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT), sluice_attr_shape ("shape", &rows)));
  SluiceEdge weights =
      sluice_builder_const (&b, sluice_tensor_new_from (SLUICE_FLOAT, &SLUICE_SHAPE (8, 16), w));
  SluiceEdge y = sluice_op (&b, "Abs", sluice_op (&b, "MatMul", x, weights));
  sluice_builder_add (&b, "Neg", "y", &y, 1, NULL, 0);
  g_assert_true (sluice_builder_finish (&b, &error));
  const SluiceSessionOptions options = { .no_fusion = no_fusion };
  g_autoptr (SluiceSession) session = sluice_session_new (&options, &error);
  g_assert_true (sluice_session_extend (session, graph, &error));
  const SluiceFeed feed = { "x:0", NULL };
  const SluiceStepNames names = { .feeds = &feed, .n_feeds = 1, .fetches = &fetch, .n_fetches = 1 };
  SluiceForecast *forecast = sluice_session_forecast (session, &names, n_rows, &error);
  g_assert_no_error (error);
  return forecast;
}

static double
sum_flops (const SluiceForecast *forecast)
{
  double flops = 0;
  for (guint i = 0; i < forecast->calls->len; i++)
    flops += g_array_index (forecast->calls, SluiceForecastCall, i).cost.flops;
  return flops;
}

static void
test_plan (void)
{
  for (guint fused = 0; fused < 2; fused++)
    {
      g_autoptr (SluiceForecast) forecast = look_ahead (32, fused == 0);
      g_assert_cmpuint (forecast->n_devices, ==, 1);
      g_assert_true (forecast->has_guess);
      g_assert_cmpuint (forecast->n_looped, ==, 0);
      /* Element-wise kernels write over what they read. */
      g_assert_cmpfloat (forecast->value_bytes[0], ==, 32 * 16 * sizeof (float));
      g_assert_cmpfloat (forecast->held_bytes[0], ==, 8 * 16 * sizeof (float));
      g_assert_cmpfloat (sum_flops (forecast), >=, 2. * 32 * 8 * 16);
      g_assert_cmpfloat (sum_flops (forecast), <, 2.5 * 32 * 8 * 16);
      g_assert_cmpuint (forecast->calls->len, ==, fused ? 1 : 3);
    }
}

/* ---- the machine's speed ---- */

static void
assert_same_speed (const SluiceCalibration *a, const SluiceCalibration *b)
{
  g_assert_cmpfloat (a->when, ==, b->when);
  g_assert_cmpfloat (a->call_seconds, ==, b->call_seconds);
  g_assert_cmpfloat (a->flops_per_second, ==, b->flops_per_second);
}

static void
test_calibration (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = folder_dup_path (&f->folder, "cache");
  SluiceCalibration first, second, third;
  g_assert_true (sluice_calibration_get (folder, &first, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (first.step_seconds, >, 0);
  g_assert_cmpfloat (first.call_seconds, >, 0);
  g_assert_cmpfloat (first.flops_per_second, >, first.bytes_per_second / 100);
  g_assert_true (sluice_calibration_get (folder, &second, NULL, &error));
  assert_same_speed (&first, &second);
  /* What is damaged is measured again, and kept. */
  g_autofree char *path = g_build_filename (folder, "calibration.ini", NULL);
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  *strstr (text, "flops-per-second=") = '-';
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_true (sluice_calibration_get (folder, &second, NULL, &error));
  g_assert_cmpfloat (second.when, >, first.when);
  g_assert_true (sluice_calibration_get (folder, &third, NULL, &error));
  assert_same_speed (&second, &third);
  /* A folder that cannot be made is no error; that it is measured each time is said, once. */
  g_autofree char *file = g_build_filename (path, "below-a-file", NULL);
  g_test_expect_message ("sluice-train", G_LOG_LEVEL_MESSAGE, "*not kept*below-a-file*");
  g_assert_true (sluice_calibration_get (file, &third, NULL, &error));
  g_test_assert_expected_messages ();
  g_assert_true (sluice_calibration_get (file, &third, NULL, &error));
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();
  g_cancellable_cancel (cancelled);
  g_assert_false (sluice_calibration_get (file, &third, cancelled, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED);
}

static void
test_seconds (void)
{
  const SluiceCalibration speed = {
    .step_seconds = 8, .call_seconds = 1, .flops_per_second = 10, .bytes_per_second = 100
  };
  const SluiceForecastCall calls[] = { { { 40, 100 }, 0 }, { { 0, 300 }, 0 }, { { 0, 0 }, 0 } };
  g_autoptr (GArray) array = g_array_new (FALSE, FALSE, sizeof *calls);
  g_array_append_vals (array, calls, G_N_ELEMENTS (calls));
  g_assert_cmpfloat (sluice_calibration_get_seconds (&speed, array), ==, 8 + 3 + 4 + 3);
}

/* ---- the card ---- */

static const SluicePreflightItem *
find_item (const SluicePreflight *card, const char *what)
{
  for (guint i = 0; i < card->items->len; i++)
    if (strcmp (((SluicePreflightItem *) card->items->pdata[i])->what, what) == 0)
      return card->items->pdata[i];
  return NULL;
}

static SluicePreflight *
look_for (Fixture *f, double seconds, const char *const *settings)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceProject) project = load_project (f->folder.path, settings);
  const SluicePreflightOptions options = { .seconds = seconds,
                                           .workspace = sluice_store_get_workspace (f->store) };
  SluicePreflight *card = sluice_preflight (project, &options, &error);
  g_assert_no_error (error);
  return card;
}

static SluicePreflight *
look (Fixture *f, const char *const *settings)
{
  return look_for (f, 0.01, settings);
}

/* An evaluation by large batches, for which there is no time: its memory is measured all the same.
 */
static void
test_evaluation (Fixture *f, gconstpointer unused)
{
  static const char *const large[] = { "evaluate.batch=5000", NULL };
  folder_write_examples (&f->folder, 20000);
  g_autoptr (SluicePreflight) hasty = look_for (f, 1e-9, large);
  g_autoptr (SluicePreflight) patient = look_for (f, 0.5, large);
  g_assert_nonnull (strstr (find_item (hasty, "finish_seconds")->text, "estimated"));
  g_assert_null (strstr (find_item (patient, "finish_seconds")->text, "estimated"));
  const SluicePreflightItem *item = find_item (hasty, "peak_bytes");
  g_assert_cmpfloat (item->value, >, 5000 * sizeof (float));
  g_assert_cmpfloat (item->value, ==, find_item (patient, "peak_bytes")->value);
}

/* A run that was trained here by as large batches tells how long its steps took. */
static void
test_run (Fixture *f, gconstpointer unused)
{
  static const char *const other[] = { "batch=3", NULL };
  g_autoptr (GError) error = NULL;
  g_autofree char *name = train (f, NULL, NULL);
  g_autoptr (SluiceRunInfo) run = sluice_store_dup_run (f->store, name, &error);
  g_autoptr (SluicePreflight) none = look (f, NULL);
  g_assert_null (find_item (none, "run_us"));
  SluiceRunLog *log = sluice_store_open_log (f->store, run->id, &error);
  gint64 series =
      sluice_run_log_series (log, "system/steps-per-second", SLUICE_SERIES_SCALAR, &error);
  g_assert_no_error (error);
  for (gint64 i = 1; i <= 5; i++)
    sluice_run_log_scalar (log, series, i, (double) i, i == 2 ? 500 : 1000);
  g_assert_true (sluice_run_log_close (log, &error));
  g_autoptr (SluicePreflight) card = look (f, NULL);
  const SluicePreflightItem *item = find_item (card, "run_us");
  g_assert_nonnull (item);
  g_assert_cmpstr (item->name, ==, name);
  g_assert_cmpstr (item->source, ==, "run");
  g_assert_cmpfloat_with_epsilon (item->value, 1200, 1e-6);
  g_assert_cmpfloat_with_epsilon (item->plus_minus, 500, 1e-6);
  g_autoptr (SluicePreflight) of_others = look (f, other);
  g_assert_null (find_item (of_others, "run_us"));
}

int
main (int argc, char **argv)
{
  g_autofree char *cache = g_build_filename (g_get_tmp_dir (), "sluice-test-cache-XXXXXX", NULL);
  g_assert_nonnull (g_mkdtemp (cache));
  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
#define ADD(name, func) g_test_add ("/forecast/" name, Fixture, NULL, set_up, func, tear_down)
  g_test_add_func ("/forecast/plan", test_plan);
  g_test_add_func ("/forecast/seconds", test_seconds);
  ADD ("calibration", test_calibration);
  ADD ("run", test_run);
  ADD ("evaluation", test_evaluation);
  int status = g_test_run ();
  g_autofree char *folder = g_build_filename (cache, "sluice", NULL);
  g_autofree char *file = g_build_filename (folder, "calibration.ini", NULL);
  g_unlink (file);
  g_rmdir (folder);
  g_rmdir (cache);
  return status;
}
