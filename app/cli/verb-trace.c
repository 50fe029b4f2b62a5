/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "app/cli/steps.h"
#include "app/cli/trace-read.h"
#include "app/cli/trace-run.h"
#include "app/cli/trace-why.h"
#include "engine/store/file.h"
#include "engine/trace/fill.h"
#include "engine/trace/memory-recorder.h"
#include "engine/trace/trace-file.h"

#define MAX_STEPS 1000000000
#define WHY_STEPS 9 /* to look at, where nobody says how many */
/* After them: of so many the memory is recorded, which takes time. Less would be no growth. */
#define MEMORY_STEPS 4

static char *out, *format_name, *memory_log, *read_path, *sql;
static char **feeds, **fetches, **targets;
static gint64 n_steps = -1, n_warm = 2;
static char *run_name, *workspace;
static gint64 at_step = -1;
static gboolean lists, why;

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
  { "memory-log", 0, 0, G_OPTION_ARG_FILENAME, &memory_log,
    N_ ("Write each block of memory that was made, freed or handed on, with owner, address and "
        "bytes: a JSON object a line"),
    N_ ("FILE") },
  { "read", 0, 0, G_OPTION_ARG_FILENAME, &read_path,
    N_ ("Run nothing: say what is in a trace of Sluice, chrome://tracing (also .gz), Perfetto or "
        "TensorFlow"),
    N_ ("FILE") },
  { "sql", 0, 0, G_OPTION_ARG_STRING, &sql,
    N_ ("Answer a SELECT of the trace's tables: lanes, steps, events, waits, transfers, counts, "
        "marks, flows"),
    N_ ("QUERY") },
  { "steps", 0, 0, G_OPTION_ARG_INT64, &n_steps,
    N_ ("Steps to write (1), or, with --why, to look at (9)"), N_ ("N") },
  { "why", 0, 0, G_OPTION_ARG_NONE, &why,
    N_ ("Say what makes steps slow or large, the worst first, and what would mend it: of a PROJECT "
        "or GRAPH, of a run, or of what --read names"),
    NULL },
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
static const CliRunKey run_keys[] = { { "threads" },        { "cpus" },   { "device" },
                                      { "device-options" }, { "policy" }, { NULL } };

/* What is read after each step, so that the rings need to hold no more than one. */
typedef struct
{
  SluiceSession *session; /* (nullable): what events live as long as */
  GArray *events;         /* of SluiceTraceEvent */
  guint64 cursor, n_lost;
  SluiceMemoryRecorder *recorder; /* (nullable): nobody asked for it */
  GString *lines;                 /* of what it records */
  GPtrArray *tapes;               /* of SluiceMemoryTape, by step: for --why */
} Tracing;

/* Of the step that comes. */
static void
record_memory (Tracing *self, SluiceSession *session)
{
  if (self->recorder == NULL)
    {
      self->recorder = sluice_memory_recorder_new (session);
      self->lines = g_string_new (NULL);
    }
  sluice_memory_recorder_begin (self->recorder);
}

static void
collect_memory (Tracing *self, gint64 step)
{
  g_autoptr (GPtrArray) tapes = sluice_memory_recorder_end (self->recorder, (guint64) step);
  for (guint i = 0; i < tapes->len; i++)
    {
      const SluiceMemoryTape *tape = tapes->pdata[i];
      self->n_lost += tape->log->n_lost;
      if (memory_log != NULL)
        sluice_memory_tape_print (tape, self->lines);
      if (why)
        g_ptr_array_add (self->tapes, sluice_memory_tape_ref (tapes->pdata[i]));
    }
}

/* Of steps that are not written nothing is kept. */
static gboolean
collect (SluiceSession *session, gint64 step, gint64 batch, gpointer tracing)
{
  Tracing *self = tracing;
  guint64 lost;
  gint64 last = n_warm + n_steps;
  gboolean goes_on = step < last + (why ? MEMORY_STEPS : 0);
  if (self->recorder != NULL)
    collect_memory (self, step);
  g_autoptr (GArray) events = sluice_session_dup_trace (session, &self->cursor, &lost);
  if (step > n_warm && step <= last)
    {
      self->n_lost += lost;
      if (events->len)
        g_array_append_vals (self->events, events->data, events->len);
    }
  if (goes_on && (step >= last || (memory_log != NULL && step >= n_warm)))
    record_memory (self, session);
  return goes_on;
}

