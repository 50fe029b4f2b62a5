/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/smoothing.h"

void
sluice_ema_init (SluiceEma *ema, double weight)
{
  *ema = (SluiceEma){ .weight = CLAMP (weight, 0, 1), .last = 0, .bias = 1 };
}
