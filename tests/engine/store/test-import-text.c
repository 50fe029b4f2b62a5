/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Runs of other trackers into a store: tables, MLflow's and W&B's folders; again, grown, replaced
 * and damaged. */
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/store/flat-yaml.h"
#include "engine/store/import-part.h"
#include "engine/store/import.h"
#include "engine/store/runs.h"
#include "engine/store/wandb-log.h"
#include "engine/store/kinds/hparams.h"
#include "tests/engine/store/wandb-sample.h"
#include "tests/remove-tree.h"

typedef struct
{
  char *folder, *logs;
  SluiceStore *store;
  /* What the last import told: */
  guint n_runs;
  guint64 n_scalars;
  gboolean is_reread;
  GString *damage; /* a line each */
} Fixture;

/* part: so many bytes of a table are read at a time; 0: as usual */
static void
set_up (Fixture *f, gconstpointer part)
{
  sluice_import_parts_set_size (GPOINTER_TO_SIZE (part));
  g_autoptr (GError) error = NULL;
  f->folder = g_dir_make_tmp ("sluice-trackers-XXXXXX", &error);
  f->logs = g_build_filename (f->folder, "logs", NULL);
  g_autofree char *workspace = g_build_filename (f->folder, "workspace", NULL);
  g_mkdir (f->logs, 0777);
  f->store = sluice_store_open (workspace, &error);
  f->damage = g_string_new (NULL);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  g_clear_object (&f->store);
  remove_tree (f->folder);
  g_string_free (f->damage, TRUE);
  g_free (f->folder);
  g_free (f->logs);
}

static void
put_bytes (Fixture *f, const char *name, const void *bytes, gsize length)
{
  g_autofree char *path = g_build_filename (f->logs, name, NULL);
  g_autofree char *folder = g_path_get_dirname (path);
  g_mkdir_with_parents (folder, 0777);
  FILE *file = fopen (path, "w"); /* in its place, as a program that appends to it */
  g_assert_nonnull (file);
  g_assert_cmpuint (fwrite (bytes, 1, length, file), ==, length);
  g_assert_cmpint (fclose (file), ==, 0);
}

static void
put (Fixture *f, const char *name, const char *text)
{
  put_bytes (f, name, text, strlen (text));
}

static gboolean
tell (const SluiceImportedRun *run, gpointer data, GError **error)
{
  Fixture *f = data;
  f->n_runs++;
  f->n_scalars += run->n_of_kind[SLUICE_SERIES_SCALAR];
  f->is_reread |= run->is_reread;
  for (guint i = 0; i < run->damaged->len; i++)
    {
      const SluiceDamage *damage = run->damaged->pdata[i];
      g_string_append_printf (f->damage, "%" G_GUINT64_FORMAT " %s\n", damage->offset,
                              damage->what);
    }
  return TRUE;
}

/* name: (nullable): below the logs; all of them */
static void
import (Fixture *f, const char *name, gboolean follows)
{
  g_autoptr (GError) error = NULL;
  const SluiceImportOptions options = { .follows = follows };
  g_autoptr (SluiceImporter) importer = sluice_importer_new (f->store, &options);
  g_autofree char *path = g_build_filename (f->logs, name, NULL);
  f->n_runs = 0;
  f->n_scalars = 0;
  f->is_reread = FALSE;
  g_string_truncate (f->damage, 0);
  sluice_importer_add (importer, path, &error);
  g_assert_no_error (error);
  sluice_importer_run (importer, tell, f, &error);
  g_assert_no_error (error);
}

static void
append_points (Fixture *f, GString *text, const SluiceSeriesInfo *series)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (SluiceScalar));
  g_autoptr (GError) error = NULL;
  sluice_store_read_points (f->store, series->id, G_MININT64, 1000, points, &error);
  g_assert_no_error (error);
  g_string_append_printf (text, " %s:", series->tag);
  for (guint i = 0; i < points->len; i++)
    {
      const SluiceScalar *point = &g_array_index (points, SluiceScalar, i);
      g_string_append_printf (text, " %" G_GINT64_FORMAT "=%g", point->step, point->value);
    }
}

