/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "tests/engine/trace/traced.h"

#include "engine/passes/spread.h"
#include "engine/trace/fill.h"
#include "tests/lib/sample-project.h"

void
traced_init (Traced *self,
             const char *sample,
             const char *device,
             const char *const *over,
             guint n_cpus,
             guint n_steps)
{
  g_autoptr (GError) error = NULL;
  *self = (Traced){ .project = sample_load_project (sample) };
  sluice_examples_load_all (self->project, &self->examples, &self->test, &error);
  g_assert_no_error (error);
  SluiceGraph *graph = sluice_project_load_graph (self->project, &error);
  g_assert_no_error (error);
  if (over != NULL)
    sluice_spread_nodes (graph, 0, 7, over, g_strv_length ((char **) over));
  const SluiceSessionOptions host = { .device = device };
  self->replica =
      sluice_replica_new_of (self->project, graph, self->examples, NULL, n_cpus, &host, &error);
  g_assert_no_error (error);
  sluice_replica_initialize (self->replica, &error);
  g_assert_no_error (error);
  guint64 cursor = 0, lost;
  g_array_unref (sluice_session_dup_trace (self->replica->session, &cursor, &lost));
  g_autofree double *scalars = g_new (double, self->replica->n_scalars);
  self->view = sluice_trace_view_new ();
  for (guint i = 1; i <= n_steps; i++)
    {
      const SluiceRunOptions run = { .step = i };
      sluice_replica_step (self->replica, scalars, NULL, &run, &error);
      g_assert_no_error (error);
      g_autoptr (GArray) events = sluice_session_dup_trace (self->replica->session, &cursor, &lost);
      sluice_trace_view_add_events (self->view, events);
    }
}

void
traced_clear (Traced *self)
{
  sluice_trace_view_free (self->view);
  sluice_replica_free (self->replica);
  g_clear_pointer (&self->examples, sluice_examples_free);
  g_clear_pointer (&self->test, sluice_examples_free);
  sluice_project_free (self->project);
}
