/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Frames: trips, nesting, what enters late, what never comes, what ends too early or not at all. */
#include "tests/engine/runtime/fixture.h"

#include <pthread.h>
#include <string.h>

typedef struct
{
  const char *frame;
  gint64 parallel;
} Loop;

static SluiceEdge
enter (Fixture *f, const Loop *loop, SluiceEdge value, gboolean is_constant)
{
  SluiceAttr attrs[] = { sluice_attr_string ("frame_name", loop->frame),
                         sluice_attr_bool ("is_constant", is_constant),
                         sluice_attr_int ("parallel_iterations", loop->parallel) };
  return sluice_builder_add (&f->b, "Enter", NULL, &value, 1, attrs, G_N_ELEMENTS (attrs));
}

static SluiceEdge
merge (Fixture *f, SluiceEdge first)
{
  return sluice_op (&f->b, "Merge", first, first);
}

static void
close_loop (Fixture *f, SluiceEdge merged, SluiceEdge value)
{
  g_autoptr (GError) error = NULL;
  SluiceEdge next = sluice_op (&f->b, "NextIteration", value);
  g_assert_true (sluice_graph_set_input (f->graph, merged.node, 1, next, &error));
}

/* for (i = 0; i < limit; i++) x = body (x); the Exit of x. step goes through `op` on its way. */
static SluiceEdge
counted_loop (Fixture *f,
              const Loop *loop,
              SluiceEdge limit,
              SluiceEdge step,
              SluiceEdge x,
              SluiceEdge (*body) (Fixture *f, SluiceEdge x, SluiceEdge step))
{
  SluiceEdge zero = sluice_op (&f->b, "ZerosLike", limit);
  SluiceEdge top = enter (f, loop, limit, TRUE), by = enter (f, loop, step, TRUE);
  SluiceEdge i = merge (f, enter (f, loop, zero, FALSE));
  SluiceEdge value = merge (f, enter (f, loop, x, FALSE));
  SluiceEdge pred = sluice_op (&f->b, "LoopCond", sluice_op (&f->b, "Less", i, top));
  SluiceEdge i_switch = sluice_op (&f->b, "Switch", i, pred);
  SluiceEdge x_switch = sluice_op (&f->b, "Switch", value, pred);
  close_loop (f, i, sluice_op (&f->b, "Add", sluice_edge_port (i_switch, 1), by));
  close_loop (f, value, body (f, sluice_edge_port (x_switch, 1), by));
  return sluice_op (&f->b, "Exit", x_switch);
}

static SluiceEdge
add_step (Fixture *f, SluiceEdge x, SluiceEdge step)
{
  return sluice_op (&f->b, "Add", sluice_op (&f->b, "Add", x, x), step);
}

static float
expected (int trips, float x)
{
  for (int i = 0; i < trips; i++)
    x = x + x + 1;
  return x;
}

static void
name_result (Fixture *f, const char *name, SluiceEdge edge)
{
  sluice_builder_add (&f->b, "Identity", name, &edge, 1, NULL, 0);
  g_autoptr (GError) error = NULL;
  sluice_builder_finish (&f->b, &error);
  g_assert_no_error (error);
}

static float
run_trips (Fixture *f, float limit, float x)
{
  g_autoptr (SluiceTensor) l = sluice_tensor_new_float (limit), v = sluice_tensor_new_float (x);
  SluiceFeed feeds[] = { { "limit", l }, { "x", v } };
  return fixture_fetch (f, "result", feeds, 2);
}

static void
test_trips (void)
{
  static const gint64 parallels[] = { 1, 2, 3, 32, G_MAXINT32 };
  for (guint k = 0; k < G_N_ELEMENTS (parallels); k++)
    {
      g_auto (Fixture) f = { NULL };
      fixture_init (&f, NULL);
      SluiceEdge limit = fixture_placeholder (&f, "limit", SLUICE_FLOAT);
      SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
      Loop loop = { "loop", parallels[k] };
      name_result (&f, "result",
                   counted_loop (&f, &loop, limit, fixture_scalar (&f, 1), x, add_step));
      fixture_extend (&f);
      for (int trips = 0; trips < 20; trips++)
        g_assert_cmpfloat (run_trips (&f, trips, 0.5f), ==, expected (trips, 0.5f));
      run_trips (&f, 2000, 0);
    }
}

