/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"

/* Values as people write them. (transfer full) (nullable) each. */

/* As sluice_tensor_parse() takes it, or a file ".npy", or "FILE.npz:MEMBER". */
SluiceTensor *sluice_value_parse (const char *text, SluiceDType dtype, GError **error);

/**
 * sluice_value_change:
 * @text: "*0", "/2", "+1": each element times, over, plus a number; "=1": each is that; else a
 * value in the place of it
 */
SluiceTensor *sluice_value_change (const SluiceTensor *now, const char *text, GError **error);
