/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <stdio.h>

#include "app/cli/devices.h"
#include "app/cli/place-calibrate.h"
#include "app/cli/run-options.h"
#include "engine/graph/graphdef.h"
#include "engine/train/project.h"

#define MAX_SECONDS 86400

static gboolean calibrates;
static double seconds = 10;
static char **feeds, **fetches, **targets;

static const GOptionEntry options[] = {
  { "calibrate", 0, 0, G_OPTION_ARG_NONE, &calibrates,
    N_ ("Run steps, measure what nodes and links take, and keep that for predictions"), NULL },
  { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, N_ ("With --calibrate: how long (10)"),
    N_ ("S") },
  { "feed", 0, 0, G_OPTION_ARG_STRING_ARRAY, &feeds,
    N_ ("With --calibrate, of a GRAPH: feed an edge: a number, numbers [1,2,3], or a file .npy"),
    N_ ("EDGE=VALUE") },
  { "fetch", 0, 0, G_OPTION_ARG_STRING_ARRAY, &fetches, N_ ("Of a GRAPH: fetch an edge"),
    N_ ("EDGE") },
  { "target", 0, 0, G_OPTION_ARG_STRING_ARRAY, &targets, N_ ("Of a GRAPH: run a node"),
    N_ ("NODE") },
  CLI_TAGS_OPTION,
  G_OPTION_ENTRY_NULL,
};
static const CliRunKey run_keys[] = { { "threads" }, { "cpus" },
                                      { "nulls" },   { "soft-placement" },
                                      { "device" },  { "device-options" },
                                      { NULL } };

static void
print_node (const SluiceNode *node, const char *device, const char *reason)
{
  if (!sluice_cli_json)
    {
      printf ("%s\t%s\t%s\n", node->name, device != NULL ? device : "-", _ (reason));
      return;
    }
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "node", node->name);
  sluice_cli_json_string (b, "asked", *node->device != '\0' ? node->device : NULL);
  sluice_cli_json_string (b, "device", device);
  sluice_cli_json_string (b, "reason", reason);
  sluice_cli_json_end (b);
}

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
      print_node (node, device, reason);
    }
  return n_nowhere;
}

static int
calibrate (const char *path, GError **error)
{
  const CliSteps names = { .feeds = feeds, .fetches = fetches, .targets = targets };
  if (!(seconds > 0 && seconds <= MAX_SECONDS))
    return sluice_cli_usage (error, _ ("--seconds must be above 0 and at most %d"), MAX_SECONDS);
  return sluice_cli_calibrate (&names, path, seconds, error);
}

static int
place (char **arguments, GError **error)
{
  if (arguments[0] == NULL || arguments[1] != NULL)
    return sluice_cli_usage (error, _ ("give one PROJECT or GRAPH"));
  if (calibrates)
    return calibrate (arguments[0], error);
  g_autoptr (SluiceGraph) graph = sluice_cli_load_graph (arguments[0], error);
  g_autoptr (SluiceSession) session =
      graph != NULL ? sluice_session_new (&sluice_cli_session_options, error) : NULL;
  if (session == NULL || !sluice_session_extend (session, graph, error))
    return EXIT_FAILED;
  sluice_cli_tell_moved (session);
  return print_all (session) == 0 ? EXIT_OK : EXIT_FAILED;
}

const Verb sluice_verb_place = {
  .name = "place",
  .arguments = N_ ("PROJECT|GRAPH|SAVEDMODEL"),
  .summary = N_ ("Tell on which device each node stands, and why"),
  .details = N_ ("A line a node: its name, its device, the reason. Where requests, kernels and "
                 "nodes that must stand together leave no device, the line has '-' and names the "
                 "shortest chain of those that exclude each other; the exit status is 1 then. A "
                 "request for a device that is not here is left out, and the reason says so.\n\n"
                 "With --calibrate steps of the project, or of a graph that is fed and fetched, "
                 "run for ten seconds, and what each op took on such shapes and each link between "
                 "devices is kept in the cache folder, by machine, beside what was measured "
                 "before: 'sluice train' adds to it, too."),
  .json = "{\"file\": \"string\", \"steps\": \"int\", \"samples\": \"int\", \"figures\": \"int\"}\n"
          "{\"node\": \"string\", \"asked\": \"string|null\", \"device\": \"string|null\", "
          "\"reason\": \"string\"}",
  .options = options,
  .run_keys = run_keys,
  .run = place,
};
