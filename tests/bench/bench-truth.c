/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * How true predictions are: steps of graphs on one and two CPU devices and on simulated ones with
 * latency and bandwidth, as predicted from what was measured of them all before, and as they then
 * take. What differs from placing is only that CPU devices are no processors: whatever thread is
 * free runs their nodes, so threads are what the simulator counts with.
 *
 * usage: bench-truth [--threads N] [--seconds S] [--graphs N] [PROJECT...]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/pool.h"
#include "engine/cost/policy.h"
#include "engine/graph/builder.h"
#include "engine/passes/fold.h"
#include "engine/passes/graph-workload.h"
#include "engine/runtime/session/session.h"
#include "engine/train/calibration.h"
#include "engine/train/measuring.h"
#include "engine/train/replica.h"
#include "engine/train/sized-graph.h"
#include "kernels/registry.h"
#include "tests/bench/median.h"

#define SIM_OPTIONS "latency=50us, bandwidth=4G"
#define WAKE_US     4.0 /* until another thread has begun what this one made */
#define GOAL        0.15
#define BATCH       64

static int n_threads = 1, n_graphs = 40;
static double seconds = 0.5;

static const GOptionEntry entries[] = {
  { "threads", 0, 0, G_OPTION_ARG_INT, &n_threads, "Threads that compute (1)", "N" },
  { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "To measure each, twice (0.5)", "S" },
  { "graphs", 0, 0, G_OPTION_ARG_INT, &n_graphs, "Graphs to draw (40)", "N" },
  G_OPTION_ENTRY_NULL,
};

/* Names the trouble and ends. */
static void G_GNUC_NORETURN
fatal (const char *what, const GError *error)
{
  fprintf (stderr, "bench-truth: %s: %s\n", what, error != NULL ? error->message : "?");
  exit (EXIT_FAILURE);
}

/* ---- what runs ---- */

typedef struct
{
  char *name;
  SluiceProject *project; /* of a project */
  SluiceExamples *examples, *test;
  SluiceReplica *replica;
  SluiceSession *session;
  SluiceCallable *step; /* of a graph that was drawn; NULL: the replica steps */
  GArray *feeds;        /* of SluiceFeed: of a graph that was drawn */
  SluiceNode *fetched;
  double *scalars; /* of the replica */
  guint64 n_steps;
  gint64 batch;
  double median_us, p5_us, p95_us; /* as measured */
} Subject;

static void
run_step (Subject *self)
{
  GError *error = NULL;
  const SluiceRunOptions options = { .step = ++self->n_steps };
  SluiceTensor *output = NULL, *values[64];
  for (guint i = 0; self->feeds != NULL && i < self->feeds->len; i++)
    values[i] = g_array_index (self->feeds, SluiceFeed, i).tensor;
  if (self->step == NULL
          ? !sluice_replica_step (self->replica, self->scalars, NULL, &options, &error)
          : !sluice_callable_run (self->step, values, &output, &options, &error))
    fatal (self->name, error);
  g_clear_pointer (&output, sluice_tensor_unref);
}

/* Where a drawn graph's nodes may stand, by number of the graph. */
static const struct
{
  const char *name;
  const char *devices[2];
  const char *device; /* of the session */
} places[] = {
  { "CPU:0", { "/device:CPU:0", "/device:CPU:0" }, NULL },
  { "CPU:0 CPU:1", { "/device:CPU:0", "/device:CPU:1" }, NULL },
  { "CPU:0 SIM:0", { "/device:CPU:0", "/device:SIM:0" }, "SIM:0" },
  { "SIM:0 SIM:1", { "/device:SIM:0", "/device:SIM:1" }, "SIM:1" },
};

/* What every step is fed; feeds: (element-type SluiceFeed) of the graph */
static SluiceEdge
add_input (SluiceBuilder *b, GRand *lot, gint64 rows, gint64 columns, GArray *feeds)
{
  SluiceShape shape = SLUICE_SHAPE (rows, columns);
  SluiceTensor *values = sluice_tensor_new_zeros (SLUICE_FLOAT, &shape);
  float *at = values->data;
  for (gint64 i = 0; i < values->n_elements; i++)
    at[i] = (float) g_rand_double_range (lot, -0.1, 0.1);
  SluiceEdge input = sluice_builder_add (
      b, "Placeholder", NULL, NULL, 0,
      SLUICE_ATTRS (sluice_attr_type ("dtype", SLUICE_FLOAT), sluice_attr_shape ("shape", &shape)));
  const SluiceFeed feed = { g_strconcat (input.node->name, ":0", NULL), values };
  g_array_append_val (feeds, feed);
  return input;
}

