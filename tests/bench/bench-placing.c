/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * What placing by measured costs is worth: graphs of branches over two simulated devices, slow
 * enough that they do run beside each other. Each is measured on one device and in turns, placed by
 * 'greedy' on what that told, and run so: who gains what the simulator says?
 *
 * usage: bench-placing [--seconds S] [--graphs N]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/pool.h"
#include "engine/graph/builder.h"
#include "engine/passes/fold.h"
#include "engine/passes/predict.h"
#include "engine/train/measuring.h"
#include "kernels/registry.h"
#include "tests/bench/median.h"
#include "tests/bench/truth-subject.h"

#define SIM_OPTIONS "latency=50us, bandwidth=4G, speed=0.25"
#define ROWS        64
#define MOST_NODES  256
#define STRETCH     10
#define LEAST_GAIN  0.05 /* that the simulator says, to count */

static int n_graphs = 20;
static double seconds = 0.3;

static const GOptionEntry entries[] = {
  { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "To measure each placement (0.3)", "S" },
  { "graphs", 0, 0, G_OPTION_ARG_INT, &n_graphs, "Graphs to draw (20)", "N" },
  G_OPTION_ENTRY_NULL,
};

/* ---- graphs ---- */

/* Where the nodes of a graph stand, in the order in which it is drawn. */
typedef struct
{
  const char *names[MOST_NODES];
  guint devices[MOST_NODES];
  guint n;
  gboolean is_free; /* any of both */
} Plan;

typedef struct
{
  SluiceBuilder b;
  Plan *plan;
  GRand *lot;
} Drawing;

static void
set_device (Drawing *self)
{
  static const char *const devices[] = { "/device:SIM:0", "/device:SIM:1" };
  self->b.device =
      self->plan->is_free ? "/device:SIM" : devices[self->plan->devices[self->plan->n]];
}

static SluiceEdge
note (Drawing *self, SluiceEdge edge)
{
  self->plan->names[self->plan->n++] = edge.node->name;
  return edge;
}

static SluiceEdge
add_weights (Drawing *self, gint64 width)
{
  SluiceShape shape = SLUICE_SHAPE (width, width);
  SluiceTensor *values = sluice_tensor_new_zeros (SLUICE_FLOAT, &shape);
  float *at = values->data;
  for (gint64 i = 0; i < values->n_elements; i++)
    at[i] = (float) g_rand_double_range (self->lot, -0.1, 0.1);
  set_device (self);
  return note (self, sluice_builder_const (&self->b, values));
}

static SluiceEdge
add_op (Drawing *self, const char *op, SluiceEdge a, SluiceEdge b)
{
  set_device (self);
  return note (self, b.node != NULL ? sluice_op (&self->b, op, a, b) : sluice_op (&self->b, op, a));
}

/* Two to four branches of products of their own length and width, and their sum. */
static SluiceGraph *
draw (guint number, Plan *plan)
{
  GError *error = NULL;
  const SluiceEdge none = { NULL };
  g_autoptr (GRand) lot = g_rand_new_with_seed (number + 1);
  SluiceGraph *graph = sluice_graph_new ();
  Drawing self = { .plan = plan, .lot = lot };
  gint64 width = (gint64) 256 << g_rand_int_range (lot, 0, 2);
  SluiceShape shape = SLUICE_SHAPE (ROWS, width);
  SluiceEdge sum = none;
  plan->n = 0;
  sluice_builder_init (&self.b, graph, NULL);
  self.b.device = "/device:CPU:0";
  SluiceEdge x = sluice_builder_add (
      &self.b, "Placeholder", "x", NULL, 0,
      SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT), sluice_attr_shape ("shape", &shape)));
  for (int branch = g_rand_int_range (lot, 2, 5); branch > 0; branch--)
    {
      SluiceEdge y = x;
      for (int layer = g_rand_int_range (lot, 2, 8); layer > 0; layer--)
        y = add_op (&self, "Tanh", add_op (&self, "MatMul", y, add_weights (&self, width)), none);
      sum = sum.node != NULL ? add_op (&self, "AddV2", sum, y) : y;
    }
  self.b.device = "/device:CPU:0";
  sluice_builder_add (&self.b, "Identity", "end", &sum, 1, NULL, 0);
  if (!sluice_builder_finish (&self.b, &error))
    truth_fatal ("a graph", error);
  return graph;
}

