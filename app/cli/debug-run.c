/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/cli/debug-run.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdio.h>

#include "app/cli/debug-print.h"
#include "app/cli/feeds.h"
#include "app/cli/files.h"
#include "app/cli/run-options.h"
#include "app/cli/trained-project.h"
#include "engine/base/error.h"
#include "engine/base/thread.h"
#include "engine/train/value-text.h"

/* ---- what is run ---- */

static CliDebugRun *
new_run (void)
{
  CliDebugRun *self = g_new0 (CliDebugRun, 1);
  self->debugger = sluice_debugger_new ();
  self->cancellable = g_cancellable_new ();
  return self;
}

static gboolean
load_graph (CliDebugRun *self, const char *path, char **feeds, GError **error)
{
  self->graph = sluice_cli_load_graph (path, error);
  if (self->graph == NULL)
    return FALSE;
  self->files = sluice_cli_new_file_access (path);
  SluiceSessionOptions options = sluice_cli_session_options;
  options.files = self->files;
  self->session = sluice_session_new (&options, error);
  if (self->session == NULL || !sluice_session_extend (self->session, self->graph, error)
      || !sluice_cli_restore_saved_model (self->session, self->graph, path, error))
    return FALSE;
  self->feeds = sluice_cli_parse_feeds (self->graph, NULL, feeds, error);
  return self->feeds != NULL;
}

CliDebugRun *
sluice_cli_debug_new (
    const char *path, char **feeds, char **fetches, char **targets, GError **error)
{
  static char *no_names[] = { NULL };
  CliDebugRun *self = new_run ();
  self->fetches = fetches != NULL ? fetches : no_names;
  self->targets = targets != NULL ? targets : no_names;
  if (!load_graph (self, path, feeds, error))
    {
      sluice_cli_debug_free (self);
      return NULL;
    }
  sluice_cli_tell_file_ops (self->graph);
  return self;
}

static gboolean
load_project (CliDebugRun *self, const char *folder, char **assignments, GError **error)
{
  self->project = sluice_cli_load_project (folder, assignments, NULL, NULL, error);
  if (self->project == NULL)
    return FALSE;
  sluice_cli_allow_files (self->project->files);
  if (!sluice_examples_load_all (self->project, &self->examples, &self->test, error))
    return FALSE;
  self->replica = sluice_replica_new (self->project, self->examples, NULL, 0,
                                      &sluice_cli_session_options, error);
  if (self->replica == NULL || !sluice_replica_initialize (self->replica, error)
      || !sluice_replica_begin_input (self->replica, error))
    return FALSE;
  self->scalars = g_new0 (double, self->replica->n_scalars);
  self->graph = sluice_graph_ref (self->replica->graph);
  return TRUE;
}

CliDebugRun *
sluice_cli_debug_new_of_project (const char *folder, char **assignments, GError **error)
{
  CliDebugRun *self = new_run ();
  if (!load_project (self, folder, assignments, error))
    {
      sluice_cli_debug_free (self);
      return NULL;
    }
  sluice_cli_tell_file_ops (self->graph);
  return self;
}

static void
clear_outputs (CliDebugRun *self)
{
  const guint n = self->fetches != NULL ? g_strv_length (self->fetches) : 0;
  for (guint i = 0; self->outputs != NULL && i < n; i++)
    g_clear_pointer (&self->outputs[i], sluice_tensor_unref);
  g_clear_pointer (&self->outputs, g_free);
}

static void
join (CliDebugRun *self)
{
  if (self->is_running)
    pthread_join (self->thread, NULL);
  self->is_running = FALSE;
}

gboolean
sluice_cli_debug_give_up (CliDebugRun *self)
{
  if (!self->is_running)
    return FALSE;
  g_cancellable_cancel (self->cancellable);
  join (self);
  g_clear_error (&self->error);
  g_object_unref (self->cancellable);
  self->cancellable = g_cancellable_new ();
  return TRUE;
}

void
sluice_cli_debug_free (CliDebugRun *self)
{
  g_cancellable_cancel (self->cancellable);
  sluice_debugger_release (self->debugger);
  join (self);
  clear_outputs (self);
  g_clear_error (&self->error);
  g_clear_pointer (&self->before, g_ptr_array_unref);
  g_clear_pointer (&self->replica, sluice_replica_free);
  g_clear_pointer (&self->examples, sluice_examples_free);
  g_clear_pointer (&self->test, sluice_examples_free);
  g_clear_pointer (&self->project, sluice_project_free);
  g_clear_pointer (&self->feeds, g_array_unref);
  g_clear_object (&self->session);
  g_clear_pointer (&self->files, sluice_file_access_unref);
  g_clear_pointer (&self->graph, sluice_graph_unref);
  g_free (self->scalars);
  sluice_debugger_unref (self->debugger);
  g_object_unref (self->cancellable);
  g_free (self);
}