static void
append_run (Fixture *f, GString *text, const SluiceRunEntry *row)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) series = sluice_store_dup_series (f->store, row->info->id, &error);
  g_string_append_printf (text, "%s %s", row->info->name, sluice_run_state_name (row->info->state));
  if (row->info->project != NULL)
    g_string_append_printf (text, " project %s", row->info->project);
  if (row->info->notes != NULL)
    g_string_append_printf (text, " notes %s", row->info->notes);
  for (guint i = 0; row->info->tags != NULL && row->info->tags[i] != NULL; i++)
    g_string_append_printf (text, " +%s", row->info->tags[i]);
  for (guint i = 0; i < row->settings->len; i++)
    {
      const SluiceSetting *setting = row->settings->pdata[i];
      if (setting->text != NULL)
        g_string_append_printf (text, " %s='%s'", setting->name, setting->text);
      else
        g_string_append_printf (text, " %s=%g", setting->name, setting->number);
    }
  for (guint i = 0; i < series->len; i++)
    if (((SluiceSeriesInfo *) series->pdata[i])->kind == SLUICE_SERIES_SCALAR)
      append_points (f, text, series->pdata[i]);
  g_string_append_c (text, '\n');
}

static void
assert_runs (Fixture *f, const char *want)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) rows = sluice_store_read_run_entries (f->store, FALSE, &error);
  g_autoptr (GString) text = g_string_new (NULL);
  g_assert_no_error (error);
  for (guint i = rows->len; i-- > 0;)
    append_run (f, text, rows->pdata[i]);
  g_assert_cmpstr (text->str, ==, want);
}

/* Nothing comes twice. */
static void
assert_nothing_new (Fixture *f, const char *name)
{
  guint before = f->n_runs;
  import (f, name, FALSE);
  g_assert_cmpuint (f->n_runs, ==, before);
  g_assert_cmpuint (f->n_scalars, ==, 0);
  g_assert_false (f->is_reread);
}

static void
assert_refused (Fixture *f, const char *name, const char *words)
{
  g_autoptr (GError) error = NULL;
  const SluiceImportOptions options = { 0 };
  g_autoptr (SluiceImporter) importer = sluice_importer_new (f->store, &options);
  g_autofree char *path = g_build_filename (f->logs, name, NULL);
  g_assert_false (sluice_importer_add (importer, path, &error));
  g_assert_nonnull (error);
  if (strstr (error->message, words) == NULL)
    g_error ("'%s' is not in '%s'", words, error->message);
}

/* ---- tables ---- */

static void
test_csv (Fixture *f, gconstpointer unused)
{
  put (f, "a.csv",
       "\xef\xbb\xbf"
       "epoch,Step,\"train, loss\",note,val\r\n"
       "0,1,0.5,\"two\nlines\",\r\n"
       "0,2,nan,x,0.25\r\n"
       "1,3,inf,y,NA\r\n");
  import (f, NULL, FALSE);
  g_assert_cmpstr (f->damage->str, ==, "");
  const char *want = "a finished epoch: 1=0 2=0 3=1 train, loss: 1=0.5 2=nan 3=inf val: 2=0.25\n";
  assert_runs (f, want);
  assert_nothing_new (f, NULL);
  assert_runs (f, want);
}

static void
test_csv_damage (Fixture *f, gconstpointer unused)
{
  put (f, "a.csv", "step,loss\n1,0.5\nx,1\n2,oops\n3\n4,\"0.25\n5,1\n6,0.125\n");
  import (f, "a.csv", FALSE);
  g_assert_cmpstr (f->damage->str, ==,
                   "16 line 3, column “step”: “x” is no step, which is a whole number\n"
                   "20 line 4, column “loss”: “oops” is no number\n"
                   "27 line 5: 1 cells, where the first line has another number of names\n"
                   "29 line 6: a quote is not closed, or stands where none may be\n");
  assert_runs (f, "a finished loss: 1=0.5 5=1 6=0.125\n");
  assert_nothing_new (f, "a.csv");
}

