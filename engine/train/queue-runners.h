/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/runtime/session/session.h"

/*
 * Queue runners and the coordinator that ends them: tf.train.QueueRunner, tf.train.Coordinator. A
 * thread for each node that fills a queue runs it over and over. Where one ends because there is no
 * more, and it was the last of its queue, the queue is closed; where one fails, that is kept as the
 * cause, and all are stopped.
 */
typedef struct _SluiceQueueRunners SluiceQueueRunners;

/**
 * sluice_queue_runners_start:
 * @graph: (transfer none): whose MetaGraphDef says what to run
 *
 * Returns: (transfer full) (nullable): also where there is nothing to run; or %NULL with an error
 */
SluiceQueueRunners *
sluice_queue_runners_start (SluiceSession *session, SluiceGraph *graph, GError **error);

/* The first failure: what a step that misses its input fails of. FALSE: there is one. */
gboolean sluice_queue_runners_check (SluiceQueueRunners *self, GError **error);

/* Closes the queues, cancels what waits, and returns when all threads have ended. */
void sluice_queue_runners_free (SluiceQueueRunners *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SluiceQueueRunners, sluice_queue_runners_free)
