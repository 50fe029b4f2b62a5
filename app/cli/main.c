/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/files.h"
#include "app/cli/help-page.h"
#include "app/cli/run-options.h"
#include "app/help/help-pages.h"
#include "app/language.h"
#include "app/program.h"
#include "engine/base/error.h"
#include "engine/base/read-file.h"
#include "engine/base/text.h"
#include "engine/command/command.h"
#include "engine/device/plugin.h"
#include "engine/graph/graphdef.h"
#include "engine/graph/savedmodel.h"
#include "engine/passes/passes.h"
#include "engine/store/store.h"
#include "engine/train/project.h"
#include "engine/train/run-file.h"
#include "engine/train/saved-state.h"
#include "kernels/registry.h"

static const Verb *const verbs[] = {
  &sluice_verb_train,       &sluice_verb_check,   &sluice_verb_draw,    &sluice_verb_run,
  &sluice_verb_compare,     &sluice_verb_place,   &sluice_verb_trace,   &sluice_verb_info,
  &sluice_verb_log,         &sluice_verb_sql,     &sluice_verb_import,  &sluice_verb_export,
  &sluice_verb_ops,         &sluice_verb_convert, &sluice_verb_bench,   &sluice_verb_reindex,
  &sluice_verb_checkpoints, &sluice_verb_runs,    &sluice_verb_diff,    &sluice_verb_launch,
  &sluice_verb_queue,       &sluice_verb_sweep,   &sluice_verb_control, &sluice_verb_fork,
  &sluice_verb_reproduce,   &sluice_verb_edit,    &sluice_verb_promote, &sluice_verb_merge,
  &sluice_verb_new,         &sluice_verb_debug,
};

static char **plugins;
static gboolean special_files;
static char *unpack_limit;

static const GOptionEntry common_options[] = {
  { "json", 0, 0, G_OPTION_ARG_NONE, &sluice_cli_json, N_ ("Print JSON instead of text"), NULL },
  { "load", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &plugins,
    N_ ("Load ops from a shared object; may be given several times"), N_ ("FILE") },
  { "allow-files", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &sluice_cli_allowed_files,
    N_ ("Ops may read and write files in this folder; else only in the workspace, and read the "
        "project's. May be given several times"),
    N_ ("DIR") },
  { "allow-commands", 0, 0, G_OPTION_ARG_NONE, &sluice_cli_allow_commands,
    N_ ("Alerts may run the commands that a project names; else they are only told"), NULL },
  { "special-files", 0, 0, G_OPTION_ARG_NONE, &special_files,
    N_ ("Also read pipes and devices where a file is named, and wait for them"), NULL },
  { "unpack-limit", 0, 0, G_OPTION_ARG_STRING, &unpack_limit,
    N_ ("How much a compressed file may hold (256M, or 100 times its size)"), N_ ("SIZE") },
  G_OPTION_ENTRY_NULL,
};

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
  fprintf (out, "%s\n", _ ("sluice help PAGE prints a page of the manual; index lists them."));
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

