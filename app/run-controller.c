/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/run-controller.h"

#include <glib/gi18n.h>

#include "app/begin-words.h"
#include "app/break-rename.h"
#include "engine/graph/file-ops.h"
#include "engine/train/value-text.h"

struct _SluiceRunController
{
  GObject parent;
  SluiceWorkspace *workspace;
  char *project;
  char *trained;   /* (nullable): the project that was open when the trainer's run was begun */
  GError *failure; /* (nullable): of the last run or start */
  gint64 failed;   /* the run that it is of; 0: none */
  gboolean failed_is_listed;
  char *notice;   /* (nullable): what the run that begins may do with files, or does again */
  char *repeated; /* (nullable): the run whose numbers the one that begins will repeat */
  GHashTable *breakpoints; /* texts -> their numbers in the debugger of the run under way */
  SluiceTrainer *trainer;  /* the run under way, or the last one */
  gboolean starting;
  gboolean ended;          /* the trainer's run */
  gboolean stops_at_start; /* asked for before there was a trainer */
  gint64 steps_at_start;   /* the same; 0: all */
  guint n_alerts;          /* of the trainer's run: so many were taken */
  char *refused;           /* (nullable): a run that was not resumed because data have changed */
  gint64 refused_from;
  gboolean queued;        /* the trainer's run came out of the queue */
  gboolean settling;      /* it goes back there, or leaves it */
  SluiceQueueClaim claim; /* what came of the last look at the queue */
  guint n_begun;
  SluiceStartTask *next; /* (nullable): how the run goes on once it has ended */
  gboolean has_edited;   /* the outcome, which nobody has taken yet */
  SluiceEditOutcome edited;
};

G_DEFINE_FINAL_TYPE (SluiceRunController, sluice_run_controller, G_TYPE_OBJECT)

static guint changed_signal, renamed_signal;
static const char *const *allowed_files; /* (nullable) */
static gboolean allowed_commands;

void
sluice_run_controller_allow_files (const char *const *folders)
{
  allowed_files = folders;
}

const char *const *
sluice_run_controller_get_allowed_files (void)
{
  return allowed_files;
}

void
sluice_run_controller_allow_commands (gboolean allow)
{
  allowed_commands = allow;
}

static void
changed (SluiceRunController *self)
{
  g_signal_emit (self, changed_signal, 0);
}

static gboolean
is_over (SluiceRunState state)
{
  return state == SLUICE_RUN_FINISHED || state == SLUICE_RUN_STOPPED || state == SLUICE_RUN_FAILED
         || state == SLUICE_RUN_WAITING; /* put off */
}

/* ---- the trainer's state, brought to the main thread ---- */

static void begin (SluiceRunController *self, SluiceStartTask *task);

static void
end_run (SluiceRunController *self, GError *take_failure)
{
  SluiceStartTask *next = g_steal_pointer (&self->next);
  self->ended = TRUE;
  self->settling = FALSE;
  if (take_failure == NULL)
    {
      begin (self, next);
      return;
    }
  g_clear_pointer (&next, sluice_start_task_free);
  g_clear_error (&self->failure);
  self->failure = take_failure;
  self->failed = sluice_trainer_get_run (self->trainer);
  self->failed_is_listed = FALSE;
}

/* What a run failed with is told as long as the run is there. */
static void
workspace_changed_cb (SluiceRunController *self)
{
  if (self->failure == NULL || self->failed == 0)
    return;
  g_autoptr (SluiceRun) run = sluice_workspace_dup_run (self->workspace, self->failed);
  gboolean is_gone = run == NULL && self->failed_is_listed;
  self->failed_is_listed = run != NULL;
  if (!is_gone)
    return;
  g_clear_error (&self->failure);
  changed (self);
}

typedef struct
{
  SluiceStore *store;
  SluiceTrainer *trainer;
  GError *failure; /* (nullable): of the run */
} Settling;

static void
settling_free (gpointer data)
{
  Settling *self = data;
  g_object_unref (self->store);
  g_object_unref (self->trainer);
  g_clear_error (&self->failure);
  g_free (self);
}

