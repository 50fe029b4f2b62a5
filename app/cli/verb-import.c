/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <gio/gio.h>
#include <glib-unix.h>
#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "app/import-words.h"
#include "app/log-watch.h"
#include "engine/base/error.h"
#include "engine/store/import.h"

static char *workspace_option, *overlaps_name;
static gboolean follow;

static const GOptionEntry options[] = {
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace_option,
    N_ ("Folder of the runs (the data folder of the user)"), N_ ("DIR") },
  { "overlaps", 0, 0, G_OPTION_ARG_STRING, &overlaps_name,
    N_ ("What becomes of what a restarted program logged twice: drop (the newer stays, by "
        "TensorBoard's rule) or keep (all of it stays)"),
    N_ ("RULE") },
  { "follow", 0, 0, G_OPTION_ARG_NONE, &follow,
    N_ ("Go on reading what is added to the files, and new files, until interrupted"), NULL },
  G_OPTION_ENTRY_NULL,
};

/* ---- what is told ---- */

static void
print_words (const SluiceImportedRun *run)
{
  g_autofree char *counts = sluice_import_words_dup_counts (run->n_of_kind);
  printf (_ ("run %s: %s\n"), run->run, counts);
  if (run->is_reread)
    printf (_ ("  a file was replaced by another one: all of the run was read anew\n"));
  for (guint i = 0; i < run->damaged->len; i++)
    {
      g_autofree char *damage = sluice_import_words_dup_damage (run->damaged->pdata[i]);
      fprintf (stderr, "%s\n", damage);
    }
  if (run->n_more_damaged > 0)
    fprintf (stderr, _ ("and %" PRIu64 " more like these\n"), run->n_more_damaged);
}

static void
print_json (const SluiceImportedRun *run)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "run", run->run);
  sluice_cli_json_string (b, "source", run->source);
  sluice_cli_json_int (b, "files", run->n_files);
  sluice_cli_json_int (b, "records", (gint64) run->n_records);
  for (guint i = 0; i < sluice_n_import_counts; i++)
    sluice_cli_json_int (b, sluice_import_counts[i].name,
                         (gint64) run->n_of_kind[sluice_import_counts[i].kind]);
  sluice_cli_json_bool (b, "reread", run->is_reread);
  json_builder_set_member_name (b, "damaged");
  json_builder_begin_array (b);
  for (guint i = 0; i < run->damaged->len; i++)
    {
      const SluiceDamage *damage = run->damaged->pdata[i];
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "file", damage->file);
      sluice_cli_json_int (b, "offset", (gint64) damage->offset);
      sluice_cli_json_string (b, "what", damage->what);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  sluice_cli_json_int (b, "more_damaged", (gint64) run->n_more_damaged);
  sluice_cli_json_end (b);
}

typedef struct
{
  SluiceImporter *importer;
  guint n_runs;      /* that were told in the first pass */
  gboolean has_any;  /* something could be read */
  gboolean has_none; /* of a run nothing could */
  gboolean again;    /* it is not the first pass */
} Telling;

static gboolean
tell_run (const SluiceImportedRun *run, gpointer data, GError **error)
{
  Telling *telling = data;
  telling->n_runs += !telling->again;
  telling->has_any |= run->has_any;
  telling->has_none |= !run->has_any;
  if (telling->again && run->n_records == 0 && !run->is_reread)
    return TRUE;
  if (sluice_cli_json)
    print_json (run);
  else
    print_words (run);
  fflush (stdout);
  return !ferror (stdout) || sluice_fail (error, SLUICE_ERROR_UNAVAILABLE, "cannot write");
}

static void
tell_all (const Telling *telling, double seconds)
{
  if (!sluice_cli_json)
    {
      printf (ngettext ("%u run, %.2f s\n", "%u runs, %.2f s\n", telling->n_runs), telling->n_runs,
              seconds);
      return;
    }
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_int (b, "runs", telling->n_runs);
  sluice_cli_json_double (b, "seconds", seconds);
  sluice_cli_json_end (b);
}

/* ---- following ---- */

typedef struct
{
  Telling *telling;
  GMainLoop *loop;
  SluiceLogWatch *watch;
  gboolean ok;
  GError **error;
} Following;

static void
read_more (gpointer data)
{
  Following *self = data;
  SluiceImporter *importer = self->telling->importer;
  if (!self->ok)
    return;
  self->ok = sluice_importer_run (importer, tell_run, self->telling, self->error);
  g_autoptr (GPtrArray) folders = sluice_importer_list_folders (importer);
  sluice_log_watch_add (self->watch, folders);
  if (!self->ok)
    g_main_loop_quit (self->loop);
}

static gboolean
quit_cb (gpointer data)
{
  g_main_loop_quit (((Following *) data)->loop);
  return G_SOURCE_CONTINUE;
}

