/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <time.h>

#include "engine/train/measured-file.h"
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

void
sluice_trainer_end_measuring (SluiceTrainer *self)
{
  g_autoptr (GError) error = NULL;
  g_clear_pointer (&self->measuring, sluice_measuring_free);
  if (self->measured != NULL && !sluice_measured_file_keep (NULL, self->measured, &error))
    g_message ("what nodes took is not kept: %s", error->message);
  g_clear_pointer (&self->measured, sluice_measured_free);
}
