/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/follow.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/begin-words.h"
#include "app/cli/memory.h"
#include "app/signals.h"
#include "engine/passes/graph-workload.h"
#include "engine/train/fit-trial.h"

/* ---- what is shown while it runs ---- */

static char *
format_duration (double seconds)
{
  gint64 s = (gint64) (seconds + 0.5);
  if (s < 60)
    return g_strdup_printf ("%" G_GINT64_FORMAT " s", s);
  if (s < 3600)
    return g_strdup_printf ("%" G_GINT64_FORMAT ":%02" G_GINT64_FORMAT " min", s / 60, s % 60);
  return g_strdup_printf ("%" G_GINT64_FORMAT ":%02" G_GINT64_FORMAT " h", s / 3600, s / 60 % 60);
}

static char *
format_eta (const SluiceProgress *p)
{
  if (p->eta_seconds < 0)
    return g_strdup ("");
  g_autofree char *eta = format_duration (p->eta_seconds);
  return g_strdup_printf (_ (" · %s left (±%.0f s)"), eta, ceil (p->eta_margin));
}

static guint
terminal_width (void)
{
  struct winsize size;
  return ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

/* What is written to nobody any more ends the run as a signal does. */
static gboolean nobody_reads;

static void
flush_output (void)
{
  if (fflush (stdout) == 0 || errno != EPIPE)
    return;
  nobody_reads = TRUE;
  /* The rest is for nobody, too, and its loss no failure of its own. */
  if (freopen ("/dev/null", "w", stdout) == NULL)
    clearerr (stdout);
}

/* Several runs are followed at a time: lines of one do not overwrite those of another. */
static gboolean several;
static gboolean silent;

/* One line that is drawn over and over: bar, step, loss, rate, time left. */
static void
draw_bar (const SluiceProgress *p)
{
  g_autofree char *eta = format_eta (p);
  g_autofree char *text =
      g_strdup_printf (_ (" step %" PRId64 " of %" PRId64 " · loss %.4f · %.0f steps/s%s"), p->step,
                       p->n_steps, p->loss, p->steps_per_second, eta);
  guint width = terminal_width (), used = g_utf8_strlen (text, -1);
  guint cells = width > used + 12 ? MIN (width - used - 4, 30) : 0;
  guint full = p->n_steps > 0 ? cells * p->step / p->n_steps : 0;
  fputs ("\r\033[K", stdout);
  for (guint i = 0; i < cells; i++)
    fputs (i < full ? "█" : "░", stdout);
  fputs (text, stdout);
  flush_output ();
}

static void
print_line (SluiceTrainer *trainer, const SluiceProgress *p, const char *state)
{
  if (!sluice_cli_json)
    {
      g_autofree char *eta = format_eta (p);
      printf (_ ("step %" PRId64 "/%" PRId64 "  loss %.6g  %.0f steps/s%s\n"), p->step, p->n_steps,
              p->loss, p->steps_per_second, eta);
      flush_output ();
      return;
    }
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "run", sluice_trainer_get_run_name (trainer));
  sluice_cli_json_string (b, "state", state);
  sluice_cli_json_int (b, "step", p->step);
  sluice_cli_json_int (b, "steps", p->n_steps);
  sluice_cli_json_double (b, "loss", p->loss);
  sluice_cli_json_double (b, "steps_per_second", p->steps_per_second);
  sluice_cli_json_double (b, "eta_seconds", p->eta_seconds);
  sluice_cli_json_double (b, "eta_margin_seconds", p->eta_margin);
  sluice_cli_json_double (b, "evaluation", p->evaluation);
  sluice_cli_json_double (b, "wait_seconds", p->wait_seconds);
  sluice_cli_json_int (b, "points_committed", p->n_committed);
  sluice_cli_json_int (b, "committed_step", p->committed_step);
  sluice_cli_json_int (b, "checkpoint", p->last_checkpoint);
  g_autofree char *reason = sluice_trainer_dup_reason (trainer);
  sluice_cli_json_string (b, "reason", reason);
  sluice_cli_json_end (b);
  flush_output ();
}

/* Of a loss that is no number the sign means nothing. */
static void
get_progress (SluiceTrainer *trainer, SluiceProgress *p)
{
  sluice_trainer_get_progress (trainer, p);
  if (isnan (p->loss))
    p->loss = NAN;
}

/* ---- the trainer's end, told to this thread ---- */

typedef struct
{
  pthread_mutex_t lock;
  pthread_cond_t changed;
} Bell;

static void
ring (gpointer data)
{
  Bell *bell = data;
  pthread_mutex_lock (&bell->lock);
  pthread_cond_broadcast (&bell->changed);
  pthread_mutex_unlock (&bell->lock);
}

static gboolean
is_over (SluiceRunState state)
{
  return state == SLUICE_RUN_FINISHED || state == SLUICE_RUN_STOPPED || state == SLUICE_RUN_FAILED
         || state == SLUICE_RUN_WAITING; /* put off */
}

/* What the first steps needed. */
static void
print_memory (SluiceTrainer *trainer, gboolean bar)
{
  if (bar)
    putchar ('\n');
  sluice_cli_print_memory (sluice_trainer_get_session (trainer));
}

