/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "engine/base/error.h"
#include "engine/graph/graphdef.h"
#include "engine/train/machine.h"

/* A problem found: about a node, or about the project as a whole (node NULL). */
static void
report (JsonBuilder *b, guint *n, const char *node, const char *message)
{
  ++*n;
  if (!cli_json)
    {
      printf ("%s%s%s\n", node != NULL ? node : "", node != NULL ? ": " : "", message);
      return;
    }
  json_builder_begin_object (b);
  cli_json_string (b, "node", node);
  cli_json_string (b, "message", message);
  json_builder_end_object (b);
}

static void
check_graph (JsonBuilder *b, guint *n, SluiceGraph *graph)
{
  for (guint i = 0; i < sluice_graph_get_n_nodes (graph); i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      if (node->error != NULL)
        report (b, n, node->name, node->error->message);
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
          machine_free (machine);
        }
    }
  if (error != NULL)
    report (b, n, NULL, error->message);
}

static int
check (char **arguments, GError **error)
{
  if (arguments[0] == NULL || arguments[1] != NULL)
    return cli_usage (error, "give one PROJECT or GRAPH");
  guint n = 0;
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_array (b);
  if (g_file_test (arguments[0], G_FILE_TEST_IS_DIR))
    check_project (b, &n, arguments[0]);
  else
    {
      g_autoptr (SluiceGraph) graph = sluice_graph_load_file (arguments[0], error);
      if (graph == NULL)
        return EXIT_FAILED;
      check_graph (b, &n, graph);
    }
  json_builder_end_array (b);
  if (cli_json)
    cli_print_json (g_steal_pointer (&b));
  else if (n == 0)
    puts (_ ("No problems found."));
  return n == 0 ? EXIT_OK : EXIT_FAILED;
}

const Verb verb_check = {
  .name = "check",
  .arguments = "PROJECT|GRAPH",
  .summary = N_ ("Look for problems without running anything"),
  .run = check,
};
