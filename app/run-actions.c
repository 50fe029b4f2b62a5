/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/run-actions.h"

#include <glib/gi18n.h>

#include "app/runs/resume-dialog.h"

static void
start_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_run_controller_start (sluice_window_get_controller (data));
}

static void
pause_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_run_controller_pause (sluice_window_get_controller (data));
}

static void
step_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_run_controller_step (sluice_window_get_controller (data), 1);
}

static void
stop_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  sluice_run_controller_stop (sluice_window_get_controller (data));
}

/* The newest where none is selected; NULL where there is none. */
static SluiceRun *
dup_selected_run (SluiceWindow *window)
{
  SluiceRun *run = sluice_runs_pane_get_selected (sluice_window_get_runs_pane (window));
  if (run != NULL)
    return g_object_ref (run);
  return g_list_model_get_item (sluice_workspace_get_runs (sluice_window_get_workspace (window)),
                                0);
}

static void
resume_run_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autoptr (SluiceRun) run = dup_selected_run (data);
  if (run != NULL)
    sluice_run_controller_resume_run (sluice_window_get_controller (data),
                                      sluice_run_get_info (run)->name, -1, FALSE);
}

static void
resume_from_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autoptr (SluiceRun) run = dup_selected_run (data);
  if (run != NULL)
    sluice_resume_dialog_present (
        data, sluice_workspace_get_store (sluice_window_get_workspace (data)), run);
}

static void
resume_run_from_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const char *name;
  gint64 step;
  gboolean accept;
  g_variant_get (parameter, "(&sxb)", &name, &step, &accept);
  sluice_run_controller_resume_run (sluice_window_get_controller (data), name, step, accept);
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
  SluiceRun *run = sluice_runs_pane_get_selected (sluice_window_get_runs_pane (data));
  if (run == NULL)
    return;
  const SluiceRunInfo *info = sluice_run_get_info (run);
  if (info->id == sluice_run_controller_get_run (controller)
      && sluice_run_controller_get_state (controller) != SLUICE_CONTROL_IDLE)
    {
      sluice_window_tell (data, _ ("This run is under way: stop it first"));
      return;
    }
  sluice_workspace_delete_run (sluice_window_get_workspace (data), info->id);
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
  SluiceRun *run = sluice_runs_pane_get_selected (sluice_window_get_runs_pane (window));
  if (run != NULL)
    sluice_run_set_set_checked (sluice_window_get_shown (window), sluice_run_get_info (run)->id,
                                checked);
}

/* Shown where it was hidden, hidden where it was shown. */
static void
toggle_run_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceRun *run = sluice_runs_pane_get_selected (sluice_window_get_runs_pane (data));
  if (run != NULL)
    check_run (data, !sluice_run_get_shown (run));
}

/* Alone; once more: with the others again. */
static void
solo_run_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceRunSet *shown = sluice_window_get_shown (data);
  SluiceRun *run = sluice_runs_pane_get_selected (sluice_window_get_runs_pane (data));
  gint64 id = run != NULL ? sluice_run_get_info (run)->id : 0;
  sluice_run_set_set_solo (shown, id != sluice_run_set_get_solo (shown) ? id : 0);
}

static void
isolate_run_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SluiceRun *run = sluice_runs_pane_get_selected (sluice_window_get_runs_pane (data));
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
  { .name = "pause", .activate = pause_cb },
  { .name = "step", .activate = step_cb },
  { .name = "stop", .activate = stop_cb },
  { .name = "resume-run", .activate = resume_run_cb },
  { .name = "resume-from", .activate = resume_from_cb },
  { .name = "resume-step", .parameter_type = "x", .state = "int64 -1" }, /* the dialog's choices */
  { .name = "resume-accept", .state = "false" },
  { .name = "resume-run-from", .activate = resume_run_from_cb, .parameter_type = "(sxb)" },
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
}

static void
set_enabled (SluiceWindow *window, const char *name, gboolean enabled)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (window), name);
  g_simple_action_set_enabled (G_SIMPLE_ACTION (action), enabled);
}

void
sluice_run_actions_update (SluiceWindow *window)
{
  SluiceRunController *controller = sluice_window_get_controller (window);
  SluiceWorkspace *workspace = sluice_window_get_workspace (window);
  SluiceControlState state = sluice_run_controller_get_state (controller);
  gboolean can_train = sluice_run_controller_get_project (controller) != NULL
                       && sluice_workspace_get_store (workspace) != NULL;
  gboolean idle = state == SLUICE_CONTROL_IDLE, paused = state == SLUICE_CONTROL_PAUSED;
  gboolean running = state == SLUICE_CONTROL_RUNNING;
  set_enabled (window, "start", can_train && (idle || paused));
  set_enabled (window, "pause", running);
  set_enabled (window, "step", can_train && (idle || paused));
  set_enabled (window, "stop", running || paused);
  set_enabled (window, "resume-run", can_train && idle);
  set_enabled (window, "resume-from", can_train && idle);
  set_enabled (window, "resume-run-from", can_train && idle);
  set_enabled (window, "accept-changed-data",
               idle && sluice_run_controller_has_changed_data (controller));
}
