/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "engine/store/checkpoints.h"

static char *workspace;
static gint64 pin = -1, unpin = -1;

static const GOptionEntry options[] = {
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace,
    N_ ("Folder of runs (your data folder's sluice)"), N_ ("DIR") },
  { "pin", 0, 0, G_OPTION_ARG_INT64, &pin, N_ ("Keep the checkpoint of this step for good"),
    N_ ("STEP") },
  { "unpin", 0, 0, G_OPTION_ARG_INT64, &unpin, N_ ("Let it go as others do"), N_ ("STEP") },
  G_OPTION_ENTRY_NULL,
};

static void
print_checkpoint (const SluiceCheckpointInfo *info)
{
  if (!sluice_cli_json)
    {
      g_autofree char *size = g_format_size (info->bytes);
      printf ("%12" G_GINT64_FORMAT "  %10s  %s%s\n", info->step, size, info->path,
              info->is_pinned ? _ ("  pinned") : "");
      return;
    }
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_int (b, "step", info->step);
  sluice_cli_json_double (b, "wall_time", info->wall);
  sluice_cli_json_int (b, "bytes", (gint64) info->bytes);
  sluice_cli_json_bool (b, "pinned", info->is_pinned);
  sluice_cli_json_string (b, "path", info->path);
  sluice_cli_json_end (b);
}

static int
checkpoints (char **arguments, GError **error)
{
  if (arguments[0] == NULL || arguments[1] != NULL)
    return sluice_cli_usage (error, _ ("give one RUN"));
  if (pin < -1 || unpin < -1)
    return sluice_cli_usage (error, _ ("--pin and --unpin must not be negative"));
  gboolean changes = pin >= 0 || unpin >= 0;
  g_autofree char *folder = sluice_cli_dup_workspace (workspace);
  g_autoptr (SluiceStore) store = changes ? sluice_cli_open_workspace (folder, TRUE, error)
                                          : sluice_cli_open_to_read (folder, error);
  g_autoptr (SluiceRunInfo) run =
      store != NULL ? sluice_store_dup_run (store, arguments[0], error) : NULL;
  if (run == NULL || (pin >= 0 && !sluice_store_pin_checkpoint (store, run->id, pin, TRUE, error))
      || (unpin >= 0 && !sluice_store_pin_checkpoint (store, run->id, unpin, FALSE, error)))
    return EXIT_FAILED;
  g_autoptr (GPtrArray) all = sluice_store_read_checkpoints (store, run->id, error);
  for (guint i = 0; all != NULL && i < all->len; i++)
    print_checkpoint (all->pdata[i]);
  return all != NULL ? EXIT_OK : EXIT_FAILED;
}

const Verb sluice_verb_checkpoints = {
  .name = "checkpoints",
  .arguments = N_ ("RUN"),
  .summary = N_ ("List the checkpoints of a run, and pin some"),
  .details =
      N_ ("A run keeps its newest checkpoints, the best and one every so many steps (keep-last, "
          "keep-best, keep-every in [train] of project.ini), and those that are pinned."),
  .json = "{\"step\": \"int\", \"wall_time\": \"number\", \"bytes\": \"int\", "
          "\"pinned\": \"bool\", \"path\": \"string\"}",
  .options = options,
  .run = checkpoints,
};
