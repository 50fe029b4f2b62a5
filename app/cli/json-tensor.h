/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "app/cli/json.h"
#include "engine/base/tensor.h"

/**
 * cli_json_tensor:
 *
 * A member with the tensor's value: nested lists by its shape, a scalar alone. Numbers are numbers,
 * but for unsigned ones from 2^63 on, which are strings; complex ones lists of two; strings that
 * are UTF-8 strings, other bytes {"base64": "…"}; resources and variants null, and so is NULL.
 */
void cli_json_tensor (JsonBuilder *b, const char *name, const SluiceTensor *tensor);
