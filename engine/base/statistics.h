/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"

SLUICE_PUBLIC_BEGIN

/* What the elements of a tensor are like: complex ones by their magnitudes, bools as 0 and 1. */
typedef struct
{
  double min, mean, max; /* of the finite elements; NaN where there is none */
  gint64 n_elements, n_zeros, n_non_finite;
} SluiceStatistics;

/* Are its elements numbers? Text, resources and variants are not. */
gboolean sluice_dtype_has_statistics (SluiceDType dtype);

/**
 * sluice_tensor_get_statistics:
 * @statistics: (out)
 *
 * Reads each element once, on this thread, and never writes. The sum behind the mean is one of
 * floats over 4096 elements each and of doubles over these.
 *
 * Returns: %FALSE where the elements are no numbers
 */
gboolean sluice_tensor_get_statistics (const SluiceTensor *self, SluiceStatistics *statistics);

SLUICE_PUBLIC_END
