/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* What recipes cannot say of kernels/math: denormals, refusals and their words, the precision of
 * long sums and ranges, broadcasts collapsed. */
#include <math.h>

#include "kernels/math/broadcast.h"
#include "kernels/registry.h"
#include "tests/kernels/harness.h"

/* Runs one op on values that inference does not see. (transfer full) (nullable) */
static SluiceTensor *
run (const char *op, SluiceTensor *take_x, SluiceTensor *take_y, GError **error)
{
  g_auto (Harness) h = { 0 };
  harness_init (&h, 1, FALSE);
  g_autoptr (SluiceTensor) x = take_x, y = take_y;
  SluiceFeed feeds[] = { { "x:0", x }, { "y:0", y } };
  SluiceEdge inputs[2] = { harness_placeholder (&h, "x", x->dtype) };
  if (y)
    inputs[1] = harness_placeholder (&h, "y", y->dtype);
  harness_add (&h, op, "op", inputs, y ? 2 : 1, NULL, 0);
  return harness_run (&h, "op:0", NULL, feeds, y ? 2 : 1, error);
}

static float
run_floats (const char *op, float x, float y)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) output =
      run (op, sluice_tensor_new_float (x), isnan (y) ? NULL : sluice_tensor_new_float (y), &error);
  g_assert_no_error (error);
  return output->dtype == SLUICE_BOOL ? *(guint8 *) output->data : *(float *) output->data;
}

static void
test_denormals (void)
{
  g_assert_cmpfloat (run_floats ("Equal", 1e-40f, 0), ==, 1);
  g_assert_cmpfloat (run_floats ("Mul", 1e-40f, 1), ==, 0);
  g_assert_cmpfloat (run_floats ("Mul", 1e-30f, 1e-10f), ==, 0);
  g_assert_cmpfloat (run_floats ("Exp", -100, NAN), ==, 0);
  g_assert_cmpfloat (run_floats ("Sigmoid", -100, NAN), ==, 0);
  g_assert_cmpfloat (run_floats ("Log", 1e-40f, NAN), ==, -INFINITY);
  g_assert_cmpfloat (run_floats ("Sin", 1e-40f, NAN), ==, 0);
  g_assert_cmpfloat (run_floats ("Pow", 1e-40f, 0.5f), ==, 0);
}

/* Factors are multiplied in TensorFlow's order, which shows where another would leave the range. */
static void
test_order_of_factors (void)
{
  g_assert_cmpfloat (run_floats ("SigmoidGrad", -0.5f, 2e38f), ==, -1.5e38f);
  g_assert_cmpfloat (run_floats ("SqrtGrad", 3e38f, 3e38f), ==, 0);
  g_assert_cmpfloat (run_floats ("ReciprocalGrad", 1e-30f, 3e38f), ==, 0);
}

static void
test_long_range (void)
{
  g_auto (Harness) h = { 0 };
  harness_init (&h, 1, FALSE);
  const float bounds[] = { -3, 97, 0.1f };
  SluiceEdge inputs[3];
  for (guint i = 0; i < 3; i++)
    inputs[i] = harness_floats (&h, &SLUICE_SHAPE_SCALAR, &bounds[i]);
  harness_add (&h, "Range", "range", inputs, 3, NULL, 0);
  g_autoptr (SluiceTensor) range = harness_fetch (&h, "range:0");
  g_assert_cmpint (range->n_elements, ==, 1000);
  for (gint64 i = 0; i < range->n_elements; i++)
    g_assert_cmpfloat (((const float *) range->data)[i], ==, -3 + (float) i * 0.1f);
}

/* The run fails with that code, and the message holds both words. */
static void
assert_refused (const char *op,
                SluiceTensor *take_x,
                SluiceTensor *take_y,
                int code,
                const char *word,
                const char *other)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) output = run (op, take_x, take_y, &error);
  g_assert_null (output);
  g_assert_error (error, SLUICE_ERROR, code);
  g_assert_nonnull (strstr (error->message, "'op'"));
  g_assert_nonnull (strstr (error->message, word));
  g_assert_nonnull (strstr (error->message, other));
}

