/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/graph/graphdef.h"
#include "tests/engine/runtime/fixture.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static SluiceFeed
feed (const char *edge, SluiceTensor *tensor)
{
  return (SluiceFeed){ edge, tensor };
}

static SluiceEdge
op2 (Fixture *f, const char *op, const char *name, SluiceEdge a, SluiceEdge b)
{
  return sluice_builder_add (&f->b, op, name, (SluiceEdge[]){ a, b }, 2, NULL, 0);
}

static SluiceEdge
op1 (Fixture *f, const char *op, const char *name, SluiceEdge a)
{
  return sluice_builder_add (&f->b, op, name, &a, 1, NULL, 0);
}

/* Runs one fetch that must fail, in that node. */
static void
expect_error_in (Fixture *f,
                 const char *node,
                 const char *device,
                 const char *fetch,
                 const SluiceFeed *feeds,
                 guint n_feeds,
                 SluiceError code,
                 const char *words[])
{
  g_autoptr (GError) error = NULL;
  SluiceTensor *output = NULL;
  g_assert_false (sluice_session_run (
      f->session,
      &(SluiceStepNames){ .feeds = feeds, .fetches = &fetch, .n_feeds = n_feeds, .n_fetches = 1 },
      &output, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, (int) code);
  g_assert_null (output);
  for (guint i = 0; words && words[i]; i++)
    if (!strstr (error->message, words[i]))
      g_error ("'%s' does not say '%s'", error->message, words[i]);
  SluiceErrorPlace place = sluice_error_get_place (error);
  if (node)
    {
      g_assert_cmpstr (place.node, ==, node);
      g_assert_cmpstr (place.op, ==, sluice_graph_find (f->graph, node)->op_name);
      g_assert_true (device == NULL ? place.device == NULL
                                    : g_str_has_suffix (place.device, device));
    }
}

static void
expect_error (Fixture *f,
              const char *fetch,
              const SluiceFeed *feeds,
              guint n_feeds,
              SluiceError code,
              const char *words[])
{
  expect_error_in (f, NULL, NULL, fetch, feeds, n_feeds, code, words);
}

static void
test_add (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  op2 (&f, "Add", "sum", fixture_placeholder (&f, "x", SLUICE_FLOAT),
       fixture_placeholder (&f, "y", SLUICE_FLOAT));
  fixture_extend (&f);
  g_autoptr (SluiceTensor) two = sluice_tensor_new_float (2), three = sluice_tensor_new_float (3);
  SluiceFeed feeds[] = { feed ("x:0", two), feed ("y", three) };
  for (int i = 0; i < 3; i++)
    g_assert_cmpfloat (fixture_fetch (&f, "sum:0", feeds, 2), ==, 5);
  SluiceSessionStats stats;
  sluice_session_get_stats (f.session, &stats);
  g_assert_cmpuint (stats.n_plans, ==, 1);
  g_assert_cmpuint (stats.n_runs, ==, 3);
  g_assert_cmpuint (stats.n_nodes_run, ==, 3);
}

/* What is fed is still the caller's after kernels that could work in place. */
static void
test_feeds_are_not_written (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  op1 (&f, "Neg", "n", fixture_placeholder (&f, "x", SLUICE_FLOAT));
  fixture_extend (&f);
  g_autoptr (SluiceTensor) two = sluice_tensor_new_float (2);
  SluiceFeed feeds[] = { feed ("x", two) };
  g_assert_cmpfloat (fixture_fetch (&f, "n", feeds, 1), ==, -2);
  g_assert_cmpfloat (*(float *) two->data, ==, 2);
  g_assert_cmpint (two->ref_count, ==, 1);
  g_assert_cmpfloat (fixture_fetch (&f, "x", feeds, 1), ==, 2);
}

/* Constants survive kernels that could work in place, also folded ones and fetched ones. */
static void
test_constants_are_kept (void)
{
  for (int optimize = 0; optimize < 2; optimize++)
    {
      g_auto (Fixture) f = { NULL };
      fixture_init (&f, &(SluiceSessionOptions){ .no_optimize = !optimize });
      SluiceEdge c = fixture_scalar (&f, 4);
      op2 (&f, "Mul", "m", op1 (&f, "Neg", "n", c), fixture_placeholder (&f, "x", SLUICE_FLOAT));
      fixture_extend (&f);
      g_autoptr (SluiceTensor) two = sluice_tensor_new_float (2);
      SluiceFeed feeds[] = { feed ("x", two) };
      for (int i = 0; i < 3; i++)
        {
          g_assert_cmpfloat (fixture_fetch (&f, "m", feeds, 1), ==, -8);
          g_assert_cmpfloat (fixture_fetch (&f, "n", NULL, 0), ==, -4);
          g_assert_cmpfloat (fixture_fetch (&f, c.node->name, NULL, 0), ==, 4);
        }
    }
}

/* Any edge can be fed: what is above it does not run and needs no feed. */
static void
test_interior_feed (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge counted = op1 (&f, "TestCount", "counted", x);
  SluiceEdge inner = op1 (&f, "Square", "inner", counted);
  op2 (&f, "Add", "out", inner, inner);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) seven = sluice_tensor_new_float (7);
  SluiceFeed feeds[] = { feed ("inner:0", seven) };
  g_assert_cmpfloat (fixture_fetch (&f, "out", feeds, 1), ==, 14);
  g_assert_cmpint (fixture_count, ==, 0);
  g_assert_cmpfloat (fixture_fetch (&f, "inner", feeds, 1), ==, 7);
  feeds[0].edge = "x";
  g_assert_cmpfloat (fixture_fetch (&f, "out", feeds, 1), ==, 98);
  g_assert_cmpint (fixture_count, ==, 1);
}

