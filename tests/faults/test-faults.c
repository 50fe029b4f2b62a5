/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What a program does when the machine refuses, as SQLite tests it: for six ways through the engine
 * and each kind of request (faults.h), the first request fails, then the second, … until one run
 * meets no refusal; each once, and each with all that come after it. Where there are thousands, as
 * SQLite asks for memory to read the views of a workspace: a few hundred of them. Every run either
 * succeeds with the result that it has on a healthy machine, or ends in an error in words; what was
 * there before is there; the next attempt succeeds; and nothing leaks: no block, no descriptor.
 */
#include "tests/faults/faults.h"

#include <glib/gstdio.h>
#include <string.h>
#include <zlib.h>

#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/graph/graphdef.h"
#include "engine/store/bundle.h"
#include "engine/store/store.h"
#include "engine/train/replica.h"
#include "engine/train/trainer.h"
#include "kernels/registry.h"
#include "tests/engine/train/folder.h"
#include "tests/remove-tree.h"

#define MAX_POINTS 400 /* of a kind, each way: a run of the store takes 20 ms, and a point five */
#define SETTLING   4   /* runs after which caches are full, and one more block a run is a leak */

static Folder folder;

/* Where the requests of a run begin to count. */
typedef struct
{
  FaultKind kind;
  gint64 n; /* -1: none fails */
  gboolean for_good, has_begun;
} Plan;

static void
begin (Plan *plan)
{
  plan->has_begun = TRUE;
  if (plan->n >= 0)
    faults_arm (plan->kind, plan->n, plan->for_good);
}

/* Returns what the run brought, as text that is the same each time; NULL: error is set.
 * (transfer full) */
typedef char *(*Path) (Plan *plan, GError **error);

/* ---- import ---- */

static char *
import_all (Plan *plan, GError **error)
{
  static const char *const names[] = { "model.pbtxt", "model.pb", "model.pb.gz" };
  GString *hashes = g_string_new (NULL);
  begin (plan);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = folder_dup_path (&folder, names[i]);
      g_autoptr (SluiceGraph) graph = sluice_graph_load_file (path, error);
      if (graph == NULL)
        {
          g_string_free (hashes, TRUE);
          return NULL;
        }
      g_autofree char *hash = sluice_graph_dup_hash (graph, NULL);
      g_string_append_printf (hashes, "%s\n", hash);
    }
  return g_string_free (hashes, FALSE);
}

static void
write_graphs (void)
{
  g_autofree char *text = folder_dup_path (&folder, "model.pbtxt");
  g_autofree char *packed = folder_dup_path (&folder, "model.pb.gz");
  g_autoptr (SluiceGraph) graph = sluice_graph_load_file (text, NULL);
  g_autoptr (GBytes) bytes = sluice_graph_export (graph, SLUICE_EXPORT_BINARY, NULL);
  folder_write (&folder, "model.pb", g_bytes_get_data (bytes, NULL),
                (gssize) g_bytes_get_size (bytes));
  gzFile file = gzopen (packed, "wb");
  gzwrite (file, g_bytes_get_data (bytes, NULL), (unsigned) g_bytes_get_size (bytes));
  g_assert_cmpint (gzclose (file), ==, Z_OK);
}

/* ---- plan, step, checkpoint: of a replica ---- */

typedef struct
{
  SluiceProject *project;
  SluiceExamples *train, *test;
  SluiceReplica *replica;
} Rig;