static void
test_csv_runs (Fixture *f, gconstpointer unused)
{
  put (f, "many.csv", "run;step;loss\nA;1;0.5\nB;1;0.25\nA;2;0.125\n");
  import (f, NULL, FALSE);
  assert_runs (f, "A finished loss: 1=0.5 2=0.125\nB finished loss: 1=0.25\n");
  put (f, "many.csv", "run;step;loss\nA;1;0.5\nB;1;0.25\nA;2;0.125\nB;2;3\nC;1;4\n");
  import (f, NULL, FALSE);
  g_assert_cmpuint (f->n_scalars, ==, 2);
  g_assert_false (f->is_reread);
  assert_runs (f, "A finished loss: 1=0.5 2=0.125\nB finished loss: 1=0.25 2=3\n"
                  "C finished loss: 1=4\n");
}

static void
test_csv_long (Fixture *f, gconstpointer unused)
{
  put (f, "long.csv",
       "run,tag,kind,step,wall_time,value\n"
       "r,loss,scalar,1,1600000000,0.5\n"
       "r,h,histogram,1,1600000000,\"{\"\"min\"\": 1}\"\n"
       "r,acc,scalar,1,2020-09-13T12:26:41,1\n");
  import (f, "long.csv", FALSE);
  g_assert_cmpstr (f->damage->str, ==, "");
  assert_runs (f, "r finished acc: 1=1 loss: 1=0.5\n");
}

/* What is not whole yet waits; what another program put in its place is read anew. */
static void
test_csv_grows (Fixture *f, gconstpointer unused)
{
  put (f, "a.csv", "step,loss\n1,0.5\n2,0.2");
  import (f, NULL, TRUE);
  assert_runs (f, "a finished loss: 1=0.5\n");
  put (f, "a.csv", "step,loss\n1,0.5\n2,0.25\n3,1");
  import (f, NULL, FALSE);
  assert_runs (f, "a finished loss: 1=0.5 2=0.25 3=1\n");
  put (f, "a.csv", "step,loss\n1,0.5\n2,0.25\n3,17\n");
  import (f, NULL, FALSE);
  g_assert_true (f->is_reread);
  assert_runs (f, "a finished loss: 1=0.5 2=0.25 3=17\n");
  put (f, "a.csv", "step,loss\n1,7\n");
  import (f, NULL, FALSE);
  g_assert_true (f->is_reread);
  assert_runs (f, "a finished loss: 1=7\n");
}

/* Three runs by turns, with cells over several lines, in a table of many parts; read to the end of
 * what there is twice. */
static void
test_csv_parts (Fixture *f, gconstpointer part)
{
  GString *text = g_string_new ("step,run,note,loss\n"), *runs[3];
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      runs[i] = g_string_new (NULL);
      g_string_printf (runs[i], "r%u finished loss:", i);
    }
  for (guint i = 0; i < 200; i++)
    {
      guint run = i * 7 % 5 % 3;
      g_string_append_printf (text, "%u,r%u,%s,%u\n", i, run,
                              i % 4 == 0 ? "\"a\nlonger, \"\"quoted\"\"\n\"" : "", i % 13);
      g_string_append_printf (runs[run], " %u=%u", i, i % 13);
      if (i != 120)
        continue;
      put (f, "many.csv", text->str);
      import (f, NULL, TRUE);
      g_assert_cmpuint (f->n_scalars, ==, 121);
    }
  put (f, "many.csv", text->str);
  import (f, NULL, FALSE);
  g_assert_cmpstr (f->damage->str, ==, "");
  g_assert_cmpuint (f->n_scalars, ==, 79);
  g_assert_false (f->is_reread);
  g_autofree char *want =
      g_strdup_printf ("%s\n%s\n%s\n", runs[0]->str, runs[2]->str, runs[1]->str);
  assert_runs (f, want);
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    g_string_free (runs[i], TRUE);
  g_string_free (text, TRUE);
}