static void
clear_feed (gpointer feed)
{
  SluiceFeed *self = feed;
  g_free ((char *) self->edge);
  sluice_tensor_unref (self->tensor);
}

/* A net of products, element-wise ops and reductions over some branches. */
static SluiceEdge
draw_net (SluiceBuilder *b, GRand *lot, const char *const devices[2], GArray *feeds)
{
  static const char *const ops[] = { "Relu", "Tanh", "Softmax", "Square", "Neg" };
  static const gint64 widths[] = { 32, 64, 128, 256 };
  gint64 width = widths[g_rand_int_range (lot, 0, G_N_ELEMENTS (widths))];
  SluiceEdge values[4];
  guint n_values = 1, n_layers = (guint) g_rand_int_range (lot, 4, 24);
  b->device = devices[0];
  values[0] = add_input (b, lot, BATCH, width, feeds);
  for (guint layer = 0; layer < n_layers; layer++)
    {
      b->device = devices[g_rand_int_range (lot, 0, 2)];
      SluiceEdge x = values[g_rand_int_range (lot, 0, (gint32) n_values)], y;
      int kind = g_rand_int_range (lot, 0, 5);
      if (kind < 2)
        y = sluice_op (b, "MatMul", x, add_input (b, lot, width, width, feeds));
      else if (kind == 2 && n_values > 1)
        y = sluice_op (b, "AddV2", x, values[g_rand_int_range (lot, 0, (gint32) n_values)]);
      else
        y = sluice_op (b, ops[g_rand_int_range (lot, 0, G_N_ELEMENTS (ops))], x);
      gboolean is_new = n_values < G_N_ELEMENTS (values) && g_rand_int_range (lot, 0, 3) == 0;
      values[is_new ? n_values++ : (guint) g_rand_int_range (lot, 0, (gint32) n_values)] = y;
    }
  b->device = devices[0];
  SluiceEdge sum = values[0];
  for (guint i = 1; i < n_values; i++)
    sum = sluice_op (b, "AddV2", sum, values[i]);
  return sluice_op (b, "Sum", sum,
                    sluice_builder_const_ints (b, SLUICE_INT32, (gint64[]){ 0, 1 }, 2));
}

static Subject *
draw_subject (guint number)
{
  GError *error = NULL;
  Subject *self = g_new0 (Subject, 1);
  guint place = number % G_N_ELEMENTS (places);
  g_autoptr (GRand) lot = g_rand_new_with_seed (number + 1);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  SluiceBuilder b;
  sluice_builder_init (&b, graph, NULL);
  self->feeds = g_array_new (FALSE, FALSE, sizeof (SluiceFeed));
  g_array_set_clear_func (self->feeds, clear_feed);
  SluiceEdge end = draw_net (&b, lot, places[place].devices, self->feeds);
  if (!sluice_builder_finish (&b, &error))
    fatal ("a graph", error);
  const SluiceSessionOptions options = { .n_cpus = 2,
                                         .device = places[place].device,
                                         .device_options =
                                             places[place].device != NULL ? SIM_OPTIONS : NULL };
  g_autofree char *fetch = g_strconcat (end.node->name, ":0", NULL);
  const SluiceStepNames names = { .feeds = (const SluiceFeed *) self->feeds->data,
                                  .n_feeds = self->feeds->len,
                                  .fetches = (const char *const *) &fetch,
                                  .n_fetches = 1 };
  self->name = g_strdup_printf ("drawn %u on %s", number, places[place].name);
  self->batch = BATCH;
  self->session = sluice_session_new (&options, &error);
  if (self->session == NULL || !sluice_session_extend (self->session, graph, &error)
      || (self->step = sluice_session_prepare (self->session, &names, &error)) == NULL)
    fatal (self->name, error);
  self->fetched = sluice_graph_find (sluice_session_get_graph (self->session), end.node->name);
  return self;
}

