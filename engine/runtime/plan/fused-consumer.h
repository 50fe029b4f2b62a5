/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/work.h"

/* Runs what the pass fuse-consumers put together: the consumer's kernel, which calls the producer's
 * where it wants the value. */
extern const SluiceKernel sluice_fused_consumer_kernel;

/* The state of the kernel for a node of kind FUSED_CONSUMER. (transfer full) (nullable): what a
 * member's kernel says of its attributes. */
gpointer sluice_fused_consumer_new (const SluiceWorkNode *node,
                                    const char *device_type,
                                    int max_rank,
                                    GError **error);
