/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What the executor costs: ns per node on chains, DAGs and fat graphs of no-ops and scalar adds,
 * one thread, trace on; a cached run that feeds two scalars and fetches one. JSON lines: the median
 * of the rounds, and the best.
 */
#include "kernels/registry.h"
#include "tests/bench/rounds.h"

#define N_NODES 10000
/* So many that no branch predictor learns the order in which they become ready by heart: a bare
 * loop over 10,000 nodes would take 2 ns a node on a Zen 5, and 18 in any order that is new. */
#define N_DAG_NODES 36000

static SluiceNode *
no_op_chain (SluiceGraph *graph)
{
  SluiceNode *last = NULL;
  for (int i = 0; i < N_NODES; i++)
    last = rounds_add_node (graph, "NoOp", NULL, 0, &last, last != NULL);
  return last;
}

/* Two or three control inputs a node, 2.5 on average, out of the last 50 nodes. */
static SluiceNode *
no_op_dag (SluiceGraph *graph)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  g_autoptr (GPtrArray) ends = g_ptr_array_new (); /* nodes that nobody waits for yet */
  for (int i = 0; i < N_DAG_NODES; i++)
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
      g_ptr_array_add (nodes, rounds_add_node (graph, "NoOp", NULL, 0, controls, n));
      for (guint k = 0; k < n; k++)
        g_ptr_array_remove_fast (ends, controls[k]);
      g_ptr_array_add (ends, nodes->pdata[i]);
    }
  return rounds_add_node (graph, "NoOp", NULL, 0, (SluiceNode **) ends->pdata, ends->len);
}

static SluiceNode *
add_chain (SluiceGraph *graph)
{
  SluiceEdge x = rounds_placeholder (graph, "x", &SLUICE_SHAPE_SCALAR),
             y = rounds_placeholder (graph, "y", &SLUICE_SHAPE_SCALAR);
  for (int i = 0; i < N_NODES; i++)
    x.node = rounds_add_node (graph, "Add", (SluiceEdge[]){ { x.node, 0 }, y }, 2, NULL, 0);
  return x.node;
}

/* Every node adds two of the last 50. */
static SluiceNode *
add_dag (SluiceGraph *graph)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  g_ptr_array_add (nodes, rounds_placeholder (graph, "x", &SLUICE_SHAPE_SCALAR).node);
  g_ptr_array_add (nodes, rounds_placeholder (graph, "y", &SLUICE_SHAPE_SCALAR).node);
  for (int i = 2; i < N_NODES + 2; i++)
    {
      SluiceEdge inputs[2] = { { nodes->pdata[i - 1], 0 },
                               { nodes->pdata[g_rand_int_range (rand, MAX (i - 50, 0), i)], 0 } };
      g_ptr_array_add (nodes, rounds_add_node (graph, "Add", inputs, 2, NULL, 0));
    }
  return nodes->pdata[nodes->len - 1];
}

/* Every node adds the same two. */
static SluiceNode *
add_wide (SluiceGraph *graph)
{
  SluiceEdge inputs[] = { rounds_placeholder (graph, "x", &SLUICE_SHAPE_SCALAR),
                          rounds_placeholder (graph, "y", &SLUICE_SHAPE_SCALAR) };
  g_autoptr (GPtrArray) sums = g_ptr_array_new ();
  for (int i = 0; i < N_NODES; i++)
    g_ptr_array_add (sums, rounds_add_node (graph, "Add", inputs, 2, NULL, 0));
  return rounds_add_node (graph, "NoOp", NULL, 0, (SluiceNode **) sums->pdata, sums->len);
}

/*
 * A fat graph as TensorFlow's executor_test draws it: of the nodes that nobody waits for a random
 * number gets a common successor, and that a random number of successors, depth times over.
 */
static SluiceNode *
fat_graph (SluiceGraph *graph, int width, int depth)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1729);
  g_autoptr (GPtrArray) ready = g_ptr_array_new ();
  for (int i = g_rand_int_range (rand, 1, width + 1); i > 0; i--)
    g_ptr_array_add (ready, rounds_add_node (graph, "NoOp", NULL, 0, NULL, 0));
  for (int level = 0; level < depth; level++)
    {
      guint n_before = (guint) g_rand_int_range (rand, 1, (gint32) ready->len + 1);
      for (guint i = 0; i < n_before; i++) /* drawn to the end */
        {
          guint other = (guint) g_rand_int_range (rand, 0, (gint32) (ready->len - i));
          gpointer swap = ready->pdata[other];
          ready->pdata[other] = ready->pdata[ready->len - 1 - i];
          ready->pdata[ready->len - 1 - i] = swap;
        }
      SluiceNode **before = (SluiceNode **) ready->pdata + ready->len - n_before;
      SluiceNode *node = rounds_add_node (graph, "NoOp", NULL, 0, before, n_before);
      g_ptr_array_set_size (ready, (int) (ready->len - n_before));
      for (int i = g_rand_int_range (rand, 1, width + 1); i > 0; i--)
        g_ptr_array_add (ready, rounds_add_node (graph, "NoOp", NULL, 0, &node, 1));
    }
  return rounds_add_node (graph, "NoOp", NULL, 0, (SluiceNode **) ready->pdata, ready->len);
}

static SluiceNode *
fat_1k_1k (SluiceGraph *graph)
{
  return fat_graph (graph, 1000, 1000);
}

static SluiceNode *
fat_8k_32 (SluiceGraph *graph)
{
  return fat_graph (graph, 8000, 32);
}