static Subject *
load_subject (const char *folder, guint n_cpus)
{
  GError *error = NULL;
  Subject *self = g_new0 (Subject, 1);
  const SluiceSessionOptions options = { .n_cpus = n_cpus };
  g_autofree char *base = g_path_get_basename (folder);
  self->name = g_strdup_printf ("%s on %u CPU", base, n_cpus);
  self->project = sluice_project_load (folder, &error);
  if (self->project != NULL)
    sluice_examples_load_all (self->project, &self->examples, &self->test, &error);
  if (error == NULL)
    self->replica =
        sluice_replica_new (self->project, self->examples, self->test, n_cpus, &options, &error);
  if (error != NULL || !sluice_replica_initialize (self->replica, &error))
    fatal (self->name, error);
  self->session = g_object_ref (self->replica->session);
  self->scalars = g_new0 (double, self->replica->n_scalars + 1);
  self->batch = MAX (self->project->batch, 1);
  return self;
}

static void
free_subject (gpointer subject)
{
  Subject *self = subject;
  g_clear_pointer (&self->step, sluice_callable_unref);
  g_clear_object (&self->session);
  g_clear_pointer (&self->feeds, g_array_unref);
  g_clear_pointer (&self->replica, sluice_replica_free);
  g_clear_pointer (&self->examples, sluice_examples_free);
  g_clear_pointer (&self->test, sluice_examples_free);
  g_clear_pointer (&self->project, sluice_project_free);
  g_free (self->scalars);
  g_free (self->name);
  g_free (self);
}

/* ---- measuring ---- */

static void
calibrate (Subject *self, SluiceMeasured *measured)
{
  g_autoptr (SluiceMeasuring) measuring =
      sluice_measuring_new (self->session, measured, self->batch);
  sluice_measured_set_options (measured, SIM_OPTIONS);
  for (guint i = 0; i < 10; i++)
    run_step (self);
  sluice_measuring_skip (measuring);
  gint64 end = g_get_monotonic_time () + (gint64) (seconds * G_USEC_PER_SEC);
  for (guint i = 1; g_get_monotonic_time () < end; i++)
    {
      run_step (self);
      if (i % 50 == 0) /* not after each: reading empties the caches */
        sluice_measuring_read (measuring);
    }
  sluice_measuring_read (measuring);
}

static void
measure (Subject *self)
{
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint i = 0; i < 10; i++)
    run_step (self);
  gint64 now = g_get_monotonic_time (), end = now + (gint64) (seconds * G_USEC_PER_SEC);
  while (now < end)
    {
      guint64 before = sluice_clock_ticks ();
      run_step (self);
      double us = (double) (sluice_clock_ticks () - before) * sluice_clock_ns_per_tick () / 1000;
      g_array_append_val (times, us);
      now = g_get_monotonic_time ();
    }
  double *sorted = (double *) times->data;
  self->median_us = bench_median (sorted, times->len);
  self->p5_us = sorted[times->len / 20];
  self->p95_us = sorted[times->len - 1 - times->len / 20];
}

/* ---- predicting ---- */

typedef struct
{
  double us, plus_minus;
  guint n_nodes;
} Prediction;

static SluiceMachine *
new_machine (const Subject *self)
{
  g_autoptr (GPtrArray) devices = g_ptr_array_new ();
  for (guint i = 0; i < sluice_session_get_n_devices (self->session); i++)
    g_ptr_array_add (devices, sluice_session_get_device (self->session, i));
  return sluice_machine_new_here ((SluiceDevice *const *) devices->pdata, devices->len);
}

