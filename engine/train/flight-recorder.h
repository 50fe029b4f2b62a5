/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"
#include "engine/store/store.h"

/*
 * The last steps of a run, kept for whoever asks afterwards what happened. The session's own trace
 * is the memory: a ring of 65,536 records of 64 bytes a thread that runs nodes, four megabytes,
 * whose oldest records go; nothing is copied while all is well. What is remarkable freezes it: a
 * few steps later, or at once where no more come, what it holds of the last steps becomes a file in
 * the run's folder.
 */
typedef enum
{
  SLUICE_FLIGHT_SLOW,     /* a step took several times what is usual */
  SLUICE_FLIGHT_NAN,      /* the loss, or what the guard watches, is not finite */
  SLUICE_FLIGHT_MEMORY,   /* out of it */
  SLUICE_FLIGHT_STALL,    /* a step does not end */
  SLUICE_FLIGHT_DEADLOCK, /* and never will */
  SLUICE_FLIGHT_FAILURE,  /* another one */
  SLUICE_FLIGHT_END,      /* of the run: nothing was wrong */
  SLUICE_FLIGHT_N_CAUSES,
} SluiceFlightCause;
/* "slow"; cause SLUICE_FLIGHT_N_CAUSES: "unknown" */
const char *sluice_flight_cause_name (SluiceFlightCause cause);

/* A run that is slow all the time does not fill the disk: so many files of slow and stalled steps.
 * One of a failure or of the end there is always. */
#define SLUICE_FLIGHT_MAX_FILES 16
/* Slow is what takes longer than its multiple of the median of the last steps, once there were so
 * many. */
#define SLUICE_FLIGHT_FIRST_STEPS 50
/* After a slow step so many more belong to it. */
#define SLUICE_FLIGHT_STEPS_AFTER 4

typedef struct
{
  gint64 step;
  SluiceFlightCause cause;
  char *path;  /* absolute */
  char *words; /* (nullable): how slow, which failure */
} SluiceFlight;
void sluice_flight_free (SluiceFlight *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceFlight, sluice_flight_free)

/* Of an event of the kind SLUICE_FLIGHT_EVENT; folder: of the run. (transfer full) (nullable): it
 * is of another kind, or damaged */
#define SLUICE_FLIGHT_EVENT "trace"
SluiceFlight *sluice_flight_parse (gint64 step, const char *text, const char *folder);
/* The files of a run's folder, by step, with the causes that its events tell. (transfer full)
 * (element-type SluiceFlight) (nullable) */
GPtrArray *sluice_flight_list (SluiceStore *store, gint64 run, GError **error);

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
