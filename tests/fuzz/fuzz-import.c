/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Fuzzes the import of other trackers' runs: tables, MLflow's and W&B's folders. The first byte
 * says which file of them the others are. Whatever it is, it is refused, or read; and to import it
 * again adds nothing.
 */
#include <string.h>

#include "engine/store/draft.h"
#include "engine/store/import.h"
#include "tests/engine/store/wandb-sample.h"
#include "tests/fuzz/fuzz-driver.h"
#include "tests/fuzz/fuzz-folder.h"

#define SIGNED 0x80 /* of a log of W&B: chance does not find checksums */

/* The file that is fuzzed, and one that makes a run of its folder. */
static const struct
{
  const char *name, *beside, *text;
} files[] = {
  { "a.csv", NULL, NULL },
  { "r/metrics/m", "r/meta.yaml", "run_id: r\n" },
  { "r/meta.yaml", "r/params/p", "1" },
  { "w/run-a.wandb", NULL, NULL },
  { "w/files/wandb-history.jsonl", "w/files/wandb-metadata.json", "{}" },
  { "w/files/config.yaml", "w/files/wandb-metadata.json", "{}" },
  { "w/files/wandb-summary.json", NULL, NULL },
  { "w/files/wandb-metadata.json", NULL, NULL },
};

/* So many go into the store before it is emptied: a transaction takes longer than the rest. */
#define KEPT 64

static char *folder, *logs; /* logs: of the input at hand, none has those of another */
static guint n_inputs;
static SluiceStore *store;

static void
tear_down (void)
{
  g_clear_object (&store);
  fuzz_folder_remove (folder);
}

void
fuzz_init (void)
{
  folder = fuzz_folder_new ();
  g_autofree char *workspace = g_build_filename (folder, "workspace", NULL);
  store = sluice_store_open (workspace, NULL);
  g_assert_nonnull (store);
  atexit (tear_down);
}

static void
put (const char *name, const void *bytes, gsize length)
{
  g_autofree char *path = g_build_filename (logs, name, NULL);
  g_autofree char *below = g_path_get_dirname (path);
  g_mkdir_with_parents (below, 0777);
  FILE *file = fopen (path, "w");
  g_assert_nonnull (file);
  fwrite (bytes, 1, length, file);
  fclose (file);
}

static gboolean
count (const SluiceImportedRun *run, gpointer data, GError **error)
{
  *(guint64 *) data += run->n_of_kind[SLUICE_SERIES_SCALAR];
  return TRUE;
}

/* FALSE: it is none of them. */
static gboolean
import (guint64 *n)
{
  g_autoptr (GError) error = NULL;
  const SluiceImportOptions options = { 0 };
  g_autoptr (SluiceImporter) importer = sluice_importer_new (store, &options);
  *n = 0;
  if (!sluice_importer_add (importer, logs, &error))
    {
      g_assert_nonnull (error);
      return FALSE;
    }
  g_assert_true (sluice_importer_run (importer, count, n, &error) == (error == NULL));
  g_assert_no_error (error);
  return TRUE;
}

static void
forget_all (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) runs = sluice_store_dup_runs (store, &error);
  for (guint i = 0; runs != NULL && i < runs->len; i++)
    sluice_store_purge_run (store, ((SluiceRunInfo *) runs->pdata[i])->id, &error);
  g_assert_no_error (error);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  if (size == 0)
    return 0;
  guint which = data[0] % G_N_ELEMENTS (files);
  g_autofree guint8 *bytes = g_memdup2 (data + 1, size - 1);
  guint64 n;
  logs = g_strdup_printf ("%s/%u", folder, n_inputs++);
  if (data[0] & SIGNED)
    wandb_sample_sign (bytes, size - 1);
  if (files[which].beside != NULL)
    put (files[which].beside, files[which].text, strlen (files[which].text));
  put (files[which].name, bytes, size - 1);
  if (import (&n))
    {
      /* A summary is read as a whole, and replaces what it was. */
      import (&n);
      g_assert_cmpuint (n, ==, 0);
    }
  fuzz_folder_remove (logs);
  g_clear_pointer (&logs, g_free);
  if (n_inputs % KEPT == 0)
    forget_all ();
  return 0;
}

static void
add_seed (GPtrArray *seeds, guint8 which, const void *bytes, gsize length)
{
  GByteArray *seed = g_byte_array_new ();
  g_byte_array_append (seed, &which, 1);
  g_byte_array_append (seed, bytes, (guint) length);
  g_ptr_array_add (seeds, g_byte_array_free_to_bytes (seed));
}

GPtrArray *
fuzz_seeds (void)
{
  static const struct
  {
    guint8 which;
    const char *text;
  } texts[] = {
    { 0, "step,loss,val\n1,0.5,\n2,nan,\"0.25\"\n" },
    { 0, "run;epoch;wall time;loss\na;1;1600000000;1\nb;1;2020-01-01T00:00:00;2\na;2;5;x\n" },
    { 0, "run,tag,kind,step,value\nr,loss,scalar,1,0.5\nr,h,histogram,1,\"{}\"\n" },
    { 1, "1600000000000 0.5 0\n1600000001000 nan 1\n1600000002000 1e3\n" },
    { 2, "run_id: 'a b'\nrun_name: \"x\\ny\"\nstatus: 3\nstart_time: 1600000000000\n" },
    { 4, "{\"_step\": 1, \"loss\": 0.5, \"a\": {\"b\": [1, \"NaN\"]}}\n{\"loss\": \"NaN\"}\n" },
    { 5, "_wandb:\n  value:\n    a: 1\nlr:\n  desc: null\n  value: 0.1\nl:\n  value:\n  - 1\n  - "
         "x: 2\n" },
    { 6, "{\"_step\": 3, \"_timestamp\": 1600000000.5, \"loss\": 0.5, \"a\": {\"b\": 1}}" },
    { 7, "{\"startedAt\": \"2020-01-01T00:00:00.5Z\"}" },
  };
  GPtrArray *seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    add_seed (seeds, texts[i].which, texts[i].text, strlen (texts[i].text));
  g_autoptr (GByteArray) log = g_byte_array_new ();
  wandb_sample_begin (log);
  wandb_sample_put_run (log, "name", "lr", "{\"a\": 1}");
  wandb_sample_put_point (log, 0, "loss", "0.5");
  wandb_sample_put_point (log, 1, "deep", "{\"a\": {\"b\": \"NaN\"}}");
  wandb_sample_put_exit (log, 1);
  add_seed (seeds, 3, log->data, log->len);
  add_seed (seeds, 3 | SIGNED, log->data, log->len);
  return seeds;
}
