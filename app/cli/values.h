/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"

/**
 * sluice_cli_parse_value:
 * @text: a number, a string in double quotes (with C's escapes), true or false, or lists of them in
 * lists, `[[1,2],[3,4]]`; a complex number is `1+2j`
 *
 * Returns: (transfer full) (nullable): a tensor of that dtype; %NULL with INVALID_ARGUMENT that
 * says where the text is wrong, or what does not fit the dtype
 */
SluiceTensor *sluice_cli_parse_value (const char *text, SluiceDType dtype, GError **error);

/* As JSON: numbers and nested lists; what is not finite as "NaN", "Infinity", "-Infinity"; a
 * complex number as [re, im]; bytes that are no UTF-8 as {"b64": …}. Floats in the fewest digits
 * that read back the same. */
void sluice_cli_append_json_value (GString *out, const SluiceTensor *tensor);
