/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Looks at outputs while steps run: what is seen, where there is nothing to see, and that no run
 * notices. */
#include "engine/graph/graphdef.h"
#include "tests/engine/runtime/fixture.h"

#include <string.h>

static SluiceEdge
placeholder (Fixture *f, const char *name, const SluiceShape *shape)
{
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_shape ("shape", shape) };
  return sluice_builder_add (&f->b, "Placeholder", name, NULL, 0, attrs, 2);
}

static SluiceWatch *
watch (Fixture *f, const char *edge)
{
  g_autoptr (GError) error = NULL;
  SluiceWatch *watch = sluice_session_watch (f->session, edge, &error);
  g_assert_no_error (error);
  return watch;
}

static SluiceTensor *
run (Fixture *f, const char *fetch, SluiceTensor *x, guint64 step)
{
  g_autoptr (GError) error = NULL;
  const SluiceFeed feeds[] = { { "x:0", x } };
  const SluiceStepNames names = {
    .feeds = feeds, .n_feeds = x != NULL, .fetches = &fetch, .n_fetches = 1
  };
  SluiceTensor *output = NULL;
  sluice_session_run (f->session, &names, &output, &(SluiceRunOptions){ .step = step }, &error);
  g_assert_no_error (error);
  return output;
}

/* A look every four hundred times as long as one took: waits until the next is due. */
static void
run_until (Fixture *f, const char *fetch, SluiceTensor *x, SluiceWatch *watch, guint64 n_looks)
{
  static guint64 step = 1000;
  SluiceWatchReport report;
  do
    {
      g_autoptr (SluiceTensor) output = run (f, fetch, x, ++step);
      sluice_watch_read (watch, &report);
    }
  while (report.n_looks < n_looks);
}

static SluiceTensor *
vector (gint64 n, float first)
{
  SluiceTensor *tensor = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (n));
  for (gint64 i = 0; i < n; i++)
    ((float *) tensor->data)[i] = first + (float) i;
  return tensor;
}

static void
test_values (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge x = placeholder (&f, "x", &SLUICE_SHAPE_UNKNOWN);
  SluiceEdge y = sluice_builder_add (&f.b, "Relu", "y", &x, 1, NULL, 0);
  sluice_builder_add (&f.b, "Softmax", "z", &y, 1, NULL, 0);
  fixture_extend (&f);
  SluiceWatch *of_y = watch (&f, "y:0"), *of_x = watch (&f, "x:0");
  SluiceWatchReport report;
  sluice_watch_read (of_y, &report);
  g_assert_cmpint (report.status, ==, SLUICE_WATCH_WAITS);
  g_autoptr (SluiceTensor) fed = vector (8, -2);
  g_autoptr (SluiceTensor) output = run (&f, "z:0", fed, 7);
  sluice_watch_read (of_y, &report);
  g_assert_cmpint (report.status, ==, SLUICE_WATCH_VALUES);
  g_assert_cmpuint (report.n, ==, 1);
  g_assert_cmpuint (report.looks[0].step, ==, 7);
  g_assert_cmpint (report.looks[0].iteration, ==, -1);
  g_assert_cmpfloat (report.looks[0].values.max, ==, 5);
  g_assert_cmpfloat (report.looks[0].values.mean, ==, 15.0 / 8);
  g_assert_cmpint (report.looks[0].values.n_zeros, ==, 3);
  g_assert_cmpuint (report.bytes, ==, 32);
  g_assert_cmpint (report.dtype, ==, SLUICE_FLOAT);
  sluice_watch_read (of_x, &report);
  g_assert_cmpint (report.status, ==, SLUICE_WATCH_VALUES);
  g_assert_cmpfloat (report.looks[0].values.min, ==, -2);
  sluice_watch_stop (of_x);
  /* A second run of a number is another program's: an evaluation after the step. */
  g_autoptr (SluiceTensor) again = run (&f, "z:0", fed, 7);
  sluice_watch_read (of_y, &report);
  g_assert_cmpuint (report.n, ==, 1);
  /* Also where the first was too early for a look. */
  g_autoptr (SluiceTensor) next = run (&f, "z:0", fed, 8);
  sluice_watch_read (of_y, &report);
  guint64 n_looks = report.n_looks;
  for (guint i = 0; i < 5000; i++)
    {
      g_autoptr (SluiceTensor) evaluation = run (&f, "z:0", fed, 8);
    }
  sluice_watch_read (of_y, &report);
  g_assert_cmpuint (report.n_looks, ==, n_looks);
  run_until (&f, "z:0", fed, of_y, 450);
  sluice_watch_read (of_y, &report);
  g_assert_cmpuint (report.n, ==, SLUICE_WATCH_STEPS);
  for (guint i = 1; i < report.n; i++)
    g_assert_cmpuint (report.looks[i - 1].step, <, report.looks[i].step);
  sluice_watch_stop (of_y);
}

