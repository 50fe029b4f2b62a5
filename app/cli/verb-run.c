/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/devices.h"
#include "app/cli/explain.h"
#include "app/cli/feeds.h"
#include "app/cli/files.h"
#include "app/cli/memory.h"
#include "app/cli/run-options.h"
#include "app/cli/values.h"
#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/graph/graphdef.h"
#include "engine/store/json-text.h"
#include "engine/train/measured-teller.h"
#include "engine/train/npz-write.h"
#include "engine/train/saved-state.h"

static char **feeds, **fetches, **targets, *signature_name, *out, *explain;
static const GOptionEntry options[] = {
  { "signature", 0, 0, G_OPTION_ARG_STRING, &signature_name,
    N_ ("Of a SavedModel: whose inputs and outputs --feed and --fetch name (serving_default)"),
    N_ ("NAME") },
  { "feed", 0, 0, G_OPTION_ARG_STRING_ARRAY, &feeds,
    N_ ("Feed an edge, or an input of the signature: a number, lists [[1,2],[3,4]], a string in "
        "double quotes, a file .npy, or FILE.npz:MEMBER"),
    N_ ("EDGE=VALUE") },
  { "fetch", 0, 0, G_OPTION_ARG_STRING_ARRAY, &fetches,
    N_ ("Print the value of an edge, or of an output of the signature (all of its outputs)"),
    N_ ("EDGE") },
  { "target", 0, 0, G_OPTION_ARG_STRING_ARRAY, &targets,
    N_ ("Run a node; targets are run one after the other, before the fetches"), N_ ("NODE") },
  { "out", 0, 0, G_OPTION_ARG_FILENAME, &out, N_ ("Write what was fetched as NumPy's .npz"),
    N_ ("FILE") },
  CLI_TAGS_OPTION,
  { "explain", 0, 0, G_OPTION_ARG_STRING, &explain,
    N_ ("Run nothing, and print what a pass does to the graph of a step with these feeds, fetches "
        "and targets; \"list\" prints the passes"),
    N_ ("PASS") },
  CLI_MEMORY_OPTION,
  G_OPTION_ENTRY_NULL,
};

/* What is run. */
typedef struct
{
  SluiceGraph *graph;
  SluiceSession *session;
  const SluiceSavedSignature *signature; /* (nullable) */
  GArray *feeds;                         /* of SluiceFeed */
  GPtrArray *names, *edges; /* of what is fetched: as it was called, and in the graph */
} Run;

static void
print_text (const Run *run, SluiceTensor *const *outputs)
{
  for (guint i = 0; i < run->names->len; i++)
    {
      g_autofree char *text = sluice_tensor_to_string (outputs[i], 64);
      printf ("%s = %s\n", (const char *) run->names->pdata[i], text);
    }
}

/* One object, on one line. */
static void
print_json (const Run *run, SluiceTensor *const *outputs)
{
  g_autoptr (GString) line = g_string_new ("{");
  for (guint i = 0; i < run->names->len; i++)
    {
      g_string_append (line, i > 0 ? ", " : "");
      sluice_json_append_string (line, run->names->pdata[i], -1);
      g_string_append (line, ": ");
      sluice_cli_append_json_value (line, outputs[i]);
    }
  g_string_append_c (line, '}');
  sluice_cli_print_json_text (line->str);
}

static gboolean
run_targets (const Run *run, GError **error)
{
  for (guint i = 0; targets != NULL && targets[i] != NULL; i++)
    if (!sluice_session_run (run->session,
                             &(SluiceStepNames){ .feeds = (const SluiceFeed *) run->feeds->data,
                                                 .targets = (const char *const *) &targets[i],
                                                 .n_feeds = run->feeds->len,
                                                 .n_targets = 1 },
                             NULL, NULL, error))
      return FALSE;
  return TRUE;
}

static gboolean
run_fetches (const Run *run, GError **error)
{
  guint n = run->edges->len;
  g_autofree SluiceTensor **outputs = g_new0 (SluiceTensor *, n + 1);
  if (n == 0)
    return TRUE;
  if (!sluice_session_run (run->session,
                           &(SluiceStepNames){ .feeds = (const SluiceFeed *) run->feeds->data,
                                               .fetches = (const char *const *) run->edges->pdata,
                                               .n_feeds = run->feeds->len,
                                               .n_fetches = n },
                           outputs, NULL, error))
    return FALSE;
  gboolean ok =
      out == NULL
      || sluice_npz_write (out, (const char *const *) run->names->pdata, outputs, n, error);
  if (sluice_cli_json)
    print_json (run, outputs);
  else if (out == NULL)
    print_text (run, outputs);
  for (guint i = 0; i < n; i++)
    sluice_tensor_unref (outputs[i]);
  return ok;
}

