/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/run-queue.h"
#include "engine/train/trainer.h"

/*
 * Runs that wait their turn (engine/store/run-queue.h), made and trained. Such a run is a whole one
 * in state SLUICE_RUN_WAITING: its folder has its project frozen, so that it needs nothing of the
 * original one but the data.
 */

typedef struct
{
  const char *name;                 /* (nullable): of the run; the project's */
  const char *group;                /* (nullable) */
  SluiceQueueNeeds needs;           /* memory 0: what its plan takes */
  const SluiceSessionOptions *host; /* (nullable): by which it is checked */
  /* (nullable): a checkpoint of whatever format with whose values it begins. They are copied now:
   * what becomes of the file is nothing to it. */
  const char *init_from;
  gboolean init_partly; /* what it lacks, or has in another shape, keeps its initial values */
  /* In a batch: graph, data and batches are those of the run before, whose check and memory stand
   * for this one's. */
  gboolean like_last;
} SluiceQueueRequest;

/**
 * sluice_queue_add:
 *
 * Loads graph and data to see that the project can be trained, and puts the run at the end of the
 * queue.
 *
 * Returns: (transfer full) (nullable): %NULL as sluice_trainer_new(); nothing is left behind then
 */
SluiceRunInfo *sluice_queue_add (SluiceStore *store,
                                 SluiceProject *project,
                                 const SluiceQueueRequest *request,
                                 GError **error);

/* Several runs that come to wait together or not at all, whatever happens to the program. */
typedef struct _SluiceQueueBatch SluiceQueueBatch;
SluiceQueueBatch *sluice_queue_batch_new (SluiceStore *store, GError **error);
void sluice_queue_batch_free (SluiceQueueBatch *self); /* with all that was added */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceQueueBatch, sluice_queue_batch_free)
/* As sluice_queue_add(), but that nothing waits yet; request is not needed afterwards. */
gboolean sluice_queue_batch_add (SluiceQueueBatch *self,
                                 SluiceProject *project,
                                 const SluiceQueueRequest *request,
                                 GError **error);
/* They stand at the end of the queue, in order, and have numbers that follow each other.
 * (transfer full) (nullable) (element-type SluiceRunInfo): at least one was added */
GPtrArray *sluice_queue_batch_commit (SluiceQueueBatch *take_self, GError **error);

/**
 * sluice_queue_take:
 * @options: allow_files, begins and host count
 * @limits: as sluice_run_queue_claim() has them
 * @run: (out) (nullable) (transfer full): the one that is claimed or skipped; its message says why
 * @trainer: (out) (nullable) (transfer full): of one that is claimed, not started
 *
 * Claims the next run that may begin. One that cannot begin, because its data are gone or have
 * changed, is told as failed and SKIPPED; where that is the machine's fault (a full disk, a
 * database that is held) it keeps its place, and the queue is BROKEN.
 */
SluiceQueueClaim sluice_queue_take (SluiceStore *store,
                                    const SluiceTrainerOptions *options,
                                    const SluiceQueueLimits *limits,
                                    SluiceRunInfo **run,
                                    SluiceTrainer **trainer,
                                    GError **error);

/**
 * sluice_queue_put_back:
 * @trainer: what sluice_queue_take() gave, at its end
 * @failure: (nullable): what sluice_trainer_wait() said
 *
 * A run that was stopped with who trains it waits again, in its place; another one leaves the
 * queue, also one that was itself asked to stop.
 *
 * Returns: %FALSE where no further run would fare better: @failure is the machine's fault, and the
 * run waits again
 */
gboolean sluice_queue_put_back (SluiceStore *store,
                                SluiceTrainer *trainer,
                                const GError *failure,
                                GError **error);
