/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "app/cli/feeds.h"
#include "app/cli/files.h"
#include "app/cli/run-options.h"
#include "app/cli/trace-read.h"
#include "app/cli/trace-run.h"
#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/graph/graphdef.h"
#include "engine/trace/fill.h"
#include "engine/trace/trace-file.h"
#include "engine/train/replica.h"

#define MAX_STEPS 1000000000

static char *out, *format_name, *read_path, *sql;
static char **feeds, **fetches, **targets;
static gint64 n_steps = 1, n_warm = 2;
static char *run_name, *workspace;
static gint64 at_step = -1;
static gboolean lists;

static const GOptionEntry options[] = {
  { "out", 0, 0, G_OPTION_ARG_FILENAME, &out,
    N_ ("The file: .json for chrome://tracing, .pftrace for Perfetto, .pb for TensorFlow's "
        "RunMetadata, a name with 'tfevents' in it for TensorBoard, .sltrace for Sluice itself, "
        ".db for SQLite"),
    N_ ("FILE") },
  { "format", 0, 0, G_OPTION_ARG_STRING, &format_name,
    N_ ("chrome, perfetto, run-metadata, event-file, sltrace or sqlite, whatever the file is "
        "called"),
    N_ ("FORMAT") },
  { "read", 0, 0, G_OPTION_ARG_FILENAME, &read_path,
    N_ ("Run nothing: say what is in a trace of Sluice, chrome://tracing (also .gz), Perfetto or "
        "TensorFlow"),
    N_ ("FILE") },
  { "sql", 0, 0, G_OPTION_ARG_STRING, &sql,
    N_ ("Answer a SELECT of the trace's tables: lanes, steps, events, waits, transfers, counts, "
        "marks, flows"),
    N_ ("QUERY") },
  { "steps", 0, 0, G_OPTION_ARG_INT64, &n_steps, N_ ("Steps to write (1)"), N_ ("N") },
  { "warm", 0, 0, G_OPTION_ARG_INT64, &n_warm,
    N_ ("Steps before them that are not written, and in which memory and threads settle (2)"),
    N_ ("N") },
  { "feed", 0, 0, G_OPTION_ARG_STRING_ARRAY, &feeds,
    N_ ("Of a GRAPH: feed an edge: a number, numbers [1,2,3], or a file .npy"), N_ ("EDGE=VALUE") },
  { "fetch", 0, 0, G_OPTION_ARG_STRING_ARRAY, &fetches, N_ ("Of a GRAPH: fetch an edge"),
    N_ ("EDGE") },
  { "target", 0, 0, G_OPTION_ARG_STRING_ARRAY, &targets,
    N_ ("Of a GRAPH: run a node; with --fetch, targets are run once before the steps"),
    N_ ("NODE") },
  { "run", 0, 0, G_OPTION_ARG_STRING, &run_name,
    N_ ("Instead of a PROJECT or GRAPH: what was kept of the last steps of this run"),
    N_ ("NAME") },
  { "list", 0, 0, G_OPTION_ARG_NONE, &lists,
    N_ ("Of a run: which traces are kept, why, and of which steps"), NULL },
  { "at", 0, 0, G_OPTION_ARG_INT64, &at_step, N_ ("Of a run: write the trace that holds this step"),
    N_ ("STEP") },
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace,
    N_ ("Folder of runs (your data folder's sluice)"), N_ ("DIR") },
  G_OPTION_ENTRY_NULL,
};
static const CliRunKey run_keys[] = {
  { "threads" }, { "cpus" }, { "device" }, { "device-options" }, { NULL }
};

/* What is read after each step, so that the rings need to hold no more than one. */
typedef struct
{
  SluiceSession *session;
  GArray *events; /* of SluiceTraceEvent */
  guint64 cursor, n_lost;
} Tracing;

/* Of steps before `first` nothing is kept. */
static void
collect (Tracing *self, gint64 step, gint64 first)
{
  guint64 lost;
  g_autoptr (GArray) events = sluice_session_dup_trace (self->session, &self->cursor, &lost);
  if (step < first)
    return;
  self->n_lost += lost;
  if (events->len)
    g_array_append_vals (self->events, events->data, events->len);
}

static gboolean
trace_project (Tracing *tracing, SluiceReplica *replica, GError **error)
{
  g_autofree double *scalars = g_new (double, replica->n_scalars);
  if (!sluice_replica_initialize (replica, error))
    return FALSE;
  collect (tracing, 0, 1);
  for (gint64 i = 1; i <= n_warm + n_steps; i++)
    {
      SluiceRunOptions run = { .step = (guint64) i };
      if (!sluice_replica_step (replica, scalars, NULL, &run, error))
        return FALSE;
      collect (tracing, i, n_warm + 1);
    }
  return TRUE;
}