static void
rig_clear (Rig *self)
{
  g_clear_pointer (&self->replica, sluice_replica_free);
  g_clear_pointer (&self->train, sluice_examples_free);
  g_clear_pointer (&self->test, sluice_examples_free);
  g_clear_pointer (&self->project, sluice_project_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Rig, rig_clear)

static void
rig_load (Rig *self)
{
  g_autoptr (GError) error = NULL;
  self->project = sluice_project_load (folder.path, &error);
  g_assert_no_error (error);
  sluice_examples_load_all (self->project, &self->train, &self->test, &error);
  g_assert_no_error (error);
}

static gboolean
rig_make (Rig *self, GError **error)
{
  self->replica = sluice_replica_new (self->project, self->train, self->test, 0, NULL, error);
  return self->replica != NULL;
}

static char *
plan_all (Plan *plan, GError **error)
{
  g_auto (Rig) rig = { NULL };
  rig_load (&rig);
  begin (plan);
  if (!rig_make (&rig, error) || !sluice_replica_check_initialize (rig.replica, error))
    return NULL;
  return g_strdup_printf ("%u scalars", rig.replica->n_scalars);
}

static gboolean
run_steps (SluiceReplica *replica, guint n, GString *values, GError **error)
{
  double scalars[8];
  SluiceRunOptions options = { 0 };
  for (guint i = 0; i < n; i++)
    {
      SluiceTensor *summary = NULL;
      if (!sluice_replica_step (replica, scalars, i == 2 ? &summary : NULL, &options, error))
        return FALSE;
      g_clear_pointer (&summary, sluice_tensor_unref);
      g_string_append_printf (values, "%a\n", scalars[0]);
    }
  return TRUE;
}

static char *
step_all (Plan *plan, GError **error)
{
  g_auto (Rig) rig = { NULL };
  g_autoptr (GString) values = g_string_new (NULL);
  double evaluation[8];
  SluiceRunOptions options = { 0 };
  rig_load (&rig);
  g_assert_true (rig_make (&rig, NULL));
  begin (plan);
  if (!sluice_replica_initialize (rig.replica, error) || !run_steps (rig.replica, 5, values, error)
      || !sluice_replica_evaluate (rig.replica, evaluation, &options, error))
    return NULL;
  g_string_append_printf (values, "%a\n", evaluation[0]);
  return g_strdup (values->str);
}

static gboolean
write_bundle (const char *path, GError **error)
{
  g_autoptr (SluiceTensor) tensor =
      sluice_tensor_new_from (SLUICE_FLOAT, &SLUICE_SHAPE (3), (const float[]){ 1, 2, 3 });
  SluiceTensorBundleWriter *writer = sluice_tensor_bundle_writer_new (path, error);
  if (writer == NULL)
    return FALSE;
  GError *failed = NULL;
  sluice_tensor_bundle_writer_add (writer, "values", tensor, NULL, NULL, &failed);
  if (sluice_tensor_bundle_writer_finish (writer, failed == NULL ? error : NULL) && failed == NULL)
    return TRUE;
  if (failed != NULL)
    g_propagate_error (error, failed);
  return FALSE;
}

/* The checkpoint that is there stays whole until the new one has taken its place. */
static char *
checkpoint_all (Plan *plan, GError **error)
{
  g_auto (Rig) rig = { NULL }, other = { NULL };
  g_autoptr (GString) values = g_string_new (NULL);
  g_autofree char *path = folder_dup_path (&folder, "checkpoint.safetensors");
  g_autofree char *bundle = folder_dup_path (&folder, "bundle");
  gsize bytes;
  rig_load (&rig);
  rig_load (&other);
  g_assert_true (rig_make (&rig, NULL) && sluice_replica_initialize (rig.replica, NULL));
  g_assert_true (sluice_replica_save (rig.replica, path, &bytes, NULL));
  g_assert_true (run_steps (rig.replica, 2, values, NULL) && rig_make (&other, NULL));
  begin (plan);
  gboolean ok = sluice_replica_save (rig.replica, path, &bytes, error)
                && sluice_replica_restore (other.replica, path, error)
                && write_bundle (bundle, error);
  faults_disarm ();
  g_string_truncate (values, 0);
  g_assert_true (sluice_replica_restore (other.replica, path, NULL)); /* whichever of both it is */
  if (!ok)
    return NULL;
  g_assert_true (run_steps (other.replica, 2, values, NULL));
  return g_strdup (values->str);
}

/* ---- store ---- */

#define N_POINTS 1500 /* more than one chunk */

static gboolean
log_points (SluiceStore *store, SluiceRunInfo *info, guint64 *n_safe, GError **error)
{
  if (!sluice_store_add_run (store, info, error))
    return FALSE;
  SluiceRunLog *log = sluice_store_open_log (store, info->id, error);
  if (log == NULL)
    return FALSE;
  gint64 series = sluice_run_log_series (log, "loss", SLUICE_SERIES_SCALAR, error);
  gboolean ok = series >= 0;
  double waited;
  for (gint64 i = 0; ok && i < N_POINTS; i++)
    {
      sluice_run_log_scalar (log, series, i, 1e9 + (double) i, (double) i);
      ok = i % 100 != 0 || sluice_run_log_end_step (log, &waited, error);
    }
  ok = ok && sluice_run_log_flush (log, error);
  *n_safe = sluice_run_log_get_n_committed (log);
  return sluice_run_log_close (log, ok ? error : NULL) && ok;
}

/* How many points the workspace has, opened on a healthy machine. */
static guint64
count_points (const char *workspace, const char *run)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceStore) store = sluice_store_open (workspace, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (store, run, NULL);
  if (info == NULL)
    return 0;
  g_autoptr (GPtrArray) series = sluice_store_dup_series (store, info->id, &error);
  g_assert_no_error (error);
  if (series->len == 0)
    return 0;
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  g_assert_true (sluice_store_read_points (store, ((SluiceSeriesInfo *) series->pdata[0])->id, 0,
                                           G_MAXSIZE, points, &error));
  for (guint i = 0; i < points->len; i++)
    g_assert_cmpint (g_array_index (points, SluiceScalar, i).step, ==, i);
  return points->len;
}

