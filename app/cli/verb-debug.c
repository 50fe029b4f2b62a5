/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/debug-print.h"
#include "app/cli/debug-run.h"
#include "app/cli/run-options.h"
#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"

#define MOST_STEPS G_MAXINT32

static char **feeds, **fetches, **targets, **assignments, *script_path;

static const GOptionEntry options[] = {
  { "script", 0, 0, G_OPTION_ARG_FILENAME, &script_path,
    N_ ("Read the commands from this file; - or nothing: from standard input"), N_ ("FILE") },
  { "feed", 0, 0, G_OPTION_ARG_STRING_ARRAY, &feeds,
    N_ ("Of a GRAPH: feed an edge, with values as 'sluice run' takes them"), N_ ("EDGE=VALUE") },
  { "fetch", 0, 0, G_OPTION_ARG_STRING_ARRAY, &fetches, N_ ("Of a GRAPH: what a run fetches"),
    N_ ("EDGE") },
  { "target", 0, 0, G_OPTION_ARG_STRING_ARRAY, &targets,
    N_ ("Of a GRAPH: a node to run before that; may be repeated"), N_ ("NODE") },
  { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &assignments,
    N_ ("Of a PROJECT: override a key of project.ini or a promoted parameter; may be repeated"),
    N_ ("KEY=VALUE") },
  CLI_TAGS_OPTION,
  G_OPTION_ENTRY_NULL,
};

typedef struct
{
  const char *name, *arguments;
  const char *summary; /* N_(): one line, without a full stop */
  /* words: what stands behind the name, "" where nothing does. */
  gboolean (*run) (CliDebugRun *run, const char *words, GError **error);
} Command;

/* ---- breakpoints ---- */

/* Does the graph have what it names? A pruned node is no mistake: the run says so. */
static gboolean
check_place (SluiceGraph *graph, SluiceBreakpoint *what, GError **error)
{
  const guint n = sluice_graph_get_n_nodes (graph);
  const gsize length = strlen (what->name);
  SluiceEdge edge;
  if (!what->is_scope && sluice_graph_find (graph, what->name) != NULL)
    return TRUE;
  for (guint i = 0; i < n; i++)
    {
      const char *name = sluice_graph_get_node (graph, i)->name;
      if (length == 0 || (strncmp (name, what->name, length) == 0 && name[length] == '/'))
        return what->is_scope = what->port < 0;
    }
  if (what->is_scope)
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND, _ ("the graph has no scope '%s'"),
                        what->name);
  return sluice_graph_parse_edge (graph, what->name, &edge, error); /* which says what is similar */
}

static void
print_breakpoints (CliDebugRun *run, guint number)
{
  g_autoptr (GArray) reports = sluice_debugger_dup_reports (run->debugger);
  for (guint i = 0; i < reports->len; i++)
    {
      const SluiceBreakpointReport *report = &g_array_index (reports, SluiceBreakpointReport, i);
      if (number == 0 || report->number == number)
        sluice_cli_print_breakpoint (report);
    }
}

static gboolean
do_break (CliDebugRun *run, const char *words, GError **error)
{
  SluiceBreakpoint what;
  if (!sluice_breakpoint_parse (&what, words, error) || !check_place (run->graph, &what, error))
    return FALSE;
  guint number = sluice_debugger_add (run->debugger, &what, error);
  if (number > 0)
    print_breakpoints (run, number);
  return number > 0;
}

static gboolean
do_breaks (CliDebugRun *run, const char *words, GError **error)
{
  print_breakpoints (run, 0);
  return TRUE;
}

static gboolean
do_delete (CliDebugRun *run, const char *words, GError **error)
{
  guint64 number;
  if (g_ascii_string_to_unsigned (words, 10, 1, G_MAXUINT32, &number, NULL)
      && sluice_debugger_remove (run->debugger, (guint) number))
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                      _ ("there is no breakpoint '%s'; 'breaks' lists them"), words);
}

/* ---- runs ---- */

