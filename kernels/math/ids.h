/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/base/tensor.h"

/* Numbers of segments, sorted: the first place whose number is at least `id`. */
static inline gint64
sluice_ids_lower_bound (const SluiceTensor *ids, gint64 id)
{
  gint64 low = 0, high = ids->n_elements;
  while (low < high)
    {
      gint64 middle = low + (high - low) / 2;
      if (sluice_tensor_get_int (ids, middle) < id)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}
