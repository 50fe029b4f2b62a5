/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>

#include "app/cli/cli.h"
#include "app/cli/print-row.h"
#include "engine/store/query.h"

static char *workspace_option;

static const GOptionEntry options[] = {
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace_option,
    N_ ("Folder of the runs (the data folder of the user)"), N_ ("DIR") },
  G_OPTION_ENTRY_NULL,
};

static int
query (char **arguments, GError **error)
{
  gboolean headed = FALSE;
  if (arguments[0] != NULL && arguments[1] != NULL)
    return sluice_cli_usage (error, _ ("give one QUERY; put it in quotation marks"));
  g_autofree char *workspace = sluice_cli_dup_workspace (workspace_option);
  g_autoptr (SluiceStore) store = sluice_cli_open_to_read (workspace, error);
  const char *sql = arguments[0] != NULL ? arguments[0] : sluice_store_query_tables;
  return store != NULL && sluice_store_query (store, sql, sluice_cli_print_row, &headed, error)
             ? EXIT_OK
             : EXIT_FAILED;
}

const Verb sluice_verb_sql = {
  .name = "sql",
  .arguments = N_ ("[QUERY]"),
  .summary = N_ ("Ask a workspace's database in SQL"),
  .details =
      N_ ("QUERY is one SELECT of SQLite's; nothing is written. View points has run, tag, step, "
          "wall_time and value of all scalars; histogram_points, image_points, audio_points, "
          "text_points, tensor_points, pr_curve_points, hparams_points, graph_points, "
          "run_metadata_points and event_points are like it. Runs in the trash are left out. "
          "Without QUERY tables and views are listed with their columns. Output is a line a row "
          "with tabs under a line of names; with --json an object a row. The database, sluice.db, "
          "has the same views for other programs: slower there, and with buckets of histograms "
          "and curves as bytes."),
  .json = "{\"*\": \"int|number|string|null\"}",
  .options = options,
  .run = query,
};
