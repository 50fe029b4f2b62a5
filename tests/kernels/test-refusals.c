/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Wrong attributes and values: refused with a message that says what is wrong, and nothing is lost.
 */
#include <math.h>
#include <string.h>

#include "tests/kernels/harness.h"

static SluiceAttrValue
list_of (SluiceAttrValue items[4], const gint64 *values, guint n)
{
  for (guint i = 0; i < n; i++)
    items[i] = (SluiceAttrValue){ .kind = SLUICE_ATTR_INT, .i = values[i] };
  return (SluiceAttrValue){ .kind = SLUICE_ATTR_LIST,
                            .list_kind = SLUICE_ATTR_INT,
                            .list = { items, n } };
}

/* The graph refuses the node with INVALID_ARGUMENT and words that contain `word`. */
static void
refuses (Harness *h,
         const char *op,
         const SluiceEdge *inputs,
         guint n,
         const SluiceAttr *attrs,
         guint n_attrs,
         const char *word)
{
  sluice_builder_add (&h->b, op, NULL, inputs, n, attrs, n_attrs);
  g_assert_error (h->b.error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  if (!strstr (h->b.error->message, word))
    g_test_fail_printf ("'%s' does not mention '%s'", h->b.error->message, word);
  g_clear_error (&h->b.error);
}

static void
test_convolution_attributes (void)
{
  static const struct
  {
    gint64 strides[4], dilations[4];
    guint n_strides;
    const char *word;
  } cases[] = {
    { { 1, 1, 1 }, { 1, 1, 1, 1 }, 3, "4 sizes, not 3" },
    { { 1, 0, 1, 1 }, { 1, 1, 1, 1 }, 4, "positive" },
    { { 2, 1, 1, 1 }, { 1, 1, 1, 1 }, 4, "batch" },
    { { 1, 1, 1, 1 }, { 1, G_MAXINT64, 1, 1 }, 4, "too large" },
    { { 1, 1, 1, 1 }, { 1, 1, 9, 1 }, 4, "does not fit" },
  };
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  SluiceEdge inputs[] = { harness_noise (&h, &SLUICE_SHAPE (1, 4, 4, 2)),
                          harness_noise (&h, &SLUICE_SHAPE (2, 2, 2, 3)) };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SluiceAttrValue s[4], d[4];
      SluiceAttrValue strides = list_of (s, cases[i].strides, cases[i].n_strides);
      SluiceAttrValue dilations = list_of (d, cases[i].dilations, 4);
      refuses (&h, "Conv2D", inputs, 2,
               SLUICE_ATTRS (sluice_attr_value ("strides", &strides),
                             sluice_attr_value ("dilations", &dilations),
                             sluice_attr_string ("padding", "VALID")),
               cases[i].word);
    }
}

static void
test_shapes (void)
{
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  SluiceEdge a = harness_noise (&h, &SLUICE_SHAPE (2, 3));
  SluiceEdge v = harness_noise (&h, &SLUICE_SHAPE (4));
  refuses (&h, "MatMul", (SluiceEdge[]){ a, a }, 2, NULL, 0, "a is [2,3], b is [2,3]");
  refuses (&h, "MatMul", (SluiceEdge[]){ a, v }, 2, NULL, 0, "[4]");
  refuses (&h, "BiasAdd", (SluiceEdge[]){ a, v }, 2, NULL, 0, "3 channels, the bias 4");
  refuses (&h, "Softmax", (SluiceEdge[]){ harness_noise (&h, &SLUICE_SHAPE_SCALAR) }, 1, NULL, 0,
           "Softmax");
}

/* The run fails with INVALID_ARGUMENT and words that contain `word`. */
static void
run_refuses (Harness *h, const char *target, const SluiceFeed *feed, const char *word)
{
  g_autoptr (GError) error = NULL;
  harness_run (h, NULL, target, feed, 1, &error);
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  if (!strstr (error->message, target) || !strstr (error->message, word))
    g_test_fail_printf ("'%s' does not mention '%s' and '%s'", error->message, target, word);
}

