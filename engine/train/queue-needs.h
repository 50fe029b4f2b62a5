/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/store/run-queue.h"

/* What a run that waits is said to need, as people write it. */
extern const char *const sluice_queue_need_keys[]; /* "device", "threads", "memory", NULL */

/**
 * sluice_queue_needs_set:
 * @key: one of sluice_queue_need_keys
 * @text: "CUDA:0", which is borrowed, "2", "500M"; "": it is not said
 *
 * Returns: %FALSE with INVALID_ARGUMENT, or NOT_FOUND of a device that is not here
 */
gboolean
sluice_queue_needs_set (SluiceQueueNeeds *self, const char *key, const char *text, GError **error);
/* What that takes: (transfer full); "": it is not said. */
char *sluice_queue_needs_dup_text (const SluiceQueueNeeds *self, const char *key);
