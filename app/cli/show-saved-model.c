/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/show-saved-model.h"

#include <glib/gi18n-lib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "engine/graph/savedmodel.h"
#include "engine/train/parameters.h"

/* A list with -1 for what is not known, null where the rank is not. */
static void
add_shape (JsonBuilder *b, const SluiceShape *shape)
{
  json_builder_set_member_name (b, "shape");
  if (shape->rank == SLUICE_UNKNOWN_RANK)
    {
      json_builder_add_null_value (b);
      return;
    }
  json_builder_begin_array (b);
  for (int i = 0; i < shape->rank; i++)
    json_builder_add_int_value (b, shape->dim[i]);
  json_builder_end_array (b);
}

/* "  input     x  float [?,3]" */
static void
print_tensor (const char *what, const char *name, SluiceDType dtype, const SluiceShape *shape)
{
  char text[SLUICE_SHAPE_STR];
  if (!sluice_cli_json)
    printf ("  %-8s %-24s %s %s\n", what, name, sluice_dtype_name (dtype),
            sluice_shape_str (shape, text));
}

static void
show_tensors (JsonBuilder *b, const char *member, const char *what, const GArray *tensors)
{
  json_builder_set_member_name (b, member);
  json_builder_begin_object (b);
  for (guint i = 0; i < tensors->len; i++)
    {
      const SluiceSavedTensor *tensor = &g_array_index (tensors, SluiceSavedTensor, i);
      print_tensor (what, tensor->name, tensor->dtype, &tensor->shape);
      json_builder_set_member_name (b, tensor->name);
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "dtype", sluice_dtype_name (tensor->dtype));
      add_shape (b, &tensor->shape);
      sluice_cli_json_string (b, "edge", tensor->edge);
      json_builder_end_object (b);
    }
  json_builder_end_object (b);
}

static void
show_signatures (JsonBuilder *b, const GPtrArray *signatures)
{
  json_builder_set_member_name (b, "signatures");
  json_builder_begin_object (b);
  for (guint i = 0; i < signatures->len; i++)
    {
      const SluiceSavedSignature *signature = signatures->pdata[i];
      if (!sluice_cli_json)
        printf (_ ("signature  %s\n"), signature->name);
      json_builder_set_member_name (b, signature->name);
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "method", signature->method);
      show_tensors (b, "inputs", _ ("input"), signature->inputs);
      show_tensors (b, "outputs", _ ("output"), signature->outputs);
      json_builder_end_object (b);
    }
  json_builder_end_object (b);
}

static void
show_variables (JsonBuilder *b, const GArray *variables)
{
  if (!sluice_cli_json && variables->len > 0)
    printf (_ ("variables\n"));
  json_builder_set_member_name (b, "variables");
  json_builder_begin_array (b);
  for (guint i = 0; i < variables->len; i++)
    {
      const SluiceParameter *variable = &g_array_index (variables, SluiceParameter, i);
      print_tensor ("", variable->node->name, variable->dtype, &variable->shape);
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "name", variable->node->name);
      sluice_cli_json_string (b, "dtype", sluice_dtype_name (variable->dtype));
      add_shape (b, &variable->shape);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static void
show_strings (JsonBuilder *b, const char *member, const char *heading, char *const *strings)
{
  json_builder_set_member_name (b, member);
  json_builder_begin_array (b);
  for (; strings != NULL && *strings != NULL; strings++)
    {
      if (!sluice_cli_json && heading != NULL)
        printf ("%-10s %s\n", heading, *strings);
      json_builder_add_string_value (b, *strings);
    }
  json_builder_end_array (b);
}

static void
show_functions (JsonBuilder *b, const GPtrArray *functions)
{
  json_builder_set_member_name (b, "functions");
  json_builder_begin_array (b);
  for (guint i = 0; i < functions->len; i++)
    {
      const SluiceSavedFunction *function = functions->pdata[i];
      guint n = g_strv_length (function->traces);
      if (!sluice_cli_json)
        printf (ngettext ("function   %s, %u trace\n", "function   %s, %u traces\n", n),
                function->name, n);
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "name", function->name);
      show_strings (b, "traces", NULL, function->traces);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

/* The tags of each MetaGraph that the SavedModel has. */
static void
show_tags (JsonBuilder *b, const SluiceSavedState *state, const GPtrArray *sets)
{
  g_autofree char *own = g_strjoinv (",", state->tags);
  if (!sluice_cli_json)
    printf (_ ("tags       %s\n"), own);
  show_strings (b, "tags", NULL, state->tags);
  json_builder_set_member_name (b, "meta_graphs");
  json_builder_begin_array (b);
  for (guint i = 0; i < sets->len; i++)
    {
      g_autofree char *tags = g_strjoinv (",", sets->pdata[i]);
      if (!sluice_cli_json && !g_str_equal (tags, own))
        printf (_ ("also       %s\n"), tags);
      json_builder_add_string_value (b, tags);
    }
  json_builder_end_array (b);
}

static void
show_assets (JsonBuilder *b, const SluiceSavedState *state)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new ();
  for (guint i = 0; i < state->assets->len; i++)
    g_ptr_array_add (files, g_array_index (state->assets, SluiceAsset, i).file);
  g_ptr_array_add (files, NULL);
  show_strings (b, "assets", _ ("asset"), (char *const *) files->pdata);
}

gboolean
sluice_cli_show_saved_model (JsonBuilder *b, SluiceGraph *graph, const char *path, GError **error)
{
  g_autoptr (GPtrArray) signatures = sluice_graph_dup_signatures (graph, error);
  g_autoptr (SluiceSavedState) state =
      signatures != NULL ? sluice_graph_dup_saved_state (graph, error) : NULL;
  g_autoptr (GPtrArray) functions =
      state != NULL ? sluice_graph_dup_saved_functions (graph, error) : NULL;
  gboolean is_saved = path != NULL && sluice_saved_model_exists (path);
  if (functions == NULL)
    return FALSE;
  if (!is_saved && signatures->len == 0 && functions->len == 0)
    return TRUE;
  g_autoptr (GPtrArray) sets =
      is_saved ? sluice_saved_model_list_tags (path, error) : g_ptr_array_new ();
  g_autoptr (GArray) variables = sets != NULL ? sluice_graph_dup_parameters (graph, error) : NULL;
  if (variables == NULL)
    return FALSE;
  if (!sluice_cli_json && *state->producer != '\0')
    printf (_ ("written by TensorFlow %s\n"), state->producer);
  sluice_cli_json_string (b, "tensorflow", *state->producer != '\0' ? state->producer : NULL);
  show_tags (b, state, sets);
  show_signatures (b, signatures);
  show_variables (b, variables);
  show_assets (b, state);
  show_functions (b, functions);
  return TRUE;
}
