/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"

/**
 * compare_tensors:
 *
 * dtype and shape must be equal. With both tolerances 0 the bits too, but that any NaN equals any
 * NaN and a serialised image summary is compared by its pixels; else |got - want| <= atol + rtol
 * |want| element by element.
 *
 * Returns: (transfer full) (nullable): what differs, in words; %NULL where all is well
 */
char *compare_tensors (const SluiceTensor *got, const SluiceTensor *want, double rtol, double atol);
