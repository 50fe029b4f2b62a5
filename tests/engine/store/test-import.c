/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Event files into a store: what comes of them, again, in pieces, killed, replaced, restarted. What
 * TensorBoard makes of TensorFlow's own files is in tests/conformance/test-logs.py. */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/store/event-file.h"
#include "engine/store/export.h"
#include "engine/store/import-private.h"
#include "engine/store/kinds/graph.h"
#include "engine/store/kinds/hparams.h"
#include "engine/store/kinds/scalar.h"
#include "engine/store/query.h"
#include "tests/engine/store/sample.h"
#include "tests/remove-tree.h"

typedef struct
{
  char *folder, *logs, *workspace;
  GByteArray *file; /* of events, to be written */
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  f->folder = g_dir_make_tmp ("sluice-import-XXXXXX", &error);
  g_assert_no_error (error);
  f->logs = g_build_filename (f->folder, "logs", NULL);
  f->workspace = g_build_filename (f->folder, "workspace", NULL);
  f->file = g_byte_array_new ();
  g_mkdir (f->logs, 0777);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  remove_tree (f->folder);
  g_free (f->folder);
  g_free (f->logs);
  g_free (f->workspace);
  g_byte_array_unref (f->file);
}

/* ---- event files ---- */

static void
put_version (Fixture *f, const char *version)
{
  g_autoptr (GByteArray) event = g_byte_array_new ();
  sluice_event_file_begin (event, SAMPLE_WALL, 0);
  sluice_wire_put_text (event, SLUICE_EVENT_FILE_VERSION, version);
  sluice_event_file_put_record (f->file, event);
}

static void
put_record (Fixture *f, const char *tag, SluiceRecord *take_record)
{
  g_autoptr (SluiceRecord) record = take_record;
  g_autoptr (GByteArray) event = g_byte_array_new ();
  GError *failed = NULL;
  const SluiceEventOut out = { event, tag, NULL, TRUE, &failed };
  sluice_event_file_begin (event, record->wall, record->step);
  record->kind->put_event (record, &out);
  g_assert_no_error (failed);
  sluice_event_file_put_record (f->file, event);
}

static void
put_scalar (Fixture *f, const char *tag, gint64 step, double value)
{
  put_record (f, tag, &sluice_scalar_record_new (step, SAMPLE_WALL + (double) step, value)->base);
}

static void
put_start (Fixture *f, gint64 step)
{
  g_autoptr (GByteArray) event = g_byte_array_new ();
  g_autoptr (GByteArray) log = g_byte_array_new ();
  sluice_event_file_begin (event, SAMPLE_WALL, step);
  sluice_wire_put_int (log, 1, 1);
  sluice_wire_put_message (event, SLUICE_EVENT_SESSION_LOG, log);
  sluice_event_file_put_record (f->file, event);
}

static char *
dup_path (Fixture *f, const char *name)
{
  return g_build_filename (f->logs, name, NULL);
}

/* What was put, or its first bytes; the next file begins. */
static void
write_part (Fixture *f, const char *name, gsize n)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = dup_path (f, name);
  g_autofree char *folder = g_path_get_dirname (path);
  g_mkdir_with_parents (folder, 0777);
  g_file_set_contents (path, (const char *) f->file->data, (gssize) n, &error);
  g_assert_no_error (error);
}

static void
write_file (Fixture *f, const char *name)
{
  write_part (f, name, f->file->len);
  g_byte_array_set_size (f->file, 0);
}

/* ---- importing ---- */

typedef struct
{
  guint n_runs, n_damaged;
  guint64 n_records, n_scalars;
  gboolean is_reread, has_any;
  char last_damage[100];
} Told;

static gboolean
tell (const SluiceImportedRun *run, gpointer data, GError **error)
{
  Told *told = data;
  told->n_runs++;
  told->n_records += run->n_records;
  told->n_scalars += run->n_of_kind[SLUICE_SERIES_SCALAR];
  told->n_damaged += run->damaged->len;
  told->is_reread |= run->is_reread;
  told->has_any |= run->has_any;
  if (run->damaged->len > 0)
    g_strlcpy (told->last_damage,
               ((SluiceDamage *) run->damaged->pdata[run->damaged->len - 1])->what,
               sizeof told->last_damage);
  return TRUE;
}

