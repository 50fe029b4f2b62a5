/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/command/problems.h"
#include "engine/grad/control-flow.h"
#include "engine/graph/file-ops.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "engine/store/checkpoint-file.h"
#include "engine/train/project-ends.h"
#include "engine/train/promote.h"
#include "engine/train/replica.h"

static char **feeds, **fetches, **targets;
static guint n_errors, n_warnings;

static const GOptionEntry options[] = {
  { "feed", 0, 0, G_OPTION_ARG_STRING_ARRAY, &feeds, N_ ("Of a GRAPH: an edge that is fed"),
    N_ ("EDGE") },
  { "fetch", 0, 0, G_OPTION_ARG_STRING_ARRAY, &fetches,
    N_ ("Of a GRAPH: an edge whose step is looked at for races"), N_ ("EDGE") },
  { "target", 0, 0, G_OPTION_ARG_STRING_ARRAY, &targets,
    N_ ("Of a GRAPH: a node whose step is looked at for races"), N_ ("NODE") },
  CLI_TAGS_OPTION,
  G_OPTION_ENTRY_NULL,
};

typedef enum
{
  FAULT,   /* running would fail */
  WARNING, /* it may be meant so */
} Severity;

/* What was found: about a node, or about the project as a whole (node NULL). fix: (nullable): the
 * command that mends it */
static void
report_fix (Severity severity, const char *node, const char *message, const SluiceProblemFix *fix)
{
  n_errors += severity == FAULT;
  n_warnings += severity == WARNING;
  if (!sluice_cli_json)
    {
      g_autofree char *text = sluice_text_escape (message);
      printf ("%s%s%s\n", node != NULL ? node : "", node != NULL ? ": " : "", text);
      if (fix != NULL)
        printf ("  %s: %s\n", fix->title, fix->line);
      return;
    }
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "severity", severity == FAULT ? "error" : "warning");
  sluice_cli_json_string (b, "node", node);
  sluice_cli_json_string (b, "message", message);
  sluice_cli_json_string (b, "fix", fix != NULL ? fix->line : NULL);
  sluice_cli_json_end (b);
}

static void
report (Severity severity, const char *node, const char *message)
{
  report_fix (severity, node, message, NULL);
}

/* Reads and writes without an order: a step may want them so (Hogwild), so they fail nothing. */
static void
check_races (SluiceSession *session,
             const char *const *fed,
             const char *const *fetched,
             const char *const *run)
{
  g_autoptr (GError) error = NULL;
  guint n_fed = g_strv_length ((char **) fed);
  g_autofree SluiceFeed *feeds_of_step = sluice_feeds_new (fed, n_fed);
  const SluiceStepNames step = { .feeds = feeds_of_step,
                                 .fetches = fetched,
                                 .targets = run,
                                 .n_feeds = n_fed,
                                 .n_fetches = g_strv_length ((char **) fetched),
                                 .n_targets = g_strv_length ((char **) run) };
  g_autoptr (GArray) races = sluice_session_dup_races (session, &step, &error);
  if (races == NULL)
    {
      report (FAULT, NULL, error->message);
      return;
    }
  for (guint i = 0; i < races->len; i++)
    {
      const SluiceRace *race = &g_array_index (races, SluiceRace, i);
      g_autofree char *text = sluice_race_describe (race);
      report (WARNING, race->b->name, text);
    }
}

/* ---- a graph by itself ---- */

static void
check_files (SluiceGraph *graph)
{
  g_autoptr (GArray) found = sluice_graph_dup_file_ops (graph);
  for (guint i = 0; i < found->len; i++)
    {
      const SluiceFileOp *item = &g_array_index (found, SluiceFileOp, i);
      g_autofree char *text = g_strdup_printf (
          item->writes ? _ ("%s may write files") : _ ("%s may read files"), item->op);
      report (WARNING, item->name, text);
    }
}

/* Bytes of an output whose shape is known; 0: it is not, or the elements are no plain memory. */
static double
known_bytes (SluiceDType dtype, const SluiceShape *shape)
{
  if (!sluice_shape_is_known (shape) || sluice_dtype_is_managed (sluice_dtype_base (dtype)))
    return 0;
  double bytes = (double) sluice_dtype_size (sluice_dtype_base (dtype));
  for (int i = 0; i < shape->rank; i++)
    bytes *= (double) shape->dim[i];
  return bytes;
}

