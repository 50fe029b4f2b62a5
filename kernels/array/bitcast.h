/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/shape.h"

/**
 * sluice_bitcast_shape:
 * @from: bytes of an element of @input
 * @to: bytes of an element of the result
 * @shape: (out): of the result
 *
 * Returns: %NULL, or why there is none
 */
const char *
sluice_bitcast_shape (const SluiceShape *input, gsize from, gsize to, SluiceShape *shape);