static SluiceStore *
open_store (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  SluiceStore *store = sluice_store_open (f->workspace, &error);
  g_assert_no_error (error);
  return store;
}

static Told
import_with (Fixture *f, const SluiceImportOptions *options, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceStore) store = open_store (f);
  g_autoptr (SluiceImporter) importer = sluice_importer_new (store, options);
  Told told = { 0 };
  g_assert_true (sluice_importer_add (importer, path, &error));
  sluice_importer_run (importer, tell, &told, &error);
  g_assert_no_error (error);
  return told;
}

static Told
import (Fixture *f)
{
  return import_with (f, &(SluiceImportOptions){ 0 }, f->logs);
}

/* All that the workspace holds. (transfer full) */
static char *
dump (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceStore) store = open_store (f);
  g_autoptr (GPtrArray) runs = sluice_store_dup_runs (store, &error);
  GString *text = g_string_new (NULL);
  g_assert_no_error (error);
  for (guint i = 0; i < runs->len; i++)
    {
      const SluiceRunInfo *run = runs->pdata[i];
      g_autoptr (GPtrArray) series = sluice_store_dup_series (store, run->id, &error);
      g_assert_no_error (error);
      g_string_append_printf (text, "%s %" G_GINT64_FORMAT " %g\n", run->name, run->step,
                              run->seconds);
      for (guint k = 0; k < series->len; k++)
        {
          guint64 n;
          g_autofree char *json =
              sluice_store_dup_series_json (store, run->name, series->pdata[k], NULL, &n, &error);
          g_assert_no_error (error);
          g_string_append_printf (text, "%s\n", json);
        }
    }
  return g_string_free (text, FALSE);
}

static void
assert_holds (Fixture *f, const char *words)
{
  g_autofree char *text = dump (f);
  if (strstr (text, words) == NULL)
    g_error ("'%s' is not in\n%s", words, text);
}

static void
assert_dump (Fixture *f, const char *want)
{
  g_autofree char *text = dump (f);
  g_assert_cmpstr (text, ==, want);
}

static void
forget_workspace (Fixture *f)
{
  remove_tree (f->workspace);
}

/* ---- what comes in ---- */

static void
put_everything (Fixture *f, gint64 n_steps)
{
  const SluiceKind *kind;
  put_version (f, "brain.Event:2");
  for (gint64 step = 0; step < n_steps; step++)
    SLUICE_EACH_KIND (kind)
    {
      gboolean is_graph = kind->number == SLUICE_SERIES_GRAPH; /* which has no tag */
      g_autofree char *tag =
          is_graph ? g_strdup (SLUICE_RUN_GRAPH_TAG) : g_strdup_printf ("kind-%s", kind->name);
      put_record (f, tag, sample_new (kind, step));
    }
}

static void
test_kinds (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  put_everything (f, 3);
  write_file (f, "train/events.out.tfevents.1.host");
  Told told = import (f);
  g_assert_cmpuint (told.n_runs, ==, 1);
  g_assert_cmpuint (told.n_damaged, ==, 0);
  g_autoptr (SluiceStore) store = open_store (f);
  g_autoptr (SluiceRunInfo) run = sluice_store_dup_run (store, "train", &error);
  g_assert_no_error (error);
  g_assert_cmpint (run->state, ==, SLUICE_RUN_FINISHED);
  g_assert_cmpint (run->step, ==, 2);
  g_autoptr (GPtrArray) all = sluice_store_dup_series (store, run->id, &error);
  g_autofree const char **names = sluice_kind_list_names ();
  g_assert_cmpuint (all->len, ==, g_strv_length ((char **) names));
  for (guint i = 0; i < all->len; i++)
    {
      const SluiceSeriesInfo *series = all->pdata[i];
      g_assert_cmpint (series->n_points, ==, 3);
      g_assert_cmpint (series->last_step, ==, 2);
      g_assert_cmpuint (series->n_segments, ==, 1);
    }
  /* What each came with, not what the first one did. */
  assert_holds (f, "\"start\": 1700000000}");
  assert_holds (f, "\"start\": 1700000002}");
}