static void
settle_in_worker (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Settling *settling = data;
  GError *error = NULL;
  if (sluice_queue_put_back (settling->store, settling->trainer, settling->failure, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
settle_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceRunController *self = SLUICE_RUN_CONTROLLER (object);
  Settling *settling = g_task_get_task_data (G_TASK (result));
  GError *error = NULL;
  if (!g_task_propagate_boolean (G_TASK (result), &error))
    self->claim = SLUICE_QUEUE_BROKEN;
  end_run (self, error != NULL ? error : g_steal_pointer (&settling->failure));
  sluice_workspace_refresh (self->workspace);
  changed (self);
}

/* A run of the queue has ended. */
static void
settle (SluiceRunController *self, GError *take_failure)
{
  Settling *settling = g_new0 (Settling, 1);
  settling->store = g_object_ref (sluice_workspace_get_store (self->workspace));
  settling->trainer = g_object_ref (self->trainer);
  settling->failure = take_failure;
  self->settling = TRUE;
  g_autoptr (GTask) task = g_task_new (self, NULL, settle_done, NULL);
  g_task_set_task_data (task, settling, settling_free);
  g_task_run_in_thread (task, settle_in_worker);
}

static gboolean
state_changed_cb (gpointer data)
{
  SluiceRunController *self = data;
  SluiceProgress progress;
  if (self->trainer == NULL)
    return G_SOURCE_REMOVE;
  sluice_trainer_get_progress (self->trainer, &progress);
  if (is_over (progress.state) && !self->ended && !self->settling)
    {
      GError *error = NULL;
      sluice_trainer_wait (self->trainer, &error);
      if (self->queued)
        settle (self, error);
      else
        end_run (self, error);
    }
  sluice_workspace_refresh (self->workspace); /* the run's row says it, too */
  changed (self);
  return G_SOURCE_REMOVE;
}

static void
trainer_changed (gpointer data)
{
  g_idle_add_full (G_PRIORITY_DEFAULT, state_changed_cb, g_object_ref (data), g_object_unref);
}

/* ---- starting ---- */

static void
start_in_worker (GTask *gtask, gpointer source, gpointer data, GCancellable *cancellable)
{
  SluiceStartTask *task = data;
  GError *error = NULL;
  SluiceTrainer *trainer =
      task->takes ? sluice_start_task_take (task, &error) : sluice_start_task_run (task, &error);
  if (error != NULL)
    g_task_return_error (gtask, error);
  else
    g_task_return_pointer (gtask, trainer, g_object_unref);
}

/* Those that were set before. */
static void
add_breakpoints (SluiceRunController *self)
{
  SluiceDebugger *debugger = sluice_trainer_get_debugger (self->trainer);
  GHashTableIter iter;
  gpointer text, number;
  sluice_debugger_set_notify (debugger, trainer_changed, self);
  g_hash_table_iter_init (&iter, self->breakpoints);
  while (g_hash_table_iter_next (&iter, &text, &number))
    {
      SluiceBreakpoint breakpoint;
      if (sluice_breakpoint_parse (&breakpoint, text, NULL))
        g_hash_table_iter_replace (
            &iter, GUINT_TO_POINTER (sluice_debugger_add (debugger, &breakpoint, NULL)));
    }
}

gboolean
sluice_run_controller_toggle_breakpoint (SluiceRunController *self,
                                         const char *text,
                                         GError **error)
{
  SluiceDebugger *debugger = sluice_run_controller_get_debugger (self);
  SluiceBreakpoint breakpoint;
  gpointer number;
  guint added = 0;
  if (g_hash_table_lookup_extended (self->breakpoints, text, NULL, &number))
    {
      if (debugger != NULL)
        sluice_debugger_remove (debugger, GPOINTER_TO_UINT (number));
      return !g_hash_table_remove (self->breakpoints, text);
    }
  if (!sluice_breakpoint_parse (&breakpoint, text, error))
    return FALSE;
  if (debugger != NULL && (added = sluice_debugger_add (debugger, &breakpoint, error)) == 0)
    return FALSE;
  return g_hash_table_insert (self->breakpoints, g_strdup (text), GUINT_TO_POINTER (added));
}

GHashTable *
sluice_run_controller_get_breakpoints (SluiceRunController *self)
{
  return self->breakpoints;
}

void
sluice_run_controller_rename (SluiceRunController *self, SluiceGraph *graph, GHashTable *renamed)
{
  sluice_break_rename (self->breakpoints, graph, renamed);
  g_signal_emit (self, renamed_signal, 0, renamed);
}

SluiceDebugger *
sluice_run_controller_get_debugger (SluiceRunController *self)
{
  return self->trainer != NULL && !self->ended ? sluice_trainer_get_debugger (self->trainer) : NULL;
}

/* (transfer full) (nullable) */
static SluiceTensor *
new_value (SluiceDebugger *debugger, const char *edge, const char *text, GError **error)
{
  SluiceDebugValue *now = sluice_debugger_find_value (debugger, edge, error);
  SluiceTensor *value = NULL;
  if (now != NULL && now->tensor == NULL)
    sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, _ ("“%s” has no value"), edge);
  else if (now != NULL)
    value = sluice_value_change (now->tensor, text, error);
  g_clear_pointer (&now, sluice_debug_value_free);
  return value;
}

gboolean
sluice_run_controller_put (SluiceRunController *self,
                           const char *edge,
                           const char *text,
                           GError **error)
{
  SluiceDebugger *debugger = sluice_run_controller_get_debugger (self);
  if (debugger == NULL)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION, _ ("no run is stopped"));
  g_autofree char *name = NULL, *words = g_strdup_printf ("%s %s", edge, text);
  g_autoptr (SluiceTensor) value = text != NULL ? new_value (debugger, edge, text, error) : NULL;
  gboolean ok = text == NULL ? sluice_debugger_unput (debugger, &name, error)
                             : value != NULL && sluice_debugger_put (debugger, edge, value, error);
  if (ok)
    sluice_trainer_note_put (self->trainer, text != NULL ? words : NULL);
  if (ok)
    changed (self);
  return ok;
}

