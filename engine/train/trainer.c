/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/trainer-private.h"

#include <math.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/base/thread.h"
#include "engine/graph/file-ops.h"
#include "engine/store/file.h"
#include "engine/train/summary.h"
#include "engine/train/trial.h"

/* Of the store, in seconds: who trains soon says that another program holds it, and goes on
 * trying. */
#define TRAINING_PATIENCE 1.0

G_DEFINE_FINAL_TYPE (SluiceTrainer, sluice_trainer, G_TYPE_OBJECT)

double
sluice_trainer_monotonic_now (void)
{
  return g_get_monotonic_time () * 1e-6;
}

/* ---- state, as others see it ---- */

void
sluice_trainer_set_state (SluiceTrainer *self, SluiceRunState state)
{
  pthread_mutex_lock (&self->lock);
  gboolean changed = self->progress.state != state;
  self->progress.state = state;
  void (*notify) (gpointer) = self->notify;
  gpointer data = self->notify_data;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  if (changed && notify != NULL)
    notify (data);
}

gboolean
sluice_trainer_write_info (SluiceTrainer *self, SluiceRunState state, GError **error)
{
  self->info->state = state;
  self->info->step = self->replica->n_done;
  self->info->seconds = self->seconds_before + sluice_step_rate_seconds (&self->rate);
  return sluice_store_update_run (self->store, self->info, error);
}

/*
 * After a call to the store that failed, begun at since: TRUE where another program holds the
 * database and the call is to be made again. Points wait in the queue meanwhile, who watches is
 * told, the time is none of training. A stop tries only once more: a resume computes the rest.
 */
static gboolean
wait_for_database (SluiceTrainer *self, double *since, GError **error)
{
  gboolean held = g_error_matches (*error, SLUICE_ERROR, SLUICE_ERROR_UNAVAILABLE);
  pthread_mutex_lock (&self->lock);
  gboolean stops = self->want == WANT_STOP;
  self->progress.waits = held;
  pthread_mutex_unlock (&self->lock);
  if (!held)
    return FALSE;
  gboolean flushed = sluice_run_log_flush (self->log, NULL);
  double now = sluice_trainer_monotonic_now (), waited = now - *since;
  *since = now;
  sluice_step_rate_skip (&self->rate, waited);
  pthread_mutex_lock (&self->lock);
  self->progress.wait_seconds += waited;
  pthread_mutex_unlock (&self->lock);
  if (stops && !flushed)
    return FALSE;
  g_clear_error (error);
  return TRUE;
}

static gboolean
insist_on_info (SluiceTrainer *self, SluiceRunState state, GError **error)
{
  double since = sluice_trainer_monotonic_now ();
  while (!sluice_trainer_write_info (self, state, error))
    if (!wait_for_database (self, &since, error))
      return FALSE;
  return TRUE;
}

void
sluice_trainer_publish_progress (SluiceTrainer *self, double waited)
{
  guint64 n_logged = sluice_run_log_get_n_logged (self->log);
  guint64 n_committed = sluice_run_log_get_n_committed (self->log);
  gint64 committed_step = n_committed == n_logged              ? self->replica->n_done
                          : n_committed >= self->marked_logged ? self->marked_step
                                                               : -1;
  if (committed_step >= 0)
    {
      self->marked_logged = n_logged;
      self->marked_step = self->replica->n_done;
    }
  double eta, margin, now = sluice_trainer_monotonic_now ();
  sluice_step_rate_eta (&self->rate, self->now.n_steps - self->replica->n_done, &eta, &margin);
  pthread_mutex_lock (&self->lock);
  SluiceProgress *p = &self->progress;
  p->step = self->replica->n_done;
  p->loss = self->scalars[0];
  p->steps_per_second = self->rate.recent;
  p->eta_seconds = eta;
  p->eta_margin = margin;
  p->seconds = self->seconds_before + sluice_step_rate_seconds (&self->rate);
  p->wait_seconds += waited;
  p->waits = FALSE;
  p->n_logged = n_logged;
  p->n_committed = n_committed;
  p->committed_step = MAX (p->committed_step, committed_step);
  p->usual_step_seconds = self->rate.recent > 0 ? 1 / self->rate.recent : -1;
  self->phase_start = now;
  pthread_mutex_unlock (&self->lock);
}

/* ---- what a step logs ---- */