/* The shapes as they are written: a name of a type for each value. */
static void
print_man_json (const char *json)
{
  if (json == NULL)
    return;
  puts (".PP\nWith \\-\\-json, lines of this shape:\n.PP\n.nf");
  g_auto (GStrv) lines = g_strsplit (json, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      print_roff (lines[i]);
      putchar ('\n');
    }
  puts (".fi");
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

static void
print_man_commands (void)
{
  puts (
      ".SH COMMANDS OF SLUICE EDIT\nA line is a command; words have blanks between, texts stand in "
      "double quotes, and what stands behind # is a comment.");
  for (guint i = 0; i < sluice_n_commands; i++)
    {
      fputs (".TP\n.B ", stdout);
      print_roff (sluice_commands[i].name);
      putchar (' ');
      print_roff (sluice_commands[i].arguments);
      putchar ('\n');
      print_roff (sluice_commands[i].summary);
      puts (".");
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
      g_autofree GOptionEntry *run_entries = sluice_cli_make_run_entries (verbs[i]);
      print_man_options (run_entries);
      print_man_json (verbs[i]->json);
    }
  puts (".SH OPTIONS OF EVERY VERB");
  print_man_options (common_options);
  puts (
      ".SH JSON\nOne object a line, numbers in the C locale. NaN and infinities are the strings "
      "NaN, Infinity and \\-Infinity. In the shapes above a value is the name of its type, a name "
      "that ends with ? may be missing, and * stands for any names. \"sluice \\-\\-schemas\" "
      "prints "
      "them for programs.");
  puts (".SH EXIT STATUS\n0: well. 1: what was asked for failed. 2: the command line is wrong. "
        "130: interrupted; "
        "the run was saved.");
  print_man_commands ();
  print_man_ops ();
  puts (
      ".SH SEE ALSO\nThe same from C: pkg\\-config sluice\\-0. From Python: gi.repository.Sluice, "
      "with an example in the samples, python/digits.py.");
  return EXIT_OK;
}

/* Of each verb its name and the shapes of its lines, which are JSON themselves. */
static int
print_schemas (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (verbs); i++)
    {
      JsonBuilder *b = sluice_cli_json_begin ();
      g_auto (GStrv) lines = verbs[i]->json != NULL ? g_strsplit (verbs[i]->json, "\n", -1) : NULL;
      sluice_cli_json_string (b, "verb", verbs[i]->name);
      sluice_cli_json_strings (b, "lines", (const char *const *) lines);
      sluice_cli_json_end (b);
    }
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
  const char *device = sluice_cli_session_options.device;
  return device == NULL || sluice_plugin_load_device (device, error);
}

/* What all files are read by. */
static gboolean
set_read_options (GError **error)
{
  SluiceReadOptions options = { .special_files = special_files };
  gsize bytes = 0;
  if (unpack_limit != NULL
      && !sluice_cli_parse_size ("--unpack-limit", unpack_limit, &bytes, error))
    return FALSE;
  options.unpacked_bytes = bytes;
  sluice_read_set_options (&options);
  return TRUE;
}

/* Messages hold names that files gave: a terminal must not obey them. */
static void
print_error (const char *program, const GError *error)
{
  g_auto (GStrv) lines = g_strsplit (error->message, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_autofree char *line = sluice_text_escape (lines[i]);
      fprintf (stderr, "%s%s%s\n", i == 0 ? program : "", i == 0 ? ": " : "  ", line);
    }
}

/* Takes the words that a verb wants for itself out of the line. (transfer container): they remain
 * those of argv. */
static GPtrArray *
take_dashed (const Verb *verb, int *argc, char **argv)
{
  GPtrArray *words = g_ptr_array_new ();
  int n = 1;
  gboolean wanted =
      verb->dashed != NULL && g_strv_contains ((const char *const *) argv + 1, verb->dashed);
  for (int i = 1; i < *argc; i++)
    if (wanted && argv[i][0] == '-' && argv[i][1] != '-' && argv[i][1] != '\0'
        && strcmp (argv[i], "-h") != 0)
      g_ptr_array_add (words, argv[i]);
    else
      argv[n++] = argv[i];
  *argc = n;
  return words;
}

/* The rest of the line behind the verb, and then those words. (transfer full) */
static char **
join_arguments (char **argv, int argc, GPtrArray *dashed)
{
  g_autoptr (GStrvBuilder) all = g_strv_builder_new ();
  for (int i = 1; i < argc; i++)
    g_strv_builder_add (all, argv[i]);
  for (guint i = 0; i < dashed->len; i++)
    g_strv_builder_add (all, dashed->pdata[i]);
  return g_strv_builder_end (all);
}

