/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/cli/steps.h"

#include <glib/gi18n-lib.h>

#include "app/cli/cli.h"
#include "app/cli/feeds.h"
#include "app/cli/files.h"
#include "app/cli/run-options.h"
#include "app/cli/trained-project.h"
#include "engine/base/pool.h"
#include "engine/train/measured-teller.h"
#include "engine/train/replica.h"

int
sluice_cli_check_steps (const CliSteps *self, const char *path, GError **error)
{
  gboolean is_project = sluice_project_is_folder (path);
  if (is_project && (self->feeds != NULL || self->fetches != NULL || self->targets != NULL))
    return sluice_cli_usage (
        error, _ ("--feed, --fetch and --target are for a GRAPH; a project has its own"));
  if (!is_project && self->fetches == NULL && self->targets == NULL)
    return sluice_cli_usage (error, _ ("say what to run: --fetch EDGE or --target NODE"));
  return EXIT_OK;
}

/* ---- of a project ---- */

static gboolean
run_replica (const CliSteps *self, SluiceReplica *replica, GError **error)
{
  g_autofree double *scalars = g_new (double, replica->n_scalars);
  gint64 step = 0, batch = MAX (replica->project->batch, 1);
  if (!sluice_replica_initialize (replica, error))
    return FALSE;
  while (self->after (replica->session, step, batch, self->data))
    {
      SluiceRunOptions run = { .step = (guint64) ++step };
      if (!sluice_replica_step (replica, scalars, NULL, &run, error))
        return FALSE;
    }
  return TRUE;
}

static SluiceSession *
run_project (const CliSteps *self, const char *folder, GError **error)
{
  g_autoptr (SluiceProject) project = sluice_project_load (folder, error);
  g_autoptr (SluiceExamples) examples = NULL, test = NULL;
  GError *failed = NULL;
  if (project == NULL)
    return NULL;
  sluice_cli_allow_files (project->files);
  sluice_cli_take_policy (project);
  sluice_examples_load_all (project, &examples, &test, &failed);
  if (failed != NULL)
    {
      g_propagate_error (error, failed);
      return NULL;
    }
  SluiceReplica *replica =
      sluice_replica_new (project, examples, test, MAX (sluice_cli_session_options.n_cpus, 1),
                          &sluice_cli_session_options, error);
  if (replica == NULL)
    return NULL;
  sluice_cli_tell_file_ops (replica->graph);
  g_autoptr (SluiceSession) session = g_object_ref (replica->session);
  gboolean ok = run_replica (self, replica, error);
  sluice_replica_free (replica);
  return ok ? g_steal_pointer (&session) : NULL;
}

/* ---- of a graph ---- */

static gboolean
run_once (const CliSteps *self,
          SluiceSession *session,
          const GArray *feeds,
          gint64 step,
          gboolean fetch,
          GError **error)
{
  guint n_fetches = fetch && self->fetches != NULL ? g_strv_length (self->fetches) : 0;
  guint n_targets = n_fetches == 0 ? g_strv_length (self->targets) : 0;
  g_autofree SluiceTensor **outputs = g_new0 (SluiceTensor *, n_fetches + 1);
  SluiceRunOptions run = { .step = (guint64) step };
  if (!sluice_session_run (session,
                           &(SluiceStepNames){ .feeds = (const SluiceFeed *) feeds->data,
                                               .fetches = (const char *const *) self->fetches,
                                               .targets = (const char *const *) self->targets,
                                               .n_feeds = feeds->len,
                                               .n_fetches = n_fetches,
                                               .n_targets = n_targets },
                           outputs, &run, error))
    return FALSE;
  for (guint i = 0; i < n_fetches; i++)
    sluice_tensor_unref (outputs[i]);
  return TRUE;
}

/* What the first dimension is that the graph leaves open and a feed gives. */
static gint64
find_batch (SluiceGraph *graph, const GArray *feeds)
{
  for (guint i = 0; i < feeds->len; i++)
    {
      const SluiceFeed *feed = &g_array_index (feeds, SluiceFeed, i);
      SluiceEdge edge = SLUICE_NO_EDGE;
      sluice_graph_parse_edge (graph, feed->edge, &edge, NULL);
      const SluiceShape *shape = edge.node != NULL ? sluice_edge_shape (edge) : NULL;
      const SluiceShape *given = &feed->tensor->shape;
      for (int d = 0; shape != NULL && d < MIN (shape->rank, given->rank); d++)
        if (shape->dim[d] < 0)
          return given->dim[d];
      if (shape != NULL && shape->rank < 0 && given->rank > 0)
        return given->dim[0];
    }
  return 1;
}

static gboolean
run_graph (const CliSteps *self,
           SluiceSession *session,
           SluiceGraph *graph,
           const char *path,
           GError **error)
{
  g_autoptr (GArray) feeds = sluice_cli_parse_feeds (graph, NULL, self->feeds, error);
  gint64 step = 0, batch = feeds != NULL ? find_batch (graph, feeds) : 1;
  if (feeds == NULL || !sluice_session_extend (session, graph, error)
      || !sluice_cli_restore_saved_model (session, graph, path, error)
      || (self->fetches != NULL && self->targets != NULL
          && !run_once (self, session, feeds, 0, FALSE, error)))
    return FALSE;
  while (self->after (session, step, batch, self->data))
    if (!run_once (self, session, feeds, ++step, TRUE, error))
      return FALSE;
  return TRUE;
}

static SluiceSession *
run_graph_file (const CliSteps *self, const char *path, GError **error)
{
  g_autoptr (SluiceFileAccess) files = sluice_cli_new_file_access (path);
  SluiceSessionOptions session_options = sluice_cli_session_options;
  session_options.files = files;
  g_autoptr (SluiceCostTeller) costs = sluice_measured_teller_load (&session_options, 1);
  session_options.costs = costs;
  g_autoptr (SluiceGraph) graph = sluice_cli_load_graph (path, error);
  if (graph == NULL)
    return NULL;
  sluice_cli_tell_file_ops (graph);
  g_autoptr (SluiceSession) session = sluice_session_new (&session_options, error);
  return session != NULL && run_graph (self, session, graph, path, error)
             ? g_steal_pointer (&session)
             : NULL;
}

SluiceSession *
sluice_cli_run_steps (const CliSteps *self, const char *path, GError **error)
{
  sluice_pool_set_threads (sluice_cli_session_options.n_threads);
  return sluice_project_is_folder (path) ? run_project (self, path, error)
                                         : run_graph_file (self, path, error);
}
