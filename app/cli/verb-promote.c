/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "app/cli/json.h"
#include "engine/base/error.h"
#include "engine/train/attr-parameter.h"
#include "engine/train/promote.h"

static gboolean back;

static const GOptionEntry options[] = {
  { "back", 0, 0, G_OPTION_ARG_NONE, &back, N_ ("It is to be a setting no more"), NULL },
  G_OPTION_ENTRY_NULL,
};

/* "node", "node:attribute": FALSE where no run may have another value of it. */
static gboolean
check (SluiceGraph *graph, const char *what, GError **error)
{
  g_autofree char *value =
      sluice_parameter_is_attr (what) ? sluice_graph_dup_attr_parameter (graph, what) : NULL;
  const SluiceNode *node = sluice_graph_find (graph, what);
  if (value != NULL || (node != NULL && sluice_node_is_promotable (node)))
    return TRUE;
  if (node == NULL)
    return sluice_fail (error, SLUICE_ERROR_NOT_FOUND,
                        "the graph has no %s that a run could have otherwise; name a constant, or "
                        "an attribute as NODE:ATTRIBUTE",
                        what);
  GString *attrs = g_string_new (NULL);
  for (guint i = 0; i < node->n_attrs; i++)
    if (sluice_attr_is_promotable (node, &node->attrs[i]))
      g_string_append_printf (attrs, "%s%s:%s", attrs->len > 0 ? ", " : "", what,
                              node->attrs[i].name);
  g_autofree char *there = g_string_free (attrs, FALSE);
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "%s is no constant of one number; of it there can be settings: %s", what,
                      *there != '\0' ? there : "none");
}

static void
print_setting (const char *name, const char *what)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "name", name);
  sluice_cli_json_string (b, "target", what);
  sluice_cli_json_end (b);
  if (!sluice_cli_json)
    printf (back ? _ ("%s is no setting any more\n") : _ ("%s is a setting of %s\n"), name, what);
}

static int
promote_verb (char **arguments, GError **error)
{
  guint n = g_strv_length (arguments);
  if (n < 2 || n > (back ? 2 : 3))
    return sluice_cli_usage (error, _ ("give a PROJECT, a NODE or NODE:ATTRIBUTE, and a name"));
  const char *what = arguments[1];
  g_autoptr (SluiceProject) project = sluice_project_load (arguments[0], error);
  if (project == NULL)
    return EXIT_FAILED;
  const SluiceNamedEdge *found = sluice_project_find_promoted (project, what);
  if (back)
    {
      const char *setting = found != NULL ? found->name : what;
      if (!sluice_project_demote (arguments[0], setting, error))
        return EXIT_FAILED;
      print_setting (setting, what);
      return EXIT_OK;
    }
  g_autoptr (SluiceGraph) graph = sluice_project_load_graph (project, error);
  if (graph == NULL || !check (graph, what, error))
    return EXIT_FAILED;
  g_autofree char *name = sluice_project_promote (arguments[0], what, arguments[2], error);
  if (name == NULL)
    return EXIT_FAILED;
  print_setting (name, what);
  return EXIT_OK;
}

const Verb sluice_verb_promote = {
  .name = "promote",
  .arguments = N_ ("PROJECT NODE[:ATTRIBUTE] [NAME]"),
  .summary = N_ ("Make a constant or an attribute a setting of a project's runs"),
  .details =
      N_ ("A constant of one number is fed, and may change at a step of a run; an attribute "
          "(a number, a switch, one of a few words, a list as 1;2;2;1) and a constant of one "
          "dimension (NODE:value) are set before a run begins. It is written to [parameters] of "
          "project.ini, under the NAME, or what the node is called."),
  .json = "{\"name\": \"string\", \"target\": \"string\"}",
  .options = options,
  .run = promote_verb,
};
