/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

/* Straight (not premultiplied) sRGB, each 0 to 1. */
typedef struct
{
  double r, g, b, a;
} SluiceColor;
