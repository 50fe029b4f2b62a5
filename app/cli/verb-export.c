/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "engine/store/export.h"

static char *workspace_option, *run_name, *out, *format_name;

static const GOptionEntry options[] = {
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace_option,
    N_ ("Folder of the runs (the data folder of the user)"), N_ ("DIR") },
  { "run", 0, 0, G_OPTION_ARG_STRING, &run_name, N_ ("The run"), N_ ("NAME") },
  { "out", 0, 0, G_OPTION_ARG_FILENAME, &out,
    N_ ("The file; of tfevents the folder, which TensorBoard is given"), N_ ("PATH") },
  { "format", 0, 0, G_OPTION_ARG_STRING, &format_name, N_ ("tfevents, csv or jsonl"),
    N_ ("FORMAT") },
  G_OPTION_ENTRY_NULL,
};

static void
report (const SluiceRunInfo *run, guint64 n_records)
{
  if (!sluice_cli_json)
    {
      printf (_ ("run %s: %" PRIu64 " records written to '%s'\n"), run->name, n_records, out);
      return;
    }
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "run", run->name);
  sluice_cli_json_string (b, "format", format_name);
  sluice_cli_json_string (b, "out", out);
  sluice_cli_json_int (b, "records", (gint64) n_records);
  sluice_cli_json_end (b);
}

static int
export_run (char **arguments, GError **error)
{
  SluiceLogFormat format;
  guint64 n_records;
  if (arguments[0] != NULL)
    return sluice_cli_usage (error, _ ("'%s' is no option; the run is named with --run"),
                             arguments[0]);
  if (run_name == NULL || out == NULL || format_name == NULL)
    return sluice_cli_usage (error, _ ("give --run NAME, --out PATH and --format FORMAT"));
  if (!sluice_log_format_find (format_name, &format))
    return sluice_cli_usage (error, _ ("there is no format '%s': it is tfevents, csv or jsonl"),
                             format_name);
  g_autofree char *workspace = sluice_cli_dup_workspace (workspace_option);
  g_autoptr (SluiceStore) store = sluice_cli_open_to_read (workspace, error);
  g_autoptr (SluiceRunInfo) run =
      store != NULL ? sluice_store_dup_run (store, run_name, error) : NULL;
  if (run == NULL || !sluice_store_export (store, run, format, out, &n_records, error))
    return EXIT_FAILED;
  report (run, n_records);
  return EXIT_OK;
}

const Verb sluice_verb_export = {
  .name = "export",
  .arguments = "",
  .summary = N_ ("Write what a run has recorded for other programs"),
  .details = N_ ("tfevents is a folder with an event file, as TensorBoard reads it: scalars, "
                 "histograms, images, audio, text, PR curves, hyper-parameters, tensors, the graph "
                 "and RunMetadata with their steps and wall times; what happened to the run (its "
                 "events) is in it as log messages. Scalars are floats of 32 bits there, as "
                 "TensorFlow writes them; the other formats have all digits. csv has a line a "
                 "record (run, tag, kind, step, "
                 "wall_time, value), jsonl an object a series, as `sluice log --json`; in both, "
                 "pictures, clips and messages are told by their SHA-256."),
  .json = "{\"run\": \"string\", \"format\": \"string\", \"out\": \"string\", "
          "\"records\": \"int\"}",
  .options = options,
  .run = export_run,
};
