/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What the executor costs: ns per node on chains and DAGs of 10,000 no-ops and scalar adds, one
 * thread, trace on; a cached run that feeds two scalars and fetches one; a loop that counts. JSON
 * lines: the median of the rounds, and the lowest.
 */
#include <stdio.h>
#include <time.h>

#include "engine/graph/builder.h"
#include "engine/runtime/session.h"
#include "kernels/registry.h"

#define N_NODES 10000
#define ROUNDS  101

static void
fatal (GError *error)
{
  fprintf (stderr, "bench-executor: %s\n", error->message);
  exit (1);
}

/* CPU time of this thread, which does all the work: what others run meanwhile does not count. */
static double
thread_ns (void)
{
  struct timespec now;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (double) now.tv_sec * 1e9 + (double) now.tv_nsec;
}

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

static void
report (const char *name, const char *unit, double *values, guint n, double goal)
{
  qsort (values, n, sizeof (double), compare_doubles);
  printf ("{\"name\": \"executor/%s\", \"value\": %.2f, \"unit\": \"%s\", \"goal\": %.2f, "
          "\"best\": %.2f}\n",
          name, values[n / 2], unit, goal, values[0]);
  fflush (stdout);
}

static SluiceNode *
add_node (SluiceGraph *graph,
          const char *op,
          const SluiceEdge *inputs,
          guint n_inputs,
          SluiceNode *const *controls,
          guint n_controls)
{
  GError *error = NULL;
  SluiceNodeSpec spec = { .op = op,
                          .inputs = inputs,
                          .n_inputs = n_inputs,
                          .control_inputs = controls,
                          .n_control_inputs = n_controls };
  SluiceNode *node = sluice_graph_add (graph, &spec, &error);
  if (!node)
    fatal (error);
  return node;
}

static SluiceNode *
no_op_chain (SluiceGraph *graph)
{
  SluiceNode *last = NULL;
  for (int i = 0; i < N_NODES; i++)
    last = add_node (graph, "NoOp", NULL, 0, &last, last != NULL);
  return last;
}

/* Two or three control inputs a node, 2.5 on average, out of the last 50 nodes. */
static SluiceNode *
no_op_dag (SluiceGraph *graph)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  g_autoptr (GPtrArray) ends = g_ptr_array_new (); /* nodes that nobody waits for yet */
  for (int i = 0; i < N_NODES; i++)
    {
      SluiceNode *controls[3];
      guint n = 0;
      for (int k = 0; i && k < 2 + i % 2; k++)
        {
          SluiceNode *before = nodes->pdata[g_rand_int_range (rand, MAX (i - 50, 0), i)];
          gboolean known = FALSE;
          for (guint j = 0; j < n; j++)
            known |= controls[j] == before;
          if (!known)
            controls[n++] = before;
        }
      g_ptr_array_add (nodes, add_node (graph, "NoOp", NULL, 0, controls, n));
      for (guint k = 0; k < n; k++)
        g_ptr_array_remove_fast (ends, controls[k]);
      g_ptr_array_add (ends, nodes->pdata[i]);
    }
  return add_node (graph, "NoOp", NULL, 0, (SluiceNode **) ends->pdata, ends->len);
}

static SluiceEdge
placeholder (SluiceGraph *graph, const char *name)
{
  SluiceBuilder b;
  sluice_builder_init (&b, graph, NULL);
  SluiceAttr attrs[] = { sluice_attr_type ("dtype", SLUICE_FLOAT),
                         sluice_attr_shape ("shape", &SLUICE_SHAPE_SCALAR) };
  SluiceEdge edge = sluice_builder_add (&b, "Placeholder", name, NULL, 0, attrs, 2);
  GError *error = NULL;
  if (!sluice_builder_finish (&b, &error))
    fatal (error);
  return edge;
}

static SluiceNode *
add_chain (SluiceGraph *graph)
{
  SluiceEdge x = placeholder (graph, "x"), y = placeholder (graph, "y");
  for (int i = 0; i < N_NODES; i++)
    x.node = add_node (graph, "Add", (SluiceEdge[]){ { x.node, 0 }, y }, 2, NULL, 0);
  return x.node;
}

/* Every node adds two of the last 50. */
static SluiceNode *
add_dag (SluiceGraph *graph)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  g_ptr_array_add (nodes, placeholder (graph, "x").node);
  g_ptr_array_add (nodes, placeholder (graph, "y").node);
  for (int i = 2; i < N_NODES + 2; i++)
    {
      SluiceEdge inputs[2] = { { nodes->pdata[i - 1], 0 },
                               { nodes->pdata[g_rand_int_range (rand, MAX (i - 50, 0), i)], 0 } };
      g_ptr_array_add (nodes, add_node (graph, "Add", inputs, 2, NULL, 0));
    }
  return nodes->pdata[nodes->len - 1];
}

