/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Written from the formulas named at each function. Series and continued fractions end when a term
 * no longer changes the sum; arguments for which that would take long have another formula, so that
 * no call exceeds MAX_STEPS.
 */
#include "kernels/math/special.h"

#include <float.h>
#include <math.h>

/* Below LARGE the incomplete gamma functions need about 10 √a steps, the beta function about
 * 5 √(a + b). */
#define LARGE     1e6
#define MAX_STEPS 20000

double
sluice_lgamma (double x)
{
  int sign;
  return lgamma_r (x, &sign);
}

/* Recurrence (DLMF 5.5.2) up to 10, asymptotic series (5.11.2) from there, reflection (5.5.4). */
double
sluice_digamma (double x)
{
  static const double series[] = { 1. / 12,  -1. / 120,     1. / 252, -1. / 240,
                                   1. / 132, -691. / 32760, 1. / 12 };
  if (x <= 0 && x == floor (x))
    return NAN;
  if (x < 0)
    {
      double part = x - floor (x);
      return sluice_digamma (1 - x) - (part == 0.5 ? 0 : M_PI / tan (M_PI * part));
    }
  double sum = 0;
  for (; x < 10; x++)
    sum -= 1 / x;
  double square = 1 / (x * x), power = square;
  for (int k = 0; k < 7; k++, power *= square)
    sum -= series[k] * power;
  return sum + log (x) - 0.5 / x;
}

/* ---- incomplete gamma functions ---- */

/* log Γ (a + 1) less Stirling's formula a log a - a + log √(2πa): DLMF 5.11.1. */
static double
stirling_rest (double a)
{
  if (a < 10)
    return sluice_lgamma (a + 1) - (a * log (a) - a + 0.5 * log (2 * M_PI * a));
  double z = 1 / (a * a);
  return (1. / 12 - z * (1. / 360 - z * (1. / 1260 - z * (1. / 1680 - z / 1188)))) / a;
}

/* log (1 + d) - d, without cancellation near 0. */
static double
log1p_rest (double d)
{
  if (fabs (d) > 0.3)
    return log1p (d) - d;
  /* log1p d = 2 artanh r, r = d / (2 + d), and d = 2 r + r d. */
  double r = d / (2 + d), z = r * r, power = r * z, sum = 0;
  for (int k = 3; k < 40 && fabs (power) > DBL_EPSILON * fabs (sum); k += 2, power *= z)
    sum += power / k;
  return 2 * sum - r * d;
}

/* x^a e^-x / Γ (a + 1), in the way of C. Loader, "Fast and Accurate Computation of Binomial
 * Probabilities" (2000): large terms do not meet. */
static double
power_over_gamma (double a, double x)
{
  if (a < 1)
    return exp (a * log (x) - x - sluice_lgamma (a + 1));
  double exponent =
      x < 1e-3 * a || x > 1e3 * a ? a * log (x / a) - (x - a) : a * log1p_rest ((x - a) / a);
  return exp (exponent - stirling_rest (a)) / sqrt (2 * M_PI * a);
}

/* A value and its derivative by a. */
typedef struct
{
  double value, slope;
} Dual;

/* P by its series: DLMF 8.7.1, for x up to about a. */
static Dual
gamma_series (double a, double x)
{
  double factor = power_over_gamma (a, x);
  double term = 1, slope = 0, sum = 1, slope_sum = 0, harmonic = 0;
  if (factor == 0)
    return (Dual){ 0, 0 };
  for (int n = 1; n < MAX_STEPS; n++)
    {
      term *= x / (a + n);
      harmonic += 1 / (a + n);
      slope = -term * harmonic;
      sum += term;
      slope_sum += slope;
      if (term <= DBL_EPSILON / 4 * sum && -slope <= DBL_EPSILON / 4 * (sum - slope_sum))
        break;
    }
  return (Dual){ factor * sum, factor * ((log (x) - sluice_digamma (a + 1)) * sum + slope_sum) };
}

