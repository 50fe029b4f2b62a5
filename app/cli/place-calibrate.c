/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/cli/place-calibrate.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "app/cli/cli.h"
#include "app/cli/follow.h"
#include "app/cli/run-options.h"
#include "engine/base/pool.h"
#include "engine/base/sketch.h"
#include "engine/train/measured-file.h"
#include "engine/train/measuring.h"
#include "engine/train/step-prediction.h"

#define N_WARM 3 /* steps in which memory and threads settle */

typedef struct
{
  SluiceMeasured *measured;
  SluiceMeasuring *measuring; /* NULL: before the first step */
  double seconds;
  gint64 begin, told; /* monotonic, in microseconds: of the first step that is measured */
  gint64 n_steps;     /* that are measured */
  guint64 n_samples;
  SluiceSketch steps; /* what they took */
  guint64 left;       /* ticks: when the last was asked for */
} Calibration;

/* A line that is written over, once a second, where somebody looks. */
static void
tell_progress (Calibration *self, gint64 now)
{
  if (sluice_cli_json || now - self->told < G_USEC_PER_SEC || !isatty (STDERR_FILENO))
    return;
  self->told = now;
  fputc ('\r', stderr);
  fprintf (stderr, _ ("%.0f of %.0f s, %" PRIu64 " samples"),
           (double) (now - self->begin) / G_USEC_PER_SEC, self->seconds, self->n_samples);
  fflush (stderr);
}

static gboolean
measure (SluiceSession *session, gint64 step, gint64 batch, gpointer calibration)
{
  Calibration *self = calibration;
  gint64 now = g_get_monotonic_time ();
  if (step > N_WARM)
    sluice_sketch_add (&self->steps,
                       (double) (sluice_clock_ticks () - self->left) * sluice_clock_ns_per_tick ());
  if (step == 0)
    self->measuring = sluice_measuring_new (session, self->measured, batch);
  if (step <= N_WARM)
    {
      sluice_measuring_skip (self->measuring);
      self->begin = self->told = now;
    }
  else
    {
      self->n_samples += sluice_measuring_read (self->measuring);
      self->n_steps++;
      tell_progress (self, now);
    }
  self->left = sluice_clock_ticks ();
  return !sluice_cli_was_interrupted ()
         && (step <= N_WARM
             || (double) (now - self->begin) < self->seconds * (double) G_USEC_PER_SEC);
}

static void
print (const Calibration *self, const char *path)
{
  guint n = sluice_measured_get_n (self->measured);
  if (!sluice_cli_json)
    {
      printf (_ ("%u figures, of %" PRIu64 " samples in %" PRId64 " steps, are kept in %s\n"), n,
              self->n_samples, self->n_steps, path);
      return;
    }
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "file", path);
  sluice_cli_json_int (b, "steps", self->n_steps);
  sluice_cli_json_int (b, "samples", (gint64) self->n_samples);
  sluice_cli_json_int (b, "figures", n);
  sluice_cli_json_end (b);
}

/* A project's own step is what its table is held to. */
static void
hold (Calibration *self, SluiceSession *session, const char *path)
{
  SluicePrediction told;
  g_autoptr (SluiceProject) project =
      sluice_project_is_folder (path) ? sluice_project_load (path, NULL) : NULL;
  g_autoptr (GPtrArray) targets = g_ptr_array_new ();
  g_autoptr (GArray) fetches = g_array_new (FALSE, FALSE, sizeof (SluiceEdge));
  if (project == NULL || self->steps.weight == 0)
    return;
  sluice_project_add_scope (project, sluice_session_get_graph (session), targets, fetches);
  if (sluice_session_predict_step (session, self->measured, MAX (project->batch, 1), targets,
                                   fetches, &told, NULL))
    sluice_measured_add_prediction (self->measured, told.us,
                                    sluice_sketch_get (&self->steps, 0.5) / 1000);
}

static gboolean
keep (Calibration *self, GError **error)
{
  g_autoptr (GError) damaged = NULL;
  g_autofree char *path = sluice_measured_file_dup_path (NULL);
  g_autoptr (SluiceMeasured) before = sluice_measured_file_load (NULL, &damaged);
  if (damaged != NULL)
    g_printerr ("%s\n", damaged->message);
  if (!sluice_measured_file_keep (NULL, self->measured, error))
    return FALSE;
  print (self, path);
  return TRUE;
}

int
sluice_cli_calibrate (const CliSteps *names, const char *path, double seconds, GError **error)
{
  g_autoptr (SluiceMeasured) measured = sluice_measured_new ();
  Calibration self = { .measured = measured, .seconds = seconds };
  CliSteps steps = *names;
  int status = sluice_cli_check_steps (&steps, path, error);
  if (status != EXIT_OK)
    return status;
  steps.after = measure;
  steps.data = &self;
  sluice_measured_set_options (measured, sluice_cli_session_options.device_options);
  sluice_cli_catch_signals (NULL);
  g_autoptr (SluiceSession) session = sluice_cli_run_steps (&steps, path, error);
  g_clear_pointer (&self.measuring, sluice_measuring_free);
  if (self.told > self.begin)
    fputc ('\n', stderr);
  if (session == NULL)
    return EXIT_FAILED;
  hold (&self, session, path);
  if (!keep (&self, error))
    return EXIT_FAILED;
  return sluice_cli_was_interrupted () ? EXIT_INTERRUPTED : EXIT_OK;
}