static gboolean
answer (const Tracing *tracing, GError **error)
{
  g_autoptr (SluiceTraceView) view = sluice_trace_view_new ();
  sluice_trace_view_add_events (view, tracing->events);
  return sluice_cli_query_trace (view, sluice_session_get_graph (tracing->session), sql, error);
}

/* The device that held most. (nullable) */
static const char *
find_fullest (const GPtrArray *tapes, GHashTable *views)
{
  const char *device = NULL;
  gsize most = 0;
  for (guint i = 0; i < tapes->len; i++)
    {
      SluiceMemoryTape *tape = tapes->pdata[i];
      SluiceMemoryView *view = sluice_memory_view_new (tape);
      gsize peak = sluice_memory_view_get_live (view, sluice_memory_view_get_peak (view));
      g_hash_table_insert (views, tape, view);
      if (peak <= most && device != NULL)
        continue;
      most = peak;
      device = tape->device;
    }
  return device;
}

static void
say_why (const Tracing *tracing)
{
  g_autoptr (SluiceTraceView) view = sluice_trace_view_new ();
  g_autoptr (GHashTable) views =
      g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) sluice_memory_view_free);
  g_autoptr (GPtrArray) memories = g_ptr_array_new ();
  const char *device = find_fullest (tracing->tapes, views);
  for (guint i = 0; i < tracing->tapes->len; i++)
    if (g_str_equal (((const SluiceMemoryTape *) tracing->tapes->pdata[i])->device, device))
      g_ptr_array_add (memories, g_hash_table_lookup (views, tracing->tapes->pdata[i]));
  sluice_trace_view_add_events (view, tracing->events);
  const SluiceBottleneckSource source = { view, sluice_session_get_graph (tracing->session),
                                          (SluiceMemoryView *const *) memories->pdata,
                                          memories->len };
  sluice_cli_print_trace_why (&source);
}

static int
write_file (const Tracing *tracing, SluiceTraceFormat format, GError **error)
{
  if (sql != NULL && !answer (tracing, error))
    return EXIT_FAILED;
  if (why)
    say_why (tracing);
  if (out == NULL && memory_log == NULL)
    return EXIT_OK;
  SluiceTraceContent content = { tracing->events, sluice_session_get_start (tracing->session),
                                 sluice_session_get_graph (tracing->session) };
  if (out != NULL && !sluice_trace_write (&content, format, out, error))
    return EXIT_FAILED;
  if (memory_log != NULL
      && !sluice_file_put ("memory log", memory_log, tracing->lines->str, tracing->lines->len,
                           error))
    return EXIT_FAILED;
  if (sluice_cli_json)
    {
      JsonBuilder *b = sluice_cli_json_begin ();
      sluice_cli_json_string (b, "file", out);
      sluice_cli_json_string (b, "memory_log", memory_log);
      sluice_cli_json_int (b, "steps", n_steps);
      sluice_cli_json_int (b, "events", tracing->events->len);
      sluice_cli_json_int (b, "lost", (gint64) tracing->n_lost);
      sluice_cli_json_end (b);
      return EXIT_OK;
    }
  if (out != NULL)
    printf (_ ("%u events of %" PRId64 " steps are in %s\n"), tracing->events->len, n_steps, out);
  if (memory_log != NULL)
    printf (_ ("The memory of %" PRId64 " steps is in %s\n"), n_steps, memory_log);
  if (tracing->n_lost > 0)
    printf (_ ("%" PRIu64 " more were overwritten: a step has more events than the "
               "trace holds\n"),
            tracing->n_lost);
  return EXIT_OK;
}

