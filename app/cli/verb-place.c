/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <stdio.h>

#include "app/cli/devices.h"
#include "app/cli/place-calibrate.h"
#include "app/cli/place-choice.h"
#include "app/cli/place-fit.h"
#include "app/cli/run-options.h"
#include "engine/base/pool.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/predict.h"
#include "engine/train/calibration.h"
#include "engine/train/measured-file.h"
#include "engine/train/project.h"
#include "engine/train/sized-graph.h"

#define SECONDS     10.0 /* of a calibration */
#define MAX_SECONDS 86400

static gboolean calibrates;
static double seconds = -1; /* not given */
static char **feeds, **targets, **fetches;
static char *machine_path, *costs_path, *policy_name, *fit_bytes;

static const GOptionEntry options[] = {
  { "machine", 0, 0, G_OPTION_ARG_FILENAME, &machine_path,
    N_ ("Predict for the devices and links of this file, which need not be here"), N_ ("FILE") },
  { "costs", 0, 0, G_OPTION_ARG_FILENAME, &costs_path,
    N_ ("Take the times of nodes and the bytes of values from this file"), N_ ("FILE") },
  { "policy", 0, 0, G_OPTION_ARG_STRING, &policy_name,
    N_ ("Choose by greedy (the default), single, round-robin, best or learned"), N_ ("NAME") },
  { "target", 0, 0, G_OPTION_ARG_STRING_ARRAY, &targets,
    N_ ("Only what this node needs (repeatable)"), N_ ("NODE") },
  { "fetch", 0, 0, G_OPTION_ARG_STRING_ARRAY, &fetches,
    N_ ("Only what this edge needs (repeatable)"), N_ ("EDGE") },
  { "calibrate", 0, 0, G_OPTION_ARG_NONE, &calibrates,
    N_ ("Run steps, measure what nodes and links take, and keep that for predictions"), NULL },
  { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds,
    N_ ("How long to calibrate (10), or what 'learned' and 'best' may search"), N_ ("S") },
  { "feed", 0, 0, G_OPTION_ARG_STRING_ARRAY, &feeds,
    N_ ("With --calibrate, of a GRAPH: feed an edge: a number, numbers [1,2,3], or a file .npy"),
    N_ ("EDGE=VALUE") },
  { "fit", 0, 0, G_OPTION_ARG_STRING, &fit_bytes,
    N_ ("Tell what would make a step fit into so much memory of each device, as 12M, and what that "
        "costs"),
    N_ ("BYTES") },
  CLI_TAGS_OPTION,
  G_OPTION_ENTRY_NULL,
};
static const CliRunKey run_keys[] = { { "threads" }, { "cpus" },
                                      { "nulls" },   { "soft-placement" },
                                      { "device" },  { "device-options" },
                                      { NULL } };

/* ---- as a session has it ---- */

/* How many nodes stand nowhere. */
static guint
print_all (SluiceSession *session)
{
  SluiceGraph *graph = sluice_session_get_graph (session);
  guint n_nowhere = 0;
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      const char *reason = NULL;
      const char *device = sluice_session_get_placement (session, node->name, &reason);
      n_nowhere += device == NULL;
      printf ("%s\t%s\t%s\n", node->name, device != NULL ? device : "-", _ (reason));
    }
  return n_nowhere;
}

static int
list_placements (SluiceSession *session, SluiceGraph *graph, GError **error)
{
  if (!sluice_session_extend (session, graph, error))
    return EXIT_FAILED;
  sluice_cli_tell_moved (session);
  return print_all (session) == 0 ? EXIT_OK : EXIT_FAILED;
}

/* ---- by a policy ---- */

static gboolean
find_scope (SluiceGraph *graph, GArray *nodes, GArray *edges, GError **error)
{
  for (guint i = 0; targets != NULL && targets[i] != NULL; i++)
    {
      SluiceNode *node = sluice_graph_find (graph, targets[i]);
      if (node == NULL)
        return sluice_fail (error, SLUICE_ERROR_NOT_FOUND, "target: there is no node '%s'",
                            targets[i]);
      g_array_append_val (nodes, node);
    }
  for (guint i = 0; fetches != NULL && fetches[i] != NULL; i++)
    {
      SluiceEdge edge;
      if (!sluice_graph_parse_edge (graph, fetches[i], &edge, error))
        return FALSE;
      g_array_append_val (edges, edge);
    }
  return TRUE;
}

