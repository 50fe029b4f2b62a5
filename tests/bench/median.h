/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>
#include <stdlib.h>

static inline int
bench_compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* Sorts the values. */
static inline double
bench_median (double *values, guint n)
{
  qsort (values, n, sizeof *values, bench_compare_doubles);
  return values[n / 2];
}
