/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <sqlite3.h>

#include "engine/store/store.h"

/*
 * What somebody asks of a run at work in another process: a row of the table commands, which its
 * trainer looks for between steps and answers. A row is asked of whoever has the run's lock at that
 * time. Where that process dies the row is refused by whoever takes the run up next, and is not
 * obeyed then: it is another life of the run.
 */
typedef enum
{
  SLUICE_COMMAND_ASKED,
  SLUICE_COMMAND_DONE,
  SLUICE_COMMAND_REFUSED,
} SluiceCommandState;

typedef struct
{
  gint64 id;
  char *verb;     /* "pause", "set" */
  char *argument; /* (nullable) */
  SluiceCommandState state;
  gint64 step;  /* at which it was answered */
  char *answer; /* (nullable): what was done, or why not */
} SluiceCommand;
void sluice_command_free (SluiceCommand *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceCommand, sluice_command_free)

/* ---- who asks ---- */

/* 0: error is set. FAILED_PRECONDITION where nobody trains the run. */
gint64 sluice_run_control_ask (SluiceStore *store,
                               const SluiceRunInfo *run,
                               const char *verb,
                               const char *argument,
                               GError **error);
/* As the row is now. (transfer full) (nullable) */
SluiceCommand *sluice_run_control_read (SluiceStore *store, gint64 id, GError **error);
/* The row goes, answered or not. */
gboolean sluice_run_control_forget (SluiceStore *store, gint64 id, GError **error);
/* Has the process that was asked gone, or let the run go? */
gboolean sluice_run_control_is_over (SluiceStore *store, gint64 run);

/**
 * sluice_run_control_call:
 * @patience_ms: as long the step under way may take
 * @waits: (nullable): called once where it takes seconds
 *
 * Asks, and waits for the answer. What has none in the end is not done later.
 *
 * Returns: (transfer full) (nullable): what was done; %NULL with FAILED_PRECONDITION where it was
 * refused or nobody trains the run, ABORTED where its process went away, DEADLINE_EXCEEDED
 */
SluiceCommand *sluice_run_control_call (SluiceStore *store,
                                        const SluiceRunInfo *run,
                                        const char *verb,
                                        const char *argument,
                                        gint64 patience_ms,
                                        void (*waits) (void),
                                        GError **error);

/* ---- who trains ---- */

typedef struct _SluiceRunControl SluiceRunControl;
/**
 * sluice_run_control_new:
 *
 * The run is locked by this process. What was asked of the one before it and has no answer is
 * refused; what has one and was never fetched goes.
 */
SluiceRunControl *sluice_run_control_new (SluiceStore *store, gint64 run, GError **error);
/* The same for what was asked of this one; before the lock is given up. (nullable) */
void sluice_run_control_free (SluiceRunControl *self);
/* The oldest row without an answer; some microseconds where there is none. (transfer full)
 * (nullable): none, unless error is set. */
SluiceCommand *sluice_run_control_next (SluiceRunControl *self, GError **error);
gboolean sluice_run_control_answer (SluiceRunControl *self,
                                    const SluiceCommand *command,
                                    gboolean done,
                                    gint64 step,
                                    const char *answer,
                                    GError **error);

/* In a transaction: of a run that is purged. */
gboolean sluice_run_control_purge (sqlite3 *db, gint64 run, GError **error);