/* A constant that another thread brings while the first iteration waits for it. */
static SluiceEdge
pass_on (Fixture *f, SluiceEdge x, SluiceEdge step)
{
  SluiceEdge later = sluice_op (&f->b, "TestLater", x);
  return sluice_op (&f->b, "Add", sluice_op (&f->b, "Add", later, x), step);
}

static void
test_late_values (void)
{
  for (guint threads = 1; threads <= 2; threads++)
    {
      sluice_pool_set_threads (threads);
      g_auto (Fixture) f = { NULL };
      fixture_init (&f, NULL);
      fixture_go = 1;
      SluiceEdge limit = fixture_placeholder (&f, "limit", SLUICE_FLOAT);
      SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
      SluiceEdge one = sluice_op (&f.b, "TestLater", fixture_scalar (&f, 1));
      Loop loop = { "loop", 4 };
      name_result (&f, "result", counted_loop (&f, &loop, limit, one, x, pass_on));
      fixture_extend (&f);
      for (int trips = 0; trips < 10; trips++)
        g_assert_cmpfloat (run_trips (&f, trips, 1), ==, expected (trips, 1));
    }
  sluice_pool_set_threads (1);
}

/* Inside an iteration another loop of three trips. */
static SluiceEdge
inner_loop (Fixture *f, SluiceEdge x, SluiceEdge step)
{
  static const Loop loop = { "inner", 2 };
  SluiceEdge three = sluice_op (&f->b, "Add", sluice_op (&f->b, "Add", step, step), step);
  return counted_loop (f, &loop, three, step, x, add_step);
}

static void
test_nested (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge limit = fixture_placeholder (&f, "limit", SLUICE_FLOAT);
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  Loop loop = { "outer", 3 };
  name_result (&f, "result",
               counted_loop (&f, &loop, limit, fixture_scalar (&f, 1), x, inner_loop));
  fixture_extend (&f);
  for (int trips = 0; trips < 5; trips++)
    g_assert_cmpfloat (run_trips (&f, trips, 0.25f), ==, expected (3 * trips, 0.25f));
}

/* A loop in the branch that is not taken: its Exits are dead, and the step ends. */
static void
test_untaken (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge limit = fixture_placeholder (&f, "limit", SLUICE_FLOAT);
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  SluiceEdge pred = sluice_op (&f.b, "Greater", limit, fixture_scalar (&f, 2));
  SluiceEdge some = sluice_op (&f.b, "Switch", limit, pred);
  SluiceEdge value = sluice_op (&f.b, "Switch", x, pred);
  Loop loop = { "loop", 3 };
  SluiceEdge done = counted_loop (&f, &loop, sluice_edge_port (some, 1), fixture_scalar (&f, 1),
                                  sluice_edge_port (value, 1), add_step);
  name_result (&f, "result", sluice_op (&f.b, "Merge", value, done));
  fixture_extend (&f);
  for (int trips = 0; trips < 6; trips++)
    g_assert_cmpfloat (run_trips (&f, trips, 7), ==, trips > 2 ? expected (trips, 7) : 7);
}

/* ---- ends ---- */

static SluiceEdge
count_runs (Fixture *f, SluiceEdge x, SluiceEdge step)
{
  return sluice_op (&f->b, "TestCount", x);
}

static void
build_runaway (Fixture *f)
{
  Loop loop = { "forever", 10 };
  SluiceEdge limit = fixture_scalar (f, G_MAXFLOAT);
  name_result (
      f, "result",
      counted_loop (f, &loop, limit, fixture_scalar (f, 1), fixture_scalar (f, 1), count_runs));
  fixture_extend (f);
}

