/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <math.h>

#include "engine/device/kernel.h"

/* Element i of a float or double tensor. */
static inline double
sluice_ctc_score (const SluiceTensor *scores, gint64 i)
{
  return scores->dtype == SLUICE_DOUBLE ? ((const double *) scores->data)[i]
                                        : (double) ((const float *) scores->data)[i];
}

/* log (e^a + e^b); -INFINITY stands for a probability of 0. */
static inline double
sluice_ctc_log_add (double a, double b)
{
  if (a == -INFINITY)
    return b;
  if (b == -INFINITY)
    return a;
  return a > b ? a + log1p (exp (b - a)) : b + log1p (exp (a - b));
}
