/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/cli.h"
#include "engine/base/error.h"
#include "engine/base/read-file.h"
#include "engine/base/text.h"
#include "engine/command/journal.h"
#include "engine/graph/graphdef.h"
#include "engine/command/template.h"

/* Of a script; a longer one is a program's mistake. */
#define MAX_SCRIPT_BYTES (256 * 1024 * 1024)

static gboolean is_new, keep_going, list_commands, list_layers;
static char *script_path, *journal_path, *out_path;

static const GOptionEntry options[] = {
  { "new", 0, 0, G_OPTION_ARG_NONE, &is_new, N_ ("Begin with an empty graph"), NULL },
  { "script", 0, 0, G_OPTION_ARG_FILENAME, &script_path,
    N_ ("Read the commands from this file; - or nothing: from standard input"), N_ ("FILE") },
  { "journal", 0, 0, G_OPTION_ARG_FILENAME, &journal_path,
    N_ ("Do again what a window's journal tells, to the copy of the graph that lies beside it"),
    N_ ("FILE") },
  { "out", 0, 0, G_OPTION_ARG_FILENAME, &out_path,
    N_ ("Write the graph here, as text where the name ends in .pbtxt"), N_ ("FILE") },
  { "keep-going", 0, 0, G_OPTION_ARG_NONE, &keep_going,
    N_ ("Go on behind a command that fails; the exit status is 1 all the same"), NULL },
  { "commands", 0, 0, G_OPTION_ARG_NONE, &list_commands, N_ ("List the commands"), NULL },
  { "layers", 0, 0, G_OPTION_ARG_NONE, &list_layers,
    N_ ("List the kinds of layers, by family, with their parameters"), NULL },
  CLI_TAGS_OPTION,
  G_OPTION_ENTRY_NULL,
};

static int
print_commands (void)
{
  for (guint i = 0; i < sluice_n_commands; i++)
    {
      const SluiceEditCommand *command = &sluice_commands[i];
      if (!sluice_cli_json)
        {
          printf ("%s %s\n    %s.\n", command->name, command->arguments, _ (command->summary));
          continue;
        }
      JsonBuilder *b = sluice_cli_json_begin ();
      sluice_cli_json_string (b, "command", command->name);
      sluice_cli_json_string (b, "arguments", command->arguments);
      sluice_cli_json_string (b, "summary", _ (command->summary));
      sluice_cli_json_end (b);
    }
  return EXIT_OK;
}

static void
add_parameter (JsonBuilder *b, const SluiceTemplateParameter *parameter)
{
  json_builder_begin_object (b);
  sluice_cli_json_string (b, "name", parameter->name);
  sluice_cli_json_string (b, "kind", parameter->words);
  sluice_cli_json_string (b, "default", parameter->value);
  sluice_cli_json_string (b, "help", _ (parameter->help));
  json_builder_end_object (b);
  if (sluice_cli_json)
    return;
  gboolean has_default = parameter->value != NULL && *parameter->value != '\0';
  printf ("    %s=%s  %s%s%s%s\n", parameter->name, parameter->words, _ (parameter->help),
          has_default ? " [" : "", has_default ? parameter->value : "", has_default ? "]" : "");
}

static void
print_layer (const SluiceTemplate *layer)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  sluice_cli_json_string (b, "layer", layer->name);
  sluice_cli_json_string (b, "family", layer->family);
  sluice_cli_json_string (b, "summary", _ (layer->summary));
  json_builder_set_member_name (b, "parameters");
  json_builder_begin_array (b);
  if (!sluice_cli_json)
    printf ("%s\n    %s.\n", layer->name, _ (layer->summary));
  for (guint i = 0; i < layer->parameters->len; i++)
    add_parameter (b, &g_array_index (layer->parameters, SluiceTemplateParameter, i));
  json_builder_end_array (b);
  sluice_cli_json_end (b);
}

static int
print_layers (void)
{
  for (guint i = 0; i < sluice_template_n_families; i++)
    {
      const SluiceTemplateFamily *family = &sluice_template_families[i];
      if (family->title == NULL)
        continue;
      g_autoptr (GPtrArray) layers = sluice_template_list (family->name);
      if (!sluice_cli_json)
        printf ("%s%s\n\n", i > 0 ? "\n" : "", _ (family->title));
      for (guint k = 0; k < layers->len; k++)
        print_layer (layers->pdata[k]);
    }
  return EXIT_OK;
}

static void
print_safe (FILE *out, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_autofree char *safe = sluice_text_escape (lines[i]);
      if (*safe != '\0')
        fprintf (out, "%s\n", safe);
    }
}

static void
report (guint line, const char *text, const char *said, const GError *error, gpointer user_data)
{
  JsonBuilder *b = sluice_cli_json_begin ();
  g_auto (GStrv) lines = g_strsplit (said, "\n", -1);
  guint n = g_strv_length (lines);
  if (n > 0)
    g_clear_pointer (&lines[n - 1], g_free); /* behind the last newline */
  sluice_cli_json_int (b, "line", line);
  sluice_cli_json_string (b, "command", text);
  sluice_cli_json_bool (b, "done", error == NULL);
  sluice_cli_json_string (b, "error", error != NULL ? error->message : NULL);
  sluice_cli_json_strings (b, "said", (const char *const *) lines);
  sluice_cli_json_end (b);
  if (!sluice_cli_json)
    print_safe (stdout, said);
  if (error != NULL && keep_going)
    print_safe (stderr, error->message);
}

