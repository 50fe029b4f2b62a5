/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* The three generations of TensorArray in one graph each: what elements hold, what misuse says. */
#include "engine/base/pool.h"
#include "engine/grad/grad.h"
#include "engine/graph/graphdef.h"
#include "tests/kernels/harness.h"

typedef struct
{
  const char *name;
  const char *op[3]; /* of the three generations; NULL: has none */
  const char *rest;  /* inputs and attributes, in GraphDef's text */
} ArrayNode;

#define ONE(op)                                                                                    \
  {                                                                                                \
    op, op, op                                                                                     \
  }
#define INT(name, values)                                                                          \
  {                                                                                                \
    name, ONE ("Const"),                                                                           \
        "attr { key: 'dtype' value { type: DT_INT32 } } attr { key: 'value' value { tensor { "     \
        "dtype: DT_INT32 " values " } } }"                                                         \
  }
#define FLOAT(name, values)                                                                        \
  {                                                                                                \
    name, ONE ("Const"),                                                                           \
        "attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value { tensor { "     \
        "dtype: DT_FLOAT " values " } } }"                                                         \
  }
#define ATTR(key, value) " attr { key: '" key "' value { " value " } }"
#define T                ATTR ("T", "type: DT_FLOAT")
#define DTYPE            ATTR ("dtype", "type: DT_FLOAT")
#define SIZE(n)          "tensor_shape { dim { size: " #n " } } "
#define ALL(what)                                                                                  \
  {                                                                                                \
    "TensorArray" what, "TensorArray" what "V2", "TensorArray" what "V3"                           \
  }

/* What ops there are is looked up by their quoted names. */
static const ArrayNode nodes[] = {
  INT ("zero", "tensor_shape {} int_val: 0"),
  INT ("one", "tensor_shape {} int_val: 1"),
  INT ("two", "tensor_shape {} int_val: 2"),
  INT ("minus", "tensor_shape {} int_val: -1"),
  INT ("both", SIZE (2) "int_val: [1, 0]"),
  FLOAT ("flow", "tensor_shape {} float_val: 0"),
  FLOAT ("x", "tensor_shape { dim { size: 2 } dim { size: 2 } } float_val: [1, 2, 3, 4]"),
  FLOAT ("a", SIZE (2) "float_val: [5, 6]"),
  FLOAT ("long", SIZE (3) "float_val: [5, 6, 7]"),
  { "lengths", ONE ("Const"),
    ATTR ("dtype", "type: DT_INT64")
        ATTR ("value", "tensor { dtype: DT_INT64 " SIZE (2) "int64_val: [0, 2] }") },
  { "array",
    { "TensorArray", "TensorArrayV2", "TensorArrayV3" },
    "input: 'two'" DTYPE ATTR ("clear_after_read", "b: false") },
  { "negative", { "TensorArray", "TensorArrayV2", "TensorArrayV3" }, "input: 'minus'" DTYPE },
  { "write",
    { "TensorArrayWrite", "TensorArrayWriteV2", "TensorArrayWriteV3" },
    "input: ['array', 'one', 'a', 'flow']" T },
  { "twice", ALL ("Write"), "input: ['array', 'one', 'a', 'write']" T },
  { "beyond", ALL ("Write"), "input: ['array', 'two', 'a', 'write']" T },
  { "read",
    { "TensorArrayRead", "TensorArrayReadV2", "TensorArrayReadV3" },
    "input: ['array', 'one', 'write']" DTYPE },
  { "unwritten", ALL ("Read"), "input: ['array', 'zero', 'write']" DTYPE },
  { "of_int", ALL ("Read"), "input: ['array', 'one', 'write']" ATTR ("dtype", "type: DT_INT32") },
  { "size",
    { "TensorArraySize", "TensorArraySizeV2", "TensorArraySizeV3" },
    "input: ['array', 'write']" },
  { "scatter",
    { "TensorArrayScatter", "TensorArrayScatterV2", "TensorArrayScatterV3" },
    "input: ['array', 'both', 'x', 'flow']" T },
  { "gather",
    { "TensorArrayGather", "TensorArrayGatherV2", "TensorArrayGatherV3" },
    "input: ['array', 'both', 'scatter']" DTYPE },
  { "split",
    { "TensorArraySplit", "TensorArraySplitV2", "TensorArraySplitV3" },
    "input: ['array', 'x', 'lengths', 'flow']" T },
  { "concat",
    { "TensorArrayConcat", "TensorArrayConcatV2", "TensorArrayConcatV3" },
    "input: ['array', 'split']" DTYPE },
  { "close",
    { "TensorArrayClose", "TensorArrayCloseV2", "TensorArrayCloseV3" },
    "input: ['array', '^write']" },
  { "closed", ALL ("Size"), "input: ['array', 'write', '^close']" },
  { "grad",
    { "TensorArrayGrad", "TensorArrayGradV2", "TensorArrayGradV3" },
    "input: ['array', 'write']" ATTR ("source", "s: 'g'") },
  { "grad_write", ALL ("Write"), "input: ['grad', 'one', 'a', 'write']" T },
  { "grad_again", ALL ("Write"), "input: ['grad', 'one', 'a', 'grad_write']" T },
  { "grad_long", ALL ("Write"), "input: ['grad', 'one', 'long', 'grad_write']" T },
  { "grad_read", ALL ("Read"), "input: ['grad', 'one', 'grad_again']" DTYPE },
  { "unpack", { "TensorArrayUnpack" }, "input: ['array', 'x', 'flow']" T },
  { "pack", { "TensorArrayPack" }, "input: ['array', 'unpack']" DTYPE },
  { "wide",
    { NULL, NULL, "TensorArrayGradWithShape" },
    "input: ['array', 'write', 'both_sizes']" ATTR ("source", "s: 'w'") },
  { "wide_read", { NULL, NULL, "TensorArrayReadV3" }, "input: ['wide', 'one', 'write']" DTYPE },
  INT ("both_sizes", SIZE (2) "int_val: [3, 1]"),
};