/* "", or a number. */
static gboolean
parse_count (const char *words, gint64 *n, GError **error)
{
  guint64 count = 1;
  if (*words != '\0' && !g_ascii_string_to_unsigned (words, 10, 1, MOST_STEPS, &count, error))
    return FALSE;
  *n = (gint64) count;
  return TRUE;
}

static gboolean
fail_not_running (GError **error)
{
  return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                      _ ("no run is stopped; 'run' or 'step' begins one"));
}

static gboolean
do_run (CliDebugRun *run, const char *words, GError **error)
{
  gint64 n;
  if (run->is_running)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION,
                        _ ("a run is stopped; 'next' or 'go' lets it go on"));
  if (!parse_count (words, &n, error))
    return FALSE;
  sluice_debugger_next (run->debugger);
  return sluice_cli_debug_begin (run, n, error) && sluice_cli_debug_wait (run, error);
}

static gboolean
do_step (CliDebugRun *run, const char *words, GError **error)
{
  gint64 n;
  if (!parse_count (words, &n, error))
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    {
      gboolean begins = !run->is_running;
      if (begins && i > 0)
        return TRUE; /* the run has ended before so many */
      sluice_debugger_step (run->debugger);
      if ((begins && !sluice_cli_debug_begin (run, 1, error))
          || !sluice_cli_debug_wait (run, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
do_next (CliDebugRun *run, const char *words, GError **error)
{
  if (!run->is_running)
    return fail_not_running (error);
  sluice_debugger_next (run->debugger);
  return sluice_cli_debug_wait (run, error);
}

static gboolean
do_go (CliDebugRun *run, const char *words, GError **error)
{
  if (!run->is_running)
    return fail_not_running (error);
  sluice_debugger_go (run->debugger);
  return sluice_cli_debug_wait (run, error);
}

/* ---- the stopped step ---- */

static gboolean
do_where (CliDebugRun *run, const char *words, GError **error)
{
  g_autoptr (SluiceStop) stop = sluice_debugger_dup_stop (run->debugger);
  if (stop == NULL)
    return fail_not_running (error);
  sluice_cli_print_stop (stop);
  return TRUE;
}

static gboolean
do_values (CliDebugRun *run, const char *words, GError **error)
{
  g_autoptr (SluiceStop) stop = sluice_debugger_dup_stop (run->debugger);
  if (stop == NULL)
    return fail_not_running (error);
  sluice_cli_print_values (stop);
  return TRUE;
}

static gboolean
do_ready (CliDebugRun *run, const char *words, GError **error)
{
  g_autoptr (GArray) nodes = sluice_debugger_dup_ready (run->debugger);
  if (nodes == NULL)
    return fail_not_running (error);
  sluice_cli_print_ready (nodes);
  return TRUE;
}

static gboolean
do_why (CliDebugRun *run, const char *words, GError **error)
{
  if (!run->is_running)
    return fail_not_running (error);
  const char *name = *words != '\0' ? words : NULL;
  g_autoptr (GArray) whys = sluice_debugger_dup_why (run->debugger, name, error);
  if (whys != NULL)
    sluice_cli_print_why (whys, name);
  return whys != NULL;
}

static gboolean
do_put (CliDebugRun *run, const char *words, GError **error)
{
  const char *blank = strchr (words, ' ');
  if (!run->is_running)
    return fail_not_running (error);
  if (blank == NULL)
    return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, _ ("give an edge and a value"));
  g_autofree char *name = g_strndup (words, (gsize) (blank - words));
  return sluice_cli_debug_put (run, name, blank + 1, error);
}

static gboolean
do_unput (CliDebugRun *run, const char *words, GError **error)
{
  g_autofree char *name = NULL;
  if (!run->is_running)
    return fail_not_running (error);
  return sluice_debugger_unput (run->debugger, &name, error);
}

static gboolean
do_edit (CliDebugRun *run, const char *words, GError **error)
{
  return sluice_cli_debug_edit (run, words, error);
}

static gboolean
do_unedit (CliDebugRun *run, const char *words, GError **error)
{
  return sluice_cli_debug_unedit (run, error);
}

/* ---- the table ---- */

static gboolean do_help (CliDebugRun *run, const char *words, GError **error);

static const Command commands[] = {
  { "break", "NODE|NODE:1|SCOPE/|* [if CONDITION]",
    N_ ("Stop there: conditions are nonfinite, |x| > 10, shape is [2,?], shape is not [2,?], step "
        ">= 100, hits >= 3, with 'and' between"),
    do_break },
  { "breaks", "", N_ ("List the breakpoints, and why they did not stop"), do_breaks },
  { "delete", "N", N_ ("Remove a breakpoint"), do_delete },
  { "run", "[N]", N_ ("Begin a run, of a project N steps, and go on to the first breakpoint"),
    do_run },
  { "step", "[N]", N_ ("Run one node, or N of them; begins a run where none is stopped"), do_step },
  { "next", "", N_ ("Go on to the next breakpoint"), do_next },
  { "go", "", N_ ("Go on to the end of the run"), do_go },
  { "where", "", N_ ("Say where the run has stopped"), do_where },
  { "values", "", N_ ("Print the inputs of the node, and its outputs where it has run"),
    do_values },
  { "ready", "", N_ ("List what is ready besides, in the order in which it would run"), do_ready },
  { "why", "[NODE]", N_ ("Say what a node waits for, or all that wait"), do_why },
  { "put", "EDGE VALUE",
    N_ ("Change an input of the node, or its output where it has run: a value or a file, or for "
        "each element *X, /X, +X or =X"),
    do_put },
  { "unput", "", N_ ("Take the last change of this stop back"), do_unput },
  { "edit", "COMMAND",
    N_ ("Edit the graph, by a command of 'sluice edit': a step that is stopped is given up, and "
        "the "
        "next one goes on with the variables as they were before it"),
    do_edit },
  { "unedit", "", N_ ("Of a project: graph, variables and step are as before the last edit"),
    do_unedit },
  { "help", "", N_ ("List the commands"), do_help },
  { "quit", "", N_ ("End the run that is stopped, and leave"), NULL },
};

static gboolean
do_help (CliDebugRun *run, const char *words, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (commands) && !sluice_cli_json; i++)
    printf ("%s%s%s\n    %s.\n", commands[i].name, *commands[i].arguments != '\0' ? " " : "",
            commands[i].arguments, _ (commands[i].summary));
  return TRUE;
}

static const Command *
find_command (const char *name, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      if (g_str_equal (commands[i].name, name))
        return &commands[i];
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", commands[i].name);
    }
  sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, _ ("there is no command '%s'; there are %s"),
               name, names->str);
  return NULL;
}

