/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Values that are computed again instead of being kept: the bits are the same, the peak is lower,
 * and what must not be computed twice is not. */
#include <string.h>

#include "engine/base/pool.h"
#include "engine/grad/grad.h"
#include "tests/engine/runtime/fixture.h"
#include "tests/engine/runtime/lstm.h"

#define MOST_FETCHES 16

/* What one step gives and needs. */
typedef struct
{
  SluiceTensor *outputs[MOST_FETCHES];
  guint n_outputs;
  gsize peak;
  guint64 n_nodes;
} Step;

static SluiceSessionOptions
options_of (gboolean recompute, gboolean no_fusion)
{
  return (SluiceSessionOptions){ .seed = 1, .recompute = recompute, .no_fusion = no_fusion };
}

static SluiceTensor *
random_tensor (GRand *rand, const SluiceShape *shape)
{
  SluiceTensor *tensor = sluice_tensor_new_zeros (SLUICE_FLOAT, shape);
  for (gint64 i = 0; i < tensor->n_elements; i++)
    ((float *) tensor->data)[i] = (float) g_rand_double_range (rand, -1, 1);
  return tensor;
}

static SluiceEdge
placeholder (Fixture *f, const char *name, const SluiceShape *shape)
{
  return sluice_builder_add (
      &f->b, "Placeholder", name, NULL, 0,
      SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT), sluice_attr_shape ("shape", shape)));
}

static SluiceEdge
named (Fixture *f, const char *op, const char *name, SluiceEdge a, SluiceEdge b)
{
  SluiceEdge inputs[] = { a, b };
  return sluice_builder_add (&f->b, op, name, inputs, b.node ? 2 : 1, NULL, 0);
}

/* The sum of all elements. */
static SluiceEdge
sum (Fixture *f, const char *name, SluiceEdge x, guint rank)
{
  static const gint64 axes[] = { 0, 1 };
  return named (f, "Sum", name, x, sluice_builder_const_ints (&f->b, SLUICE_INT32, axes, rank));
}

/* The second of two runs: what is kept between runs is there then. */
static void
run_step (Step *step,
          Fixture *f,
          const SluiceFeed *feeds,
          guint n_feeds,
          const char *const *fetches,
          const char *target)
{
  g_autoptr (GError) error = NULL;
  SluiceSessionStats before, after;
  *step = (Step){ .n_outputs = g_strv_length ((char **) fetches) };
  for (guint i = 0; i < 2; i++)
    {
      for (guint k = 0; k < step->n_outputs; k++)
        g_clear_pointer (&step->outputs[k], sluice_tensor_unref);
      sluice_session_get_stats (f->session, &before);
      g_assert_true (sluice_session_record_memory (f->session));
      sluice_session_run (f->session,
                          &(SluiceStepNames){ .feeds = feeds,
                                              .fetches = fetches,
                                              .targets = &target,
                                              .n_feeds = n_feeds,
                                              .n_fetches = step->n_outputs,
                                              .n_targets = target != NULL },
                          step->outputs, NULL, &error);
      g_assert_no_error (error);
      g_autoptr (SluiceLedger) ledger = sluice_session_dup_ledger (f->session, 0);
      sluice_session_get_stats (f->session, &after);
      step->peak = ledger->peak_bytes;
      step->n_nodes = after.n_nodes_run - before.n_nodes_run;
    }
}

/* Compares the outputs, and lets go of them. */
static void
check_same (Step *a, Step *b)
{
  g_assert_cmpuint (a->n_outputs, ==, b->n_outputs);
  for (guint i = 0; i < a->n_outputs; i++)
    {
      SluiceTensor *x = a->outputs[i], *y = b->outputs[i];
      g_assert_true (sluice_shape_equal (&x->shape, &y->shape));
      g_assert_cmpmem (x->data, sluice_tensor_bytes (x), y->data, sluice_tensor_bytes (y));
      sluice_tensor_unref (x);
      sluice_tensor_unref (y);
    }
}

/* ---- deep nets ---- */

#define N_LAYERS 8
#define WIDTH    64

/* Layers whose activation is x·sigmoid(x), and what training fetches of them. */
static void
build_net (Fixture *f, gint64 batch)
{
  SluiceEdge h = placeholder (f, "x", &SLUICE_SHAPE (batch, WIDTH)), xs[N_LAYERS];
  SluiceGrad grads[N_LAYERS];
  for (guint i = 0; i < N_LAYERS; i++)
    {
      g_autofree char *name = g_strdup_printf ("w%u", i);
      xs[i] = placeholder (f, name, &SLUICE_SHAPE (WIDTH, WIDTH));
      SluiceEdge z = sluice_op (&f->b, "MatMul", h, xs[i]);
      h = sluice_op (&f->b, "Mul", z, sluice_op (&f->b, "Sigmoid", z));
    }
  SluiceEdge loss = sum (f, "loss", h, 2);
  g_assert_no_error (f->b.error);
  g_autoptr (GError) error = NULL;
  sluice_gradients (f->graph, "gradients", &loss, 1, NULL, xs, N_LAYERS, grads, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < N_LAYERS; i++)
    {
      g_autofree char *name = g_strdup_printf ("d%u", i);
      named (f, "Identity", name, grads[i].values, SLUICE_NO_EDGE);
    }
  fixture_extend (f);
}

