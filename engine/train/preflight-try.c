/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "engine/base/pool.h"
#include "engine/base/count.h"
#include "engine/base/thread.h"
#include "engine/device/random.h"
#include "engine/train/preflight-private.h"
#include "engine/train/system-probe.h"
#include "engine/train/summary.h"

#define SECONDS       1.0  /* to measure steps in */
#define N_WARM        3    /* steps: the first ones plan, allocate and learn what kernels cost */
#define LEAST_BLOCKS  5    /* of blocks, where that does not take too long */
#define BLOCK_SECONDS 0.02 /* steps are summed up over so long: a clock's tick is nothing then */
/* No two runs on a machine are the same, even where nothing disturbs. */
#define LEAST_SPREAD 0.1
#define LOAD_SPREAD  0.5 /* where others want as much as there is: they come and go */
#define BUSY         0.3
#define FEW_SPREAD   0.5 /* where there was no time for more blocks */
#define POINT_BYTES  8.0 /* of a point in the database, packed; tags and indices among it */

typedef struct
{
  SluiceChecker *checker;
  GTimer *timer;
  double step, step_margin; /* seconds */
  double load;
  guint64 n_steps; /* that were measured */
  double summary, evaluation, save;
  gboolean evaluation_is_guessed;
  gsize summary_bytes, checkpoint_bytes;
  double loss;
  gboolean is_done;
  GError *failure;
} Trial;

/* ---- steps ---- */

static gboolean
take_step (Trial *self, SluiceTensor **summary, double *seconds)
{
  SluiceReplica *replica = self->checker->replica;
  g_autofree double *scalars = g_new (double, replica->n_scalars);
  SluiceRunOptions options = { .step = (guint64) replica->n_done + 1,
                               .cancellable = self->checker->options->cancellable };
  double since = g_timer_elapsed (self->timer, NULL);
  if (!sluice_replica_step (replica, scalars, summary, &options, &self->failure))
    return FALSE;
  if (seconds != NULL)
    *seconds = g_timer_elapsed (self->timer, NULL) - since;
  if (replica->n_done == 1)
    self->loss = scalars[0];
  return TRUE;
}

/* Of others, for each processor, over the last minute; 0: it has one for itself. */
static double
get_load (void)
{
  double load;
  return getloadavg (&load, 1) == 1 ? fmax (0, load - 1) / g_get_num_processors () : 0;
}

static void
sum_up (Trial *self, GArray *blocks)
{
  double spread;
  self->step = sluice_preflight_sum_up (blocks, &spread);
  if (blocks->len < LEAST_BLOCKS)
    spread = fmax (spread, FEW_SPREAD * self->step);
  self->load = get_load ();
  spread = fmax (spread, fmin (1, LOAD_SPREAD * self->load) * self->step);
  self->step_margin = fmax (spread, LEAST_SPREAD * self->step) + 0.5 * SLUICE_TRAINER_US * 1e-6;
  self->step += SLUICE_TRAINER_US * 1e-6;
}

static gboolean
measure_steps (Trial *self, double budget)
{
  g_autoptr (GArray) blocks = g_array_new (FALSE, FALSE, sizeof (double));
  double begin = g_timer_elapsed (self->timer, NULL), spent = 0;
  while (blocks->len == 0 || spent < budget || (blocks->len < LEAST_BLOCKS && spent < 2 * budget))
    {
      double block = 0, took;
      guint64 n = 0;
      for (; block < BLOCK_SECONDS; n++, block += took)
        if (!take_step (self, NULL, &took))
          return FALSE;
      double value = block / (double) n;
      g_array_append_val (blocks, value);
      self->n_steps += n;
      spent = g_timer_elapsed (self->timer, NULL) - begin;
    }
  sum_up (self, blocks);
  return TRUE;
}

/* A SluiceRecordSink. */
static gboolean
drop_record (SluiceRecord *take, const char *tag, gpointer data, GError **error)
{
  sluice_record_free (take);
  return TRUE;
}