static void
test_names (Fixture *f, gconstpointer unused)
{
  static const char *const names[][2] = {
    { "events.out.tfevents.1447000000.host", "1447000000.host" },
    { "events.out.tfevents.1447000000.host.gz", "1447000000.host" },
    { "mine.tfevents", "mine" },
    { "log.gz", "log" },
    { "log", "log" },
    { ".tfevents", ".tfevents" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *name = sluice_import_name_file (names[i][0]);
      g_assert_cmpstr (name, ==, names[i][1]);
    }
  static const char *const files[] = { "events.out.tfevents.1.a", "a/events.out.tfevents.1.a",
                                       "a/b/x.tfevents", "a/b/x.txt", "c/tfevents.profile-empty" };
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      put_version (f, "brain.Event:2");
      put_scalar (f, "loss", 0, i);
      write_file (f, files[i]);
    }
  g_autofree char *circle = dup_path (f, "a/b/back");
  g_assert_cmpint (symlink ("..", circle), ==, 0);
  g_assert_cmpuint (import (f).n_runs, ==, 3);
  assert_holds (f, "logs 0");
  assert_holds (f, "a 0");
  assert_holds (f, "a/b 0");
}

/* ---- again, and in pieces ---- */

static void
test_again (Fixture *f, gconstpointer unused)
{
  put_everything (f, 3);
  write_file (f, "events.out.tfevents.1.host");
  g_assert_cmpuint (import (f).n_scalars, ==, 3);
  g_autofree char *want = dump (f);
  Told told = import (f);
  g_assert_cmpuint (told.n_runs, ==, 1);
  g_assert_cmpuint (told.n_records, ==, 0);
  g_assert_true (told.has_any);
  assert_dump (f, want);
}

/* A file that is cut off wherever one likes, and then goes on. */
static void
test_pieces (Fixture *f, gconstpointer unused)
{
  const char *name = "events.out.tfevents.1.host";
  put_everything (f, 3);
  write_part (f, name, f->file->len);
  import (f);
  g_autofree char *want = dump (f);
  for (gsize cut = 0; cut < f->file->len; cut += f->file->len / 23)
    {
      forget_workspace (f);
      write_part (f, name, cut);
      Told told = import (f);
      g_assert_cmpuint (told.n_damaged, <=, 1);
      if (cut == 0)
        g_assert_cmpstr (told.last_damage, ==, "the file is empty");
      else if (told.n_damaged > 0)
        g_assert_cmpstr (told.last_damage, ==, "the file ends within a record");
      write_part (f, name, f->file->len); /* as another inode, as rsync does */
      told = import (f);
      g_assert_cmpuint (told.n_damaged, ==, 0);
      g_assert_false (told.is_reread);
      assert_dump (f, want);
    }
}

static void
test_new_files (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceStore) store = open_store (f);
  const SluiceImportOptions options = { .follows = TRUE };
  g_autoptr (SluiceImporter) importer = sluice_importer_new (store, &options);
  for (guint i = 0; i < 4; i++)
    {
      Told told = { 0 };
      g_autofree char *name = g_strdup_printf ("run-%u/events.out.tfevents.%u.host", i / 2, i);
      put_version (f, "brain.Event:2");
      put_scalar (f, "loss", i, i);
      write_file (f, name);
      if (i == 0)
        sluice_importer_add (importer, f->logs, &error);
      g_assert_no_error (error);
      g_assert_true (sluice_importer_run (importer, tell, &told, &error));
      g_assert_cmpuint (told.n_scalars, ==, 1);
      g_assert_cmpuint (told.n_runs, ==, i / 2 + 1);
    }
  g_autoptr (GPtrArray) folders = sluice_importer_list_folders (importer);
  g_assert_cmpuint (folders->len, ==, 3);
  remove_tree (f->logs); /* what was read stays */
  Told told = { 0 };
  g_assert_true (sluice_importer_run (importer, tell, &told, &error));
  g_assert_cmpuint (told.n_runs, ==, 0);
  assert_holds (f, "[2, 3]");
}

