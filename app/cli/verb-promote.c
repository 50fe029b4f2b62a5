/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stdio.h>

#include "app/cli/cli.h"
#include "app/cli/json.h"
#include "engine/base/error.h"
#include "engine/train/attr-parameter.h"
#include "engine/train/promote.h"

static gboolean back;
static char *unit, *low, *high, *help_text;

static const GOptionEntry options[] = {
  { "back", 0, 0, G_OPTION_ARG_NONE, &back, N_ ("It is to be a setting no more"), NULL },
  { "unit", 0, 0, G_OPTION_ARG_STRING, &unit, N_ ("Unit of its values, for who reads the form"),
    N_ ("UNIT") },
  { "low", 0, 0, G_OPTION_ARG_STRING, &low, N_ ("Its least value; less is refused"),
    N_ ("NUMBER") },
  { "high", 0, 0, G_OPTION_ARG_STRING, &high, N_ ("Its greatest value; more is refused"),
    N_ ("NUMBER") },
  { "help-text", 0, 0, G_OPTION_ARG_STRING, &help_text, N_ ("What it does, in a line of the form"),
    N_ ("TEXT") },
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

static gboolean
parse_end (const char *option, const char *text, double *value, GError **error)
{
  char *end = NULL;
  if (text == NULL)
    return TRUE;
  *value = *text != '\0' ? g_ascii_strtod (text, &end) : NAN; /* empty: there is none */
  return *text == '\0' || (*end == '\0' && isfinite (*value))
         || sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT, "%s %s: must be a number", option,
                         text);
}

/* An option that is not given leaves what was said; an empty one takes it out. */
static void
replace_text (char **text, const char *given)
{
  if (given == NULL)
    return;
  g_free (*text);
  *text = *given != '\0' ? g_strdup (given) : NULL;
}

/* What is said of it from now on: (transfer full) (nullable): with error, that is wrong; without,
 * as it was. */
static SluiceParameterNote *
new_note (const SluiceProject *project, const SluiceNamedEdge *found, GError **error)
{
  if (unit == NULL && low == NULL && high == NULL && help_text == NULL)
    return NULL;
  const SluiceParameterNote *old =
      found != NULL ? g_hash_table_lookup (project->notes, found->name) : NULL;
  g_autoptr (SluiceParameterNote) note = g_new (SluiceParameterNote, 1);
  *note = old != NULL ? (SluiceParameterNote){ g_strdup (old->unit), g_strdup (old->help), old->low,
                                               old->high }
                      : (SluiceParameterNote){ .low = NAN, .high = NAN };
  replace_text (&note->unit, unit);
  replace_text (&note->help, help_text);
  return parse_end ("--low", low, &note->low, error)
                 && parse_end ("--high", high, &note->high, error)
             ? g_steal_pointer (&note)
             : NULL;
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
  g_autoptr (GError) wrong = NULL;
  g_autoptr (SluiceParameterNote) note = new_note (project, found, &wrong);
  if (wrong != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&wrong));
      return EXIT_FAILED;
    }
  g_autofree char *name = sluice_project_promote (arguments[0], what, arguments[2], note, error);
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
          "project.ini, under the NAME, or what the node is called. Unit, range and help are shown "
          "in the form; an option that is given empty takes what was said out."),
  .json = "{\"name\": \"string\", \"target\": \"string\"}",
  .options = options,
  .run = promote_verb,
};
