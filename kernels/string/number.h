/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"

/**
 * sluice_parse_number:
 * @dtype: float, double, int32, int64, uint32 or uint64
 * @to: where the number goes
 *
 * Reads a number as TensorFlow does, whatever the locale: white space at the ends is let through,
 * hexadecimal and "inf", "nan" where there may be a fraction.
 *
 * Returns: FALSE where the text is no such number or does not fit (an integer)
 */
gboolean sluice_parse_number (SluiceDType dtype, const char *text, gsize length, void *to);
