/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Who holds memory, how much there may be, what leaves it, and that steady steps need no more. */
#include <string.h>

#include "engine/base/pool.h"
#include "engine/grad/grad.h"
#include "engine/graph/graphdef.h"
#include "tests/engine/runtime/fixture.h"
#include "tests/engine/runtime/lstm.h"

#define N_STEPS 60

static const LstmSize small = { 64, 32, 32, FALSE };
static const LstmSize small_swapping = { 64, 32, 32, TRUE };

/* device (nullable): "SIM:0", whose memory the limit is then of; 0: none */
static void
lstm_init_on (Fixture *f, const LstmSize *size, const char *device, gsize limit)
{
  g_autofree char *memory =
      device != NULL && limit > 0 ? g_strdup_printf ("memory=%" G_GSIZE_FORMAT, limit) : NULL;
  fixture_init (f, &(SluiceSessionOptions){ .device = device,
                                            .device_options = memory,
                                            .memory_limit = device != NULL ? 0 : limit,
                                            .seed = 1 });
  lstm_build (f->graph, size);
  fixture_extend (f);
  g_autoptr (GError) error = NULL;
  fixture_run_target (f, "init", NULL, &error);
  g_assert_no_error (error);
}

static void
lstm_init (Fixture *f, const LstmSize *size, gsize limit)
{
  lstm_init_on (f, size, NULL, limit);
}

/* One step; the gradient of the kernel. (transfer full) (nullable) */
static SluiceTensor *
train (Fixture *f, gint32 n_steps, GError **error)
{
  static const char *const fetches[] = { "gradients/kernel:0", "loss:0" }, *const target = "train";
  g_autoptr (SluiceTensor) steps = sluice_tensor_new_int32 (n_steps);
  SluiceFeed feed = { "steps:0", steps };
  SluiceTensor *outputs[2] = { NULL };
  if (!sluice_session_run (f->session,
                           &(SluiceStepNames){ .feeds = &feed,
                                               .fetches = fetches,
                                               .targets = &target,
                                               .n_feeds = 1,
                                               .n_fetches = 2,
                                               .n_targets = 1 },
                           outputs, NULL, error))
    return NULL;
  sluice_tensor_unref (outputs[1]);
  return outputs[0];
}

/* The one that computes. */
static SluiceDevice *
device_of (Fixture *f)
{
  return sluice_session_get_device (f->session, sluice_session_get_n_devices (f->session) - 1);
}

static SluiceMemoryStats
stats_of (Fixture *f)
{
  SluiceMemoryStats stats;
  sluice_allocator_get_stats (device_of (f)->allocator, &stats);
  return stats;
}

/* What a step needs without a limit. */
static gsize
measure_peak_on (const LstmSize *size, const char *device, gint32 n_steps)
{
  g_auto (Fixture) f = { NULL };
  lstm_init_on (&f, size, device, 0);
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) gradient = train (&f, n_steps, &error);
  g_assert_no_error (error);
  return stats_of (&f).peak_bytes;
}

static gsize
measure_peak (const LstmSize *size, gint32 n_steps)
{
  return measure_peak_on (size, NULL, n_steps);
}

/* The same bits in half and in a third of the memory. */
static void
test_swapping (gconstpointer device)
{
  gsize peak = measure_peak_on (&small, device, N_STEPS);
  static const gint64 parallels[] = { 1, 32 };
  for (guint k = 0; k < G_N_ELEMENTS (parallels); k++)
    for (gsize part = 2; part <= 3; part++)
      {
        LstmSize size = small_swapping;
        size.parallel_iterations = parallels[k];
        g_auto (Fixture) free = { NULL }, tight = { NULL };
        lstm_init_on (&free, &small, device, 0);
        lstm_init_on (&tight, &size, device, peak / part);
        for (int step = 0; step < 3; step++)
          {
            g_autoptr (GError) error = NULL;
            g_autoptr (SluiceTensor) want = train (&free, N_STEPS, &error);
            g_assert_no_error (error);
            g_autoptr (SluiceTensor) got = train (&tight, N_STEPS, &error);
            g_assert_no_error (error);
            g_assert_true (sluice_tensor_identical (want, got));
          }
        SluiceSwapStats stats;
        sluice_swap_get_stats (device_of (&tight)->swap, &stats);
        g_assert_cmpuint (stats.n_written, >, 0);
        g_assert_cmpuint (stats.bytes_out, ==, 0);
        g_assert_cmpuint (stats_of (&tight).peak_bytes, <=, peak / part);
      }
}

