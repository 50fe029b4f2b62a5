/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <errno.h>
#include <string.h>
#include <time.h>

#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/store/kinds/event.h"
#include "engine/train/trainer-private.h"

/*
 * What happens between steps: changes that are due, what other processes ask (run-control.h), and
 * waiting. All of it on the trainer's thread, so that a step sees one state of things.
 */

/* How often somebody looks whether something is asked. A look reads one row by an index, some five
 * microseconds. */
#define LOOK_SECONDS 0.025

/* ---- changes ---- */

void
sluice_trainer_begin_changes (SluiceTrainer *self)
{
  sluice_project_get_schedule (self->project, self->replica->n_done, &self->now);
  /* Those of this very step are taken, and told, before the next one begins. */
  self->next_change = sluice_project_next_change (self->project, self->replica->n_done - 1);
}

static void
log_change (SluiceTrainer *self, guint i)
{
  const SluiceSettingChange *change =
      &g_array_index (self->project->changes, SluiceSettingChange, i);
  g_autofree char *before = sluice_project_dup_before (self->project, i, self->replica->graph);
  g_autofree char *text = sluice_event_dup_change_text (change->key, before, change->value);
  sluice_run_log_event (self->log, change->step, sluice_trainer_wall_now (), "set", text);
}

static void
publish_schedule (SluiceTrainer *self)
{
  sluice_project_get_schedule (self->project, self->replica->n_done, &self->now);
  self->info->n_steps = self->now.n_steps;
  pthread_mutex_lock (&self->lock);
  self->progress.n_steps = self->now.n_steps;
  pthread_mutex_unlock (&self->lock);
}

gboolean
sluice_trainer_take_changes (SluiceTrainer *self, GError **error)
{
  gint64 step = self->replica->n_done;
  if (step < self->next_change)
    return TRUE;
  if (!sluice_replica_obey_changes (self->replica, error))
    return FALSE;
  const GArray *changes = self->project->changes;
  for (guint i = 0; i < changes->len; i++)
    if (g_array_index (changes, SluiceSettingChange, i).step == step)
      log_change (self, i);
  publish_schedule (self);
  self->next_change = sluice_project_next_change (self->project, step);
  return TRUE;
}

/* What is written down counts: whoever goes on with the run makes the same change at this step. It
 * is tried before that and takes effect after it. */
static gboolean
change_now (SluiceTrainer *self, const char *assignment, GError **error)
{
  gint64 step = self->replica->n_done;
  if (!sluice_project_change (self->project, step, assignment, error))
    return FALSE;
  guint i = self->project->changes->len;
  while (i-- > 0 && g_array_index (self->project->changes, SluiceSettingChange, i).step > step)
    ;
  const char *key = g_array_index (self->project->changes, SluiceSettingChange, i).key;
  gboolean fits = self->replica->n_workers == 1
                  || sluice_project_find_parameter (self->project, key) == NULL
                  || sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                                  "%s cannot change while several train targets begin steps on "
                                  "their own; fork the run at a step with the other value",
                                  key);
  sluice_replica_forget_changes (self->replica);
  if (fits && sluice_replica_obey_changes (self->replica, error)
      && sluice_project_save_text (self->project, self->folder, error))
    {
      sluice_run_file_update_source (self->store, self->info->id, self->project);
      log_change (self, i);
      publish_schedule (self);
      return TRUE;
    }
  sluice_project_unchange (self->project, step);
  sluice_replica_forget_changes (self->replica);
  return FALSE;
}

/* ---- what is asked ---- */

static void
set_want (SluiceTrainer *self, Want want, gint64 steps)
{
  pthread_mutex_lock (&self->lock);
  if (self->want != WANT_STOP)
    {
      self->want = want;
      self->steps_left = steps;
    }
  pthread_mutex_unlock (&self->lock);
}

static gboolean
do_pause (SluiceTrainer *self, const char *argument, char **answer, GError **error)
{
  set_want (self, WANT_PAUSE, -1);
  *answer = g_strdup ("paused");
  return TRUE;
}

static gboolean
do_go (SluiceTrainer *self, const char *argument, char **answer, GError **error)
{
  set_want (self, WANT_RUN, -1);
  *answer = g_strdup ("goes on");
  return TRUE;
}

static gboolean
do_step (SluiceTrainer *self, const char *argument, char **answer, GError **error)
{
  gint64 n = 1;
  if (argument != NULL && !g_ascii_string_to_signed (argument, 10, 1, (gint64) 1 << 48, &n, NULL))
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "step %s: must be a whole number above 0", argument);
  set_want (self, WANT_RUN, n);
  *answer = g_strdup_printf ("takes %" G_GINT64_FORMAT " steps, then pauses", n);
  return TRUE;
}

