/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib-unix.h>
#include <glib/gi18n-lib.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/cli/files.h"
#include "app/cli/memory.h"
#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/train/trainer.h"

static char *workspace, *run_name, *resume, *init_from;
static gboolean init_partly, recompute;
static char *n_steps, *seed; /* as text: checked as project.ini's are */
static gint64 resume_step, n_threads, n_cpus;
static char **assignments;

static const GOptionEntry options[] = {
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace,
    N_ ("Folder of runs (your data folder's sluice)"), N_ ("DIR") },
  { "run", 0, 0, G_OPTION_ARG_STRING, &run_name, N_ ("Name of the run (the project's)"),
    N_ ("NAME") },
  { "steps", 0, 0, G_OPTION_ARG_STRING, &n_steps, N_ ("Train up to this step"), N_ ("N") },
  { "seed", 0, 0, G_OPTION_ARG_STRING, &seed, N_ ("Seed of the shuffle and of random nodes"),
    N_ ("S") },
  { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &assignments,
    N_ ("Override a key of project.ini or a promoted parameter; may be repeated"),
    N_ ("KEY=VALUE") },
  { "resume", 0, 0, G_OPTION_ARG_STRING, &resume,
    N_ ("Go on with a run from its newest checkpoint"), N_ ("NAME") },
  { "resume-step", 0, 0, G_OPTION_ARG_INT64, &resume_step,
    N_ ("Go on from the checkpoint of this step instead"), N_ ("N") },
  { "init-from", 0, 0, G_OPTION_ARG_FILENAME, &init_from,
    N_ ("Begin with the values of this checkpoint, safetensors or TensorFlow's, by the names of "
        "the variables"),
    N_ ("CHECKPOINT") },
  { "init-partly", 0, 0, G_OPTION_ARG_NONE, &init_partly,
    N_ ("Variables that the checkpoint lacks keep their initial values"), NULL },
  { "threads", 0, 0, G_OPTION_ARG_INT64, &n_threads,
    N_ ("Threads that compute (one a core); results do not depend on it"), N_ ("N") },
  { "cpus", 0, 0, G_OPTION_ARG_INT64, &n_cpus, N_ ("Virtual CPU devices (as the project says)"),
    N_ ("N") },
  CLI_MEMORY_OPTIONS,
  CLI_RECOMPUTE_OPTION (&recompute),
  G_OPTION_ENTRY_NULL,
};

static volatile sig_atomic_t interrupts;

static void
on_interrupt (int number)
{
  interrupts = interrupts + 1;
  /* Whoever presses it twice does not want to wait for the checkpoint. */
  if (interrupts > 1)
    _exit (EXIT_INTERRUPTED);
}

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

