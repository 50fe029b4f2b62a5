/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/run-controller.h"

/*
 * The workspace's queue as the window knows it: which runs wait, and whether the window trains them
 * one after the other. It begins none while a run is under way here, or one of the queue elsewhere.
 * Main thread only; the store is asked in workers. Signals: changed; failed (string: what could not
 * be done and why); dropped (int64: a run, string: its name).
 */
#define SLUICE_TYPE_QUEUE_WORKER (sluice_queue_worker_get_type ())
G_DECLARE_FINAL_TYPE (SluiceQueueWorker, sluice_queue_worker, SLUICE, QUEUE_WORKER, GObject)

SluiceQueueWorker *
sluice_queue_worker_new (SluiceWorkspace *workspace, SluiceRunController *controller);

/* (element-type SluiceQueueEntry) (transfer none): in order, those under way among them. */
GPtrArray *sluice_queue_worker_get_entries (SluiceQueueWorker *self);
/* Nobody trains what waits, in whatever program. */
gboolean sluice_queue_worker_get_paused (SluiceQueueWorker *self);
/* Does this window? */
gboolean sluice_queue_worker_get_works (SluiceQueueWorker *self);
void sluice_queue_worker_set_works (SluiceQueueWorker *self, gboolean works);
/* It has been read, and nothing is being changed. */
gboolean sluice_queue_worker_is_settled (SluiceQueueWorker *self);

/* Looks at it again soon. */
void sluice_queue_worker_refresh (SluiceQueueWorker *self);
void sluice_queue_worker_set_paused (SluiceQueueWorker *self, gboolean paused);
/* By numbers of runs. */
void sluice_queue_worker_move (SluiceQueueWorker *self, gint64 run, gint64 other, gboolean before);
void sluice_queue_worker_drop (SluiceQueueWorker *self, gint64 run);
/* What was dropped here waits again in its place; run 0: the last one. Which one: 0: none was. */
gint64 sluice_queue_worker_restore (SluiceQueueWorker *self, gint64 run);
/* It begins only when the other one has finished; 0: when its turn comes. */
void sluice_queue_worker_set_after (SluiceQueueWorker *self, gint64 run, gint64 other);
