/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/run-queue.h"
#include "engine/train/retrace.h"

/*
 * A run that begins where another one stood at a step: with its values, random streams, place in
 * the data and optimizers' state, and with settings of its own. With none it goes on exactly as
 * its parent did, changes that the parent made later included.
 */
typedef struct
{
  const char *name;  /* (nullable): the parent's, and the step */
  const char *group; /* (nullable): the parent's */
  gint64 step;
  const char *const *assignments; /* (nullable): as sluice_project_set() takes them */
  gboolean waits;                 /* in the queue, with needs */
  SluiceQueueNeeds needs;
  gboolean accept_changed_data;
  const SluiceSessionOptions *host; /* (nullable): by which steps are computed and it is checked */
  /* (nullable) */
  SluiceRecomputes recomputes;
  gpointer recomputes_data;
} SluiceForkRequest;

/**
 * sluice_fork:
 *
 * Makes the run, with a checkpoint of that step; it is trained as a run that goes on.
 *
 * Returns: (transfer full) (nullable): %NULL, and nothing of it is left behind: OUT_OF_RANGE (the
 * parent has not come so far, or there is nothing to train behind that step), FAILED_PRECONDITION
 * (data have changed), or what makes its project no other run
 */
SluiceRunInfo *sluice_fork (SluiceStore *store,
                            const SluiceRunInfo *parent,
                            const SluiceForkRequest *request,
                            GError **error);

/* Several, together or not at all, whatever happens to the program: their numbers follow each
 * other. (transfer full) (nullable) (element-type SluiceRunInfo) */
GPtrArray *sluice_fork_all (SluiceStore *store,
                            const SluiceRunInfo *parent,
                            const SluiceForkRequest *requests,
                            guint n,
                            GError **error);
