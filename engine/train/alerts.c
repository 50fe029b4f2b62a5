/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/train/alerts.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>

#include "engine/base/thread.h"

/* How often clock and disk are looked at. */
#define LOOK_MS      500
#define DISK_EACH_MS 5000

typedef struct
{
  guint rule;
  gint64 step;
  double wall, value;
  char *text;
} Given;

/* A value that wavers about its limit is told of once: until so many in a row were well. */
#define CALM_VALUES 100

/* Which conditions hold now, or did lately. */
typedef struct
{
  gboolean metric;       /* the training thread's, as is n_calm */
  guint n_calm;          /* values since it held */
  gboolean stalls, disk; /* this thread's */
} On;

struct _SluiceAlerts
{
  const SluiceProject *project;
  gint64 *series;
  On *on; /* by rule */
  char *run, *workspace;
  gboolean runs_commands;
  void (*notify) (gpointer data);
  gpointer notify_data;
  _Atomic gint64 step, beat_ms; /* monotonic; 0: paused */
  gboolean has_thread;
  pthread_t thread;

  pthread_mutex_t lock; /* guards what follows */
  pthread_cond_t changed;
  GQueue to_do;  /* of Given: commands are to be begun, somebody is to be told */
  GQueue to_log; /* of Given */
  guint n_given;
  char *last; /* (nullable) */
  gboolean quit;
};

static void
given_free (gpointer data)
{
  Given *given = data;
  g_free (given->text);
  g_free (given);
}

static gint64
now_ms (void)
{
  return g_get_monotonic_time () / 1000;
}

static const SluiceAlertRule *
get_rule (const SluiceAlerts *self, guint i)
{
  return &g_array_index (self->project->alerts, SluiceAlertRule, i);
}

/* ---- giving one ---- */

static Given *
given_new (guint rule, gint64 step, double value, const char *text)
{
  Given *given = g_new (Given, 1);
  *given = (Given){ rule, step, g_get_real_time () * 1e-6, value, g_strdup (text) };
  return given;
}