/* How long the saving still takes, to whoever asks once more. */
static void
tell_saving (const SluiceProgress *p)
{
  g_autofree char *last =
      p->usual_save_seconds >= 0
          ? g_strdup_printf (_ ("saving took %.1f s the last time"), p->usual_save_seconds)
          : g_strdup (_ ("how long saving takes is not known yet"));
  if (p->saves && p->usual_save_seconds >= 0)
    fprintf (stderr, _ ("Saving step %" PRId64 ": about %.1f s more.\n"), p->step,
             MAX (p->usual_save_seconds - p->phase_seconds, 0));
  else if (p->saves)
    fprintf (stderr, _ ("Saving step %" PRId64 ": for %.1f s so far; %s.\n"), p->step,
             p->phase_seconds, last);
  else if (p->usual_step_seconds >= 0)
    fprintf (stderr, _ ("The step under way ends first, in about %.1f s; then it is saved: %s.\n"),
             MAX (p->usual_step_seconds - p->phase_seconds, 0), last);
  else
    fprintf (stderr,
             _ ("The step under way ends first, for %.1f s so far; then it is saved: %s.\n"),
             p->phase_seconds, last);
}

/* The first signal stops; more of them are answered, and change nothing: whoever does not want to
 * wait has one that cannot be caught. */
static void
obey_signals (SluiceTrainer *trainer, const SluiceProgress *p, guint *n_seen, gboolean bar)
{
  guint n = sluice_signals_get_count () + nobody_reads;
  if (n == *n_seen)
    return;
  if (bar)
    fputc ('\n', stderr);
  if (*n_seen == 0)
    {
      sluice_trainer_stop (trainer);
      fputs (_ ("Stopping: the run is saved first.\n"), stderr);
    }
  if (n > 1)
    tell_saving (p);
  *n_seen = n;
}

/* Follows the run to its end: a bar or JSON ten times a second, else a line every two seconds. */
static void
follow (SluiceTrainer *trainer, Bell *bell)
{
  gboolean bar = !silent && !several && !sluice_cli_json && isatty (STDOUT_FILENO);
  double period = bar || sluice_cli_json ? 0.1 : 2, next_line = period;
  guint n_signals = 0;
  guint n_waits = 0; /* looks in a row */
  gboolean records = sluice_cli_memory;
  SluiceProgress p;
  gint64 start = g_get_monotonic_time ();
  get_progress (trainer, &p);
  gint64 first_step = p.step;
  pthread_mutex_lock (&bell->lock);
  for (; !is_over (p.state); get_progress (trainer, &p))
    {
      obey_signals (trainer, &p, &n_signals, bar);
      n_waits = p.waits ? n_waits + 1 : 0;
      if (n_waits == 10)
        fprintf (stderr, "%s%s\n", bar ? "\n" : "",
                 _ ("Waiting: the database is busy, or another program holds it. Nothing is "
                    "lost; close the other program."));
      double now = (g_get_monotonic_time () - start) * 1e-6;
      if (records && p.step >= first_step + 2)
        {
          records = FALSE;
          print_memory (trainer, bar);
        }
      if (bar)
        draw_bar (&p);
      else if (!silent && now >= next_line)
        {
          print_line (trainer, &p, sluice_run_state_name (p.state));
          next_line = now + period;
        }
      struct timespec until;
      clock_gettime (CLOCK_MONOTONIC, &until);
      until.tv_nsec += 100 * 1000 * 1000;
      until.tv_sec += until.tv_nsec / 1000000000;
      until.tv_nsec %= 1000000000;
      pthread_cond_timedwait (&bell->changed, &bell->lock, &until);
    }
  pthread_mutex_unlock (&bell->lock);
  if (records)
    print_memory (trainer, bar);
  if (bar)
    {
      draw_bar (&p);
      putchar ('\n');
    }
}

/* How it is gone on with. */
static void
print_next (SluiceTrainer *trainer, const SluiceProgress *p, const char *folder)
{
  if (p->state == SLUICE_RUN_FINISHED && p->n_logged == 0)
    printf (_ ("It had finished before; train on with: sluice train --workspace '%s' --resume %s "
               "--steps N\n"),
            folder, sluice_trainer_get_run_name (trainer));
  if (p->state == SLUICE_RUN_FAILED && p->last_checkpoint >= 0)
    printf (_ ("Saved up to step %" PRId64
               ". When the cause is gone, go on with: sluice train --workspace '%s' --resume %s\n"),
            p->last_checkpoint, folder, sluice_trainer_get_run_name (trainer));
  if (p->state == SLUICE_RUN_STOPPED)
    printf (_ ("Saved. Go on with: sluice train --workspace '%s' --resume %s\n"), folder,
            sluice_trainer_get_run_name (trainer));
}

