/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/build/opened-graph.h"

#include "engine/base/error.h"
#include "engine/base/read-file.h"
#include "engine/graph/graphdef.h"

#define MAX_BYTES ((guint64) 2 << 30) /* of a GraphDef */

void
sluice_opened_graph_free (SluiceOpenedGraph *self)
{
  g_clear_pointer (&self->stack, sluice_command_stack_free);
  g_clear_pointer (&self->journal, sluice_journal_unref);
  g_clear_pointer (&self->base, g_bytes_unref);
  g_clear_pointer (&self->known, g_bytes_unref);
  g_clear_error (&self->problem);
  g_free (self->known_hash);
  g_free (self->graph_hash);
  g_free (self->path);
  g_free (self);
}

/* A stack of what the bytes are. */
static gboolean
begin_stack (SluiceOpenedGraph *self, GBytes *bytes, GError **error)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  if (!sluice_graph_import (graph, bytes, error))
    {
      g_prefix_error (error, "%s: ", self->path);
      return FALSE;
    }
  self->base = g_bytes_ref (bytes);
  self->stack = sluice_command_stack_new (graph);
  sluice_command_stack_take_file (self->stack, bytes);
  return TRUE;
}

/* What was left. FALSE with what the matter is: self is as before; where nothing was, without. */
static gboolean
recover (SluiceOpenedGraph *self, GBytes *file, GError **error)
{
  g_autofree char *folder = sluice_journal_dup_folder (self->path);
  g_autoptr (GError) problem = NULL;
  g_autoptr (SluiceJournal) journal = sluice_journal_open (folder, &problem);
  g_autoptr (GBytes) base =
      journal != NULL ? sluice_journal_dup_base (journal, file, &problem) : NULL;
  if (base == NULL || !begin_stack (self, base, &problem))
    {
      /* What cannot be read is kept for whoever can. */
      g_clear_pointer (&journal, sluice_journal_unref);
      g_autofree char *kept = g_error_matches (problem, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS)
                                  ? sluice_journal_set_aside (folder, NULL)
                                  : NULL;
      if (kept != NULL)
        sluice_fail (error, SLUICE_ERROR_DATA_LOSS, "%s; it is kept as '%s'", problem->message,
                     kept);
      else if (!g_error_matches (problem, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND))
        g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  g_autofree char *hash = file != NULL ? sluice_journal_hash (file) : NULL;
  sluice_journal_replay (journal, self->stack, hash, &self->outcome, &self->problem);
  self->known = sluice_journal_dup_known (journal, NULL);
  self->known_hash = g_strdup (sluice_journal_get_known (journal));
  self->journal = g_steal_pointer (&journal);
  return TRUE;
}

SluiceOpenedGraph *
sluice_opened_graph_read (const char *path, GError **error)
{
  g_autoptr (SluiceOpenedGraph) self = g_new0 (SluiceOpenedGraph, 1);
  g_autoptr (GError) missing = NULL;
  self->path = g_canonicalize_filename (path, NULL);
  g_autoptr (GBytes) file =
      sluice_read_file ("graph", path, SLUICE_READ_PLAIN, MAX_BYTES, &missing);
  if (recover (self, file, &self->problem))
    return g_steal_pointer (&self);
  if (file == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&missing));
      return NULL;
    }
  if (!begin_stack (self, file, error))
    return NULL;
  self->known = g_bytes_ref (file);
  self->known_hash = sluice_journal_hash (file);
  return g_steal_pointer (&self);
}