/* One line that is drawn over and over: bar, step, loss, rate, time left. */
static void
draw_bar (const SluiceProgress *p)
{
  g_autofree char *eta = format_eta (p);
  g_autofree char *text = g_strdup_printf (
      _ (" step %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " · loss %.4f · %.0f steps/s%s"),
      p->step, p->n_steps, p->loss, p->steps_per_second, eta);
  guint width = terminal_width (), used = g_utf8_strlen (text, -1);
  guint cells = width > used + 12 ? MIN (width - used - 4, 30) : 0;
  guint full = p->n_steps > 0 ? cells * p->step / p->n_steps : 0;
  fputs ("\r\033[K", stdout);
  for (guint i = 0; i < cells; i++)
    fputs (i < full ? "█" : "░", stdout);
  fputs (text, stdout);
  fflush (stdout);
}

static void
print_line (SluiceTrainer *trainer, const SluiceProgress *p, const char *state)
{
  if (!cli_json)
    {
      g_autofree char *eta = format_eta (p);
      printf (_ ("step %" G_GINT64_FORMAT "/%" G_GINT64_FORMAT "  loss %.6g  %.0f steps/s%s\n"),
              p->step, p->n_steps, p->loss, p->steps_per_second, eta);
      fflush (stdout);
      return;
    }
  JsonBuilder *b = cli_json_begin ();
  cli_json_string (b, "run", sluice_trainer_get_run_name (trainer));
  cli_json_string (b, "state", state);
  cli_json_int (b, "step", p->step);
  cli_json_int (b, "steps", p->n_steps);
  cli_json_double (b, "loss", p->loss);
  cli_json_double (b, "steps_per_second", p->steps_per_second);
  cli_json_double (b, "eta_seconds", p->eta_seconds);
  cli_json_double (b, "evaluation", p->evaluation);
  cli_json_double (b, "wait_seconds", p->wait_seconds);
  cli_json_int (b, "points_committed", p->n_committed);
  cli_json_int (b, "committed_step", p->committed_step);
  cli_json_int (b, "checkpoint", p->last_checkpoint);
  cli_json_end (b);
  fflush (stdout);
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
  return state == SLUICE_RUN_FINISHED || state == SLUICE_RUN_STOPPED || state == SLUICE_RUN_FAILED;
}

/* What the first steps needed. */
static void
print_memory (SluiceTrainer *trainer, gboolean bar)
{
  if (bar)
    putchar ('\n');
  cli_print_memory (sluice_trainer_get_session (trainer));
}

/* Follows the run to its end: a bar or JSON ten times a second, else a line every two seconds. */
static void
follow (SluiceTrainer *trainer, Bell *bell)
{
  gboolean bar = !cli_json && isatty (STDOUT_FILENO);
  double period = bar || cli_json ? 0.1 : 2, next_line = period;
  gboolean stopping = FALSE;
  guint n_waits = 0; /* looks in a row */
  gboolean records = cli_memory;
  SluiceProgress p;
  gint64 start = g_get_monotonic_time ();
  sluice_trainer_get_progress (trainer, &p);
  gint64 first_step = p.step;
  pthread_mutex_lock (&bell->lock);
  for (; !is_over (p.state); sluice_trainer_get_progress (trainer, &p))
    {
      if (interrupts > 0 && !stopping)
        {
          stopping = TRUE;
          sluice_trainer_stop (trainer);
        }
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
      else if (now >= next_line)
        {
          print_line (trainer, &p, sluice_run_state_name (p.state));
          next_line = now + period;
        }
      struct timespec until;
      clock_gettime (CLOCK_REALTIME, &until);
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

static void
print_end (SluiceTrainer *trainer, const char *folder)
{
  SluiceProgress p;
  const SluiceProject *project = sluice_trainer_get_project (trainer);
  sluice_trainer_get_progress (trainer, &p);
  if (cli_json)
    {
      print_line (trainer, &p, sluice_run_state_name (p.state));
      return;
    }
  g_autofree char *duration = format_duration (p.seconds);
  g_autofree char *loss = p.n_logged > 0 ? g_strdup_printf (_ ("loss %.6g"), p.loss)
                                         : g_strdup (_ ("no further steps"));
  printf (
      _ ("run %s: %s at step %" G_GINT64_FORMAT ", %s, %s, %" G_GUINT64_FORMAT " points saved\n"),
      sluice_trainer_get_run_name (trainer), _ (sluice_run_state_name (p.state)), p.step, loss,
      duration, p.n_committed);
  if (isfinite (p.evaluation))
    printf (_ ("test %s %.4f\n"), g_array_index (project->evaluate, SluiceNamedEdge, 0).name,
            p.evaluation);
  for (guint i = 0; i < project->texts->len; i++)
    printf ("%s/runs/%" G_GINT64_FORMAT "/%s.txt\n", folder, sluice_trainer_get_run (trainer),
            g_array_index (project->texts, SluiceNamedEdge, i).name);
  printf (_ ("workspace %s\n"), folder);
  if (p.state == SLUICE_RUN_FINISHED && p.n_logged == 0)
    printf (_ ("It had finished before; train on with: sluice train --workspace '%s' --resume %s "
               "--steps N\n"),
            folder, sluice_trainer_get_run_name (trainer));
  if (p.state == SLUICE_RUN_FAILED && p.last_checkpoint >= 0)
    printf (_ ("Saved up to step %" G_GINT64_FORMAT
               ". When the cause is gone, go on with: sluice train --workspace '%s' --resume %s\n"),
            p.last_checkpoint, folder, sluice_trainer_get_run_name (trainer));
  if (p.state == SLUICE_RUN_STOPPED)
    printf (_ ("Saved. Go on with: sluice train --workspace '%s' --resume %s\n"), folder,
            sluice_trainer_get_run_name (trainer));
}

/* ---- what is trained ---- */

static gboolean
set_key (SluiceProject *project, const char *key, const char *value, GError **error)
{
  g_autofree char *assignment = g_strdup_printf ("%s=%s", key, value);
  return value == NULL || sluice_project_set (project, assignment, error);
}

/* The project named, or the one that a resumed run was frozen with; overrides on top. */
static SluiceProject *
load_project (char **arguments, SluiceStore *store, GError **error)
{
  g_autofree char *folder = g_strdup (arguments[0]);
  if (resume != NULL)
    {
      g_autoptr (SluiceRunInfo) info = sluice_store_dup_run (store, resume, error);
      if (info == NULL)
        return NULL;
      g_free (folder);
      folder = sluice_store_dup_run_folder (store, info->id);
    }
  g_autoptr (SluiceProject) project = sluice_project_load (folder, error);
  if (project == NULL)
    return NULL;
  for (guint i = 0; assignments != NULL && assignments[i] != NULL; i++)
    if (!sluice_project_set (project, assignments[i], error))
      return NULL;
  if (!set_key (project, "train.steps", n_steps, error)
      || !set_key (project, "train.seed", seed, error)
      || !set_key (project, "train.recompute", recompute ? "true" : NULL, error))
    return NULL;
  return g_steal_pointer (&project);
}

static int
train (char **arguments, GError **error)
{
  if ((arguments[0] == NULL && resume == NULL) || (arguments[0] != NULL && arguments[1] != NULL))
    return cli_usage (error, "give one PROJECT, or --resume NAME");
  if (!cli_check_count ("--resume-step", resume_step, 0, G_MAXINT64, error)
      || !cli_check_count ("--threads", n_threads, 0, SLUICE_MAX_THREADS, error)
      || !cli_check_count ("--cpus", n_cpus, 0, SLUICE_MAX_DEVICES, error))
    return EXIT_USAGE;
  if (resume != NULL && run_name != NULL)
    return cli_usage (error, "--run names a new run, --resume one that goes on under its own name; "
                             "give one of them");
  if (resume_step > 0 && resume == NULL)
    return cli_usage (error, "--resume-step needs --resume NAME");
  if (init_from != NULL ? resume != NULL : init_partly)
    return cli_usage (error, "--init-from is for a new run, and --init-partly needs it");
  gsize memory_limit;
  if (!cli_get_memory_limit (&memory_limit, error))
    return EXIT_USAGE;
  sluice_pool_set_threads (n_threads);
  g_autofree char *folder = cli_dup_workspace (workspace);
  g_autoptr (SluiceStore) store = sluice_store_open (folder, error);
  SluiceProject *project = store != NULL ? load_project (arguments, store, error) : NULL;
  if (project == NULL)
    return EXIT_FAILED;
  SluiceTrainerOptions trainer_options = {
    .run_name = run_name,
    .resume = resume,
    .resume_step = resume_step,
    .init_from = init_from,
    .init_partly = init_partly,
    .n_cpus = n_cpus,
    .memory_limit = memory_limit,
    .allow_files = (const char *const *) cli_allowed_files,
  };
  g_autoptr (SluiceTrainer) trainer = sluice_trainer_new (store, project, &trainer_options, error);
  if (trainer == NULL)
    return EXIT_FAILED;
  if (resume == NULL)
    cli_tell_file_ops (sluice_trainer_get_graph (trainer));
  Bell bell = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER };
  struct sigaction action = { .sa_handler = on_interrupt };
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  sluice_trainer_set_notify (trainer, ring, &bell);
  if (cli_memory)
    sluice_session_record_memory (sluice_trainer_get_session (trainer));
  sluice_trainer_start (trainer);
  follow (trainer, &bell);
  gboolean ok = sluice_trainer_wait (trainer, error);
  sluice_trainer_set_notify (trainer, NULL, NULL);
  print_end (trainer, folder);
  return !ok ? EXIT_FAILED : interrupts > 0 ? EXIT_INTERRUPTED : EXIT_OK;
}

const Verb verb_train = {
  .name = "train",
  .arguments = "PROJECT",
  .summary = N_ ("Train a project"),
  .details = N_ ("PROJECT is a folder with project.ini and the graph. Every point is saved as it "
                 "comes; Ctrl-C saves a "
                 "checkpoint and says how to go on."),
  .json = "{\"run\": \"string\", \"state\": \"string\", \"step\": \"int\", \"steps\": \"int\", "
          "\"loss\": \"number\", \"steps_per_second\": \"number\", \"eta_seconds\": \"number\", "
          "\"evaluation\": \"number\", \"wait_seconds\": \"number\", "
          "\"points_committed\": \"int\", \"committed_step\": \"int\", \"checkpoint\": "
          "\"int\"}\n" CLI_MEMORY_JSON,
  .options = options,
  .run = train,
};
