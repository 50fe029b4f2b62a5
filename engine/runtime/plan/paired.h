/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/work.h"

/* Runs what the pair pass put together: the taker's kernel, which calls the giver's where it wants
 * the value. */
extern const SluiceKernel sluice_paired_kernel;

/* The state of the kernel for a node of kind PAIR. (transfer full) (nullable): what a member's
 * kernel says of its attributes. */
gpointer sluice_paired_new (const SluiceWorkNode *node,
                            const char *device_type,
                            int max_rank,
                            GError **error);