static void
test_feed_errors (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge x = fixture_placeholder (&f, "inputs/x", SLUICE_FLOAT);
  op1 (&f, "Neg", "loss", op1 (&f, "Square", "hidden", x));
  fixture_placeholder (&f, "inputs/y", SLUICE_FLOAT);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) one = sluice_tensor_new_int32 (1);
  g_autoptr (SluiceTensor) vector = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (3));
  g_autoptr (SluiceTensor) good = sluice_tensor_new_float (1);
  SluiceFeed feeds[] = { feed ("inputs/y", good) };
  expect_error_in (&f, "inputs/x", NULL, "loss", feeds, 1, SLUICE_ERROR_INVALID_ARGUMENT,
                   (const char *[]){ "inputs/x", "loss → hidden → inputs/x", "inputs/y", NULL });
  feeds[0] = feed ("inputs/x", one);
  expect_error (&f, "loss", feeds, 1, SLUICE_ERROR_INVALID_ARGUMENT,
                (const char *[]){ "inputs/x:0", "float", "int32", NULL });
  feeds[0] = feed ("inputs/x", vector);
  expect_error (&f, "loss", feeds, 1, SLUICE_ERROR_INVALID_ARGUMENT,
                (const char *[]){ "inputs/x:0", "[]", "[3]", NULL });
  feeds[0] = feed ("inputs/z", good);
  expect_error (&f, "loss", feeds, 1, SLUICE_ERROR_NOT_FOUND, (const char *[]){ "inputs/z", NULL });
  feeds[0] = feed ("inputs/x", good);
  expect_error (&f, "lost", feeds, 1, SLUICE_ERROR_NOT_FOUND, (const char *[]){ "loss", NULL });
  expect_error (&f, "loss:3", feeds, 1, SLUICE_ERROR_INVALID_ARGUMENT, NULL);
  SluiceFeed twice[] = { feeds[0], feed ("inputs/x:0", good) };
  expect_error (&f, "loss", twice, 2, SLUICE_ERROR_INVALID_ARGUMENT,
                (const char *[]){ "twice", NULL });
  g_assert_cmpfloat (fixture_fetch (&f, "loss", feeds, 1), ==, -1);
}

/* Only the closure runs; a target runs although nothing fetches it. */
static void
test_closure (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge c = fixture_scalar (&f, 1);
  SluiceEdge a = op1 (&f, "TestCount", "a", c);
  op1 (&f, "TestCount", "b", a);
  op1 (&f, "TestFail", "never", c);
  op1 (&f, "TestNoKernel", "unknown", c);
  fixture_extend (&f);
  fixture_fetch (&f, "a", NULL, 0);
  g_assert_cmpint (fixture_count, ==, 1);
  g_assert_true (fixture_run_target (&f, "b", NULL, NULL));
  g_assert_cmpint (fixture_count, ==, 3);
  expect_error (&f, "unknown", NULL, 0, SLUICE_ERROR_NOT_FOUND,
                (const char *[]){ "TestNoKernel", NULL });
}

