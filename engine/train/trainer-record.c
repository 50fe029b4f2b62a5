/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/file.h"
#include "engine/train/trainer-private.h"

/* What ran in the last steps, for whoever asks afterwards. */

void
sluice_trainer_begin_record (SluiceTrainer *self)
{
  const SluiceProject *p = self->project;
  g_autofree char *traces = g_build_filename (self->folder, "traces", NULL);
  if (p->record_steps == 0)
    return;
  if (g_file_test (traces, G_FILE_TEST_IS_SYMLINK)) /* as of the folders of trainer-begin.c */
    {
      sluice_run_log_event (self->log, self->replica->n_done, sluice_trainer_wall_now (),
                            "not-recorded", "the folder 'traces' is a link, which is not followed");
      return;
    }
  sluice_file_sweep (traces);
  const SluiceFlightOptions options = { .session = self->replica->session,
                                        .folder = self->folder,
                                        .n_steps = (guint) p->record_steps,
                                        .slow = p->record_slow,
                                        .now_us = g_get_monotonic_time };
  self->flight = sluice_flight_recorder_new (&options, self->replica->n_done);
}

void
sluice_trainer_record_end (SluiceTrainer *self, const GError *failure)
{
  if (self->flight == NULL)
    return;
  gboolean is_in_step = failure != NULL && !self->is_not_finite;
  sluice_flight_recorder_end (self->flight, self->replica->n_done + is_in_step, failure,
                              self->is_not_finite ? SLUICE_FLIGHT_NAN : SLUICE_FLIGHT_FAILURE);
  sluice_flight_recorder_log (self->flight, self->log);
  g_clear_pointer (&self->flight, sluice_flight_recorder_free);
}
