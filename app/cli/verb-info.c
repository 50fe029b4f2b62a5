/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "app/cli/show-checkpoint.h"
#include "app/cli/show-parameters.h"
#include "app/cli/show-saved-model.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/device/plugin.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/savedmodel.h"
#include "engine/store/checkpoint-file.h"
#include "engine/store/store.h"
#include "kernels/linalg/library.h"

static char *workspace;
static gboolean parameters;

static const GOptionEntry options[] = {
  { "workspace", 0, 0, G_OPTION_ARG_FILENAME, &workspace, N_ ("List the runs of this folder"),
    N_ ("DIR") },
  { "parameters", 0, 0, G_OPTION_ARG_NONE, &parameters,
    N_ ("Of a graph: count its variables, and name broadcasts that look like mistakes"), NULL },
  CLI_TAGS_OPTION,
  G_OPTION_ENTRY_NULL,
};

/* ---- the program ---- */

/* b: of JSON, or NULL */
static void
show_device (JsonBuilder *b, const char *name, const char *description)
{
  if (b == NULL)
    {
      printf ("%-10s %s\n", name, description);
      return;
    }
  json_builder_begin_object (b);
  sluice_cli_json_string (b, "device", name);
  sluice_cli_json_string (b, "description", description);
  json_builder_end_object (b);
}

/* What modules bring, beside the program or told: each device, then what is there or missing for
 * all of its type. */
static void
show_device_kinds (JsonBuilder *b)
{
  g_autoptr (GError) error = NULL;
  guint n;
  if (!sluice_plugin_load_device ("CUDA", &error))
    show_device (b, "CUDA", error->message);
  const SluiceDeviceKind *const *kinds = sluice_device_list_kinds (&n);
  for (guint i = 0; i < n; i++)
    {
      const char *type = kinds[i]->klass->type;
      for (guint k = 0; k < sluice_device_kind_count_listed (kinds[i]); k++)
        {
          g_autofree char *name = g_strdup_printf ("%s:%u", type, k);
          g_autofree char *description = kinds[i]->describe (k);
          show_device (b, name, description);
        }
      g_autofree char *rest =
          kinds[i]->is_simulated ? NULL : kinds[i]->describe (kinds[i]->count ());
      if (rest != NULL)
        show_device (b, type, rest);
    }
}

static int
show_program (void)
{
  guint n_ops;
  sluice_registry_list (&n_ops);
  g_autofree char *libraries = sluice_libraries_dup_description ();
  if (!sluice_cli_json)
    {
      printf (_ ("Sluice %s\n"), SLUICE_VERSION);
      printf (_ ("threads    %u of %u cores\n"), sluice_pool_get_threads (),
              g_get_num_processors ());
      printf (_ ("libraries  %s\n"), libraries);
      printf (_ ("ops        %u\n"), n_ops);
      printf (_ ("devices    CPU, NULL\n"));
      show_device_kinds (NULL);
      return EXIT_OK;
    }
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "version", SLUICE_VERSION);
  sluice_cli_json_int (b, "threads", sluice_pool_get_threads ());
  sluice_cli_json_int (b, "cores", g_get_num_processors ());
  sluice_cli_json_string (b, "libraries", libraries);
  sluice_cli_json_int (b, "ops", n_ops);
  json_builder_set_member_name (b, "devices");
  json_builder_begin_array (b);
  show_device (b, "CPU", libraries);
  show_device_kinds (b);
  json_builder_end_array (b);
  sluice_cli_json_end (b);
  return EXIT_OK;
}

/* ---- a workspace ---- */