/* Inputs that nobody fed, behind what a run failed of. */
static void
tell_unfed (const Run *run, GError **error)
{
  g_autoptr (GArray) unfed = g_array_new (FALSE, FALSE, sizeof (SluiceSavedTensor));
  for (guint i = 0; run->signature != NULL && i < run->signature->inputs->len; i++)
    {
      const SluiceSavedTensor *input =
          &g_array_index (run->signature->inputs, SluiceSavedTensor, i);
      gboolean is_fed = FALSE;
      for (guint k = 0; k < run->feeds->len; k++)
        is_fed |= strcmp (g_array_index (run->feeds, SluiceFeed, k).edge, input->edge) == 0;
      if (!is_fed)
        g_array_append_val (unfed, *input);
    }
  if (unfed->len == 0 || error == NULL || *error == NULL)
    return;
  g_autofree char *text = sluice_signature_describe (unfed);
  g_prefix_error (error, "signature '%s', without a feed for %s: ", run->signature->name, text);
}

/* ---- what is asked for ---- */

/* Each name once, as members of an archive and keys of an object are. */
static gboolean
add_fetch (Run *run, const char *name, GError **error)
{
  const char *edge = sluice_cli_resolve_edge (
      run->graph, run->signature != NULL ? run->signature->outputs : NULL, name, error);
  if (edge == NULL)
    return FALSE;
  if (!g_ptr_array_find_with_equal_func (run->names, name, g_str_equal, NULL))
    {
      g_ptr_array_add (run->names, (gpointer) name);
      g_ptr_array_add (run->edges, (gpointer) edge);
    }
  return TRUE;
}

static gboolean
find_fetches (Run *run, GError **error)
{
  for (guint i = 0; fetches != NULL && fetches[i] != NULL; i++)
    if (!add_fetch (run, fetches[i], error))
      {
        g_prefix_error (error, "--fetch %s: ", fetches[i]);
        return FALSE;
      }
  if (run->names->len > 0 || (targets != NULL && targets[0] != NULL) || run->signature == NULL)
    return TRUE;
  for (guint i = 0; i < run->signature->outputs->len; i++)
    if (!add_fetch (run, g_array_index (run->signature->outputs, SluiceSavedTensor, i).name, error))
      return FALSE;
  return TRUE;
}

/* The one that is named, else, of a SavedModel, the usual one where it has it. */
static gboolean
find_signature (Run *run, const GPtrArray *signatures, gboolean is_saved, GError **error)
{
  gboolean names_something =
      (fetches != NULL && fetches[0] != NULL) || (targets != NULL && targets[0] != NULL);
  g_autoptr (GError) none = NULL;
  if (signature_name == NULL && !is_saved && names_something)
    return TRUE;
  run->signature = sluice_signatures_find (
      signatures, signature_name != NULL ? signature_name : SLUICE_DEFAULT_SIGNATURE, &none);
  if (none == NULL || (signature_name == NULL && names_something))
    return TRUE;
  if (signature_name == NULL)
    g_prefix_error (&none, "say what to run, --signature NAME, --fetch EDGE or --target NODE: ");
  g_propagate_error (error, g_steal_pointer (&none));
  return FALSE;
}

static int
run_all (Run *run, GError **error)
{
  run->feeds = sluice_cli_parse_feeds (run->graph, run->signature, feeds, error);
  if (run->feeds == NULL || !find_fetches (run, error))
    return EXIT_FAILED;
  if (sluice_cli_memory)
    sluice_session_record_memory (run->session);
  gboolean ok = run_targets (run, error) && run_fetches (run, error);
  if (sluice_cli_memory)
    sluice_cli_print_memory (run->session);
  if (!ok)
    tell_unfed (run, error);
  return ok ? EXIT_OK : EXIT_FAILED;
}

