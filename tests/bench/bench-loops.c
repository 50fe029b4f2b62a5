/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Loops a second, on one device and across two; an LSTM in a loop against the same unrolled, with
 * its gradient; how long the gradient of 5,000 ops takes to build. One thread. */
#include "engine/grad/grad.h"
#include "kernels/registry.h"
#include "tests/bench/rounds.h"

#define N_TURNS 100000

/* ---- counters ---- */

typedef struct
{
  SluiceEdge merge, body, exit;
} Variable;

static Variable
begin_variable (SluiceBuilder *b, SluiceEdge first)
{
  SluiceEdge start = rounds_enter (b, first, FALSE);
  return (Variable){ .merge = sluice_op (b, "Merge", start, start) };
}

static void
turn_variable (SluiceBuilder *b, Variable *v, SluiceEdge cond)
{
  SluiceEdge turn = sluice_op (b, "Switch", v->merge, cond);
  v->exit = sluice_op (b, "Exit", turn);
  v->body = sluice_op (b, "Identity", sluice_edge_port (turn, 1));
}

static void
close_variable (SluiceBuilder *b, Variable *v, SluiceEdge next)
{
  GError *error = NULL;
  SluiceEdge back = sluice_op (b, "NextIteration", next);
  if (!b->error && !sluice_graph_set_input (b->graph, v->merge.node, 1, back, &error))
    rounds_fatal (error);
}

static void
time_counter (const char *name, SluiceGraph *graph, const Variable *v, guint n_cpus, double goal)
{
  GError *error = NULL;
  SluiceSessionOptions options = { .n_cpus = n_cpus };
  g_autoptr (SluiceSession) session = rounds_session (graph, &options);
  const char *target = v->exit.node->name;
  g_autoptr (SluiceCallable) callable = sluice_session_prepare (
      session, &(SluiceStepNames){ .targets = &target, .n_targets = 1 }, &error);
  if (!callable)
    rounds_fatal (error);
  double rates[21];
  rounds_run (callable, NULL, 0, G_N_ELEMENTS (rates), 1, rates);
  for (guint i = 0; i < G_N_ELEMENTS (rates); i++)
    rates[i] = N_TURNS / (rates[i] / 1e9);
  rounds_report (name, "iterations/s", rates, G_N_ELEMENTS (rates), goal, MORE_IS_BETTER);
}

/* i = 0; while (i < n) i += 1, the addition on another device, or beside a product of 100. */
static void
bench_counter (const char *name, const char *add_device, gboolean has_product, double goal)
{
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceBuilder b;
  sluice_builder_init (&b, graph, NULL);
  b.device = add_device ? "/cpu:0" : NULL;
  Variable i = begin_variable (&b, sluice_builder_const_int32 (&b, 0)), product;
  SluiceEdge limit = rounds_enter (&b, sluice_builder_const_int32 (&b, N_TURNS), TRUE);
  SluiceEdge one = rounds_enter (&b, sluice_builder_const_int32 (&b, 1), TRUE), factor;
  if (has_product)
    {
      SluiceTensor *ones =
          sluice_tensor_new (NULL, SLUICE_DOUBLE, &SLUICE_SHAPE (100), SLUICE_OWNER_NONE);
      for (int k = 0; k < 100; k++)
        ((double *) ones->data)[k] = 1;
      SluiceEdge first = sluice_builder_const (&b, ones);
      product = begin_variable (&b, first);
      factor = rounds_enter (&b, first, TRUE);
    }
  SluiceEdge cond = sluice_op (&b, "LoopCond", sluice_op (&b, "Less", i.merge, limit));
  turn_variable (&b, &i, cond);
  b.device = add_device;
  SluiceEdge next = sluice_op (&b, "Add", i.body, one);
  b.device = add_device ? "/cpu:0" : NULL;
  close_variable (&b, &i, next);
  if (has_product)
    {
      turn_variable (&b, &product, cond);
      close_variable (&b, &product, sluice_op (&b, "Mul", product.body, factor));
    }
  rounds_finish (&b);
  time_counter (name, graph, has_product ? &product : &i, add_device ? 2 : 1, goal);
}

/* ---- LSTM ---- */

enum
{
  N_STEPS = 64,
  N_BATCH = 32,
  N_UNITS = 128,
};

typedef struct
{
  SluiceEdge x, w, c, h; /* x [steps, batch, units]; w [2 units, 4 units] */
} Lstm;