/* A watch may outlive its session; wrong names are told, and so is one too many. */
static void
test_ends (void)
{
  SluiceWatch *list[SLUICE_MAX_WATCHES];
  g_autoptr (GError) error = NULL;
  {
    g_auto (Fixture) f = { NULL };
    fixture_init (&f, NULL);
    placeholder (&f, "x", &SLUICE_SHAPE_UNKNOWN);
    fixture_extend (&f);
    g_assert_null (sluice_session_watch (f.session, "nobody:0", &error));
    g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
    g_clear_error (&error);
    g_assert_null (sluice_session_watch (f.session, "x", &error));
    g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
    g_clear_error (&error);
    for (guint i = 0; i < SLUICE_MAX_WATCHES; i++)
      list[i] = watch (&f, "x:0");
    g_assert_null (sluice_session_watch (f.session, "x:0", &error));
    g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
    sluice_watch_stop (list[3]);
    list[3] = watch (&f, "x:0");
  }
  for (guint i = 0; i < SLUICE_MAX_WATCHES; i++)
    sluice_watch_stop (list[i]);
}

/* A chain that runs as one: the end has a value, the middle has none and says whose it is. */
static void
test_fused (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge x = placeholder (&f, "x", &SLUICE_SHAPE (5000));
  SluiceEdge a = sluice_builder_add (&f.b, "Tanh", "a", &x, 1, NULL, 0);
  SluiceEdge b = sluice_builder_add (&f.b, "Square", "b", &a, 1, NULL, 0);
  SluiceEdge c = sluice_builder_add (&f.b, "Neg", "c", &b, 1, NULL, 0);
  sluice_builder_add (&f.b, "Softmax", "end", &c, 1, NULL, 0);
  SluiceEdge two = sluice_builder_add (&f.b, "Identity", "two",
                                       (SluiceEdge[]){ fixture_scalar (&f, 2) }, 1, NULL, 0);
  sluice_builder_add (&f.b, "Mul", "scaled", (SluiceEdge[]){ c, two }, 2, NULL, 0);
  sluice_builder_add (&f.b, "Neg", "unread", &x, 1, NULL, 0);
  fixture_extend (&f);
  SluiceWatch *middle = watch (&f, "b:0"), *last = watch (&f, "c:0"),
              *unread = watch (&f, "unread:0"), *folded = watch (&f, "two:0");
  g_autoptr (SluiceTensor) fed = vector (5000, 0);
  g_autoptr (SluiceTensor) output = run (&f, "end:0", fed, 1);
  g_autoptr (SluiceTensor) other = run (&f, "scaled:0", fed, 2);
  SluiceWatchReport report;
  sluice_watch_read (middle, &report);
  g_assert_cmpint (report.status, ==, SLUICE_WATCH_FUSED);
  g_assert_cmpstr (report.fused_into, ==, "c");
  g_assert_cmpuint (report.n, ==, 0);
  sluice_watch_read (last, &report);
  g_assert_cmpint (report.status, ==, SLUICE_WATCH_VALUES);
  g_assert_cmpfloat (report.looks[0].values.max, ==, 0);
  sluice_watch_read (unread, &report);
  g_assert_cmpint (report.status, ==, SLUICE_WATCH_LEFT_OUT);
  sluice_watch_read (folded, &report);
  g_assert_cmpint (report.status, ==, SLUICE_WATCH_CONSTANT);
  g_assert_cmpfloat (report.looks[0].values.mean, ==, 2);
  sluice_watch_stop (middle);
  sluice_watch_stop (last);
  sluice_watch_stop (unread);
  sluice_watch_stop (folded);
}