/* Q by its continued fraction (DLMF 8.9.2, even part), for x above about a. The recurrence of
 * numerators and denominators is differentiated by a beside it. */
static Dual
gamma_fraction (double a, double x)
{
  double factor = a * power_over_gamma (a, x); /* x^a e^-x / Γ (a) */
  if (factor == 0)
    return (Dual){ 0, 0 };
  Dual p0 = { 0, 0 }, q0 = { 1, 0 }, p1 = { 1, 0 }, q1 = { x + 1 - a, -1 };
  Dual f = { p1.value / q1.value, 1 / (q1.value * q1.value) };
  for (int n = 1; n < MAX_STEPS; n++)
    {
      double b = x + 2 * n + 1 - a, c = n * (a - n);
      Dual p = { b * p1.value + c * p0.value,
                 b * p1.slope - p1.value + c * p0.slope + n * p0.value };
      Dual q = { b * q1.value + c * q0.value,
                 b * q1.slope - q1.value + c * q0.slope + n * q0.value };
      double scale = 1 / fmax (fabs (p.value), fabs (q.value));
      p0 = (Dual){ p1.value * scale, p1.slope * scale };
      q0 = (Dual){ q1.value * scale, q1.slope * scale };
      p1 = (Dual){ p.value * scale, p.slope * scale };
      q1 = (Dual){ q.value * scale, q.slope * scale };
      Dual last = f;
      f.value = p1.value / q1.value;
      f.slope = (p1.slope - f.value * q1.slope) / q1.value;
      if (fabs (f.value - last.value) <= DBL_EPSILON / 4 * fabs (f.value)
          && fabs (f.slope - last.slope) <= DBL_EPSILON * (fabs (f.slope) + fabs (f.value)))
        break;
    }
  return (Dual){ factor * f.value, factor * (f.slope + f.value * (log (x) - sluice_digamma (a))) };
}

/* Q for large a (DLMF 8.12.4, 8.12.8): the next term is below 1e-12. */
static double
gamma_uniform (double a, double x)
{
  double mu = (x - a) / a, eta = copysign (sqrt (fmax (0, -2 * log1p_rest (mu))), mu);
  double first = fabs (eta) < 0.02
                     ? -1. / 3 + eta * (1. / 12 - eta * (2. / 135 - eta * (1. / 864 + eta / 2835)))
                     : 1 / mu - 1 / eta;
  return 0.5 * erfc (eta * sqrt (a / 2)) + exp (-0.5 * a * eta * eta) / sqrt (2 * M_PI * a) * first;
}

/* NaN outside the domain; at its edges *answer is P. TRUE: P is known. */
static int
gamma_edge (double a, double x, double *answer)
{
  if (!(x >= 0) || !(a > 0))
    *answer = NAN;
  else if (x == 0 || isinf (a))
    *answer = isinf (a) && isinf (x) ? NAN : 0;
  else if (isinf (x))
    *answer = 1;
  else
    return 0;
  return 1;
}

double
sluice_igamma (double a, double x)
{
  double edge;
  if (gamma_edge (a, x, &edge))
    return edge;
  if (a > LARGE)
    return 1 - gamma_uniform (a, x);
  return x > 1 && x > a ? 1 - gamma_fraction (a, x).value : gamma_series (a, x).value;
}

double
sluice_igammac (double a, double x)
{
  double edge;
  if (gamma_edge (a, x, &edge))
    return 1 - edge;
  if (a > LARGE)
    return gamma_uniform (a, x);
  return x > 1 && x > a ? gamma_fraction (a, x).value : 1 - gamma_series (a, x).value;
}

double
sluice_igamma_grad_a (double a, double x)
{
  double edge;
  if (gamma_edge (a, x, &edge))
    return isnan (edge) ? NAN : 0;
  /* The difference of P (a ± 1/2, x), DLMF 8.8.5: for large a the slope itself to 1/a. */
  if (a > LARGE)
    return -power_over_gamma (a - 0.5, x);
  return x > 1 && x > a ? -gamma_fraction (a, x).slope : gamma_series (a, x).slope;
}

