/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"

/* One element of a tensor of any real dtype as double, and back: for kernels that compute in double
 * whatever they read. */
double sluice_number_get (const SluiceTensor *tensor, gint64 i);

/* Integers saturate, and are 0 for what is not a number. */
void sluice_number_set (SluiceTensor *tensor, gint64 i, double value);
