/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"
#include "engine/store/store.h"

/* What ran in some steps of a run, kept as a file of its folder (flight-recorder.h). */
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

/* traces/step-0000000012.sltrace of a run's folder: (transfer full) */
char *sluice_flight_file_dup_path (const char *folder, gint64 step);
/* What the session's trace still holds of the steps from @first on, from the first one that is
 * whole. The file is there whole or not at all. */
gboolean
sluice_flight_file_write (SluiceSession *session, const char *path, gint64 first, GError **error);
/* Removes those of steps after @step. Returns: how many are left */
guint sluice_flight_file_forget (const char *folder, gint64 step);
/* The text of an event that tells it, as sluice_flight_parse() reads it: (transfer full) */
char *sluice_flight_dup_text (const SluiceFlight *self);
