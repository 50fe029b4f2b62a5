/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/* TensorFlow's lists of dtypes for an attribute, without the braces. What of it has kernels is
 * less: nobody counts or adds in the quantised ones. */
#define SLUICE_REAL_TYPES                                                                          \
  "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64"
#define SLUICE_QUANTIZED_TYPES "qint8, quint8, qint32, qint16, quint16"
#define SLUICE_NUMBER_TYPES    SLUICE_REAL_TYPES ", complex64, complex128, " SLUICE_QUANTIZED_TYPES