/* Threads, and behind them the devices with queues of their own. from: by device of the other. */
static SluiceMachine *
new_lanes (const SluiceMachine *machine, guint *from)
{
  SluiceMachine *lanes = g_new0 (SluiceMachine, 1);
  guint n = (guint) n_threads, n_others = 0;
  for (guint d = 0; d < machine->n_devices; d++)
    from[d] = machine->devices[d].device->klass->queues != NULL ? n + n_others++ : 0;
  lanes->n_devices = n + n_others;
  lanes->devices = g_new0 (SluiceMachineDevice, lanes->n_devices);
  lanes->links = g_new0 (SluiceMachineLink, lanes->n_devices * lanes->n_devices);
  for (guint i = 0; i < lanes->n_devices; i++)
    {
      lanes->devices[i].name = g_strdup_printf ("lane %u", i);
      lanes->devices[i].type = g_strdup ("lane");
      lanes->devices[i].memory = INFINITY;
      for (guint k = 0; k < lanes->n_devices; k++)
        lanes->links[i * lanes->n_devices + k] = (SluiceMachineLink){ WAKE_US, INFINITY };
    }
  for (guint a = 0; a < machine->n_devices; a++)
    for (guint b = 0; b < machine->n_devices; b++)
      for (guint i = 0; (from[a] >= n || from[b] >= n) && i < n; i++)
        lanes->links[(from[a] >= n ? from[a] : i) * lanes->n_devices
                     + (from[b] >= n ? from[b] : i)] = machine->links[a * machine->n_devices + b];
  return lanes;
}

static guint
find_device (const Subject *self, const SluiceMachine *machine, const SluiceNode *node)
{
  const char *name = sluice_session_get_placement (self->session, node->name, NULL);
  for (guint d = 0; name != NULL && d < machine->n_devices; d++)
    if (g_str_equal (machine->devices[d].device->short_name, name))
      return d;
  return 0;
}

/* What a node takes on its device, and what the thread does for values from another CPU. */
static double
get_us (const SluiceWorkload *w, const SluiceMachine *machine, const guint *devices, guint v)
{
  double us = sluice_workload_get_us (w, v, devices[v]);
  for (guint i = 0; i < w->nodes[v].n_reads; i++)
    {
      guint output = w->reads[w->nodes[v].first_read + i];
      guint a = devices[w->outputs[output].node], b = devices[v];
      if (a != b && machine->devices[a].device->klass->queues == NULL
          && machine->devices[b].device->klass->queues == NULL)
        us += sluice_machine_link_get_us (sluice_machine_get_link (machine, a, b),
                                          w->outputs[output].bytes);
    }
  return us;
}

/* The same work on lanes: any of them has what a CPU has. */
static double
schedule (SluiceWorkload *w, const SluiceMachine *machine, const guint *devices)
{
  g_autofree guint *from = g_new0 (guint, machine->n_devices + 1);
  g_autoptr (SluiceMachine) lanes = new_lanes (machine, from);
  GError *error = NULL;
  const SluicePolicyOptions options = { 0 };
  double *us = g_new (double, (gsize) w->n_nodes * lanes->n_devices + 1);
  for (guint v = 0; v < w->n_nodes; v++)
    {
      double own = get_us (w, machine, devices, v);
      guint at = from[devices[v]];
      for (guint d = 0; d < lanes->n_devices; d++)
        us[v * lanes->n_devices + d] =
            d == at || (at < (guint) n_threads && d < (guint) n_threads) ? own : INFINITY;
      w->nodes[v].group = v;
    }
  w->n_groups = w->n_nodes;
  g_free (w->us);
  w->us = us;
  w->machine = lanes;
  g_autoptr (SluiceChoice) choice =
      sluice_policy_run (sluice_policies_find ("greedy", NULL), w, &options, &error);
  if (choice == NULL)
    fatal ("schedule", error);
  return choice->schedule->us;
}

static void
add_edge (SluiceGraph *graph, const char *text, GPtrArray *targets)
{
  SluiceEdge edge;
  if (sluice_graph_parse_edge (graph, text, &edge, NULL))
    g_ptr_array_add (targets, edge.node);
}

/* What a step is run for. */
static void
add_targets (const Subject *self, GPtrArray *targets)
{
  SluiceGraph *graph = sluice_session_get_graph (self->session);
  const SluiceProject *project = self->project;
  if (self->fetched != NULL)
    {
      g_ptr_array_add (targets, self->fetched);
      return;
    }
  for (char **name = project->train; *name != NULL; name++)
    g_ptr_array_add (targets, sluice_graph_find (graph, *name));
  for (char **edge = project->loss; edge != NULL && *edge != NULL; edge++)
    add_edge (graph, *edge, targets);
  for (guint i = 0; i < project->fetches->len; i++)
    add_edge (graph, g_array_index (project->fetches, SluiceNamedEdge, i).target, targets);
}