/* ---- running ---- */

/* The median of a step. measured: (nullable): takes in what it took */
static double
run (SluiceGraph *graph, SluiceMeasured *measured)
{
  GError *error = NULL;
  const SluiceSessionOptions options = { .device = "SIM:1", .device_options = SIM_OPTIONS };
  g_autoptr (SluiceSession) session = sluice_session_new (&options, &error);
  const SluiceNode *x = sluice_graph_find (graph, "x");
  g_autoptr (SluiceTensor) value = sluice_tensor_new_zeros (SLUICE_FLOAT, &x->outputs[0].shape);
  const SluiceFeed feed = { "x:0", value };
  const char *fetch = "end:0";
  const SluiceStepNames names = { .feeds = &feed, .n_feeds = 1, .fetches = &fetch, .n_fetches = 1 };
  if (session == NULL || !sluice_session_extend (session, graph, &error))
    truth_fatal ("session", error);
  g_autoptr (SluiceCallable) step = sluice_session_prepare (session, &names, &error);
  g_autoptr (SluiceMeasuring) measuring =
      measured != NULL ? sluice_measuring_new (session, measured, ROWS) : NULL;
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (double));
  gint64 end = g_get_monotonic_time () + (gint64) (seconds * G_USEC_PER_SEC);
  for (guint64 number = 1; number <= STRETCH || g_get_monotonic_time () < end; number++)
    {
      const SluiceRunOptions run_options = { .step = number };
      SluiceTensor *output = NULL;
      guint64 before = sluice_clock_ticks ();
      if (step == NULL || !sluice_callable_run (step, &feed.tensor, &output, &run_options, &error))
        truth_fatal ("step", error);
      double us = (double) (sluice_clock_ticks () - before) * sluice_clock_ns_per_tick () / 1000;
      sluice_tensor_unref (output);
      if (number > STRETCH / 2)
        g_array_append_val (times, us);
      if (measuring != NULL && number == STRETCH / 2)
        sluice_measuring_skip (measuring);
      else if (measuring != NULL && number % STRETCH == 0)
        sluice_measuring_read (measuring);
    }
  return bench_median ((double *) times->data, times->len);
}

static double
run_plan (guint number, Plan *plan, SluiceMeasured *measured)
{
  g_autoptr (SluiceGraph) graph = draw (number, plan);
  return run (graph, measured);
}

/* ---- placing ---- */

typedef struct
{
  double single_us, greedy_us;         /* as the policies' simulator has it */
  double single_run_us, greedy_run_us; /* as steps run here */
} Told;

static double
predict (const SluiceGraphWorkload *workload,
         SluiceGraph *graph,
         const guint *devices,
         SluiceCostModel *costs,
         SluiceMeasured *measured)
{
  SluicePrediction told;
  const SluiceEdge end = { sluice_graph_find (graph, "end"), 0 };
  sluice_graph_workload_predict (workload, devices, &end, 1, costs, measured, 1, &told);
  return told.us;
}

static void
take_choice (Plan *plan, const SluiceGraphWorkload *workload, const SluiceChoice *choice)
{
  for (guint i = 0; i < plan->n; i++)
    for (guint v = 0; v < choice->n_nodes; v++)
      if (g_str_equal (workload->workload->nodes[v].name, plan->names[i]))
        plan->devices[i] = choice->devices[v] == 2;
}