static void
bench_graph (const char *name,
             SluiceNode *(*build) (SluiceGraph *),
             gboolean has_values,
             double goal)
{
  GError *error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  const char *last = build (graph)->name;
  SluiceSessionOptions options = { .no_optimize = TRUE };
  g_autoptr (SluiceSession) session = sluice_session_new (&options, &error);
  if (!session || !sluice_session_extend (session, graph, &error))
    fatal (error);
  const char *feeds[] = { "x", "y" };
  g_autoptr (SluiceCallable) callable = sluice_session_prepare (
      session, feeds, has_values ? 2 : 0, &last, has_values, &last, !has_values, &error);
  if (!callable)
    fatal (error);
  g_autoptr (SluiceTensor) x = sluice_tensor_new_float (1), y = sluice_tensor_new_float (0);
  double ns[ROUNDS];
  for (int i = -5; i < ROUNDS; i++)
    {
      SluiceTensor *output = NULL;
      double start = thread_ns ();
      if (!sluice_callable_run (callable, (SluiceTensor *[]){ x, y }, &output, NULL, &error))
        fatal (error);
      if (i >= 0)
        ns[i] = (thread_ns () - start) / N_NODES;
      g_clear_pointer (&output, sluice_tensor_unref);
    }
  report (name, "ns/node", ns, ROUNDS, goal);
}

static void
bench_cached_run (void)
{
  GError *error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceEdge inputs[] = { placeholder (graph, "x"), placeholder (graph, "y") };
  const char *fetch = add_node (graph, "Add", inputs, 2, NULL, 0)->name;
  g_autoptr (SluiceSession) session = sluice_session_new (NULL, &error);
  if (!session || !sluice_session_extend (session, graph, &error))
    fatal (error);
  g_autoptr (SluiceTensor) x = sluice_tensor_new_float (1), y = sluice_tensor_new_float (2);
  SluiceFeed feeds[] = { { "x:0", x }, { "y:0", y } };
  double us[ROUNDS];
  for (int i = -5; i < ROUNDS; i++)
    {
      double start = thread_ns ();
      for (int k = 0; k < 1000; k++)
        {
          SluiceTensor *output;
          if (!sluice_session_run (session, feeds, 2, &fetch, 1, NULL, 0, &output, NULL, &error))
            fatal (error);
          sluice_tensor_unref (output);
        }
      if (i >= 0)
        us[i] = (thread_ns () - start) / 1e6;
    }
  report ("cached-run", "us", us, ROUNDS, 5);
}

static SluiceEdge
enter (SluiceBuilder *b, SluiceEdge value, gboolean is_constant)
{
  SluiceAttr attrs[] = { sluice_attr_string ("frame_name", "loop"),
                         sluice_attr_bool ("is_constant", is_constant) };
  return sluice_builder_add (b, "Enter", NULL, &value, 1, attrs, G_N_ELEMENTS (attrs));
}

/* i = 0; while (i < n) i += 1. */
static void
bench_counter (void)
{
  const int n = 100000;
  GError *error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceBuilder b;
  sluice_builder_init (&b, graph, NULL);
  SluiceEdge first = enter (&b, sluice_builder_const_int32 (&b, 0), FALSE);
  SluiceEdge limit = enter (&b, sluice_builder_const_int32 (&b, n), TRUE);
  SluiceEdge one = enter (&b, sluice_builder_const_int32 (&b, 1), TRUE);
  SluiceEdge merge = sluice_op (&b, "Merge", first, first);
  SluiceEdge cond = sluice_op (&b, "LoopCond", sluice_op (&b, "Less", merge, limit));
  SluiceEdge turn = sluice_op (&b, "Switch", merge, cond);
  SluiceEdge i = sluice_op (&b, "Identity", sluice_edge_port (turn, 1));
  SluiceEdge next = sluice_op (&b, "NextIteration", sluice_op (&b, "Add", i, one));
  SluiceEdge end = sluice_op (&b, "Exit", turn);
  if (!sluice_builder_finish (&b, &error)
      || !sluice_graph_set_input (graph, merge.node, 1, next, &error))
    fatal (error);
  g_autoptr (SluiceSession) session = sluice_session_new (NULL, &error);
  if (!session || !sluice_session_extend (session, graph, &error))
    fatal (error);
  const char *target = end.node->name;
  double rates[ROUNDS];
  for (int k = -2; k < ROUNDS; k++)
    {
      double start = thread_ns ();
      if (!sluice_session_run (session, NULL, 0, NULL, 0, &target, 1, NULL, NULL, &error))
        fatal (error);
      if (k >= 0)
        rates[k] = n / ((thread_ns () - start) / 1e9);
    }
  report ("while-counter", "iterations/s", rates, ROUNDS, 1e6);
}

int
main (int argc, char **argv)
{
  sluice_registry_init (sluice_kernel_modules ());
  sluice_pool_set_threads (1);
  bench_graph ("no-op-chain", no_op_chain, FALSE, 60);
  bench_graph ("no-op-dag", no_op_dag, FALSE, 60);
  bench_graph ("add-chain", add_chain, TRUE, 200);
  bench_graph ("add-dag", add_dag, TRUE, 200);
  bench_cached_run ();
  bench_counter ();
  return 0;
}