/* (transfer full) (nullable) */
static char *
read_script (GError **error)
{
  gboolean is_input = script_path == NULL || g_str_equal (script_path, "-");
  g_autoptr (GBytes) bytes = NULL;
  if (is_input)
    {
      g_autoptr (GByteArray) all = g_byte_array_new ();
      guint8 buffer[65536];
      for (gsize n;
           all->len <= MAX_SCRIPT_BYTES && (n = fread (buffer, 1, sizeof buffer, stdin)) > 0;)
        g_byte_array_append (all, buffer, (guint) n);
      bytes = g_byte_array_free_to_bytes (g_steal_pointer (&all));
    }
  else
    bytes = sluice_read_file ("script", script_path, SLUICE_READ_PLAIN, MAX_SCRIPT_BYTES, error);
  if (bytes == NULL)
    return NULL;
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  if (length > 0 && (memchr (data, '\0', length) != NULL || length > MAX_SCRIPT_BYTES))
    {
      sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                   _ ("the script is no text, or has over %d bytes"), MAX_SCRIPT_BYTES);
      return NULL;
    }
  return g_strndup (length > 0 ? data : "", length);
}

static SluiceCommandStack *
load_base (SluiceJournal *journal, GError **error)
{
  g_autoptr (GBytes) bytes = sluice_journal_dup_base (journal, NULL, error);
  g_autoptr (SluiceGraph) graph = sluice_graph_new ();
  if (bytes == NULL || !sluice_graph_import (graph, bytes, error))
    return NULL;
  SluiceCommandStack *stack = sluice_command_stack_new (graph);
  sluice_command_stack_take_file (stack, bytes);
  return stack;
}

static int
replay (GError **error)
{
  g_autoptr (SluiceJournal) journal = sluice_journal_open_read_only (journal_path, error);
  g_autoptr (SluiceCommandStack) stack = journal != NULL ? load_base (journal, error) : NULL;
  return stack != NULL && sluice_journal_replay (journal, stack, NULL, NULL, error)
                 && sluice_command_stack_write (stack, out_path, error)
             ? EXIT_OK
             : EXIT_FAILED;
}

static int
edit (char **arguments, GError **error)
{
  if (list_commands)
    return print_commands ();
  if (list_layers)
    return print_layers ();
  if (journal_path != NULL && (is_new || script_path != NULL || arguments[0] != NULL))
    return sluice_cli_usage (error, _ ("--journal has its own graph and commands: give only --out "
                                       "beside it"));
  if (journal_path == NULL && g_strv_length (arguments) != (is_new ? 0 : 1))
    return sluice_cli_usage (error, _ ("give a graph, or --new"));
  if (out_path == NULL)
    return sluice_cli_usage (error, _ ("give --out, the file that the graph is written to"));
  if (journal_path != NULL)
    return replay (error);
  g_autoptr (SluiceGraph) graph =
      is_new ? sluice_graph_new () : sluice_cli_load_graph (arguments[0], error);
  g_autofree char *script = graph != NULL ? read_script (error) : NULL;
  if (script == NULL)
    return EXIT_FAILED;
  g_autoptr (SluiceCommandStack) stack = sluice_command_stack_new (graph);
  g_autoptr (GBytes) file =
      is_new ? NULL : sluice_read_file ("graph", arguments[0], SLUICE_READ_PLAIN, G_MAXINT32, NULL);
  if (file != NULL)
    sluice_command_stack_take_file (stack, file);
  gboolean ok = sluice_command_stack_run (stack, script, keep_going, report, NULL, error);
  if (!ok && !keep_going)
    return EXIT_FAILED;
  if (keep_going)
    g_clear_error (error); /* told already */
  return sluice_command_stack_write (stack, out_path, error) && ok ? EXIT_OK : EXIT_FAILED;
}

const Verb sluice_verb_edit = {
  .name = "edit",
  .arguments = N_ ("GRAPH|--new"),
  .summary = N_ ("Edit a graph by a script of commands"),
  .details =
      N_ ("A line is a command; what stands behind '#' is a comment, values are in TensorFlow's "
          "text form. A command is done whole or not at all. One that fails says its line, what "
          "is wrong and what would be right, and ends the script; nothing is written then. "
          "--commands lists the commands, the manual's page \"edit\" explains them."),
  .json =
      "{\"line\": \"int\", \"command\": \"string\", \"done\": \"bool\", "
      "\"error\": \"string|null\", \"said\": [\"string\"]}\n"
      "{\"command\": \"string\", \"arguments\": \"string\", \"summary\": \"string\"}\n"
      "{\"layer\": \"string\", \"family\": \"string\", \"summary\": \"string\", "
      "\"parameters\": [{\"name\": \"string\", \"kind\": \"string\", \"default\": \"string|null\", "
      "\"help\": \"string\"}]}",
  .options = options,
  .run = edit,
};
