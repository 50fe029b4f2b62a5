/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <sqlite3.h>

#include "engine/store/store.h"

/*
 * The rows of runs that wait. Whether one of them is under way is told by its lock alone, which
 * dies with its process: a row stays until its run has finished or failed, so that a run whose
 * process was killed is found in its place and goes on from its newest checkpoint.
 */
typedef struct
{
  gint64 after; /* a run that is to finish first; 0: none */
  /* (nullable): what it is to have, an accelerator to itself; NULL and 0: not said */
  const char *devices;
  gint64 memory; /* bytes */
  gint64 threads;
} SluiceQueueNeeds;

typedef struct
{
  SluiceRunInfo *info;
  gint64 after;
  char *after_name; /* (nullable) */
  char *devices;    /* (nullable) */
  gint64 memory, threads;
} SluiceQueueEntry;
void sluice_queue_entry_free (SluiceQueueEntry *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceQueueEntry, sluice_queue_entry_free)

/* (transfer full) (nullable) (element-type SluiceQueueEntry): in order; also those under way. */
GPtrArray *sluice_run_queue_dup_entries (SluiceStore *store, GError **error);

/* What its row says of a run; nothing where it has none. needs->devices: (transfer full)
 * (nullable) */
gboolean sluice_run_queue_read_needs (SluiceStore *store,
                                      gint64 run,
                                      SluiceQueueNeeds *needs,
                                      GError **error);

/* Nothing more is claimed while it is paused; what is under way goes on. */
gboolean sluice_run_queue_get_paused (SluiceStore *store, gboolean *paused, GError **error);
gboolean sluice_run_queue_set_paused (SluiceStore *store, gboolean paused, GError **error);

/* NOT_FOUND where one of the two does not wait. */
gboolean sluice_run_queue_move (SluiceStore *store,
                                const SluiceRunInfo *run,
                                const SluiceRunInfo *other,
                                gboolean before,
                                GError **error);
/* Takes it out; it can be trained on by hand. FAILED_PRECONDITION where it is under way. */
gboolean sluice_run_queue_drop (SluiceStore *store, const SluiceRunInfo *run, GError **error);
/* What was taken out waits again, before another one: 0, or one that waits no more: last.
 * FAILED_PRECONDITION where it was trained, or went to the trash, meanwhile. */
gboolean sluice_run_queue_restore (SluiceStore *store,
                                   const SluiceRunInfo *run,
                                   const SluiceQueueNeeds *needs,
                                   gint64 next,
                                   GError **error);
/* It begins only when the other one has finished; other: (nullable): when its turn comes.
 * INVALID_ARGUMENT where that one waits for it. */
gboolean sluice_run_queue_set_after (SluiceStore *store,
                                     const SluiceRunInfo *run,
                                     const SluiceRunInfo *other,
                                     GError **error);

typedef enum
{
  SLUICE_QUEUE_CLAIMED, /* *run is locked, to be trained here */
  SLUICE_QUEUE_SKIPPED, /* *run is told as failed: what it was to come after did not finish */
  SLUICE_QUEUE_DROPPED, /* *run is told as stopped, and waits no more: it was not let go on */
  SLUICE_QUEUE_EMPTY,
  SLUICE_QUEUE_BUSY,    /* all that could be claimed is under way somewhere: look again later */
  SLUICE_QUEUE_BLOCKED, /* what is left waits for runs that nobody trains */
  SLUICE_QUEUE_PAUSED,
  SLUICE_QUEUE_BROKEN, /* error is set */
} SluiceQueueClaim;

typedef enum
{
  SLUICE_QUEUE_MAY_GO,
  SLUICE_QUEUE_NOT_YET, /* until other runs have come further */
  SLUICE_QUEUE_NEVER,   /* which stays so */
  SLUICE_QUEUE_UNKNOWN, /* error is set */
} SluiceQueueLeave;

typedef struct
{
  gint64 threads;    /* runs that need more are passed over as busy; -1: no limit */
  gint64 memory;     /* the same, in bytes */
  const char *group; /* (nullable): only its runs */
  /* (nullable): whether a run may begin or go on. reason: (out) (transfer full): of NEVER */
  SluiceQueueLeave (*ask) (SluiceStore *store, gint64 run, char **reason, GError **error);
} SluiceQueueLimits;

/**
 * sluice_run_queue_claim:
 * @limits: which of the runs
 * @run: (out): 0 where there is none
 *
 * The first in order that may begin. It is locked first and looked at again under its lock, in the
 * transaction that says it is running: of any number of programs one gets it.
 */
SluiceQueueClaim sluice_run_queue_claim (SluiceStore *store,
                                         const SluiceQueueLimits *limits,
                                         gint64 *run,
                                         GError **error);

/* What becomes of a run that was claimed here; its lock is given up when that is written. */
typedef enum
{
  SLUICE_QUEUE_LEAVES, /* it has finished or failed, as its row says */
  SLUICE_QUEUE_FAILS,  /* it could not begin */
  SLUICE_QUEUE_WAITS_AGAIN,
} SluiceQueueOutcome;
/* message: (nullable): of one that fails */
gboolean sluice_run_queue_settle (SluiceStore *store,
                                  gint64 run,
                                  SluiceQueueOutcome outcome,
                                  const char *message,
                                  GError **error);

/* In a transaction: the run stands last. */
gboolean
sluice_run_queue_insert (sqlite3 *db, gint64 run, const SluiceQueueNeeds *needs, GError **error);
/* In a transaction: of a run that is purged. */
gboolean sluice_run_queue_forget (sqlite3 *db, gint64 run, GError **error);
