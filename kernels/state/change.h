/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/device/kernel.h"

/* How memory takes new values in: assignments, scatters and segments share these. */
typedef enum
{
  SLUICE_CHANGE_SET, /* to = from */
  SLUICE_CHANGE_ADD, /* to = to + from … */
  SLUICE_CHANGE_SUB,
  SLUICE_CHANGE_MUL,
  SLUICE_CHANGE_DIV,
  SLUICE_CHANGE_MIN,
  SLUICE_CHANGE_MAX,
  SLUICE_N_CHANGES
} SluiceChange;

/* to[i] = to[i] ∘ from[i] for n elements; both may be the same memory. Integers wrap; half and
 * bfloat16 are rounded after each operation. */
typedef void (*SluiceChangeFunc) (void *to, const void *from, gint64 n);

/**
 * sluice_change_func:
 *
 * Returns: (nullable): NULL of %SLUICE_CHANGE_SET (sluice_elements_copy() does it) and where the
 * dtype does not have the operation: complex numbers have no order
 */
SluiceChangeFunc sluice_change_func (SluiceDType dtype, SluiceChange change);

/* A division must not find an integer 0 among @divisor: INVALID_ARGUMENT. Other changes pass. */
gboolean sluice_call_check_divisor (SluiceKernelCall *call,
                                    SluiceChange change,
                                    const SluiceTensor *divisor);
