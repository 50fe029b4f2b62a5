/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/cli.h"

#include <glib/gi18n-lib.h>
#include <json-glib/json-glib.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/run-options.h"
#include "engine/base/error.h"
#include "engine/device/plugin.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/savedmodel.h"
#include "engine/passes/passes.h"
#include "engine/store/store.h"
#include "engine/train/project.h"
#include "engine/train/saved-state.h"
#include "kernels/registry.h"

static const Verb *const verbs[] = {
  &verb_train,   &verb_check, &verb_draw,    &verb_run,         &verb_compare, &verb_place,
  &verb_trace,   &verb_info,  &verb_log,     &verb_sql,         &verb_export,  &verb_ops,
  &verb_convert, &verb_bench, &verb_reindex, &verb_checkpoints,
};

gboolean cli_json;
char *cli_tags;
static char **plugins;

static const GOptionEntry common_options[] = {
  { "json", 0, 0, G_OPTION_ARG_NONE, &cli_json, N_ ("Print JSON instead of text"), NULL },
  { "load", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &plugins,
    N_ ("Load ops from a shared object; may be given several times"), N_ ("FILE") },
  G_OPTION_ENTRY_NULL,
};

int
cli_usage (GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT, text);
  return EXIT_USAGE;
}

static void
print_json (JsonBuilder *take, gboolean pretty)
{
  g_autoptr (JsonBuilder) builder = take;
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_autofree char *text = json_to_string (root, pretty);
  puts (text);
}

void
cli_print_json (JsonBuilder *take)
{
  print_json (take, TRUE);
}

void
cli_print_json_line (JsonBuilder *take)
{
  print_json (take, FALSE);
}

void
cli_end_json (JsonBuilder *take)
{
  if (cli_json)
    cli_print_json (take);
  else
    g_object_unref (take);
}

void
cli_json_string (JsonBuilder *b, const char *name, const char *value)
{
  json_builder_set_member_name (b, name);
  if (value != NULL)
    json_builder_add_string_value (b, value);
  else
    json_builder_add_null_value (b);
}

void
cli_json_int (JsonBuilder *b, const char *name, gint64 value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_int_value (b, value);
}