static void
add_series (JsonBuilder *b, SluiceStore *store, const SluiceRunInfo *run)
{
  g_autoptr (GPtrArray) series = sluice_store_dup_series (store, run->id, NULL);
  json_builder_set_member_name (b, "series");
  json_builder_begin_array (b);
  for (guint i = 0; series != NULL && i < series->len; i++)
    {
      SluiceSeriesInfo *info = series->pdata[i];
      const SluiceKind *kind = sluice_kind_get ((int) info->kind);
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "tag", info->tag);
      sluice_cli_json_string (b, "kind", kind != NULL ? sluice_kind_get_name (kind) : NULL);
      sluice_cli_json_int (b, "points", info->n_points);
      sluice_cli_json_int (b, "first_step", info->first_step);
      sluice_cli_json_int (b, "last_step", info->last_step);
      if (info->kind == SLUICE_SERIES_SCALAR)
        sluice_cli_json_double (b, "last_value", info->last_value);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static int
show_workspace (GError **error)
{
  g_autoptr (SluiceStore) store = sluice_cli_open_to_read (workspace, error);
  g_autoptr (GPtrArray) runs = store != NULL ? sluice_store_dup_runs (store, error) : NULL;
  if (runs == NULL)
    return EXIT_FAILED;
  sluice_cli_tell_lost_runs (store);
  for (guint i = 0; i < runs->len; i++)
    {
      SluiceRunInfo *run = runs->pdata[i];
      g_autofree char *name = sluice_text_escape (run->name);
      g_autofree char *message = sluice_text_escape (run->message != NULL ? run->message : "");
      if (!sluice_cli_json)
        printf ("%-24s %-10s %s %" G_GINT64_FORMAT "/%" G_GINT64_FORMAT "%s%s\n", name,
                _ (sluice_run_state_name (run->state)), _ ("step"), run->step, run->n_steps,
                *message != '\0' ? "  " : "", message);
      JsonBuilder *b = sluice_cli_json_begin ();
      sluice_cli_json_int (b, "id", run->id);
      sluice_cli_json_string (b, "name", run->name);
      sluice_cli_json_string (b, "project", run->project);
      sluice_cli_json_string (b, "state", sluice_run_state_name (run->state));
      sluice_cli_json_int (b, "step", run->step);
      sluice_cli_json_int (b, "steps", run->n_steps);
      sluice_cli_json_double (b, "seconds", run->seconds);
      sluice_cli_json_string (b, "message", run->message);
      add_series (b, store, run);
      sluice_cli_json_end (b);
    }
  if (!sluice_cli_json && runs->len == 0)
    printf (_ ("No runs in '%s' yet.\n"), workspace);
  return EXIT_OK;
}

/* ---- a graph ---- */

static int
show_graph (const char *path, GError **error)
{
  g_autoptr (SluiceGraph) graph = sluice_cli_load_graph (path, error);
  if (graph == NULL)
    return EXIT_FAILED;
  guint n = sluice_graph_get_n_nodes (graph), n_edges = 0, n_errors = 0;
  double elements = 0;
  g_autoptr (GHashTable) ops = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < n; i++)
    {
      const SluiceNode *node = sluice_graph_get_node (graph, i);
      SluiceRole role = sluice_node_get_role (node);
      n_edges += node->n_inputs + node->n_control_inputs;
      n_errors += node->error != NULL;
      g_hash_table_add (ops, (gpointer) node->op_name);
      if (role == SLUICE_ROLE_VARIABLE)
        elements += MAX (sluice_shape_n_elements (&node->outputs[0].shape), 0);
      else if (role == SLUICE_ROLE_RESOURCE_HANDLE)
        elements += MAX (sluice_shape_n_elements (&node->outputs[0].handle_shape), 0);
    }
  g_autofree char *hash = sluice_graph_dup_hash (graph, error);
  if (hash == NULL)
    return EXIT_FAILED;
  if (!sluice_cli_json)
    {
      printf (_ ("nodes      %u, of %u kinds\n"), n, g_hash_table_size (ops));
      printf (_ ("edges      %u\n"), n_edges);
      printf (_ ("variables  %.0f elements\n"), elements);
      printf (_ ("producer   %d\n"), sluice_graph_get_producer (graph));
      printf (_ ("errors     %u\n"), n_errors);
      printf (_ ("hash       %s\n"), hash);
    }
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_int (b, "nodes", n);
  sluice_cli_json_int (b, "kinds", g_hash_table_size (ops));
  sluice_cli_json_int (b, "edges", n_edges);
  sluice_cli_json_double (b, "variable_elements", elements);
  sluice_cli_json_int (b, "producer", sluice_graph_get_producer (graph));
  sluice_cli_json_int (b, "errors", n_errors);
  sluice_cli_json_string (b, "hash", hash);
  gboolean ok = sluice_cli_show_saved_model (b, graph, path, error);
  if (ok)
    sluice_cli_json_end (b);
  else
    g_object_unref (b);
  return ok ? EXIT_OK : EXIT_FAILED;
}