static Prediction
predict (const Subject *self, SluiceMeasured *measured, const SluiceCalibration *speed)
{
  GError *error = NULL;
  SluiceGraph *graph = sluice_session_get_graph (self->session);
  g_autoptr (SluiceMachine) machine = new_machine (self);
  g_autoptr (SluiceCostModel) costs = sluice_cost_model_new ();
  g_autoptr (GPtrArray) targets = g_ptr_array_new ();
  double square = 0;
  add_targets (self, targets);
  sluice_calibration_set_speed (speed, machine);
  sluice_measured_set_options (measured, SIM_OPTIONS);
  sluice_machine_take_measured (machine, measured);
  sluice_cost_model_set_measured (costs, measured);
  g_autoptr (SluiceGraph) sized = sluice_graph_dup_sized (graph, self->batch);
  sluice_cost_model_set_batch (costs, sized, self->batch);
  const SluiceWorkloadScope scope = { (SluiceNode *const *) targets->pdata, NULL, targets->len, 0 };
  g_autoptr (SluiceGraphWorkload) workload =
      sluice_graph_workload_new (graph, &scope, machine, costs, TRUE, &error);
  if (workload == NULL)
    fatal (self->name, error);
  guint n = workload->workload->n_nodes;
  g_autofree guint *devices = g_new (guint, n + 1);
  for (guint v = 0; v < n; v++)
    {
      devices[v] = find_device (self, machine, workload->nodes[v]);
      SluiceFigure figure = sluice_cost_model_get (costs, workload->nodes[v],
                                                   &machine->devices[devices[v]], self->batch);
      square += figure.plus_minus * figure.plus_minus;
    }
  double us = speed->step_seconds * 1e6 + schedule (workload->workload, machine, devices);
  return (Prediction){ us, sqrt (square) + 0.1 * us, n };
}

/* ---- the table ---- */

static void
print (const Subject *self, const Prediction *told, guint *n_near, guint *n_inside)
{
  double off = told->us / self->median_us - 1;
  gboolean is_inside = fabs (told->us - self->median_us) <= told->plus_minus;
  *n_near += fabs (off) <= GOAL;
  *n_inside += is_inside;
  printf ("%-28s %6u %11.1f ±%8.1f %11.1f %9.1f %9.1f %7.1f %%  %s%s\n", self->name, told->n_nodes,
          told->us, told->plus_minus, self->median_us, self->p5_us, self->p95_us, 100 * off,
          fabs (off) <= GOAL ? "near " : "     ", is_inside ? "inside" : "");
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context = g_option_context_new ("[PROJECT...]");
  g_autoptr (GPtrArray) subjects = g_ptr_array_new_with_free_func (free_subject);
  g_autoptr (SluiceMeasured) measured = sluice_measured_new ();
  SluiceCalibration speed;
  guint n_near = 0, n_inside = 0;
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    fatal ("arguments", error);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  sluice_pool_set_threads ((guint) n_threads);
  if (!sluice_calibration_get (NULL, &speed, NULL, &error))
    fatal ("speed", error);
  for (int i = 1; i < argc; i++)
    for (guint n_cpus = 1; n_cpus <= 2; n_cpus++)
      g_ptr_array_add (subjects, load_subject (argv[i], n_cpus));
  for (int i = 0; i < n_graphs; i++)
    g_ptr_array_add (subjects, draw_subject ((guint) i));
  for (guint i = 0; i < subjects->len; i++)
    calibrate (subjects->pdata[i], measured);
  printf ("%-28s %6s %11s %9s %11s %9s %9s %9s\n", "graph", "nodes", "predicted", "", "measured us",
          "p5", "p95", "off");
  for (guint i = 0; i < subjects->len; i++)
    {
      measure (subjects->pdata[i]);
      Prediction told = predict (subjects->pdata[i], measured, &speed);
      print (subjects->pdata[i], &told, &n_near, &n_inside);
    }
  printf ("within %.0f %%: %u of %u; inside the ±: %u of %u\n", 100 * GOAL, n_near, subjects->len,
          n_inside, subjects->len);
  return EXIT_SUCCESS;
}
