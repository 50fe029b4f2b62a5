/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Edits between the steps of a debugged run. */
#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdio.h>

#include "app/cli/debug-run.h"
#include "app/cli/edit-run.h"
#include "app/cli/run-options.h"
#include "engine/base/error.h"
#include "engine/command/stack.h"
#include "engine/graph/graphdef.h"
#include "engine/train/retrace.h"

/* (transfer full) (nullable) */
static SluiceGraph *
edited_graph (SluiceGraph *graph, const char *line, GError **error)
{
  g_autoptr (GBytes) bytes = sluice_graph_export (graph, SLUICE_EXPORT_BINARY, error);
  g_autoptr (SluiceGraph) copy = sluice_graph_new ();
  if (bytes == NULL || !sluice_graph_import (copy, bytes, error))
    return NULL;
  g_autoptr (SluiceCommandStack) stack = sluice_command_stack_new (copy);
  return sluice_command_stack_do (stack, line, NULL, error) ? g_steal_pointer (&copy) : NULL;
}

static SluiceReplica *
new_replica (CliDebugRun *self, SluiceGraph *take_graph, GError **error)
{
  SluiceReplica *replica = sluice_replica_new_of (self->project, take_graph, self->examples, NULL,
                                                  0, &sluice_cli_session_options, error);
  if (replica == NULL || sluice_replica_initialize (replica, error))
    return replica;
  sluice_replica_free (replica);
  return NULL;
}

/* Steps are the same to the last bit when they are taken again; some nodes of the one that was
 * given up have run. */
static SluiceReplica *
before_step (CliDebugRun *self, GError **error)
{
  gint64 step = self->replica->n_done;
  SluiceReplica *replica = new_replica (self, sluice_graph_ref (self->replica->graph), error);
  if (replica == NULL)
    return NULL;
  sluice_cli_tell_recompute (0, step, NULL);
  if (sluice_replica_begin_input (replica, error)
      && sluice_replica_retrace (replica, step, NULL, error))
    return replica;
  sluice_replica_free (replica);
  return NULL;
}

static void
take_replica (CliDebugRun *self, SluiceReplica *take)
{
  self->replica = take;
  sluice_graph_unref (self->graph);
  self->graph = sluice_graph_ref (take->graph);
}

static gboolean
edit_project (CliDebugRun *self, SluiceGraph *take_graph, gboolean given_up, GError **error)
{
  guint n_kept, n_new, n_dropped;
  SluiceReplica *next = new_replica (self, take_graph, error);
  if (next == NULL)
    return FALSE;
  SluiceReplica *was = given_up ? before_step (self, error) : self->replica;
  if (was == NULL || !sluice_replica_carry (next, was, &n_kept, &n_new, &n_dropped, error)
      || !sluice_replica_begin_input (next, error))
    {
      if (was != self->replica)
        g_clear_pointer (&was, sluice_replica_free);
      sluice_replica_free (next);
      return FALSE;
    }
  if (was != self->replica)
    sluice_replica_free (self->replica);
  if (self->before == NULL)
    self->before = g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_replica_free);
  g_ptr_array_add (self->before, was);
  take_replica (self, next);
  if (!sluice_cli_json)
    printf (_ ("From step %" PRId64 " on with the other graph: %u variables keep their values, %u "
               "are new, %u are dropped.\n"),
            next->n_done, n_kept, n_new, n_dropped);
  return TRUE;
}

gboolean
sluice_cli_debug_edit (CliDebugRun *self, const char *line, GError **error)
{
  g_autoptr (SluiceGraph) graph = edited_graph (self->graph, line, error);
  if (graph == NULL)
    return FALSE;
  gboolean given_up = sluice_cli_debug_give_up (self);
  if (self->replica != NULL)
    return edit_project (self, g_steal_pointer (&graph), given_up, error);
  if (!sluice_session_update (self->session, graph, error))
    return FALSE;
  sluice_graph_unref (self->graph);
  self->graph = g_steal_pointer (&graph);
  return TRUE;
}

gboolean
sluice_cli_debug_unedit (CliDebugRun *self, GError **error)
{
  if (self->before == NULL || self->before->len == 0)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        _ ("no step of a project has been edited"));
  sluice_cli_debug_give_up (self);
  sluice_replica_free (self->replica);
  take_replica (self, g_ptr_array_steal_index (self->before, self->before->len - 1));
  if (!sluice_cli_json)
    printf (_ ("Graph and variables are those of step %" PRId64 " before the edit again.\n"),
            self->replica->n_done);
  return TRUE;
}