static void
report_size (Severity severity, const char *node, const char *what, double bytes, gsize limit)
{
  g_autofree char *size = g_format_size_full ((guint64) MIN (bytes, 1e18), G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *all = g_format_size_full (limit, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *text = g_strdup_printf (
      _ ("%s %s, which does not fit in the memory of this replica, %s"), what, size, all);
  report (severity, node, text);
}

/* What cannot be in memory whatever is fed: one value, or all variables together. */
static void
check_memory (SluiceGraph *graph)
{
  gsize limit = sluice_allocator_get_limit (sluice_allocator_get_host ());
  double variables = 0;
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      SluiceRole role = sluice_node_get_role (node);
      double largest = 0;
      for (guint k = 0; k < node->n_outputs; k++)
        {
          const SluiceOutput *output = &node->outputs[k];
          double bytes = role == SLUICE_ROLE_RESOURCE_HANDLE
                             ? known_bytes (output->handle_dtype, &output->handle_shape)
                             : known_bytes (output->dtype, &output->shape);
          largest = MAX (largest, bytes);
        }
      if (largest > (double) limit)
        report_size (WARNING, node->name, _ ("makes a value of"), largest, limit);
      if (role == SLUICE_ROLE_VARIABLE || role == SLUICE_ROLE_RESOURCE_HANDLE)
        variables += largest;
    }
  if (variables > (double) limit)
    report_size (FAULT, NULL, _ ("its variables take"), variables, limit);
}

/* Nodes that can stand nowhere have no kernel for what they are given. */
static void
check_placement (SluiceGraph *graph, SluiceSession *session)
{
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      const char *reason = NULL;
      if (node->error == NULL && sluice_session_get_placement (session, node->name, &reason) == NULL
          && reason != NULL)
        report (FAULT, node->name, reason);
    }
}

static void
report_flow (const SluiceNode *node, const char *what, gpointer data)
{
  g_autofree char *text = g_strdup_printf ("%s '%s' %s", node->op_name, node->name, what);
  report (FAULT, node->name, text);
}

/* Finding out what would mend one takes some milliseconds. */
#define MOST_FIXES 100

/* context: (nullable): of the project that the graph is of */
static void
check_problems (SluiceGraph *graph, const SluiceProblemContext *context)
{
  g_autoptr (GPtrArray) problems = sluice_problems_find (graph, context);
  for (guint i = 0; i < problems->len; i++)
    {
      const SluiceProblem *problem = problems->pdata[i];
      const SluiceNode *node = problem->node;
      g_autoptr (SluiceProblemFix) fix =
          i < MOST_FIXES ? sluice_problem_find_fix (problem, graph) : NULL;
      report_fix (problem->level == SLUICE_PROBLEM_STOPS ? FAULT : WARNING, node->name,
                  problem->kind == SLUICE_PROBLEM_ERROR ? node->error->message : problem->text,
                  fix);
    }
}

static void
check_graph (SluiceGraph *graph, SluiceSession *session, const SluiceProblemContext *context)
{
  sluice_graph_check_flow (graph, report_flow, NULL);
  check_problems (graph, context);
  check_placement (graph, session);
  check_memory (graph);
  check_files (graph);
}

/* ---- a project ---- */

/* The races of each worker's step; those between workers are what asynchronous training is. */
static void
check_workers (const SluiceProject *project, SluiceSession *session)
{
  const char *fed[3] = { NULL };
  guint n_fed = 0;
  if (project->feed_x != NULL)
    fed[n_fed++] = project->feed_x;
  if (project->feed_y != NULL)
    fed[n_fed++] = project->feed_y;
  for (guint i = 0; project->train[i] != NULL; i++)
    {
      const char *fetched[] = { project->loss[i], project->summaries, NULL };
      const char *run[] = { project->train[i], NULL };
      check_races (session, fed, fetched, run);
    }
}

/* A run goes without them unless somebody sets one. */
static void
check_parameters (const SluiceProject *project, SluiceGraph *graph)
{
  for (guint i = 0; i < project->parameters->len; i++)
    {
      const SluiceNamedEdge *parameter = &g_array_index (project->parameters, SluiceNamedEdge, i);
      if (sluice_graph_has_parameter (graph, parameter->target))
        continue;
      g_autofree char *text =
          g_strdup_printf (_ ("[parameters] %s is %s, which the graph has no more: take it out, or "
                              "name what it is now"),
                           parameter->name, parameter->target);
      report (WARNING, NULL, text);
    }
}

