/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"

/**
 * sluice_npy_format:
 *
 * A tensor as a NumPy file: strings as fixed-width bytes (`S`, where trailing zeros are lost),
 * bfloat16, which NumPy has not, widened to float32, quantised numbers as their integers.
 *
 * Returns: (transfer full) (nullable): %NULL with UNIMPLEMENTED for resource and variant
 */
GBytes *sluice_npy_format (const SluiceTensor *tensor, GError **error);

/**
 * sluice_npz_write:
 * @names: members, each once, without ".npy"
 *
 * Writes a NumPy archive; it is there whole or not at all.
 */
gboolean sluice_npz_write (const char *path,
                           const char *const *names,
                           SluiceTensor *const *tensors,
                           guint n,
                           GError **error);
