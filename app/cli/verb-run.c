/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/memory.h"
#include "engine/base/error.h"
#include "engine/base/pool.h"
#include "engine/graph/graphdef.h"
#include "engine/runtime/session.h"
#include "engine/train/data.h"

static char **feeds, **fetches, **targets;
static gint64 n_threads, n_cpus = 1;

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
  CLI_MEMORY_OPTIONS,
  G_OPTION_ENTRY_NULL,
};

/* "1.5" or "[1,2,3]" as double. */
static SluiceTensor *
parse_numbers (const char *text, GError **error)
{
  gboolean is_list = *text == '[';
  g_autofree char *inner = g_strdup (is_list ? text + 1 : text);
  if (is_list && g_str_has_suffix (inner, "]"))
    inner[strlen (inner) - 1] = '\0';
  g_auto (GStrv) items = g_strsplit (inner, ",", 0);
  guint n = g_strv_length (items);
  g_autofree double *values = g_new (double, n + 1);
  for (guint i = 0; i < n; i++)
    {
      char *end;
      values[i] = g_ascii_strtod (g_strstrip (items[i]), &end);
      if (end == items[i] || *end != '\0')
        {
          sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' is no number", items[i]);
          return NULL;
        }
    }
  return sluice_tensor_new_from (SLUICE_DOUBLE, &SLUICE_SHAPE (n), values);
}

static SluiceTensor *
read_npy (const char *path, GError **error)
{
  g_autofree char *bytes = NULL;
  gsize length;
  if (!g_file_get_contents (path, &bytes, &length, error))
    return NULL;
  return sluice_npy_parse ((const guint8 *) bytes, length, path, error);
}

/* The value in the dtype of the edge; a single number takes the shape of a scalar. */
static SluiceTensor *
make_feed (SluiceGraph *graph, const char *name, const char *text, GError **error)
{
  SluiceEdge edge;
  if (!sluice_graph_parse_edge (graph, name, &edge, error))
    return NULL;
  gboolean is_file = g_str_has_suffix (text, ".npy");
  g_autoptr (SluiceTensor) raw = is_file ? read_npy (text, error) : parse_numbers (text, error);
  SluiceDType dtype = sluice_dtype_base (sluice_edge_dtype (edge));
  gboolean scalar = !is_file && *text != '[';
  if (raw == NULL)
    return NULL;
  if (scalar && raw->n_elements != 1)
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s': several numbers stand in [ ]",
                   text);
      return NULL;
    }
  const SluiceShape *shape = scalar ? &SLUICE_SHAPE_SCALAR : &raw->shape;
  if (raw->dtype == (gint8) dtype)
    return sluice_tensor_new_view (raw, shape, 0);
  if (!sluice_dtype_in (dtype, SLUICE_SET_FLOATS | SLUICE_SET_INDEX | SLUICE_SET (SLUICE_UINT8)
                                   | SLUICE_SET (SLUICE_BOOL)))
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "'%s' is %s, which --feed cannot make",
                   name, sluice_dtype_name (dtype));
      return NULL;
    }
  gint64 n = raw->n_elements;
  g_autofree gint64 *rows = g_new (gint64, n + 1);
  for (gint64 i = 0; i < n; i++)
    rows[i] = i;
  g_autoptr (SluiceTensor) flat = sluice_tensor_new_view (raw, &SLUICE_SHAPE (n), 0);
  g_autoptr (SluiceTensor) cast = sluice_examples_gather (flat, rows, n, dtype, 1);
  if (cast == NULL)
    {
      sluice_fail (error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
                   "no memory for %" G_GINT64_FORMAT " numbers", n);
      return NULL;
    }
  return sluice_tensor_new_view (cast, shape, 0);
}

static gboolean
parse_feeds (SluiceGraph *graph, GArray *parsed, GError **error)
{
  for (guint i = 0; feeds != NULL && feeds[i] != NULL; i++)
    {
      char *equals = strchr (feeds[i], '=');
      if (equals == NULL)
        return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "--feed '%s': must be EDGE=VALUE",
                            feeds[i]);
      *equals = '\0';
      SluiceFeed feed = { feeds[i], make_feed (graph, feeds[i], equals + 1, error) };
      if (feed.tensor == NULL)
        {
          g_prefix_error (error, "--feed %s: ", feeds[i]);
          return FALSE;
        }
      g_array_append_val (parsed, feed);
    }
  return TRUE;
}

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
  if (cli_json)
    cli_print_json (b);
  else
    g_object_unref (b);
  return EXIT_OK;
}

static void
feed_clear (gpointer data)
{
  g_clear_pointer (&((SluiceFeed *) data)->tensor, sluice_tensor_unref);
}

static int
run (char **arguments, GError **error)
{
  if (arguments[0] == NULL || arguments[1] != NULL)
    return cli_usage (error, "give one GRAPH");
  if ((fetches == NULL || fetches[0] == NULL) && (targets == NULL || targets[0] == NULL))
    return cli_usage (error, "say what to run: --fetch EDGE or --target NODE");
  if (n_threads < 0 || n_cpus < 1)
    return cli_usage (error, "--threads must not be negative, --cpus at least 1");
  SluiceSessionOptions session_options = { .n_cpus = n_cpus };
  if (!cli_get_memory_limit (&session_options.memory_limit, error))
    return EXIT_USAGE;
  sluice_pool_set_threads (n_threads);
  g_autoptr (GArray) parsed = g_array_new (FALSE, TRUE, sizeof (SluiceFeed));
  g_array_set_clear_func (parsed, feed_clear);
  g_autoptr (SluiceGraph) graph = sluice_graph_load_file (arguments[0], error);
  g_autoptr (SluiceSession) session =
      graph != NULL ? sluice_session_new (&session_options, error) : NULL;
  if (session == NULL || !sluice_session_extend (session, graph, error)
      || !parse_feeds (graph, parsed, error))
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
  .options = options,
  .run = run,
};
