/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "engine/base/error.h"
#include "engine/grad/flow.h"
#include "engine/graph/graphdef.h"
#include "engine/passes/passes.h"
#include "engine/store/checkpoint-file.h"
#include "engine/train/machine.h"

static char **feeds, **fetches, **targets;
static guint n_told; /* errors and warnings */

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

/* A problem found: about a node, or about the project as a whole (node NULL). */
static void
print (JsonBuilder *b, const char *severity, const char *node, const char *message)
{
  n_told++;
  if (!cli_json)
    {
      printf ("%s%s%s\n", node != NULL ? node : "", node != NULL ? ": " : "", message);
      return;
    }
  json_builder_begin_object (b);
  cli_json_string (b, "severity", severity);
  cli_json_string (b, "node", node);
  cli_json_string (b, "message", message);
  json_builder_end_object (b);
}

static void
report (JsonBuilder *b, guint *n, const char *node, const char *message)
{
  ++*n;
  print (b, "error", node, message);
}

/* Reads and writes without an order: a step may want them so (Hogwild), so they fail nothing. */
static void
check_races (JsonBuilder *b,
             guint *n,
             SluiceSession *session,
             const char *const *fed,
             const char *const *fetched,
             const char *const *run)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) races = sluice_session_dup_races (
      session,
      &(SluiceStepNames){ fed, fetched, run, g_strv_length ((char **) fed),
                          g_strv_length ((char **) fetched), g_strv_length ((char **) run) },
      &error);
  if (races == NULL)
    {
      report (b, n, NULL, error->message);
      return;
    }
  for (guint i = 0; i < races->len; i++)
    {
      const SluiceRace *race = &g_array_index (races, SluiceRace, i);
      g_autofree char *text = sluice_race_describe (race);
      print (b, "warning", race->b->name, text);
    }
}

typedef struct
{
  JsonBuilder *b;
  guint *n;
} Report;

static void
report_flow (const SluiceNode *node, const char *what, gpointer data)
{
  const Report *report_to = data;
  g_autofree char *text = g_strdup_printf ("%s '%s' %s", node->op_name, node->name, what);
  report (report_to->b, report_to->n, node->name, text);
}

static void
check_graph (JsonBuilder *b, guint *n, SluiceGraph *graph)
{
  sluice_graph_check_flow (graph, report_flow, &(Report){ b, n });
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      if (node->error != NULL)
        report (b, n, node->name, node->error->message);
    }
}

/* The races of each worker's step; those between workers are what asynchronous training is. */
static void
check_workers (JsonBuilder *b, guint *n, const SluiceProject *project, SluiceSession *session)
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
      check_races (b, n, session, fed, fetched, run);
    }
}

/* Everything that starting a run would check, but for the run itself. */
static void
check_project (JsonBuilder *b, guint *n, const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceProject) project = sluice_project_load (folder, &error);
  g_autoptr (SluiceExamples) examples = NULL, test = NULL;
  if (project != NULL)
    sluice_examples_load_all (project, &examples, &test, &error);
  if (error == NULL)
    {
      Machine *machine = machine_new (project, examples, test, 0, 0, &error);
      if (machine != NULL)
        {
          check_graph (b, n, machine->graph);
          check_workers (b, n, project, machine->session);
          machine_free (machine);
        }
    }
  if (error != NULL)
    report (b, n, NULL, error->message);
}

/* Every tensor is read, and compared with its checksum. */
static void
check_checkpoint (JsonBuilder *b, guint *n, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceCheckpointFile) file = sluice_checkpoint_file_open (path, &error);
  GArray *tensors = file != NULL ? sluice_checkpoint_file_list (file) : NULL;
  if (tensors == NULL)
    report (b, n, NULL, error->message);
  for (guint i = 0; tensors != NULL && i < tensors->len; i++)
    {
      const char *name = g_array_index (tensors, SluiceBundleTensor, i).name;
      g_autoptr (GError) local = NULL;
      g_autoptr (SluiceTensor) tensor = sluice_checkpoint_file_read (file, name, &local);
      if (tensor == NULL)
        report (b, n, name, local->message);
    }
}

/* The races of the step that --fetch and --target make. */
static gboolean
check_step (JsonBuilder *b, guint *n, SluiceGraph *graph, GError **error)
{
  static const char *const none[] = { NULL };
  if (fetches == NULL && targets == NULL)
    return TRUE;
  g_autoptr (SluiceSession) session = sluice_session_new (&(SluiceSessionOptions){ 0 }, error);
  if (session == NULL || !sluice_session_extend (session, graph, error))
    return FALSE;
  check_races (b, n, session, feeds != NULL ? (const char *const *) feeds : none,
               fetches != NULL ? (const char *const *) fetches : none,
               targets != NULL ? (const char *const *) targets : none);
  return TRUE;
}

static int
check (char **arguments, GError **error)
{
  if (arguments[0] == NULL || arguments[1] != NULL)
    return cli_usage (error, "give one PROJECT, GRAPH or CHECKPOINT");
  guint n = 0;
  gboolean is_project = sluice_project_is_folder (arguments[0]);
  if (is_project && (feeds != NULL || fetches != NULL || targets != NULL))
    return cli_usage (error, "--feed, --fetch and --target are for a GRAPH; a project has its own");
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_array (b);
  if (is_project)
    check_project (b, &n, arguments[0]);
  else if (sluice_checkpoint_file_exists (arguments[0]))
    check_checkpoint (b, &n, arguments[0]);
  else
    {
      g_autoptr (SluiceGraph) graph = cli_load_graph (arguments[0], error);
      if (graph == NULL)
        return EXIT_FAILED;
      check_graph (b, &n, graph);
      if (!check_step (b, &n, graph, error))
        return EXIT_FAILED;
    }
  json_builder_end_array (b);
  if (cli_json)
    cli_print_json (g_steal_pointer (&b));
  else if (n_told == 0)
    puts (_ ("No problems found."));
  return n == 0 ? EXIT_OK : EXIT_FAILED;
}

const Verb verb_check = {
  .name = "check",
  .arguments = "PROJECT|GRAPH|SAVEDMODEL|CHECKPOINT",
  .summary = N_ ("Look for problems without running anything"),
  .details =
      N_ ("Errors of nodes, and, of a project's step or of the step that --fetch and --target "
          "name, reads and writes of one variable that nothing orders. The latter are "
          "warnings: the exit status does not count them. Of a checkpoint every tensor is read and "
          "compared with its checksum."),
  .options = options,
  .run = check,
};
