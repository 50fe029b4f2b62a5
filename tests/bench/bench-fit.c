/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What limits of memory cost: training samples within 1.0, 0.8, 0.6 and 0.4 of what their steps
 * take by themselves. The peak is the allocator's count, which must keep the limit, and the values
 * of all steps must be the same to the bit. Beside the step's time stand what the simulator says,
 * and the best of 200 sets of decisions by lot that keep the limit by its count.
 *
 * bench-fit [--steps N] [--sets N] PROJECT...
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/pool.h"
#include "engine/passes/fold.h"
#include "engine/train/fit-trial.h"
#include "kernels/registry.h"
#include "tests/bench/median.h"

static int n_steps = 30, n_sets = 200, n_threads = 1;
static gboolean is_quick;
static char *device; /* NULL: the CPU */

static const GOptionEntry entries[] = {
  { "steps", 0, 0, G_OPTION_ARG_INT, &n_steps, "Steps of each limit (30)", "N" },
  { "sets", 0, 0, G_OPTION_ARG_INT, &n_sets, "Sets by lot that keep the limit (200)", "N" },
  { "threads", 0, 0, G_OPTION_ARG_INT, &n_threads, "Threads that compute (1)", "N" },
  { "device", 0, 0, G_OPTION_ARG_STRING, &device, "Where nodes stand (CPU:0)", "TYPE:N" },
  { "quick", 0, 0, G_OPTION_ARG_NONE, &is_quick, "Assert values and peaks, say no times", NULL },
  G_OPTION_ENTRY_NULL,
};

static void
fatal (const char *what, GError *error)
{
  fprintf (stderr, "bench-fit: %s: %s\n", what, error != NULL ? error->message : "");
  exit (1);
}

typedef struct
{
  SluiceProject *project;
  SluiceExamples *examples, *test;
  const char *name;
} Subject;

/* What some steps gave and took. */
typedef struct
{
  double *losses;
  double us, peak;
  GBytes *state; /* a checkpoint of them */
} Steps;

/* ---- steps ---- */

static void
keep_values (Steps *self, SluiceReplica *replica)
{
  GError *error = NULL;
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("sluice-fit-XXXXXX", &path, &error);
  gsize bytes;
  if (fd < 0 || !g_close (fd, &error) || !sluice_replica_save (replica, path, &bytes, &error))
    fatal ("checkpoint", error);
  char *data;
  gsize length;
  if (!g_file_get_contents (path, &data, &length, &error))
    fatal ("checkpoint", error);
  g_unlink (path);
  self->state = g_bytes_new_take (data, length);
}

static gboolean
run (const Subject *self, Steps *steps, GError **error)
{
  double *us = g_new (double, n_steps + 1);
  SluiceReplica *replica =
      sluice_replica_new (self->project, self->examples, self->test, 0, NULL, error);
  *steps = (Steps){ .losses = g_new0 (double, n_steps + 1) };
  gboolean ok = replica != NULL && sluice_replica_initialize (replica, error)
                && sluice_replica_begin_input (replica, error);
  g_autofree double *scalars = g_new0 (double, ok ? replica->n_scalars + 1 : 1);
  if (ok)
    sluice_session_record_memory (replica->session);
  for (int i = 0; i < n_steps && ok; i++)
    {
      const SluiceRunOptions options = { .step = (guint64) i + 1 };
      gint64 since = g_get_monotonic_time ();
      ok = sluice_replica_step (replica, scalars, NULL, &options, error);
      us[i] = (double) (g_get_monotonic_time () - since);
      steps->losses[i] = scalars[0];
    }
  for (guint d = 0; ok && d < sluice_session_get_n_devices (replica->session); d++)
    {
      g_autoptr (SluiceLedger) ledger = sluice_session_dup_ledger (replica->session, d);
      steps->peak = MAX (steps->peak, ledger != NULL ? (double) ledger->peak_bytes : 0);
    }
  if (ok)
    {
      steps->us = bench_median (us, (guint) n_steps);
      keep_values (steps, replica);
      sluice_replica_end_input (replica);
    }
  g_free (us);
  g_clear_pointer (&replica, sluice_replica_free);
  return ok;
}

static void
check_same (const Subject *self, const Steps *natural, const Steps *steps, double limit)
{
  if (memcmp (natural->losses, steps->losses, (gsize) n_steps * sizeof (double)) != 0
      || !g_bytes_equal (natural->state, steps->state))
    {
      fprintf (stderr, "bench-fit: %s: other values within %.0f bytes\n", self->name, limit);
      exit (1);
    }
  if (steps->peak > limit)
    {
      fprintf (stderr, "bench-fit: %s: %.0f bytes within %.0f\n", self->name, steps->peak, limit);
      exit (1);
    }
}

static void
steps_clear (Steps *self)
{
  g_clear_pointer (&self->losses, g_free);
  g_clear_pointer (&self->state, g_bytes_unref);
}

/* ---- sets by lot ---- */