void
cli_json_double (JsonBuilder *b, const char *name, double value)
{
  json_builder_set_member_name (b, name);
  if (isfinite (value))
    json_builder_add_double_value (b, value);
  else
    json_builder_add_string_value (b, isnan (value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
}

void
cli_json_bool (JsonBuilder *b, const char *name, gboolean value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_boolean_value (b, value);
}

SluiceGraph *
cli_load_graph (const char *path, GError **error)
{
  g_auto (GStrv) tags = cli_tags != NULL ? g_strsplit (cli_tags, ",", -1) : NULL;
  if (!sluice_project_is_folder (path))
    return sluice_graph_load_tagged (path, (const char *const *) tags, error);
  g_autoptr (SluiceProject) project = sluice_project_load (path, error);
  return project != NULL ? sluice_project_load_graph (project, error) : NULL;
}

gboolean
cli_restore_saved_model (SluiceSession *session,
                         SluiceGraph *graph,
                         const char *path,
                         GError **error)
{
  if (sluice_project_is_folder (path) || !sluice_saved_model_exists (path))
    return TRUE;
  g_autofree char *folder = sluice_saved_model_dup_folder (path);
  return sluice_saved_model_restore (session, graph, folder, error);
}

/* ---- help, and the man page from the same table ---- */

static void
print_overview (FILE *out)
{
  fprintf (out, "%s\n\n", _ ("usage: sluice VERB [OPTION…] [ARGUMENT…]"));
  for (guint i = 0; i < G_N_ELEMENTS (verbs); i++)
    fprintf (out, "  %-11s %s\n", verbs[i]->name, _ (verbs[i]->summary));
  fprintf (out, "\n%s\n",
           _ ("Every verb has --help and --json. Exit status: 0 well, 1 failed, 2 a wrong command "
              "line."));
}

/* roff takes '-' for a hyphen and a leading '.' or ' for a request. */
static void
print_roff (const char *text)
{
  if (*text == '.' || *text == '\'')
    fputs ("\\&", stdout);
  for (; *text != '\0'; text++)
    if (*text == '-' || *text == '\\')
      printf ("\\%c", *text);
    else
      putchar (*text);
}

static void
print_man_options (const GOptionEntry *options)
{
  for (; options != NULL && options->long_name != NULL; options++)
    {
      g_autofree char *flag =
          options->arg_description != NULL
              ? g_strdup_printf ("--%s=%s", options->long_name, options->arg_description)
              : g_strdup_printf ("--%s", options->long_name);
      fputs (".TP\n.B ", stdout);
      print_roff (flag);
      putchar ('\n');
      print_roff (options->description);
      putchar ('\n');
    }
}

static void
print_man_ops (void)
{
  guint n;
  sluice_registry_init (sluice_kernel_modules ());
  const SluiceOp *const *all = sluice_registry_list (&n);
  puts (".SH OPS\n\"sluice ops NAME\" tells all about one; its page is in share/sluice/help/ops.");
  for (guint i = 0; i < n; i++)
    {
      fputs (".TP\n.B ", stdout);
      print_roff (all[i]->name);
      putchar ('\n');
      print_roff (all[i]->def->summary);
      putchar ('\n');
    }
}

static int
print_man (void)
{
  puts (".TH SLUICE 1\n.SH NAME\nsluice \\- train and look into dataflow graphs\n.SH SYNOPSIS\n"
        ".B sluice\nVERB [OPTION...] [ARGUMENT...]\n.SH VERBS");
  for (guint i = 0; i < G_N_ELEMENTS (verbs); i++)
    {
      printf (".SS %s ", verbs[i]->name);
      print_roff (verbs[i]->arguments);
      putchar ('\n');
      print_roff (verbs[i]->summary);
      puts (".");
      if (verbs[i]->details != NULL)
        {
          puts (".PP");
          print_roff (verbs[i]->details);
          putchar ('\n');
        }
      print_man_options (verbs[i]->options);
      g_autofree GOptionEntry *run_entries = cli_make_run_entries (verbs[i]->run_options);
      print_man_options (run_entries);
    }
  puts (".SH OPTIONS OF EVERY VERB");
  print_man_options (common_options);
  puts (".SH EXIT STATUS\n0: well. 1: what was asked for failed. 2: the command line is wrong. "
        "130: interrupted; "
        "the run was saved.");
  print_man_ops ();
  puts (
      ".SH SEE ALSO\nThe same from C: pkg\\-config sluice\\-0. From Python: gi.repository.Sluice, "
      "with an example in the samples, python/digits.py.");
  return EXIT_OK;
}

/* ---- dispatch ---- */

static const Verb *
find_verb (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (verbs); i++)
    if (strcmp (verbs[i]->name, name) == 0)
      return verbs[i];
  return NULL;
}

static gboolean
load_plugins (GError **error)
{
  for (guint i = 0; plugins != NULL && plugins[i] != NULL; i++)
    if (!sluice_plugin_load (plugins[i], error))
      return FALSE;
  return TRUE;
}

static int
run_verb (const Verb *verb, int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context = g_option_context_new (verb->arguments);
  g_autofree char *program = g_strdup_printf ("sluice %s", verb->name);
  g_set_prgname (program);
  g_option_context_set_summary (context, _ (verb->summary));
  if (verb->details != NULL)
    g_option_context_set_description (context, _ (verb->details));
  if (verb->options != NULL)
    g_option_context_add_main_entries (context, verb->options, GETTEXT_PACKAGE);
  g_autofree GOptionEntry *run_entries = cli_make_run_entries (verb->run_options);
  g_option_context_add_main_entries (context, run_entries, GETTEXT_PACKAGE);
  g_option_context_add_main_entries (context, common_options, GETTEXT_PACKAGE);
  int status = EXIT_USAGE;
  if (g_option_context_parse (context, &argc, &argv, &error))
    {
      sluice_registry_init (sluice_kernel_modules ());
      sluice_passes_init (); /* graphs are loaded before there is a session */
      status = load_plugins (&error) ? verb->run (argv + 1, &error) : EXIT_FAILED;
    }
  if (error != NULL)
    fprintf (stderr, "%s: %s\n", program, error->message);
  if (status == EXIT_USAGE)
    fprintf (stderr, _ ("Try 'sluice %s --help'.\n"), verb->name);
  return status;
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, SLUICE_LOCALE_DIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  if (argc < 2)
    {
      print_overview (stderr);
      return EXIT_USAGE;
    }
  if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "help") == 0
      || strcmp (argv[1], "-h") == 0)
    {
      print_overview (stdout);
      return EXIT_OK;
    }
  if (strcmp (argv[1], "--version") == 0)
    {
      puts ("sluice " SLUICE_VERSION);
      return EXIT_OK;
    }
  if (strcmp (argv[1], "--man") == 0)
    return print_man ();
  const Verb *verb = find_verb (argv[1]);
  if (verb == NULL)
    {
      fprintf (stderr, _ ("sluice: there is no verb '%s'\n\n"), argv[1]);
      print_overview (stderr);
      return EXIT_USAGE;
    }
  return run_verb (verb, argc - 1, argv + 1);
}