/* The file's machine, else the session's devices. (transfer full) (nullable) */
static SluiceMachine *
load_machine (SluiceSession *session, GError **error)
{
  if (machine_path != NULL)
    return sluice_machine_load (machine_path, error);
  g_autoptr (GPtrArray) devices = g_ptr_array_new ();
  for (guint i = 0; i < sluice_session_get_n_devices (session); i++)
    g_ptr_array_add (devices, sluice_session_get_device (session, i));
  return sluice_machine_new_here ((SluiceDevice *const *) devices->pdata, devices->len);
}

/* What figures come from where devices are here: what was measured, and with which batch. */
typedef struct
{
  SluiceMeasured *measured;
  SluiceGraph *sized; /* (nullable): of a project */
  double step_us;     /* to begin a step and to end it */
} Measured;

static void
measured_clear (Measured *self)
{
  g_clear_pointer (&self->measured, sluice_measured_free);
  g_clear_pointer (&self->sized, sluice_graph_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Measured, measured_clear)

static gboolean
take_batch (
    Measured *self, SluiceCostModel *costs, SluiceGraph *graph, const char *path, GError **error)
{
  if (!sluice_project_is_folder (path))
    return TRUE;
  g_autoptr (SluiceProject) project = sluice_project_load (path, error);
  if (project == NULL)
    return FALSE;
  gint64 batch = MAX (project->batch, 1);
  self->sized = sluice_graph_dup_sized (graph, batch);
  sluice_cost_model_set_batch (costs, self->sized, batch);
  return TRUE;
}

static gboolean
take_measured (Measured *self,
               SluiceMachine *machine,
               SluiceCostModel *costs,
               SluiceGraph *graph,
               const char *path,
               GError **error)
{
  g_autoptr (GError) damaged = NULL;
  SluiceCalibration speed;
  if (!take_batch (self, costs, graph, path, error))
    return FALSE;
  if (machine->is_elsewhere)
    return TRUE;
  self->measured = sluice_measured_file_load (NULL, &damaged);
  if (damaged != NULL)
    g_printerr ("%s\n", damaged->message);
  if (!sluice_calibration_get (NULL, &speed, NULL, error))
    return FALSE;
  self->step_us = speed.step_seconds * 1e6;
  sluice_calibration_set_speed (&speed, machine);
  sluice_measured_set_options (self->measured, sluice_cli_session_options.device_options);
  sluice_machine_take_measured (machine, self->measured);
  sluice_cost_model_set_measured (costs, self->measured);
  return TRUE;
}

static void
print_choice (SluiceGraph *graph,
              const SluiceMachine *machine,
              const SluiceGraphWorkload *workload,
              const SluiceChoice *choice)
{
  g_autofree SluiceDevice **devices = g_new (SluiceDevice *, machine->n_devices);
  g_autoptr (SluicePlacements) placements = sluice_placements_new ();
  g_autoptr (SluiceGraphPlaceChoice) taken =
      sluice_graph_place_choice_new (workload, graph, choice);
  for (guint d = 0; d < machine->n_devices; d++)
    devices[d] = machine->devices[d].device;
  sluice_place (graph, devices, machine->n_devices, 0, !sluice_cli_session_options.strict_devices,
                &taken->told, placements);
  g_autofree char *moved = sluice_placements_dup_moved (placements, graph, devices);
  if (moved != NULL)
    fprintf (stderr, "%s\n", moved);
  const CliPlaceChoice told = { graph, machine, workload, choice, placements };
  if (sluice_cli_json)
    sluice_cli_print_choice_json (&told);
  else
    sluice_cli_print_choice (&told);
}

/* The policy's count is of devices that work beside each other; this is of threads and queues, as
 * they are here. */
static void
print_prediction (const Measured *measured,
                  SluiceCostModel *costs,
                  const SluiceGraphWorkload *workload,
                  const SluiceChoice *choice,
                  const GArray *edges)
{
  SluicePrediction told;
  gboolean is_step = targets != NULL || fetches != NULL;
  if (sluice_cli_json || !is_step || measured->measured == NULL
      || sluice_measured_get_n (measured->measured) == 0)
    return;
  sluice_graph_workload_predict (workload, choice->devices, (const SluiceEdge *) edges->data,
                                 edges->len, costs, measured->measured, sluice_pool_get_threads (),
                                 &told);
  g_autofree char *us = sluice_graph_workload_dup_time (told.us + measured->step_us);
  g_autofree char *off = sluice_graph_workload_dup_time (told.plus_minus);
  printf (_ ("As steps run here, by what was measured: %s ± %s\n"), us, off);
}

static int
choose (SluiceSession *session, SluiceGraph *graph, const char *path, GError **error)
{
  const SluicePolicyOptions policy_options = { .explains = TRUE, .seconds = MAX (seconds, 0) };
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (SluiceNode *));
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (SluiceEdge));
  const SluicePolicy *policy =
      sluice_policies_find (policy_name != NULL ? policy_name : "greedy", error);
  if (policy == NULL)
    return EXIT_USAGE;
  g_autoptr (SluiceMachine) machine = load_machine (session, error);
  g_autoptr (SluiceCostModel) costs = sluice_cost_model_new ();
  g_auto (Measured) measured = { NULL };
  if (machine == NULL || !take_measured (&measured, machine, costs, graph, path, error)
      || !find_scope (graph, nodes, edges, error)
      || (costs_path != NULL && !sluice_cost_model_load_given (costs, costs_path, graph, error)))
    return EXIT_FAILED;
  const SluiceWorkloadScope scope = { (SluiceNode *const *) nodes->data,
                                      (const SluiceEdge *) edges->data, nodes->len, edges->len };
  g_autoptr (SluiceGraphWorkload) workload = sluice_graph_workload_new (
      graph, &scope, machine, costs, !sluice_cli_session_options.strict_devices, error);
  g_autoptr (SluiceChoice) choice =
      workload != NULL ? sluice_policy_run (policy, workload->workload, &policy_options, error)
                       : NULL;
  if (choice == NULL)
    return EXIT_FAILED;
  print_choice (graph, machine, workload, choice);
  print_prediction (&measured, costs, workload, choice, edges);
  return EXIT_OK;
}