static void
adopt (SluiceRunController *self, SluiceStartTask *task, SluiceTrainer *take_trainer)
{
  if (self->trainer != NULL && sluice_start_task_edits (task))
    sluice_trainer_keep_injected (take_trainer, self->trainer);
  g_clear_object (&self->trainer);
  self->trainer = take_trainer;
  self->n_alerts = 0;
  self->n_begun++;
  g_free (self->trained);
  self->trained = g_strdup (task->folder);
  self->ended = FALSE;
  self->queued = task->takes;
  g_free (self->repeated);
  self->repeated = g_steal_pointer (&task->repeated);
  g_free (self->notice);
  self->notice = task->takes || sluice_start_task_edits (task) ? NULL
                 : task->resume == NULL
                     ? sluice_graph_describe_file_ops (sluice_trainer_get_graph (self->trainer))
                     : sluice_begin_words (self->trainer);
  if (self->stops_at_start)
    sluice_trainer_stop (self->trainer);
  else if (self->steps_at_start > 0)
    sluice_trainer_step (self->trainer, self->steps_at_start);
  sluice_trainer_set_notify (self->trainer, trainer_changed, self);
  add_breakpoints (self);
  sluice_trainer_start (self->trainer);
}

static void
take_edited (SluiceRunController *self, SluiceStartTask *task)
{
  const GError *failure = task->edit_failure;
  g_clear_error (&self->edited.failure);
  self->has_edited = TRUE;
  self->edited = (SluiceEditOutcome){ task->edited, task->takes_back,
                                      failure != NULL ? g_error_copy (failure) : NULL };
}

static void
start_done (GObject *object, GAsyncResult *result, gpointer data)
{
  SluiceRunController *self = SLUICE_RUN_CONTROLLER (object);
  g_autoptr (GError) error = NULL;
  SluiceTrainer *trainer = g_task_propagate_pointer (G_TASK (result), &error);
  SluiceStartTask *task = g_task_get_task_data (G_TASK (result));
  self->starting = FALSE;
  if (task->takes)
    self->claim = task->claim;
  if (sluice_start_task_edits (task))
    take_edited (self, task);
  if (trainer != NULL)
    adopt (self, task, trainer);
  else if (error != NULL)
    {
      g_clear_error (&self->failure);
      self->failure = g_steal_pointer (&error);
      self->failed = 0;
      self->refused = task->has_changed_data ? g_strdup (task->resume) : NULL;
      self->refused_from = task->from_step;
    }
  sluice_workspace_refresh (self->workspace);
  changed (self);
}

/* Of the open project: (nullable): there is none, or no workspace. */
static SluiceStartTask *
start_task_new (SluiceRunController *self)
{
  SluiceStore *store = sluice_workspace_get_store (self->workspace);
  if (store == NULL || self->project == NULL)
    return NULL;
  return sluice_start_task_new (store, self->project);
}

