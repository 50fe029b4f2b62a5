/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/passes/work.h"

/*
 * Runs what the fuse pass put together: strip by strip where the operands have the shapes that
 * fusion hoped for, else one node after the other, whole. Both give the same bits.
 */
extern const SluiceKernel sluice_fused_kernel;

/* The state of the kernel for a node of kind FUSED. (transfer full) (nullable): what a member's
 * kernel says of its attributes. */
gpointer sluice_fusion_new (const SluiceWorkNode *node,
                            const char *device_type,
                            int max_rank,
                            GError **error);
