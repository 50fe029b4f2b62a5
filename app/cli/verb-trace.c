/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "app/cli/steps.h"
#include "engine/trace/trace-file.h"

#define MAX_STEPS 1000000000

static char *out, *format_name;
static char **feeds, **fetches, **targets;
static gint64 n_steps = 1, n_warm = 2;

static const GOptionEntry options[] = {
  { "out", 0, 0, G_OPTION_ARG_FILENAME, &out,
    N_ ("The file: .json for chrome://tracing, .pftrace for Perfetto, .pb for TensorFlow's "
        "RunMetadata, a name with 'tfevents' in it for TensorBoard"),
    N_ ("FILE") },
  { "format", 0, 0, G_OPTION_ARG_STRING, &format_name,
    N_ ("chrome, perfetto, run-metadata or event-file, whatever the file is called"),
    N_ ("FORMAT") },
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
} Tracing;

/* Of steps that are not written nothing is kept. */
static gboolean
collect (SluiceSession *session, gint64 step, gint64 batch, gpointer tracing)
{
  Tracing *self = tracing;
  guint64 lost;
  g_autoptr (GArray) events = sluice_session_dup_trace (session, &self->cursor, &lost);
  if (step > n_warm)
    {
      self->n_lost += lost;
      if (events->len)
        g_array_append_vals (self->events, events->data, events->len);
    }
  return step < n_warm + n_steps;
}

static int
write_file (const Tracing *tracing, SluiceTraceFormat format, GError **error)
{
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

static int
trace (char **arguments, GError **error)
{
  if (arguments[0] == NULL || arguments[1] != NULL)
    return sluice_cli_usage (error, _ ("give one PROJECT or GRAPH"));
  if (out == NULL)
    return sluice_cli_usage (error, _ ("say where to: --out FILE"));
  SluiceTraceFormat format;
  if (format_name != NULL ? !sluice_trace_format_from_name (format_name, &format)
                          : !sluice_trace_format_from_path (out, &format))
    return sluice_cli_usage (
        error, _ ("say in which format: a name that ends in .json, .pftrace or .pb or "
                  "has 'tfevents' in it, or --format=chrome, perfetto, run-metadata or "
                  "event-file"));
  if (!sluice_cli_check_count ("--steps", n_steps, 1, MAX_STEPS, error)
      || !sluice_cli_check_count ("--warm", n_warm, 0, MAX_STEPS, error))
    return EXIT_USAGE;
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (SluiceTraceEvent));
  Tracing tracing = { .events = events };
  const CliSteps steps = { feeds, fetches, targets, collect, &tracing };
  int status = sluice_cli_check_steps (&steps, arguments[0], error);
  if (status != EXIT_OK)
    return status;
  tracing.session = sluice_cli_run_steps (&steps, arguments[0], error);
  status = tracing.session != NULL ? write_file (&tracing, format, error) : EXIT_FAILED;
  g_clear_object (&tracing.session);
  return status;
}

const Verb sluice_verb_trace = {
  .name = "trace",
  .arguments = N_ ("PROJECT|GRAPH"),
  .summary = N_ ("Run steps and write what ran when, where and with which memory"),
  .details = N_ ("Every node leaves when it was ready, began and ended, its device and lane, loop "
                 "and iteration, and the bytes that went in, came out and were live. The trace is "
                 "always on and costs under 1 %."),
  .json = "{\"file\": \"string\", \"steps\": \"int\", \"events\": \"int\", \"lost\": \"int\"}",
  .options = options,
  .run_keys = run_keys,
  .run = trace,
};