/* As a program that was killed may leave them. */
static void
test_csv_zeros (Fixture *f, gconstpointer part)
{
  static const char head[] = "step,run,loss\n1,A,0.5\n2,B,0.25\n3,A,1\n";
  char text[400] = { 0 };
  memcpy (text, head, strlen (head));
  put_bytes (f, "a.csv", text, sizeof text);
  import (f, NULL, FALSE);
  assert_runs (f, "A finished loss: 1=0.5 3=1\nB finished loss: 2=0.25\n");
  memcpy (text, "step,nun", 8);
  put_bytes (f, "b.csv", text, sizeof text);
  import (f, "b.csv", FALSE);
  g_assert_cmpstr (f->damage->str, ==, "37 bytes of 0 are no text\n");
  assert_nothing_new (f, "b.csv");
}

/* Longer than what is read at a time: it is told, and what follows is read. */
static void
test_csv_long_record (Fixture *f, gconstpointer part)
{
  g_autofree char *blanks = g_strnfill (300, ' ');
  g_autofree char *text = g_strdup_printf ("step,loss\n1,0.5\n2,%s0.25\n3,1\n", blanks);
  put (f, "a.csv", text);
  import (f, NULL, FALSE);
  g_assert_nonnull (strstr (f->damage->str, "16 line 3: it is longer than what is read at a time"));
  assert_runs (f, "a finished loss: 1=0.5 3=1\n");
}

static void
test_csv_refused (Fixture *f, gconstpointer unused)
{
  put (f, "a.csv", "x,y\n1,2\n");
  assert_refused (f, "a.csv", "step");
  put (f, "b.csv", "");
  assert_refused (f, "b.csv", "first line");
  put (f, "c.csv", "step,name\n1,a\n");
  assert_refused (f, "c.csv", "numbers");
  /* Data, not points. */
  put (f, "d.csv", "time,temperature\n1,2\n");
  assert_refused (f, "", "column step");
}

/* ---- MLflow ---- */

#define RUN "mlruns/1/ab12/"

static void
put_mlflow (Fixture *f, const char *status)
{
  g_autofree char *meta = g_strdup_printf ("artifact_uri: file:///x\nend_time: 1600000009000\n"
                                           "run_id: ab12\nrun_name: 'quick ''one'''\n"
                                           "start_time: 1600000000000\nstatus: %s\n",
                                           status);
  put (f, "mlruns/1/meta.yaml", "experiment_id: '1'\nname: digits\n");
  put (f, RUN "meta.yaml", meta);
  put (f, RUN "params/lr", "0.1");
  put (f, RUN "params/model/kind", "lenet");
  put (f, RUN "tags/mlflow.note.content", "Some *words*");
  put (f, RUN "tags/mlflow.user", "root");
  put (f, RUN "tags/team", "blue");
}

static void
test_mlflow (Fixture *f, gconstpointer unused)
{
  put_mlflow (f, "1");
  put (f, RUN "metrics/train/loss", "1600000000000 0.5 0\n1600000001000 nan 1\n");
  put (f, RUN "metrics/acc", "1600000000000 0.25 0\n");
  import (f, NULL, FALSE);
  g_assert_cmpstr (f->damage->str, ==, "");
  assert_runs (f, "quick 'one' stopped project digits notes Some *words* +team=blue lr=0.1 "
                  "model/kind='lenet' acc: 0=0.25 train/loss: 0=0.5 1=nan\n");
  assert_nothing_new (f, NULL);
  put_mlflow (f, "3");
  put (f, RUN "params/lr", "0.2");
  put (f, RUN "metrics/acc", "1600000000000 0.25 0\n1600000002000 0.5 2\n");
  import (f, NULL, FALSE);
  g_assert_cmpuint (f->n_scalars, ==, 1);
  assert_runs (f, "quick 'one' finished project digits notes Some *words* +team=blue lr=0.2 "
                  "model/kind='lenet' acc: 0=0.25 2=0.5 train/loss: 0=0.5 1=nan\n");
}