static int
info (char **arguments, GError **error)
{
  if (arguments[0] != NULL && (arguments[1] != NULL || workspace != NULL))
    return sluice_cli_usage (error,
                             _ ("give one GRAPH or CHECKPOINT, or --workspace DIR, or nothing"));
  if (parameters && workspace != NULL)
    return sluice_cli_usage (error, _ ("--parameters is of a graph, --workspace lists runs"));
  if (parameters)
    {
      if (arguments[0] == NULL)
        return sluice_cli_usage (error, _ ("--parameters wants one PROJECT or GRAPH"));
      g_autoptr (SluiceGraph) graph = sluice_cli_load_graph (arguments[0], error);
      return graph != NULL ? sluice_cli_show_parameters (graph, error) : EXIT_FAILED;
    }
  if (arguments[0] != NULL && !sluice_saved_model_exists (arguments[0])
      && sluice_checkpoint_file_exists (arguments[0]))
    return sluice_cli_show_checkpoint (arguments[0], error);
  if (arguments[0] != NULL)
    return show_graph (arguments[0], error);
  return workspace != NULL ? show_workspace (error) : show_program ();
}

const Verb sluice_verb_info = {
  .name = "info",
  .arguments = N_ ("[PROJECT | GRAPH | SAVEDMODEL | CHECKPOINT]"),
  .summary = N_ ("Tell about this program, a graph, a checkpoint, or the runs of a workspace"),
  .details = N_ ("Of a SavedModel also its signatures, variables, assets and functions. "
                 "--parameters groups variables by what becomes of them (trained, state of "
                 "optimizers, other) and by scope. It names nodes that repeat both operands, such "
                 "as [n,1] and [n], which make [n,n], where one of them is a variable, a variable "
                 "begins with the result, or the operands differ in rank."),
  .json = "{\"version\": \"string\", \"threads\": \"int\", \"cores\": \"int\", "
          "\"libraries\": \"string\", \"ops\": \"int\", \"devices\": [{\"device\": \"string\", "
          "\"description\": \"string\"}]}\n"
          "{\"nodes\": \"int\", \"kinds\": \"int\", \"edges\": \"int\", "
          "\"variable_elements\": \"number\", \"producer\": \"int\", \"errors\": \"int\", "
          "\"hash\": \"string\", " CLI_SAVED_MODEL_JSON "}\n"
          "{\"format\": \"string\", \"tensors\": [{\"name\": \"string\", \"dtype\": \"string\", "
          "\"shape\": [\"int\"], \"slices\": \"int\"}], \"elements\": \"int\"}\n"
          "{\"id\": \"int\", \"name\": \"string\", \"project\": \"string|null\", "
          "\"state\": \"string\", \"step\": \"int\", \"steps\": \"int\", \"seconds\": \"number\", "
          "\"message\": \"string|null\", \"series\": [{\"tag\": \"string\", "
          "\"kind\": \"string|null\", \"points\": \"int\", "
          "\"first_step\": \"int\", \"last_step\": \"int\", \"last_value?\": \"number\"}]}\n"
          "{\"variables\": [{\"name\": \"string\", \"scope\": \"string\", \"kind\": \"string\", "
          "\"dtype\": \"string\", \"shape\": [\"int\"], \"variables\": \"int\", "
          "\"unknown\": \"int\", \"elements\": \"number\", \"bytes\": \"number\"}], "
          "\"scopes\": [{\"kind\": \"string\", \"scope\": \"string\", \"variables\": \"int\", "
          "\"unknown\": \"int\", \"elements\": \"number\", \"bytes\": \"number\"}], "
          "\"kinds\": [{\"kind\": \"string\", \"variables\": \"int\", \"unknown\": \"int\", "
          "\"elements\": \"number\", \"bytes\": \"number\"}], "
          "\"broadcasts\": [{\"node\": \"string\", \"op\": \"string\", "
          "\"variable\": \"string|null\", \"initial_value\": \"bool\", \"first\": [\"int\"], "
          "\"second\": [\"int\"], \"result\": [\"int\"]}]}",
  .options = options,
  .run = info,
};
