/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What verbs share. */
#include "app/cli/cli.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/savedmodel.h"
#include "engine/train/project.h"
#include "engine/train/saved-state.h"

char *sluice_cli_tags;

int
sluice_cli_usage (GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT, text);
  return EXIT_USAGE;
}

SluiceGraph *
sluice_cli_load_graph (const char *path, GError **error)
{
  g_auto (GStrv) tags = sluice_cli_tags != NULL ? g_strsplit (sluice_cli_tags, ",", -1) : NULL;
  if (!sluice_project_is_folder (path))
    return sluice_graph_load_tagged (path, (const char *const *) tags, error);
  g_autoptr (SluiceProject) project = sluice_project_load (path, error);
  return project != NULL ? sluice_project_load_graph (project, error) : NULL;
}

gboolean
sluice_cli_restore_saved_model (SluiceSession *session,
                                SluiceGraph *graph,
                                const char *path,
                                GError **error)
{
  if (sluice_project_is_folder (path) || !sluice_saved_model_exists (path))
    return TRUE;
  g_autofree char *folder = sluice_saved_model_dup_folder (path);
  return sluice_saved_model_restore (session, graph, folder, error);
}

gboolean
sluice_cli_parse_size (const char *option, const char *text, gsize *bytes, GError **error)
{
  if (sluice_text_parse_size (text, bytes))
    return TRUE;
  sluice_cli_usage (error, _ ("%s '%s': a number of bytes is wanted, as 500000, 64M or 2G"), option,
                    text);
  return FALSE;
}

gboolean
sluice_cli_check_count (const char *option, gint64 value, gint64 least, gint64 most, GError **error)
{
  if (value >= least && value <= most)
    return TRUE;
  sluice_cli_usage (error, _ ("%s %" PRId64 ": must be at least %" PRId64 " and at most %" PRId64),
                    option, value, least, most);
  return FALSE;
}
