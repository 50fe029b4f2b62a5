/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/statistics.h"

#include <complex.h>
#include <math.h>

#define TENSOR(dtype, type, ...)                                                                   \
  sluice_tensor_new_from (dtype, &SLUICE_SHAPE (sizeof ((type[]){ __VA_ARGS__ }) / sizeof (type)), \
                          (type[]){ __VA_ARGS__ })

static SluiceStatistics
look (SluiceTensor *take)
{
  g_autoptr (SluiceTensor) tensor = take;
  SluiceStatistics statistics;
  g_assert_true (sluice_tensor_get_statistics (tensor, &statistics));
  return statistics;
}

static void
check (SluiceStatistics got, double min, double mean, double max, gint64 zeros, gint64 bad)
{
  g_assert_cmpfloat (got.min, ==, min);
  g_assert_cmpfloat (got.mean, ==, mean);
  g_assert_cmpfloat (got.max, ==, max);
  g_assert_cmpint (got.n_zeros, ==, zeros);
  g_assert_cmpint (got.n_non_finite, ==, bad);
}

/* Of each type; what is not finite counts for itself alone, zeros of both signs are zeros, and
 * denormals are none. */
static void
test_types (void)
{
  const float nan = NAN, inf = INFINITY;
  check (look (TENSOR (SLUICE_FLOAT, float, -1, 0, nan, 4, -0.0f, inf)), -1, 0.75, 4, 2, 2);
  check (look (TENSOR (SLUICE_DOUBLE, double, -1, 0, (double) nan, 4, 0x1p-1074, (double) -inf)),
         -1, 0.75, 4, 1, 2);
  check (look (TENSOR (SLUICE_FLOAT, float, 0x1p-149f, 0x1p-149f)), 0x1p-149, 0x1p-149, 0x1p-149, 0,
         0);
  check (look (TENSOR (SLUICE_HALF, guint16, sluice_float_to_half (2), sluice_float_to_half (-6),
                       0x7c00)),
         -6, -2, 2, 0, 1);
  check (look (TENSOR (SLUICE_BFLOAT16, guint16, sluice_float_to_bfloat16 (2), 0, 0x7f81)), 0, 1, 2,
         1, 1);
  check (look (TENSOR (SLUICE_INT8, gint8, -128, 127, 0, 1)), -128, 0, 127, 1, 0);
  check (look (TENSOR (SLUICE_UINT16, guint16, 65535, 1)), 1, 32768, 65535, 0, 0);
  check (look (TENSOR (SLUICE_INT64, gint64, -5, 7)), -5, 1, 7, 0, 0);
  check (look (TENSOR (SLUICE_BOOL, guint8, 1, 0)), 0, 0.5, 1, 1, 0);
  check (look (TENSOR (SLUICE_COMPLEX64, float complex, 3 + 4 * I, 0)), 0, 2.5, 5, 1, 0);
  check (look (TENSOR (SLUICE_COMPLEX128, double complex, 3 + 4 * I, (double) nan)), 5, 5, 5, 0, 1);
}

static void
test_nothing_finite (void)
{
  SluiceStatistics got = look (TENSOR (SLUICE_FLOAT, float, NAN, INFINITY));
  g_assert_true (isnan (got.min) && isnan (got.mean) && isnan (got.max));
  got = look (sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (0)));
  g_assert_true (isnan (got.mean) && got.n_elements == 0 && got.n_non_finite == 0);
}

/* Lengths around the blocks' and lanes'; against a loop of doubles. */
static void
test_lengths (void)
{
  static const gint64 lengths[] = { 1, 15, 16, 17, 4095, 4096, 4097, 100003 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  for (guint k = 0; k < G_N_ELEMENTS (lengths); k++)
    {
      gint64 n = lengths[k], zeros = 0, bad = 0;
      g_autoptr (SluiceTensor) tensor = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (n));
      float *values = tensor->data;
      double min = INFINITY, max = -INFINITY, sum = 0;
      for (gint64 i = 0; i < n; i++)
        {
          values[i] = g_rand_int_range (rand, 0, 9) == 0 ? (i % 2 ? 0 : NAN)
                                                         : (float) g_rand_double_range (rand, 1, 2);
          zeros += values[i] == 0;
          bad += isnan (values[i]);
          if (isnan (values[i]))
            continue;
          min = MIN (min, (double) values[i]);
          max = MAX (max, (double) values[i]);
          sum += (double) values[i];
        }
      SluiceStatistics got;
      g_assert_true (sluice_tensor_get_statistics (tensor, &got));
      g_assert_cmpint (got.n_zeros, ==, zeros);
      g_assert_cmpint (got.n_non_finite, ==, bad);
      if (bad == n)
        continue;
      g_assert_cmpfloat (got.min, ==, min);
      g_assert_cmpfloat (got.max, ==, max);
      g_assert_cmpfloat_with_epsilon (got.mean, sum / (double) (n - bad), 1e-5);
    }
}

/* Floats whose sum is beyond them have a mean. */
static void
test_large (void)
{
  SluiceStatistics got = look (
      TENSOR (SLUICE_FLOAT, float, 3e38f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3e38f, 0));
  g_assert_cmpfloat_with_epsilon (got.mean, 2 * (double) 3e38f / 18, 1e30);
}

static void
test_no_numbers (void)
{
  g_autoptr (SluiceTensor) text = sluice_tensor_new_string ("a", -1);
  SluiceStatistics got;
  g_assert_false (sluice_tensor_get_statistics (text, &got));
  g_assert_false (sluice_dtype_has_statistics (SLUICE_RESOURCE));
  g_assert_false (sluice_dtype_has_statistics (SLUICE_VARIANT));
  g_assert_true (sluice_dtype_has_statistics (SLUICE_QUINT8));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/statistics/types", test_types);
  g_test_add_func ("/statistics/nothing-finite", test_nothing_finite);
  g_test_add_func ("/statistics/lengths", test_lengths);
  g_test_add_func ("/statistics/large", test_large);
  g_test_add_func ("/statistics/no-numbers", test_no_numbers);
  return g_test_run ();
}