/* The failing step names its node, what hangs on it does not run, and the session stays usable. */
static void
test_error_isolation (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge c = fixture_scalar (&f, 1);
  SluiceEdge w = fixture_variable (&f, "w", 5);
  SluiceEdge bad = op1 (&f, "TestFail", "bad", c);
  op2 (&f, "AssignAdd", "after_bad", w, bad);
  op2 (&f, "AssignAdd", "good", w, c);
  fixture_extend (&f);
  g_assert_true (fixture_run_target (&f, "w/Assign", NULL, NULL));
  for (int i = 0; i < 20; i++)
    expect_error_in (&f, "bad", "CPU:0", "after_bad", NULL, 0, SLUICE_ERROR_OUT_OF_RANGE,
                     (const char *[]){ "'bad'", "by design", NULL });
  g_assert_cmpfloat (fixture_fetch (&f, "w", NULL, 0), ==, 5);
  g_assert_cmpfloat (fixture_fetch (&f, "good", NULL, 0), ==, 6);
}

static void
test_uninitialized (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge w = fixture_variable (&f, "w", 5);
  op1 (&f, "Identity", "w/read", w);
  op1 (&f, "IsVariableInitialized", "is", w);
  op2 (&f, "AssignAdd", "add", w, fixture_scalar (&f, 1));
  fixture_extend (&f);
  const char *words[] = { "'w'", "not initialised", NULL };
  expect_error_in (&f, "w/read", "CPU:0", "w/read", NULL, 0, SLUICE_ERROR_FAILED_PRECONDITION,
                   words);
  expect_error (&f, "w", NULL, 0, SLUICE_ERROR_FAILED_PRECONDITION, words);
  expect_error (&f, "add", NULL, 0, SLUICE_ERROR_FAILED_PRECONDITION, words);
  g_autoptr (GError) error = NULL;
  const char *is = "is";
  for (int initialized = 0; initialized < 2; initialized++)
    {
      g_autoptr (SluiceTensor) answer = NULL;
      sluice_session_run (f.session, &(SluiceStepNames){ .fetches = &is, .n_fetches = 1 }, &answer,
                          NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpint (*(guint8 *) answer->data, ==, initialized);
      fixture_run_target (&f, "w/Assign", NULL, &error);
      g_assert_no_error (error);
    }
  g_assert_cmpfloat (fixture_fetch (&f, "add", NULL, 0), ==, 6);
}

/* An Identity of a variable sees what is written in place after it; what was fetched does not. */
static void
test_reference_aliasing (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge w = fixture_variable (&f, "w", 5);
  SluiceEdge read = op1 (&f, "Identity", "w/read", w);
  SluiceEdge one = fixture_scalar (&f, 1);
  SluiceNode *add = fixture_node (&f, "AssignAdd", "add", NULL, (SluiceEdge[]){ w, one }, 2,
                                  &read.node, 1, NULL, 0);
  fixture_node (&f, "Neg", "late", NULL, &read, 1, &add, 1, NULL, 0);
  fixture_extend (&f);
  fixture_run_target (&f, "w/Assign", NULL, NULL);
  const char *fetches[] = { "w/read", "late", "w" };
  SluiceTensor *out[3];
  g_assert_true (sluice_session_run (
      f.session, &(SluiceStepNames){ .fetches = fetches, .n_fetches = 3 }, out, NULL, NULL));
  g_assert_cmpfloat (*(float *) out[0]->data, ==, 6);
  g_assert_cmpfloat (*(float *) out[1]->data, ==, -6);
  g_assert_cmpfloat (*(float *) out[2]->data, ==, 6);
  g_assert_cmpfloat (fixture_fetch (&f, "add", NULL, 0), ==, 7);
  for (int i = 0; i < 3; i++)
    {
      g_assert_cmpfloat (fabsf (*(float *) out[i]->data), ==, 6);
      sluice_tensor_unref (out[i]);
    }
}

/* Extend after a run: state and plans stay, new nodes run, old names are not added twice. */
static void
test_extend (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge w = fixture_variable (&f, "w", 5);
  op2 (&f, "AssignAdd", "add", w, fixture_scalar (&f, 1));
  fixture_extend (&f);
  fixture_run_target (&f, "w/Assign", NULL, NULL);
  g_assert_cmpfloat (fixture_fetch (&f, "add", NULL, 0), ==, 6);
  op1 (&f, "Neg", "n", w);
  fixture_extend (&f);
  guint n_nodes = sluice_graph_get_n_nodes (sluice_session_get_graph (f.session));
  g_assert_cmpuint (n_nodes, ==, sluice_graph_get_n_nodes (f.graph));
  g_assert_cmpfloat (fixture_fetch (&f, "n", NULL, 0), ==, -6);
  g_assert_cmpfloat (fixture_fetch (&f, "add", NULL, 0), ==, 7);
  SluiceSessionStats stats;
  sluice_session_get_stats (f.session, &stats);
  g_assert_cmpuint (stats.n_plans, ==, 3);
  g_assert_cmpuint (stats.n_cached_plans, ==, 3);
}

static float
fetch_of (SluiceSession *session, const char *fetch)
{
  g_autoptr (SluiceTensor) out = NULL;
  g_autoptr (GError) error = NULL;
  sluice_session_run (session, &(SluiceStepNames){ .fetches = &fetch, .n_fetches = 1 }, &out, NULL,
                      &error);
  g_assert_no_error (error);
  return *(float *) out->data;
}

static guint64
count_plans (SluiceSession *session)
{
  SluiceSessionStats stats;
  sluice_session_get_stats (session, &stats);
  return stats.n_plans;
}

/* A session with another's plans: none is made twice; variables, random numbers and devices are its
 * own; it outlives the other, and extends both. */
static void
test_like (void)
{
  g_auto (Fixture) f = { NULL };
  const SluiceSessionOptions options = { .seed = 7, .n_cpus = 2 };
  fixture_init (&f, &options);
  SluiceEdge w = fixture_variable (&f, "w", 5);
  op2 (&f, "AssignAdd", "add", w, fixture_scalar (&f, 1));
  SluiceEdge shape = sluice_builder_const_ints (&f.b, SLUICE_INT32, NULL, 0);
  fixture_node (&f, "RandomUniform", "r", "/device:CPU:1", &shape, 1, NULL, 0,
                SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT)));
  fixture_extend (&f);
  fixture_run_target (&f, "w/Assign", NULL, NULL);
  g_assert_cmpfloat (fixture_fetch (&f, "add", NULL, 0), ==, 6);
  float first = fixture_fetch (&f, "r", NULL, 0);
  g_autoptr (SluiceSession) like =
      sluice_session_new (&(SluiceSessionOptions){ .like = f.session, .seed = 7 }, NULL);
  const char *target = "w/Assign";
  g_assert_true (sluice_session_run (like, &(SluiceStepNames){ .targets = &target, .n_targets = 1 },
                                     NULL, NULL, NULL));
  g_assert_cmpfloat (fetch_of (like, "add"), ==, 6);
  g_assert_cmpfloat (fixture_fetch (&f, "add", NULL, 0), ==, 7);
  g_assert_cmpfloat (fetch_of (like, "r"), ==, first);
  g_assert_cmpuint (count_plans (like), ==, 3);
  g_assert_true (sluice_session_get_device (like, 1) != sluice_session_get_device (f.session, 1));
  op1 (&f, "Neg", "n", w);
  g_assert_true (sluice_builder_finish (&f.b, NULL));
  g_assert_true (sluice_session_extend (like, f.graph, NULL));
  g_assert_cmpfloat (fixture_fetch (&f, "n", NULL, 0), ==, -7);
  g_set_object (&f.session, like);
  g_assert_cmpfloat (fetch_of (like, "n"), ==, -6);
  g_assert_cmpfloat (fetch_of (like, "add"), ==, 7);
  g_assert_cmpuint (count_plans (like), ==, 4);
  guint64 cursor = 0;
  g_autoptr (GArray) events = sluice_session_dup_trace (like, &cursor, NULL);
  gboolean has_drawn = FALSE;
  for (guint i = 0; i < events->len; i++)
    has_drawn |= g_str_equal (g_array_index (events, SluiceTraceEvent, i).node, "r");
  g_assert_true (has_drawn);
}