/* The output of a call is that of a node of its function, also through the identities that pass it
 * on. */
static void
test_call (void)
{
  static const char text[] =
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }\n"
      "node { name: 'call' op: 'PartitionedCall' input: 'x'\n"
      "  attr { key: 'Tin' value { list { type: DT_FLOAT } } }\n"
      "  attr { key: 'Tout' value { list { type: [ DT_FLOAT, DT_FLOAT ] } } }\n"
      "  attr { key: 'f' value { func { name: 'both' } } } }\n"
      "node { name: 'z' op: 'Softmax' input: 'call:1'\n"
      "  attr { key: 'T' value { type: DT_FLOAT } } }\n"
      "library { function { signature { name: 'both' input_arg { name: 'x' type: DT_FLOAT }\n"
      "  output_arg { name: 'same' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }\n"
      "  node_def { name: 'relu' op: 'Relu' input: 'x'\n"
      "    attr { key: 'T' value { type: DT_FLOAT } } }\n"
      "  node_def { name: 'out' op: 'Identity' input: 'relu:activations:0'\n"
      "    attr { key: 'T' value { type: DT_FLOAT } } }\n"
      "  ret { key: 'same' value: 'x' } ret { key: 'y' value: 'out:output:0' } } }\n";
  g_autoptr (GError) error = NULL;
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  sluice_graph_import (f.graph, bytes, &error);
  g_assert_no_error (error);
  sluice_session_extend (f.session, f.graph, &error);
  g_assert_no_error (error);
  SluiceWatch *same = watch (&f, "call:0"), *relu = watch (&f, "call:1");
  g_autoptr (SluiceTensor) fed = vector (8, -2);
  g_autoptr (SluiceTensor) output = run (&f, "z:0", fed, 1);
  SluiceWatchReport report;
  sluice_watch_read (relu, &report);
  g_assert_cmpint (report.status, ==, SLUICE_WATCH_VALUES);
  g_assert_cmpfloat (report.looks[0].values.min, ==, 0);
  g_assert_cmpfloat (report.looks[0].values.max, ==, 5);
  sluice_watch_read (same, &report);
  g_assert_cmpint (report.status, ==, SLUICE_WATCH_VALUES);
  g_assert_cmpfloat (report.looks[0].values.min, ==, -2);
  sluice_watch_stop (same);
  sluice_watch_stop (relu);
}

/* A variable, by reference and by handle, is its value; text is none. */
static void
test_state (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge w = fixture_variable (&f, "w", 3);
  sluice_builder_add (&f.b, "Neg", "n", &w, 1, NULL, 0);
  fixture_extend (&f);
  fixture_run_target (&f, "w/Assign", NULL, NULL);
  SluiceWatch *of_w = watch (&f, "w:0");
  g_autoptr (SluiceTensor) output = run (&f, "n:0", NULL, 1);
  SluiceWatchReport report;
  sluice_watch_read (of_w, &report);
  g_assert_cmpint (report.status, ==, SLUICE_WATCH_VALUES);
  g_assert_cmpfloat (report.looks[0].values.mean, ==, 3);
  sluice_watch_stop (of_w);
}