static void
arrays_init (Harness *h, guint generation)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  harness_init (h, 1, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    if (nodes[i].op[generation] != NULL)
      g_string_append_printf (text, "node { name: '%s' op: '%s' %s }", nodes[i].name,
                              nodes[i].op[generation], nodes[i].rest);
  g_autoptr (GBytes) bytes = g_bytes_new (text->str, text->len);
  sluice_graph_import (h->graph, bytes, &error);
  g_assert_no_error (error);
}

static void
assert_floats (Harness *h, const char *fetch, const SluiceShape *shape, const float *want)
{
  g_autoptr (SluiceTensor) got = harness_fetch (h, fetch);
  g_assert_true (sluice_shape_equal (&got->shape, shape));
  for (gint64 i = 0; i < got->n_elements; i++)
    g_assert_cmpfloat (((float *) got->data)[i], ==, want[i]);
}

static void
assert_int (Harness *h, const char *fetch, gint64 want)
{
  g_autoptr (SluiceTensor) got = harness_fetch (h, fetch);
  g_assert_cmpint (sluice_tensor_get_int (got, 0), ==, want);
}

static void
test_values (gconstpointer data)
{
  g_auto (Harness) h = { 0 };
  guint generation = GPOINTER_TO_UINT (data);
  arrays_init (&h, generation);
  for (guint twice = 0; twice < 2; twice++) /* each step has arrays of its own */
    {
      assert_floats (&h, "read", &SLUICE_SHAPE (2), (float[]){ 5, 6 });
      assert_floats (&h, "gather", &SLUICE_SHAPE (2, 2), (float[]){ 1, 2, 3, 4 });
      assert_floats (&h, "concat", &SLUICE_SHAPE (2, 2), (float[]){ 1, 2, 3, 4 });
      assert_floats (&h, "grad_read", &SLUICE_SHAPE (2), (float[]){ 10, 12 });
      assert_int (&h, "size", 2);
    }
  g_autoptr (SluiceTensor) lengths = harness_fetch (&h, "concat:1");
  g_assert_cmpint (sluice_tensor_get_int (lengths, 0), ==, 0);
  g_assert_cmpint (sluice_tensor_get_int (lengths, 1), ==, 2);
  if (generation == 0)
    assert_floats (&h, "pack", &SLUICE_SHAPE (2, 2), (float[]){ 1, 2, 3, 4 });
  if (generation == 2)
    assert_floats (&h, "wide_read", &SLUICE_SHAPE (3, 1, 2), (float[6]){ 0 });
}

