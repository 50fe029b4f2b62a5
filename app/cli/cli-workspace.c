/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "engine/store/draft.h"
#include "engine/train/run-edit.h"

char *
sluice_cli_dup_workspace (const char *option)
{
  return option != NULL ? g_strdup (option)
                        : g_build_filename (g_get_user_data_dir (), "sluice", NULL);
}

static void
tell_wait (const char *database, gpointer data)
{
  fprintf (stderr, _ ("Waiting: another program holds '%s'.\n"), database);
}

static void
tell_mended (SluiceStore *store)
{
  g_auto (GStrv) names = sluice_run_mend_edits (store);
  for (guint i = 0; names[i] != NULL; i++)
    fprintf (stderr,
             _ ("An edit of the graph of run '%s' was interrupted; it has the graph of before "
                "again.\n"),
             names[i]);
}

SluiceStore *
sluice_cli_open_to_read (const char *workspace, GError **error)
{
  SluiceStoreOptions options = { .read_only = TRUE, .waits = tell_wait };
  return sluice_store_open_with (workspace, &options, error);
}

SluiceStore *
sluice_cli_open_workspace (const char *workspace, gboolean must_exist, GError **error)
{
  SluiceStoreOptions options = { .must_exist = must_exist, .waits = tell_wait };
  SluiceStore *store = sluice_store_open_with (workspace, &options, error);
  if (store != NULL)
    tell_mended (store);
  return store;
}

void
sluice_cli_tell_lost_runs (SluiceStore *store)
{
  g_autoptr (GArray) lost = sluice_store_dup_lost_runs (store, NULL);
  const char *workspace = sluice_store_get_workspace (store);
  if (lost == NULL || lost->len == 0)
    return;
  fprintf (
      stderr,
      ngettext ("%u folder in '%s/runs' is of no run that the database knows. It is kept; "
                "\"sluice reindex --workspace '%s'\" lists its run again.\n",
                "%u folders in '%s/runs' are of no run that the database knows. They are kept; "
                "\"sluice reindex --workspace '%s'\" lists their runs again.\n",
                lost->len),
      lost->len, workspace, workspace);
}
