/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "engine/base/text.h"
#include "engine/command/command.h"
#include "engine/graph/merge.h"

static char *out_path;

static const GOptionEntry options[] = {
  { "out", 0, 0, G_OPTION_ARG_FILENAME, &out_path,
    N_ ("Write the merged graph here, as text where the name ends in .pbtxt or OURS is text"),
    N_ ("FILE") },
  CLI_TAGS_OPTION,
  G_OPTION_ENTRY_NULL,
};

static void
print_conflict (const SluiceMergeConflict *conflict)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "node", conflict->node);
  sluice_cli_json_string (b, "field", conflict->field);
  sluice_cli_json_string (b, "base", conflict->base);
  sluice_cli_json_string (b, "ours", conflict->ours);
  sluice_cli_json_string (b, "theirs", conflict->theirs);
  sluice_cli_json_end (b);
  if (sluice_cli_json)
    return;
  g_autofree char *line = sluice_merge_conflict_dup_words (conflict);
  g_autofree char *safe = sluice_text_escape (line);
  puts (safe);
}

/* git gives its files names of its own. */
static gboolean
is_text (const char *path)
{
  g_autofree char *data = NULL;
  gsize length = 0;
  return g_file_get_contents (path, &data, &length, NULL) && sluice_command_is_text (data, length);
}

static int
merge (char **arguments, GError **error)
{
  if (g_strv_length (arguments) != 3)
    return sluice_cli_usage (error, _ ("give three graphs: BASE, OURS and THEIRS"));
  if (out_path == NULL)
    return sluice_cli_usage (error, _ ("give --out, the file that the graph is written to"));
  g_autoptr (SluiceGraph) base = sluice_cli_load_graph (arguments[0], error);
  g_autoptr (SluiceGraph) ours = base != NULL ? sluice_cli_load_graph (arguments[1], error) : NULL;
  g_autoptr (SluiceGraph) theirs =
      ours != NULL ? sluice_cli_load_graph (arguments[2], error) : NULL;
  g_autoptr (GPtrArray) conflicts = NULL;
  if (theirs == NULL || !sluice_graph_merge (base, ours, theirs, &conflicts, error)
      || !sluice_command_write_as (
          ours, out_path, sluice_command_is_text_name (out_path) || is_text (arguments[1]), error))
    return EXIT_FAILED;
  for (guint i = 0; i < conflicts->len; i++)
    print_conflict (conflicts->pdata[i]);
  return conflicts->len == 0 ? EXIT_OK : EXIT_FAILED;
}

const Verb sluice_verb_merge = {
  .name = "merge",
  .arguments = N_ ("BASE OURS THEIRS"),
  .summary = N_ ("Merge what two people made of one graph"),
  .details =
      N_ ("Does to OURS what was done to BASE to make THEIRS of it, node by node: names, inputs, "
          "attributes, devices. The order of nodes is no difference. What both changed, each in "
          "another way, is a conflict: it is printed, OURS stands there, and the exit status is 1. "
          "As git's merge driver: git config merge.sluice.driver \"sluice merge %O %A %B --out "
          "%A\", and \"*.pbtxt merge=sluice\" in .gitattributes."),
  .json = "{\"node\": \"string\", \"field\": \"string\", \"base\": \"string|null\", "
          "\"ours\": \"string|null\", \"theirs\": \"string|null\"}",
  .options = options,
  .run = merge,
};
