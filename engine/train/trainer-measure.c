/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <time.h>

#include "engine/base/error.h"
#include "engine/train/measured-file.h"
#include "engine/train/measured-teller.h"
#include "engine/train/replica-private.h"
#include "engine/train/trainer-private.h"

/* One part in so many of the time that training takes goes into measuring it. */
#define PARTS 2000

static double
thread_seconds (void)
{
  struct timespec t;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static void
begin (SluiceTrainer *self)
{
  self->measured = sluice_measured_new ();
  sluice_measured_set_options (self->measured, self->replica->host.device_options);
  self->measuring =
      sluice_measuring_new (self->replica->session, self->measured, MAX (self->project->batch, 1));
}

void
sluice_trainer_measure (SluiceTrainer *self, double wall)
{
  if (wall < self->measure_next)
    return;
  double before = thread_seconds ();
  gboolean is_first = self->measuring == NULL;
  if (is_first)
    begin (self);
  if (is_first)
    sluice_measuring_skip (self->measuring); /* memory and threads have settled by now */
  else
    sluice_measuring_read (self->measuring);
  if (self->measure_seconds > 0)
    self->measure_next = wall + MAX (self->measure_seconds, PARTS * (thread_seconds () - before));
}

/* ---- devices are chosen again ---- */

/* All that is known of this machine by now. (transfer full) */
static SluiceCostTeller *
dup_costs (SluiceTrainer *self)
{
  SluiceMeasured *known = sluice_measured_file_load (NULL, NULL);
  if (self->measured != NULL)
    sluice_measured_merge_fresh (known, self->measured);
  return sluice_measured_teller_new (known, self->replica->host.device_options,
                                     MAX (self->project->batch, 1));
}

static gboolean
choose_again (SluiceTrainer *self, guint *n_moved, GError **error)
{
  if (self->replica->n_workers > 1)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        "several train targets begin steps on their own; have one, or choose "
                        "devices by what a run before took");
  if (self->measuring != NULL)
    sluice_measuring_read (self->measuring);
  g_autoptr (SluiceCostTeller) costs = dup_costs (self);
  return sluice_session_place_again (self->replica->session, costs, n_moved, error);
}

gboolean
sluice_trainer_place_again (SluiceTrainer *self, GError **error)
{
  const SluiceSessionOptions *options = &self->project->session;
  gint64 step = self->replica->n_done;
  g_autoptr (GError) why = NULL;
  guint n_moved = 0;
  if (options->place_again == 0 || (gint64) options->place_again != step)
    return TRUE;
  if (!choose_again (self, &n_moved, &why))
    {
      sluice_run_log_event (self->log, step, sluice_trainer_wall_now (), "not-placed-again",
                            why->message);
      return TRUE;
    }
  g_autofree char *text = g_strdup_printf (
      "nodes on other devices: %u, by what %" G_GINT64_FORMAT " steps took", n_moved, step);
  sluice_run_log_event (self->log, step, sluice_trainer_wall_now (), "placed-again", text);
  if (n_moved == 0)
    return TRUE;
  /* Who measures has looked up where nodes stand. */
  g_clear_pointer (&self->measuring, sluice_measuring_free);
  if (self->measured != NULL)
    self->measuring = sluice_measuring_new (self->replica->session, self->measured,
                                            MAX (self->project->batch, 1));
  return sluice_replica_plan_feeds (self->replica, error);
}

void
sluice_trainer_end_measuring (SluiceTrainer *self)
{
  g_autoptr (GError) error = NULL;
  g_clear_pointer (&self->measuring, sluice_measuring_free);
  if (self->measured != NULL && !sluice_measured_file_keep (NULL, self->measured, &error))
    g_message ("what nodes took is not kept: %s", error->message);
  g_clear_pointer (&self->measured, sluice_measured_free);
}
