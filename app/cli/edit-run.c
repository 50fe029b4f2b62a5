/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/edit-run.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdio.h>

#include "app/cli/run-options.h"
#include "engine/base/read-file.h"

void
sluice_cli_tell_recompute (gint64 from, gint64 to, gpointer unused)
{
  fprintf (
      stderr,
      _ ("No checkpoint stands at step %" PRId64 ": it is computed again from step %" PRId64 ".\n"),
      to, from);
}

static void
tell_edited (const SluiceRunInfo *run, const SluiceGraphEdited *edited)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "run", run->name);
  sluice_cli_json_bool (b, "edited", !edited->is_same);
  sluice_cli_json_int (b, "step", edited->step);
  sluice_cli_json_int (b, "kept", edited->n_kept);
  sluice_cli_json_int (b, "new", edited->n_new);
  sluice_cli_json_int (b, "dropped", edited->n_dropped);
  sluice_cli_json_end (b);
  if (sluice_cli_json)
    return;
  if (edited->is_same)
    puts (_ ("That is the graph of the run: nothing is another."));
  else
    printf (_ ("From step %" PRId64 " on with the other graph: %u variables keep their values, %u "
               "are new, %u are dropped.\n"),
            edited->step, edited->n_kept, edited->n_new, edited->n_dropped);
}

gboolean
sluice_cli_edit_run (SluiceStore *store,
                     const char *run,
                     const char *graph,
                     const char *words,
                     gint64 step,
                     GError **error)
{
  SluiceGraphEdited edited;
  g_autoptr (GBytes) bytes =
      sluice_read_file ("graph", graph, SLUICE_READ_PLAIN, G_MAXINT32, error);
  g_autoptr (SluiceRunInfo) info = bytes != NULL ? sluice_store_dup_run (store, run, error) : NULL;
  const SluiceGraphEdit edit = { .graph = bytes,
                                 .words = words,
                                 .step = step,
                                 .host = &sluice_cli_session_options,
                                 .recomputes = sluice_cli_tell_recompute };
  if (info == NULL || !sluice_run_edit (store, info, &edit, &edited, error))
    return FALSE;
  tell_edited (info, &edited);
  return TRUE;
}

gboolean
sluice_cli_take_back_edit (SluiceStore *store, const char *run, GError **error)
{
  gint64 step;
  g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (store, run, error);
  if (info == NULL || !sluice_run_take_back_edit (store, info, &step, NULL, error))
    return FALSE;
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "run", info->name);
  sluice_cli_json_int (b, "taken_back", step);
  sluice_cli_json_end (b);
  if (!sluice_cli_json)
    printf (_ ("Graph and checkpoint are those of step %" PRId64 " before the edit again.\n"),
            step);
  return TRUE;
}