/* Into files of the run, whole or as they were before; an event names each. */
static gboolean
write_texts (SluiceTrainer *self, const SluiceRunOptions *options, GError **error)
{
  for (guint i = 0; i < self->project->texts->len; i++)
    {
      SluiceNamedEdge *edge = &g_array_index (self->project->texts, SluiceNamedEdge, i);
      g_autofree char *text =
          sluice_replica_read_text (self->replica, edge->target, options, error);
      g_autofree char *name = g_strconcat (edge->name, ".txt", NULL);
      g_autofree char *path = g_build_filename (self->folder, name, NULL);
      if (text == NULL || !sluice_file_put ("text", path, text, strlen (text), error))
        return FALSE;
      sluice_run_log_event (self->log, self->replica->n_done, sluice_trainer_wall_now (), "text",
                            name);
    }
  return TRUE;
}

static gboolean
evaluate (SluiceTrainer *self, GError **error)
{
  SluiceRunOptions options = { .step = self->replica->n_done };
  if (!write_texts (self, &options, error))
    return FALSE;
  if (self->replica->evaluate == NULL)
    return TRUE;
  if (!sluice_replica_evaluate (self->replica, 0, self->evaluation, &options, error))
    return FALSE;
  double wall = sluice_trainer_wall_now ();
  for (guint i = 0; i < self->project->evaluate->len; i++)
    sluice_trainer_log_point (self, self->evaluation_series[i], self->replica->n_done, wall,
                              self->evaluation[i]);
  pthread_mutex_lock (&self->lock);
  self->progress.evaluation = self->evaluation[0];
  pthread_mutex_unlock (&self->lock);
  return TRUE;
}

/* Those who wait for the end are told how long it takes. */
static void
set_saves (SluiceTrainer *self, gboolean saves)
{
  double now = sluice_trainer_monotonic_now ();
  pthread_mutex_lock (&self->lock);
  if (!saves)
    self->progress.usual_save_seconds = now - self->phase_start;
  self->progress.saves = saves;
  self->phase_start = now;
  pthread_mutex_unlock (&self->lock);
}

static gboolean
save_checkpoint (SluiceTrainer *self, gint64 step, GError **error)
{
  g_autofree char *name = sluice_checkpoint_folder_dup_name (step);
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  gsize bytes;
  sluice_run_log_event (self->log, step, sluice_trainer_wall_now (), "checkpoint", NULL);
  if (!sluice_replica_save (self->replica, path, &bytes, error))
    return FALSE;
  double since = sluice_trainer_monotonic_now ();
  while (!sluice_trainer_publish_checkpoint (self, step, bytes, error))
    if (!wait_for_database (self, &since, error))
      return FALSE;
  pthread_mutex_lock (&self->lock);
  self->progress.last_checkpoint = step;
  pthread_mutex_unlock (&self->lock);
  return TRUE;
}

gboolean
sluice_trainer_save_checkpoint (SluiceTrainer *self, GError **error)
{
  gint64 step = self->replica->n_done;
  pthread_mutex_lock (&self->lock);
  gboolean is_there = self->progress.last_checkpoint == step;
  pthread_mutex_unlock (&self->lock);
  if (is_there)
    return TRUE;
  guint64 since = sluice_clock_ticks ();
  set_saves (self, TRUE);
  gboolean ok = save_checkpoint (self, step, error);
  set_saves (self, FALSE);
  sluice_session_note_host (self->replica->session, SLUICE_HOST_SAVE, (guint64) step, since);
  self->saved_seconds = sluice_step_rate_seconds (&self->rate);
  return ok;
}

/* ---- the thread ---- */

static gboolean
every (gint64 step, gint64 period)
{
  return period > 0 && step % period == 0;
}

/* Between steps: waits here while the queue is full. */
static gboolean
end_step (SluiceTrainer *self, gint64 step, GError **error)
{
  guint64 queued =
      sluice_run_log_get_n_logged (self->log) - sluice_run_log_get_n_committed (self->log);
  if (queued > SLUICE_STORE_QUEUE)
    {
      pthread_mutex_lock (&self->lock);
      self->progress.waits = TRUE;
      pthread_mutex_unlock (&self->lock);
    }
  double waited, since = sluice_trainer_monotonic_now ();
  guint64 since_ticks = sluice_clock_ticks ();
  while (!sluice_run_log_end_step (self->log, &waited, error))
    if (!wait_for_database (self, &since, error))
      return FALSE;
  sluice_step_rate_step (&self->rate, step);
  sluice_trainer_publish_progress (self, waited);
  if (self->flight != NULL)
    sluice_flight_recorder_log (self->flight, self->log);
  if (self->alerts != NULL)
    {
      sluice_alerts_beat (self->alerts, step, TRUE);
      sluice_alerts_log (self->alerts, self->log);
    }
  sluice_session_note_host (self->replica->session, SLUICE_HOST_LOG, (guint64) step, since_ticks);
  return !sluice_trainer_log_system (self) || insist_on_info (self, SLUICE_RUN_RUNNING, error);
}

