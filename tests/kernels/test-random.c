/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Generators that are variables, and integers that no seed in the graph decides. What TensorFlow
 * draws is in tests/conformance/ops/random. */
#include <string.h>

#include "tests/kernels/harness.h"

enum
{
  N_DRAWN = 9,
};

/* A generator "rng" with its initialiser and "rng/read"; counter and key are words. */
static SluiceEdge
add_generator (Harness *h, const gint64 words[3])
{
  SluiceAttr dtype = sluice_attr_type ("dtype", SLUICE_INT64);
  SluiceEdge rng =
      harness_add (h, "VarHandleOp", "rng", NULL, 0,
                   SLUICE_ATTRS (dtype, sluice_attr_shape ("shape", &SLUICE_SHAPE (3))));
  SluiceEdge value =
      sluice_builder_const (&h->b, sluice_tensor_new_from (SLUICE_INT64, &SLUICE_SHAPE (3), words));
  harness_op (h, "AssignVariableOp", "rng/init", rng, value);
  harness_add (h, "ReadVariableOp", "rng/read", &rng, 1, &dtype, 1);
  return rng;
}

static SluiceEdge
number (Harness *h, SluiceDType dtype, double value)
{
  return sluice_builder_const_number (&h->b, dtype, value);
}

static SluiceEdge
drawn_shape (Harness *h)
{
  return sluice_builder_const_ints (&h->b, SLUICE_INT64, (gint64[]){ N_DRAWN }, 1);
}

/* A draw by a variable is the draw by its key and counter, and leaves the generator where a skip
 * by as many numbers does. */
static void
test_variable (void)
{
  static const gint64 words[3] = { 77, -1, 1234567 };
  g_auto (Harness) h = { 0 };
  harness_init (&h, 1, FALSE);
  SluiceEdge rng = add_generator (&h, words);
  SluiceEdge alg = number (&h, SLUICE_INT64, 1), shape = drawn_shape (&h);
  harness_op (&h, "StatefulUniform", "draw", rng, alg, shape);
  harness_op (&h, "RngSkip", "skip", rng, alg, number (&h, SLUICE_INT64, N_DRAWN));
  SluiceEdge key = sluice_builder_const (
      &h.b, sluice_tensor_new_from (SLUICE_UINT64, &SLUICE_SHAPE (1), words + 2));
  SluiceEdge counter =
      sluice_builder_const (&h.b, sluice_tensor_new_from (SLUICE_UINT64, &SLUICE_SHAPE (2), words));
  harness_op (&h, "StatelessRandomUniformV2", "same", shape, key, counter,
              number (&h, SLUICE_INT32, 1));

  harness_target (&h, "rng/init");
  g_autoptr (SluiceTensor) first = harness_fetch (&h, "draw:0");
  g_autoptr (SluiceTensor) same = harness_fetch (&h, "same:0");
  g_assert_cmpmem (first->data, sluice_tensor_bytes (first), same->data,
                   sluice_tensor_bytes (same));
  g_autoptr (SluiceTensor) drawn = harness_fetch (&h, "rng/read:0");
  g_autoptr (SluiceTensor) second = harness_fetch (&h, "draw:0");
  g_assert_cmpint (memcmp (first->data, second->data, sluice_tensor_bytes (first)), !=, 0);
  harness_target (&h, "rng/init");
  harness_target (&h, "skip");
  g_autoptr (SluiceTensor) skipped = harness_fetch (&h, "rng/read:0");
  g_assert_cmpmem (drawn->data, sluice_tensor_bytes (drawn), skipped->data,
                   sluice_tensor_bytes (skipped));
}

/* A value that was read before a draw stays as it was. */
static void
test_held_value (void)
{
  static const gint64 words[3] = { 0, 0, 5 };
  g_auto (Harness) h = { 0 };
  harness_init (&h, 1, FALSE);
  SluiceEdge rng = add_generator (&h, words);
  harness_op (&h, "RngReadAndSkip", "take", rng, number (&h, SLUICE_INT32, 3),
              number (&h, SLUICE_UINT64, 1));
  harness_fails (&h, "take:0", NULL, SLUICE_ERROR_NOT_FOUND);
  harness_target (&h, "rng/init");
  g_autoptr (SluiceTensor) held = harness_fetch (&h, "rng/read:0");
  g_autoptr (SluiceTensor) before = harness_fetch (&h, "take:0");
  g_autoptr (SluiceTensor) after = harness_fetch (&h, "rng/read:0");
  g_assert_cmpmem (held->data, sizeof words, words, sizeof words);
  g_assert_cmpmem (before->data, sizeof words, words, sizeof words);
  g_assert_cmpint (((const gint64 *) after->data)[0], ==, 256);
}

static SluiceTensor *
draw_seedless (guint64 run_seed, const char *name)
{
  g_auto (Harness) h = { 0 };
  harness_init (&h, run_seed, FALSE);
  harness_op (&h, "NonDeterministicInts", name, drawn_shape (&h));
  g_autofree char *edge = g_strconcat (name, ":0", NULL);
  return harness_fetch (&h, edge);
}

/* The run's seed and the node's name decide, nothing else does. */
static void
test_seedless (void)
{
  g_autoptr (SluiceTensor) a = draw_seedless (7, "a"), again = draw_seedless (7, "a");
  g_autoptr (SluiceTensor) b = draw_seedless (7, "b"), other = draw_seedless (8, "a");
  gsize n = sluice_tensor_bytes (a);
  g_assert_cmpmem (a->data, n, again->data, n);
  g_assert_cmpint (memcmp (a->data, b->data, n), !=, 0);
  g_assert_cmpint (memcmp (a->data, other->data, n), !=, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/random/variable", test_variable);
  g_test_add_func ("/kernels/random/held-value", test_held_value);
  g_test_add_func ("/kernels/random/seedless", test_seedless);
  return g_test_run ();
}
