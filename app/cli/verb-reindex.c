/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "engine/store/draft.h"
#include "engine/train/reindex.h"

static char *workspace;

static const GOptionEntry options[] = {
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace,
    N_ ("Folder of runs (your data folder's sluice)"), N_ ("DIR") },
  G_OPTION_ENTRY_NULL,
};

static void
print_run (const SluiceRunInfo *info)
{
  if (!sluice_cli_json)
    {
      printf (_ ("run %s: %s, at step %" PRId64 " of %" PRId64 "\n"), info->name,
              _ (sluice_run_state_name (info->state)), info->step, info->n_steps);
      return;
    }
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_int (b, "id", info->id);
  sluice_cli_json_string (b, "run", info->name);
  sluice_cli_json_string (b, "state", sluice_run_state_name (info->state));
  sluice_cli_json_int (b, "step", info->step);
  sluice_cli_json_int (b, "steps", info->n_steps);
  sluice_cli_json_end (b);
}

static int
reindex (char **arguments, GError **error)
{
  if (arguments[0] != NULL)
    return sluice_cli_usage (error, _ ("give --workspace DIR alone"));
  g_autofree char *folder = sluice_cli_dup_workspace (workspace);
  if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    return sluice_cli_usage (error, _ ("--workspace '%s': there is no such folder"), folder);
  g_autoptr (SluiceStore) store = sluice_cli_open_workspace (folder, FALSE, error);
  g_autoptr (GArray) lost = store != NULL ? sluice_store_dup_lost_runs (store, error) : NULL;
  guint n_failed = 0;
  if (lost == NULL)
    return EXIT_FAILED;
  for (guint i = 0; i < lost->len; i++)
    {
      gint64 run = g_array_index (lost, gint64, i);
      g_autoptr (GError) local = NULL;
      g_autoptr (SluiceRunInfo) info = sluice_reindex_run (store, run, &local);
      if (info != NULL)
        print_run (info);
      else
        {
          n_failed++;
          fprintf (stderr, _ ("'%s/runs/%" PRId64 "' holds no run: %s\n"), folder, run,
                   local->message);
        }
    }
  if (lost->len == 0 && !sluice_cli_json)
    puts (_ ("Every run's folder is known."));
  return n_failed == 0 ? EXIT_OK : EXIT_FAILED;
}

const Verb sluice_verb_reindex = {
  .name = "reindex",
  .arguments = "",
  .summary = N_ ("List runs again whose folders a workspace's database does not know"),
  .details =
      N_ ("A workspace whose sluice.db was lost still has the folders of its runs, each with "
          "its project and checkpoints. They become runs again that can go on; what was "
          "logged is gone with the database."),
  .json = "{\"id\": \"int\", \"run\": \"string\", \"state\": \"string\", \"step\": \"int\", "
          "\"steps\": \"int\"}",
  .options = options,
  .run = reindex,
};