/* ---- the thread ---- */

static gboolean
run_graph (CliDebugRun *self, const SluiceRunOptions *options)
{
  SluiceStepNames names = { .feeds = (const SluiceFeed *) self->feeds->data,
                            .n_feeds = self->feeds->len };
  for (guint i = 0; self->targets[i] != NULL; i++)
    {
      names.targets = (const char *const *) &self->targets[i];
      names.n_targets = 1;
      if (!sluice_session_run (self->session, &names, NULL, options, &self->error))
        return FALSE;
    }
  names.n_targets = 0;
  names.fetches = (const char *const *) self->fetches;
  names.n_fetches = g_strv_length (self->fetches);
  return names.n_fetches == 0
         || sluice_session_run (self->session, &names, self->outputs, options, &self->error);
}

static void *
run_main (void *data)
{
  CliDebugRun *self = data;
  SluiceRunOptions options = { .cancellable = self->cancellable, .debugger = self->debugger };
  if (self->replica == NULL)
    run_graph (self, &options);
  else
    {
      self->replica->limit = self->replica->n_done + self->n_steps;
      for (gint64 i = 0; i < self->n_steps && self->error == NULL; i++)
        {
          options.step = (guint64) self->replica->n_done + 1;
          sluice_replica_step (self->replica, self->scalars, NULL, &options, &self->error);
        }
    }
  sluice_debugger_end (self->debugger);
  return NULL;
}

gboolean
sluice_cli_debug_begin (CliDebugRun *self, gint64 n, GError **error)
{
  clear_outputs (self);
  self->n_steps = n;
  self->outputs =
      g_new0 (SluiceTensor *, self->fetches != NULL ? g_strv_length (self->fetches) + 1 : 1);
  sluice_debugger_begin (self->debugger);
  self->is_running =
      sluice_thread_start (&self->thread, run_main, self, "the debugged run", NULL, error);
  if (!self->is_running)
    sluice_debugger_end (self->debugger);
  return self->is_running;
}

/* ---- stops and ends ---- */

static void
print_step (const CliDebugRun *self)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_int (b, "step", self->replica->n_done);
  sluice_cli_json_double (b, "loss", self->scalars[0]);
  sluice_cli_json_end (b);
  if (!sluice_cli_json)
    printf (_ ("step %" PRId64 " has run: loss %g\n"), self->replica->n_done, self->scalars[0]);
}

/* What was fetched, and breakpoints that had nothing to stop at. */
static void
print_end (const CliDebugRun *self)
{
  g_autoptr (GArray) reports = sluice_debugger_dup_reports (self->debugger);
  for (guint i = 0; i < reports->len; i++)
    {
      const SluiceBreakpointReport *report = &g_array_index (reports, SluiceBreakpointReport, i);
      if (report->n_hits == 0)
        sluice_cli_print_breakpoint (report);
    }
  if (self->replica != NULL)
    {
      print_step (self);
      return;
    }
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_bool (b, "ended", TRUE);
  sluice_cli_json_end (b);
  if (!sluice_cli_json)
    puts (_ ("the run has ended"));
  for (guint i = 0; self->fetches[i] != NULL; i++)
    sluice_cli_print_debug_value (
        &(SluiceDebugValue){ .edge = self->fetches[i], .tensor = self->outputs[i] }, "fetch");
}

gboolean
sluice_cli_debug_wait (CliDebugRun *self, GError **error)
{
  if (sluice_debugger_wait (self->debugger))
    {
      g_autoptr (SluiceStop) stop = sluice_debugger_dup_stop (self->debugger);
      sluice_cli_print_stop (stop);
      return TRUE;
    }
  join (self);
  if (self->error == NULL)
    {
      print_end (self);
      return TRUE;
    }
  g_propagate_error (error, g_steal_pointer (&self->error));
  return FALSE;
}

gboolean
sluice_cli_debug_put (CliDebugRun *self, const char *name, const char *value, GError **error)
{
  SluiceDebugValue *now = sluice_debugger_find_value (self->debugger, name, error);
  if (now == NULL)
    return FALSE;
  if (now->tensor == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, _ ("'%s' has no value"), now->edge);
      sluice_debug_value_free (now);
      return FALSE;
    }
  g_autoptr (SluiceTensor) tensor = sluice_value_change (now->tensor, value, error);
  sluice_debug_value_free (now);
  if (tensor == NULL)
    g_prefix_error (error, "%s: ", name);
  return tensor != NULL && sluice_debugger_put (self->debugger, name, tensor, error);
}
