/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Kernels on values large enough to be cut into chunks: the same bits on any number of threads, and
 * the reference kernel's result but for rounding.
 */
#include <math.h>
#include <string.h>

#include "engine/base/pool.h"
#include "kernels/nn/conv-problem.h"
#include "tests/kernels/harness.h"

static void
check_close (const SluiceTensor *got, const SluiceTensor *want, double tolerance)
{
  const float *a = got->data, *b = want->data;
  double largest = 0;
  g_assert_true (sluice_shape_equal (&got->shape, &want->shape));
  if (tolerance == 0)
    g_assert_cmpmem (a, sluice_tensor_bytes (got), b, sluice_tensor_bytes (want));
  for (gint64 i = 0; i < want->n_elements; i++)
    largest = MAX (largest, fabs ((double) b[i]));
  for (gint64 i = 0; tolerance > 0 && i < want->n_elements; i++)
    g_assert_cmpfloat_with_epsilon (a[i], b[i], tolerance * largest);
}

/* Builds a graph with a node "y" by `build`, and runs it every way. */
static void
check_node (void (*build) (Harness *h), double tolerance)
{
  static const guint threads[] = { 1, 2, 3, 7 };
  g_autoptr (SluiceTensor) alone = NULL;
  guint saved = sluice_pool_get_threads ();
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      g_auto (Harness) h;
      sluice_pool_set_threads (threads[i]);
      harness_init (&h, 1, FALSE);
      build (&h);
      g_autoptr (SluiceTensor) y = harness_fetch (&h, "y:0");
      if (alone == NULL)
        alone = g_steal_pointer (&y);
      else
        g_assert_cmpmem (y->data, sluice_tensor_bytes (y), alone->data,
                         sluice_tensor_bytes (alone));
    }
  g_auto (Harness) h;
  harness_init (&h, 1, TRUE);
  build (&h);
  g_autoptr (SluiceTensor) want = harness_fetch (&h, "y:0");
  check_close (alone, want, tolerance);
  sluice_pool_set_threads (saved);
}

static const struct
{
  gint64 m, k, n;
  gboolean ta, tb;
} products[] = {
  /* Rows are cut, the last tile is a smaller one. */
  { 300, 170, 130, FALSE, FALSE },
  { 300, 170, 130, TRUE, TRUE },
  /* Columns are cut. */
  { 33, 130, 1300, FALSE, FALSE },
  { 33, 130, 1300, TRUE, TRUE },
  /* Squares are cut. */
  { 1100, 40, 30000, FALSE, FALSE },
  /* Few columns, few rows, and b transposed, of which each way of the table is one. */
  { 1000, 400, 10, FALSE, TRUE },
  { 1000, 400, 10, FALSE, FALSE },
  { 50, 700, 10, TRUE, FALSE },
  /* The sum is cut. */
  { 150, 1500, 600, TRUE, FALSE },
  { 12, 90, 1100, FALSE, FALSE },
  { 65, 200, 1300, FALSE, TRUE },
  /* A large b, transposed: few rows, and many. */
  { 60, 500, 1300, FALSE, TRUE },
  { 1300, 500, 1300, FALSE, TRUE },
};
static guint product; /* that build_product() makes */

static void
build_product (Harness *h)
{
  gint64 m = products[product].m, k = products[product].k, n = products[product].n;
  gboolean ta = products[product].ta, tb = products[product].tb;
  SluiceEdge inputs[] = { harness_noise (h, ta ? &SLUICE_SHAPE (k, m) : &SLUICE_SHAPE (m, k)),
                          harness_noise (h, tb ? &SLUICE_SHAPE (n, k) : &SLUICE_SHAPE (k, n)) };
  harness_add (
      h, "MatMul", "y", inputs, 2,
      SLUICE_ATTRS (sluice_attr_bool ("transpose_a", ta), sluice_attr_bool ("transpose_b", tb)));
}

static void
test_products (void)
{
  for (product = 0; product < G_N_ELEMENTS (products); product++)
    check_node (build_product, 1e-5);
}

static SluiceEdge
sizes (Harness *h, const SluiceShape *shape)
{
  return sluice_builder_const_ints (&h->b, SLUICE_INT32, shape->dim, 4);
}

