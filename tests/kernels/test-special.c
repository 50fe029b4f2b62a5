/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Special functions against values computed with 30 digits, and at the edges of their domains. */
#include <glib.h>
#include <math.h>

#include "kernels/math/special.h"

typedef struct
{
  double (*one) (double x);
  double (*two) (double x, double y);
  double (*three) (double x, double y, double z);
  double at[3];
  double want;
} Value;

#define ONE(function, x, want)                                                                     \
  {                                                                                                \
    sluice_##function, NULL, NULL, { x }, want                                                     \
  }
#define TWO(function, x, y, want)                                                                  \
  {                                                                                                \
    NULL, sluice_##function, NULL, { x, y }, want                                                  \
  }
#define THREE(function, x, y, z, want)                                                             \
  {                                                                                                \
    NULL, NULL, sluice_##function, { x, y, z }, want                                               \
  }

static double
call (const Value *value)
{
  const double *at = value->at;
  return value->one   ? value->one (at[0])
         : value->two ? value->two (at[0], at[1])
                      : value->three (at[0], at[1], at[2]);
}

static void
check (const Value *values, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      double got = call (&values[i]), want = values[i].want;
      gboolean same = isfinite (want) ? fabs (got - want) <= 1e-12 * fabs (want)
                                      : got == want || (isnan (got) && isnan (want));
      if (!same)
        g_test_fail_printf ("value %u, at %g, %g, %g: %.17g, not %.17g", i, values[i].at[0],
                            values[i].at[1], values[i].at[2], got, want);
    }
}

static void
test_values (void)
{
  static const Value values[] = {
    ONE (digamma, 1, -0.577215664901532861),
    ONE (digamma, 0.25, -4.22745353337626541),
    ONE (digamma, -1.5, 0.703156640645243187),
    ONE (digamma, 10, 2.25175258906672111),
    ONE (digamma, 1e4, 9.2102903711428494),
    TWO (igamma, 0.5, 0.25, 0.520499877813046538),
    TWO (igamma, 3, 2.5, 0.456186884116670482),
    TWO (igamma, 3, 9, 0.993767804893622683),
    TWO (igamma, 40, 38, 0.394080632118893451),
    TWO (igamma, 1e5, 100300, 0.828636311251207648),
    TWO (igammac, 0.5, 0.25, 0.479500122186953462),
    TWO (igammac, 3, 9, 0.00623219510637731725),
    TWO (igammac, 40, 80, 2.80872162604209594e-7),
    TWO (igamma_grad_a, 0.5, 0.25, -0.797947316783222941),
    TWO (igamma_grad_a, 3, 2.5, -0.247117357483268238),
    TWO (igamma_grad_a, 3, 9, -0.00869546641974252588),
    THREE (betainc, 2, 3, 0.25, 0.26171875),
    THREE (betainc, 0.5, 0.5, 0.9, 0.795167235300866572),
    THREE (betainc, 80, 120, 0.4, 0.503841701524247951),
    TWO (zeta, 2, 1, 1.64493406684822644),
    TWO (zeta, 1.5, 0.25, 10.2130553604666007),
    TWO (zeta, 7, 12.5, 5.514770435060372e-8),
    TWO (polygamma, 0, 3, 0.922784335098467139),
    TWO (polygamma, 1, 0.5, 4.93480220054467931),
    TWO (polygamma, 3, 2.25, 0.324544009188396023),
    TWO (polygamma, 2, -1.5, -0.236204051641727403),
  };
  check (values, G_N_ELEMENTS (values));
}

/* What TensorFlow 2.21 answers there. */
static void
test_edges (void)
{
  static const Value values[] = {
    ONE (digamma, 0, NAN),
    ONE (digamma, -1, NAN),
    ONE (digamma, INFINITY, INFINITY),
    TWO (igamma, 0, 1, NAN),
    TWO (igamma, 1, INFINITY, 1),
    TWO (igamma, INFINITY, 1, 0),
    TWO (igamma, 2, -1, NAN),
    TWO (igammac, 1, INFINITY, 0),
    TWO (igammac, 1, 0, 1),
    THREE (betainc, 1, 1, 1.5, NAN),
    THREE (betainc, 0, 1, 0.5, NAN),
    TWO (zeta, 1, 1, INFINITY),
    TWO (zeta, 0.5, 1, NAN),
    TWO (zeta, 2, 0, INFINITY),
    TWO (zeta, 3, -2, NAN),
    TWO (polygamma, 0.5, 1, NAN),
    TWO (polygamma, -1, 1, NAN),
  };
  check (values, G_N_ELEMENTS (values));
}

/* The formulas for large arguments meet those below: both sides of the seam agree. */
static void
test_seam (void)
{
  for (double x = 0.998e6; x < 1.002e6; x += 500)
    {
      double below = sluice_igamma (1e6, x), above = sluice_igamma (nextafter (1e6, 2e6), x);
      g_assert_cmpfloat_with_epsilon (below, above, 2e-11);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/special/values", test_values);
  g_test_add_func ("/kernels/special/edges", test_edges);
  g_test_add_func ("/kernels/special/seam", test_seam);
  return g_test_run ();
}