static gboolean
log_summary (SluiceTrainer *self, const SluiceTensor *summary, double wall, GError **error)
{
  if (summary == NULL)
    return TRUE;
  double since = sluice_trainer_monotonic_now ();
  while (!sluice_summary_log (self->log, summary, self->replica->n_done, wall, error))
    if (!wait_for_database (self, &since, error))
      return FALSE;
  return TRUE;
}

/* Where this process is to end. */
static gint64
get_end (SluiceTrainer *self)
{
  gint64 end = self->now.n_steps;
  return self->until_step > 0 ? MIN (self->until_step, end) : end;
}

/* By the time of training, which a clock that is put forward or back does not change, and pauses do
 * not. */
static gboolean
checkpoint_is_due (SluiceTrainer *self)
{
  double minutes = self->project->checkpoint_minutes;
  return minutes > 0
         && sluice_step_rate_seconds (&self->rate) - self->saved_seconds >= 60 * minutes;
}

/* How many steps may have begun before something else is to be done with what they changed. */
static gint64
next_stop (SluiceTrainer *self)
{
  const SluiceSchedule *p = &self->now;
  const gint64 periods[] = { p->checkpoint_every, p->evaluate_every };
  gint64 done = self->replica->n_done, stop = get_end (self);
  gint64 begun = done + sluice_replica_get_n_under_way (self->replica);
  if (begun > done && checkpoint_is_due (self))
    return begun;
  for (guint i = 0; i < G_N_ELEMENTS (periods); i++)
    if (periods[i] > 0)
      stop = MIN (stop, (done / periods[i] + 1) * periods[i]);
  return stop;
}

/* limit: of the steps that workers begin. */
static gboolean
train_step (SluiceTrainer *self, gint64 limit, GError **error)
{
  const SluiceSchedule *p = &self->now;
  gint64 step = self->replica->n_done + 1;
  self->replica->limit = limit;
  SluiceRunOptions options = { .step = step,
                               .debugger = self->debugger,
                               .cancel_flag = &self->gives_up };
  g_autoptr (SluiceTensor) summary = NULL;
  const gint64 stopped_us = sluice_debugger_get_stopped_us (self->debugger);
  if (self->flight != NULL)
    sluice_flight_recorder_begin_step (self->flight, step);
  if (!sluice_trainer_run_step (self, every (step, p->summary_every) ? &summary : NULL, &options,
                                error))
    return FALSE;
  const gint64 stood_us = sluice_debugger_get_stopped_us (self->debugger) - stopped_us;
  if (self->flight != NULL)
    sluice_flight_recorder_end_step (self->flight, stood_us);
  sluice_step_rate_skip (&self->rate, stood_us * 1e-6);
  guint64 since = sluice_clock_ticks ();
  double wall = sluice_trainer_wall_now ();
  for (guint i = 0; i < self->replica->n_scalars; i++)
    sluice_trainer_log_point (self, self->series[i], step, wall, self->scalars[i]);
  gboolean last = step == get_end (self);
  if (!sluice_trainer_check_loss (self, error) || !log_summary (self, summary, wall, error))
    return FALSE;
  sluice_session_note_host (self->replica->session, SLUICE_HOST_LOG, (guint64) step, since);
  return ((!last && !every (step, p->evaluate_every) && !sluice_trial_is_rung (self->project, step))
          || evaluate (self, error))
         && ((!last && !every (step, p->checkpoint_every)
              && (sluice_replica_get_n_under_way (self->replica) > 0 || !checkpoint_is_due (self)))
             || sluice_trainer_save_checkpoint (self, error))
         && end_step (self, step, error);
}

/* Queues that are closed and iterators at their end say OUT_OF_RANGE. Before the first step that is
 * no end but an input of nothing. */
static gboolean
is_end_of_input (SluiceTrainer *self, const GError *error)
{
  return self->replica->examples == NULL && self->replica->n_done > 0
         && g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_OUT_OF_RANGE);
}