/* take; (nullable) */
static void
begin (SluiceRunController *self, SluiceStartTask *task)
{
  if (task == NULL)
    return;
  task->allowed_files = allowed_files;
  task->runs_commands = allowed_commands;
  g_clear_pointer (&self->refused, g_free);
  self->starting = TRUE;
  self->stops_at_start = FALSE;
  g_clear_error (&self->failure);
  g_autoptr (GTask) gtask = g_task_new (self, NULL, start_done, NULL);
  g_task_set_task_data (gtask, task, (GDestroyNotify) sluice_start_task_free);
  g_task_run_in_thread (gtask, start_in_worker);
  changed (self);
}

/* ---- verbs ---- */

SluiceControlState
sluice_run_controller_get_state (SluiceRunController *self)
{
  SluiceProgress progress;
  if (self->starting)
    return SLUICE_CONTROL_STARTING;
  if (self->trainer == NULL || self->ended)
    return SLUICE_CONTROL_IDLE;
  sluice_trainer_get_progress (self->trainer, &progress);
  if (is_over (progress.state))
    return SLUICE_CONTROL_STOPPING;
  return progress.state == SLUICE_RUN_PAUSED ? SLUICE_CONTROL_PAUSED : SLUICE_CONTROL_RUNNING;
}

void
sluice_run_controller_start (SluiceRunController *self)
{
  SluiceControlState state = sluice_run_controller_get_state (self);
  self->steps_at_start = 0;
  if (state == SLUICE_CONTROL_PAUSED)
    sluice_trainer_resume (self->trainer);
  else if (state == SLUICE_CONTROL_IDLE)
    begin (self, start_task_new (self));
}

void
sluice_run_controller_launch (SluiceRunController *self, const SluiceNewRun *how)
{
  SluiceStartTask *task =
      sluice_run_controller_get_state (self) == SLUICE_CONTROL_IDLE ? start_task_new (self) : NULL;
  if (task == NULL)
    return;
  self->steps_at_start = 0;
  task->name = g_strdup (how->name);
  task->assignments = g_strdupv ((GStrv) how->assignments);
  task->init_from = g_strdup (how->checkpoint);
  task->init_partly = how->partly;
  task->parent = how->parent;
  task->parent_step = how->step;
  task->device = g_strdup (how->device);
  begin (self, task);
}

void
sluice_run_controller_take_next (SluiceRunController *self)
{
  SluiceStore *store = sluice_workspace_get_store (self->workspace);
  if (store == NULL || sluice_run_controller_get_state (self) != SLUICE_CONTROL_IDLE)
    return;
  SluiceStartTask *task = sluice_start_task_new (store, self->project);
  task->takes = TRUE;
  self->steps_at_start = 0;
  begin (self, task);
}

SluiceQueueClaim
sluice_run_controller_get_claim (SluiceRunController *self)
{
  return self->claim;
}

gboolean
sluice_run_controller_is_of_queue (SluiceRunController *self)
{
  return self->queued && sluice_run_controller_get_state (self) != SLUICE_CONTROL_IDLE;
}

/* run: (nullable): a new one */
static void
begin_run (SluiceRunController *self, const char *run, gint64 from_step, SluiceResumeFlags flags)
{
  SluiceStartTask *task = start_task_new (self);
  if (task == NULL)
    return;
  task->resume = g_strdup (run);
  task->from_step = from_step;
  task->accept_data = (flags & SLUICE_RESUME_ACCEPTS_DATA) != 0;
  task->audits = (flags & SLUICE_RESUME_AUDITS) != 0;
  begin (self, task);
}

void
sluice_run_controller_resume_run (SluiceRunController *self,
                                  const char *run,
                                  gint64 from_step,
                                  SluiceResumeFlags flags)
{
  self->steps_at_start = 0;
  if (sluice_run_controller_get_state (self) == SLUICE_CONTROL_IDLE)
    begin_run (self, run, from_step, flags);
}

gboolean
sluice_run_controller_has_changed_data (SluiceRunController *self)
{
  return self->refused != NULL;
}

void
sluice_run_controller_accept_data (SluiceRunController *self)
{
  g_autofree char *run = g_strdup (self->refused);
  if (run != NULL)
    sluice_run_controller_resume_run (self, run, self->refused_from, SLUICE_RESUME_ACCEPTS_DATA);
}

void
sluice_run_controller_pause (SluiceRunController *self)
{
  if (sluice_run_controller_get_state (self) == SLUICE_CONTROL_RUNNING)
    sluice_trainer_pause (self->trainer);
}

