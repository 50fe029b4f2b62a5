/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/**
 * sluice_call_add_up:
 * @parts: n > 0 tensors of one dtype and shape
 *
 * Their sum, part by part in that order, as AddN makes it.
 *
 * Returns: (transfer full) (nullable): call->error is set; INVALID_ARGUMENT where the dtype has no
 * sums
 */
SluiceTensor *sluice_call_add_up (SluiceKernelCall *call, SluiceTensor *const *parts, guint n);