/* The least that a step takes with a set that keeps the limits. INFINITY: none was drawn */
static double
find_by_lot (SluiceFitter *fitter, const double *limits, guint n_devices)
{
  g_autoptr (GRand) lot = g_rand_new_with_seed (5);
  g_autoptr (GArray) candidates = sluice_fitter_dup_candidates (fitter);
  g_autofree SluiceFitDecision *list = g_new (SluiceFitDecision, candidates->len + 1);
  g_autofree double *bytes = g_new0 (double, n_devices + 1);
  double best = INFINITY;
  int n_found = 0;
  for (int tries = 0; n_found < n_sets && tries < 20 * n_sets; tries++)
    {
      double chance = g_rand_double_range (lot, 0, 1);
      guint n = 0;
      for (guint i = 0; i < candidates->len; i++)
        {
          const SluiceFitDecision *one = &g_array_index (candidates, SluiceFitDecision, i);
          gboolean is_other =
              n == 0 || list[n - 1].output != one->output || list[n - 1].position != one->position;
          if (is_other && g_rand_double (lot) < chance)
            list[n++] = *one;
        }
      double us = sluice_fitter_try (fitter, list, n, limits, bytes, NULL, NULL);
      gboolean fits = isfinite (us);
      for (guint d = 0; d < n_devices; d++)
        fits = fits && bytes[d] <= limits[d];
      n_found += fits;
      best = fits ? MIN (best, us) : best;
    }
  return best;
}

/* By how much the step would be longer with the best of them. */
static double
draw_sets (const Subject *self, const SluiceFitTrial *trial, gsize limit)
{
  SluiceSessionOptions *session = &self->project->session;
  session->fit_seen = trial->seen;
  GError *error = NULL;
  SluiceReplica *replica =
      sluice_replica_new (self->project, self->examples, self->test, 0, NULL, &error);
  SluiceFitStudy *study = replica != NULL ? sluice_replica_study_fit (replica, &error) : NULL;
  session->fit_seen = NULL;
  if (study == NULL)
    fatal (self->name, error);
  guint n = sluice_fit_study_get_n_devices (study);
  g_autofree double *limits = g_new0 (double, n + 1);
  for (guint d = 0; d < n; d++)
    limits[d] = (double) limit - (double) trial->slack;
  double us = find_by_lot (sluice_fit_study_get_fitter (study), limits, n);
  sluice_fit_study_free (study);
  sluice_replica_free (replica);
  return us;
}

/* ---- the table ---- */

static void
print (const Subject *self,
       double share,
       const Steps *natural,
       const Steps *steps,
       const SluiceFitTrial *trial,
       double by_lot)
{
  const SluiceFitReport *report = trial->report;
  if (is_quick)
    printf ("%-14s %.1f  peak %9.0f of %9.0f, %2u decisions, the same values\n", self->name, share,
            steps->peak, natural->peak, report->lines->len);
  else
    printf ("%-14s %.1f  peak %9.0f of %9.0f (said %9.0f)  step %8.0f us, %+6.1f %%; simulated "
            "%+7.2f us, of %d sets by lot %+7.2f  %2u decisions\n",
            self->name, share, steps->peak, natural->peak, trial->bytes, steps->us,
            100 * (steps->us / natural->us - 1), report->us - report->natural_us, n_sets,
            by_lot - report->natural_us, report->lines->len);
  fflush (stdout);
}

static void
fit_into (const Subject *self, const Steps *natural, double share)
{
  SluiceSessionOptions *session = &self->project->session;
  GError *error = NULL;
  gsize limit = (gsize) (share * natural->peak);
  g_autoptr (SluiceFitTrial) trial =
      sluice_fit_trial_new (self->project, self->examples, self->test, NULL, limit, 3, &error);
  if (trial == NULL)
    {
      if (!g_error_matches (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED))
        fatal (self->name, error);
      printf ("%-14s %.1f  %s\n", self->name, share, error->message);
      g_clear_error (&error);
      return;
    }
  Steps steps;
  double by_lot = draw_sets (self, trial, limit);
  session->fit = limit;
  session->fit_slack = trial->slack;
  session->fit_seen = trial->seen;
  if (!run (self, &steps, &error))
    fatal (self->name, error);
  session->fit = 0;
  session->fit_slack = 0;
  session->fit_seen = NULL;
  check_same (self, natural, &steps, (double) limit);
  print (self, share, natural, &steps, trial, by_lot);
  if (trial->report->us > by_lot * (1 + 1e-9))
    {
      fprintf (stderr, "bench-fit: %s: a set by lot is cheaper\n", self->name);
      exit (1);
    }
  steps_clear (&steps);
}

static void
look_at (const char *folder)
{
  static const double shares[] = { 1.0, 0.8, 0.6, 0.4 };
  GError *error = NULL;
  Subject self = { .project = sluice_project_load (folder, &error) };
  g_autofree char *name = g_path_get_basename (folder);
  Steps natural;
  self.name = name;
  if (self.project != NULL && device != NULL)
    self.project->session.device = g_intern_string (device);
  if (self.project == NULL
      || !sluice_examples_load_all (self.project, &self.examples, &self.test, &error)
      || !run (&self, &natural, &error))
    fatal (folder, error);
  for (guint i = 0; i < G_N_ELEMENTS (shares); i++)
    fit_into (&self, &natural, shares[i]);
  steps_clear (&natural);
  g_clear_pointer (&self.examples, sluice_examples_free);
  g_clear_pointer (&self.test, sluice_examples_free);
  sluice_project_free (self.project);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context = g_option_context_new ("PROJECT...");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    fatal ("arguments", error);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  sluice_pool_set_threads ((guint) n_threads);
  for (int i = 1; i < argc; i++)
    look_at (argv[i]);
  return EXIT_SUCCESS;
}