/* while (i < 9) i = i + 1: the last iteration of the step. */
static void
test_loop (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceAttr attrs[] = { sluice_attr_string ("frame_name", "loop"),
                         sluice_attr_bool ("is_constant", FALSE),
                         sluice_attr_int ("parallel_iterations", 4) };
  SluiceEdge x = placeholder (&f, "x", &SLUICE_SHAPE_UNKNOWN);
  SluiceEdge in = sluice_builder_add (&f.b, "Enter", "in", &x, 1, attrs, 3);
  SluiceAttr constant[] = { attrs[0], sluice_attr_bool ("is_constant", TRUE), attrs[2] };
  SluiceEdge top = sluice_builder_add (&f.b, "Enter", "top",
                                       (SluiceEdge[]){ fixture_scalar (&f, 9) }, 1, constant, 3);
  SluiceEdge one = sluice_builder_add (&f.b, "Enter", "one",
                                       (SluiceEdge[]){ fixture_scalar (&f, 1) }, 1, constant, 3);
  SluiceEdge i = sluice_op (&f.b, "Merge", in, in);
  SluiceEdge goes = sluice_op (&f.b, "LoopCond", sluice_op (&f.b, "Less", i, top));
  SluiceEdge sides = sluice_op (&f.b, "Switch", i, goes);
  SluiceEdge sum = sluice_builder_add (
      &f.b, "Add", "sum", (SluiceEdge[]){ sluice_edge_port (sides, 1), one }, 2, NULL, 0);
  SluiceEdge next = sluice_op (&f.b, "NextIteration", sum);
  g_assert_true (sluice_graph_set_input (f.graph, i.node, 1, next, NULL));
  sluice_builder_add (&f.b, "Exit", "out", &sides, 1, NULL, 0);
  fixture_extend (&f);
  SluiceWatch *of_sum = watch (&f, "sum:0"), *of_out = watch (&f, "out:0");
  g_autoptr (SluiceTensor) fed = sluice_tensor_new_float (0);
  g_autoptr (SluiceTensor) output = run (&f, "out:0", fed, 1);
  SluiceWatchReport report;
  sluice_watch_read (of_sum, &report);
  g_assert_cmpuint (report.n, ==, 1);
  g_assert_cmpfloat (report.looks[0].values.max, ==, 9);
  g_assert_cmpint (report.looks[0].iteration, ==, 8);
  sluice_watch_read (of_out, &report);
  g_assert_cmpfloat (report.looks[0].values.max, ==, 9);
  sluice_watch_stop (of_sum);
  sluice_watch_stop (of_out);
}

/* On two threads, with kernels that end elsewhere, and with the guard. */
static void
test_threads (void)
{
  for (guint threads = 1; threads <= 2; threads++)
    {
      sluice_pool_set_threads (threads);
      g_auto (Fixture) f = { NULL };
      fixture_init (&f, NULL);
      fixture_go = 1;
      SluiceEdge x = placeholder (&f, "x", &SLUICE_SHAPE_UNKNOWN);
      SluiceEdge later = sluice_builder_add (&f.b, "TestLater", "later", &x, 1, NULL, 0);
      SluiceEdge soft = sluice_builder_add (&f.b, "Softmax", "soft", &x, 1, NULL, 0);
      sluice_builder_add (&f.b, "AddN", "sum", (SluiceEdge[]){ later, soft }, 2,
                          (SluiceAttr[]){ sluice_attr_int ("N", 2) }, 1);
      fixture_extend (&f);
      SluiceWatch *of_later = watch (&f, "later:0"), *of_soft = watch (&f, "soft:0");
      g_autoptr (SluiceTensor) fed = vector (100000, 0);
      run_until (&f, "sum:0", fed, of_later, 3);
      run_until (&f, "sum:0", fed, of_soft, 3);
      SluiceWatchReport report;
      sluice_watch_read (of_later, &report);
      g_assert_cmpfloat (report.looks[0].values.max, ==, 99999);
      sluice_watch_stop (of_later);
      sluice_watch_stop (of_soft);
    }
  sluice_pool_set_threads (1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  g_test_add_func ("/runtime/watch/values", test_values);
  g_test_add_func ("/runtime/watch/ends", test_ends);
  g_test_add_func ("/runtime/watch/fused", test_fused);
  g_test_add_func ("/runtime/watch/call", test_call);
  g_test_add_func ("/runtime/watch/state", test_state);
  g_test_add_func ("/runtime/watch/loop", test_loop);
  g_test_add_func ("/runtime/watch/threads", test_threads);
  return g_test_run ();
}