/* ---- the script ---- */

static void
report (guint number, const char *line, const GError *error)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_int (b, "line", number);
  sluice_cli_json_string (b, "command", line);
  sluice_cli_json_bool (b, "done", error == NULL);
  sluice_cli_json_string (b, "error", error != NULL ? error->message : NULL);
  sluice_cli_json_end (b);
  fflush (stdout);
}

/* FALSE: it was the last one. line: is changed. */
static gboolean
do_line (CliDebugRun *run, guint number, char *line, GError **error)
{
  g_autoptr (GError) local = NULL;
  char *comment = strstr (line, " #");
  if (comment != NULL)
    *comment = '\0';
  g_strstrip (line);
  if (*line == '\0' || *line == '#')
    return TRUE;
  const char *blank = strchr (line, ' ');
  g_autofree char *name =
      blank != NULL ? g_strndup (line, (gsize) (blank - line)) : g_strdup (line);
  g_autofree char *words = g_strstrip (g_strdup (blank != NULL ? blank : ""));
  const Command *command = find_command (name, &local);
  if (command != NULL && command->run != NULL)
    command->run (run, words, &local);
  report (number, line, local);
  if (local != NULL)
    {
      g_propagate_prefixed_error (error, g_steal_pointer (&local), _ ("line %u: %s: "), number,
                                  name);
      return FALSE;
    }
  return command->run != NULL;
}