/* Loops of TensorFlow that say it in their contexts only (swap/make-swap.py), and the gradient of
 * one of them for x. */
static void
load_loops (Fixture *f, const char *y, gsize limit)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "tests", "engine",
                                            "runtime", "swap", "swap.meta.gz", NULL);
  fixture_init (f, &(SluiceSessionOptions){ .memory_limit = limit, .seed = 1 });
  sluice_graph_unref (f->graph);
  f->graph = sluice_graph_load_file (path, &error);
  g_assert_no_error (error);
  SluiceEdge ys = { sluice_graph_find (f->graph, y), 0 },
             xs = { sluice_graph_find (f->graph, "x"), 0 };
  SluiceGrad dx;
  sluice_gradients (f->graph, "g", &ys, 1, NULL, &xs, 1, &dx, &error);
  g_assert_no_error (error);
  SluiceAttr dtype = sluice_attr_type ("T", SLUICE_FLOAT);
  sluice_builder_init (&f->b, f->graph, NULL);
  sluice_builder_add (&f->b, "Identity", "dx", &dx.values, 1, &dtype, 1);
  g_assert_no_error (f->b.error);
  fixture_extend (f);
}

/* (transfer full) (nullable) */
static SluiceTensor *
run_loops (Fixture *f, GError **error)
{
  g_autoptr (SluiceTensor) x = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (64, 64));
  for (gint64 i = 0; i < x->n_elements; i++)
    ((float *) x->data)[i] = (float) (i % 17 + 1) / 32;
  const char *fetch = "dx:0";
  SluiceTensor *dx = NULL;
  sluice_session_run (
      f->session,
      &(SluiceStepNames){
          .feeds = &(SluiceFeed){ "x:0", x }, .fetches = &fetch, .n_feeds = 1, .n_fetches = 1 },
      &dx, NULL, error);
  return dx;
}

/* How many stacks may leave the memory, of how many. */
static guint
count_swapping (SluiceGraph *graph, guint *n_stacks)
{
  guint n = 0;
  *n_stacks = 0;
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      if (!g_str_equal (node->op_name, "StackPushV2"))
        continue;
      n += sluice_node_get_bool (node, "swap_memory");
      ++*n_stacks;
    }
  return n;
}

