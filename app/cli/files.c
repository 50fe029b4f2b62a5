/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/files.h"

#include <glib/gi18n-lib.h>
#include <stdio.h>

#include "engine/base/text.h"
#include "engine/graph/file-ops.h"
#include "engine/graph/savedmodel.h"

char **sluice_cli_allowed_files;
gboolean sluice_cli_allow_commands;

void
sluice_cli_allow_files (SluiceFileAccess *files)
{
  for (guint i = 0; sluice_cli_allowed_files != NULL && sluice_cli_allowed_files[i] != NULL; i++)
    sluice_file_access_allow (files, sluice_cli_allowed_files[i], SLUICE_FILE_WRITE);
}

SluiceFileAccess *
sluice_cli_new_file_access (const char *path)
{
  SluiceFileAccess *files = sluice_file_access_new ();
  g_autofree char *model =
      sluice_saved_model_exists (path) ? sluice_saved_model_dup_folder (path) : NULL;
  if (model != NULL)
    sluice_file_access_allow (files, model, SLUICE_FILE_READ);
  sluice_cli_allow_files (files);
  return files;
}

void
sluice_cli_tell_file_ops (SluiceGraph *graph)
{
  g_autofree char *text = sluice_graph_describe_file_ops (graph);
  g_autofree char *shown = text != NULL ? sluice_text_escape (text) : NULL;
  if (shown != NULL)
    fprintf (stderr, _ ("%s: %s\n"), g_get_prgname (), shown);
}
