/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/difference.h"

#include <math.h>

#define TENSOR(dtype, type, ...)                                                                   \
  sluice_tensor_new_from (dtype, &SLUICE_SHAPE (sizeof ((type[]){ __VA_ARGS__ }) / sizeof (type)), \
                          (type[]){ __VA_ARGS__ })

static SluiceDifference
find (SluiceTensor *take_got, SluiceTensor *take_want, double rtol, double atol)
{
  g_autoptr (SluiceTensor) got = take_got, want = take_want;
  SluiceDifference difference;
  g_assert_null (sluice_tensor_dup_mismatch (got, want));
  sluice_tensor_find_difference (got, want, rtol, atol, &difference);
  return difference;
}

static void
test_float (void)
{
  float up = nextafterf (1, 2), two = nextafterf (nextafterf (-8, 0), 0);
  SluiceDifference d = find (TENSOR (SLUICE_FLOAT, float, 0, up, two, 3),
                             TENSOR (SLUICE_FLOAT, float, 0, 1, -8, 3), 0, 0);
  g_assert_cmpint (d.n_differ, ==, 2);
  g_assert_cmpint (d.n_beyond, ==, 2);
  g_assert_cmpint (d.first_beyond, ==, 1);
  g_assert_cmpuint (d.max_ulp, ==, 2);
  g_assert_cmpfloat (d.max_abs, ==, (double) two + 8);
  g_assert_cmpfloat (d.max_rel, ==, (double) up - 1);
  /* Zeros of both signs are next to the smallest numbers and not apart. */
  d = find (TENSOR (SLUICE_FLOAT, float, -0.0f, 0x1p-149f), TENSOR (SLUICE_FLOAT, float, 0, -0.0f),
            0, 0);
  g_assert_cmpint (d.n_differ, ==, 2);
  g_assert_cmpuint (d.max_ulp, ==, 1);
  g_assert_true (isinf (d.max_rel));
}

static void
test_tolerance (void)
{
  for (guint i = 0; i < 2; i++)
    {
      SluiceDifference d = find (TENSOR (SLUICE_DOUBLE, double, 1, 100.5, -0.0),
                                 TENSOR (SLUICE_DOUBLE, double, 1.25, 100, 0), 0.01, i * 0.25);
      g_assert_cmpint (d.n_differ, ==, 3);
      g_assert_cmpint (d.n_beyond, ==, 1 - i);
      g_assert_cmpint (d.first_beyond, ==, i > 0 ? -1 : 0);
    }
}

static void
test_not_finite (void)
{
  static const double tolerance[] = { 0, 1e300 };
  for (guint i = 0; i < 2; i++)
    {
      SluiceDifference d =
          find (TENSOR (SLUICE_FLOAT, float, NAN, NAN, INFINITY, INFINITY, 1, 2),
                TENSOR (SLUICE_FLOAT, float, -NAN, 1, INFINITY, -INFINITY, NAN, -INFINITY), 0,
                tolerance[i]);
      g_assert_cmpint (d.n_differ, ==, 4);
      g_assert_cmpint (d.n_nan, ==, 2);
      g_assert_cmpint (d.n_infinite, ==, 2);
      g_assert_cmpfloat (d.max_abs, ==, 0);
      g_assert_cmpuint (d.max_ulp, ==, 0);
      g_assert_cmpint (d.first_beyond, ==, 1);
    }
}

static void
test_narrow (void)
{
  SluiceDifference d = find (TENSOR (SLUICE_HALF, guint16, 0x3c00, 0x8001),
                             TENSOR (SLUICE_HALF, guint16, 0x3c03, 0x0001), 0, 0);
  g_assert_cmpint (d.n_differ, ==, 2);
  g_assert_cmpuint (d.max_ulp, ==, 3);
  d = find (TENSOR (SLUICE_BFLOAT16, guint16, 0x3f80), TENSOR (SLUICE_BFLOAT16, guint16, 0x3f81),
            0.01, 0);
  g_assert_cmpuint (d.max_ulp, ==, 1);
  g_assert_cmpfloat (d.max_abs, ==, 0x1p-7);
  g_assert_cmpint (d.n_beyond, ==, 0);
}

/* The error is that of the whole number, the distance that of its worse part. */
static void
test_complex (void)
{
  SluiceDifference d = find (TENSOR (SLUICE_COMPLEX64, float _Complex, 4 + 1.0fi, 1 + 1.0fi),
                             TENSOR (SLUICE_COMPLEX64, float _Complex, 1 - 3.0fi, 1 + 1.0fi), 0, 0);
  g_assert_cmpint (d.n_differ, ==, 1);
  g_assert_cmpfloat (d.max_abs, ==, 5);
  g_assert_cmpuint (d.max_ulp, >, 1u << 24);
}

/* What no double can tell apart. */
static void
test_integers (void)
{
  SluiceDifference d = find (TENSOR (SLUICE_INT64, gint64, G_MAXINT64, G_MININT64),
                             TENSOR (SLUICE_INT64, gint64, G_MAXINT64 - 1, G_MININT64), 0, 0.5);
  g_assert_cmpint (d.n_beyond, ==, 1);
  g_assert_cmpfloat (d.max_abs, ==, 1);
  g_assert_cmpuint (d.max_ulp, ==, 0);
  d = find (TENSOR (SLUICE_UINT8, guint8, 255, 7), TENSOR (SLUICE_UINT8, guint8, 0, 8), 0, 1);
  g_assert_cmpint (d.n_beyond, ==, 1);
  g_assert_cmpint (d.first_beyond, ==, 0);
  g_assert_cmpfloat (d.max_abs, ==, 255);
}

static void
test_strings (void)
{
  SluiceDifference d =
      find (sluice_tensor_new_string ("ab", -1), sluice_tensor_new_string ("ac", -1), 1, 1);
  g_assert_cmpint (d.n_beyond, ==, 1);
  d = find (sluice_tensor_new_string ("", 0), sluice_tensor_new_string ("", 0), 0, 0);
  g_assert_cmpint (d.n_differ, ==, 0);
}

static void
test_mismatch (void)
{
  g_autoptr (SluiceTensor) one = TENSOR (SLUICE_FLOAT, float, 1);
  g_autoptr (SluiceTensor) two = TENSOR (SLUICE_FLOAT, float, 1, 2);
  g_autoptr (SluiceTensor) other = TENSOR (SLUICE_INT32, gint32, 1);
  g_autofree char *shape = sluice_tensor_dup_mismatch (one, two);
  g_autofree char *dtype = sluice_tensor_dup_mismatch (one, other);
  g_assert_cmpstr (shape, ==, "shape [1], want [2]");
  g_assert_cmpstr (dtype, ==, "dtype float, want int32");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/difference/float", test_float);
  g_test_add_func ("/difference/tolerance", test_tolerance);
  g_test_add_func ("/difference/not-finite", test_not_finite);
  g_test_add_func ("/difference/narrow", test_narrow);
  g_test_add_func ("/difference/complex", test_complex);
  g_test_add_func ("/difference/integers", test_integers);
  g_test_add_func ("/difference/strings", test_strings);
  g_test_add_func ("/difference/mismatch", test_mismatch);
  return g_test_run ();
}