static void
give (SluiceAlerts *self, guint rule, gint64 step, double value, char *take_text)
{
  g_autofree char *rest = take_text;
  g_autofree char *text = g_strdup_printf ("%s: %s", get_rule (self, rule)->name, rest);
  pthread_mutex_lock (&self->lock);
  g_queue_push_tail (&self->to_do, given_new (rule, step, value, text));
  g_queue_push_tail (&self->to_log, given_new (rule, step, value, text));
  self->n_given++;
  g_free (self->last);
  self->last = g_steal_pointer (&text);
  pthread_cond_signal (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

typedef struct
{
  gint64 step;
  double value;
} Moment;

/* take_text: (nullable): the condition does not hold. */
static void
change (SluiceAlerts *self, guint i, gboolean *on, const Moment *at, char *take_text)
{
  gboolean was_on = *on;
  *on = take_text != NULL;
  if (*on && !was_on)
    give (self, i, at->step, at->value, take_text);
  else
    g_free (take_text);
}

/* (nullable): nothing is wrong with it. */
static char *
judge (const SluiceAlertRule *rule, double value)
{
  if (rule->non_finite && !isfinite (value))
    return g_strdup_printf ("%s is not finite", rule->metric);
  if (!isnan (rule->above) && value > rule->above)
    return g_strdup_printf ("%s is %.6g, above %.6g", rule->metric, value, rule->above);
  if (!isnan (rule->below) && value < rule->below)
    return g_strdup_printf ("%s is %.6g, below %.6g", rule->metric, value, rule->below);
  return NULL;
}

void
sluice_alerts_take (SluiceAlerts *self, gint64 series, gint64 step, double value)
{
  for (guint i = 0; i < self->project->alerts->len; i++)
    {
      if (self->series[i] != series)
        continue;
      char *text = judge (get_rule (self, i), value);
      self->on[i].n_calm = text != NULL ? 0 : self->on[i].n_calm + 1;
      if (text != NULL || self->on[i].n_calm >= CALM_VALUES)
        change (self, i, &self->on[i].metric, &(Moment){ step, value }, text);
    }
}

void
sluice_alerts_beat (SluiceAlerts *self, gint64 step, gboolean works)
{
  atomic_store (&self->step, step);
  atomic_store (&self->beat_ms, works ? now_ms () : 0);
}

void
sluice_alerts_log (SluiceAlerts *self, SluiceRunLog *log)
{
  pthread_mutex_lock (&self->lock);
  GQueue queue = self->to_log;
  g_queue_init (&self->to_log);
  pthread_mutex_unlock (&self->lock);
  for (GList *l = queue.head; l != NULL; l = l->next)
    {
      const Given *given = l->data;
      sluice_run_log_event (log, given->step, given->wall, "alert", given->text);
    }
  g_queue_clear_full (&queue, given_free);
}

guint
sluice_alerts_get_last (SluiceAlerts *self, char **text)
{
  pthread_mutex_lock (&self->lock);
  guint n = self->n_given;
  *text = g_strdup (self->last);
  pthread_mutex_unlock (&self->lock);
  return n;
}

/* ---- the thread ---- */

static void
look_at_clock (SluiceAlerts *self)
{
  gint64 beat = atomic_load (&self->beat_ms);
  for (guint i = 0; i < self->project->alerts->len; i++)
    {
      const SluiceAlertRule *rule = get_rule (self, i);
      double seconds = beat > 0 ? (double) (now_ms () - beat) * 1e-3 : 0;
      Moment at = { atomic_load (&self->step), seconds };
      if (!isnan (rule->stalls))
        change (self, i, &self->on[i].stalls, &at,
                seconds > rule->stalls
                    ? g_strdup_printf ("no step has ended for %g s", rule->stalls)
                    : NULL);
    }
}

static void
look_at_disk (SluiceAlerts *self)
{
  struct statvfs disk;
  if (statvfs (self->workspace, &disk) != 0)
    return;
  guint64 left = (guint64) disk.f_bavail * disk.f_frsize;
  for (guint i = 0; i < self->project->alerts->len; i++)
    {
      const SluiceAlertRule *rule = get_rule (self, i);
      g_autofree char *size = g_format_size (left);
      Moment at = { atomic_load (&self->step), (double) left };
      if (rule->disk_below > 0)
        change (self, i, &self->on[i].disk, &at,
                left < rule->disk_below
                    ? g_strdup_printf ("%s are left on the disk of the workspace", size)
                    : NULL);
    }
}

static char **
make_environment (SluiceAlerts *self, const Given *given)
{
  char value[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *step = g_strdup_printf ("%" PRId64, given->step);
  char **env = g_get_environ ();
  env = g_environ_setenv (env, "SLUICE_RUN", self->run, TRUE);
  env = g_environ_setenv (env, "SLUICE_WORKSPACE", self->workspace, TRUE);
  env = g_environ_setenv (env, "SLUICE_STEP", step, TRUE);
  env = g_environ_setenv (env, "SLUICE_ALERT", get_rule (self, given->rule)->name, TRUE);
  env = g_environ_setenv (env, "SLUICE_VALUE", g_ascii_dtostr (value, sizeof value, given->value),
                          TRUE);
  return g_environ_setenv (env, "SLUICE_TEXT", given->text, TRUE);
}

/* Nobody waits for it, and it writes to nobody. */
static void
begin_command (SluiceAlerts *self, const Given *given)
{
  const SluiceAlertRule *rule = get_rule (self, given->rule);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  if (rule->command == NULL)
    return;
  if (!self->runs_commands)
    text = g_strdup_printf ("%s: '%s' was not run: --allow-commands lets alerts run commands",
                            rule->name, rule->command[0]);
  else
    {
      g_auto (GStrv) env = make_environment (self, given);
      if (!g_spawn_async (NULL, rule->command, env,
                          G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
                          &error))
        text = g_strdup_printf ("%s: %s", rule->name, error->message);
    }
  if (text == NULL)
    return;
  pthread_mutex_lock (&self->lock);
  g_queue_push_tail (&self->to_log, given_new (given->rule, given->step, given->value, text));
  pthread_mutex_unlock (&self->lock);
}

/* Under the lock, which it lets go of meanwhile. */
static void
do_all (SluiceAlerts *self)
{
  for (Given *given; (given = g_queue_pop_head (&self->to_do)) != NULL;)
    {
      pthread_mutex_unlock (&self->lock);
      begin_command (self, given);
      given_free (given);
      if (self->notify != NULL)
        self->notify (self->notify_data);
      pthread_mutex_lock (&self->lock);
    }
}

static void
wait_a_moment (SluiceAlerts *self)
{
  struct timespec until;
  clock_gettime (CLOCK_MONOTONIC, &until);
  until.tv_nsec += LOOK_MS * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait (&self->changed, &self->lock, &until);
}

static void *
alerts_main (void *data)
{
  SluiceAlerts *self = data;
  gint64 disk_ms = G_MININT64;
  pthread_mutex_lock (&self->lock);
  while (!self->quit)
    {
      pthread_mutex_unlock (&self->lock);
      look_at_clock (self);
      if (disk_ms == G_MININT64 || now_ms () - disk_ms >= DISK_EACH_MS)
        {
          disk_ms = now_ms ();
          look_at_disk (self);
        }
      pthread_mutex_lock (&self->lock);
      do_all (self);
      if (!self->quit && self->to_do.length == 0)
        wait_a_moment (self);
    }
  do_all (self);
  pthread_mutex_unlock (&self->lock);
  return NULL;
}

/* ---- making ---- */

SluiceAlerts *
sluice_alerts_new (const SluiceProject *project, const SluiceAlertsOptions *options, GError **error)
{
  guint n = project->alerts->len;
  SluiceAlerts *self = g_new0 (SluiceAlerts, 1);
  self->project = project;
  self->series = g_memdup2 (options->series, n * sizeof *options->series);
  self->on = g_new0 (On, n);
  self->run = g_strdup (options->run);
  self->workspace = g_canonicalize_filename (options->workspace, NULL);
  self->runs_commands = options->runs_commands;
  self->notify = options->notify;
  self->notify_data = options->notify_data;
  pthread_condattr_t monotonic;
  pthread_mutex_init (&self->lock, NULL);
  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (&self->changed, &monotonic);
  pthread_condattr_destroy (&monotonic);
  self->has_thread = sluice_thread_start (&self->thread, alerts_main, self, "alerts",
                                          "take the alerts out of project.ini", error);
  if (self->has_thread)
    return self;
  sluice_alerts_free (self);
  return NULL;
}

void
sluice_alerts_stop (SluiceAlerts *self)
{
  pthread_mutex_lock (&self->lock);
  self->quit = TRUE;
  pthread_cond_signal (&self->changed);
  pthread_mutex_unlock (&self->lock);
  if (self->has_thread)
    pthread_join (self->thread, NULL);
  self->has_thread = FALSE;
}

void
sluice_alerts_free (SluiceAlerts *self)
{
  sluice_alerts_stop (self);
  g_queue_clear_full (&self->to_do, given_free);
  g_queue_clear_full (&self->to_log, given_free);
  pthread_mutex_destroy (&self->lock);
  pthread_cond_destroy (&self->changed);
  g_free (self->series);
  g_free (self->on);
  g_free (self->run);
  g_free (self->workspace);
  g_free (self->last);
  g_free (self);
}