static void
train_net (Step *step, gint64 batch, const SluiceSessionOptions *options)
{
  static const char *const fetches[] = { "loss:0", "d0:0", "d1:0", "d2:0", "d3:0",
                                         "d4:0",   "d5:0", "d6:0", "d7:0", NULL };
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, options);
  build_net (&f, batch);
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  SluiceFeed feeds[N_LAYERS + 1];
  char *names[N_LAYERS + 1];
  for (guint i = 0; i <= N_LAYERS; i++)
    {
      names[i] = i < N_LAYERS ? g_strdup_printf ("w%u:0", i) : g_strdup ("x:0");
      feeds[i] =
          (SluiceFeed){ names[i],
                        random_tensor (rand, &SLUICE_SHAPE (i < N_LAYERS ? WIDTH : 512, WIDTH)) };
    }
  run_step (step, &f, feeds, N_LAYERS + 1, fetches, NULL);
  for (guint i = 0; i <= N_LAYERS; i++)
    {
      sluice_tensor_unref (feeds[i].tensor);
      g_free (names[i]);
    }
}

/* z stays for the products' gradients; of its two followers none has to. */
static void
check_net (gint64 batch, gboolean no_fusion, guint n_threads)
{
  Step kept, again;
  sluice_pool_set_threads (1);
  SluiceSessionOptions keeps = options_of (FALSE, no_fusion);
  SluiceSessionOptions computes = options_of (TRUE, no_fusion);
  train_net (&kept, batch, &keeps);
  sluice_pool_set_threads (n_threads);
  train_net (&again, batch, &computes);
  check_same (&kept, &again);
  g_test_message ("peak %zu, %zu with values computed again; %" G_GUINT64_FORMAT
                  " nodes, %" G_GUINT64_FORMAT,
                  kept.peak, again.peak, kept.n_nodes, again.n_nodes);
  if (no_fusion)
    g_assert_cmpuint (again.n_nodes, >=, kept.n_nodes + N_LAYERS - 2);
  if (n_threads == 1)
    g_assert_cmpuint (again.peak * 4, <, kept.peak * 3);
}

static void
test_net (void)
{
  check_net (512, TRUE, 1);
  check_net (512, FALSE, 1);
  check_net (512, FALSE, 3);
}

static void
test_unknown_batch (void)
{
  check_net (-1, TRUE, 1);
  check_net (-1, FALSE, 1);
}

/* ---- programs by lot ---- */

#define N_FEEDS 4
#define N_NODES 40

static void
build_program (Fixture *f, GRand *rand)
{
  static const char *const unary[] = { "Neg", "Square", "Tanh", "Relu", "Sigmoid", "Softplus" };
  static const char *const binary[] = { "AddV2", "Sub", "Mul", "Maximum", "MatMul" };
  SluiceEdge values[N_FEEDS + N_NODES];
  SluiceGrad grads[N_FEEDS];
  guint n = 0;
  for (; n < N_FEEDS; n++)
    {
      g_autofree char *name = g_strdup_printf ("x%u", n);
      values[n] = placeholder (f, name, &SLUICE_SHAPE (24, 24));
    }
  for (; n < N_FEEDS + N_NODES; n++)
    {
      SluiceEdge a = values[n - 1 - (guint) g_rand_int_range (rand, 0, 3)];
      SluiceEdge b = values[g_rand_int_range (rand, 0, (gint32) n)];
      guint one = (guint) g_rand_int_range (rand, 0, G_N_ELEMENTS (unary));
      guint two = (guint) g_rand_int_range (rand, 0, G_N_ELEMENTS (binary));
      values[n] = g_rand_boolean (rand) ? sluice_op (&f->b, unary[one], a)
                                        : sluice_op (&f->b, binary[two], a, b);
      /* Nothing is to overflow on the long way. */
      if (two + 1 == G_N_ELEMENTS (binary))
        values[n] = sluice_op (&f->b, "Tanh", values[n]);
    }
  SluiceEdge loss = sum (f, "loss", sluice_op (&f->b, "Tanh", values[n - 1]), 2);
  g_assert_no_error (f->b.error);
  g_autoptr (GError) error = NULL;
  sluice_gradients (f->graph, "gradients", &loss, 1, NULL, values, N_FEEDS, grads, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < N_FEEDS; i++)
    {
      g_autofree char *name = g_strdup_printf ("d%u", i);
      named (f, "Identity", name, grads[i].values.node ? grads[i].values : values[i],
             SLUICE_NO_EDGE);
    }
  fixture_extend (f);
}