static gboolean
follow_files (Telling *telling, GError **error)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  Following self = { telling, loop, NULL, TRUE, error };
  g_autoptr (SluiceLogWatch) watch = self.watch = sluice_log_watch_new (read_more, &self);
  telling->again = TRUE;
  guint sources[] = { g_unix_signal_add (SIGINT, quit_cb, &self),
                      g_unix_signal_add (SIGTERM, quit_cb, &self),
                      g_unix_signal_add (SIGHUP, quit_cb, &self) };
  g_autoptr (GPtrArray) folders = sluice_importer_list_folders (telling->importer);
  sluice_log_watch_add (watch, folders);
  read_more (&self); /* what came before the folders were watched */
  if (self.ok)
    g_main_loop_run (loop);
  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    g_source_remove (sources[i]);
  return self.ok;
}

/* ---- the verb ---- */

/* FALSE: the command line is wrong. */
static gboolean
parse_overlaps (SluiceOverlaps *overlaps, GError **error)
{
  *overlaps = SLUICE_OVERLAPS_DROP;
  if (overlaps_name == NULL || g_str_equal (overlaps_name, "drop"))
    return TRUE;
  *overlaps = SLUICE_OVERLAPS_KEEP;
  if (g_str_equal (overlaps_name, "keep"))
    return TRUE;
  sluice_cli_usage (error, "there is no --overlaps '%s': it is drop or keep", overlaps_name);
  return FALSE;
}

static gboolean
import_all (SluiceImporter *importer, Telling *telling, GError **error)
{
  gint64 start = g_get_monotonic_time ();
  telling->importer = importer;
  if (!sluice_importer_run (importer, tell_run, telling, error)
      || (follow && !follow_files (telling, error)))
    return FALSE;
  tell_all (telling, (double) (g_get_monotonic_time () - start) * 1e-6);
  return !telling->has_none || telling->has_any
         || sluice_fail (error, SLUICE_ERROR_DATA_LOSS,
                         "nothing could be read: what was given holds no logs");
}

static int
import_logs (char **arguments, GError **error)
{
  SluiceImportOptions how = { .follows = follow };
  Telling telling = { 0 };
  if (arguments[0] == NULL)
    return sluice_cli_usage (error, "give event files, tables, or folders with logs");
  if (!parse_overlaps (&how.overlaps, error))
    return EXIT_USAGE;
  g_autofree char *workspace = sluice_cli_dup_workspace (workspace_option);
  g_autoptr (SluiceStore) store = sluice_cli_open_workspace (workspace, FALSE, error);
  if (store == NULL)
    return EXIT_FAILED;
  g_autoptr (SluiceImporter) importer = sluice_importer_new (store, &how);
  for (guint i = 0; arguments[i] != NULL; i++)
    if (!sluice_importer_add (importer, arguments[i], error))
      return EXIT_FAILED;
  return import_all (importer, &telling, error) ? EXIT_OK : EXIT_FAILED;
}

const Verb sluice_verb_import = {
  .name = "import",
  .arguments = N_ ("PATH..."),
  .summary = N_ ("Read logs of other programs into a workspace"),
  .details = N_ (
      "PATH is an event file, of gzip too, or a folder that is searched with all below it: each "
      "folder that holds event files is a run, named by its path below PATH, as TensorBoard has "
      "it. Scalars, histograms, images, audio, text, tensors, PR curves, hyper-parameters, the "
      "graph and RunMetadata are kept, every step of them. Runs of MLflow's and W&B's local "
      "folders (mlruns, wandb) are found in the same way, with parameters, notes, tags and state; "
      "and tables .csv with a column step, epoch or iteration, in which every other column of "
      "numbers is a series and a column run splits runs. To import again adds only what is new; "
      "an import that was cut short goes on where it was. Where a file is damaged, what stands "
      "before the damage is read, and file, byte and what is wrong are told. A record that is cut "
      "off is read when the rest of it is there. A file that was replaced by another one has its "
      "run read anew."),
  .json = "{\"run\": \"string\", \"source\": \"string\", \"files\": \"int\", \"records\": \"int\", "
          "\"scalars\": \"int\", \"histograms\": \"int\", \"images\": \"int\", \"audio\": \"int\", "
          "\"texts\": \"int\", \"tensors\": \"int\", \"pr_curves\": \"int\", \"hparams\": \"int\", "
          "\"graphs\": \"int\", \"run_metadata\": \"int\", \"reread\": \"bool\", \"damaged\": "
          "[{\"file\": \"string\", \"offset\": \"int\", \"what\": \"string\"}], "
          "\"more_damaged\": \"int\"}\n"
          "{\"runs\": \"int\", \"seconds\": \"number\"}",
  .options = options,
  .run = import_logs,
};