static void
test_contexts (void)
{
  static const struct
  {
    const char *y;
    gboolean all, none;
  } cases[] = { { "conditional", TRUE, FALSE }, { "unmarked", FALSE, TRUE }, { "nested" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (Fixture) f = { NULL };
      load_loops (&f, cases[i].y, 0);
      guint n_stacks, n = count_swapping (f.graph, &n_stacks);
      g_assert_cmpuint (n_stacks, >, 0);
      g_assert_true (cases[i].none ? n == 0 : cases[i].all ? n == n_stacks : n < n_stacks);
    }
}

static void
test_contexts_run (void)
{
  const gsize limit = 500000; /* 60 values of 16384 bytes are kept */
  g_auto (Fixture) free = { NULL }, tight = { NULL }, unmarked = { NULL };
  load_loops (&free, "conditional", 0);
  load_loops (&tight, "conditional", limit);
  load_loops (&unmarked, "unmarked", limit);
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) want = run_loops (&free, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceTensor) got = run_loops (&tight, &error);
  g_assert_no_error (error);
  g_assert_true (sluice_tensor_identical (want, got));
  SluiceSwapStats stats;
  sluice_swap_get_stats (device_of (&tight)->swap, &stats);
  g_assert_cmpuint (stats.n_written, >, 0);
  g_assert_null (run_loops (&unmarked, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
}

/* Without swap_memory nothing leaves, and the message says who holds what and what to do. */
static void
test_limit (void)
{
  gsize peak = measure_peak (&small, N_STEPS);
  g_auto (Fixture) f = { NULL };
  lstm_init (&f, &small, peak / 2);
  for (int step = 0; step < 3; step++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (train (&f, N_STEPS, &error));
      g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
      g_assert_nonnull (strstr (error->message, "device:CPU:0 may use"));
      g_assert_nonnull (strstr (error->message, "(stack)"));
      g_assert_nonnull (strstr (error->message, "'kernel' (parameter)"));
      g_assert_nonnull (strstr (error->message, "float [64,32]"));
      g_assert_nonnull (strstr (error->message, "swap_memory=true"));
      g_assert_nonnull (strstr (error->message, "it would fit with a limit of"));
    }
  /* What does fit still works. */
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) gradient = train (&f, 2, &error);
  g_assert_no_error (error);
}

static void
test_variable (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .memory_limit = 30000, .seed = 1 });
  lstm_build (f.graph, &small);
  fixture_extend (&f);
  g_autoptr (GError) error = NULL;
  g_assert_false (fixture_run_target (&f, "init", NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
  g_assert_nonnull (strstr (error->message, "variable 'kernel'"));
  g_assert_nonnull (strstr (error->message, "float [64,128] (32768 bytes)"));
  g_assert_nonnull (strstr (error->message, "this alone is more than the limit"));
}

/* Every limit from nothing on: a message or the result, never more than the limit. */
static void
test_any_limit (void)
{
  gsize peak = measure_peak (&small, 10);
  for (gsize limit = 1; limit < peak; limit += peak / 37)
    {
      g_auto (Fixture) f = { NULL };
      fixture_init (&f, &(SluiceSessionOptions){ .memory_limit = limit, .seed = 1 });
      lstm_build (f.graph, &small_swapping);
      fixture_extend (&f);
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceTensor) gradient = NULL;
      if (fixture_run_target (&f, "init", NULL, &error))
        gradient = train (&f, 10, &error);
      g_assert_true ((gradient != NULL) != (error != NULL));
      if (error)
        g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
      g_assert_cmpuint (stats_of (&f).peak_bytes, <=, limit);
    }
}

/* A folder that is not there: said where memory ends, and nothing is lost for what fits. */
static void
test_no_disk (void)
{
  gsize peak = measure_peak (&small, N_STEPS);
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){
                        .memory_limit = peak / 2, .swap_folder = "/nowhere/at/all", .seed = 1 });
  lstm_build (f.graph, &small_swapping);
  fixture_extend (&f);
  g_autoptr (GError) error = NULL;
  fixture_run_target (&f, "init", NULL, &error);
  g_assert_no_error (error);
  g_assert_null (train (&f, N_STEPS, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_RESOURCE_EXHAUSTED);
  g_assert_nonnull (strstr (error->message, "/nowhere/at/all"));
  g_clear_error (&error);
  g_autoptr (SluiceTensor) gradient = train (&f, 2, &error);
  g_assert_no_error (error);
}

static gsize
bytes_of (Fixture *f, const SluiceLedger *ledger, const char *node)
{
  SluiceAllocator *allocator = sluice_session_get_device (f->session, 0)->allocator;
  g_autofree char *quoted = g_strdup_printf ("'%s'", node);
  gsize bytes = 0;
  for (guint i = 0; i < ledger->holders->len; i++)
    {
      const SluiceMemoryHolder *holder = &g_array_index (ledger->holders, SluiceMemoryHolder, i);
      g_autofree char *name = sluice_allocator_dup_node_name (allocator, holder->owner.node);
      if (g_strcmp0 (name, quoted) == 0)
        bytes += holder->bytes;
    }
  return bytes;
}