static int
read_file (char **arguments, GError **error)
{
  if (arguments[0] != NULL)
    return sluice_cli_usage (error, _ ("--read FILE runs nothing: give no PROJECT or GRAPH"));
  return sluice_cli_read_trace (read_path, sql, why, out, error);
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
  if (why && !lists && out == NULL)
    return sluice_cli_say_why_of_kept (run_name, workspace, at_step, error);
  if (lists == (at_step >= 0) || why)
    return sluice_cli_usage (error,
                             _ ("say what of the run: --list, --why, or --at STEP --out FILE"));
  if (lists)
    return sluice_cli_list_traces (run_name, workspace, error);
  if (out == NULL)
    return sluice_cli_usage (error, _ ("say where to: --out FILE"));
  return find_format (&format, error)
             ? sluice_cli_write_kept (run_name, workspace, at_step, out, format, error)
             : EXIT_USAGE;
}

static int
trace (char **arguments, GError **error)
{
  if (run_name != NULL)
    return trace_run (arguments, error);
  if (lists || at_step >= 0)
    return sluice_cli_usage (error, _ ("--list and --at are of a run: --run NAME"));
  if (read_path != NULL)
    return read_file (arguments, error);
  if (arguments[0] == NULL || arguments[1] != NULL)
    return sluice_cli_usage (error, _ ("give one PROJECT or GRAPH"));
  if (out == NULL && sql == NULL && memory_log == NULL && !why)
    return sluice_cli_usage (error, _ ("say where to: --out FILE or --memory-log FILE, or what to "
                                       "answer: --sql QUERY or --why"));
  if (n_steps < 0)
    n_steps = why ? WHY_STEPS : 1;
  SluiceTraceFormat format = SLUICE_TRACE_OWN;
  if (out != NULL && !find_format (&format, error))
    return EXIT_USAGE;
  if (!sluice_cli_check_count ("--steps", n_steps, 1, MAX_STEPS, error)
      || !sluice_cli_check_count ("--warm", n_warm, 0, MAX_STEPS, error))
    return EXIT_USAGE;
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (SluiceTraceEvent));
  g_autoptr (GPtrArray) tapes =
      g_ptr_array_new_with_free_func ((GDestroyNotify) sluice_memory_tape_unref);
  Tracing tracing = { .events = events, .tapes = tapes };
  const CliSteps steps = { feeds, fetches, targets, collect, &tracing };
  int status = sluice_cli_check_steps (&steps, arguments[0], error);
  if (status != EXIT_OK)
    return status;
  tracing.session = sluice_cli_run_steps (&steps, arguments[0], error);
  status = tracing.session != NULL ? write_file (&tracing, format, error) : EXIT_FAILED;
  g_clear_pointer (&tracing.recorder, sluice_memory_recorder_free);
  if (tracing.lines != NULL)
    g_string_free (tracing.lines, TRUE);
  g_clear_object (&tracing.session);
  return status;
}

const Verb sluice_verb_trace = {
  .name = "trace",
  .arguments = N_ ("[PROJECT|GRAPH]"),
  .summary = N_ ("Run steps and write what ran when, where and with which memory"),
  .details =
      N_ ("Every node leaves when it was ready, began and ended, its device and lane, loop "
          "and iteration, and the bytes that went in, came out and were live. The trace is "
          "always on and costs under 1 %. A run keeps those of its last steps where something "
          "was remarkable: a step that took several medians, a loss that is not finite, a "
          "failure, a stall, and its end."),
  .json =
      "{\"file\": \"string|null\", \"memory_log\": \"string|null\", \"steps\": \"int\", "
      "\"events\": \"int\", \"lost\": \"int\"}\n"
      "{\"file\": \"string\", \"format\": \"string\", \"spans\": \"int\", \"lanes\": \"int\", "
      "\"steps\": \"int\", \"counters\": \"int\", \"marks\": \"int\", \"flows\": \"int\", "
      "\"begin_ns\": \"int\", \"end_ns\": \"int\"}\n"
      "{\"device\": \"string\", \"lane\": \"string\", \"kind\": \"string\", \"spans\": \"int\", "
      "\"rows\": \"int\", \"busy_ns\": \"int\"}\n" CLI_TRACE_WHY_JSON "\n"
      "{\"not_understood\": \"string\", \"n\": \"int\"}\n" CLI_KEPT_TRACE_JSON,
  .options = options,
  .run_keys = run_keys,
  .run = trace,
};