/* A file may define nodes behind their readers, in any order. */
static void
test_extend_in_any_order (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
#define T "attr { key: 'T' value { type: DT_FLOAT } } }"
  const char *text =
      "node { name: 'd' op: 'Add' input: 'b' input: 'c' " T
      "node { name: 'c' op: 'Sub' input: 'b' input: 'a' " T
      "node { name: 'b' op: 'Neg' input: 'a' input: '^e' " T "node { name: 'e' op: 'NoOp' }"
      "node { name: 'a' op: 'Placeholder' "
      "attr { key: 'dtype' value { type: DT_FLOAT } } }";
#undef T
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GError) error = NULL;
  g_assert_true (sluice_graph_import (f.graph, bytes, &error));
  g_assert_no_error (error);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) three = sluice_tensor_new_float (3);
  SluiceFeed feeds[] = { feed ("a", three) };
  g_assert_cmpfloat (fixture_fetch (&f, "d", feeds, 1), ==, -9);
}

static void
test_callable (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  op2 (&f, "Sub", "d", fixture_placeholder (&f, "x", SLUICE_FLOAT),
       fixture_placeholder (&f, "y", SLUICE_FLOAT));
  fixture_extend (&f);
  const SluiceFeed feeds[] = { { "y" }, { "x" } };
  const char *fetch = "d";
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceCallable) callable = sluice_session_prepare (
      f.session,
      &(SluiceStepNames){ .feeds = feeds, .fetches = &fetch, .n_feeds = 2, .n_fetches = 1 },
      &error);
  g_assert_no_error (error);
  g_autoptr (SluiceTensor) two = sluice_tensor_new_float (2), five = sluice_tensor_new_float (5);
  g_autoptr (SluiceTensor) out = NULL;
  g_assert_true (sluice_callable_run (callable, (SluiceTensor *[]){ two, five }, &out, NULL, NULL));
  g_assert_cmpfloat (*(float *) out->data, ==, 3);
}