/* Another file under the name of one that was read: the run is what its files say now. */
static void
test_replaced (Fixture *f, gconstpointer unused)
{
  for (guint i = 0; i < 50; i++)
    put_scalar (f, "old", i, i);
  write_file (f, "events.out.tfevents.1.host");
  put_scalar (f, "other", 0, 7);
  write_file (f, "events.out.tfevents.2.host");
  import (f);
  for (guint i = 0; i < 60; i++)
    put_scalar (f, "new", i, -1.0 * i);
  write_file (f, "events.out.tfevents.1.host");
  Told told = import (f);
  g_assert_true (told.is_reread);
  g_assert_cmpuint (told.n_scalars, ==, 61);
  g_autofree char *got = dump (f);
  g_assert_null (strstr (got, "\"old\""));
  forget_workspace (f);
  import (f);
  assert_dump (f, got);
}

static int n_left;

static int
count_statement (unsigned what, void *data, void *statement, void *text)
{
  if (--n_left == 0)
    raise (SIGKILL);
  return 0;
}

static int
watch_statements (sqlite3 *db, const char **message, const struct sqlite3_api_routines *unused)
{
  return sqlite3_trace_v2 (db, SQLITE_TRACE_STMT, count_statement, NULL);
}

/* TRUE where the child came to its end. */
static gboolean
import_in_child (Fixture *f, int statement)
{
  pid_t child = fork ();
  int status;
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      n_left = statement;
      sqlite3_auto_extension ((void (*) (void)) watch_statements);
      import (f);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFSIGNALED (status) || WEXITSTATUS (status) == 0);
  return WIFEXITED (status);
}

/* Killed at a statement, then imported again: as if nothing had been. */
static void
test_killed (Fixture *f, gconstpointer unused)
{
  guint n_killed = 0;
  put_everything (f, 3);
  write_file (f, "a/events.out.tfevents.1.host");
  for (guint i = 0; i < 3000; i++)
    put_scalar (f, "loss", i, i);
  put_start (f, 1500);
  for (guint i = 1500; i < 3000; i++)
    put_scalar (f, "loss", i, i + 0.5);
  write_file (f, "b/events.out.tfevents.1.host");
  import (f);
  g_autofree char *want = dump (f);
  forget_workspace (f);
  for (int statement = 1; !import_in_child (f, statement); statement += 3)
    {
      n_killed++;
      import (f);
      assert_dump (f, want);
      forget_workspace (f);
    }
  g_test_message ("killed %u times", n_killed);
  g_assert_cmpuint (n_killed, >, 20);
}

/* Two at the same time: one of them stops, nothing is there twice. */
static void
test_at_once (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceStore) store = open_store (f);
  const SluiceImportOptions options = { .follows = TRUE };
  g_autoptr (SluiceImporter) importer = sluice_importer_new (store, &options);
  Told told = { 0 };
  put_version (f, "brain.Event:2");
  put_scalar (f, "loss", 0, 1);
  gsize half = f->file->len;
  put_scalar (f, "loss", 1, 2);
  write_part (f, "events.out.tfevents.1.host", half);
  g_assert_true (sluice_importer_add (importer, f->logs, &error));
  g_assert_true (sluice_importer_run (importer, tell, &told, &error));
  write_file (f, "events.out.tfevents.1.host");
  g_assert_cmpuint (import (f).n_scalars, ==, 1);
  g_assert_false (sluice_importer_run (importer, tell, &told, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_ABORTED);
  g_clear_error (&error);
  g_assert_true (sluice_importer_run (importer, tell, &told, &error));
  assert_holds (f, "\"steps\": [0, 1]");
}

static void
cancel (const SluiceImportProgress *progress, gpointer cancellable)
{
  g_assert_cmpuint (progress->bytes_done, <=, progress->bytes);
  g_assert_cmpstr (progress->run, ==, "logs");
  g_cancellable_cancel (cancellable);
}