/* Also what is wrong: NAN, or less than nothing. */
static gboolean
gives_seconds (void)
{
  return !(seconds >= -1 && seconds <= -1);
}

static int
calibrate (const char *path, GError **error)
{
  const CliSteps names = { .feeds = feeds, .fetches = fetches, .targets = targets };
  return sluice_cli_calibrate (&names, path, gives_seconds () ? seconds : SECONDS, error);
}

static int
place (char **arguments, GError **error)
{
  if (arguments[0] == NULL || arguments[1] != NULL)
    return sluice_cli_usage (error, _ ("give one PROJECT or GRAPH"));
  if (gives_seconds () && !(seconds > 0 && seconds <= MAX_SECONDS))
    return sluice_cli_usage (error, _ ("--seconds must be above 0 and at most %d"), MAX_SECONDS);
  if (fit_bytes != NULL)
    return sluice_cli_place_fit (
        &(CliSteps){ .feeds = feeds, .fetches = fetches, .targets = targets }, arguments[0],
        fit_bytes, error);
  if (calibrates)
    return calibrate (arguments[0], error);
  gboolean chooses = sluice_cli_json || machine_path != NULL || costs_path != NULL
                     || policy_name != NULL || targets != NULL || fetches != NULL;
  g_autoptr (SluiceGraph) graph = sluice_cli_load_graph (arguments[0], error);
  g_autoptr (SluiceSession) session =
      graph != NULL ? sluice_session_new (&sluice_cli_session_options, error) : NULL;
  if (session == NULL)
    return EXIT_FAILED;
  return chooses ? choose (session, graph, arguments[0], error)
                 : list_placements (session, graph, error);
}

