/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/**
 * sluice_call_accumulate:
 * @tensor: a variable's, locked by the caller
 * @subtract: take value away in place of adding it
 *
 * tensor += value for any number type; integers wrap. INVALID_ARGUMENT where the shapes differ.
 */
gboolean sluice_call_accumulate (SluiceKernelCall *call,
                                 SluiceTensor *tensor,
                                 const SluiceTensor *value,
                                 gboolean subtract);
