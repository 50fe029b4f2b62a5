/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/run-forecast.h"

#include <string.h>

#include "engine/graph/edit.h"
#include "engine/passes/forecast.h"
#include "engine/runtime/session/options.h"

/* ---- a graph for batches of one size ---- */

/* Where the shape of what is fed cannot be written down the batch stands for what is not known. */
static gboolean
set_feed_shape (SluiceGraph *graph, const char *edge, const SluiceTensor *values, gint64 batch)
{
  SluiceEdge fed;
  SluiceShape shape = values->shape;
  if (!sluice_graph_parse_edge (graph, edge, &fed, NULL) || fed.node->n_inputs > 0)
    return FALSE;
  shape.dim[0] = batch;
  SluiceAttr attr = sluice_attr_shape ("shape", &shape);
  return sluice_edit_set_attr (graph, fed.node, &attr, NULL);
}

/* (transfer full) (nullable) */
static SluiceGraph *
load_graph (const SluiceReplica *replica,
            const SluiceExamples *examples,
            gint64 batch,
            GError **error)
{
  const SluiceProject *p = replica->project;
  g_autoptr (SluiceGraph) graph = sluice_project_load_graph (p, error);
  if (graph == NULL || examples == NULL)
    return g_steal_pointer (&graph);
  sluice_edit_begin (graph);
  gboolean ok = set_feed_shape (graph, p->feed_x, examples->x, batch)
                && (p->feed_y == NULL || set_feed_shape (graph, p->feed_y, examples->y, batch));
  g_autoptr (SluiceEdit) edit = ok ? sluice_edit_commit (graph, NULL) : NULL;
  if (!ok)
    sluice_edit_abandon (graph);
  return g_steal_pointer (&graph);
}

/* (transfer full) (nullable): a session of the replica's kind that runs nothing */
static SluiceSession *
new_session (const SluiceReplica *replica, SluiceGraph *graph, GError **error)
{
  SluiceSessionOptions options = replica->project->session;
  sluice_options_copy (&options, &replica->host, SLUICE_OPTION_MACHINE);
  options.n_cpus = MAX (options.n_cpus, 1);
  options.seed = 1;
  options.files = replica->project->files;
  g_autoptr (SluiceSession) session = sluice_session_new (&options, error);
  return session != NULL && sluice_session_extend (session, graph, error)
             ? g_steal_pointer (&session)
             : NULL;
}

/* ---- one signature ---- */

static void
add_feeds (const SluiceReplica *replica, GPtrArray *feeds)
{
  const SluiceProject *p = replica->project;
  if (replica->examples != NULL && p->feed_x != NULL)
    g_ptr_array_add (feeds, p->feed_x);
  if (replica->examples != NULL && p->feed_y != NULL)
    g_ptr_array_add (feeds, p->feed_y);
}

static void
add_edges (GPtrArray *names, const GArray *edges)
{
  for (guint i = 0; i < edges->len; i++)
    g_ptr_array_add (names, g_array_index (edges, SluiceNamedEdge, i).target);
}

/* targets: (nullable) */
static SluiceForecast *
look_ahead (const SluiceReplica *replica,
            SluiceSession *session,
            GPtrArray *fetches,
            char **targets,
            gint64 batch,
            GError **error)
{
  g_autoptr (GPtrArray) edges = g_ptr_array_new ();
  add_feeds (replica, edges);
  g_autofree SluiceFeed *feeds = sluice_feeds_new ((const char *const *) edges->pdata, edges->len);
  const SluiceStepNames names = { .feeds = feeds,
                                  .n_feeds = edges->len,
                                  .fetches = (const char *const *) fetches->pdata,
                                  .n_fetches = fetches->len,
                                  .targets = (const char *const *) targets,
                                  .n_targets = targets != NULL ? g_strv_length (targets) : 0 };
  return sluice_session_forecast (session, &names, batch, error);
}