static void
test_values (void)
{
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  g_autoptr (SluiceTensor) labels =
      sluice_tensor_new_from (SLUICE_INT32, &SLUICE_SHAPE (2), (gint32[]){ 1, 3 });
  g_autoptr (SluiceTensor) sizes =
      sluice_tensor_new_from (SLUICE_INT32, &SLUICE_SHAPE (2), (gint32[]){ 1, -3 });
  g_autoptr (SluiceTensor) nan = sluice_tensor_new_float (NAN);
  SluiceEdge in = harness_placeholder (&h, "in", SLUICE_INT32);
  SluiceEdge x = harness_placeholder (&h, "x", SLUICE_FLOAT);
  harness_op (&h, "SparseSoftmaxCrossEntropyWithLogits", "loss",
              harness_noise (&h, &SLUICE_SHAPE (2, 3)), in);
  harness_add (&h, "RandomUniform", "random", &in, 1,
               SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT)));
  harness_add (&h, "CheckNumerics", "check", &x, 1,
               SLUICE_ATTRS (sluice_attr_string ("message", "the loss")));
  run_refuses (&h, "loss", &(SluiceFeed){ "in:0", labels }, "label 3 at 1");
  run_refuses (&h, "random", &(SluiceFeed){ "in:0", sizes }, "-3");
  run_refuses (&h, "check", &(SluiceFeed){ "x:0", nan }, "the loss : Tensor had NaN");
}

/* Told at once: two thousand million classes without a weight are counted, not listed. */
static void
test_reserved_classes (void)
{
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  g_autoptr (SluiceTensor) classes =
      sluice_tensor_new_from (SLUICE_INT64, &SLUICE_SHAPE (1, 1), (gint64[]){ 0 });
  SluiceEdge in = harness_placeholder (&h, "in", SLUICE_INT64);
  SluiceAttrValue weight = { .kind = SLUICE_ATTR_FLOAT, .f = 1 };
  SluiceAttrValue weights = { .kind = SLUICE_ATTR_LIST,
                              .list_kind = SLUICE_ATTR_FLOAT,
                              .list = { &weight, 1 } };
  harness_add (
      &h, "FixedUnigramCandidateSampler", "sampler", &in, 1,
      SLUICE_ATTRS (sluice_attr_int ("num_true", 1), sluice_attr_int ("num_sampled", 1),
                    sluice_attr_bool ("unique", FALSE), sluice_attr_int ("range_max", G_MAXINT32),
                    sluice_attr_int ("num_reserved_ids", G_MAXINT32),
                    sluice_attr_int ("num_shards", 2), { .name = "unigrams", .value = weights }));
  run_refuses (&h, "sampler", &(SluiceFeed){ "in:0", classes }, "there are 1073741825 weights");
}

/* JSON that a parser which calls itself would not come back from. */
static void
test_deep_json (void)
{
  g_auto (Harness) h;
  harness_init (&h, 1, FALSE);
  g_autofree char *brackets = g_strnfill (1000000, '[');
  g_autoptr (SluiceTensor) deep = sluice_tensor_new_string (brackets, -1);
  SluiceEdge in = harness_placeholder (&h, "in", SLUICE_STRING);
  harness_op (&h, "DecodeJSONExample", "json", in);
  run_refuses (&h, "json", &(SluiceFeed){ "in:0", deep }, "nested too deep");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/refusals/convolution-attributes", test_convolution_attributes);
  g_test_add_func ("/kernels/refusals/shapes", test_shapes);
  g_test_add_func ("/kernels/refusals/values", test_values);
  g_test_add_func ("/kernels/refusals/reserved-classes", test_reserved_classes);
  g_test_add_func ("/kernels/refusals/deep-json", test_deep_json);
  return g_test_run ();
}