static gboolean
run_once (SluiceSession *session, const GArray *parsed, gint64 step, gboolean fetch, GError **error)
{
  guint n_fetches = fetch && fetches != NULL ? g_strv_length (fetches) : 0;
  guint n_targets = n_fetches == 0 ? g_strv_length (targets) : 0;
  g_autofree SluiceTensor **outputs = g_new0 (SluiceTensor *, n_fetches + 1);
  SluiceRunOptions run = { .step = (guint64) step };
  if (!sluice_session_run (session,
                           &(SluiceStepNames){ .feeds = (const SluiceFeed *) parsed->data,
                                               .fetches = (const char *const *) fetches,
                                               .targets = (const char *const *) targets,
                                               .n_feeds = parsed->len,
                                               .n_fetches = n_fetches,
                                               .n_targets = n_targets },
                           outputs, &run, error))
    return FALSE;
  for (guint i = 0; i < n_fetches; i++)
    sluice_tensor_unref (outputs[i]);
  return TRUE;
}

static gboolean
trace_graph (Tracing *tracing, SluiceGraph *graph, const char *path, GError **error)
{
  gboolean has_both = fetches != NULL && targets != NULL;
  g_autoptr (GArray) parsed = sluice_cli_parse_feeds (graph, NULL, feeds, error);
  if (parsed == NULL || !sluice_session_extend (tracing->session, graph, error)
      || !sluice_cli_restore_saved_model (tracing->session, graph, path, error)
      || (has_both && !run_once (tracing->session, parsed, 0, FALSE, error)))
    return FALSE;
  collect (tracing, 0, 1);
  for (gint64 i = 1; i <= n_warm + n_steps; i++)
    {
      if (!run_once (tracing->session, parsed, i, TRUE, error))
        return FALSE;
      collect (tracing, i, n_warm + 1);
    }
  return TRUE;
}

static gboolean
answer (const Tracing *tracing, GError **error)
{
  g_autoptr (SluiceTraceView) view = sluice_trace_view_new ();
  sluice_trace_view_add_events (view, tracing->events);
  return sluice_cli_query_trace (view, sluice_session_get_graph (tracing->session), sql, error);
}

static int
write_file (const Tracing *tracing, SluiceTraceFormat format, GError **error)
{
  if (sql != NULL && !answer (tracing, error))
    return EXIT_FAILED;
  if (out == NULL)
    return EXIT_OK;
  SluiceTraceContent content = { tracing->events, sluice_session_get_start (tracing->session),
                                 sluice_session_get_graph (tracing->session) };
  if (!sluice_trace_write (&content, format, out, error))
    return EXIT_FAILED;
  if (sluice_cli_json)
    {
      JsonBuilder *b = sluice_cli_json_begin ();
      sluice_cli_json_string (b, "file", out);
      sluice_cli_json_int (b, "steps", n_steps);
      sluice_cli_json_int (b, "events", tracing->events->len);
      sluice_cli_json_int (b, "lost", (gint64) tracing->n_lost);
      sluice_cli_json_end (b);
      return EXIT_OK;
    }
  printf (_ ("%u events of %" PRId64 " steps are in %s\n"), tracing->events->len, n_steps, out);
  if (tracing->n_lost > 0)
    printf (_ ("%" PRIu64 " more were overwritten: a step has more events than the "
               "trace holds\n"),
            tracing->n_lost);
  return EXIT_OK;
}

static gboolean
run_project (const char *folder, Tracing *tracing, GError **error)
{
  g_autoptr (SluiceProject) project = sluice_project_load (folder, error);
  g_autoptr (SluiceExamples) examples = NULL, test = NULL;
  GError *failed = NULL;
  if (project == NULL)
    return FALSE;
  sluice_cli_allow_files (project->files);
  sluice_examples_load_all (project, &examples, &test, &failed);
  if (failed != NULL)
    {
      g_propagate_error (error, failed);
      return FALSE;
    }
  SluiceReplica *replica =
      sluice_replica_new (project, examples, test, MAX (sluice_cli_session_options.n_cpus, 1),
                          &sluice_cli_session_options, error);
  if (replica == NULL)
    return FALSE;
  sluice_cli_tell_file_ops (replica->graph);
  tracing->session = g_object_ref (replica->session);
  gboolean ok = trace_project (tracing, replica, error);
  sluice_replica_free (replica);
  return ok;
}

static gboolean
run_graph_file (const char *path, Tracing *tracing, GError **error)
{
  g_autoptr (SluiceFileAccess) files = sluice_cli_new_file_access (path);
  SluiceSessionOptions session_options = sluice_cli_session_options;
  session_options.files = files;
  g_autoptr (SluiceGraph) graph = sluice_cli_load_graph (path, error);
  if (graph != NULL)
    sluice_cli_tell_file_ops (graph);
  tracing->session = graph != NULL ? sluice_session_new (&session_options, error) : NULL;
  return tracing->session != NULL && trace_graph (tracing, graph, path, error);
}