static void
test_mlflow_damage (Fixture *f, gconstpointer unused)
{
  put (f, RUN "meta.yaml", "run_uuid: ab12\nstatus: 4\nwhat is this\n");
  put (f, RUN "metrics/loss",
       "x 1 1\n1600000000000 y 1\n1600000000000 1 z\n1 2 3 4\n"
       "1600000000000 0.5\n");
  import (f, NULL, FALSE);
  g_assert_cmpstr (f->damage->str, ==,
                   "0 line 3: neither 'key: value' nor an item of a list\n"
                   "0 line 1: the first number is no time\n"
                   "6 line 2: the second word is no number\n"
                   "24 line 3: the third word is no step\n"
                   "42 line 4: it is no 'time value step'\n");
  assert_runs (f, "mlruns/1/ab12 failed loss: 0=0.5\n");
}

/* ---- W&B ---- */

#define WANDB "wandb/run-20260101_000000-id/"

static void
test_wandb_log (Fixture *f, gconstpointer unused)
{
  g_autoptr (GByteArray) log = g_byte_array_new ();
  wandb_sample_begin (log);
  wandb_sample_put_run (log, "lively", "lr", "0.1");
  wandb_sample_put_point (log, 0, "loss", "0.5");
  wandb_sample_put_point (log, 1, "loss", "\"NaN\"");
  wandb_sample_put_point (log, 1, "deep", "{\"a\": {\"b\": 2}, \"c\": [1], \"d\": \"text\"}");
  wandb_sample_put_point (log, 1, "picture", "{\"_type\": \"image-file\", \"width\": 3}");
  put_bytes (f, WANDB "run-id.wandb", log->data, log->len);
  import (f, NULL, FALSE);
  g_assert_cmpstr (f->damage->str, ==, "");
  assert_runs (f, "lively stopped project project notes notes +tag lr=0.1 deep.a.b: 1=2 "
                  "loss: 0=0.5 1=nan\n");
  assert_nothing_new (f, NULL);
  wandb_sample_put_point (log, 2, "loss", "0.25");
  wandb_sample_put_exit (log, 0);
  put_bytes (f, WANDB "run-id.wandb", log->data, log->len);
  import (f, NULL, FALSE);
  g_assert_cmpuint (f->n_scalars, ==, 1);
  assert_runs (f, "lively finished project project notes notes +tag lr=0.1 deep.a.b: 1=2 "
                  "loss: 0=0.5 1=nan 2=0.25\n");
}

/* Records over the ends of blocks, and one that is damaged. */
static void
test_wandb_blocks (Fixture *f, gconstpointer unused)
{
  g_autoptr (GByteArray) log = g_byte_array_new ();
  g_autofree char *blank = g_strnfill (70000, ' ');
  g_autofree char *long_value = g_strconcat (blank, "\"x\"", NULL);
  wandb_sample_begin (log);
  wandb_sample_put_point (log, 0, "loss", "1");
  wandb_sample_put_point (log, 1, "text", long_value);
  wandb_sample_put_point (log, 1, "loss", "2");
  gsize at = log->len;
  wandb_sample_put_point (log, 2, "loss", "3");
  while (log->len % 32768 < 32768 - 60)
    wandb_sample_put_point (log, 2, "more", "3");
  wandb_sample_put_point (log, 2, "more", "3"); /* lies in two blocks */
  wandb_sample_put (log, (const guint8 *) "\0", 1);
  wandb_sample_put (log, (const guint8 *) "", 0);
  wandb_sample_put_point (log, 9, "loss", "4");
  log->data[at + 20] ^= 1;
  put_bytes (f, WANDB "run-id.wandb", log->data, log->len - 3);
  import (f, NULL, FALSE);
  g_autofree char *want =
      g_strdup_printf ("%" G_GSIZE_FORMAT " the checksum of a record is wrong\n", at);
  g_assert_true (g_str_has_prefix (f->damage->str, want));
  g_assert_nonnull (strstr (f->damage->str, "the file ends within a record\n"));
  assert_runs (f, "wandb/run-20260101_000000-id stopped loss: 0=1 1=2\n");
  put_bytes (f, WANDB "run-id.wandb", log->data, log->len);
  import (f, NULL, FALSE);
  assert_runs (f, "wandb/run-20260101_000000-id stopped loss: 0=1 1=2 9=4\n");
}