void
sluice_run_controller_checkpoint (SluiceRunController *self)
{
  SluiceControlState state = sluice_run_controller_get_state (self);
  if (state == SLUICE_CONTROL_RUNNING || state == SLUICE_CONTROL_PAUSED)
    sluice_trainer_checkpoint (self->trainer);
}

void
sluice_run_controller_step (SluiceRunController *self, const char *run, gint64 n)
{
  SluiceControlState state = sluice_run_controller_get_state (self);
  if (state == SLUICE_CONTROL_PAUSED || state == SLUICE_CONTROL_RUNNING)
    sluice_trainer_step (self->trainer, n);
  else if (state == SLUICE_CONTROL_IDLE)
    {
      self->steps_at_start = n;
      begin_run (self, run, -1, FALSE);
    }
}

void
sluice_run_controller_stop (SluiceRunController *self)
{
  SluiceControlState state = sluice_run_controller_get_state (self);
  if (state == SLUICE_CONTROL_RUNNING || state == SLUICE_CONTROL_PAUSED)
    sluice_trainer_stop (self->trainer);
  else if (state == SLUICE_CONTROL_STARTING)
    self->stops_at_start = TRUE;
}

/* ---- another graph on the way ---- */

/* The run under way, or the last one, ends and goes on as the task says. take: its run is set */
static void
go_on_with (SluiceRunController *self, SluiceStartTask *take)
{
  SluiceDebugger *debugger = sluice_run_controller_get_debugger (self);
  take->resume = g_strdup_printf ("#%" G_GINT64_FORMAT, sluice_trainer_get_run (self->trainer));
  self->steps_at_start = 0;
  if (self->ended)
    {
      begin (self, take);
      return;
    }
  g_clear_pointer (&self->next, sluice_start_task_free);
  self->next = take;
  if (debugger != NULL && sluice_debugger_is_stopped (debugger))
    sluice_trainer_give_up_step (self->trainer);
  else
    sluice_trainer_stop (self->trainer);
}

static SluiceStartTask *
new_edit (SluiceRunController *self, GError **error)
{
  SluiceStartTask *task =
      self->trainer != NULL && !self->starting && self->next == NULL ? start_task_new (self) : NULL;
  if (task == NULL)
    sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION, _ ("no run is there to go on"));
  else if (sluice_run_controller_is_of_queue (self))
    sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                 _ ("a run of the queue keeps its graph; stop it, and let it wait no more"));
  else
    return task;
  g_clear_pointer (&task, sluice_start_task_free);
  return NULL;
}

gboolean
sluice_run_controller_edit (SluiceRunController *self,
                            GBytes *graph,
                            const char *words,
                            GError **error)
{
  SluiceStartTask *task = new_edit (self, error);
  if (task == NULL)
    return FALSE;
  task->graph = g_bytes_ref (graph);
  task->words = g_strdup (words);
  go_on_with (self, task);
  return TRUE;
}

gboolean
sluice_run_controller_take_back_edit (SluiceRunController *self, GError **error)
{
  SluiceStartTask *task = new_edit (self, error);
  if (task == NULL)
    return FALSE;
  task->takes_back = TRUE;
  go_on_with (self, task);
  return TRUE;
}

gboolean
sluice_run_controller_take_edited (SluiceRunController *self, SluiceEditOutcome *outcome)
{
  gboolean is_there = self->has_edited;
  *outcome = self->edited;
  self->edited.failure = NULL;
  self->has_edited = FALSE;
  return is_there;
}

guint
sluice_run_controller_get_n_begun (SluiceRunController *self)
{
  return self->n_begun;
}

void
sluice_run_controller_finish (SluiceRunController *self)
{
  if (self->trainer == NULL || self->ended)
    return;
  while (self->settling)
    g_main_context_iteration (NULL, TRUE);
  if (self->ended)
    return;
  g_autoptr (GError) failure = NULL;
  sluice_trainer_stop (self->trainer);
  sluice_trainer_wait (self->trainer, &failure); /* the run's row says what went wrong */
  if (self->queued)
    sluice_queue_put_back (sluice_workspace_get_store (self->workspace), self->trainer, failure,
                           NULL);
}

/* ---- accessors ---- */

SluiceRunController *
sluice_run_controller_new (SluiceWorkspace *workspace)
{
  SluiceRunController *self = g_object_new (SLUICE_TYPE_RUN_CONTROLLER, NULL);
  self->workspace = g_object_ref (workspace);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (workspace_changed_cb), self,
                           G_CONNECT_SWAPPED);
  return self;
}