static SluiceEdge
zeros (SluiceBuilder *b, const SluiceShape *shape, float value)
{
  SluiceTensor *tensor = sluice_tensor_new (NULL, SLUICE_FLOAT, shape, SLUICE_OWNER_NONE);
  for (gint64 i = 0; i < tensor->n_elements; i++)
    ((float *) tensor->data)[i] = value * (float) (i % 17 - 8);
  return sluice_builder_const (b, tensor);
}

/* One step on from c and h; t: a scalar int32. axis constants are those of where it stands. */
static void
lstm_step (SluiceBuilder *b, Lstm *l, SluiceEdge t, SluiceEdge zero, SluiceEdge one)
{
  SluiceEdge x = sluice_op (b, "GatherV2", l->x, t, zero);
  SluiceEdge parts[] = { x, l->h, one };
  SluiceAttr n_attr = sluice_attr_int ("N", 2);
  SluiceEdge xh = sluice_builder_add (b, "ConcatV2", NULL, parts, 3, &n_attr, 1);
  SluiceEdge gates = sluice_op (b, "MatMul", xh, l->w);
  SluiceEdge split =
      sluice_op_with (b, "Split", SLUICE_ATTRS (sluice_attr_int ("num_split", 4)), one, gates);
  SluiceEdge in = sluice_op (b, "Mul", sluice_op (b, "Sigmoid", split),
                             sluice_op (b, "Tanh", sluice_edge_port (split, 1)));
  SluiceEdge keep =
      sluice_op (b, "Mul", l->c, sluice_op (b, "Sigmoid", sluice_edge_port (split, 2)));
  l->c = sluice_op (b, "Add", keep, in);
  l->h = sluice_op (b, "Mul", sluice_op (b, "Tanh", l->c),
                    sluice_op (b, "Sigmoid", sluice_edge_port (split, 3)));
}

static SluiceEdge
unrolled (SluiceBuilder *b, Lstm l)
{
  SluiceEdge zero = sluice_builder_const_int32 (b, 0), one = sluice_builder_const_int32 (b, 1);
  for (int t = 0; t < N_STEPS; t++)
    lstm_step (b, &l, sluice_builder_const_int32 (b, t), zero, one);
  return l.h;
}

static SluiceEdge
dynamic (SluiceBuilder *b, Lstm l)
{
  SluiceEdge n = rounds_enter (b, sluice_builder_const_int32 (b, N_STEPS), TRUE);
  SluiceEdge zero = rounds_enter (b, sluice_builder_const_int32 (b, 0), TRUE);
  SluiceEdge one = rounds_enter (b, sluice_builder_const_int32 (b, 1), TRUE);
  Variable t = begin_variable (b, sluice_builder_const_int32 (b, 0));
  Variable c = begin_variable (b, l.c), h = begin_variable (b, l.h);
  Lstm inner = { rounds_enter (b, l.x, TRUE), rounds_enter (b, l.w, TRUE), { 0 }, { 0 } };
  SluiceEdge cond = sluice_op (b, "LoopCond", sluice_op (b, "Less", t.merge, n));
  turn_variable (b, &t, cond);
  turn_variable (b, &c, cond);
  turn_variable (b, &h, cond);
  inner.c = c.body;
  inner.h = h.body;
  lstm_step (b, &inner, t.body, zero, one);
  close_variable (b, &t, sluice_op (b, "Add", t.body, one));
  close_variable (b, &c, inner.c);
  close_variable (b, &h, inner.h);
  return h.exit;
}

static SluiceCallable *
prepare_lstm (SluiceEdge (*build) (SluiceBuilder *, Lstm))
{
  GError *error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  const SluiceShape w_shape = SLUICE_SHAPE (2 * N_UNITS, 4 * N_UNITS);
  Lstm l = { .x = rounds_placeholder (graph, "x", &SLUICE_SHAPE (N_STEPS, N_BATCH, N_UNITS)),
             .w = rounds_placeholder (graph, "w", &w_shape) };
  SluiceBuilder b;
  sluice_builder_init (&b, graph, NULL);
  l.c = zeros (&b, &SLUICE_SHAPE (N_BATCH, N_UNITS), 0);
  l.h = zeros (&b, &SLUICE_SHAPE (N_BATCH, N_UNITS), 0);
  SluiceEdge y = build (&b, l);
  rounds_finish (&b);
  SluiceGrad dw;
  if (!sluice_gradients (graph, "gradients", &y, 1, NULL, &l.w, 1, &dw, &error))
    rounds_fatal (error);
  g_autoptr (SluiceSession) session = rounds_session (graph, NULL);
  const SluiceFeed feeds[] = { { "x" }, { "w" } };
  g_autofree char *fetch = g_strdup_printf ("%s:%d", dw.values.node->name, dw.values.port);
  const char *fetches[] = { fetch };
  SluiceCallable *callable = sluice_session_prepare (
      session,
      &(SluiceStepNames){ .feeds = feeds, .fetches = fetches, .n_feeds = 2, .n_fetches = 1 },
      &error);
  if (!callable)
    rounds_fatal (error);
  return callable;
}

