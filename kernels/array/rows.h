/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <string.h>

#include "engine/base/tensor.h"

/* Rows that are moved one by one: short runs of elements at places that only the values tell. */

#define SLUICE_ROW_CHUNK_BYTES (64 << 10) /* a chunk of work */

/* Copies a row of n elements, `bytes` long. */
static inline void
sluice_row_copy (SluiceDType dtype, void *to, const void *from, gint64 n, gsize bytes)
{
  if (bytes == 4) /* the commonest, and one instruction */
    memcpy (to, from, 4);
  else if (G_UNLIKELY (sluice_dtype_is_managed (dtype)))
    sluice_elements_copy (dtype, to, from, n);
  else
    memcpy (to, from, bytes);
}

/* Rows in a chunk, and what one takes. */
static inline gint64
sluice_row_grain (gsize bytes)
{
  return MAX (1, SLUICE_ROW_CHUNK_BYTES / (gint64) MAX (bytes, 1));
}

static inline double
sluice_row_ns (gsize bytes)
{
  return 3 + 0.15 * bytes;
}