static void *
cancel_when_it_runs (void *data)
{
  while (fixture_count < 1000)
    g_thread_yield ();
  g_cancellable_cancel (data);
  return NULL;
}

static void
test_cancel (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  build_runaway (&f);
  for (int round = 0; round < 3; round++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      SluiceRunOptions options = { .cancellable = cancellable };
      pthread_t thread;
      fixture_count = 0;
      pthread_create (&thread, NULL, cancel_when_it_runs, cancellable);
      g_autoptr (GError) error = NULL;
      g_assert_false (fixture_run_target (&f, "result", &options, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_CANCELLED);
      pthread_join (thread, NULL);
    }
}

static void
test_limit (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  build_runaway (&f);
  SluiceRunOptions options = { .max_iterations = 100 };
  g_autoptr (GError) error = NULL;
  g_assert_false (fixture_run_target (&f, "result", &options, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
  g_assert_nonnull (strstr (error->message, "forever"));
  g_assert_nonnull (strstr (error->message, "100"));
}

/* A loop of exactly as many iterations as the limit ends well. */
static void
test_at_limit (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  Loop loop = { "loop", 10 };
  name_result (&f, "result",
               counted_loop (&f, &loop, fixture_scalar (&f, 100), fixture_scalar (&f, 1),
                             fixture_scalar (&f, 1), count_runs));
  fixture_extend (&f);
  SluiceRunOptions options = { .max_iterations = 100 };
  g_autoptr (GError) error = NULL;
  g_assert_true (fixture_run_target (&f, "result", &options, &error));
  g_assert_no_error (error);
  g_assert_cmpint (fixture_count, ==, 100);
}

/* Values of several iterations lie on edges when a kernel fails. */
static SluiceEdge
fail_from_four_on (Fixture *f, SluiceEdge x, SluiceEdge step)
{
  SluiceEdge two = sluice_op (&f->b, "Add", step, step);
  SluiceEdge ok = sluice_op (&f->b, "Less", x, sluice_op (&f->b, "Add", two, two));
  SluiceEdge side = sluice_op (&f->b, "Switch", x, ok);
  SluiceEdge bad = sluice_op (&f->b, "TestFail", side);
  SluiceEdge good = sluice_op (&f->b, "Add", sluice_edge_port (side, 1), step);
  return sluice_op (&f->b, "Merge", bad, good);
}

static void
test_error_inside (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge limit = fixture_placeholder (&f, "limit", SLUICE_FLOAT);
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  Loop loop = { "loop", 4 };
  name_result (&f, "result",
               counted_loop (&f, &loop, limit, fixture_scalar (&f, 1), x, fail_from_four_on));
  fixture_extend (&f);
  for (int round = 0; round < 3; round++)
    {
      g_assert_cmpfloat (run_trips (&f, 3, 1), ==, 4);
      g_autoptr (SluiceTensor) ten = sluice_tensor_new_float (10);
      SluiceFeed feeds[] = { { "limit", ten }, { "x", ten } };
      const char *fetch = "result";
      SluiceTensor *output;
      g_autoptr (GError) error = NULL;
      g_assert_false (sluice_session_run (
          f.session,
          &(SluiceStepNames){ .feeds = feeds, .fetches = &fetch, .n_feeds = 2, .n_fetches = 1 },
          &output, NULL, &error));
      g_assert_nonnull (strstr (error->message, "TestFail"));
    }
}

static SluiceEdge
take_log (Fixture *f, SluiceEdge x, SluiceEdge step)
{
  return sluice_op (&f->b, "Log", x);
}

/* 2, 0.69, -0.37, and no more: the guard says in which iteration. */
static void
test_nan_guard (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .nan_guard = TRUE });
  Loop loop = { "logs", 4 };
  name_result (&f, "result",
               counted_loop (&f, &loop, fixture_scalar (&f, 9), fixture_scalar (&f, 1),
                             fixture_scalar (&f, 2), take_log));
  fixture_extend (&f);
  g_autoptr (GError) error = NULL;
  g_assert_false (fixture_run_target (&f, "result", NULL, &error));
  g_assert_nonnull (strstr (error->message, "Log"));
  g_assert_nonnull (strstr (error->message, "iteration 2 of the loop 'logs'"));
  g_assert_nonnull (strstr (error->message, "input 0 from -0.36"));
}

/* Every node of the body leaves a line an iteration, with the loop's name. */
static void
test_trace (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge limit = fixture_placeholder (&f, "limit", SLUICE_FLOAT);
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  Loop loop = { "traced", 4 };
  name_result (&f, "result", counted_loop (&f, &loop, limit, fixture_scalar (&f, 1), x, take_log));
  fixture_extend (&f);
  run_trips (&f, 3, 2);
  guint64 cursor = 0, iterations = 0;
  g_autoptr (GArray) events = sluice_session_dup_trace (f.session, &cursor, NULL);
  for (guint i = 0; i < events->len; i++)
    {
      const SluiceTraceEvent *event = &g_array_index (events, SluiceTraceEvent, i);
      if (strcmp (event->op, "Log") != 0 || event->bytes_out == 0)
        continue;
      g_assert_cmpstr (event->frame, ==, "traced");
      iterations |= 1u << event->iteration;
    }
  g_assert_cmphex (iterations, ==, 7);
}

/* ---- what is wrong from the start ---- */

static void
expect_refusal (Fixture *f, const char *target, const char *const *words)
{
  g_autoptr (GError) error = NULL;
  fixture_extend (f);
  g_assert_false (fixture_run_target (f, target, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  for (; *words; words++)
    if (!strstr (error->message, *words))
      g_error ("'%s' does not say '%s'", error->message, *words);
}

static void
test_exit_without_enter (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  name_result (&f, "result", sluice_op (&f.b, "Exit", fixture_scalar (&f, 1)));
  expect_refusal (&f, "result", (const char *[]){ "Exit", "Enter", NULL });
}

static void
test_next_without_enter (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  name_result (&f, "result", sluice_op (&f.b, "NextIteration", fixture_scalar (&f, 1)));
  expect_refusal (&f, "result", (const char *[]){ "NextIteration", "Enter", NULL });
}

static void
test_different_frames (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge one = enter (&f, &(Loop){ "one", 1 }, fixture_scalar (&f, 1), FALSE);
  SluiceEdge two = enter (&f, &(Loop){ "two", 1 }, fixture_scalar (&f, 1), FALSE);
  SluiceEdge sum = sluice_op (&f.b, "Add", one, two);
  name_result (&f, "result", sluice_op (&f.b, "Exit", sum));
  expect_refusal (&f, "result",
                  (const char *[]){ "different frames", "'one'", "'two'", sum.node->name, NULL });
}

static void
test_no_parallel_iterations (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge in = enter (&f, &(Loop){ "loop", 0 }, fixture_scalar (&f, 1), FALSE);
  name_result (&f, "result", sluice_op (&f.b, "Exit", in));
  expect_refusal (&f, "result", (const char *[]){ "parallel_iterations", "1", NULL });
}

static void
test_fetch_inside (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  SluiceEdge in = enter (&f, &(Loop){ "loop", 1 }, fixture_scalar (&f, 1), FALSE);
  name_result (&f, "inside", in);
  fixture_extend (&f);
  g_autoptr (GError) error = NULL;
  const char *fetch = "inside";
  SluiceTensor *output;
  g_assert_false (sluice_session_run (
      f.session, &(SluiceStepNames){ .fetches = &fetch, .n_fetches = 1 }, &output, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "'loop'"));
}

/* An Exit that has a value in every iteration. */
static void
test_exit_of_body (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, NULL);
  Loop loop = { "loop", 1 };
  SluiceEdge one = fixture_scalar (&f, 1);
  SluiceEdge i = merge (&f, enter (&f, &loop, one, FALSE));
  SluiceEdge top = enter (&f, &loop, fixture_scalar (&f, 5), TRUE);
  SluiceEdge pred = sluice_op (&f.b, "LoopCond", sluice_op (&f.b, "Less", i, top));
  SluiceEdge i_switch = sluice_op (&f.b, "Switch", i, pred);
  SluiceEdge next = sluice_op (&f.b, "Add", sluice_edge_port (i_switch, 1), top);
  SluiceEdge again = sluice_op (&f.b, "Sub", next, top);
  SluiceEdge more = sluice_op (&f.b, "Add", again, enter (&f, &loop, one, TRUE));
  close_loop (&f, i, more);
  name_result (&f, "result", sluice_op (&f.b, "Exit", more));
  expect_refusal (&f, "result", (const char *[]){ "more than one iteration", NULL });
}

/* ---- devices ---- */

static SluiceEdge
far_step (Fixture *f, SluiceEdge x, SluiceEdge step)
{
  f->b.device = "/cpu:1";
  SluiceEdge sum = sluice_op (&f->b, "Add", x, x);
  f->b.device = NULL;
  return sluice_op (&f->b, "Add", sum, step);
}

static void
test_devices (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .n_cpus = 2 });
  SluiceEdge limit = fixture_placeholder (&f, "limit", SLUICE_FLOAT);
  SluiceEdge x = fixture_placeholder (&f, "x", SLUICE_FLOAT);
  Loop loop = { "loop", 4 };
  name_result (&f, "result", counted_loop (&f, &loop, limit, fixture_scalar (&f, 1), x, far_step));
  fixture_extend (&f);
  for (int trips = 0; trips < 20; trips++)
    g_assert_cmpfloat (run_trips (&f, trips, 0.5f), ==, expected (trips, 0.5f));
}

