/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Maps data [d0, d1] to pixels [p0, p1]; p0 > p1 is a y axis. */
typedef struct
{
  double d0, d1;
  double p0, p1;
  gboolean log; /* base 10; then 0 < d0 */
} SluiceScale;

/** sluice_scale_to_pixel: the pixel of @value; for a log scale, NaN when @value is not positive. */
double sluice_scale_to_pixel (const SluiceScale *scale, double value);

/** sluice_scale_to_data: the inverse of sluice_scale_to_pixel(). */
double sluice_scale_to_data (const SluiceScale *scale, double pixel);

/**
 * sluice_domain_fit:
 * @lo: (inout): least value
 * @hi: (inout): greatest value
 * @min_positive: least positive value, for a log domain; NaN if there is none
 * @log: whether the domain is logarithmic
 *
 * Widens the range of the data to the range of an axis: a linear one ends on ticks; as in
 * TensorBoard, a flat one becomes [0, 2v], [2v, 0] or [-1, 1], and a log domain is
 * [min_positive / 2, 2 hi]. Without a finite value it is [0, 1] ([0.1, 10] when @log).
 */
void sluice_domain_fit (double *lo, double *hi, double min_positive, gboolean log);

G_END_DECLS