const Verb sluice_verb_place = {
  .name = "place",
  .arguments = N_ ("PROJECT|GRAPH|SAVEDMODEL"),
  .summary = N_ ("Tell on which device each node stands, and why"),
  .details = N_ (
      "A line a node: its name, its device, the reason. Where requests, kernels and nodes that "
      "must stand together leave no device, the line has '-' and names the shortest chain of those "
      "that exclude each other; the exit status is 1 then. A request for a device that is not here "
      "is left out, and the reason says so.\n\n"
      "With --policy, --machine, --costs, --target, --fetch or --json a policy chooses the "
      "devices: "
      "greedy puts each node where it ends soonest, single all on the best one device, round-robin "
      "each on the next, best looks at all placements and orders of up to 12 nodes, learned tries "
      "thousands in the simulator, learns from them and searches on. What it "
      "chooses "
      "is never slower than one device by the simulator's count, and where one device is as good "
      "it "
      "says so. Constraints and memory always hold. A machine is a file {\"devices\": [{\"name\", "
      "\"gflops\", \"gbps\", \"memory\", \"overhead_us\"}], \"links\": [{\"from\", \"to\", "
      "\"latency_us\", \"gbps\"}]}, costs are {\"nodes\": {NAME: {\"us\": {DEVICE: 10}, \"bytes\": "
      "[4000]}}}: what names no figure follows the formulas of the op definitions, a node whose "
      "\"us\" names some devices stands only there. A type of device that is not known here is "
      "taken "
      "to run what a CPU runs. A loop counts as one iteration.\n\n"
      "With --calibrate steps of the project, or of a graph that is fed and fetched, run for ten "
      "seconds, and what each op took on such shapes and each link between devices is kept in the "
      "cache folder, by machine, beside what was measured before: 'sluice train' adds to it, too. "
      "On devices that are here that goes before the formulas.\n\n"
      "With --fit it says what makes a step of the project, or of a graph that is fetched, fit "
      "into "
      "so many bytes a device at the least cost: values that are computed again behind the peak, "
      "or "
      "leave for the host's memory where the device can do that, each with the bytes by which the "
      "peak would be higher without it and the time that it takes. Nothing runs. 'sluice train "
      "--fit' does it. Where nothing is enough it says what the smallest is, and the exit status "
      "is "
      "1."),
  .json = CLI_FIT_JSON
  "\n{\"file\": \"string\", \"steps\": \"int\", \"samples\": \"int\", \"figures\": \"int\"}\n"
  "{\"policy\": \"string\", \"instead\": \"string|null\", \"why\": \"string|null\", "
  "\"is_prediction\": \"bool\", \"predicted_us\": \"number\", \"single_us\": "
  "\"number|null\", \"tried\": \"int\", \"seconds\": \"number\", \"found_by\": "
  "\"string|null\", \"peak_bytes\": {\"*\": \"number\"}, \"nodes\": "
  "{\"*\": {\"device\": \"string\", \"asked\": \"string|null\", \"start_us\": \"number\", "
  "\"end_us\": \"number\", \"reason\": \"string\", \"margin_us\": \"number|null\", "
  "\"step\": \"int\", \"candidates\": [{\"device\": \"string\", \"ready_us\": "
  "\"number|null\", \"transfer_us\": \"number|null\", \"queue_us\": \"number|null\", "
  "\"compute_us\": \"number|null\", \"finish_us\": \"number|null\", \"peak_bytes\": "
  "\"number|null\", \"why_not\": \"string|null\"}], \"measured_us\": \"number|null\"}}, "
  "\"transfers\": [{\"tensor\": \"string\", \"from\": \"string\", \"to\": \"string\", "
  "\"start_us\": \"number\", \"end_us\": \"number\", \"bytes\": \"number\"}]}",
  .options = options,
  .run_keys = run_keys,
  .run = place,
};