static gboolean
end_early (SluiceTrainer *self, const char *kind, const char *why, GError **error)
{
  self->ended_early = TRUE;
  sluice_run_log_event (self->log, self->replica->n_done, sluice_trainer_wall_now (), kind, why);
  return sluice_trainer_save_checkpoint (self, error);
}

/* Steps that workers have begun are of the run. */
static gboolean
end_train (SluiceTrainer *self, Want want, GError **error)
{
  while (sluice_replica_get_n_under_way (self->replica) > 0)
    if (!train_step (self, 0, error))
      return FALSE;
  return want != WANT_STOP || sluice_trainer_save_checkpoint (self, error);
}

/* It has come to its end, which is why nothing waits for it any more. */
static gboolean
end_by_rule (SluiceTrainer *self, GError **error)
{
  g_free (self->info->message);
  self->info->message = g_strdup (self->stop_reason);
  return end_train (self, WANT_RUN, error)
         && end_early (self, "stopped-early", self->stop_reason, error);
}

static gboolean
train (SluiceTrainer *self, GError **error)
{
  if (!insist_on_info (self, SLUICE_RUN_RUNNING, error))
    return FALSE;
  sluice_step_rate_resume (&self->rate);
  Want want = WANT_RUN;
  while (sluice_trainer_take_changes (self, error))
    {
      if (self->replica->n_done >= get_end (self)
          || (want = sluice_trainer_obey (self)) == WANT_STOP)
        return end_train (self, want, error);
      g_autoptr (GError) local = NULL;
      if (train_step (self, next_stop (self), &local))
        {
          if (self->stop_reason != NULL)
            return end_by_rule (self, error);
          continue;
        }
      if (self->gives_up)
        return TRUE; /* nothing of the step counts, and nothing is saved */
      if (is_end_of_input (self, local))
        return end_early (self, "input-ended", local->message, error);
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  return FALSE;
}

static gboolean
train_with_input (SluiceTrainer *self, GError **error)
{
  gboolean ok = sluice_replica_begin_input (self->replica, error) && train (self, error);
  sluice_replica_end_input (self->replica);
  return ok;
}

/* Takes the error that ended it, if one did. */
static void
end_run (SluiceTrainer *self, GError *take_error)
{
  g_autoptr (GError) error = take_error;
  if (error == NULL) /* it has not finished before that is written down */
    sluice_run_log_flush (self->log, &error);
  gboolean ok = error == NULL;
  gboolean finished = self->ended_early || self->replica->n_done >= self->now.n_steps;
  SluiceRunState state = !ok        ? SLUICE_RUN_FAILED
                         : finished ? SLUICE_RUN_FINISHED
                                    : SLUICE_RUN_STOPPED;
  sluice_trainer_record_end (self, error);
  self->is_put_off = !ok && self->waits_again != NULL && self->waits_again (self->store, error);
  if (!ok && !self->is_put_off)
    {
      sluice_run_log_event (self->log, self->replica->n_done, sluice_trainer_wall_now (), "failed",
                            error->message);
      g_free (self->info->message);
      self->info->message = g_strdup (error->message);
      g_free (self->info->failed_node);
      self->info->failed_node = g_strdup (sluice_error_get_place (error).node);
    }
  sluice_trainer_end_rules (self);
  sluice_trainer_end_measuring (self);
  sluice_step_rate_pause (&self->rate);
  self->info->ended = sluice_trainer_wall_now ();
  ok = sluice_run_log_flush (self->log, ok ? &error : NULL) && ok;
  ok = sluice_trainer_write_info (self, self->is_put_off ? SLUICE_RUN_WAITING : state,
                                  ok ? &error : NULL)
       && ok;
  sluice_trainer_publish_progress (self, 0);
  sluice_trainer_answer (self, error);
  g_clear_pointer (&self->control, sluice_run_control_free);
  if (self->has_lock)
    sluice_store_unlock_run (self->store, self->info->id);
  self->has_lock = FALSE;
  sluice_trainer_set_state (self, self->is_put_off ? SLUICE_RUN_WAITING : state);
  pthread_mutex_lock (&self->lock);
  self->error = g_steal_pointer (&error);
  self->ended = TRUE;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  sluice_debugger_end (self->debugger);
}

gboolean
sluice_trainer_is_put_off (SluiceTrainer *self)
{
  return self->is_put_off;
}

static void *
trainer_main (void *data)
{
  SluiceTrainer *self = data;
  GError *error = NULL;
  guint flushing = sluice_denormals_flush_begin ();
  sluice_thread_yield ();
  train_with_input (self, &error);
  sluice_denormals_flush_end (flushing);
  end_run (self, error);
  return NULL;
}

/* ---- making a trainer ---- */

/* Ops may use the workspace, but for what the store itself keeps there. */
static void
allow_files (SluiceTrainer *self, const SluiceTrainerOptions *options)
{
  SluiceFileAccess *files = self->project->files;
  const char *workspace = sluice_store_get_workspace (self->store);
  g_autofree char *database = g_build_filename (workspace, "sluice.db", NULL);
  g_autofree char *runs = g_build_filename (workspace, "runs", NULL);
  sluice_file_access_allow (files, workspace, SLUICE_FILE_WRITE);
  sluice_file_access_forbid (files, database); /* and what SQLite puts beside it */
  sluice_file_access_forbid (files, runs);
  for (guint i = 0; options->allow_files != NULL && options->allow_files[i] != NULL; i++)
    sluice_file_access_allow (files, options->allow_files[i], SLUICE_FILE_WRITE);
}

SluiceTrainer *
sluice_trainer_new (SluiceStore *store,
                    SluiceProject *project,
                    const SluiceTrainerOptions *options,
                    GError **error)
{
  static const SluiceTrainerOptions defaults = { 0 };
  if (options == NULL)
    options = &defaults;
  g_autoptr (SluiceTrainer) self = g_object_new (SLUICE_TYPE_TRAINER, NULL);
  self->store = g_object_ref (store);
  self->project = project;
  self->runs_commands = options->runs_commands;
  self->waits_again = options->waits_again;
  allow_files (self, options);
  if ((options->run_name != NULL
       && !sluice_text_check_name ("the name of the run", options->run_name, error))
      || !sluice_trainer_begin (self, options, error))
    return NULL;
  g_autofree char *files = sluice_graph_describe_file_ops (self->replica->graph);
  if (files != NULL && options->resume == NULL)
    sluice_run_log_event (self->log, 0, sluice_trainer_wall_now (), "files", files);
  sluice_step_rate_init (&self->rate, self->replica->n_done, sluice_trainer_monotonic_now);
  self->want = options->start_paused ? WANT_PAUSE : WANT_RUN;
  self->until_step = options->until_step;
  self->progress.step = self->progress.committed_step = self->replica->n_done;
  self->marked_step = self->replica->n_done;
  self->progress.n_steps = self->now.n_steps;
  self->progress.state = SLUICE_RUN_PAUSED;
  self->progress.seconds = self->seconds_before;
  return g_steal_pointer (&self);
}

static void
sluice_trainer_init (SluiceTrainer *self)
{
  pthread_mutex_init (&self->lock, NULL);
  /* Waits end in time when somebody moves the clock. */
  pthread_condattr_t monotonic;
  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (&self->changed, &monotonic);
  pthread_condattr_destroy (&monotonic);
  self->debugger = sluice_debugger_new ();
  self->steps_left = -1;
  self->measure_seconds = 10;
  self->progress = (SluiceProgress){
    .loss = NAN,
    .evaluation = NAN,
    .eta_seconds = -1,
    .eta_margin = -1,
    .last_checkpoint = -1,
    .usual_step_seconds = -1,
    .usual_save_seconds = -1,
  };
}

static void
sluice_trainer_finalize (GObject *object)
{
  SluiceTrainer *self = SLUICE_TRAINER (object);
  if (self->has_thread)
    {
      sluice_trainer_stop (self);
      pthread_join (self->thread, NULL);
    }
  g_clear_pointer (&self->alerts, sluice_alerts_free);
  g_clear_pointer (&self->flight, sluice_flight_recorder_free);
  g_clear_pointer (&self->probe, sluice_system_probe_free);
  g_free (self->stop_reason);
  g_clear_pointer (&self->puts, g_ptr_array_unref);
  g_clear_pointer (&self->devices, g_array_unref);
  g_clear_pointer (&self->asked, sluice_command_free);
  g_free (self->answer);
  g_clear_pointer (&self->control, sluice_run_control_free);
  if (self->has_lock)
    sluice_store_unlock_run (self->store, self->info->id);
  if (self->log != NULL)
    sluice_run_log_close (self->log, NULL);
  sluice_trainer_end_memory (self);
  g_clear_pointer (&self->replica, sluice_replica_free);
  g_clear_pointer (&self->fit, sluice_fit_trial_free);
  g_clear_pointer (&self->examples, sluice_examples_free);
  g_clear_pointer (&self->test, sluice_examples_free);
  g_clear_pointer (&self->project, sluice_project_free);
  g_clear_pointer (&self->info, sluice_run_info_free);
  g_clear_pointer (&self->file, sluice_run_file_free);
  g_clear_object (&self->store);
  sluice_debugger_unref (self->debugger);
  g_clear_error (&self->error);
  g_free (self->folder);
  g_free (self->series);
  g_free (self->evaluation_series);
  g_free (self->scalars);
  g_free (self->evaluation);
  pthread_mutex_destroy (&self->lock);
  pthread_cond_destroy (&self->changed);
  G_OBJECT_CLASS (sluice_trainer_parent_class)->finalize (object);
}

static void
sluice_trainer_class_init (SluiceTrainerClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sluice_trainer_finalize;
}

/* ---- controls ---- */

void
sluice_trainer_start (SluiceTrainer *self)
{
  pthread_mutex_lock (&self->lock);
  gboolean start = !self->started;
  self->started = TRUE;
  if (self->want != WANT_PAUSE)
    self->progress.state = SLUICE_RUN_RUNNING;
  pthread_mutex_unlock (&self->lock);
  if (!start)
    return;
  sluice_debugger_begin (self->debugger);
  sluice_store_set_patience (self->store, TRAINING_PATIENCE);
  GError *error = NULL;
  self->has_thread =
      sluice_thread_start (&self->thread, trainer_main, self, "training", NULL, &error);
  if (!self->has_thread)
    end_run (self, error);
}

/* A stop is final: nothing after it changes what the thread is to do. */
static void
set_want (SluiceTrainer *self, Want want, gint64 steps)
{
  pthread_mutex_lock (&self->lock);
  if (self->want != WANT_STOP)
    {
      self->want = want;
      self->steps_left = steps;
    }
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

void
sluice_trainer_pause (SluiceTrainer *self)
{
  set_want (self, WANT_PAUSE, -1);
}

void
sluice_trainer_step (SluiceTrainer *self, gint64 n)
{
  g_return_if_fail (n > 0);
  set_want (self, WANT_RUN, n);
}

void
sluice_trainer_resume (SluiceTrainer *self)
{
  set_want (self, WANT_RUN, -1);
}

void
sluice_trainer_checkpoint (SluiceTrainer *self)
{
  pthread_mutex_lock (&self->lock);
  self->wants_checkpoint = TRUE;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

void
sluice_trainer_stop (SluiceTrainer *self)
{
  set_want (self, WANT_STOP, -1);
  sluice_debugger_release (self->debugger);
}

gboolean
sluice_trainer_wait (SluiceTrainer *self, GError **error)
{
  pthread_mutex_lock (&self->lock);
  while (self->started && !self->ended)
    pthread_cond_wait (&self->changed, &self->lock);
  gboolean ok = self->error == NULL;
  if (!ok)
    g_propagate_error (error, g_error_copy (self->error));
  pthread_mutex_unlock (&self->lock);
  return ok;
}

void
sluice_trainer_get_progress (SluiceTrainer *self, SluiceProgress *progress)
{
  pthread_mutex_lock (&self->lock);
  *progress = self->progress;
  progress->phase_seconds =
      self->phase_start > 0 ? sluice_trainer_monotonic_now () - self->phase_start : 0;
  pthread_mutex_unlock (&self->lock);
}

gint64
sluice_trainer_get_run (SluiceTrainer *self)
{
  return self->info->id;
}

void
sluice_trainer_get_begin (SluiceTrainer *self, gint64 *step, gint64 *came_to)
{
  *step = self->begin_step;
  *came_to = self->came_to;
}

const char *
sluice_trainer_get_run_name (SluiceTrainer *self)
{
  return self->info->name;
}

SluiceSession *
sluice_trainer_get_session (SluiceTrainer *self)
{
  return self->replica->session;
}

SluiceDebugger *
sluice_trainer_get_debugger (SluiceTrainer *self)
{
  return self->debugger;
}

SluiceGraph *
sluice_trainer_get_graph (SluiceTrainer *self)
{
  return self->replica->graph;
}

const SluiceProject *
sluice_trainer_get_project (SluiceTrainer *self)
{
  return self->project;
}

void
sluice_trainer_set_notify (SluiceTrainer *self, void (*func) (gpointer data), gpointer data)
{
  pthread_mutex_lock (&self->lock);
  self->notify = func;
  self->notify_data = data;
  pthread_mutex_unlock (&self->lock);
}
