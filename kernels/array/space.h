/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/*
 * Positions o of a grid whose points o · step + shift lie within [0, size): from first on, count of
 * them, of the n that there are. step is positive.
 */
typedef struct
{
  gint64 first, count;
} SluiceGridRange;

static inline SluiceGridRange
sluice_span (gint64 n, gint64 step, gint64 shift, gint64 size)
{
  gint64 first = shift < 0 ? (-shift + step - 1) / step : 0;
  gint64 end = size > shift ? (size - shift + step - 1) / step : 0;
  end = MIN (end, n);
  return (SluiceGridRange){ first, MAX (0, end - first) };
}