static void
run_program (Step *step, guint32 seed, const SluiceSessionOptions *options)
{
  static const char *const fetches[] = { "loss:0", "d0:0", "d1:0", "d2:0", "d3:0", NULL };
  static const char *const names[N_FEEDS] = { "x0:0", "x1:0", "x2:0", "x3:0" };
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  g_auto (Fixture) f = { NULL };
  fixture_init (&f, options);
  build_program (&f, rand);
  SluiceFeed feeds[N_FEEDS];
  for (guint i = 0; i < N_FEEDS; i++)
    feeds[i] = (SluiceFeed){ names[i], random_tensor (rand, &SLUICE_SHAPE (24, 24)) };
  run_step (step, &f, feeds, N_FEEDS, fetches, NULL);
  for (guint i = 0; i < N_FEEDS; i++)
    sluice_tensor_unref (feeds[i].tensor);
}

static void
test_programs (void)
{
  guint n_lower = 0;
  sluice_pool_set_threads (1);
  for (guint32 seed = 0; seed < 60; seed++)
    {
      Step kept, again;
      SluiceSessionOptions keeps = options_of (FALSE, seed % 2);
      SluiceSessionOptions computes = options_of (TRUE, seed % 2);
      computes.order_seed = seed % 3 == 2 ? seed : 0;
      run_program (&kept, seed, &keeps);
      run_program (&again, seed, &computes);
      check_same (&kept, &again);
      n_lower += again.peak < kept.peak;
    }
  g_test_message ("the peak is lower in %u programs", n_lower);
  g_assert_cmpuint (n_lower, >, 10);
}

/* ---- into so many bytes ---- */

static void
test_net_into (void)
{
  static const double shares[] = { 0.9, 0.7, 0.55 };
  Step kept, again;
  SluiceSessionOptions keeps = options_of (FALSE, FALSE);
  sluice_pool_set_threads (1);
  train_net (&kept, 512, &keeps);
  for (guint i = 0; i < G_N_ELEMENTS (shares); i++)
    for (guint n_threads = 1; n_threads <= 3; n_threads += 2)
      {
        Step reference = kept;
        SluiceSessionOptions fits = options_of (FALSE, n_threads == 3);
        fits.fit = (gsize) (shares[i] * (double) kept.peak);
        sluice_pool_set_threads (n_threads);
        train_net (&again, 512, &fits);
        for (guint k = 0; k < reference.n_outputs; k++)
          sluice_tensor_ref (reference.outputs[k]);
        check_same (&reference, &again);
        g_test_message ("%.2f of %zu: %zu bytes, %" G_GUINT64_FORMAT " nodes", shares[i], kept.peak,
                        again.peak, again.n_nodes);
        g_assert_cmpuint (again.peak, <=, fits.fit);
      }
}

static void
test_programs_into (void)
{
  guint n_lower = 0;
  for (guint32 seed = 0; seed < 60; seed++)
    {
      Step kept, again;
      SluiceSessionOptions keeps = options_of (FALSE, seed % 2), fits = keeps;
      sluice_pool_set_threads (1);
      run_program (&kept, seed, &keeps);
      sluice_pool_set_threads (1 + seed % 3);
      fits.fit = 1 << 24; /* what is decided is as for less, and no allocation fails */
      fits.fit_slack = (gint64) fits.fit - (gint64) (0.7 * (double) kept.peak);
      fits.order_seed = seed % 4 == 3 ? seed : 0;
      run_program (&again, seed, &fits);
      check_same (&kept, &again);
      n_lower += again.peak < kept.peak;
    }
  g_test_message ("the peak is lower in %u programs", n_lower);
  g_assert_cmpuint (n_lower, >, 30);
}

/* ---- what stays as it is ---- */

#define ROWS 512

typedef enum
{
  NOBODY_WRITES,
  WRITES_BETWEEN,
  WRITES_BEHIND,
} Writer;