/* Rounds of both in turn, so that what slows the machine slows both. */
static void
bench_lstm (void)
{
  g_autoptr (SluiceCallable) loop = prepare_lstm (dynamic), line = prepare_lstm (unrolled);
  g_autoptr (SluiceTensor) x = sluice_tensor_new (
      NULL, SLUICE_FLOAT, &SLUICE_SHAPE (N_STEPS, N_BATCH, N_UNITS), SLUICE_OWNER_NONE);
  g_autoptr (SluiceTensor) w = sluice_tensor_new (
      NULL, SLUICE_FLOAT, &SLUICE_SHAPE (2 * N_UNITS, 4 * N_UNITS), SLUICE_OWNER_NONE);
  for (gint64 i = 0; i < x->n_elements; i++)
    ((float *) x->data)[i] = (float) (i % 13 - 6) / 6;
  for (gint64 i = 0; i < w->n_elements; i++)
    ((float *) w->data)[i] = (float) (i % 11 - 5) / 50;
  SluiceTensor *feeds[] = { x, w };
  double ratios[15], loop_ms[15];
  for (guint i = 0; i < G_N_ELEMENTS (ratios); i++)
    {
      double a, b;
      rounds_run (loop, feeds, 1, 1, 1, &a);
      rounds_run (line, feeds, 1, 1, 1, &b);
      ratios[i] = a / b;
      loop_ms[i] = a / 1e6;
    }
  rounds_report ("lstm-dynamic-over-unrolled", "x", ratios, G_N_ELEMENTS (ratios), 1.05,
                 LESS_IS_BETTER);
  rounds_report ("lstm-dynamic", "ms", loop_ms, G_N_ELEMENTS (loop_ms), 0, LESS_IS_BETTER);
}

/* ---- gradients ---- */

static void
bench_gradients (void)
{
  double ms[11];
  for (guint round = 0; round < G_N_ELEMENTS (ms); round++)
    {
      GError *error = NULL;
      g_autoptr (SluiceGraph) graph = sluice_graph_new ();
      SluiceEdge ws[10], y = rounds_placeholder (graph, "x", &SLUICE_SHAPE (8, 8));
      for (int i = 0; i < 10; i++)
        {
          char name[] = { 'w', (char) ('0' + i), '\0' };
          ws[i] = rounds_placeholder (graph, name, &SLUICE_SHAPE (8, 8));
        }
      SluiceBuilder b;
      sluice_builder_init (&b, graph, NULL);
      for (int k = 0; k < 1000; k++)
        {
          SluiceEdge w = ws[k % 10], z = sluice_op (&b, "Add", sluice_op (&b, "MatMul", y, w), w);
          y = sluice_op (&b, "Sub", sluice_op (&b, "Mul", sluice_op (&b, "Tanh", z), w), y);
        }
      rounds_finish (&b);
      SluiceGrad dws[10];
      double start = rounds_thread_ns ();
      if (!sluice_gradients (graph, "gradients", &y, 1, NULL, ws, 10, dws, &error))
        rounds_fatal (error);
      ms[round] = (rounds_thread_ns () - start) / 1e6;
    }
  rounds_report ("gradients-5000-ops", "ms", ms, G_N_ELEMENTS (ms), 50, LESS_IS_BETTER);
}

int
main (int argc, char **argv)
{
  sluice_registry_init (sluice_kernel_modules ());
  sluice_pool_set_threads (1);
  bench_counter ("while-counter", NULL, FALSE, 1e6);
  bench_counter ("while-product-100", NULL, TRUE, 600000);
  bench_counter ("while-two-devices", "/cpu:1", FALSE, 200000);
  bench_lstm ();
  bench_gradients ();
  return 0;
}
