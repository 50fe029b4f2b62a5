/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "ui/chart/scale.h"

#include "ui/chart/ticks.h"

#include <math.h>

double
sluice_scale_to_pixel (const SluiceScale *scale, double value)
{
  double t;

  if (scale->log)
    {
      if (!(value > 0))
        return NAN;
      t = (log10 (value) - log10 (scale->d0)) / (log10 (scale->d1) - log10 (scale->d0));
    }
  else
    {
      t = (value - scale->d0) / (scale->d1 - scale->d0);
    }
  return scale->p0 + t * (scale->p1 - scale->p0);
}

double
sluice_scale_to_data (const SluiceScale *scale, double pixel)
{
  double t = (pixel - scale->p0) / (scale->p1 - scale->p0);

  if (scale->log)
    return pow (10, log10 (scale->d0) + t * (log10 (scale->d1) - log10 (scale->d0)));
  return scale->d0 + t * (scale->d1 - scale->d0);
}

/* A twentieth of its decades more on either side; about one value alone, half of it and twice. */
static void
fit_log (double *lo, double *hi, double min_positive)
{
  const double room = 0.05;
  double margin;

  if (!(min_positive > 0) || !(*hi > 0))
    {
      *lo = 0.1;
      *hi = 10;
      return;
    }
  margin = *hi > min_positive * (1 + 1e-9) ? pow (*hi / min_positive, room) : 2;
  if (!isfinite (margin)) /* the quotient is beyond what doubles hold, its root is not */
    margin = pow (*hi, room) / pow (min_positive, room);
  *lo = MAX (min_positive / margin, G_MINDOUBLE);
  *hi = MIN (*hi, G_MAXDOUBLE / margin) * margin;
}

static void
fit_flat (double *lo, double *hi)
{
  double v = *lo;

  if (v == 0)
    {
      *lo = -1;
      *hi = 1;
    }
  else
    {
      double far = CLAMP (2 * v, -G_MAXDOUBLE / 2, G_MAXDOUBLE / 2);

      *lo = v > 0 ? 0 : far;
      *hi = v > 0 ? far : 0;
    }
}

void
sluice_domain_fit (double *lo, double *hi, double min_positive, gboolean log)
{
  const guint targets[] = { 5, 6, 4, 5 };
  double first = 0;
  double last = 0;
  double step = 1;

  if (log)
    {
      fit_log (lo, hi, min_positive);
      return;
    }
  if (!(*lo <= *hi) || !isfinite (*lo) || !isfinite (*hi))
    {
      *lo = 0;
      *hi = 1;
      return;
    }
  /* A range beyond a quarter of what doubles hold cannot be padded or cut into ticks. */
  *lo = MAX (*lo, -G_MAXDOUBLE / 8);
  *hi = MIN (*hi, G_MAXDOUBLE / 8);
  if (*hi - *lo <= 1e-12 * MAX (fabs (*lo), fabs (*hi)))
    {
      fit_flat (lo, hi);
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    {
      double n;

      step = sluice_nice_step (*hi - *lo, targets[i]);
      first = floor (*lo / step + 1e-9);
      last = ceil (*hi / step - 1e-9);
      n = last - first + 1;
      if (n >= 4 && n <= 6)
        break;
    }
  *lo = first * step;
  *hi = last * step;
}