static void
test_refusals (void)
{
  SluiceShape three = SLUICE_SHAPE (3), four = SLUICE_SHAPE (4), none = SLUICE_SHAPE (2, 0);
  assert_refused ("Add", sluice_tensor_new_zeros (SLUICE_FLOAT, &three),
                  sluice_tensor_new_zeros (SLUICE_FLOAT, &four), SLUICE_ERROR_INVALID_ARGUMENT,
                  "[3]", "[4]");
  assert_refused ("FloorDiv", sluice_tensor_new_int32 (7), sluice_tensor_new_int32 (0),
                  SLUICE_ERROR_INVALID_ARGUMENT, "division", "zero");
  assert_refused ("Pow", sluice_tensor_new_int32 (7), sluice_tensor_new_int32 (-1),
                  SLUICE_ERROR_INVALID_ARGUMENT, "negative", "power");
  assert_refused ("Sum", sluice_tensor_new_zeros (SLUICE_FLOAT, &three),
                  sluice_tensor_new_int32 (1), SLUICE_ERROR_INVALID_ARGUMENT, "axis 1", "rank 1");
  assert_refused ("ArgMax", sluice_tensor_new_zeros (SLUICE_FLOAT, &none),
                  sluice_tensor_new_int32 (1), SLUICE_ERROR_INVALID_ARGUMENT, "[2,0]", "empty");
}

/* The lowest number over -1 does not fit: it wraps, and the processor must not trap. */
static void
test_lowest_over_minus_one (void)
{
  static const char *const ops[] = { "Div", "FloorDiv", "TruncateDiv" };
  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    {
      g_autoptr (SluiceTensor) output =
          run (ops[i], sluice_tensor_new_int32 (G_MININT32), sluice_tensor_new_int32 (-1), NULL);
      g_assert_cmpint (*(gint32 *) output->data, ==, G_MININT32);
    }
  g_autoptr (SluiceTensor) rest =
      run ("FloorMod", sluice_tensor_new_int32 (G_MININT32), sluice_tensor_new_int32 (-1), NULL);
  g_assert_cmpint (*(gint32 *) rest->data, ==, 0);
}

/* A million floats of 0.1: one after the other would be off in the third digit. */
static void
test_long_sums (void)
{
  const gint64 n = 1000 * 1000;
  SluiceShape shapes[] = { SLUICE_SHAPE (n), SLUICE_SHAPE (n, 1), SLUICE_SHAPE (n / 2, 2) };
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      SluiceTensor *x = sluice_tensor_new_zeros (SLUICE_FLOAT, &shapes[i]);
      for (gint64 k = 0; k < n; k++)
        ((float *) x->data)[k] = 0.1f;
      g_autoptr (SluiceTensor) sum = run ("Sum", x, sluice_tensor_new_int32 (0), NULL);
      double want = (double) 0.1f * (double) (n / sum->n_elements);
      g_assert_cmpfloat_with_epsilon (*(float *) sum->data, want, want * 4e-6);
    }
}

static void
test_collapse (void)
{
  SluiceBroadcast b;
  SluiceShape out, x = SLUICE_SHAPE (2, 3, 4, 5), bias = SLUICE_SHAPE (5);
  g_assert_true (sluice_broadcast_make (&b, (const SluiceShape *[]){ &x, &x }, 2, &out));
  g_assert_cmpint (b.rank, ==, 1);
  g_assert_cmpint (b.dim[0], ==, 120);
  g_assert_true (sluice_broadcast_make (&b, (const SluiceShape *[]){ &x, &bias }, 2, &out));
  g_assert_cmpint (b.rank, ==, 2);
  g_assert_cmpint (b.dim[0], ==, 24);
  g_assert_cmpint (b.step[1][0], ==, 0);
  SluiceShape middle = SLUICE_SHAPE (3, 1, 1);
  g_assert_true (sluice_broadcast_make (&b, (const SluiceShape *[]){ &x, &middle }, 2, &out));
  g_assert_cmpint (b.rank, ==, 3);
  g_assert_cmpint (sluice_broadcast_n_rows (&b), ==, 6);
  g_assert_cmpint (sluice_broadcast_row (&b, 0, 4), ==, 80);
  g_assert_cmpint (sluice_broadcast_row (&b, 1, 4), ==, 1);
  SluiceShape scalar = SLUICE_SHAPE_SCALAR;
  g_assert_true (sluice_broadcast_make (&b, (const SluiceShape *[]){ &scalar, &scalar }, 2, &out));
  g_assert_cmpint (b.rank, ==, 1);
  g_assert_cmpint (b.dim[0], ==, 1);
  SluiceShape wrong = SLUICE_SHAPE (4);
  g_assert_false (sluice_broadcast_make (&b, (const SluiceShape *[]){ &x, &wrong }, 2, &out));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  g_test_add_func ("/kernels/math/denormals", test_denormals);
  g_test_add_func ("/kernels/math/order-of-factors", test_order_of_factors);
  g_test_add_func ("/kernels/math/long-range", test_long_range);
  g_test_add_func ("/kernels/math/refusals", test_refusals);
  g_test_add_func ("/kernels/math/lowest-over-minus-one", test_lowest_over_minus_one);
  g_test_add_func ("/kernels/math/long-sums", test_long_sums);
  g_test_add_func ("/kernels/math/collapse", test_collapse);
  return g_test_run ();
}