/* A batch of 37 that the chunks do not divide evenly. stride 2: of one pixel of every second. */
static void
add_convolution (Harness *h, int kind, const char *format, gint64 stride)
{
  gboolean nchw = g_str_equal (format, "NCHW");
  gint64 height = stride > 1 ? 8 : 15, width = stride > 1 ? 7 : 13;
  SluiceShape x = nchw ? SLUICE_SHAPE (37, 8, 15, 13) : SLUICE_SHAPE (37, 15, 13, 8);
  SluiceShape y =
      nchw ? SLUICE_SHAPE (37, 24, height, width) : SLUICE_SHAPE (37, height, width, 24);
  SluiceShape filter = stride > 1 ? SLUICE_SHAPE (1, 1, 8, 24) : SLUICE_SHAPE (5, 3, 8, 24);
  static const char *const ops[] = { "Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter" };
  SluiceEdge inputs[3] = { kind == 1 ? sizes (h, &x) : harness_noise (h, &x),
                           kind == 2 ? sizes (h, &filter) : harness_noise (h, &filter) };
  if (kind > 0)
    inputs[2] = harness_noise (h, &y);
  SluiceAttrValue one = { .kind = SLUICE_ATTR_INT, .i = 1 };
  SluiceAttrValue step = { .kind = SLUICE_ATTR_INT, .i = stride };
  SluiceAttrValue steps[] = { one, nchw ? one : step, step, nchw ? step : one };
  SluiceAttrValue strides = { .kind = SLUICE_ATTR_LIST,
                              .list_kind = SLUICE_ATTR_INT,
                              .list = { steps, 4 } };
  harness_add (h, ops[kind], "y", inputs, kind ? 3 : 2,
               SLUICE_ATTRS (sluice_attr_value ("strides", &strides),
                             sluice_attr_string ("padding", "SAME"),
                             sluice_attr_string ("data_format", format)));
}

#define CONVOLUTION(name, kind, format, stride)                                                    \
  static void name (Harness *h)                                                                    \
  {                                                                                                \
    add_convolution (h, kind, format, stride);                                                     \
  }
CONVOLUTION (build_forward, 0, "NHWC", 1)
CONVOLUTION (build_backprop_input, 1, "NHWC", 1)
CONVOLUTION (build_backprop_filter, 2, "NHWC", 1)
CONVOLUTION (build_forward_planes, 0, "NCHW", 1)
CONVOLUTION (build_backprop_input_planes, 1, "NCHW", 1)
CONVOLUTION (build_backprop_filter_planes, 2, "NCHW", 1)
CONVOLUTION (build_forward_points, 0, "NHWC", 2)
CONVOLUTION (build_backprop_input_points, 1, "NHWC", 2)
CONVOLUTION (build_backprop_filter_points, 2, "NHWC", 2)

/* Steps of one and whole vectors of channels, which is computed as a gradient; with a bias and a
 * Relu, which take its chunks. */
static void
add_mirrored (Harness *h, gint64 channels, const char *padding)
{
  SluiceAttrValue one = { .kind = SLUICE_ATTR_INT, .i = 1 };
  SluiceAttrValue steps[] = { one, one, one, one };
  SluiceAttrValue strides = { .kind = SLUICE_ATTR_LIST,
                              .list_kind = SLUICE_ATTR_INT,
                              .list = { steps, 4 } };
  SluiceEdge inputs[] = { harness_noise (h, &SLUICE_SHAPE (37, 11, 14, channels)),
                          harness_noise (h, &SLUICE_SHAPE (4, 3, channels, channels)) };
  SluiceEdge conv = harness_add (h, "Conv2D", "conv", inputs, 2,
                                 SLUICE_ATTRS (sluice_attr_value ("strides", &strides),
                                               sluice_attr_string ("padding", padding)));
  SluiceEdge biased =
      harness_op (h, "BiasAdd", "biased", conv, harness_noise (h, &SLUICE_SHAPE (channels)));
  harness_op (h, "Relu", "y", biased);
}

static void
build_mirrored (Harness *h)
{
  add_mirrored (h, 16, "SAME");
}

static void
build_mirrored_valid (Harness *h)
{
  add_mirrored (h, 32, "VALID");
}

static void
test_convolutions (void)
{
  check_node (build_mirrored, 1e-5);
  check_node (build_mirrored_valid, 1e-5);
  check_node (build_forward, 1e-5);
  check_node (build_backprop_input, 1e-5);
  check_node (build_backprop_filter, 1e-5);
  check_node (build_forward_planes, 1e-5);
  check_node (build_backprop_input_planes, 1e-5);
  check_node (build_backprop_filter_planes, 1e-5);
  check_node (build_forward_points, 1e-5);
  check_node (build_backprop_input_points, 1e-5);
  check_node (build_backprop_filter_points, 1e-5);
}

/* A chunk of large images is one image, for a run that is cancelled waits for its end; else a batch
 * is cut into a few. A filter that is larger than images has few gradients. */