/* How much longer a step with summaries is, and how many bytes they are. */
static gboolean
measure_summary (Trial *self)
{
  double least = INFINITY;
  if (self->checker->project->summaries == NULL || self->checker->schedule.summary_every == 0)
    return TRUE;
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (SluiceTensor) summary = NULL;
      double since = g_timer_elapsed (self->timer, NULL);
      if (!take_step (self, &summary, NULL)
          || (summary != NULL
              && !sluice_summary_read (summary, 0, drop_record, NULL, &self->failure)))
        return FALSE;
      least = fmin (least, g_timer_elapsed (self->timer, NULL) - since);
      for (gint64 k = 0; i == 0 && summary != NULL && k < summary->n_elements; k++)
        self->summary_bytes += ((const SluiceString *) summary->data)[k].length;
    }
  self->summary = fmax (0, least - self->step);
  return TRUE;
}

/* most: examples; 0: all */
static gboolean
evaluate_once (Trial *self, gint64 most)
{
  SluiceReplica *replica = self->checker->replica;
  const GArray *texts = self->checker->project->texts;
  SluiceRunOptions options = { .cancellable = self->checker->options->cancellable };
  g_autofree double *values = g_new (double, self->checker->project->evaluate->len + 1);
  for (guint i = 0; i < texts->len; i++)
    {
      g_autofree char *text = sluice_replica_read_text (
          replica, g_array_index (texts, SluiceNamedEdge, i).target, &options, &self->failure);
      if (text == NULL)
        return FALSE;
    }
  return replica->evaluate == NULL
         || sluice_replica_evaluate (replica, most, values, &options, &self->failure);
}

/* Whole, where it does not take too long; else told by the steps' time for as many examples: what
 * has no backward pass takes about half of it. */
static gboolean
measure_evaluation (Trial *self, double budget)
{
  const SluiceChecker *checker = self->checker;
  double n = checker->test != NULL ? (double) checker->test->n : 1;
  double batch = checker->test != NULL ? (double) MAX (checker->project->batch, 1) : 1;
  if (checker->replica->evaluate == NULL && checker->project->texts->len == 0)
    return TRUE;
  self->evaluation = 0.5 * self->step * n / batch;
  self->evaluation_is_guessed = self->evaluation > budget;
  /* The second time nothing is planned any more. */
  for (guint i = 0; i < 2 && !self->evaluation_is_guessed; i++)
    {
      double since = g_timer_elapsed (self->timer, NULL);
      if (!evaluate_once (self, 0))
        return FALSE;
      self->evaluation = g_timer_elapsed (self->timer, NULL) - since;
      if (self->evaluation > budget)
        break;
    }
  return TRUE;
}

static void
measure_save (Trial *self)
{
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("sluice-preflight-XXXXXX", &path, NULL);
  if (fd < 0)
    return;
  close (fd);
  double since = g_timer_elapsed (self->timer, NULL);
  if (!sluice_replica_save (self->checker->replica, path, &self->checkpoint_bytes, NULL))
    self->checkpoint_bytes = 0;
  self->save = g_timer_elapsed (self->timer, NULL) - since;
  g_unlink (path);
}

/* ---- time ---- */

static void
tell_step (Trial *self)
{
  const SluiceSchedule *schedule = &self->checker->schedule;
  double summary =
      schedule->summary_every > 0 ? self->summary / (double) schedule->summary_every : 0;
  double us = 1e6 * (self->step + summary), margin = 1e6 * self->step_margin;
  SluicePreflightItem *item = sluice_preflight_add (
      self->checker->card, "step_us", NULL, SLUICE_PREFLIGHT_WELL,
      g_strdup_printf (_ ("%.4g ± %.2g µs a step, measured over %" PRIu64 " steps%s"), us, margin,
                       self->n_steps,
                       self->load > BUSY ? _ (", while others used the machine") : ""));
  item->value = us;
  item->plus_minus = margin;
  item->unit = "us";
  item->source = "measured";
}

