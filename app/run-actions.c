/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/run-actions.h"

#include <glib/gi18n.h>

#include "app/debug-actions.h"
#include "app/run-edits.h"
#include "app/launch/launch-draft.h"
#include "app/launch/launch-page.h"
#include "app/runs/resume-dialog.h"
#include "ui/chart/ticks.h"

/* ---- the run that is selected ---- */

static SluiceRun *
get_selected (SluiceWindow *window)
{
  return sluice_runs_pane_get_selected (sluice_window_get_runs_pane (window));
}

/* Where none is selected, the one in front: (nullable) (transfer full). */
static SluiceRun *
dup_meant (SluiceWindow *window)
{
  SluiceRun *run = get_selected (window);
  return run != NULL ? g_object_ref (run)
                     : sluice_run_set_dup_front (sluice_window_get_shown (window));
}

/* Its steps are shown over the graph that is open, which has to be its own. */
static gboolean
is_of_open_project (SluiceWindow *window, SluiceRun *run)
{
  const char *folder = sluice_run_controller_get_project (sluice_window_get_controller (window));
  g_autofree char *name = folder != NULL ? g_path_get_basename (folder) : NULL;
  return g_strcmp0 (sluice_run_get_info (run)->project, name) == 0;
}

/* The row of a run that was trained here lags behind. */
static SluiceRunState
get_state (SluiceWindow *window, SluiceRun *run)
{
  SluiceRunController *controller = sluice_window_get_controller (window);
  const SluiceRunInfo *info = sluice_run_get_info (run);
  SluiceProgress progress;
  return info->id == sluice_run_controller_get_run (controller)
                 && sluice_run_controller_get_progress (controller, &progress)
             ? progress.state
             : info->state;
}

/* A form that was left unfinished. */
static gboolean
is_draft (SluiceWindow *window, SluiceRun *run)
{
  return sluice_launch_draft_exists (
      sluice_workspace_get_store (sluice_window_get_workspace (window)), sluice_run_get_info (run));
}

/* It ended before its last step, or was not begun: a draft goes on in its form. */
static gboolean
is_resumable (SluiceWindow *window, SluiceRun *run)
{
  SluiceRunState state = get_state (window, run);
  return is_of_open_project (window, run)
         && (state == SLUICE_RUN_STOPPED || state == SLUICE_RUN_CRASHED
             || state == SLUICE_RUN_FAILED || is_draft (window, run));
}

/* What Start and Step go on with: (nullable): nothing, they begin a run. A failed one wants its
 * cause to be looked at first. */
static SluiceRun *
get_next (SluiceWindow *window)
{
  SluiceRun *run = get_selected (window);
  SluiceRunState state = run != NULL ? get_state (window, run) : SLUICE_RUN_DRAFT;
  return state != SLUICE_RUN_FAILED && state != SLUICE_RUN_DRAFT && is_resumable (window, run)
             ? run
             : NULL;
}

/* ---- actions ---- */

/* FALSE: the run is no form that was left unfinished. */
static gboolean
open_draft (SluiceWindow *window, SluiceRun *run)
{
  if (run == NULL || !is_draft (window, run) || !is_of_open_project (window, run))
    return FALSE;
  sluice_window_show_page (window, "launch");
  sluice_launch_page_resume (SLUICE_LAUNCH_PAGE (sluice_window_find_page (window, "launch")),
                             sluice_run_get_info (run)->id);
  return TRUE;
}

static void
start_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceRunController *controller = sluice_window_get_controller (data);
  SluiceRun *next = get_next (data);
  if (sluice_run_controller_get_state (controller) == SLUICE_CONTROL_IDLE
      && open_draft (data, get_selected (data)))
    return;
  if (sluice_run_edits_go_on (data) || sluice_debug_actions_go_on (data))
    return;
  if (next != NULL && sluice_run_controller_get_state (controller) == SLUICE_CONTROL_IDLE)
    sluice_run_controller_resume_run (controller, sluice_run_get_info (next)->name, -1, 0);
  else if (sluice_run_controller_get_state (controller) != SLUICE_CONTROL_IDLE
           || sluice_window_save_changes (data)) /* a run trains what the file holds */
    sluice_run_controller_start (controller);
}

/* With settings of its own, which are asked for. */
static void
new_run_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_window_show_page (data, "launch");
  sluice_launch_page_begin (SLUICE_LAUNCH_PAGE (sluice_window_find_page (data, "launch")));
}

static void
fork_run_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  gint64 run, step;
  g_variant_get (parameter, "(xx)", &run, &step);
  sluice_window_show_page (data, "launch");
  sluice_launch_page_fork (SLUICE_LAUNCH_PAGE (sluice_window_find_page (data, "launch")), run,
                           step);
}

static void
start_run_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const char *name;
  g_autofree const char **assignments = NULL;
  g_variant_get (parameter, "(&s^a&s)", &name, &assignments);
  const SluiceNewRun how = { .name = *name != '\0' ? name : NULL, .assignments = assignments };
  sluice_run_controller_launch (sluice_window_get_controller (data), &how);
}