static void
test_misuse (gconstpointer data)
{
  static const char *const wrong[] = { "negative", "twice",  "beyond",    "unwritten",
                                       "of_int",   "closed", "grad_long", NULL };
  g_auto (Harness) h = { 0 };
  arrays_init (&h, GPOINTER_TO_UINT (data));
  for (guint i = 0; wrong[i] != NULL; i++)
    {
      harness_fails (&h, wrong[i], NULL, SLUICE_ERROR_INVALID_ARGUMENT);
      assert_int (&h, "size", 2); /* the session goes on */
    }
}

/* An array ends with its step: a name that is kept means nothing afterwards. */
static void
test_stale_name (void)
{
  g_auto (Harness) h = { 0 };
  arrays_init (&h, 1);
  g_autoptr (SluiceTensor) name = harness_fetch (&h, "array");
  g_autoptr (GError) error = NULL;
  SluiceFeed feed = { "array:0", name };
  g_assert_null (harness_run (&h, "size", NULL, &feed, 1, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
}

/* ---- gradients ---- */

#define N_READS 40

/* One element that is read many times: its gradient is a long sum, the same bits on any number of
 * threads. */
static SluiceTensor *
sum_of_reads (guint threads)
{
  g_auto (Harness) h = { 0 };
  g_autoptr (GError) error = NULL;
  sluice_pool_set_threads (threads);
  harness_init (&h, 1, FALSE);
  SluiceEdge x = harness_noise (&h, &SLUICE_SHAPE (1, 20000));
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_bool ("clear_after_read", FALSE) };
  SluiceEdge zero = sluice_builder_const_int32 (&h.b, 0);
  SluiceEdge array =
      sluice_builder_add (&h.b, "TensorArrayV3", "array",
                          (SluiceEdge[]){ sluice_builder_const_int32 (&h.b, 1) }, 1, attrs, 2);
  SluiceEdge indices = sluice_builder_const_ints (&h.b, SLUICE_INT32, (gint64[]){ 0 }, 1);
  SluiceEdge flow =
      sluice_op (&h.b, "TensorArrayScatterV3", array, indices, x, sluice_edge_port (array, 1));
  SluiceEdge ys[N_READS], dys[N_READS], dx;
  for (guint i = 0; i < N_READS; i++)
    {
      ys[i] = sluice_builder_add (&h.b, "TensorArrayReadV3", NULL,
                                  (SluiceEdge[]){ array, zero, flow }, 3, attrs, 1);
      dys[i] = harness_noise (&h, &SLUICE_SHAPE (20000));
    }
  g_assert_true (sluice_builder_finish (&h.b, &error));
  SluiceGrad grad;
  sluice_gradients (h.graph, "gradients", ys, N_READS, dys, &x, 1, &grad, &error);
  g_assert_no_error (error);
  dx = grad.values;
  g_assert_true (sluice_shape_equal (sluice_edge_shape (dx), &SLUICE_SHAPE (1, 20000)));
  return harness_fetch (&h, dx.node->name);
}

static void
test_sums_are_ordered (void)
{
  guint before = sluice_pool_get_threads ();
  g_autoptr (SluiceTensor) want = sum_of_reads (1);
  for (guint round = 0; round < 4; round++)
    {
      g_autoptr (SluiceTensor) got = sum_of_reads (4);
      g_assert_true (sluice_tensor_identical (got, want));
    }
  sluice_pool_set_threads (before);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sluice_registry_init (sluice_kernel_modules ());
  for (guint generation = 0; generation < 3; generation++)
    {
      g_autofree char *values =
          g_strdup_printf ("/kernels/tensor-array/values/v%u", generation + 1);
      g_autofree char *misuse =
          g_strdup_printf ("/kernels/tensor-array/misuse/v%u", generation + 1);
      g_test_add_data_func (values, GUINT_TO_POINTER (generation), test_values);
      g_test_add_data_func (misuse, GUINT_TO_POINTER (generation), test_misuse);
    }
  g_test_add_func ("/kernels/tensor-array/stale-name", test_stale_name);
  g_test_add_func ("/kernels/tensor-array/sums-are-ordered", test_sums_are_ordered);
  return g_test_run ();
}