/* A steady step asks the system for nothing. */
static void
test_no_fresh_memory (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  for (int i = 0; i < 50; i++)
    x = op2 (&f, "Add", NULL, x, i % 3 ? x : fixture_scalar (&f, 0.5f));
  fixture_extend (&f);
  g_autoptr (SluiceTensor) one = sluice_tensor_new_float (1);
  SluiceFeed feeds[] = { feed ("x", one) };
  fixture_fetch (&f, x.node->name, feeds, 1);
  SluiceMemoryStats before, after;
  sluice_allocator_get_stats (sluice_session_get_device (f.session, 0)->allocator, &before);
  for (int i = 0; i < 100; i++)
    fixture_fetch (&f, x.node->name, feeds, 1);
  sluice_allocator_get_stats (sluice_session_get_device (f.session, 0)->allocator, &after);
  g_assert_cmpuint (after.n_fresh, ==, before.n_fresh);
  g_assert_cmpuint (after.live_bytes, ==, before.live_bytes);
}

static void
test_nan_guard (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .no_optimize = TRUE });
  SluiceEdge zero = fixture_scalar (&f, 0);
  SluiceEdge log = op1 (&f, "Log", "log", zero);
  op1 (&f, "Neg", "after", op1 (&f, "Neg", "between", log));
  fixture_extend (&f);
  g_assert_true (isinf (fixture_fetch (&f, "after", NULL, 0)));
  SluiceRunOptions options = { .nan_guard = TRUE };
  g_autoptr (GError) error = NULL;
  g_assert_false (fixture_run_target (&f, "after", &options, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "'log'"));
  g_assert_nonnull (strstr (error->message, "input 0 from 0 to 0"));
}

/* An optimizer that overflows: the variable is told, and between what its inputs lay. */
static void
test_nan_guard_of_updates (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .nan_guard = TRUE });
  SluiceEdge inputs[] = { fixture_variable (&f, "w", 3e38f), fixture_scalar (&f, -2),
                          fixture_scalar (&f, 1e38f) };
  sluice_builder_add (&f.b, "ApplyGradientDescent", "train", inputs, 3, NULL, 0);
  fixture_extend (&f);
  g_autoptr (GError) error = NULL;
  g_assert_true (fixture_run_target (&f, "w/Assign", NULL, &error));
  g_assert_false (fixture_run_target (&f, "train", NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "ApplyGradientDescent 'train'"));
  g_assert_nonnull (strstr (error->message, "input 0 from 3e+38 to 3e+38, input 1 from -2 to -2"));
}