static gboolean
do_checkpoint (SluiceTrainer *self, const char *argument, char **answer, GError **error)
{
  *answer = g_strdup ("saved");
  return sluice_trainer_save_checkpoint (self, error);
}

/* Answered when it is saved. */
static gboolean
do_stop (SluiceTrainer *self, const char *argument, char **answer, GError **error)
{
  self->is_asked_to_stop = TRUE;
  set_want (self, WANT_STOP, -1);
  *answer = g_strdup ("stopped, and saved");
  return TRUE;
}

static gboolean
do_set (SluiceTrainer *self, const char *argument, char **answer, GError **error)
{
  if (!change_now (self, argument != NULL ? argument : "", error))
    return FALSE;
  *answer = g_strdup_printf ("set %s", argument);
  return TRUE;
}

/* "EDGE VALUE", or "EDGE": its own value again. Steps that were taken so cannot be taken again. */
static gboolean
do_inject (SluiceTrainer *self, const char *argument, char **answer, GError **error)
{
  g_auto (GStrv) words = g_strsplit (argument != NULL ? argument : "", " ", 2);
  if (words[0] == NULL || *words[0] == '\0')
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                        "inject: name an edge, and a value, 'now', or nothing");
  if (!sluice_replica_inject (self->replica, words[0], words[1], error))
    return FALSE;
  sluice_run_log_event (self->log, self->replica->n_done, sluice_trainer_wall_now (), "inject",
                        argument);
  *answer = words[1] != NULL ? g_strdup_printf ("%s is %s", words[0], words[1])
                             : g_strdup_printf ("%s has its own value", words[0]);
  return words[1] != NULL || sluice_trainer_save_checkpoint (self, error);
}

void
sluice_trainer_keep_injected (SluiceTrainer *self, SluiceTrainer *before)
{
  g_auto (GStrv) carried = sluice_replica_carry_injected (self->replica, before->replica);
  for (guint i = 0; carried[i] != NULL; i++)
    sluice_run_log_event (self->log, self->replica->n_done, sluice_trainer_wall_now (), "inject",
                          carried[i]);
}

static const struct
{
  const char *verb;
  gboolean (*func) (SluiceTrainer *self, const char *argument, char **answer, GError **error);
} verbs[] = {
  { "pause", do_pause },           { "go", do_go },     { "step", do_step },
  { "checkpoint", do_checkpoint }, { "stop", do_stop }, { "set", do_set },
  { "inject", do_inject },
};

/* Leaves the answer to be written. */
static void
do_command (SluiceTrainer *self, SluiceCommand *take)
{
  g_autoptr (GError) error = NULL;
  guint i = 0;
  while (i < G_N_ELEMENTS (verbs) && strcmp (verbs[i].verb, take->verb) != 0)
    i++;
  gboolean ok = i < G_N_ELEMENTS (verbs)
                    ? verbs[i].func (self, take->argument, &self->answer, &error)
                    : sluice_fail (&error, SLUICE_ERROR_INVALID_ARGUMENT,
                                   "'%s' is nothing that a run can do", take->verb);
  self->asked = take;
  self->refused = !ok;
  if (ok)
    return;
  g_free (self->answer);
  self->answer = g_strdup (error->message);
}

/* Where it cannot be written it is tried again later; what was asked is done once. */
static void
send_answer (SluiceTrainer *self)
{
  if (self->asked == NULL
      || !sluice_run_control_answer (self->control, self->asked, !self->refused,
                                     self->replica->n_done, self->answer, NULL))
    return;
  g_clear_pointer (&self->asked, sluice_command_free);
  g_clear_pointer (&self->answer, g_free);
}

void
sluice_trainer_answer (SluiceTrainer *self, const GError *failure)
{
  if (self->asked != NULL && failure != NULL)
    {
      self->refused = TRUE;
      g_free (self->answer);
      self->answer = g_strdup (failure->message);
    }
  send_answer (self);
}

static void
save_if_wanted (SluiceTrainer *self)
{
  g_autoptr (GError) error = NULL;
  pthread_mutex_lock (&self->lock);
  gboolean wanted = self->wants_checkpoint;
  g_autoptr (GPtrArray) puts = g_steal_pointer (&self->puts);
  self->wants_checkpoint = FALSE;
  pthread_mutex_unlock (&self->lock);
  for (guint i = 0; puts != NULL && i < puts->len; i++)
    sluice_run_log_event (self->log, self->replica->n_done, sluice_trainer_wall_now (), "put",
                          puts->pdata[i]);
  if (wanted && !sluice_trainer_save_checkpoint (self, &error))
    sluice_run_log_event (self->log, self->replica->n_done, sluice_trainer_wall_now (), "not-saved",
                          error->message);
}