/* Devices 0, 1, 2 are CPU:0, SIM:0, SIM:1. */
static Told
place (guint number, Plan *plan, SluiceMeasured *measured)
{
  GError *error = NULL;
  const SluiceSessionOptions options = { .device = "SIM:1", .device_options = SIM_OPTIONS };
  const SluicePolicyOptions policy_options = { 0 };
  plan->is_free = TRUE;
  g_autoptr (SluiceGraph) graph = draw (number, plan);
  g_autoptr (SluiceSession) session = sluice_session_new (&options, &error);
  if (session == NULL)
    truth_fatal ("session", error);
  SluiceDevice *devices[3];
  for (guint d = 0; d < 3; d++)
    devices[d] = sluice_session_get_device (session, d);
  g_autoptr (SluiceMachine) machine = sluice_machine_new_here (devices, 3);
  g_autoptr (SluiceCostModel) costs = sluice_cost_model_new ();
  sluice_machine_take_measured (machine, measured);
  sluice_cost_model_set_measured (costs, measured);
  g_autoptr (SluiceGraphWorkload) workload =
      sluice_graph_workload_new (graph, &(SluiceWorkloadScope){ 0 }, machine, costs, FALSE, &error);
  g_autoptr (SluiceChoice) choice =
      workload != NULL ? sluice_policy_run (sluice_policies_find ("greedy", NULL),
                                            workload->workload, &policy_options, &error)
                       : NULL;
  if (choice == NULL)
    truth_fatal ("place", error);
  take_choice (plan, workload, choice);
  plan->is_free = FALSE;
  g_autofree guint *single = g_memdup2 (choice->devices, choice->n_nodes * sizeof (guint));
  for (guint v = 0; v < choice->n_nodes; v++)
    single[v] = MIN (single[v], 1);
  return (Told){ choice->single_us, choice->schedule->us,
                 predict (workload, graph, single, costs, measured),
                 predict (workload, graph, choice->devices, costs, measured) };
}

/* Returns: whether the simulator says that there is something to gain; holds: it is gained */
static gboolean
compare (guint number, gboolean *holds)
{
  Plan plan = { .n = 0 };
  g_autoptr (SluiceMeasured) measured = sluice_measured_new ();
  sluice_measured_set_options (measured, SIM_OPTIONS);
  double single_us = run_plan (number, &plan, measured);
  for (guint i = 0; i < MOST_NODES; i++)
    plan.devices[i] = 1;
  run_plan (number, &plan, measured);
  for (guint i = 0; i < MOST_NODES; i++)
    plan.devices[i] = i % 2;
  double turns_us = run_plan (number, &plan, measured);
  Told told = place (number, &plan, measured);
  double greedy_us = run_plan (number, &plan, NULL);
  double says = 1 - told.greedy_run_us / told.single_run_us, gain = 1 - greedy_us / single_us;
  gboolean counts = says >= LEAST_GAIN;
  *holds = !counts || (gain >= says / 2 && greedy_us < turns_us);
  printf (
      "%-4u %8.0f %8.0f %8.0f  %8.0f %8.0f %8.0f  says %5.1f %%, gains %5.1f %%, of turns %5.1f "
      "%%  %s\n",
      number, told.single_us, told.single_run_us, single_us, told.greedy_us, told.greedy_run_us,
      greedy_us, 100 * says, 100 * gain, 100 * (1 - greedy_us / turns_us),
      !counts  ? "nothing to gain"
      : *holds ? "holds"
               : "DOES NOT HOLD");
  fflush (stdout);
  return counts;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  guint n_counts = 0, n_holds = 0;
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    truth_fatal ("arguments", error);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  sluice_pool_set_threads (1);
  printf ("us of the simulator, of the run model, measured: %8s, then %8s\n", "single", "greedy");
  for (int i = 0; i < n_graphs; i++)
    {
      gboolean holds;
      gboolean counts = compare ((guint) i, &holds);
      n_counts += counts;
      n_holds += counts && holds;
    }
  printf ("half of what the simulator says, and better than turns: %u of %u\n", n_holds, n_counts);
  return EXIT_SUCCESS;
}