/* Denormals are flushed while kernels run and not on the caller's thread afterwards. */
static void
test_denormals (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  op2 (&f, "Mul", "m", fixture_placeholder (&f, "x", SLUICE_FLOAT), fixture_scalar (&f, 1));
  fixture_extend (&f);
  volatile float tiny = 1e-40f;
  g_autoptr (SluiceTensor) x = sluice_tensor_new_float (tiny);
  SluiceFeed feeds[] = { feed ("x", x) };
  float m = fixture_fetch (&f, "m", feeds, 1);
  g_assert_cmphex (*(guint32 *) &m, ==, 0);
  volatile float product = tiny * 2;
  g_assert_cmpfloat (product, >, 0);
}

static void
test_trace (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .no_fusion = TRUE });
  op1 (&f, "Neg", "n", op1 (&f, "Square", "s", fixture_placeholder (&f, "x", SLUICE_FLOAT)));
  fixture_extend (&f);
  g_autoptr (SluiceTensor) two = sluice_tensor_new_float (2);
  SluiceFeed feeds[] = { feed ("x", two) };
  guint64 cursor = 0;
  fixture_fetch (&f, "n", feeds, 1);
  g_autoptr (GArray) events = sluice_session_dup_trace (f.session, &cursor, NULL);
  g_assert_cmpuint (events->len, ==, 2);
  const SluiceTraceEvent *first = &g_array_index (events, SluiceTraceEvent, 0), *second = first + 1;
  g_assert_cmpstr (first->node, ==, "s");
  g_assert_cmpstr (second->node, ==, "n");
  g_assert_cmpstr (second->op, ==, "Neg");
  g_assert_cmpfloat (first->start_us, <=, first->end_us);
  g_assert_cmpfloat (first->end_us, <=, second->end_us);
  g_assert_cmpfloat (second->scheduled_us, <=, second->start_us);
  g_assert_cmpfloat (first->end_us, <=, second->start_us);
  g_assert_cmpuint (first->bytes_in, ==, SLUICE_TRACE_UNIT); /* four bytes, rounded up */
  g_assert_cmpuint (first->bytes_out, ==, SLUICE_TRACE_UNIT);
  g_assert_cmpuint (first->live, >, 0);
  g_assert_cmpint (first->kind, ==, SLUICE_TRACE_NODE);
  g_assert_cmpuint (first->lane, ==, 0);
  g_assert_null (first->frame);
  g_assert_true (g_str_has_suffix (first->device, "CPU:0"));
  g_autoptr (GArray) none = sluice_session_dup_trace (f.session, &cursor, NULL);
  g_assert_cmpuint (none->len, ==, 0);
  fixture_fetch (&f, "s", feeds, 1);
  g_autoptr (GArray) more = sluice_session_dup_trace (f.session, &cursor, NULL);
  g_assert_cmpuint (more->len, ==, 1);

  /* A cursor that was dropped leaves its place to the next one, however many come. */
  for (guint i = 0; i < 100; i++)
    {
      guint64 other = 0;
      g_autoptr (GArray) all = sluice_session_dup_trace (f.session, &other, NULL);
      g_assert_cmpuint (all->len, ==, 3);
      g_assert_cmpuint (other, ==, cursor + 1);
      sluice_session_drop_trace (f.session, &other);
      g_assert_cmpuint (other, ==, 0);
    }
  g_autoptr (GArray) last = sluice_session_dup_trace (f.session, &cursor, NULL);
  g_assert_cmpuint (last->len, ==, 0);
}

static void
test_no_trace (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .no_trace = TRUE });
  op1 (&f, "Square", "s", fixture_placeholder (&f, "x", SLUICE_FLOAT));
  fixture_extend (&f);
  g_autoptr (SluiceTensor) two = sluice_tensor_new_float (2);
  SluiceFeed feeds[] = { feed ("x", two) };
  guint64 cursor = 0, lost = 1;
  g_assert_cmpfloat (fixture_fetch (&f, "s", feeds, 1), ==, 4);
  g_autoptr (GArray) none = sluice_session_dup_trace (f.session, &cursor, &lost);
  g_assert_cmpuint (none->len, ==, 0);
  g_assert_cmpuint (lost, ==, 0);
}

static guint32
bits_of (float value)
{
  guint32 bits;
  memcpy (&bits, &value, sizeof bits);
  return bits;
}

