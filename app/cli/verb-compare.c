/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/cli.h"
#include "app/cli/feeds.h"
#include "app/cli/files.h"
#include "app/cli/loss-match.h"
#include "app/cli/run-options.h"
#include "app/divergence-words.h"
#include "engine/graph/graphdef.h"
#include "engine/train/comparison.h"

static char **feeds, **fetches, **targets;
static char *reference, *workspace, *init_from, *tolerance;
static gboolean plain;
static gint n_batches = 10;
static double relative, absolute;

static const GOptionEntry options[] = {
  { "reference", 0, 0, G_OPTION_ARG_FILENAME, &reference,
    N_ ("Compare with the tensors of a checkpoint, a .npz file or a dump of TensorFlow's debugger, "
        "named by node or edge"),
    N_ ("FILE") },
  { "plain", 0, 0, G_OPTION_ARG_NONE, &plain,
    N_ ("Compare with a run by the plain kernels, without folding or fusion"), NULL },
  { "feed", 0, 0, G_OPTION_ARG_STRING_ARRAY, &feeds,
    N_ ("Feed an edge: a number, numbers [1,2,3], or a file .npy"), N_ ("EDGE=VALUE") },
  { "target", 0, 0, G_OPTION_ARG_STRING_ARRAY, &targets,
    N_ ("Run a node before; targets are run one after the other"), N_ ("NODE") },
  { "fetch", 0, 0, G_OPTION_ARG_STRING_ARRAY, &fetches, N_ ("Compare what this node or edge needs"),
    N_ ("NODE|EDGE") },
  { "tolerance", 0, 0, G_OPTION_ARG_STRING, &tolerance,
    N_ ("auto: how far elements may be apart by their dtype (with --reference); exact: not at all "
        "(else)"),
    N_ ("auto|exact") },
  { "rtol", 0, 0, G_OPTION_ARG_DOUBLE, &relative,
    N_ ("How far elements may be apart, by their size (0)"), N_ ("R") },
  { "atol", 0, 0, G_OPTION_ARG_DOUBLE, &absolute, N_ ("How far elements may be apart, besides (0)"),
    N_ ("A") },
  { "batches", 0, 0, G_OPTION_ARG_INT, &n_batches,
    N_ ("Of two programs: so many batches go through both (10)"), N_ ("N") },
  { "init-from", 0, 0, G_OPTION_ARG_FILENAME, &init_from,
    N_ ("Of two programs: both begin with the values of this checkpoint that they have"),
    N_ ("CHECKPOINT") },
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace,
    N_ ("Folder of runs (your data folder's sluice)"), N_ ("DIR") },
  G_OPTION_ENTRY_NULL,
};
static const CliRunKey run_keys[] = {
  { "cpus", N_ ("Compare with a run whose nodes are spread over so many virtual devices") },
  { "threads", N_ ("Compare with a run on so many threads; with --cpus and --plain: its threads "
                   "(one a core)") },
  { "seed", N_ ("Of random nodes that have none, and of the lot that --cpus draws (1)") },
  { NULL },
};

/* ---- text ---- */

static void
print_heading (int width)
{
  printf ("  %-*s  %-20s %10s %10s %10s %16s %6s %6s\n", width, _ ("node"), _ ("op"),
          _ ("absolute"), _ ("relative"), _ ("ulp"), _ ("differ"), _ ("NaN"), _ ("inf"));
}

static void
print_row (const SluiceCompared *row, int width)
{
  const SluiceDifference *d = &row->difference;
  printf ("%c %-*s  %-20s ", row->diverges ? '*' : ' ', width, row->name, row->edge.node->op_name);
  if (row->mismatch != NULL)
    puts (row->mismatch);
  else if (row->is_dead)
    puts (_ ("in a branch that was not taken"));
  else
    printf ("%10.3g %10.3g %10" G_GUINT64_FORMAT " %16" G_GINT64_FORMAT " %6" G_GINT64_FORMAT
            " %6" G_GINT64_FORMAT "\n",
            d->max_abs, d->max_rel, d->max_ulp, d->n_differ, d->n_nan, d->n_infinite);
}

static void
print_text (const SluiceComparison *comparison)
{
  const GArray *rows = comparison->edges;
  int width = 4;
  for (guint i = 0; i < rows->len; i++)
    width = MAX (width, (int) strlen (g_array_index (rows, SluiceCompared, i).name));
  print_heading (width);
  for (guint i = 0; i < rows->len; i++)
    print_row (&g_array_index (rows, SluiceCompared, i), width);
  for (guint i = 0; i < comparison->left_out->len; i++)
    printf (_ ("not compared: %s\n"), (char *) comparison->left_out->pdata[i]);
  printf (_ ("outputs    %u\n"), rows->len);
  printf (_ ("divergent  %u\n"), comparison->n_divergent);
  if (comparison->first != NULL)
    {
      g_autofree char *words = sluice_divergence_words (comparison->first);
      printf (_ ("first      %s\n"), words);
    }
}