/* To a person at a terminal a mistake is told, and the next line is read. */
static gboolean
forgive (GError **error)
{
  g_autofree char *safe = sluice_text_escape ((*error)->message);
  fprintf (stderr, "%s\n", safe);
  g_clear_error (error);
  return TRUE;
}

static gboolean
read_lines (CliDebugRun *run, FILE *in, GError **error)
{
  const gboolean asks = isatty (fileno (in)) && !sluice_cli_json;
  char *line = NULL;
  gsize size = 0;
  gboolean ok = TRUE;
  for (guint number = 1; ok; number++)
    {
      if (asks)
        {
          fputs ("> ", stdout);
          fflush (stdout);
        }
      GError *local = NULL;
      if (getline (&line, &size, in) < 0)
        break;
      if (do_line (run, number, line, &local))
        continue;
      if (local == NULL)
        break;
      ok = asks && forgive (&local);
      if (local != NULL)
        g_propagate_error (error, local);
    }
  free (line);
  return ok;
}

static int
read_script (CliDebugRun *run, GError **error)
{
  gboolean is_input = script_path == NULL || g_str_equal (script_path, "-");
  FILE *in = is_input ? stdin : fopen (script_path, "re");
  if (in == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_NOT_FOUND, _ ("script '%s': cannot be read: %s"),
                   script_path, g_strerror (errno));
      return EXIT_FAILED;
    }
  gboolean ok = read_lines (run, in, error);
  if (!is_input)
    fclose (in);
  return ok ? EXIT_OK : EXIT_FAILED;
}

static int
debug (char **arguments, GError **error)
{
  if (arguments[0] == NULL || arguments[1] != NULL)
    return sluice_cli_usage (error, _ ("give one GRAPH or PROJECT"));
  const gboolean is_project = sluice_project_is_folder (arguments[0]);
  if (is_project && (feeds != NULL || fetches != NULL || targets != NULL))
    return sluice_cli_usage (error, _ ("a project's step is run as it is; leave out --feed, "
                                       "--fetch and --target"));
  if (!is_project && fetches == NULL && targets == NULL)
    return sluice_cli_usage (error, _ ("say what to run: --fetch EDGE or --target NODE"));
  if (!is_project && assignments != NULL)
    return sluice_cli_usage (error, _ ("--set is of a project"));
  sluice_pool_set_threads (sluice_cli_session_options.n_threads);
  CliDebugRun *run = is_project
                         ? sluice_cli_debug_new_of_project (arguments[0], assignments, error)
                         : sluice_cli_debug_new (arguments[0], feeds, fetches, targets, error);
  if (run == NULL)
    return EXIT_FAILED;
  int status = read_script (run, error);
  sluice_cli_debug_free (run);
  return status;
}

const Verb sluice_verb_debug = {
  .name = "debug",
  .arguments = N_ ("GRAPH|SAVEDMODEL|PROJECT"),
  .summary = N_ ("Stop at nodes of a run, and look at their values"),
  .details =
      N_ ("A line is a command: break NODE [if CONDITION], run, step, next, go, values, ready, why "
          "NODE, put EDGE VALUE, edit COMMAND, where, quit; 'help' explains all of them, and so "
          "does the manual's "
          "page \"debug\". A command that fails says its line, and ends the script. Of a project a "
          "run is a training step, of which nothing is recorded."),
  .json = CLI_DEBUG_JSON "\n"
                         "{\"step\": \"int\", \"loss\": \"number\"}\n"
                         "{\"line\": \"int\", \"command\": \"string\", \"done\": \"bool\", "
                         "\"error\": \"string|null\"}",
  .options = options,
  .run_options = SLUICE_OPTION_CLI,
  .run = debug,
};
