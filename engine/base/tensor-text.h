/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"

/**
 * sluice_tensor_parse:
 * @text: a number, a string in double quotes (with C's escapes), true or false, or lists of them in
 * lists, `[[1,2],[3,4]]`; a complex number is `1+2j`
 *
 * Returns: (transfer full) (nullable): a tensor of that dtype; %NULL with INVALID_ARGUMENT that
 * says where the text is wrong, or what does not fit the dtype
 */
SluiceTensor *sluice_tensor_parse (const char *text, SluiceDType dtype, GError **error);