static int
run_verb (const Verb *verb, int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context =
      g_option_context_new (verb->arguments[0] != '\0' ? _ (verb->arguments) : NULL);
  g_autofree char *program = g_strdup_printf ("sluice %s", verb->name);
  g_set_prgname (program);
  g_option_context_set_summary (context, _ (verb->summary));
  if (verb->details != NULL)
    g_option_context_set_description (context, _ (verb->details));
  if (verb->options != NULL)
    g_option_context_add_main_entries (context, verb->options, GETTEXT_PACKAGE);
  g_autofree GOptionEntry *run_entries = sluice_cli_make_run_entries (verb);
  g_option_context_add_main_entries (context, run_entries, GETTEXT_PACKAGE);
  g_option_context_add_main_entries (context, common_options, GETTEXT_PACKAGE);
  int status = EXIT_USAGE;
  g_autoptr (GPtrArray) dashed = take_dashed (verb, &argc, argv);
  if (g_option_context_parse (context, &argc, &argv, &error) && set_read_options (&error))
    {
      sluice_registry_init (sluice_kernel_modules ());
      sluice_passes_init (); /* graphs are loaded before there is a session */
      sluice_run_file_set_build (sluice_program_dup_description);
      g_auto (GStrv) arguments = join_arguments (argv, argc, dashed);
      status = load_plugins (&error) ? verb->run (arguments, &error) : EXIT_FAILED;
    }
  if (error != NULL)
    print_error (program, error);
  if (status == EXIT_USAGE)
    fprintf (stderr, _ ("Try 'sluice %s --help'.\n"), verb->name);
  return status;
}

/* What follows "help": a page of the manual, a verb, or a folder for those pages that are made. Of
 * "runs", which is both, the page: it tells more. */
static int
help (char **arguments)
{
  g_autoptr (GError) error = NULL;
  const Verb *verb = find_verb (arguments[0]);
  char *asked[] = { arguments[0], (char *) "--help", NULL };
  int status;
  if (verb != NULL && !sluice_help_has (arguments[0]))
    return run_verb (verb, 2, asked);
  if (g_str_equal (arguments[0], "--pages") && arguments[1] != NULL)
    status = sluice_cli_help_pages_write (arguments[1], verbs, G_N_ELEMENTS (verbs), common_options,
                                          &error)
                 ? EXIT_OK
                 : EXIT_FAILED;
  else
    status = sluice_cli_help_page (arguments[0], &error);
  if (error != NULL)
    print_error ("sluice help", error);
  return status;
}

/* A file that is opened later must not become standard output. What is printed where that is closed
 * fails, as it would anyway. */
static void
open_standard_files (void)
{
  for (int fd = 0; fd < 3; fd++)
    if (fcntl (fd, F_GETFD) < 0 && errno == EBADF)
      open ("/dev/null",
            fd == STDERR_FILENO ? O_WRONLY : O_RDONLY); /* the lowest that is free: this one */
}

/* Output that did not arrive is a failure of what else went well: at the end of every way out. */
static void
close_output (int status, void *data)
{
  int number = ferror (stdout) != 0 ? EIO : 0;
  errno = 0;
  if (fclose (stdout) != 0 && errno != 0)
    number = errno;
  if (number == 0)
    return;
  fprintf (stderr, _ ("sluice: standard output cannot be written: %s\n"), g_strerror (number));
  _exit (status != EXIT_OK ? status : EXIT_FAILED);
}

int
main (int argc, char **argv)
{
  open_standard_files ();
  on_exit (close_output, NULL);
  sluice_language_init (argv[0]);
  sluice_help_init (argv[0]);
  if (argc < 2)
    {
      print_overview (stderr);
      return EXIT_USAGE;
    }
  if (strcmp (argv[1], "help") == 0 && argc > 2)
    return help (argv + 2);
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
  if (strcmp (argv[1], "--schemas") == 0)
    {
      sluice_cli_json = TRUE;
      return print_schemas ();
    }
  const Verb *verb = find_verb (argv[1]);
  if (verb == NULL)
    {
      fprintf (stderr, _ ("sluice: there is no verb '%s'\n\n"), argv[1]);
      print_overview (stderr);
      return EXIT_USAGE;
    }
  return run_verb (verb, argc - 1, argv + 1);
}