static void
test_ledger (void)
{
  g_auto (Fixture) f = { NULL };
  lstm_init (&f, &small, 0);
  g_assert_true (sluice_session_record_memory (f.session));
  g_assert_false (sluice_session_record_memory (f.session));
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTensor) gradient = train (&f, N_STEPS, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceLedger) ledger = sluice_session_dup_ledger (f.session, 0);
  gsize sum = 0, by_holder = 0;
  for (guint i = 0; i < SLUICE_N_MEMORY_CLASSES; i++)
    sum += ledger->class_bytes[i];
  for (guint i = 0; i < ledger->holders->len; i++)
    by_holder += g_array_index (ledger->holders, SluiceMemoryHolder, i).bytes;
  g_assert_cmpuint (sum, ==, ledger->peak_bytes);
  g_assert_cmpuint (by_holder, ==, ledger->peak_bytes);
  g_assert_cmpuint (ledger->peak_bytes, <=, stats_of (&f).peak_bytes);
  g_assert_cmpuint (bytes_of (&f, ledger, "kernel"), >=, 64 * 128 * 4);
  g_assert_cmpuint (ledger->class_bytes[SLUICE_MEMORY_PARAMETER], >=, (64 + 1) * 128 * 4);
  /* At the least the gates of every step. */
  g_assert_cmpuint (ledger->class_bytes[SLUICE_MEMORY_STACK], >=, N_STEPS * 4 * 64 * 32 * 4);
  g_assert_cmpuint (ledger->n_allocations, >, N_STEPS);
  g_assert_null (sluice_session_dup_ledger (f.session, 0));
}

/* A steady step asks the system for nothing: a loop with its gradient. On one thread, where the
 * order is the same in each step and so is the most that is live. */
static void
test_steady_loop (void)
{
  g_auto (Fixture) f = { NULL };
  sluice_pool_set_threads (1);
  lstm_init (&f, &small, 0);
  guint64 fresh = 0;
  for (int step = 0; step < 12; step++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SluiceTensor) gradient = train (&f, 20, &error);
      g_assert_no_error (error);
      if (step == 5)
        fresh = stats_of (&f).n_fresh;
    }
  g_assert_cmpuint (stats_of (&f).n_fresh, ==, fresh);
  sluice_pool_set_threads (0);
}

/* The same of a net of convolutions that trains. */
static void
test_steady_net (void)
{
  g_auto (Fixture) f = { NULL };
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "data", "samples",
                                            "digits-lenet", "model.pbtxt", NULL);
  sluice_pool_set_threads (1);
  fixture_init (&f, &(SluiceSessionOptions){ .seed = 1 });
  g_clear_pointer (&f.graph, sluice_graph_unref);
  f.graph = sluice_graph_load_file (path, &error);
  g_assert_no_error (error);
  sluice_session_extend (f.session, f.graph, &error);
  g_assert_no_error (error);
  fixture_run_target (&f, "init", NULL, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceTensor) x = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (64, 8, 8, 1));
  g_autoptr (SluiceTensor) y = sluice_tensor_new_zeros (SLUICE_INT64, &SLUICE_SHAPE (64));
  SluiceFeed feeds[] = { { "input/x:0", x }, { "input/y:0", y } };
  const char *fetch = "loss/value:0", *target = "train/step";
  guint64 fresh = 0;
  for (int step = 0; step < 12; step++)
    {
      g_autoptr (SluiceTensor) loss = NULL;
      sluice_session_run (f.session,
                          &(SluiceStepNames){ .feeds = feeds,
                                              .fetches = &fetch,
                                              .targets = &target,
                                              .n_feeds = 2,
                                              .n_fetches = 1,
                                              .n_targets = 1 },
                          &loss, NULL, &error);
      g_assert_no_error (error);
      if (step == 5)
        fresh = stats_of (&f).n_fresh;
    }
  g_assert_cmpuint (stats_of (&f).n_fresh, ==, fresh);
  SluiceMemoryStats stats = stats_of (&f);
  g_assert_cmpuint (stats.class_bytes[SLUICE_MEMORY_PARAMETER], >, 0);
  g_assert_cmpuint (stats.class_bytes[SLUICE_MEMORY_OPTIMIZER], >, 0); /* momentum */
  sluice_pool_set_threads (0);
}