/* Without a LoopCond devices would not know when the loop ends. */
static void
test_devices_without_pivot (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .n_cpus = 2 });
  Loop loop = { "loop", 4 };
  SluiceEdge i = merge (&f, enter (&f, &loop, fixture_scalar (&f, 1), FALSE));
  SluiceEdge top = enter (&f, &loop, fixture_scalar (&f, 5), TRUE);
  SluiceEdge i_switch = sluice_op (&f.b, "Switch", i, sluice_op (&f.b, "Less", i, top));
  close_loop (&f, i, far_step (&f, sluice_edge_port (i_switch, 1), top));
  name_result (&f, "result", sluice_op (&f.b, "Exit", i_switch));
  expect_refusal (&f, "result", (const char *[]){ "LoopCond", "'loop'", "devices", NULL });
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  sluice_pool_set_threads (1);
  g_test_add_func ("/runtime/loops/trips", test_trips);
  g_test_add_func ("/runtime/loops/late-values", test_late_values);
  g_test_add_func ("/runtime/loops/nested", test_nested);
  g_test_add_func ("/runtime/loops/untaken", test_untaken);
  g_test_add_func ("/runtime/loops/cancel", test_cancel);
  g_test_add_func ("/runtime/loops/limit", test_limit);
  g_test_add_func ("/runtime/loops/at-limit", test_at_limit);
  g_test_add_func ("/runtime/loops/error-inside", test_error_inside);
  g_test_add_func ("/runtime/loops/nan-guard", test_nan_guard);
  g_test_add_func ("/runtime/loops/trace", test_trace);
  g_test_add_func ("/runtime/loops/exit-without-enter", test_exit_without_enter);
  g_test_add_func ("/runtime/loops/next-without-enter", test_next_without_enter);
  g_test_add_func ("/runtime/loops/different-frames", test_different_frames);
  g_test_add_func ("/runtime/loops/no-parallel-iterations", test_no_parallel_iterations);
  g_test_add_func ("/runtime/loops/fetch-inside", test_fetch_inside);
  g_test_add_func ("/runtime/loops/exit-of-body", test_exit_of_body);
  g_test_add_func ("/runtime/loops/devices", test_devices);
  g_test_add_func ("/runtime/loops/devices-without-pivot", test_devices_without_pivot);
  return g_test_run ();
}