/* Everything that starting a run would check, but for the run itself. */
static void
check_project (const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceProject) project = sluice_project_load (folder, &error);
  g_autoptr (SluiceExamples) examples = NULL, test = NULL;
  SluiceReplica *replica = NULL;
  if (project != NULL && sluice_examples_load_all (project, &examples, &test, &error))
    replica = sluice_replica_new (project, examples, test, 0, NULL, &error);
  if (replica != NULL)
    {
      g_autoptr (SluiceProjectEnds) ends = sluice_project_ends_new (project);
      sluice_replica_check_initialize (replica, &error);
      check_graph (replica->graph, replica->session, sluice_project_ends_get_context (ends));
      check_parameters (project, replica->graph);
      check_workers (project, replica->session);
      sluice_replica_free (replica);
    }
  if (error != NULL)
    report (FAULT, NULL, error->message);
}

/* ---- a checkpoint ---- */

/* Every tensor is read, and compared with its checksum. */
static void
check_checkpoint (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceCheckpointFile) file = sluice_checkpoint_file_open (path, &error);
  GArray *tensors = file != NULL ? sluice_checkpoint_file_list (file) : NULL;
  if (tensors == NULL)
    report (FAULT, NULL, error->message);
  for (guint i = 0; tensors != NULL && i < tensors->len; i++)
    {
      const char *name = g_array_index (tensors, SluiceBundleTensor, i).name;
      g_autoptr (GError) local = NULL;
      g_autoptr (SluiceTensor) tensor = sluice_checkpoint_file_read (file, name, &local);
      if (tensor == NULL)
        report (FAULT, name, local->message);
    }
}

/* ---- the verb ---- */

static gboolean
check_graph_file (const char *path, GError **error)
{
  static const char *const none[] = { NULL };
  g_autoptr (SluiceGraph) graph = sluice_cli_load_graph (path, error);
  g_autoptr (SluiceSession) session =
      graph != NULL ? sluice_session_new (&(SluiceSessionOptions){ 0 }, error) : NULL;
  if (session == NULL || !sluice_session_extend (session, graph, error))
    return FALSE;
  check_graph (graph, session, NULL);
  if (fetches != NULL || targets != NULL)
    check_races (session, feeds != NULL ? (const char *const *) feeds : none,
                 fetches != NULL ? (const char *const *) fetches : none,
                 targets != NULL ? (const char *const *) targets : none);
  return TRUE;
}

static void
print_sum (void)
{
  if (sluice_cli_json)
    {
      JsonBuilder *b = sluice_cli_json_begin ();
      sluice_cli_json_int (b, "errors", n_errors);
      sluice_cli_json_int (b, "warnings", n_warnings);
      sluice_cli_json_end (b);
    }
  else if (n_errors + n_warnings == 0)
    puts (_ ("No problems found."));
}

static int
check (char **arguments, GError **error)
{
  if (arguments[0] == NULL || arguments[1] != NULL)
    return sluice_cli_usage (error, _ ("give one PROJECT, GRAPH or CHECKPOINT"));
  gboolean is_project = sluice_project_is_folder (arguments[0]);
  if (is_project && (feeds != NULL || fetches != NULL || targets != NULL))
    return sluice_cli_usage (
        error, _ ("--feed, --fetch and --target are for a GRAPH; a project has its own"));
  if (is_project)
    check_project (arguments[0]);
  else if (sluice_checkpoint_file_exists (arguments[0]))
    check_checkpoint (arguments[0]);
  else if (!check_graph_file (arguments[0], error))
    return EXIT_FAILED;
  print_sum ();
  return n_errors == 0 ? EXIT_OK : EXIT_FAILED;
}

const Verb sluice_verb_check = {
  .name = "check",
  .arguments = N_ ("PROJECT|GRAPH|SAVEDMODEL|CHECKPOINT"),
  .summary = N_ ("Look for problems without running anything"),
  .details =
      N_ ("Errors: what running would fail with, from the data to open inputs and nodes without a "
          "kernel, and variables that do not fit in memory. Warnings, which the exit status does "
          "not count: what is probably not meant, as a variable that nothing trains; reads and "
          "writes of one variable that nothing orders, in a project's step or in the "
          "step that --fetch and --target name; values that do not fit in memory; ops that may "
          "touch files; parameters of a project that its graph has no more. Below what a command "
          "mends stands that command, for 'sluice edit'. Of a checkpoint every tensor is read and "
          "compared with its checksum."),
  .json = "{\"severity\": \"string\", \"node\": \"string|null\", \"message\": \"string\", "
          "\"fix\": \"string|null\"}\n"
          "{\"errors\": \"int\", \"warnings\": \"int\"}",
  .options = options,
  .run = check,
};