static double
count_times (gint64 n_steps, gint64 period)
{
  return 1 + (period > 0 ? floor ((double) (n_steps - 1) / (double) period) : 0);
}

/* By steps and by the time of training. */
static double
count_saves (const Trial *self)
{
  const SluiceSchedule *schedule = &self->checker->schedule;
  double n = count_times (schedule->n_steps, schedule->checkpoint_every);
  double seconds = (double) schedule->n_steps * self->step;
  double minutes = self->checker->project->checkpoint_minutes;
  return fmin (minutes > 0 ? n + floor (seconds / (60 * minutes)) : n, (double) schedule->n_steps);
}

/* "1 h 20 min", "3 min", "12 s" */
static char *
dup_duration (double seconds)
{
  if (seconds >= 3600)
    return g_strdup_printf (_ ("%.0f h %.0f min"), floor (seconds / 3600),
                            fmod (seconds, 3600) / 60);
  return seconds >= 100 ? g_strdup_printf (_ ("%.0f min"), seconds / 60)
                        : g_strdup_printf (_ ("%.2g s"), seconds);
}

static void
tell_finish (Trial *self)
{
  const SluiceSchedule *schedule = &self->checker->schedule;
  double n = (double) schedule->n_steps;
  double others = count_times (schedule->n_steps, schedule->evaluate_every) * self->evaluation
                  + count_saves (self) * self->save;
  if (schedule->summary_every > 0)
    others += n / (double) schedule->summary_every * self->summary;
  double seconds = n * self->step + others;
  double margin = n * self->step_margin + 0.5 * others;
  g_autofree char *duration = dup_duration (seconds);
  g_autofree char *more = dup_duration (margin);
  g_autofree char *n_steps = sluice_count_dup (schedule->n_steps);
  SluicePreflightItem *item = sluice_preflight_add (
      self->checker->card, "finish_seconds", NULL, SLUICE_PREFLIGHT_WELL,
      g_strdup_printf (_ ("done in %s ± %s: %s steps%s"), duration, more, n_steps,
                       self->evaluation_is_guessed ? _ (", evaluations estimated") : ""));
  item->value = seconds;
  item->plus_minus = margin;
  item->unit = "s";
}

/* ---- memory ---- */

double
sluice_checker_get_room (const SluiceChecker *self)
{
  const SluiceSessionOptions *host = &self->replica->host;
  return (double) (host->memory_limit > 0 ? host->memory_limit : sluice_system_get_available ());
}

#define N_RECORDED     50 /* steps: the inputs of some need more than those of others */
#define RECORD_SECONDS 0.3
#define BATCH_SECONDS  2.0 /* that a batch of an evaluation may take for it */

/* Blocks of up to 4 KiB are counted in steps of 16 KiB, on each thread. */
#define THREAD_STEP (16.0 * 1024)
#define PEAK_SPREAD 0.05

/* Of a device over several steps: which threads run at the same time, and how long loops are,
 * differs from step to step. */
typedef struct
{
  gsize least, most_plain; /* peaks of plain steps */
  gsize most;              /* of all */
  gsize parameters;
} Peak;