static void
test_cut_convolution (void)
{
  static const struct
  {
    SluiceConvKind kind;
    gint64 batch, size, channels, part, n_parts;
  } cases[] = {
    { SLUICE_CONV_FORWARD, 512, 128, 64, 1, 512 },
    { SLUICE_CONV_BACKPROP_INPUT, 512, 128, 64, 1, 512 },
    { SLUICE_CONV_BACKPROP_FILTER, 512, 128, 64, 1, 512 },
    { SLUICE_CONV_FORWARD, 512, 64, 64, 4, 128 },
    { SLUICE_CONV_FORWARD, 64, 16, 64, 4, 16 },
    { SLUICE_CONV_FORWARD, 512, 4, 1024, 4, 128 },
    { SLUICE_CONV_BACKPROP_FILTER, 512, 4, 1024, 86, 6 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gint64 size = cases[i].size, channels = cases[i].channels, n_parts;
      SluiceConv conv = { .batch = cases[i].batch,
                          .channels = channels,
                          .depth = channels,
                          .out_channels = channels,
                          .place = { { 1, size, size }, { 1, 5, 5 }, { 1, size, size } } };
      g_assert_cmpint (sluice_conv_cut (cases[i].kind, &conv, &n_parts), ==, cases[i].part);
      g_assert_cmpint (n_parts, ==, cases[i].n_parts);
    }
}

/* ---- LSTM: rows of the batch, and steps, are cut ---- */

enum
{
  STEPS = 40,
  ROWS = 40,
  INPUT = 24,
};
/* Weights that fit a cache, and larger ones. */
static const gint64 cells[] = { 72, 216 };
static gint64 cell; /* the one that is tested */

/* What the steps of a sequence share: w, wci, wcf, wco, b. */
static void
add_weights (Harness *h, SluiceEdge weights[5])
{
  weights[0] = harness_noise (h, &SLUICE_SHAPE (INPUT + cell, 4 * cell));
  for (int i = 1; i < 4; i++)
    weights[i] = harness_noise (h, &SLUICE_SHAPE (cell));
  weights[4] = harness_noise (h, &SLUICE_SHAPE (4 * cell));
}

static SluiceEdge
add_lstm (Harness *h,
          const char *name,
          gint64 steps,
          SluiceEdge x,
          SluiceEdge cs,
          SluiceEdge state,
          const SluiceEdge weights[5])
{
  SluiceEdge length = sluice_builder_const_number (&h->b, SLUICE_INT64, steps);
  SluiceEdge inputs[] = { length,     x,          cs,         state,     weights[0],
                          weights[1], weights[2], weights[3], weights[4] };
  return harness_add (h, "BlockLSTM", name, inputs, G_N_ELEMENTS (inputs),
                      SLUICE_ATTRS (sluice_attr_bool ("use_peephole", TRUE)));
}

/* Steps [begin, begin + n) of a sequence of values. */
static SluiceEdge
slice_steps (Harness *h, const char *name, SluiceEdge value, gint64 begin, gint64 n)
{
  const gint64 from[] = { begin, 0, 0 }, size[] = { n, -1, -1 };
  return harness_op (h, "Slice", name, value,
                     sluice_builder_const_ints (&h->b, SLUICE_INT64, from, 3),
                     sluice_builder_const_ints (&h->b, SLUICE_INT64, size, 3));
}

static SluiceEdge
state_after (Harness *h, const char *name, SluiceEdge value, gint64 step)
{
  const gint64 shape[] = { ROWS, cell };
  g_autofree char *inner = g_strconcat (name, "/step", NULL);
  return harness_op (h, "Reshape", name, slice_steps (h, inner, value, step, 1),
                     sluice_builder_const_ints (&h->b, SLUICE_INT64, shape, 2));
}

static SluiceEdge
add_whole_lstm (Harness *h, const char *name, SluiceEdge weights[5])
{
  SluiceEdge x = harness_noise (h, &SLUICE_SHAPE (STEPS, ROWS, INPUT));
  SluiceEdge cs = harness_noise (h, &SLUICE_SHAPE (ROWS, cell));
  SluiceEdge state = harness_noise (h, &SLUICE_SHAPE (ROWS, cell));
  add_weights (h, weights);
  return add_lstm (h, name, STEPS, x, cs, state, weights);
}

static void
build_lstm (Harness *h)
{
  SluiceEdge weights[5];
  add_whole_lstm (h, "y", weights);
}

/* Its gradient; `port` becomes y. */
static void
add_lstm_gradient (Harness *h, guint port)
{
  SluiceEdge weights[5], forward = add_whole_lstm (h, "forward", weights), inputs[18];
  for (guint i = 0; i < 9; i++)
    inputs[i] = forward.node->inputs[i];
  for (guint i = 0; i < 7; i++)
    inputs[9 + i] = sluice_edge_port (forward, i);
  inputs[16] = harness_noise (h, &SLUICE_SHAPE (STEPS, ROWS, cell));
  inputs[17] = harness_noise (h, &SLUICE_SHAPE (STEPS, ROWS, cell));
  SluiceEdge grad = harness_add (h, "BlockLSTMGrad", "grad", inputs, G_N_ELEMENTS (inputs),
                                 SLUICE_ATTRS (sluice_attr_bool ("use_peephole", TRUE)));
  harness_op (h, "Identity", "y", sluice_edge_port (grad, port));
}
static void
build_lstm_input_gradient (Harness *h)
{
  add_lstm_gradient (h, 0);
}
static void
build_lstm_weight_gradient (Harness *h)
{
  add_lstm_gradient (h, 3);
}

static void
build_lstm_bias_gradient (Harness *h)
{
  add_lstm_gradient (h, 7);
}

/* A sequence, and its two parts one after the other: their products have other shapes, for which a
 * library may round otherwise. */
static void
check_lstm_parts (void)
{
  g_auto (Harness) h;
  const gint64 first = 33;
  SluiceEdge weights[5], whole;
  harness_init (&h, 1, FALSE);
  whole = add_whole_lstm (&h, "whole", weights);
  SluiceEdge x = whole.node->inputs[1];
  add_lstm (&h, "second", STEPS - first, slice_steps (&h, "x", x, first, STEPS - first),
            state_after (&h, "cs", sluice_edge_port (whole, 1), first - 1),
            state_after (&h, "h", sluice_edge_port (whole, 6), first - 1), weights);
  slice_steps (&h, "end", sluice_edge_port (whole, 6), first, STEPS - first);
  g_autoptr (SluiceTensor) want = harness_fetch (&h, "end:0");
  g_autoptr (SluiceTensor) got = harness_fetch (&h, "second:6");
  check_close (got, want, 1e-6);
}

/* Each output, where nobody reads the others and where somebody does. */
static void
check_lstm_outputs (void)
{
  g_auto (Harness) h;
  SluiceEdge weights[5], outputs[7];
  harness_init (&h, 1, FALSE);
  SluiceEdge lstm = add_whole_lstm (&h, "lstm", weights);
  for (guint i = 0; i < 7; i++)
    outputs[i] = sluice_edge_port (lstm, i);
  harness_add (&h, "Pack", "all", outputs, 7, NULL, 0);
  g_autoptr (SluiceTensor) all = harness_fetch (&h, "all:0");
  gsize bytes = sluice_tensor_bytes (all) / 7;
  for (guint i = 0; i < 7; i++)
    {
      g_autofree char *edge = g_strdup_printf ("lstm:%u", i);
      g_autoptr (SluiceTensor) alone = harness_fetch (&h, edge);
      g_assert_cmpmem (alone->data, sluice_tensor_bytes (alone), (char *) all->data + i * bytes,
                       bytes);
    }
}

static SluiceEdge
gate (Harness *h, const char *kind, SluiceEdge value, SluiceEdge peephole, SluiceEdge state)
{
  SluiceEdge seen = harness_op (h, "Mul", NULL, peephole, state);
  return harness_op (h, kind, NULL, harness_op (h, "AddV2", NULL, value, seen));
}

/* The first step by the formula, node by node. */
static void
check_lstm_formula (void)
{
  g_auto (Harness) h;
  SluiceEdge w[5];
  harness_init (&h, 1, FALSE);
  SluiceEdge lstm = add_whole_lstm (&h, "lstm", w), cs = lstm.node->inputs[2];
  const gint64 shape[] = { ROWS, INPUT };
  SluiceEdge axis = sluice_builder_const_number (&h.b, SLUICE_INT32, 1);
  SluiceEdge x = harness_op (&h, "Reshape", "x", slice_steps (&h, "x0", lstm.node->inputs[1], 0, 1),
                             sluice_builder_const_ints (&h.b, SLUICE_INT64, shape, 2));
  SluiceEdge xh = harness_op (&h, "ConcatV2", "xh", x, lstm.node->inputs[3], axis);
  SluiceEdge gates =
      harness_op (&h, "BiasAdd", "gates", harness_op (&h, "MatMul", "product", xh, w[0]), w[4]);
  const SluiceEdge split_inputs[] = { axis, gates };
  SluiceEdge part = harness_add (&h, "Split", "part", split_inputs, 2,
                                 SLUICE_ATTRS (sluice_attr_int ("num_split", 4)));
  SluiceEdge one = sluice_builder_const_number (&h.b, SLUICE_FLOAT, 1);
  SluiceEdge forget = harness_op (&h, "AddV2", "forget", sluice_edge_port (part, 2), one);
  SluiceEdge ci = harness_op (&h, "Tanh", "ci", sluice_edge_port (part, 1));
  SluiceEdge in = harness_op (&h, "Mul", "in", gate (&h, "Sigmoid", part, w[1], cs), ci);
  SluiceEdge kept = harness_op (&h, "Mul", "kept", gate (&h, "Sigmoid", forget, w[2], cs), cs);
  SluiceEdge sum = harness_op (&h, "AddV2", "sum", in, kept);
  SluiceEdge out = gate (&h, "Sigmoid", sluice_edge_port (part, 3), w[3], sum);
  harness_op (&h, "Mul", "want", out, harness_op (&h, "Tanh", "co", sum));
  state_after (&h, "got", sluice_edge_port (lstm, 6), 0);
  g_autoptr (SluiceTensor) want = harness_fetch (&h, "want:0");
  g_autoptr (SluiceTensor) got = harness_fetch (&h, "got:0");
  check_close (got, want, 1e-5);
}

static void
test_lstm (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cells); i++)
    {
      cell = cells[i];
      check_node (build_lstm, 1e-5);
      check_node (build_lstm_input_gradient, 1e-5);
      check_node (build_lstm_weight_gradient, 1e-5);
      check_node (build_lstm_bias_gradient, 1e-5);
      check_lstm_parts ();
      check_lstm_outputs ();
      check_lstm_formula ();
    }
}