static void
test_cancelled (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  for (guint i = 0; i < 5000; i++)
    put_scalar (f, "loss", i, i);
  write_file (f, "events.out.tfevents.1.host");
  {
    g_autoptr (SluiceStore) store = open_store (f);
    const SluiceImportOptions options = { .cancellable = cancellable,
                                          .progress = cancel,
                                          .progress_data = cancellable };
    g_autoptr (SluiceImporter) importer = sluice_importer_new (store, &options);
    Told told = { 0 };
    g_assert_true (sluice_importer_add (importer, f->logs, &error));
    g_assert_false (sluice_importer_run (importer, tell, &told, &error));
    g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED);
  }
  g_assert_cmpuint (import (f).n_damaged, ==, 0);
  assert_holds (f, "\"n\": 5000");
}

/* ---- restarts ---- */

#define LOSS "\"tag\": \"loss\", \"kind\": \"scalar\", "

static void
put_restarted (Fixture *f, const char *version)
{
  put_version (f, version);
  for (gint64 step = 0; step < 6; step++)
    {
      put_scalar (f, "loss", step, (double) step);
      put_record (f, "text", sample_new (&sluice_kind_text, step));
    }
  put_record (f, "hparams", sample_new (&sluice_kind_hparams, 5));
  if (g_str_has_suffix (version, ":2"))
    put_start (f, 3);
  for (gint64 step = 3; step < 5; step++)
    put_scalar (f, "loss", step, (double) step + 0.5);
  write_file (f, "events.out.tfevents.1.host");
}

static void
test_restart (Fixture *f, gconstpointer unused)
{
  put_restarted (f, "brain.Event:2");
  import (f);
  assert_holds (f, LOSS "\"n\": 5, \"steps\": [0, 1, 2, 3, 4]");
  assert_holds (f, "\"values\": [0, 1, 2, 3.5, 4.5]");
  assert_holds (f, "\"tag\": \"text\", \"kind\": \"text\", \"n\": 3");
  assert_holds (f, "\"tag\": \"hparams\", \"kind\": \"hparams\", \"n\": 1"); /* the run's own */
  forget_workspace (f);
  import_with (f, &(SluiceImportOptions){ .overlaps = SLUICE_OVERLAPS_KEEP }, f->logs);
  assert_holds (f, LOSS "\"n\": 8, \"steps\": [0, 1, 2, 3, 4, 5, 3, 4]");
  assert_holds (f, "\"tag\": \"text\", \"kind\": \"text\", \"n\": 6");
}

/* Files of version 1 tell no restart: what comes before a step that was there takes back its own
 * tags. */
static void
test_old_version (Fixture *f, gconstpointer unused)
{
  put_restarted (f, "brain.Event:1");
  import (f);
  assert_holds (f, "\"values\": [0, 1, 2, 3.5, 4.5]");
  assert_holds (f, "\"tag\": \"text\", \"kind\": \"text\", \"n\": 6");
}

/* The restart is in a file of its own, which comes when the first one was read. */
static void
test_restart_later (Fixture *f, gconstpointer unused)
{
  put_version (f, "brain.Event:2");
  for (gint64 step = 0; step < 3000; step++)
    {
      put_scalar (f, "loss", step, 1);
      if (step % 500 == 0)
        put_record (f, "image", sample_new (&sluice_kind_image, step));
    }
  write_file (f, "events.out.tfevents.1.host");
  import (f);
  put_version (f, "brain.Event:2");
  put_start (f, 700);
  for (gint64 step = 700; step < 710; step++)
    put_scalar (f, "loss", step, 2);
  write_file (f, "events.out.tfevents.2.host");
  import (f);
  g_autofree char *got = dump (f);
  assert_holds (f, LOSS "\"n\": 710");
  assert_holds (f, "\"tag\": \"image\", \"kind\": \"image\", \"n\": 2");
  forget_workspace (f);
  import (f);
  assert_dump (f, got);
}

/* ---- steps as they come ---- */

static GArray *
read_points (Fixture *f, gint64 from, gsize max)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceStore) store = open_store (f);
  g_autoptr (GPtrArray) series = sluice_store_dup_series (store, 1, &error);
  GArray *points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  g_assert_true (sluice_store_read_points (store, ((SluiceSeriesInfo *) series->pdata[0])->id, from,
                                           max, points, &error));
  return points;
}