/* The least that any executor must do: count down along the same edges, first come first served. */
static double
bare_loop_ns (SluiceGraph *graph)
{
  guint n = sluice_graph_get_n_nodes (graph);
  g_autofree guint *initial = g_new0 (guint, n), *pending = g_new (guint, n);
  g_autofree guint *first = g_new0 (guint, n + 1), *ready = g_new (guint, n);
  g_autoptr (GArray) users = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < n; i++)
    {
      guint n_uses;
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      const SluiceUse *uses = sluice_graph_get_uses (graph, node, &n_uses);
      initial[i] = node->n_control_inputs;
      for (guint k = 0; k < n_uses; k++)
        {
          guint user = uses[k].node->id - 1;
          g_array_append_val (users, user);
        }
      first[i + 1] = users->len;
    }
  double ns[ROUNDS];
  for (int round = 0; round < ROUNDS; round++)
    {
      double start = rounds_thread_ns ();
      memcpy (pending, initial, n * sizeof (guint));
      guint n_ready = 0;
      for (guint i = 0; i < n; i++)
        if (pending[i] == 0)
          ready[n_ready++] = i;
      for (guint done = 0; done < n_ready; done++)
        for (guint k = first[ready[done]]; k < first[ready[done] + 1]; k++)
          {
            guint user = g_array_index (users, guint, k);
            if (--pending[user] == 0)
              ready[n_ready++] = user;
          }
      ns[round] = (rounds_thread_ns () - start) / n;
    }
  double best = ns[0];
  for (int i = 1; i < ROUNDS; i++)
    best = MIN (best, ns[i]);
  return best;
}

static void
bench_graph (const char *name,
             SluiceNode *(*build) (SluiceGraph *),
             gboolean has_values,
             double goal)
{
  GError *error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  const SluiceNode *end = build (graph);
  const char *last = end->name;
  guint n = sluice_graph_get_n_nodes (graph), n_rounds = n > 100000 ? 11 : ROUNDS;
  gboolean fetches = has_values && end->n_outputs > 0;
  SluiceSessionOptions options = { .no_optimize = TRUE };
  g_autoptr (SluiceSession) session = rounds_session (graph, &options);
  const SluiceFeed feeds[] = { { "x" }, { "y" } };
  g_autoptr (SluiceCallable) callable =
      sluice_session_prepare (session,
                              &(SluiceStepNames){ .feeds = feeds,
                                                  .fetches = &last,
                                                  .targets = &last,
                                                  .n_feeds = has_values ? 2 : 0,
                                                  .n_fetches = fetches,
                                                  .n_targets = !fetches },
                              &error);
  if (!callable)
    rounds_fatal (error);
  g_autoptr (SluiceTensor) x = sluice_tensor_new_float (1), y = sluice_tensor_new_float (0);
  double ns[ROUNDS];
  rounds_run (callable, (SluiceTensor *[]){ x, y }, fetches, n_rounds, 1, ns);
  for (guint i = 0; i < n_rounds; i++)
    ns[i] /= n;
  rounds_report (name, "ns/node", ns, n_rounds, goal, LESS_IS_BETTER);
  if (build == no_op_dag)
    {
      g_autofree char *ratio_name = g_strconcat (name, "-over-bare-loop", NULL);
      double ratio = ns[0] / bare_loop_ns (graph); /* both at their best: sorted above */
      rounds_report (ratio_name, "x", &ratio, 1, 1.7, LESS_IS_BETTER);
    }
}

static void
bench_cached_run (void)
{
  GError *error = NULL;
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceEdge inputs[] = { rounds_placeholder (graph, "x", &SLUICE_SHAPE_SCALAR),
                          rounds_placeholder (graph, "y", &SLUICE_SHAPE_SCALAR) };
  const char *fetch = rounds_add_node (graph, "Add", inputs, 2, NULL, 0)->name;
  g_autoptr (SluiceSession) session = rounds_session (graph, NULL);
  g_autoptr (SluiceTensor) x = sluice_tensor_new_float (1), y = sluice_tensor_new_float (2);
  SluiceFeed feeds[] = { { "x:0", x }, { "y:0", y } };
  double us[ROUNDS];
  for (int i = -5; i < ROUNDS; i++)
    {
      double start = rounds_thread_ns ();
      for (int k = 0; k < 1000; k++)
        {
          SluiceTensor *output;
          if (!sluice_session_run (
                  session,
                  &(SluiceStepNames){
                      .feeds = feeds, .fetches = &fetch, .n_feeds = 2, .n_fetches = 1 },
                  &output, NULL, &error))
            rounds_fatal (error);
          sluice_tensor_unref (output);
        }
      if (i >= 0)
        us[i] = (rounds_thread_ns () - start) / 1e6;
    }
  rounds_report ("cached-run", "us", us, ROUNDS, 1.5, LESS_IS_BETTER);
}

int
main (int argc, char **argv)
{
  sluice_registry_init (sluice_kernel_modules ());
  sluice_pool_set_threads (1);
  bench_graph ("no-op-chain", no_op_chain, FALSE, 40);
  bench_graph ("no-op-dag", no_op_dag, FALSE, 40);
  bench_graph ("no-op-fat-1k-1k", fat_1k_1k, FALSE, 500);
  bench_graph ("no-op-fat-8k-32", fat_8k_32, FALSE, 500);
  bench_graph ("add-chain", add_chain, TRUE, 120);
  bench_graph ("add-wide", add_wide, TRUE, 200);
  bench_graph ("add-dag", add_dag, TRUE, 200);
  bench_cached_run ();
  return 0;
}