static void
test_wandb_files (Fixture *f, gconstpointer unused)
{
  g_autofree char *latest = g_build_filename (f->logs, "wandb", "latest-run", NULL);
  put (f, WANDB "files/config.yaml",
       "wandb_version: 1\n\n_wandb:\n  desc: null\n  value:\n    cli: 0.10\n"
       "lr:\n  desc: null\n  value: 0.01\nlayers:\n  value:\n  - 64\n  - 32\n"
       "net:\n  value:\n    kind: 'lenet'\n    # which one\n    size: 5 # or so\n");
  put (f, WANDB "files/wandb-metadata.json", "{\"startedAt\": \"2020-09-13T12:26:40Z\"}");
  put (f, WANDB "files/wandb-summary.json", "{\"loss\": 0.5, \"_step\": 3, \"_timestamp\": 16e8}");
  g_assert_cmpint (symlink ("run-20260101_000000-id", latest), ==, 0);
  import (f, NULL, FALSE);
  g_assert_cmpstr (f->damage->str, ==, "");
  g_assert_cmpuint (f->n_runs, ==, 1);
  assert_runs (f, "wandb/run-20260101_000000-id finished layers='64, 32' lr=0.01 "
                  "net.kind='lenet' net.size=5 loss: 3=0.5\n");
  assert_nothing_new (f, NULL);
  put (f, WANDB "files/wandb-summary.json", "{\"loss\": 0.25, \"_step\": 4}");
  import (f, NULL, FALSE);
  assert_runs (f, "wandb/run-20260101_000000-id finished layers='64, 32' lr=0.01 "
                  "net.kind='lenet' net.size=5 loss: 4=0.25\n");
}

static void
test_wandb_lines (Fixture *f, gconstpointer unused)
{
  g_autoptr (GString) deep = g_string_new ("{\"a\": ");
  for (guint i = 0; i < 100000; i++)
    g_string_append_c (deep, '[');
  g_string_prepend (deep, "{\"loss\": 0.5, \"_step\": 0}\n{\"loss\": \n");
  g_string_append (deep, "\n{\"loss\": 0.25, \"_step\": 3, \"s\": \"{[\\\"\"}\n");
  put (f, WANDB "files/wandb-metadata.json", "{\"startedAt\": 5}");
  put_bytes (f, WANDB "files/wandb-history.jsonl", deep->str, deep->len);
  import (f, NULL, FALSE);
  g_assert_nonnull (strstr (f->damage->str, "line 2: "));
  g_assert_nonnull (strstr (f->damage->str, "line 3: JSON lies too deep"));
  assert_runs (f, "wandb/run-20260101_000000-id finished loss: 0=0.5 3=0.25\n");
  assert_nothing_new (f, NULL);
}

/* A line that another program is in the middle of is read when its rest is there. */
static void
test_wandb_torn_line (Fixture *f, gconstpointer unused)
{
  put (f, WANDB "files/wandb-metadata.json", "{}");
  put (f, WANDB "files/wandb-history.jsonl", "{\"loss\": 1, \"_step\": 0}\n{\"loss\": 2");
  import (f, NULL, FALSE);
  g_assert_nonnull (strstr (f->damage->str, "line 2: "));
  put (f, WANDB "files/wandb-history.jsonl",
       "{\"loss\": 1, \"_step\": 0}\n{\"loss\": 2, \"_step\": 1}");
  import (f, NULL, FALSE);
  g_assert_cmpstr (f->damage->str, ==, "");
  put (f, WANDB "files/wandb-history.jsonl",
       "{\"loss\": 1, \"_step\": 0}\n{\"loss\": 2, \"_step\": 1}\n{\"loss\": 3, \"_step\": 2}\n");
  import (f, NULL, FALSE);
  g_assert_cmpstr (f->damage->str, ==, "");
  assert_runs (f, "wandb/run-20260101_000000-id finished loss: 0=1 1=2 2=3\n");
}