static gboolean
find_format (SluiceTraceFormat *format, GError **error)
{
  if (format_name != NULL ? sluice_trace_format_from_name (format_name, format)
                          : sluice_trace_format_from_path (out, format))
    return TRUE;
  sluice_cli_usage (error,
                    _ ("say in which format: a name that ends in .json, .pftrace, .pb, .sltrace or "
                       ".db or has 'tfevents' in it, or --format=chrome, perfetto, run-metadata, "
                       "event-file, sltrace or sqlite"));
  return FALSE;
}

static int
trace_run (char **arguments, GError **error)
{
  SluiceTraceFormat format;
  if (arguments[0] != NULL)
    return sluice_cli_usage (error,
                             _ ("--run names what is traced: no PROJECT or GRAPH beside it"));
  if (lists == (at_step >= 0))
    return sluice_cli_usage (error, _ ("say what of the run: --list, or --at STEP --out FILE"));
  if (lists)
    return sluice_cli_list_traces (run_name, workspace, error);
  if (out == NULL)
    return sluice_cli_usage (error, _ ("say where to: --out FILE"));
  return find_format (&format, error)
             ? sluice_cli_write_kept (run_name, workspace, at_step, out, format, error)
             : EXIT_USAGE;
}

static int
read_file (char **arguments, GError **error)
{
  if (arguments[0] != NULL)
    return sluice_cli_usage (error, _ ("--read FILE runs nothing: give no PROJECT or GRAPH"));
  return sluice_cli_read_trace (read_path, sql, out, error);
}

static int
trace (char **arguments, GError **error)
{
  if (read_path != NULL)
    return read_file (arguments, error);
  if (run_name != NULL)
    return trace_run (arguments, error);
  if (lists || at_step >= 0)
    return sluice_cli_usage (error, _ ("--list and --at are of a run: --run NAME"));
  if (arguments[0] == NULL || arguments[1] != NULL)
    return sluice_cli_usage (error, _ ("give one PROJECT or GRAPH"));
  if (out == NULL && sql == NULL)
    return sluice_cli_usage (error, _ ("say where to: --out FILE"));
  SluiceTraceFormat format = SLUICE_TRACE_OWN;
  if (out != NULL && !find_format (&format, error))
    return EXIT_USAGE;
  if (!sluice_cli_check_count ("--steps", n_steps, 1, MAX_STEPS, error)
      || !sluice_cli_check_count ("--warm", n_warm, 0, MAX_STEPS, error))
    return EXIT_USAGE;
  gboolean is_project = sluice_project_is_folder (arguments[0]);
  if (is_project && (feeds != NULL || fetches != NULL || targets != NULL))
    return sluice_cli_usage (
        error, _ ("--feed, --fetch and --target are for a GRAPH; a project has its own"));
  if (!is_project && fetches == NULL && targets == NULL)
    return sluice_cli_usage (error, _ ("say what to run: --fetch EDGE or --target NODE"));
  sluice_pool_set_threads (sluice_cli_session_options.n_threads);
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (SluiceTraceEvent));
  Tracing tracing = { .events = events };
  gboolean ok = is_project ? run_project (arguments[0], &tracing, error)
                           : run_graph_file (arguments[0], &tracing, error);
  int status = ok ? write_file (&tracing, format, error) : EXIT_FAILED;
  g_clear_object (&tracing.session);
  return status;
}

const Verb sluice_verb_trace = {
  .name = "trace",
  .arguments = N_ ("[PROJECT|GRAPH | --run NAME]"),
  .summary = N_ ("Run steps and write what ran when, where and with which memory"),
  .details =
      N_ ("Every node leaves when it was ready, began and ended, its device and lane, loop "
          "and iteration, and the bytes that went in, came out and were live. The trace is "
          "always on and costs under 1 %. A run keeps those of its last steps where something "
          "was remarkable: a step that took several medians, a loss that is not finite, a "
          "failure, a stall, and its end."),
  .json =
      "{\"file\": \"string\", \"steps\": \"int\", \"events\": \"int\", \"lost\": \"int\"}\n"
      "{\"file\": \"string\", \"format\": \"string\", \"spans\": \"int\", \"lanes\": \"int\", "
      "\"steps\": \"int\", \"counters\": \"int\", \"marks\": \"int\", \"flows\": \"int\", "
      "\"begin_ns\": \"int\", \"end_ns\": \"int\"}\n"
      "{\"device\": \"string\", \"lane\": \"string\", \"kind\": \"string\", \"spans\": \"int\", "
      "\"rows\": \"int\", \"busy_ns\": \"int\"}\n"
      "{\"not_understood\": \"string\", \"n\": \"int\"}\n" CLI_KEPT_TRACE_JSON,
  .options = options,
  .run_keys = run_keys,
  .run = trace,
};