/* ---- JSON ---- */

static void
add_row (JsonBuilder *b, const SluiceCompared *row)
{
  const SluiceDifference *d = &row->difference;
  json_builder_begin_object (b);
  sluice_cli_json_string (b, "name", row->name);
  sluice_cli_json_string (b, "node", row->edge.node->name);
  sluice_cli_json_int (b, "output", row->edge.port);
  sluice_cli_json_string (b, "op", row->edge.node->op_name);
  sluice_cli_json_bool (b, "diverges", row->diverges);
  sluice_cli_json_bool (b, "dead", row->is_dead);
  sluice_cli_json_string (b, "mismatch", row->mismatch);
  sluice_cli_json_double (b, "absolute", d->max_abs);
  sluice_cli_json_double (b, "relative", d->max_rel);
  sluice_cli_json_double (b, "ulp", (double) d->max_ulp);
  sluice_cli_json_int (b, "differ", d->n_differ);
  sluice_cli_json_int (b, "beyond", d->n_beyond);
  sluice_cli_json_int (b, "first_beyond", d->first_beyond);
  sluice_cli_json_int (b, "nan", d->n_nan);
  sluice_cli_json_int (b, "infinite", d->n_infinite);
  json_builder_end_object (b);
}

static void
print_json (const SluiceComparison *comparison)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  json_builder_set_member_name (b, "outputs");
  json_builder_begin_array (b);
  for (guint i = 0; i < comparison->edges->len; i++)
    add_row (b, &g_array_index (comparison->edges, SluiceCompared, i));
  json_builder_end_array (b);
  json_builder_set_member_name (b, "not_compared");
  json_builder_begin_array (b);
  for (guint i = 0; i < comparison->left_out->len; i++)
    json_builder_add_string_value (b, comparison->left_out->pdata[i]);
  json_builder_end_array (b);
  sluice_cli_json_int (b, "divergent", comparison->n_divergent);
  if (comparison->first == NULL)
    sluice_cli_json_null (b, "first");
  else
    {
      json_builder_set_member_name (b, "first");
      json_builder_begin_object (b);
      sluice_cli_json_divergence (b, comparison->first);
      json_builder_end_object (b);
    }
  sluice_cli_json_end (b);
}

/* ---- the verb ---- */

static int
check_usage (char **arguments, GError **error)
{
  const SluiceSessionOptions *given = &sluice_cli_session_options;
  gboolean has_run = given->n_cpus != 0 || given->n_threads != 0 || plain;
  gboolean has_seed = sluice_cli_get_option_text (sluice_options_find ("seed")) != NULL;
  gboolean has_two = arguments[0] != NULL && arguments[1] != NULL;
  if (arguments[0] == NULL || (has_two && arguments[2] != NULL))
    return sluice_cli_usage (error, _ ("give one GRAPH, or two projects or runs"));
  if (has_seed && !sluice_cli_check_count ("--seed", (gint64) given->seed, 1, G_MAXINT64, error))
    return EXIT_USAGE;
  if (has_two
      && (plain || reference != NULL || feeds != NULL || targets != NULL || fetches != NULL
          || given->n_cpus != 0 || has_seed))
    return sluice_cli_usage (error,
                             _ ("two projects or runs take --batches, --init-from, --tolerance, "
                                "--rtol, --atol and --threads"));
  if (has_two && !sluice_cli_check_count ("--batches", n_batches, 1, G_MAXINT, error))
    return EXIT_USAGE;
  if (!has_two && !has_run && reference == NULL)
    return sluice_cli_usage (error,
                             _ ("say what to compare with: --reference FILE, --cpus N, --threads N "
                                "or --plain"));
  if (has_run && reference != NULL)
    return sluice_cli_usage (error,
                             _ ("--reference compares with a file; --cpus, --threads and --plain "
                                "compare with a second run"));
  if (tolerance != NULL && !g_str_equal (tolerance, "auto") && !g_str_equal (tolerance, "exact"))
    return sluice_cli_usage (error, _ ("--tolerance must be auto or exact"));
  if (tolerance != NULL && (relative != 0 || absolute != 0))
    return sluice_cli_usage (error, _ ("--tolerance leaves nothing for --rtol and --atol to say"));
  if (!(relative >= 0 && isfinite (relative) && absolute >= 0 && isfinite (absolute)))
    return sluice_cli_usage (error, _ ("--rtol and --atol must be finite and not negative"));
  return EXIT_OK;
}

