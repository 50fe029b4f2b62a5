/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/explain.h"
#include "app/cli/feeds.h"
#include "app/cli/memory.h"
#include "app/cli/run-options.h"
#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/graph/graphdef.h"
#include "engine/runtime/session/session.h"

static char **feeds, **fetches, **targets, *explain;
static const GOptionEntry options[] = {
  { "feed", 0, 0, G_OPTION_ARG_STRING_ARRAY, &feeds,
    N_ ("Feed an edge: a number, numbers [1,2,3], or a file .npy"), N_ ("EDGE=VALUE") },
  { "fetch", 0, 0, G_OPTION_ARG_STRING_ARRAY, &fetches, N_ ("Print the value of an edge"),
    N_ ("EDGE") },
  { "target", 0, 0, G_OPTION_ARG_STRING_ARRAY, &targets,
    N_ ("Run a node; targets are run one after the other, before the fetches"), N_ ("NODE") },
  { "explain", 0, 0, G_OPTION_ARG_STRING, &explain,
    N_ ("Run nothing, and print what a pass does to the graph of a step with these feeds, fetches "
        "and targets; \"list\" prints the passes"),
    N_ ("PASS") },
  CLI_MEMORY_OPTION,
  G_OPTION_ENTRY_NULL,
};

static void
print_output (JsonBuilder *b, const char *name, const SluiceTensor *tensor)
{
  g_autofree char *text = sluice_tensor_to_string (tensor, cli_json ? G_MAXUINT : 64);
  if (!cli_json)
    {
      printf ("%s = %s\n", name, text);
      return;
    }
  cli_json_string (b, name, text);
}

static int
run_graph (SluiceSession *session, GArray *parsed, GError **error)
{
  const SluiceFeed *feed = (const SluiceFeed *) parsed->data;
  for (guint i = 0; targets != NULL && targets[i] != NULL; i++)
    if (!sluice_session_run (session, feed, parsed->len, NULL, 0, (const char *const *) &targets[i],
                             1, NULL, NULL, error))
      return EXIT_FAILED;
  guint n = fetches != NULL ? g_strv_length (fetches) : 0;
  if (n == 0)
    return EXIT_OK;
  g_autofree SluiceTensor **outputs = g_new0 (SluiceTensor *, n);
  if (!sluice_session_run (session, feed, parsed->len, (const char *const *) fetches, n, NULL, 0,
                           outputs, NULL, error))
    return EXIT_FAILED;
  JsonBuilder *b = json_builder_new ();
  json_builder_begin_object (b);
  for (guint i = 0; i < n; i++)
    {
      print_output (b, fetches[i], outputs[i]);
      sluice_tensor_unref (outputs[i]);
    }
  json_builder_end_object (b);
  cli_end_json (b);
  return EXIT_OK;
}

/* What is fed needs no value then. */
static int
explain_step (SluiceSession *session, GError **error)
{
  for (guint i = 0; feeds != NULL && feeds[i] != NULL; i++)
    if (strchr (feeds[i], '=') != NULL)
      *strchr (feeds[i], '=') = '\0';
  const SluiceStepNames step = { (const char *const *) feeds,
                                 (const char *const *) fetches,
                                 (const char *const *) targets,
                                 feeds != NULL ? g_strv_length (feeds) : 0,
                                 fetches != NULL ? g_strv_length (fetches) : 0,
                                 targets != NULL ? g_strv_length (targets) : 0 };
  return cli_explain (session, &step, explain, error) ? EXIT_OK : EXIT_FAILED;
}

static int
run (char **arguments, GError **error)
{
  if (g_strcmp0 (explain, "list") == 0 && arguments[0] == NULL)
    {
      cli_list_passes ();
      return EXIT_OK;
    }
  if (arguments[0] == NULL || arguments[1] != NULL)
    return cli_usage (error, "give one GRAPH");
  if ((fetches == NULL || fetches[0] == NULL) && (targets == NULL || targets[0] == NULL))
    return cli_usage (error, "say what to run: --fetch EDGE or --target NODE");
  const SluiceOption *cpus = sluice_options_find ("cpus");
  if (cli_get_option_text (cpus) != NULL && cli_session_options.n_cpus == 0)
    return cli_usage (error, "--cpus must be at least 1");
  sluice_pool_set_threads (cli_session_options.n_threads);
  g_autoptr (SluiceGraph) graph = sluice_graph_load_file (arguments[0], error);
  g_autoptr (SluiceSession) session =
      graph != NULL ? sluice_session_new (&cli_session_options, error) : NULL;
  if (session == NULL || !sluice_session_extend (session, graph, error))
    return EXIT_FAILED;
  if (explain != NULL)
    return explain_step (session, error);
  g_autoptr (GArray) parsed = cli_parse_feeds (graph, feeds, error);
  if (parsed == NULL)
    return EXIT_FAILED;
  if (cli_memory)
    sluice_session_record_memory (session);
  int status = run_graph (session, parsed, error);
  if (cli_memory)
    cli_print_memory (session);
  return status;
}

const Verb verb_run = {
  .name = "run",
  .arguments = "GRAPH",
  .summary = N_ ("Run nodes of a graph and print values"),
  .details = N_ ("A loop that never ends can be stopped with Ctrl-C, or by --max-iterations.\n\n"
                 "--explain prints a line a node that went (-), came (+), changed (both) or was "
                 "moved (~)."),
  .options = options,
  .run_options = SLUICE_OPTION_CLI,
  .run = run,
};
