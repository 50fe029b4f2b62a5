/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include <math.h>
#include <string.h>

#include "engine/base/dtype.h"
#include "engine/base/error.h"

static void
test_names (void)
{
  for (int dtype = 1; dtype < SLUICE_N_DTYPES; dtype++)
    {
      g_assert_cmpint (sluice_dtype_from_name (sluice_dtype_name (dtype)), ==, dtype);
      g_assert_cmpint (sluice_dtype_from_name (sluice_dtype_enum_name (dtype)), ==, dtype);
      int ref = dtype + SLUICE_REF;
      g_assert_cmpint (sluice_dtype_from_name (sluice_dtype_name (ref)), ==, ref);
      g_assert_cmpint (sluice_dtype_from_name (sluice_dtype_enum_name (ref)), ==, ref);
      g_assert_cmpuint (sluice_dtype_size (dtype), >, 0);
      g_assert_cmpuint (sluice_dtype_size (ref), ==, sluice_dtype_size (dtype));
    }
  g_assert_cmpint (sluice_dtype_from_name ("float32"), ==, SLUICE_FLOAT);
  g_assert_cmpint (sluice_dtype_from_name ("float64"), ==, SLUICE_DOUBLE);
  g_assert_cmpint (sluice_dtype_from_name ("flaot"), ==, SLUICE_INVALID);
  g_assert_cmpstr (sluice_dtype_enum_name (SLUICE_INT32 + SLUICE_REF), ==, "DT_INT32_REF");
  g_assert_cmpuint (sluice_dtype_size (99), ==, 0);
}

static void
test_half_round_trip (void)
{
  for (guint bits = 0; bits < 0x10000; bits++)
    {
      float wide = sluice_half_to_float (bits);
      if (isnan (wide))
        g_assert_true (isnan (sluice_half_to_float (sluice_float_to_half (wide))));
      else
        g_assert_cmphex (sluice_float_to_half (wide), ==, bits);
      wide = sluice_bfloat16_to_float (bits);
      if (isnan (wide))
        g_assert_true (isnan (sluice_bfloat16_to_float (sluice_float_to_bfloat16 (wide))));
      else
        g_assert_cmphex (sluice_float_to_bfloat16 (wide), ==, bits);
    }
}

/* The compiler's own conversion is the oracle, where it has one. */
static void
test_half_rounding (void)
{
#ifdef __FLT16_MANT_DIG__
  guint32 bits = 12345;
  for (guint i = 0; i < 2000000; i++)
    {
      float value;
      bits = bits * 1664525 + 1013904223;
      memcpy (&value, &bits, sizeof value);
      if (isnan (value))
        continue;
      _Float16 narrow = (_Float16) value;
      guint16 wanted;
      memcpy (&wanted, &narrow, sizeof wanted);
      if (sluice_float_to_half (value) != wanted)
        g_error ("%a became %04x, not %04x", value, sluice_float_to_half (value), wanted);
    }
#endif
  const struct
  {
    float value;
    guint16 half;
  } known[] = {
    { 65504.0f, 0x7bff }, { 65519.996f, 0x7bff },   { 65520.0f, 0x7c00 },
    { -1e9f, 0xfc00 },    { 0x1p-24f, 0x0001 },     { 0x1p-25f, 0x0000 },
    { 0x1.8p-25f, 1 },    { 0x1.ff8p-15f, 0x03ff }, { 0x1.ffcp-15f, 0x0400 },
    { 1.0f, 0x3c00 },     { 0x1.002p0f, 0x3c00 },   { 0x1.006p0f, 0x3c02 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    g_assert_cmphex (sluice_float_to_half (known[i].value), ==, known[i].half);
  g_assert_cmphex (sluice_float_to_bfloat16 (0x1.01p0f), ==, 0x3f80); /* ties to even */
  g_assert_cmphex (sluice_float_to_bfloat16 (0x1.03p0f), ==, 0x3f82);
  g_assert_cmphex (sluice_float_to_bfloat16 (3.4e38f), ==, 0x7f80);
}

static void
test_error (void)
{
  g_autoptr (GError) error = NULL;
  g_assert_false (sluice_fail (&error, SLUICE_ERROR_OUT_OF_RANGE, "%d of %s", 3, "x"));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_OUT_OF_RANGE);
  g_assert_cmpstr (error->message, ==, "3 of x");
  g_assert_false (sluice_fail (NULL, SLUICE_ERROR_INTERNAL, "nobody listens"));
  g_assert_cmpstr (sluice_error_code_name (3), ==, "INVALID_ARGUMENT");
  g_assert_cmpstr (sluice_error_code_name (15), ==, "DATA_LOSS");
  g_assert_cmpstr (sluice_error_code_name (16), ==, "UNKNOWN");
  g_assert_cmpstr (sluice_error_code_name (-1), ==, "UNKNOWN");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/dtype/names", test_names);
  g_test_add_func ("/base/dtype/half-round-trip", test_half_round_trip);
  g_test_add_func ("/base/dtype/half-rounding", test_half_rounding);
  g_test_add_func ("/base/error", test_error);
  return g_test_run ();
}
