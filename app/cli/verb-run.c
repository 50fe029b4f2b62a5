/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <stdio.h>

#include "app/cli/feeds.h"
#include "app/cli/files.h"
#include "app/cli/json-tensor.h"
#include "app/cli/memory.h"
#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/graph/graphdef.h"
#include "engine/runtime/session/session.h"

static char **feeds, **fetches, **targets;
static gint64 n_threads, n_cpus = 1, max_iterations;
static gboolean soft, nan_guard, keep_waiting, ordered, truncates, recompute;

static const GOptionEntry options[] = {
  { "feed", 0, 0, G_OPTION_ARG_STRING_ARRAY, &feeds,
    N_ ("Feed an edge: a number, numbers [1,2,3], or a file .npy"), N_ ("EDGE=VALUE") },
  { "fetch", 0, 0, G_OPTION_ARG_STRING_ARRAY, &fetches, N_ ("Print the value of an edge"),
    N_ ("EDGE") },
  { "target", 0, 0, G_OPTION_ARG_STRING_ARRAY, &targets,
    N_ ("Run a node; targets are run one after the other, before the fetches"), N_ ("NODE") },
  { "threads", 0, 0, G_OPTION_ARG_INT64, &n_threads, N_ ("Threads that compute (one a core)"),
    N_ ("N") },
  { "cpus", 0, 0, G_OPTION_ARG_INT64, &n_cpus, N_ ("Virtual CPU devices (1)"), N_ ("N") },
  { "soft", 0, 0, G_OPTION_ARG_NONE, &soft, N_ ("Replace devices that there are not"), NULL },
  { "max-iterations", 0, 0, G_OPTION_ARG_INT64, &max_iterations,
    N_ ("Fail where a loop wants more iterations than this (0: no limit)"), N_ ("N") },
  { "nan-guard", 0, 0, G_OPTION_ARG_NONE, &nan_guard,
    N_ ("Fail at the first node that makes a NaN or an infinity of finite inputs"), NULL },
  { "keep-waiting", 0, 0, G_OPTION_ARG_NONE, &keep_waiting,
    N_ ("Tell of a deadlock and wait on instead of failing"), NULL },
  { "ordered", 0, 0, G_OPTION_ARG_NONE, &ordered,
    N_ ("Also order what the graph leaves without an order: writes and reads of a variable, "
        "several producers of a queue"),
    NULL },
  { "truncate", 0, 0, G_OPTION_ARG_NONE, &truncates,
    N_ ("Floats that cross from one device to another lose the lower half of their bits"), NULL },
  CLI_MEMORY_OPTIONS,
  CLI_RECOMPUTE_OPTION (&recompute),
  G_OPTION_ENTRY_NULL,
};

static void
print_output (JsonBuilder *b, const char *name, const SluiceTensor *tensor)
{
  if (cli_json)
    {
      cli_json_tensor (b, name, tensor);
      return;
    }
  g_autofree char *text = sluice_tensor_to_string (tensor, 64);
  printf ("%s = %s\n", name, text);
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
  JsonBuilder *b = cli_json_begin ();
  for (guint i = 0; i < n; i++)
    {
      print_output (b, fetches[i], outputs[i]);
      sluice_tensor_unref (outputs[i]);
    }
  cli_json_end (b);
  return EXIT_OK;
}

static int
run (char **arguments, GError **error)
{
  if (arguments[0] == NULL || arguments[1] != NULL)
    return cli_usage (error, "give one GRAPH");
  if ((fetches == NULL || fetches[0] == NULL) && (targets == NULL || targets[0] == NULL))
    return cli_usage (error, "say what to run: --fetch EDGE or --target NODE");
  if (!cli_check_count ("--threads", n_threads, 0, SLUICE_MAX_THREADS, error)
      || !cli_check_count ("--cpus", n_cpus, 1, SLUICE_MAX_DEVICES, error)
      || !cli_check_count ("--max-iterations", max_iterations, 0, G_MAXINT64, error))
    return EXIT_USAGE;
  SluiceSessionOptions session_options = {
    .n_cpus = n_cpus,
    .soft_placement = soft,
    .nan_guard = nan_guard,
    .keep_waiting = keep_waiting,
    .max_iterations = (guint64) max_iterations,
    .ordered = ordered,
    .truncate_transfers = truncates,
    .recompute = recompute,
  };
  if (!cli_get_memory_limit (&session_options.memory_limit, error))
    return EXIT_USAGE;
  g_autoptr (SluiceFileAccess) files = cli_new_file_access ();
  session_options.files = files;
  sluice_pool_set_threads (n_threads);
  g_autoptr (SluiceGraph) graph = sluice_graph_load_file (arguments[0], error);
  g_autoptr (SluiceSession) session =
      graph != NULL ? sluice_session_new (&session_options, error) : NULL;
  if (session == NULL || !sluice_session_extend (session, graph, error))
    return EXIT_FAILED;
  g_autoptr (GArray) parsed = cli_parse_feeds (graph, feeds, error);
  if (parsed == NULL)
    return EXIT_FAILED;
  cli_tell_file_ops (graph);
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
  .details = N_ ("A loop that never ends can be stopped with Ctrl-C, or by --max-iterations."),
  .json = "{\"*\": \"value\"}\n" CLI_MEMORY_JSON,
  .options = options,
  .run = run,
};