static void
take_bytes (SluiceRunForecast *self, const SluiceForecast *forecast, gboolean is_evaluation)
{
  for (guint i = 0; i < self->n_devices; i++)
    {
      double bytes = forecast->value_bytes[i] + forecast->held_bytes[i];
      if (bytes > self->bytes[i])
        self->is_of_evaluation[i] = is_evaluation;
      self->bytes[i] = MAX (self->bytes[i], bytes);
      self->held_bytes[i] = MAX (self->held_bytes[i], forecast->held_bytes[i]);
    }
  self->has_guess |= forecast->has_guess;
}

/* ---- the whole ---- */

static gboolean
look_at_steps (SluiceRunForecast *self, const SluiceReplica *replica, GError **error)
{
  SluiceProject *p = replica->project;
  g_autoptr (SluiceGraph) graph = load_graph (replica, replica->examples, p->batch, error);
  g_autoptr (SluiceSession) session = graph != NULL ? new_session (replica, graph, error) : NULL;
  g_autoptr (GPtrArray) fetches = g_ptr_array_new ();
  if (session == NULL)
    return FALSE;
  self->n_devices = sluice_session_get_n_devices (session);
  self->devices = g_new0 (char *, self->n_devices + 1);
  self->bytes = g_new0 (double, self->n_devices + 1);
  self->held_bytes = g_new0 (double, self->n_devices + 1);
  self->is_of_evaluation = g_new0 (gboolean, self->n_devices + 1);
  for (guint i = 0; i < self->n_devices; i++)
    self->devices[i] = g_strdup (sluice_session_get_device (session, i)->short_name);
  for (guint i = 0; p->loss[i] != NULL; i++)
    g_ptr_array_add (fetches, p->loss[i]);
  add_edges (fetches, p->fetches);
  g_autoptr (SluiceForecast) step =
      look_ahead (replica, session, fetches, p->train, p->batch, error);
  if (step == NULL)
    return FALSE;
  take_bytes (self, step, FALSE);
  self->calls = g_array_ref (step->calls);
  self->n_looped = step->n_looped;
  self->n_not_known = step->n_not_known;
  if (p->summaries == NULL)
    return TRUE;
  g_ptr_array_add (fetches, p->summaries);
  g_autoptr (SluiceForecast) summary =
      look_ahead (replica, session, fetches, p->train, p->batch, error);
  if (summary != NULL)
    take_bytes (self, summary, FALSE);
  return summary != NULL;
}

static gboolean
look_at_evaluation (SluiceRunForecast *self, const SluiceReplica *replica, GError **error)
{
  const SluiceProject *p = replica->project;
  if (replica->evaluate == NULL)
    return TRUE;
  gint64 batch = replica->test != NULL ? MIN (p->evaluate_batch, replica->test->n) : p->batch;
  g_autoptr (SluiceGraph) graph = load_graph (replica, replica->test, batch, error);
  g_autoptr (SluiceSession) session = graph != NULL ? new_session (replica, graph, error) : NULL;
  g_autoptr (GPtrArray) fetches = g_ptr_array_new ();
  add_edges (fetches, p->evaluate);
  g_autoptr (SluiceForecast) forecast =
      session != NULL ? look_ahead (replica, session, fetches, NULL, batch, error) : NULL;
  if (forecast != NULL)
    take_bytes (self, forecast, TRUE);
  return forecast != NULL;
}

SluiceRunForecast *
sluice_run_forecast_new (const SluiceReplica *replica, GError **error)
{
  g_autoptr (SluiceRunForecast) self = g_new0 (SluiceRunForecast, 1);
  return look_at_steps (self, replica, error) && look_at_evaluation (self, replica, error)
             ? g_steal_pointer (&self)
             : NULL;
}

void
sluice_run_forecast_free (SluiceRunForecast *self)
{
  g_strfreev (self->devices);
  g_free (self->bytes);
  g_free (self->held_bytes);
  g_free (self->is_of_evaluation);
  g_clear_pointer (&self->calls, g_array_unref);
  g_free (self);
}

gint64
sluice_run_forecast_get_bytes (const SluiceRunForecast *self)
{
  double bytes = 0;
  for (guint i = 0; i < self->n_devices; i++)
    if (g_str_has_prefix (self->devices[i], "CPU:"))
      bytes += self->bytes[i];
  return bytes < 1e18 ? (gint64) bytes : (gint64) 1e18;
}