static char *
store_all (Plan *plan, GError **error)
{
  g_autofree char *workspace = folder_dup_path (&folder, "workspace");
  SluiceRunInfo info = { .name = g_strdup ("run"), .n_steps = 1 };
  guint64 n_safe = 0;
  gboolean ok;
  begin (plan);
  {
    g_autoptr (SluiceStore) store = sluice_store_open (workspace, error);
    ok = store != NULL && log_points (store, &info, &n_safe, error);
  }
  faults_disarm ();
  guint64 n = count_points (workspace, "run");
  if (n < n_safe)
    g_error ("%" G_GUINT64_FORMAT " points were acknowledged, %" G_GUINT64_FORMAT " are there",
             n_safe, n);
  g_free (info.name);
  remove_tree (workspace);
  return ok ? g_strdup_printf ("%" G_GUINT64_FORMAT " points", n) : NULL;
}

/* ---- project load ---- */

static char *
project_all (Plan *plan, GError **error)
{
  g_autoptr (SluiceExamples) train = NULL, test = NULL;
  g_autofree char *frozen = folder_dup_path (&folder, "frozen");
  g_assert_cmpint (g_mkdir_with_parents (frozen, 0700), ==, 0);
  begin (plan);
  g_autoptr (SluiceProject) project = sluice_project_load (folder.path, error);
  if (project == NULL || !sluice_examples_load_all (project, &train, &test, error)
      || !sluice_project_save (project, frozen, error))
    return NULL;
  g_autoptr (SluiceProject) again = sluice_project_load (frozen, error);
  return again != NULL
             ? g_strdup_printf ("%s, %" G_GINT64_FORMAT " examples", again->name, train->n)
             : NULL;
}

/* ---- all of it ---- */

static const struct
{
  const char *name;
  Path run;
} paths[] = {
  { "import", import_all },         { "plan", plan_all },   { "step", step_all },
  { "checkpoint", checkpoint_all }, { "store", store_all }, { "project", project_all },
};

/* On a healthy machine. (transfer full) */
static char *
run_well (Path path)
{
  g_autoptr (GError) error = NULL;
  Plan plan = { .n = -1 };
  char *result = path (&plan, &error);
  g_assert_no_error (error);
  g_assert_nonnull (result);
  return result;
}