/* Of a run with a limit: what its steps took, beside what was predicted. */
static void
print_fit (SluiceTrainer *trainer, const SluiceProgress *p)
{
  const SluiceFitTrial *fit = sluice_trainer_get_fit (trainer);
  SluiceSession *session = sluice_trainer_get_session (trainer);
  gint64 begin, came_to;
  sluice_trainer_get_begin (trainer, &begin, &came_to);
  gsize peak = 0;
  for (guint i = 0; i < sluice_session_get_n_devices (session); i++)
    {
      SluiceMemoryStats stats;
      sluice_allocator_get_stats (sluice_session_get_device (session, i)->allocator, &stats);
      peak = MAX (peak, stats.peak_bytes);
    }
  double step_us = p->steps_per_second > 0 ? 1e6 / p->steps_per_second
                                           : 1e6 * p->seconds / (double) MAX (p->step - begin, 1);
  if (fit == NULL || p->step == begin)
    return;
  g_autofree char *measured = g_format_size_full (peak, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *said = g_format_size_full ((guint64) fit->bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *natural =
      g_format_size_full ((guint64) fit->natural_bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *us = sluice_graph_workload_dup_time (step_us);
  g_autofree char *said_us = sluice_graph_workload_dup_time (fit->us);
  g_autofree char *natural_us = sluice_graph_workload_dup_time (fit->natural_us);
  printf (_ ("at the most %s, predicted %s, %s without a limit; a step took %s, predicted %s, %s "
             "without\n"),
          measured, said, natural, us, said_us, natural_us);
}

static void
print_end (SluiceTrainer *trainer, const char *folder, gboolean waits_again)
{
  SluiceProgress p;
  const SluiceProject *project = sluice_trainer_get_project (trainer);
  if (silent)
    return;
  get_progress (trainer, &p);
  /* Nobody stopped it: it has come to a rung of its sweep. */
  waits_again = waits_again && !sluice_trainer_is_asked_to_stop (trainer);
  gboolean on_rung = waits_again && p.state == SLUICE_RUN_STOPPED && !sluice_cli_was_interrupted ();
  const char *state = sluice_run_state_name (on_rung ? SLUICE_RUN_WAITING : p.state);
  if (sluice_cli_json)
    {
      print_line (trainer, &p, state);
      return;
    }
  g_autofree char *duration = format_duration (p.seconds);
  g_autofree char *loss = p.n_logged > 0 ? g_strdup_printf (_ ("loss %.6g"), p.loss)
                                         : g_strdup (_ ("no further steps"));
  printf (_ ("run %s: %s at step %" PRId64 ", %s, %s, %" PRIu64 " points saved\n"),
          sluice_trainer_get_run_name (trainer), _ (state), p.step, loss, duration, p.n_committed);
  g_autofree char *reason = sluice_trainer_dup_reason (trainer);
  if (reason != NULL)
    printf (_ ("ended early: %s\n"), reason);
  if (isfinite (p.evaluation))
    printf (_ ("test %s %.4f\n"), g_array_index (project->evaluate, SluiceNamedEdge, 0).name,
            p.evaluation);
  print_fit (trainer, &p);
  if (on_rung)
    return;
  for (guint i = 0; i < project->texts->len; i++)
    printf ("%s/runs/%" G_GINT64_FORMAT "/%s.txt\n", folder, sluice_trainer_get_run (trainer),
            g_array_index (project->texts, SluiceNamedEdge, i).name);
  printf (_ ("workspace %s\n"), folder);
  if (p.state == SLUICE_RUN_WAITING)
    printf (_ ("It waits again; when the cause is gone, go on with: sluice queue run --workspace "
               "'%s'\n"),
            folder);
  else if (!waits_again || p.state != SLUICE_RUN_STOPPED)
    print_next (trainer, &p, folder);
  else
    printf (_ ("Saved. It waits again; go on with: sluice queue run --workspace '%s'\n"), folder);
}

gboolean
sluice_cli_train (SluiceTrainer *trainer, const char *folder, gboolean waits_again, GError **error)
{
  Bell bell = { .lock = PTHREAD_MUTEX_INITIALIZER };
  pthread_condattr_t monotonic; /* somebody may move the clock */
  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (&bell.changed, &monotonic);
  pthread_condattr_destroy (&monotonic);
  g_autofree char *again = silent ? NULL : sluice_begin_words (trainer);
  if (again != NULL)
    fprintf (stderr, "%s\n", again);
  sluice_trainer_set_notify (trainer, ring, &bell);
  if (sluice_cli_memory)
    sluice_session_record_memory (sluice_trainer_get_session (trainer));
  sluice_trainer_start (trainer);
  follow (trainer, &bell);
  gboolean ok = sluice_trainer_wait (trainer, error);
  sluice_trainer_set_notify (trainer, NULL, NULL);
  pthread_cond_destroy (&bell.changed);
  flockfile (stdout); /* its lines stay together */
  print_end (trainer, folder, waits_again);
  funlockfile (stdout);
  return ok;
}

void
sluice_cli_follow_several (void)
{
  several = TRUE;
}

void
sluice_cli_follow_silently (void)
{
  silent = TRUE;
}

gboolean
sluice_cli_was_interrupted (void)
{
  return sluice_signals_get_count () > 0 || nobody_reads;
}

void
sluice_cli_catch_signals (gpointer unused)
{
  sluice_signals_catch ();
}
