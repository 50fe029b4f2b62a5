/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"

/* As JSON: numbers and nested lists; what is not finite as "NaN", "Infinity", "-Infinity"; a
 * complex number as [re, im]; bytes that are no UTF-8 as {"b64": …}. Floats in the fewest digits
 * that read back the same. */
void sluice_cli_append_json_value (GString *out, const SluiceTensor *tensor);
