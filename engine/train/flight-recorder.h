/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/flight-file.h"

/*
 * The last steps of a run, kept for whoever asks afterwards what happened. The session's own trace
 * is the memory: a ring of 65,536 records of 64 bytes a thread that runs nodes, four megabytes,
 * whose oldest records go; nothing is copied while all is well. What is remarkable freezes it: a
 * few steps later, or at once where no more come, what it holds of the last steps becomes a file in
 * the run's folder.
 */

/* A run that is slow all the time does not fill the disk: so many files of slow and stalled steps,
 * and after that a slower step takes the place of the least slow one. One of a failure or of the
 * end there is always. */
#define SLUICE_FLIGHT_MAX_FILES 16
/* Slow is what takes longer than its multiple of the median of the last steps, once there were so
 * many. */
#define SLUICE_FLIGHT_FIRST_STEPS 50
/* After a slow step so many more belong to it. */
#define SLUICE_FLIGHT_STEPS_AFTER 4

typedef struct
{
  SluiceSession *session;
  const char *folder;      /* of the run */
  guint n_steps;           /* that a file holds, at least 1 */
  double slow;             /* so many medians; 0: never */
  gint64 (*now_us) (void); /* monotonic */
} SluiceFlightOptions;

typedef struct _SluiceFlightRecorder SluiceFlightRecorder;

/* Files of steps after @step are of another past of the run and go. Never fails; where the system
 * gives no thread, stalls are not seen. */
SluiceFlightRecorder *sluice_flight_recorder_new (const SluiceFlightOptions *options, gint64 step);
void sluice_flight_recorder_free (SluiceFlightRecorder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceFlightRecorder, sluice_flight_recorder_free)

/* ---- on the thread that trains ---- */

void sluice_flight_recorder_begin_step (SluiceFlightRecorder *self, gint64 step);
/* stopped_us: of that time it stood at a breakpoint */
void sluice_flight_recorder_end_step (SluiceFlightRecorder *self, gint64 stopped_us);
/* What ends the run: failure NULL for a good end; cause: of a failure that its code does not tell.
 */
void sluice_flight_recorder_end (SluiceFlightRecorder *self,
                                 gint64 step,
                                 const GError *failure,
                                 SluiceFlightCause cause);
/* What was written since becomes events of the run. */
void sluice_flight_recorder_log (SluiceFlightRecorder *self, SluiceRunLog *log);

/* ---- on any thread ---- */

/* Has the step under way stalled? The recorder's own thread asks once a second. */
void sluice_flight_recorder_look (SluiceFlightRecorder *self);