static void
test_same_step (Fixture *f, gconstpointer unused)
{
  for (guint i = 0; i < 5000; i++)
    put_scalar (f, "loss", 0, i);
  for (guint i = 0; i < 3; i++)
    put_record (f, "text", sample_new (&sluice_kind_text, 0));
  write_file (f, "events.out.tfevents.1.host");
  import (f);
  assert_holds (f, "\"n\": 5000");
  assert_holds (f, "4997, 4998, 4999]");
  assert_holds (f, "\"tag\": \"text\", \"kind\": \"text\", \"n\": 3");
  g_autoptr (GArray) points = read_points (f, 0, 10);
  g_assert_cmpuint (points->len, ==, 5000); /* all of the step */
  for (guint i = 0; i < points->len; i++)
    g_assert_cmpfloat (g_array_index (points, SluiceScalar, i).value, ==, i);
}

/* A chart has them in order of steps, however they came. */
static void
test_backwards (Fixture *f, gconstpointer unused)
{
  put_version (f, "brain.Event:2");
  for (gint64 i = 0; i < 4000; i++)
    put_scalar (f, "loss", i, 1);
  for (gint64 i = 0; i < 4000; i++)
    put_scalar (f, "loss", 2000 + i, 2);
  for (gint64 i = 0; i < 10; i++)
    put_scalar (f, "loss", -i, 3);
  write_file (f, "events.out.tfevents.1.host");
  import (f);
  for (gsize max = 10; max < 100000; max *= 10)
    {
      gint64 from = G_MININT64;
      guint n = 0;
      for (gboolean more = TRUE; more;)
        {
          g_autoptr (GArray) points = read_points (f, from, max);
          const SluiceScalar *p = (const SluiceScalar *) points->data;
          for (guint i = 1; i < points->len; i++)
            g_assert_true (p[i].step > p[i - 1].step
                           || (p[i].step == p[i - 1].step && p[i].value > p[i - 1].value));
          n += points->len;
          more = points->len >= max;
          from = points->len > 0 ? p[points->len - 1].step + 1 : from;
        }
      g_assert_cmpuint (n, ==, 8010);
    }
}

static gboolean
check_many (sqlite3_stmt *row, gpointer data, GError **error)
{
  ((int *) data)[sqlite3_column_int (row, 0)] -= sqlite3_column_int (row, 1);
  g_assert_cmpint (sqlite3_column_int (row, 2), ==, 0);
  return TRUE;
}

/* More points than a run has memory for from the beginning, of tags in no order. */
static void
test_many (Fixture *f, gconstpointer unused)
{
  int n_of[2] = { 0 };
  for (gint64 i = 0; i < IMPORT_MANY_POINTS + 10000; i++)
    {
      gboolean tag = g_test_rand_bit ();
      put_scalar (f, tag ? "1" : "0", i, tag);
      n_of[tag]++;
    }
  write_file (f, "events.out.tfevents.1.host");
  import (f);
  g_autoptr (SluiceStore) store = open_store (f);
  sluice_store_query (store,
                      "SELECT tag, sum (n), sum (min != tag + 0 OR max != tag + 0) FROM series "
                      "s JOIN scalar_chunks c ON s.id = c.series GROUP BY tag",
                      check_many, n_of, NULL);
  g_assert_true (n_of[0] == 0 && n_of[1] == 0);
}

static void
test_same_tag (Fixture *f, gconstpointer unused)
{
  for (guint i = 0; i < 2; i++)
    {
      put_scalar (f, "both", i, i);
      put_record (f, "both", sample_new (&sluice_kind_histogram, i));
      write_part (f, "events.out.tfevents.1.host", f->file->len);
      import (f);
    }
  assert_holds (f, "\"tag\": \"both\", \"kind\": \"scalar\", \"n\": 2");
  assert_holds (f, "\"tag\": \"both (histogram)\", \"kind\": \"histogram\", \"n\": 2");
}

/* ---- what is no log ---- */