/* ---- incomplete beta function ---- */

/* Its continued fraction (DLMF 8.17.22) by the algorithm of Lentz, as modified by Thompson and
 * Barnett (1986). */
static double
beta_fraction (double a, double b, double x)
{
  const double tiny = 1e-290;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (fabs (d) < tiny ? tiny : d);
  double f = d;
  for (int m = 1; m < MAX_STEPS; m++)
    {
      double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
      double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
      double change = 1;
      for (int part = 0; part < 2; part++)
        {
          double term = part == 0 ? even : odd;
          d = 1 + term * d;
          c = 1 + term / c;
          d = 1 / (fabs (d) < tiny ? tiny : d);
          c = fabs (c) < tiny ? tiny : c;
          change = c * d;
          f *= change;
        }
      if (fabs (change - 1) <= DBL_EPSILON / 2)
        break;
    }
  return f;
}

double
sluice_betainc (double a, double b, double x)
{
  if (!(a > 0) || !(b > 0) || !(x >= 0 && x <= 1))
    return NAN;
  if (x == 0 || x == 1)
    return x;
  double log_beta = sluice_lgamma (a) + sluice_lgamma (b) - sluice_lgamma (a + b);
  double front = exp (a * log (x) + b * log1p (-x) - log_beta);
  /* The fraction converges fast on one side of the mean, and I_x (a, b) = 1 - I_{1-x} (b, a). */
  if (x < (a + 1) / (a + b + 2))
    return front * beta_fraction (a, b, x) / a;
  return 1 - front * beta_fraction (b, a, 1 - x) / b;
}

/* ---- zeta and polygamma ---- */

/* For q up to 0: the negative bases are those of two other sums with their signs turned. */
static double
zeta_left (double s, double q)
{
  double odd = fmod (s, 2), part = q - floor (q);
  if (part == 0)
    return odd == 0 ? INFINITY : NAN;
  if (s != floor (s))
    return NAN;
  double mirror = sluice_zeta (s, 1 - part) - sluice_zeta (s, 1 - q);
  return sluice_zeta (s, part) + (odd == 0 ? mirror : -mirror);
}

/* Euler and Maclaurin's sum (DLMF 25.11.7 in q): a few terms, the integral, and a series with
 * B_2k / (2k)!. */
double
sluice_zeta (double s, double q)
{
  static const double bernoulli[] = { 1. / 12,
                                      -1. / 720,
                                      1. / 30240,
                                      -1. / 1209600,
                                      1. / 47900160,
                                      -691. / 1307674368000.,
                                      1. / 74724249600.,
                                      -3617. / 10670622842880000.,
                                      43867. / 5109094217170944000.,
                                      -174611. / 802857662698291200000. };
  if (s == 1)
    return INFINITY;
  if (!(s > 1) || isnan (q))
    return NAN;
  if (q <= 0)
    return zeta_left (s, q);
  double sum = 0, base = q;
  for (int k = 0; k < 10; k++, base++)
    {
      double term = pow (base, -s);
      sum += term;
      if (fabs (term) <= DBL_EPSILON / 4 * fabs (sum))
        return sum;
    }
  double power = pow (base, -s);
  sum += power * base / (s - 1) + 0.5 * power;
  double factor = s, scale = power / base;
  for (int k = 0; k < 10; k++)
    {
      double term = bernoulli[k] * factor * scale;
      sum += term;
      if (fabs (term) <= DBL_EPSILON / 4 * fabs (sum))
        break;
      factor *= (s + 2 * k + 1) * (s + 2 * k + 2);
      scale /= base * base;
    }
  return sum;
}

/* (-1)^(n+1) n! ζ (n + 1, x): DLMF 25.11.12. */
double
sluice_polygamma (double n, double x)
{
  if (!(n >= 0) || n != floor (n))
    return NAN;
  if (n == 0)
    return sluice_digamma (x);
  double sign = fmod (n, 2) == 0 ? -1 : 1;
  return sign * tgamma (n + 1) * sluice_zeta (n + 1, x);
}