/* One thing at a time, and the next one when the one before has its answer. */
static void
look (SluiceTrainer *self)
{
  save_if_wanted (self);
  double now = sluice_trainer_monotonic_now ();
  if (self->asked != NULL || now - self->looked < LOOK_SECONDS)
    return;
  self->looked = now;
  /* What cannot be read now is looked for again; who asked still waits. */
  SluiceCommand *command = sluice_run_control_next (self->control, NULL);
  if (command != NULL)
    do_command (self, command);
}

/* ---- waiting ---- */

static void
tell_pause (SluiceTrainer *self)
{
  if (self->alerts != NULL)
    sluice_alerts_beat (self->alerts, self->replica->n_done, FALSE);
  sluice_step_rate_pause (&self->rate);
  sluice_run_log_flush (self->log, NULL);
  sluice_trainer_write_info (self, SLUICE_RUN_PAUSED, NULL);
  sluice_trainer_publish_progress (self, 0);
  sluice_trainer_set_state (self, SLUICE_RUN_PAUSED);
}

static void
tell_end_of_pause (SluiceTrainer *self)
{
  if (self->alerts != NULL)
    sluice_alerts_beat (self->alerts, self->replica->n_done, TRUE);
  sluice_step_rate_resume (&self->rate);
  self->system_wall = 0;
  sluice_trainer_write_info (self, SLUICE_RUN_RUNNING, NULL);
  sluice_trainer_set_state (self, SLUICE_RUN_RUNNING);
}

/* Until the controls change or it is time to look. Under the lock. */
static void
wait_a_moment (SluiceTrainer *self)
{
  struct timespec until;
  clock_gettime (CLOCK_MONOTONIC, &until);
  until.tv_nsec += (long) (LOOK_SECONDS * 1e9);
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait (&self->changed, &self->lock, &until);
}

static void
wait_in_pause (SluiceTrainer *self)
{
  guint64 since = sluice_clock_ticks ();
  tell_pause (self);
  pthread_mutex_lock (&self->lock);
  while (self->want == WANT_PAUSE)
    {
      pthread_mutex_unlock (&self->lock);
      send_answer (self);
      pthread_mutex_lock (&self->lock);
      if (self->want == WANT_PAUSE)
        wait_a_moment (self);
      pthread_mutex_unlock (&self->lock);
      look (self);
      pthread_mutex_lock (&self->lock);
    }
  pthread_mutex_unlock (&self->lock);
  sluice_session_note_host (self->replica->session, SLUICE_HOST_PAUSE,
                            (guint64) self->replica->n_done + 1, since);
}

Want
sluice_trainer_obey (SluiceTrainer *self)
{
  look (self);
  pthread_mutex_lock (&self->lock);
  if (self->steps_left == 0)
    {
      self->want = WANT_PAUSE;
      self->steps_left = -1;
    }
  gboolean pauses = self->want == WANT_PAUSE;
  pthread_mutex_unlock (&self->lock);
  if (pauses)
    wait_in_pause (self);
  pthread_mutex_lock (&self->lock);
  Want want = self->want;
  if (want == WANT_RUN && self->steps_left > 0)
    self->steps_left--;
  pthread_mutex_unlock (&self->lock);
  if (pauses && want == WANT_RUN)
    tell_end_of_pause (self);
  if (want == WANT_RUN)
    send_answer (self);
  return want;
}

void
sluice_trainer_note_put (SluiceTrainer *self, const char *words)
{
  pthread_mutex_lock (&self->lock);
  if (self->puts == NULL)
    self->puts = g_ptr_array_new_with_free_func (g_free);
  if (words != NULL)
    g_ptr_array_add (self->puts, g_strdup (words));
  else if (self->puts->len > 0)
    g_ptr_array_set_size (self->puts, (int) self->puts->len - 1);
  self->wants_checkpoint = self->puts->len > 0;
  pthread_mutex_unlock (&self->lock);
}

void
sluice_trainer_give_up_step (SluiceTrainer *self)
{
  self->gives_up = TRUE; /* before the stop lets a step go on that stands at a breakpoint */
  sluice_trainer_stop (self);
}

gboolean
sluice_trainer_is_asked_to_stop (SluiceTrainer *self)
{
  return self->is_asked_to_stop;
}
