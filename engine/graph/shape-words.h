/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/dtype.h"
#include "engine/base/shape.h"

/* Shapes and dtypes as people read them. */

/* "64×10", "[10]", "scalar". (transfer full) (nullable): not even the rank is known */
char *sluice_shape_dup_words (const SluiceShape *shape);
/* "float32", "int64": with the number of bits. A reference is its base. */
const char *sluice_dtype_get_word (SluiceDType dtype);