/* One run with one refusal. FALSE: it met none, and there is no further one. */
static gboolean
run_refused (Path path, Plan plan, const char *expected, guint *n_errors)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *result = path (&plan, &error);
  gboolean has_fired = faults_disarm ();
  g_assert_true (plan.has_begun);
  if (result != NULL)
    {
      g_assert_no_error (error);
      g_assert_cmpstr (result, ==, expected);
      return has_fired;
    }
  g_assert_true (has_fired);
  g_assert_nonnull (error);
  if (error->domain != SLUICE_ERROR || *error->message == '\0')
    g_error ("an error of %s without words: '%s'", g_quark_to_string (error->domain),
             error->message);
  g_test_message ("%s", error->message);
  ++*n_errors;
  return TRUE;
}

/* The same request again and again: what each run leaves behind adds up. */
static void
look_for_leaks (Path path, Plan plan, const char *expected)
{
  guint n_errors = 0;
  gint64 growth = 0;
  guint files = faults_count_files ();
  for (guint i = 0; i < SETTLING; i++)
    {
      gint64 before = faults_count_blocks ();
      run_refused (path, plan, expected, &n_errors);
      g_autofree char *result = run_well (path);
      g_assert_cmpstr (result, ==, expected);
      g_clear_pointer (&result, g_free);
      growth = faults_count_blocks () - before;
      if (growth <= 0 && faults_count_files () <= files)
        return;
    }
  g_error ("request %" G_GINT64_FORMAT " of %s refused%s: each time %" G_GINT64_FORMAT
           " blocks are left, and there are %u descriptors instead of %u",
           plan.n, fault_names[plan.kind], plan.for_good ? " for good" : "", growth,
           faults_count_files (), files);
}

/* How many requests of a kind there are. */
static gint64
count_requests (Path path, FaultKind kind, const char *expected)
{
  g_autoptr (GError) error = NULL;
  Plan plan = { .kind = kind, .n = G_MAXINT64 / 2 };
  g_autofree char *result = path (&plan, &error);
  g_assert_false (faults_disarm ());
  g_assert_no_error (error);
  g_assert_cmpstr (result, ==, expected);
  return faults_get_n_requests ();
}

static void
test_path (gconstpointer data)
{
  guint number = GPOINTER_TO_UINT (data);
  Path path = paths[number].run;
  g_autofree char *expected = run_well (path);
  for (guint i = 0; i < SETTLING; i++)
    {
      g_autofree char *again = run_well (path);
      g_assert_cmpstr (again, ==, expected);
    }
  g_autoptr (GString) line = g_string_new (NULL);
  guint n_all = 0;
  for (guint kind = 0; kind < N_FAULT_KINDS; kind++)
    {
      guint n_points = 0, n_errors = 0;
      gint64 n_requests = count_requests (path, (FaultKind) kind, expected);
      gint64 stride = 1 + n_requests / MAX_POINTS;
      for (guint for_good = 0; for_good < 2; for_good++)
        for (gint64 n = for_good * (stride / 2);; n += stride)
          {
            Plan plan = { .kind = (FaultKind) kind, .n = n, .for_good = for_good };
            if (!run_refused (path, plan, expected, &n_errors))
              break;
            look_for_leaks (path, plan, expected);
            n_points++;
          }
      n_all += n_points;
      g_string_append_printf (line, ", %s %u at %" G_GINT64_FORMAT " requests (%u errors)",
                              fault_names[kind], n_points, n_requests, n_errors);
    }
  g_print ("# %s: %u points%s\n", paths[number].name, n_all, line->str);
}

int
main (int argc, char **argv)
{
  faults_init ();
  if (g_file_test ("/dev/shm", G_FILE_TEST_IS_DIR)) /* fsync costs nothing there */
    g_setenv ("TMPDIR", "/dev/shm", TRUE);
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_pool_set_threads (2);
  g_assert_true (sluice_pool_start (NULL)); /* stays, and so is no request of a run */
  folder_init (&folder);
  folder_write_project (&folder, NULL);
  folder_write_examples (&folder, 30);
  write_graphs ();
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autofree char *name = g_strconcat ("/faults/", paths[i].name, NULL);
      g_test_add_data_func (name, GUINT_TO_POINTER (i), test_path);
    }
  int status = g_test_run ();
  folder_clear (&folder);
  return status;
}
