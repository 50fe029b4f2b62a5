/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "kernels/queue/queue.h"

/*
 * Who should have filled a queue: what a run says that waits for it in vain, and what somebody
 * hears who finds it closed.
 */

/**
 * sluice_queue_describe_wait:
 * @data: names the request
 * @node: whose input @input is the queue's handle
 *
 * SluiceKernel.describe_wait of a node that waits for a queue.
 *
 * Returns: (transfer full) (nullable): %NULL where the request does not wait
 */
char *
sluice_queue_describe_wait (SluiceQueue *queue, gpointer data, const SluiceNode *node, guint input);

/* SluiceKernel.step_failed of nodes that fill the queue of input 0: it remembers the first error.
 */
void
sluice_queue_step_failed (const SluiceNode *node, SluiceResources *resources, const GError *error);