/* out = a·Σ(a large value made of Σa), a = x·v, and somebody writes v. reader: what hands v on. */
static void
run_between (Step *step, const char *reader, Writer writer, gboolean fetches_a, gboolean recompute)
{
  static const char *const with_a[] = { "out:0", "a:0", NULL }, *const without[] = { "out:0",
                                                                                     NULL };
  g_auto (Fixture) f = { NULL };
  SluiceSessionOptions options = options_of (recompute, TRUE);
  fixture_init (&f, &options);
  SluiceShape shape = SLUICE_SHAPE (ROWS, WIDTH);
  SluiceEdge x = placeholder (&f, "x", &shape), v = fixture_variable (&f, "v", 3);
  SluiceEdge read = named (&f, reader, "read", named (&f, "Identity", "value", v, SLUICE_NO_EDGE),
                           SLUICE_NO_EDGE);
  SluiceEdge a = named (&f, "Mul", "a", x, read);
  SluiceEdge early = sum (&f, "early", a, 2);
  static const gint64 dims[] = { 1024, 512 };
  SluiceEdge large =
      named (&f, "Fill", "large", sluice_builder_const_ints (&f.b, SLUICE_INT32, dims, 2), early);
  SluiceEdge out = named (&f, "Mul", "out", a, sum (&f, "all", large, 2));
  SluiceEdge write = named (&f, "AssignAdd", "write", v, fixture_scalar (&f, 1));
  sluice_graph_add_control_input (f.graph, write.node,
                                  writer == WRITES_BEHIND ? out.node : early.node);
  if (writer == WRITES_BETWEEN)
    sluice_graph_add_control_input (f.graph, large.node, write.node);
  fixture_extend (&f);
  g_autoptr (GError) error = NULL;
  fixture_run_target (&f, "v/Assign", NULL, &error);
  g_assert_no_error (error);
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  g_autoptr (SluiceTensor) value = random_tensor (rand, &shape);
  run_step (step, &f, &(SluiceFeed){ "x:0", value }, 1, fetches_a ? with_a : without,
            writer == WRITES_BEHIND ? "write" : NULL);
}

static void
check_between (const char *reader, Writer writer, gboolean fetches_a, guint n_more)
{
  Step kept, again;
  run_between (&kept, reader, writer, fetches_a, FALSE);
  run_between (&again, reader, writer, fetches_a, TRUE);
  check_same (&kept, &again);
  g_assert_cmpuint (again.n_nodes, ==, kept.n_nodes + n_more);
  if (n_more)
    g_assert_cmpuint (again.peak, <, kept.peak);
}

static void
test_writes (void)
{
  sluice_pool_set_threads (1);
  check_between ("Identity", NOBODY_WRITES, FALSE, 1);
  check_between ("Identity", WRITES_BEHIND, FALSE, 1);
  check_between ("Identity", WRITES_BETWEEN, FALSE, 0);
}

/* A kernel that may hand the variable's memory on, though nobody knows: nothing reads it again. */
static void
test_unknown_reader (void)
{
  sluice_pool_set_threads (1);
  check_between ("PreventGradient", NOBODY_WRITES, FALSE, 0);
  check_between ("PreventGradient", WRITES_BETWEEN, FALSE, 0);
}

static void
test_fetched (void)
{
  sluice_pool_set_threads (1);
  check_between ("Identity", NOBODY_WRITES, TRUE, 0);
}

static void
run_loop (Step *step, gboolean recompute)
{
  static const LstmSize size = { 8, 16, 16, FALSE };
  static const char *const fetches[] = { "gradients/kernel:0", "loss:0", NULL };
  g_auto (Fixture) f = { NULL };
  SluiceSessionOptions options = options_of (recompute, TRUE);
  fixture_init (&f, &options);
  lstm_build (f.graph, &size);
  fixture_extend (&f);
  g_autoptr (GError) error = NULL;
  fixture_run_target (&f, "init", NULL, &error);
  g_assert_no_error (error);
  g_autoptr (SluiceTensor) steps = sluice_tensor_new_int32 (6);
  run_step (step, &f, &(SluiceFeed){ "steps:0", steps }, 1, fetches, NULL);
}

static void
test_loop (void)
{
  Step kept, again;
  sluice_pool_set_threads (1);
  run_loop (&kept, FALSE);
  run_loop (&again, TRUE);
  check_same (&kept, &again);
  g_assert_cmpuint (again.n_nodes, ==, kept.n_nodes);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fixture_init_registry ();
  g_test_add_func ("/runtime/recompute/net", test_net);
  g_test_add_func ("/runtime/recompute/unknown-batch", test_unknown_batch);
  g_test_add_func ("/runtime/recompute/programs", test_programs);
  g_test_add_func ("/runtime/recompute/net-into", test_net_into);
  g_test_add_func ("/runtime/recompute/programs-into", test_programs_into);
  g_test_add_func ("/runtime/recompute/writes", test_writes);
  g_test_add_func ("/runtime/recompute/unknown-reader", test_unknown_reader);
  g_test_add_func ("/runtime/recompute/fetched", test_fetched);
  g_test_add_func ("/runtime/recompute/loop", test_loop);
  return g_test_run ();
}