static void
start_from_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const SluiceNewRun how = { .checkpoint = g_variant_get_string (parameter, NULL) };
  sluice_run_controller_launch (sluice_window_get_controller (data), &how);
}

static void
pause_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_run_controller_pause (sluice_window_get_controller (data));
}

static void
step_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceRun *next = get_next (data);
  sluice_run_controller_step (sluice_window_get_controller (data),
                              next != NULL ? sluice_run_get_info (next)->name : NULL, 1);
}

static void
checkpoint_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_run_controller_checkpoint (sluice_window_get_controller (data));
}

static void
stop_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceRunController *controller = sluice_window_get_controller (data);
  /* It waits again: whoever stops it does not want it to be taken at once. */
  if (sluice_run_controller_is_of_queue (controller))
    sluice_queue_worker_set_works (sluice_window_get_queue (data), FALSE);
  sluice_run_controller_stop (controller);
}

static void
resume_run_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autoptr (SluiceRun) run = dup_meant (data);
  if (run != NULL && !open_draft (data, run))
    sluice_run_controller_resume_run (sluice_window_get_controller (data),
                                      sluice_run_get_info (run)->name, -1, 0);
}

static void
resume_from_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autoptr (SluiceRun) run = dup_meant (data);
  if (run != NULL)
    sluice_resume_dialog_present (
        data, sluice_workspace_get_store (sluice_window_get_workspace (data)), run);
}

static void
resume_run_from_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const char *name;
  gint64 step;
  gboolean accepts, audits;
  g_variant_get (parameter, "(&sxbb)", &name, &step, &accepts, &audits);
  sluice_run_controller_resume_run (sluice_window_get_controller (data), name, step,
                                    (accepts ? SLUICE_RESUME_ACCEPTS_DATA : 0)
                                        | (audits ? SLUICE_RESUME_AUDITS : 0));
}

static void
accept_changed_data_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_run_controller_accept_data (sluice_window_get_controller (data));
}

static void
delete_run_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceRunController *controller = sluice_window_get_controller (data);
  SluiceRun *run = get_selected (data);
  if (run == NULL)
    return;
  const SluiceRunInfo *info = sluice_run_get_info (run);
  if (info->id == sluice_run_controller_get_run (controller)
      && sluice_run_controller_get_state (controller) != SLUICE_CONTROL_IDLE)
    {
      sluice_window_tell (data, _ ("This run is under way: stop it first"));
      return;
    }
  gint64 id = info->id;
  sluice_runs_pane_leave_selected (sluice_window_get_runs_pane (data));
  sluice_workspace_delete_run (sluice_window_get_workspace (data), id);
}

static void
restore_run_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_workspace_restore_run (sluice_window_get_workspace (data),
                                g_variant_get_int64 (parameter));
}

static void
check_run (SluiceWindow *window, gboolean checked)
{
  SluiceRun *run = get_selected (window);
  if (run != NULL)
    sluice_run_set_set_checked (sluice_window_get_shown (window), sluice_run_get_info (run)->id,
                                checked);
}

/* Shown where it was hidden, hidden where it was shown. */
static void
toggle_run_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceRun *run = get_selected (data);
  if (run != NULL)
    check_run (data, !sluice_run_get_shown (run));
}

/* Alone; once more: with the others again. */
static void
solo_run_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceRunSet *shown = sluice_window_get_shown (data);
  SluiceRun *run = get_selected (data);
  gint64 id = run != NULL ? sluice_run_get_info (run)->id : 0;
  sluice_run_set_set_solo (shown, id != sluice_run_set_get_solo (shown) ? id : 0);
}

static void
isolate_run_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceRun *run = get_selected (data);
  if (run != NULL)
    sluice_run_set_isolate (sluice_window_get_shown (data), sluice_run_get_info (run)->id);
}

static void
show_all_runs_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_run_set_check_all (sluice_window_get_shown (data));
}

static void
show_project_runs_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_run_set_reset (sluice_window_get_shown (data));
}

static void
reindex_runs_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_workspace_reindex (sluice_window_get_workspace (data));
}

