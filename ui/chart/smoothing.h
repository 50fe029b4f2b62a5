/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * TensorBoard's smoothing: last = w last + (1 - w) y from 0, shown as last / (1 - w^n), where n
 * counts the finite values so far. NaN and infinities pass through and count for nothing. (A wholly
 * constant series is shown as it is; that needs the series, see #SluiceSeriesBuffer.)
 */
typedef struct
{
  double weight;
  double last;
  double bias; /* weight^n */
} SluiceEma;

/** sluice_ema_init: a filter of @weight, clamped to [0, 1], that has seen nothing. */
void sluice_ema_init (SluiceEma *ema, double weight);

/** sluice_ema_next: the smoothed value of @value, the next of the series. */
static inline double
sluice_ema_next (SluiceEma *ema, double value)
{
  if (!(value - value == 0)) /* not finite; cheaper than isfinite() in the loops that call this */
    return value;
  ema->last = ema->last * ema->weight + (1 - ema->weight) * value;
  /* Below this 1 - bias is 1, and a denormal bias would make each product a hundred times slower.
   */
  ema->bias = ema->bias < 0x1p-60 ? 0 : ema->bias * ema->weight;
  return ema->weight == 1 ? ema->last : ema->last / (1 - ema->bias);
}

G_END_DECLS