/* What is fed needs no value then. */
static int
explain_step (Run *run, GError **error)
{
  g_autoptr (GArray) fed = g_array_new (FALSE, TRUE, sizeof (SluiceFeed));
  for (guint i = 0; feeds != NULL && feeds[i] != NULL; i++)
    {
      char *end = strchr (feeds[i], '=');
      if (end != NULL)
        *end = '\0';
      SluiceFeed feed = { .edge = sluice_cli_resolve_edge (
                              run->graph, run->signature != NULL ? run->signature->inputs : NULL,
                              feeds[i], error) };
      if (feed.edge == NULL)
        return EXIT_FAILED;
      g_array_append_val (fed, feed);
    }
  if (!find_fetches (run, error))
    return EXIT_FAILED;
  const SluiceStepNames step = { .feeds = (const SluiceFeed *) fed->data,
                                 .fetches = (const char *const *) run->edges->pdata,
                                 .targets = (const char *const *) targets,
                                 .n_feeds = fed->len,
                                 .n_fetches = run->edges->len,
                                 .n_targets = targets != NULL ? g_strv_length (targets) : 0 };
  return sluice_cli_explain (run->session, &step, explain, error) ? EXIT_OK : EXIT_FAILED;
}

static int
run_model (const char *path, GError **error)
{
  g_autoptr (SluiceGraph) graph = sluice_cli_load_graph (path, error);
  g_autoptr (SluiceFileAccess) files = sluice_cli_new_file_access (path);
  SluiceSessionOptions session_options = sluice_cli_session_options;
  session_options.files = files;
  g_autoptr (SluiceCostTeller) costs = sluice_measured_teller_load (&session_options, 1);
  session_options.costs = costs;
  g_autoptr (SluiceSession) session =
      graph != NULL ? sluice_session_new (&session_options, error) : NULL;
  if (session == NULL || !sluice_session_extend (session, graph, error))
    return EXIT_FAILED;
  sluice_cli_tell_moved (session);
  g_autoptr (GPtrArray) signatures = sluice_graph_dup_signatures (graph, error);
  g_autoptr (GPtrArray) names = g_ptr_array_new (), edges = g_ptr_array_new ();
  Run run = { .graph = graph, .session = session, .names = names, .edges = edges };
  if (signatures == NULL
      || !find_signature (&run, signatures, sluice_saved_model_exists (path), error))
    return EXIT_FAILED;
  if (explain != NULL)
    return explain_step (&run, error);
  sluice_cli_tell_file_ops (graph);
  if (!sluice_cli_restore_saved_model (session, graph, path, error))
    return EXIT_FAILED;
  int status = run_all (&run, error);
  g_clear_pointer (&run.feeds, g_array_unref);
  return status;
}

static int
run (char **arguments, GError **error)
{
  if (g_strcmp0 (explain, "list") == 0 && arguments[0] == NULL)
    {
      sluice_cli_list_passes ();
      return EXIT_OK;
    }
  if (arguments[0] == NULL || arguments[1] != NULL)
    return sluice_cli_usage (error, _ ("give one GRAPH or SAVEDMODEL"));
  if ((fetches == NULL || fetches[0] == NULL) && (targets == NULL || targets[0] == NULL)
      && signature_name == NULL && !g_file_test (arguments[0], G_FILE_TEST_IS_DIR)
      && !sluice_saved_model_exists (arguments[0]))
    return sluice_cli_usage (error, _ ("say what to run: --fetch EDGE or --target NODE"));
  if (out != NULL && !g_str_has_suffix (out, ".npz"))
    return sluice_cli_usage (error, _ ("--out '%s': must end in .npz"), out);
  sluice_pool_set_threads (sluice_cli_session_options.n_threads);
  return run_model (arguments[0], error);
}

const Verb sluice_verb_run = {
  .name = "run",
  .arguments = N_ ("GRAPH|SAVEDMODEL"),
  .summary = N_ ("Run nodes of a graph, or a signature of a SavedModel, and print values"),
  .details = N_ ("A loop that never ends can be stopped with Ctrl-C, or by --max-iterations. Of a "
                 "SavedModel the variables are restored and the tables filled first.\n\n"
                 "--explain prints a line a node that went (-), came (+), changed (both) or was "
                 "moved (~)."),
  .json = "{\"*\": \"value\"}\n" CLI_MEMORY_JSON "\n" CLI_EXPLAIN_JSON,
  .options = options,
  .run_options = SLUICE_OPTION_CLI,
  .run = run,
};
