/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/cli/help-page.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <stdio.h>

#include "app/cli/run-options.h"
#include "app/help/help-pages.h"
#include "app/keys.h"
#include "engine/base/error.h"
#include "engine/command/command.h"

int
sluice_cli_help_page (const char *page, GError **error)
{
  g_autofree char *text = sluice_help_load (page, error);
  if (text == NULL)
    return EXIT_FAILED;
  fputs (text, stdout);
  return EXIT_OK;
}

/* ---- the page of verbs ---- */

/* A bar ends a cell of a table. */
static char *
escape_cell (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "|", -1);
  return g_strjoinv ("\\|", parts);
}

static void
append_options (GString *page, const GOptionEntry *options)
{
  for (; options != NULL && options->long_name != NULL; options++)
    {
      const char *argument = options->arg_description;
      g_autofree char *flag =
          g_strdup_printf ("--%s%s%s", options->long_name, argument != NULL ? " " : "",
                           argument != NULL ? _ (argument) : "");
      g_autofree char *cell = escape_cell (flag);
      g_autofree char *words =
          escape_cell (options->description != NULL ? _ (options->description) : "");
      g_string_append_printf (page, "| `%s` | %s |\n", cell, words);
    }
}

static void
append_table_head (GString *page)
{
  g_string_append_printf (page, "\n| %s | %s |\n|---|---|\n", _ ("option"), _ ("what"));
}

static void
append_verb (GString *page, const Verb *verb)
{
  g_autofree GOptionEntry *run_entries = sluice_cli_make_run_entries (verb);
  gboolean has_options = (verb->options != NULL && verb->options->long_name != NULL)
                         || (run_entries != NULL && run_entries->long_name != NULL);
  g_string_append_printf (page, "\n## %s\n\n    sluice %s%s%s\n\n%s.\n", verb->name, verb->name,
                          *verb->arguments != '\0' ? " " : "",
                          *verb->arguments != '\0' ? _ (verb->arguments) : "", _ (verb->summary));
  if (verb->details != NULL)
    g_string_append_printf (page, "\n%s\n", _ (verb->details));
  if (has_options)
    append_table_head (page);
  append_options (page, verb->options);
  append_options (page, run_entries);
}

static char *
make_verbs_page (const Verb *const *verbs, guint n_verbs, const GOptionEntry *common)
{
  GString *page = g_string_new (NULL);
  g_string_append_printf (page, "# %s\n\n%s\n\n", _ ("All verbs and options"),
                          _ ("What each verb does in use, the page [The command](command.md) "
                             "shows. `sluice VERB --help` prints the same."));
  for (guint i = 0; i < n_verbs; i++)
    g_string_append_printf (page, "- [`%s`](#%s): %s\n", verbs[i]->name, verbs[i]->name,
                            _ (verbs[i]->summary));
  for (guint i = 0; i < n_verbs; i++)
    append_verb (page, verbs[i]);
  g_string_append_printf (page, "\n## %s\n", _ ("Options of every verb"));
  append_table_head (page);
  append_options (page, common);
  return g_string_free (page, FALSE);
}

static char *
make_commands_page (void)
{
  GString *page = g_string_new (NULL);
  g_string_append_printf (page, "# %s\n\n%s\n", _ ("Commands that edit a graph"),
                          _ ("How they are used, the page [Editing without a window](edit.md) "
                             "shows. `sluice edit --commands` prints the same."));
  for (guint i = 0; i < sluice_n_commands; i++)
    g_string_append_printf (page, "\n## %s\n\n    %s %s\n\n%s.\n", sluice_commands[i].name,
                            sluice_commands[i].name, sluice_commands[i].arguments,
                            _ (sluice_commands[i].summary));
  return g_string_free (page, FALSE);
}

/* text: (transfer full) */
static gboolean
write_page (const char *folder, const char *name, char *text, GError **error)
{
  g_autofree char *taken = text;
  g_autofree char *path = g_build_filename (folder, name, NULL);
  return g_file_set_contents_full (path, taken, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0666, error);
}

gboolean
sluice_cli_help_pages_write (const char *folder,
                             const Verb *const *verbs,
                             guint n_verbs,
                             const GOptionEntry *common,
                             GError **error)
{
  if (g_mkdir_with_parents (folder, 0777) != 0)
    return sluice_fail (error, SLUICE_ERROR_FAILED_PRECONDITION, "cannot make folder '%s': %s",
                        folder, g_strerror (errno));
  return write_page (folder, "keys.md", sluice_keys_dup_page (), error)
         && write_page (folder, "commands.md", make_commands_page (), error)
         && write_page (folder, "verbs.md", make_verbs_page (verbs, n_verbs, common), error);
}
