/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "engine/base/text.h"
#include "engine/graph/diff.h"

static const GOptionEntry options[] = {
  CLI_TAGS_OPTION,
  G_OPTION_ENTRY_NULL,
};

static const char *
get_name (const SluiceNodeDiff *diff)
{
  return diff->function != NULL ? diff->function
         : diff->is != NULL     ? diff->is->name
                                : diff->was->name;
}

static void
print_json (const SluiceNodeDiff *diff)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "kind", sluice_diff_kind_name (diff->kind));
  sluice_cli_json_string (b, diff->function != NULL ? "function" : "node", get_name (diff));
  sluice_cli_json_string (b, "was", diff->kind == SLUICE_DIFF_RENAMED ? diff->was->name : NULL);
  json_builder_set_member_name (b, "what");
  json_builder_begin_array (b);
  for (guint i = 0; i < diff->fields->len; i++)
    {
      const SluiceFieldDiff *field = &g_array_index (diff->fields, SluiceFieldDiff, i);
      json_builder_begin_object (b);
      sluice_cli_json_string (b, "field", field->field);
      sluice_cli_json_string (b, "from", field->from);
      sluice_cli_json_string (b, "to", field->to);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  sluice_cli_json_end (b);
}

static void
print_text (const SluiceNodeDiff *diff)
{
  g_autoptr (GString) line = g_string_new (NULL);
  if (diff->function != NULL)
    g_string_append_printf (line, _ ("function %s"), diff->function);
  else if (diff->kind == SLUICE_DIFF_RENAMED)
    g_string_append_printf (line, "%s → %s", diff->was->name, diff->is->name);
  else
    g_string_append_printf (line, "%s (%s)", get_name (diff),
                            (diff->is != NULL ? diff->is : diff->was)->op_name);
  for (guint i = 0; i < diff->fields->len; i++)
    {
      const SluiceFieldDiff *field = &g_array_index (diff->fields, SluiceFieldDiff, i);
      g_string_append_printf (line, "%s %s: %s → %s", i > 0 ? ";" : ",", field->field,
                              field->from != NULL ? field->from : "–",
                              field->to != NULL ? field->to : "–");
    }
  g_autofree char *safe = sluice_text_escape (line->str);
  printf ("%-8s %s\n", _ (sluice_diff_kind_name (diff->kind)), safe);
}

static int
diff (char **arguments, GError **error)
{
  if (g_strv_length (arguments) != 2)
    return sluice_cli_usage (error, _ ("give two graphs"));
  g_autoptr (SluiceGraph) from = sluice_cli_load_graph (arguments[0], error);
  g_autoptr (SluiceGraph) to = from != NULL ? sluice_cli_load_graph (arguments[1], error) : NULL;
  if (to == NULL)
    return EXIT_FAILED;
  g_autoptr (GPtrArray) diffs = sluice_graph_diff (from, to);
  for (guint i = 0; i < diffs->len; i++)
    if (sluice_cli_json)
      print_json (diffs->pdata[i]);
    else
      print_text (diffs->pdata[i]);
  if (diffs->len == 0 && !sluice_cli_json)
    puts (_ ("No node is different."));
  return EXIT_OK;
}

const Verb sluice_verb_diff = {
  .name = "diff",
  .arguments = N_ ("A B"),
  .summary = N_ ("Tell what is different between two graphs, node by node"),
  .details = N_ ("A and B are projects, SavedModels or graph files. A line a node that was added, "
                 "removed, changed or renamed, with what is different about it. The order of nodes "
                 "and of attributes is no difference. Nothing is printed as JSON where nothing is "
                 "different; the exit status is 0 either way."),
  .json =
      "{\"kind\": \"string\", \"node?\": \"string\", \"function?\": \"string\", "
      "\"was\": \"string|null\", "
      "\"what\": [{\"field\": \"string\", \"from\": \"string|null\", \"to\": \"string|null\"}]}",
  .options = options,
  .run = diff,
};