/* Only floats that cross, and not those that stay or what was fed. */
static void
test_truncate (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .n_cpus = 2, .truncate_transfers = TRUE });
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge d = fixture_placeholder (&f, "d", SLUICE_DOUBLE);
  fixture_node (&f, "Identity", "here", "/cpu:0", &x, 1, NULL, 0, NULL, 0);
  SluiceNode *far = fixture_node (&f, "Identity", "far", "/cpu:1", &x, 1, NULL, 0, NULL, 0);
  SluiceEdge there = { far, 0 };
  fixture_node (&f, "Identity", "back", "/cpu:0", &there, 1, NULL, 0, NULL, 0);
  SluiceEdge double_there = {
    fixture_node (&f, "Identity", "double_far", "/cpu:1", &d, 1, NULL, 0, NULL, 0), 0
  };
  fixture_node (&f, "Identity", "double_back", "/cpu:0", &double_there, 1, NULL, 0, NULL, 0);
  fixture_extend (&f);
  static const float values[] = { 1.0f / 3, -1e-30f, 3.4028235e38f, 0, -0.0f, INFINITY };
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autoptr (SluiceTensor) fed = sluice_tensor_new_float (values[i]);
      SluiceFeed feeds[] = { feed ("x", fed) };
      g_assert_cmphex (bits_of (fixture_fetch (&f, "here", feeds, 1)), ==, bits_of (values[i]));
      g_assert_cmphex (bits_of (fixture_fetch (&f, "back", feeds, 1)), ==,
                       bits_of (values[i]) & 0xffff0000);
      g_assert_cmphex (bits_of (*(float *) fed->data), ==, bits_of (values[i]));
    }
  double third = 1.0 / 3;
  g_autoptr (SluiceTensor) fed =
      sluice_tensor_new_from (SLUICE_DOUBLE, &SLUICE_SHAPE_SCALAR, &third);
  g_autoptr (SluiceTensor) output = NULL;
  g_autoptr (GError) error = NULL;
  SluiceFeed feeds[] = { feed ("d", fed) };
  sluice_session_run (f.session,
                      &(SluiceStepNames){ .feeds = feeds,
                                          .fetches = (const char *[]){ "double_back" },
                                          .n_feeds = 1,
                                          .n_fetches = 1 },
                      &output, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (*(double *) output->data, ==, third);
}

/* The texts of a placement live as long as the session, whatever is asked in between. */
static void
test_placement (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .n_cpus = 2 });
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  fixture_node (&f, "Neg", "gone", "/gpu:3", &x, 1, NULL, 0, NULL, 0);
  fixture_extend (&f);
  const char *reason = NULL, *other = NULL;
  const char *device = sluice_session_get_placement (f.session, "gone", &reason);
  for (int i = 0; i < 100; i++)
    fixture_node (&f, "Neg", NULL, "/gpu:4", &x, 1, NULL, 0, NULL, 0);
  fixture_extend (&f);
  g_assert_nonnull (sluice_session_get_placement (f.session, "x", &other));
  g_assert_cmpstr (device, ==, "CPU:0");
  g_assert_cmpstr (reason, ==, "soft: asks for '/gpu:3', there is CPU:0, CPU:1");
  g_assert_null (sluice_session_get_placement (f.session, "nobody", &other));
}

/* A tensor that does not fit under the limit fails its step; the next one has the memory again. */
static void
test_memory_limit (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .memory_limit = 1 << 20 });
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge much = sluice_builder_const_ints (&f.b, SLUICE_INT32, (gint64[]){ 1024, 1024 }, 2);
  SluiceEdge little = sluice_builder_const_ints (&f.b, SLUICE_INT32, NULL, 0);
  op2 (&f, "Fill", "big", much, x);
  op2 (&f, "Fill", "small", little, x);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) two = sluice_tensor_new_float (2);
  SluiceFeed feeds[] = { feed ("x", two) };
  for (int i = 0; i < 3; i++)
    {
      expect_error (&f, "big", feeds, 1, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                    (const char *[]){ "4194304 bytes", NULL });
      g_assert_cmpfloat (fixture_fetch (&f, "small", feeds, 1), ==, 2);
    }
}