static void
test_aim (Fixture *f, gconstpointer unused)
{
  put (f, ".aim/meta/CURRENT", "MANIFEST-000001\n");
  assert_refused (f, "", "Aim");
}

/* ---- YAML ---- */

static void
append_value (
    const char *const *keys, guint n_keys, const char *value, gboolean is_quoted, gpointer data)
{
  for (guint i = 0; i < n_keys; i++)
    g_string_append_printf (data, "%s%s", i > 0 ? "/" : "", keys[i]);
  g_string_append_printf (data, "%s%s\n", is_quoted ? "~" : "=", value);
}

static void
test_yaml (void)
{
  static const struct
  {
    const char *text, *want, *error; /* error: (nullable) */
  } cases[] = {
    { "a: 1\nb: x y # no\n", "a=1\nb=x y\n", NULL },
    { "a:\n  b:\n    c: 1\n  d: 2\ne: 3\n", "a/b/c=1\na/d=2\ne=3\n", NULL },
    { "a: 'it''s'\nb: \"x\\n\\\"y\"\n", "a~it's\nb~x\n\"y\n", NULL },
    { "a: long words\n  go on\n  here\nb: 1\n", "a=long words go on here\nb=1\n", NULL },
    { "a: 'long\n  words'\n", "a~long words\n", NULL },
    { "a: |\n  one\n  two\nb: 2", "a~one\ntwo\nb=2\n", NULL },
    { "a:\n- 1\n- x\nb:\n  - y\n", "a=1\na=x\nb=y\n", NULL },
    { "a:\n- k: 1\n  l: 2\n- z\n", "a=z\n", NULL },
    { "'a b': 1\n---\n# x\n\nc: {d: 1}\n", "a b=1\nc={d: 1}\n", NULL },
    { "http://x: y\n", "http://x=y\n", NULL },
    { "a: 1\nwhat\n", "a=1\n", "line 2" },
    { "a: 'open\nb: 1\n", "", "quote" },
    { "\ta: 1\n", "", "tab" },
    { "a: \xff\n", "", "UTF-8" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GString) found = g_string_new (NULL);
      gboolean ok = sluice_flat_yaml_each (cases[i].text, strlen (cases[i].text), append_value,
                                           found, &error);
      g_assert_cmpstr (found->str, ==, cases[i].want);
      g_assert_true (ok == (cases[i].error == NULL));
      if (!ok)
        g_assert_nonnull (strstr (error->message, cases[i].error));
    }
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*test) (Fixture *f, gconstpointer part);
  } tables[] = {
    { "csv", test_csv },
    { "csv-damage", test_csv_damage },
    { "csv-runs", test_csv_runs },
    { "csv-long", test_csv_long },
    { "csv-grows", test_csv_grows },
    { "csv-parts", test_csv_parts },
    { "csv-refused", test_csv_refused },
    { "csv-zeros", test_csv_zeros },
  };
  static const guint parts[] = { 0, 48, 61, 97 };
  g_test_init (&argc, &argv, NULL);
#define ADD(name, test) g_test_add ("/import-text/" name, Fixture, NULL, set_up, test, tear_down)
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    for (guint k = 0; k < G_N_ELEMENTS (parts); k++)
      {
        g_autofree char *path = g_strdup_printf ("/import-text/%s/%u", tables[i].name, parts[k]);
        g_test_add (path, Fixture, GUINT_TO_POINTER (parts[k]), set_up, tables[i].test, tear_down);
      }
  g_test_add ("/import-text/csv-long-record", Fixture, GUINT_TO_POINTER (64), set_up,
              test_csv_long_record, tear_down);
  ADD ("mlflow", test_mlflow);
  ADD ("mlflow-damage", test_mlflow_damage);
  ADD ("wandb-log", test_wandb_log);
  ADD ("wandb-blocks", test_wandb_blocks);
  ADD ("wandb-files", test_wandb_files);
  ADD ("wandb-lines", test_wandb_lines);
  ADD ("wandb-torn-line", test_wandb_torn_line);
  ADD ("aim", test_aim);
  g_test_add_func ("/import-text/yaml", test_yaml);
  return g_test_run ();
}