static SluiceTolerance
get_tolerance (void)
{
  gboolean is_default = tolerance == NULL && relative == 0 && absolute == 0;
  return (SluiceTolerance){ .by_dtype = tolerance != NULL ? g_str_equal (tolerance, "auto")
                                                          : is_default && reference != NULL,
                            .rtol = relative,
                            .atol = absolute };
}

static int
compare (char **arguments, GError **error)
{
  int status = check_usage (arguments, error);
  if (status != EXIT_OK)
    return status;
  if (arguments[1] != NULL)
    {
      const SluiceLossMatchOptions two = { .n_batches = (guint) n_batches,
                                           .tolerance = get_tolerance (),
                                           .init_from = init_from,
                                           .host = &sluice_cli_session_options };
      return sluice_cli_match_losses (arguments, workspace, &two, error);
    }
  g_autoptr (SluiceGraph) graph = sluice_cli_load_graph (arguments[0], error);
  g_autoptr (GArray) parsed =
      graph != NULL ? sluice_cli_parse_feeds (graph, NULL, feeds, error) : NULL;
  if (parsed == NULL)
    return EXIT_FAILED;
  sluice_cli_tell_file_ops (graph);
  g_autoptr (SluiceFileAccess) files = sluice_cli_new_file_access (arguments[0]);
  SluiceComparisonOptions wanted = {
    .files = files,
    .feeds = (const SluiceFeed *) parsed->data,
    .n_feeds = parsed->len,
    .targets = (const char *const *) targets,
    .fetches = (const char *const *) fetches,
    .reference = reference,
    .way = { .n_cpus = 1, .n_threads = reference != NULL ? 0 : 1 },
    .other = { .n_cpus = MAX (sluice_cli_session_options.n_cpus, 1),
               .n_threads = sluice_cli_session_options.n_threads,
               .plain = plain },
    .seed = MAX (sluice_cli_session_options.seed, 1),
    .tolerance = get_tolerance (),
  };
  g_autoptr (SluiceComparison) comparison = sluice_compare (graph, &wanted, error);
  if (comparison == NULL)
    return EXIT_FAILED;
  if (sluice_cli_json)
    print_json (comparison);
  else
    print_text (comparison);
  return comparison->n_divergent == 0 ? EXIT_OK : EXIT_FAILED;
}

#define COMPARED_LINE(first)                                                                       \
  "{\"outputs\": [{\"name\": \"string\", \"node\": \"string\", \"output\": \"int\", "              \
  "\"op\": \"string\", \"diverges\": \"bool\", \"dead\": \"bool\", "                               \
  "\"mismatch\": \"string|null\", \"absolute\": \"number\", \"relative\": \"number\", "            \
  "\"ulp\": \"number\", \"differ\": \"int\", \"beyond\": \"int\", \"first_beyond\": \"int\", "     \
  "\"nan\": \"int\", \"infinite\": \"int\"}], \"not_compared\": [\"string\"], "                    \
  "\"divergent\": \"int\", \"first\": " first "}"

const Verb sluice_verb_compare = {
  .name = "compare",
  .arguments = N_ ("GRAPH | PROJECT|RUN PROJECT|RUN"),
  .summary = N_ ("Compare what each node computes with a file, a run in another way, or another "
                 "program"),
  .details = N_ (
      "The first run is on one device and one thread. A line an output, in topological order: the "
      "largest absolute and relative error, the largest distance in representable values, how many "
      "elements differ, and how many are NaN or infinite in one of both only; * where it "
      "diverges, that is, dtype or shape do, or an element is further away than the tolerance. "
      "Without options that is nothing, and with --reference, or --tolerance auto, by dtype: half "
      "1e-3, bfloat16 1e-2, float 1e-5, double 1e-9 of the element or of the largest one of its "
      "tensor; with --rtol or --atol it is atol + rtol * |wanted|. The exit status is 1 then, and "
      "the first node is named that differs though all that it reads agrees. Without --fetch "
      "and --reference all nodes are compared that need no placeholder without a feed, write no "
      "variable, and touch no queue or file. Values inside loops are not compared; they show in "
      "the Exit nodes. Two projects or runs are compared with learning turned off: the same "
      "batches "
      "go through both, no variable is written, and it is told whether their losses are the same "
      "and which op of the first batch, by name and in topological order, is the first that "
      "differs."),
  .json = COMPARED_LINE ("\"null\"") "\n" COMPARED_LINE (
      CLI_DIVERGENCE_JSON ("")) "\n" CLI_LOSS_MATCH_JSON,
  .options = options,
  .run_keys = run_keys,
  .run = compare,
};