/* What a session says of its end is the run's state, the last word of several. */
static void
test_session_end (Fixture *f, gconstpointer unused)
{
  static const struct
  {
    guint8 status;
    SluiceRunState state;
  } cases[] = {
    { 3, SLUICE_RUN_STOPPED },  { 2, SLUICE_RUN_FAILED },    { 1, SLUICE_RUN_FINISHED },
    { 0, SLUICE_RUN_FINISHED }, { 77, SLUICE_RUN_FINISHED },
  };
  put_version (f, "brain.Event:2");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      /* HParamsPluginData.session_end_info.status */
      const guint8 end[] = { 4 << 3 | 2, 2, 1 << 3, cases[i].status };
      g_autoptr (GBytes) content = g_bytes_new (end, sizeof end);
      g_autoptr (GError) error = NULL;
      put_record (f, "_hparams_/session_end_info",
                  &sluice_hparams_new ((gint64) i, SAMPLE_WALL, content)->base);
      write_part (f, "events.out.tfevents.1", f->file->len);
      import (f);
      g_autoptr (SluiceStore) store = open_store (f);
      g_autoptr (SluiceRunInfo) run = sluice_store_dup_run (store, "#1", &error);
      g_assert_no_error (error);
      g_assert_cmpint (run->state, ==, cases[i].state);
    }
}

static void
test_bad (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) empty = NULL;
  g_autoptr (SluiceStore) store = open_store (f);
  const SluiceImportOptions options = { 0 };
  g_autoptr (SluiceImporter) importer = sluice_importer_new (store, &options);
  g_assert_false (sluice_importer_add (importer, "/nowhere/at/all", &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_assert_false (sluice_importer_add (importer, f->logs, &empty));
  g_assert_error (empty, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_autofree char *path = dup_path (f, "notes.txt");
  g_file_set_contents (path, "These are notes, and no events.", -1, NULL);
  Told told = import_with (f, &options, path);
  g_assert_cmpuint (told.n_damaged, ==, 1);
  g_assert_false (told.has_any);
  assert_dump (f, "");
}

/* A record that is no event, or a value that no kind can be made of, is told and left out; what
 * stands beside it is read. */
static void
test_bad_records (Fixture *f, gconstpointer unused)
{
  g_autoptr (GByteArray) bad = g_byte_array_new ();
  put_version (f, "brain.Event:2");
  put_scalar (f, "loss", 0, 1);
  g_byte_array_append (bad, (const guint8 *) "\x2a\xff", 2);
  sluice_event_file_put_record (f->file, bad);
  g_autoptr (GByteArray) event = g_byte_array_new ();
  g_autoptr (GByteArray) message = g_byte_array_new ();
  GError *failed = NULL;
  const SluiceEventOut out = { event, "curve", NULL, TRUE, &failed };
  const SluicePluginOut plugin = { "pr_curves", SLUICE_CLASS_TENSOR, NULL };
  sluice_event_file_begin (event, SAMPLE_WALL, 1);
  g_byte_array_append (message, (const guint8 *) "\x08\x01", 2); /* a float without a value */
  sluice_summary_value_put (&out, SLUICE_VALUE_TENSOR, message, &plugin);
  sluice_event_file_put_record (f->file, event);
  put_scalar (f, "\xff\xfe not UTF-8", 1, 2);
  put_scalar (f, "loss", 1, 2);
  write_file (f, "events.out.tfevents.1.host");
  Told told = import (f);
  g_assert_cmpuint (told.n_damaged, ==, 2);
  g_assert_cmpuint (told.n_scalars, ==, 3);
  g_assert_nonnull (strstr (told.last_damage, "curve"));
  assert_holds (f, "\"steps\": [0, 1]");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(name, func) g_test_add ("/store/import/" name, Fixture, NULL, set_up, func, tear_down)
  TEST ("kinds", test_kinds);
  TEST ("names", test_names);
  TEST ("again", test_again);
  TEST ("pieces", test_pieces);
  TEST ("new-files", test_new_files);
  TEST ("replaced", test_replaced);
  TEST ("killed", test_killed);
  TEST ("at-once", test_at_once);
  TEST ("cancelled", test_cancelled);
  TEST ("restart", test_restart);
  TEST ("old-version", test_old_version);
  TEST ("restart-later", test_restart_later);
  TEST ("same-step", test_same_step);
  TEST ("backwards", test_backwards);
  TEST ("many", test_many);
  TEST ("same-tag", test_same_tag);
  TEST ("session-end", test_session_end);
  TEST ("bad", test_bad);
  TEST ("bad-records", test_bad_records);
  return g_test_run ();
}