static void
build_bias_grad (Harness *h)
{
  harness_op (h, "BiasAddGrad", "y", harness_noise (h, &SLUICE_SHAPE (20000, 17)));
}

static void
build_softmax (Harness *h)
{
  harness_op (h, "Softmax", "y", harness_noise (h, &SLUICE_SHAPE (1000, 33)));
}

static void
build_random (Harness *h)
{
  gint64 size = 30001;
  SluiceEdge shape = sluice_builder_const_ints (&h->b, SLUICE_INT32, &size, 1);
  harness_add (
      h, "TruncatedNormal", "y", &shape, 1,
      SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT), sluice_attr_int ("seed", 3)));
}

static void
test_others (void)
{
  check_node (build_bias_grad, 1e-5);
  check_node (build_softmax, 0);
  check_node (build_random, 0);
}

/* Rows that fill no vector; 13 of 10 are one more than are taken at once. A bias added is a sum
 * that broadcasts, its gradient a sum over rows. */
static void
test_narrow_biases (void)
{
  static const gint64 shapes[][2] = { { 3, 10 }, { 13, 10 }, { 5, 32 }, { 37, 17 }, { 2, 256 } };
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_auto (Harness) h;
      harness_init (&h, 1, FALSE);
      SluiceEdge x = harness_noise (&h, &SLUICE_SHAPE (shapes[i][0], shapes[i][1]));
      SluiceEdge bias = harness_noise (&h, &SLUICE_SHAPE (shapes[i][1]));
      harness_op (&h, "BiasAdd", "biased", x, bias);
      harness_op (&h, "Add", "added", x, bias);
      harness_op (&h, "BiasAddGrad", "gradient", x);
      harness_op (&h, "Sum", "sum", x, sluice_builder_const_int32 (&h.b, 0));
      g_autoptr (SluiceTensor) biased = harness_fetch (&h, "biased:0");
      g_autoptr (SluiceTensor) added = harness_fetch (&h, "added:0");
      g_autoptr (SluiceTensor) gradient = harness_fetch (&h, "gradient:0");
      g_autoptr (SluiceTensor) sum = harness_fetch (&h, "sum:0");
      check_close (biased, added, 0);
      check_close (gradient, sum, 1e-5);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/chunks/products", test_products);
  g_test_add_func ("/kernels/chunks/convolutions", test_convolutions);
  g_test_add_func ("/kernels/chunks/cut-convolution", test_cut_convolution);
  g_test_add_func ("/kernels/chunks/lstm", test_lstm);
  g_test_add_func ("/kernels/chunks/others", test_others);
  g_test_add_func ("/kernels/chunks/narrow-biases", test_narrow_biases);
  return g_test_run ();
}