/* x -> Tanh -> … : each works in the memory of the one before, and what is over is gone. */
static void
test_in_place (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .no_optimize = TRUE });
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_shape ("shape", &SLUICE_SHAPE (1000)) };
  SluiceEdge x = sluice_builder_add (&f.b, "Placeholder", "x", NULL, 0, attrs, 2);
  SluiceEdge chain = sluice_op (&f.b, "Tanh", x);
  for (int i = 0; i < 9; i++)
    chain = sluice_op (&f.b, "Tanh", chain);
  sluice_builder_add (&f.b, "Identity", "result", &chain, 1, NULL, 0);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) feed = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (1000));
  const char *fetch = "result:0";
  g_autoptr (GError) error = NULL;
  for (int step = 0; step < 3; step++)
    {
      g_autoptr (SluiceTensor) output = NULL;
      g_assert_true (sluice_session_record_memory (f.session));
      sluice_session_run (f.session,
                          &(SluiceStepNames){ .feeds = &(SluiceFeed){ "x:0", feed },
                                              .fetches = &fetch,
                                              .n_feeds = 1,
                                              .n_fetches = 1 },
                          &output, NULL, &error);
      g_assert_no_error (error);
      g_autoptr (SluiceLedger) ledger = sluice_session_dup_ledger (f.session, 0);
      /* One buffer for the whole chain. */
      g_assert_cmpuint (ledger->peak_bytes, <, 2 * 4000);
    }
  g_assert_cmpuint (stats_of (&f).live_bytes, ==, 0);
}

/* A chain whose nodes cannot work in place: two values at a time, whatever its length. */
static void
test_death_at_last_use (void)
{
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, &(SluiceSessionOptions){ .no_optimize = TRUE });
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_shape ("shape", &SLUICE_SHAPE (64, 64)) };
  SluiceEdge x = sluice_builder_add (&f.b, "Placeholder", "x", NULL, 0, attrs, 2);
  SluiceEdge chain = x;
  for (int i = 0; i < 20; i++)
    chain = sluice_op (&f.b, "MatMul", chain, x);
  sluice_builder_add (&f.b, "Identity", "result", &chain, 1, NULL, 0);
  fixture_extend (&f);
  g_autoptr (SluiceTensor) feed = sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (64, 64));
  g_autoptr (SluiceTensor) output = NULL;
  g_autoptr (GError) error = NULL;
  const char *fetch = "result:0";
  g_assert_true (sluice_session_record_memory (f.session));
  sluice_session_run (
      f.session,
      &(SluiceStepNames){
          .feeds = &(SluiceFeed){ "x:0", feed }, .fetches = &fetch, .n_feeds = 1, .n_fetches = 1 },
      &output, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceLedger) ledger = sluice_session_dup_ledger (f.session, 0);
  g_assert_cmpuint (ledger->peak_bytes, >=, 2 * 64 * 64 * 4);
  g_assert_cmpuint (ledger->peak_bytes, <, 3 * 64 * 64 * 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  g_test_add_data_func ("/runtime/memory/swapping", NULL, test_swapping);
  g_test_add_data_func ("/runtime/memory/swapping-of-far", "SIM:0", test_swapping);
  g_test_add_func ("/runtime/memory/contexts", test_contexts);
  g_test_add_func ("/runtime/memory/contexts-run", test_contexts_run);
  g_test_add_func ("/runtime/memory/limit", test_limit);
  g_test_add_func ("/runtime/memory/variable", test_variable);
  g_test_add_func ("/runtime/memory/any-limit", test_any_limit);
  g_test_add_func ("/runtime/memory/no-disk", test_no_disk);
  g_test_add_func ("/runtime/memory/ledger", test_ledger);
  g_test_add_func ("/runtime/memory/steady-loop", test_steady_loop);
  g_test_add_func ("/runtime/memory/steady-net", test_steady_net);
  g_test_add_func ("/runtime/memory/in-place", test_in_place);
  g_test_add_func ("/runtime/memory/death-at-last-use", test_death_at_last_use);
  return g_test_run ();
}