static void
tell_device (Trial *self, guint number, const Peak *peak)
{
  SluiceSession *session = self->checker->replica->session;
  const char *name = sluice_session_get_device (session, number)->short_name;
  double room = sluice_checker_get_room (self->checker), most = (double) peak->most;
  g_autofree char *peak_text = g_format_size_full (peak->most, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *parameters = g_format_size_full (peak->parameters, G_FORMAT_SIZE_IEC_UNITS);
  SluicePreflightItem *item = sluice_preflight_add (
      self->checker->card, "peak_bytes", name,
      most > room                           ? SLUICE_PREFLIGHT_STOP
      : most > SLUICE_PREFLIGHT_FULL * room ? SLUICE_PREFLIGHT_LOOK
                                            : SLUICE_PREFLIGHT_WELL,
      peak->parameters > 0 ? g_strdup_printf (
          _ ("%s: %s at the most, measured; parameters are %s of it"), name, peak_text, parameters)
                           : g_strdup_printf (_ ("%s: %s at the most, measured"), name, peak_text));
  item->value = most;
  item->plus_minus = PEAK_SPREAD * most + THREAD_STEP * sluice_pool_get_threads ()
                     + (double) (peak->most_plain - MIN (peak->least, peak->most_plain));
  item->limit = room;
  item->unit = "bytes";
  item->source = "measured";
  if (item->level == SLUICE_PREFLIGHT_WELL)
    return;
  item->action = g_strdup (_ ("set a smaller batch, or recompute"));
  item->set =
      sluice_checker_dup_batch (self->checker, number, (double) peak->parameters, most, room);
}

/* What has been written down since it was begun counts for all devices. */
static void
take_peaks (Trial *self, Peak *peaks, gboolean is_plain)
{
  SluiceSession *session = self->checker->replica->session;
  for (guint i = 0; i < sluice_session_get_n_devices (session); i++)
    {
      g_autoptr (SluiceLedger) ledger = sluice_session_dup_ledger (session, i);
      if (ledger == NULL)
        continue;
      if (is_plain)
        {
          peaks[i].least = MIN (peaks[i].least, ledger->peak_bytes);
          peaks[i].most_plain = MAX (peaks[i].most_plain, ledger->peak_bytes);
        }
      if (ledger->peak_bytes > peaks[i].most)
        {
          peaks[i].most = ledger->peak_bytes;
          peaks[i].parameters = ledger->class_bytes[SLUICE_MEMORY_PARAMETER];
        }
    }
}

/* Where all of it takes too long, a batch of it needs as much. */
static gboolean
evaluate_some (Trial *self)
{
  const SluiceChecker *checker = self->checker;
  double n = checker->test != NULL ? (double) checker->test->n : 1;
  gint64 batch = checker->project->evaluate_batch;
  if (!self->evaluation_is_guessed)
    return evaluate_once (self, 0);
  return self->evaluation * fmin (1, (double) batch / n) > BATCH_SECONDS
         || evaluate_once (self, batch);
}

/* All of it is written down, which takes time: these steps are not measured. */
static gboolean
record_steps (Trial *self, Peak *peaks)
{
  SluiceSession *session = self->checker->replica->session;
  double end = g_timer_elapsed (self->timer, NULL) + RECORD_SECONDS;
  for (guint i = 0; i < N_RECORDED && (i == 0 || g_timer_elapsed (self->timer, NULL) < end); i++)
    {
      gboolean ok = sluice_session_record_memory (session) && take_step (self, NULL, NULL);
      take_peaks (self, peaks, TRUE);
      if (!ok)
        return self->failure == NULL;
    }
  g_autoptr (SluiceTensor) summary = NULL;
  gboolean ok = !sluice_session_record_memory (session)
                || (take_step (self, &summary, NULL) && evaluate_some (self));
  take_peaks (self, peaks, FALSE);
  return ok;
}

/* What a step, one with summaries and an evaluation need at the most. */
static gboolean
measure_memory (Trial *self)
{
  SluiceSession *session = self->checker->replica->session;
  guint n = sluice_session_get_n_devices (session);
  g_autofree Peak *peaks = g_new0 (Peak, n);
  for (guint i = 0; i < n; i++)
    peaks[i].least = G_MAXSIZE;
  if (!record_steps (self, peaks))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (peaks[i].most > 0)
      tell_device (self, i, &peaks[i]);
  return TRUE;
}

/* ---- disk ---- */

#define FEW_CHECKPOINTS 3 /* that stay, where there is not room for more */

/* Checkpoints that lie there at the end, and one more while it is written. */
static double
count_checkpoints (const Trial *self)
{
  const SluiceSchedule *schedule = &self->checker->schedule;
  double n = count_saves (self), kept = (double) (schedule->keep_last + schedule->keep_best);
  if (schedule->keep_last == 0)
    return n;
  if (schedule->keep_every > 0)
    kept += (double) schedule->n_steps / (double) schedule->keep_every;
  return fmin (n, kept + 1);
}

/* Of the folder, or of what it would lie in. -1: not known. */
static double
get_free (const char *folder)
{
  g_autofree char *path = g_canonicalize_filename (folder, NULL);
  struct statvfs info;
  while (statvfs (path, &info) != 0)
    {
      char *above = g_path_get_dirname (path);
      gboolean is_top = strcmp (above, path) == 0;
      g_free (path);
      path = above;
      if (is_top)
        return -1;
    }
  return (double) info.f_bavail * (double) info.f_frsize;
}

static void
tell_disk (Trial *self)
{
  const SluiceChecker *checker = self->checker;
  const SluiceSchedule *schedule = &checker->schedule;
  double n = (double) schedule->n_steps;
  double checkpoints = count_checkpoints (self) * (double) self->checkpoint_bytes;
  double points = n * checker->replica->n_scalars * POINT_BYTES;
  double summaries = schedule->summary_every > 0
                         ? n / (double) schedule->summary_every * (double) self->summary_bytes
                         : 0;
  double bytes = checkpoints + points + summaries;
  double room = checker->options->workspace != NULL ? get_free (checker->options->workspace) : -1;
  g_autofree char *wanted = g_format_size ((guint64) bytes);
  g_autofree char *there = room >= 0 ? g_format_size ((guint64) room) : g_strdup ("?");
  SluicePreflightItem *item = sluice_preflight_add (
      checker->card, "disk_bytes", NULL,
      room >= 0 && bytes > room       ? SLUICE_PREFLIGHT_STOP
      : room >= 0 && 2 * bytes > room ? SLUICE_PREFLIGHT_LOOK
                                      : SLUICE_PREFLIGHT_WELL,
      g_strdup_printf (_ ("%s on the disk, of it %.0f checkpoints; %s are free"), wanted,
                       count_checkpoints (self), there));
  item->value = bytes;
  item->plus_minus = 0.1 * checkpoints + 0.5 * (points + summaries);
  item->unit = "bytes";
  item->limit = room >= 0 ? room : NAN;
  if (item->level == SLUICE_PREFLIGHT_WELL)
    return;
  item->action = g_strdup (_ ("set keep-last and checkpoint-every, or take another workspace"));
  if (schedule->keep_last != FEW_CHECKPOINTS)
    item->set = g_strdup_printf ("train.keep-last=%d", FEW_CHECKPOINTS);
}

/* ---- going on exactly ---- */

/* What outlives a step and no checkpoint holds. */
static void
note_unsaved (const char *container, const char *name, SluiceResource *resource, gpointer data)
{
  GString *text = data;
  if (resource->type == &sluice_variable_type || resource->type == &sluice_random_type)
    return;
  g_string_append_printf (text, "%s%s (%s)", text->len > 0 ? ", " : "", name, resource->type->name);
}

static void
tell_resume (Trial *self)
{
  const SluiceChecker *checker = self->checker;
  g_autoptr (GString) unsaved = g_string_new (NULL);
  sluice_resources_foreach (sluice_session_get_resources (checker->replica->session), note_unsaved,
                            unsaved);
  gboolean exact = unsaved->len == 0 && checker->replica->n_workers == 1;
  SluicePreflightItem *item = sluice_preflight_add (
      checker->card, "resume_exact", NULL, exact ? SLUICE_PREFLIGHT_WELL : SLUICE_PREFLIGHT_LOOK,
      exact ? g_strdup (_ ("goes on from a checkpoint bit for bit"))
      : checker->replica->n_workers > 1
          ? g_strdup (
              _ ("asynchronous workers make each run another one, and do not go on exactly"))
          : g_strdup_printf (_ ("does not go on exactly: no checkpoint holds %s"), unsaved->str));
  item->value = exact;
}

/* ---- the first loss ---- */

static void
tell_loss (Trial *self)
{
  const SluiceChecker *checker = self->checker;
  double guess = checker->n_classes > 1 ? log (checker->n_classes) : NAN;
  SluicePreflightItem *item = sluice_preflight_add (
      checker->card, "first_loss", checker->project->loss[0], SLUICE_PREFLIGHT_WELL,
      isnan (guess)
          ? g_strdup_printf (_ ("the first loss is %.4g"), self->loss)
          : g_strdup_printf (_ ("the first loss is %.4g; to guess among %u classes gives %.4g, to "
                                "know how frequent each is %.4g"),
                             self->loss, checker->n_classes, guess, checker->entropy));
  item->value = self->loss;
  if (item->name != NULL)
    item->node = g_strndup (item->name, strcspn (item->name, ":"));
  if (!isfinite (self->loss))
    {
      item->level = SLUICE_PREFLIGHT_STOP;
      item->action = g_strdup (_ ("launch it: the run tells which node made it"));
    }
  else if (!isnan (guess) && (self->loss > 2 * guess || self->loss < 0.3 * guess))
    {
      item->level = SLUICE_PREFLIGHT_LOOK;
      item->action =
          g_strdup (self->loss > guess ? _ ("look at the initial values and the scale of the input")
                                       : _ ("look whether the labels are among the input"));
    }
}

/* ---- the whole ---- */

static gboolean
try_all (Trial *self)
{
  SluiceChecker *checker = self->checker;
  const SluicePreflightOptions *options = checker->options;
  double budget = options->seconds > 0 ? options->seconds : SECONDS;
  if (!sluice_replica_begin_input (checker->replica, &self->failure)
      || !take_step (self, NULL, NULL))
    return FALSE;
  sluice_checker_look_at_batch (checker);
  tell_loss (self);
  double first = g_timer_elapsed (self->timer, NULL);
  for (guint i = 1; i < N_WARM && first < budget; i++)
    if (!take_step (self, NULL, NULL))
      return FALSE;
  if (options->progress != NULL)
    options->progress (0.3, _ ("measuring steps"), options->progress_data);
  if (!measure_steps (self, budget) || !measure_summary (self)
      || !measure_evaluation (self, budget))
    return FALSE;
  measure_save (self);
  return measure_memory (self);
}

/* Steps are taken as a trainer takes them: behind whoever answers a person. */
static void *
trial_main (void *data)
{
  Trial *self = data;
  guint flushing = sluice_denormals_flush_begin ();
  sluice_thread_yield ();
  self->is_done = try_all (self);
  sluice_denormals_flush_end (flushing);
  return NULL;
}

gboolean
sluice_checker_try (SluiceChecker *checker, GError **error)
{
  Trial self = { .checker = checker, .timer = g_timer_new (), .loss = NAN };
  pthread_t thread;
  if (sluice_thread_start (&thread, trial_main, &self, "trying steps", NULL, &self.failure))
    pthread_join (thread, NULL);
  gboolean done = self.is_done;
  sluice_replica_end_input (checker->replica);
  g_timer_destroy (self.timer);
  if (done)
    {
      tell_step (&self);
      tell_finish (&self);
      tell_disk (&self);
      tell_resume (&self);
      return TRUE;
    }
  gboolean cancelled = g_cancellable_set_error_if_cancelled (checker->options->cancellable, error);
  if (!cancelled)
    {
      sluice_preflight_add (checker->card, "project", NULL, SLUICE_PREFLIGHT_STOP,
                            g_strdup_printf (_ ("a step fails: %s"), self.failure->message));
      sluice_checker_fall_back (checker);
    }
  g_clear_error (&self.failure);
  return !cancelled;
}