static const char shared_variable[] =
    "node { name: 'w' op: 'VarHandleOp' attr { key: 'dtype' value { type: DT_FLOAT } } "
    "attr { key: 'shape' value { shape {} } } attr { key: 'container' value { s: 'c' } } "
    "attr { key: 'shared_name' value { s: 'w' } } }"
    "node { name: 'x' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } "
    "attr { key: 'value' value { tensor { dtype: DT_FLOAT float_val: 5 tensor_shape {} } } } }"
    "node { name: 'set' op: 'AssignVariableOp' input: 'w' input: 'x' "
    "attr { key: 'dtype' value { type: DT_FLOAT } } }"
    "node { name: 'read' op: 'ReadVariableOp' input: 'w' "
    "attr { key: 'dtype' value { type: DT_FLOAT } } }"
    "node { name: 'get' op: 'Neg' input: 'read' attr { key: 'T' value { type: DT_FLOAT } } }";

/* A value that another session's reset takes away is an error, never something else. */
static void *
set_and_get (void *data)
{
  Fixture *f = data;
  for (int i = 0; i < 300; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceTensor) output = NULL;
      if (i % 3 == 0)
        sluice_resources_reset (sluice_session_get_resources (f->session), "c");
      else
        fixture_run_target (f, "set", NULL, &error);
      g_assert_no_error (error);
      if (sluice_session_run (
              f->session,
              &(SluiceStepNames){ .fetches = (const char *[]){ "get" }, .n_fetches = 1 }, &output,
              NULL, &error))
        g_assert_cmpfloat (*(float *) output->data, ==, -5);
      else
        g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
    }
  return NULL;
}

static void
test_two_reset_one_container (void)
{
  SluiceResources *resources = sluice_resources_new ();
  Fixture f[2];
  pthread_t threads[2];
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_static (shared_variable, sizeof shared_variable - 1);
  for (int i = 0; i < 2; i++)
    {
      fixture_init (&f[i], &(SluiceSessionOptions){ .resources = resources });
      sluice_graph_import (f[i].graph, bytes, &error);
      g_assert_no_error (error);
      fixture_extend (&f[i]);
    }
  g_assert_true (fixture_run_target (&f[0], "set", NULL, &error));
  g_assert_cmpfloat (fixture_fetch (&f[1], "get", NULL, 0), ==, -5);
  for (int i = 0; i < 2; i++)
    g_assert_cmpint (pthread_create (&threads[i], NULL, set_and_get, &f[i]), ==, 0);
  for (int i = 0; i < 2; i++)
    pthread_join (threads[i], NULL);
  sluice_resources_reset (resources, "c");
  expect_error (&f[1], "get", NULL, 0, SLUICE_ERROR_FAILED_PRECONDITION,
                (const char *[]){ "'w'", NULL });
  for (int i = 0; i < 2; i++)
    fixture_clear (&f[i]);
  sluice_resources_unref (resources);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  g_test_add_func ("/runtime/session/add", test_add);
  g_test_add_func ("/runtime/session/feeds-are-not-written", test_feeds_are_not_written);
  g_test_add_func ("/runtime/session/constants-are-kept", test_constants_are_kept);
  g_test_add_func ("/runtime/session/interior-feed", test_interior_feed);
  g_test_add_func ("/runtime/session/feed-errors", test_feed_errors);
  g_test_add_func ("/runtime/session/closure", test_closure);
  g_test_add_func ("/runtime/session/error-isolation", test_error_isolation);
  g_test_add_func ("/runtime/session/uninitialized", test_uninitialized);
  g_test_add_func ("/runtime/session/reference-aliasing", test_reference_aliasing);
  g_test_add_func ("/runtime/session/extend", test_extend);
  g_test_add_func ("/runtime/session/extend-in-any-order", test_extend_in_any_order);
  g_test_add_func ("/runtime/session/like", test_like);
  g_test_add_func ("/runtime/session/callable", test_callable);
  g_test_add_func ("/runtime/session/no-fresh-memory", test_no_fresh_memory);
  g_test_add_func ("/runtime/session/nan-guard", test_nan_guard);
  g_test_add_func ("/runtime/session/denormals", test_denormals);
  g_test_add_func ("/runtime/session/nan-guard-of-updates", test_nan_guard_of_updates);
  g_test_add_func ("/runtime/session/trace", test_trace);
  g_test_add_func ("/runtime/session/no-trace", test_no_trace);
  g_test_add_func ("/runtime/session/truncate", test_truncate);
  g_test_add_func ("/runtime/session/placement", test_placement);
  g_test_add_func ("/runtime/session/memory-limit", test_memory_limit);
  g_test_add_func ("/runtime/session/two-reset-one-container", test_two_reset_one_container);
  return g_test_run ();
}
