/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"

/* Element 0 of a tensor of real numbers. */
double sluice_range_number (const SluiceTensor *tensor);

/**
 * sluice_range_count:
 *
 * How many numbers Range makes of three scalars of one dtype.
 *
 * Returns: (nullable): what is wrong with them
 */
const char *sluice_range_count (const SluiceTensor *start,
                                const SluiceTensor *limit,
                                const SluiceTensor *delta,
                                gint64 *count);