void
sluice_run_controller_set_project (SluiceRunController *self, const char *folder)
{
  g_free (self->project);
  self->project = g_strdup (folder);
  g_clear_error (&self->failure);
  changed (self);
}

const char *
sluice_run_controller_get_project (SluiceRunController *self)
{
  return self->project;
}

char *
sluice_run_controller_take_notice (SluiceRunController *self)
{
  return g_steal_pointer (&self->notice);
}

char *
sluice_run_controller_take_repeated (SluiceRunController *self)
{
  return g_steal_pointer (&self->repeated);
}

char *
sluice_run_controller_take_alert (SluiceRunController *self)
{
  g_autofree char *text = NULL;
  guint n = self->trainer != NULL ? sluice_trainer_get_last_alert (self->trainer, &text) : 0;
  if (n == self->n_alerts)
    return NULL;
  self->n_alerts = n;
  return g_steal_pointer (&text);
}

const GError *
sluice_run_controller_get_failure (SluiceRunController *self)
{
  return self->failure;
}

gint64
sluice_run_controller_get_run (SluiceRunController *self)
{
  return self->trainer != NULL ? sluice_trainer_get_run (self->trainer) : 0;
}

const char *
sluice_run_controller_get_run_name (SluiceRunController *self)
{
  return self->trainer != NULL ? sluice_trainer_get_run_name (self->trainer) : NULL;
}

gboolean
sluice_run_controller_get_progress (SluiceRunController *self, SluiceProgress *progress)
{
  if (self->trainer == NULL)
    return FALSE;
  sluice_trainer_get_progress (self->trainer, progress);
  return TRUE;
}

void
sluice_run_controller_record_memory (SluiceRunController *self, guint n)
{
  if (self->trainer != NULL)
    sluice_trainer_record_memory (self->trainer, n);
}

GPtrArray *
sluice_run_controller_dup_memory (SluiceRunController *self)
{
  return self->trainer != NULL ? sluice_trainer_dup_memory (self->trainer) : NULL;
}

SluiceTrainer *
sluice_run_controller_dup_trainer (SluiceRunController *self)
{
  return self->trainer != NULL ? g_object_ref (self->trainer) : NULL;
}

GArray *
sluice_run_controller_dup_devices (SluiceRunController *self)
{
  return self->trainer != NULL ? sluice_trainer_dup_devices (self->trainer) : NULL;
}

const char *
sluice_run_controller_get_evaluation_name (SluiceRunController *self)
{
  const SluiceProject *project =
      self->trainer != NULL ? sluice_trainer_get_project (self->trainer) : NULL;
  return project != NULL && project->evaluate->len > 0
             ? g_array_index (project->evaluate, SluiceNamedEdge, 0).name
             : NULL;
}

SluiceSession *
sluice_run_controller_get_session (SluiceRunController *self)
{
  return self->trainer != NULL && g_strcmp0 (self->trained, self->project) == 0
             ? sluice_trainer_get_session (self->trainer)
             : NULL;
}

static void
sluice_run_controller_finalize (GObject *object)
{
  SluiceRunController *self = SLUICE_RUN_CONTROLLER (object);
  if (self->trainer != NULL)
    {
      sluice_trainer_set_notify (self->trainer, NULL, NULL);
      sluice_debugger_set_notify (sluice_trainer_get_debugger (self->trainer), NULL, NULL);
    }
  g_clear_object (&self->trainer);
  g_hash_table_unref (self->breakpoints);
  g_clear_object (&self->workspace);
  g_free (self->project);
  g_free (self->trained);
  g_clear_error (&self->failure);
  g_free (self->notice);
  g_free (self->repeated);
  g_free (self->refused);
  g_clear_pointer (&self->next, sluice_start_task_free);
  g_clear_error (&self->edited.failure);
  G_OBJECT_CLASS (sluice_run_controller_parent_class)->finalize (object);
}

static void
sluice_run_controller_class_init (SluiceRunControllerClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_run_controller_finalize;
  changed_signal = g_signal_new ("changed", SLUICE_TYPE_RUN_CONTROLLER, G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
  renamed_signal = g_signal_new ("renamed", SLUICE_TYPE_RUN_CONTROLLER, G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 1, G_TYPE_HASH_TABLE);
}

static void
sluice_run_controller_init (SluiceRunController *self)
{
  self->breakpoints = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}