static const GActionEntry actions[] = {
  { .name = "start", .activate = start_cb },
  { .name = "new-run", .activate = new_run_cb },
  { .name = "fork-run", .activate = fork_run_cb, .parameter_type = "(xx)" },
  { .name = "start-run", .activate = start_run_cb, .parameter_type = "(sas)" },
  { .name = "start-from", .activate = start_from_cb, .parameter_type = "s" },
  { .name = "pause", .activate = pause_cb },
  { .name = "step", .activate = step_cb },
  { .name = "checkpoint", .activate = checkpoint_cb },
  { .name = "stop", .activate = stop_cb },
  { .name = "resume-run", .activate = resume_run_cb },
  { .name = "resume-from", .activate = resume_from_cb },
  { .name = "resume-step", .parameter_type = "x", .state = "int64 -1" }, /* the dialog's choices */
  { .name = "resume-accept", .state = "false" },
  { .name = "resume-audit", .state = "false" },
  { .name = "resume-run-from", .activate = resume_run_from_cb, .parameter_type = "(sxbb)" },
  { .name = "accept-changed-data", .activate = accept_changed_data_cb },
  { .name = "delete-run", .activate = delete_run_cb },
  { .name = "restore-run", .activate = restore_run_cb, .parameter_type = "x" },
  { .name = "toggle-run", .activate = toggle_run_cb },
  { .name = "solo-run", .activate = solo_run_cb },
  { .name = "isolate-run", .activate = isolate_run_cb },
  { .name = "show-all-runs", .activate = show_all_runs_cb },
  { .name = "show-project-runs", .activate = show_project_runs_cb },
  { .name = "reindex-runs", .activate = reindex_runs_cb },
};

void
sluice_run_actions_add (SluiceWindow *window)
{
  g_action_map_add_action_entries (G_ACTION_MAP (window), actions, G_N_ELEMENTS (actions), window);
  sluice_debug_actions_add (window);
  sluice_run_edits_add (window);
}

static void
set_enabled (SluiceWindow *window, const char *name, gboolean enabled)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (window), name);
  g_simple_action_set_enabled (G_SIMPLE_ACTION (action), enabled);
}

/* What a key or a button will do is said before it does it. */
char *
sluice_run_actions_dup_start_text (SluiceWindow *window)
{
  SluiceRun *next = get_next (window);
  SluiceControlState state =
      sluice_run_controller_get_state (sluice_window_get_controller (window));
  if (sluice_run_edits_are_there (window))
    return g_strdup (_ ("Go on with the edited graph (F5)"));
  if (state == SLUICE_CONTROL_PAUSED || sluice_debug_actions_are_stopped (window))
    return g_strdup (_ ("Go on (F5)"));
  SluiceRun *selected = get_selected (window);
  if (selected != NULL && is_draft (window, selected))
    return g_strdup_printf (_ ("Go on with %s in its form (F5)"),
                            sluice_run_get_info (selected)->name);
  if (next == NULL)
    return g_strdup (_ ("Start a new run (F5)"));
  g_autofree char *step = sluice_format_step (sluice_run_get_info (next)->step);
  return g_strdup_printf (_ ("Go on with %s from step %s (F5)"), sluice_run_get_info (next)->name,
                          step);
}

char *
sluice_run_actions_dup_step_text (SluiceWindow *window)
{
  SluiceRun *next = get_next (window);
  if (sluice_run_controller_get_state (sluice_window_get_controller (window))
      != SLUICE_CONTROL_IDLE)
    return g_strdup (_ ("One step (F10)"));
  if (next == NULL)
    return g_strdup (_ ("Start a new run, one step of it (F10)"));
  return g_strdup_printf (_ ("Go on with %s, one step (F10)"), sluice_run_get_info (next)->name);
}

void
sluice_run_actions_update (SluiceWindow *window)
{
  SluiceRunController *controller = sluice_window_get_controller (window);
  SluiceWorkspace *workspace = sluice_window_get_workspace (window);
  SluiceControlState state = sluice_run_controller_get_state (controller);
  SluiceRun *selected = get_selected (window);
  g_autoptr (SluiceRun) meant = dup_meant (window);
  gboolean can_train = sluice_run_controller_get_project (controller) != NULL
                       && sluice_workspace_get_store (workspace) != NULL;
  gboolean idle = state == SLUICE_CONTROL_IDLE, paused = state == SLUICE_CONTROL_PAUSED;
  gboolean running = state == SLUICE_CONTROL_RUNNING;
  set_enabled (window, "start",
               can_train && (idle || paused || sluice_debug_actions_are_stopped (window)));
  set_enabled (window, "new-run", can_train);
  set_enabled (window, "fork-run", can_train);
  set_enabled (window, "start-run", can_train && idle);
  set_enabled (window, "start-from", can_train && idle);
  set_enabled (window, "pause", running);
  set_enabled (window, "step", can_train && (idle || paused));
  set_enabled (window, "checkpoint", running || paused);
  set_enabled (window, "stop", running || paused);
  set_enabled (window, "resume-run",
               can_train && idle && meant != NULL && is_resumable (window, meant));
  set_enabled (window, "resume-from",
               can_train && idle && meant != NULL && is_of_open_project (window, meant));
  set_enabled (window, "resume-run-from", can_train && idle);
  set_enabled (window, "accept-changed-data",
               idle && sluice_run_controller_has_changed_data (controller));
  set_enabled (window, "toggle-run", selected != NULL);
  set_enabled (window, "solo-run", selected != NULL);
  set_enabled (window, "isolate-run", selected != NULL);
  set_enabled (window, "delete-run", selected != NULL);
  sluice_run_edits_update (window);
  sluice_debug_actions_update (window);
}
