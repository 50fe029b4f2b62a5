/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/cli/run-options.h"

#include <string.h>

#include "engine/base/error.h"

SluiceSessionOptions sluice_cli_session_options;

/* key -> text */
static GHashTable *given;

static const char *
cli_name (const SluiceOption *option)
{
  return option->cli_name != NULL ? option->cli_name : option->key;
}

static const SluiceOption *
find_by_cli_name (const char *name)
{
  guint n;
  const SluiceOption *options = sluice_options_list (&n);
  for (guint i = 0; i < n; i++)
    if (strcmp (cli_name (&options[i]), name) == 0)
      return &options[i];
  return NULL;
}

/* What leaves the choice to the program is not to be said. */
static gboolean
is_said (const SluiceOption *option, GError **error)
{
  if (option->type != SLUICE_OPTION_COUNT
      || sluice_option_get (option, &sluice_cli_session_options) >= option->minimum)
    return TRUE;
  return sluice_fail (error, SLUICE_ERROR_INVALID_ARGUMENT,
                      "must be at least %" G_GINT64_FORMAT " and at most %" G_GINT64_FORMAT,
                      option->minimum, option->maximum);
}

/* A GOptionArgFunc. */
static gboolean
take_option (const char *name, const char *value, gpointer data, GError **error)
{
  const SluiceOption *option = find_by_cli_name (name + strspn (name, "-"));
  const char *text = value;
  if (option->type == SLUICE_OPTION_BOOL)
    text = option->default_value ? "false" : "true";
  if (given == NULL)
    given = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  char *kept = g_strdup (text);
  g_hash_table_insert (given, (gpointer) option->key, kept); /* a path is borrowed from here */
  if (sluice_option_parse (option, &sluice_cli_session_options, kept, error)
      && is_said (option, error))
    return TRUE;
  g_prefix_error (error, "%s %s: ", name, text);
  return FALSE;
}

static GOptionEntry
make_entry (const SluiceOption *option, const char *help)
{
  return (GOptionEntry){ .long_name = cli_name (option),
                         .flags = option->type == SLUICE_OPTION_BOOL   ? G_OPTION_FLAG_NO_ARG
                                  : option->type == SLUICE_OPTION_PATH ? G_OPTION_FLAG_FILENAME
                                                                       : 0,
                         .arg = G_OPTION_ARG_CALLBACK,
                         .arg_data = (gpointer) take_option,
                         .description = help != NULL ? help : option->help,
                         .arg_description = option->unit };
}

GOptionEntry *
sluice_cli_make_run_entries (const Verb *verb)
{
  guint n, n_entries = 0;
  const SluiceOption *options = sluice_options_list (&n);
  GOptionEntry *entries = g_new0 (GOptionEntry, n + 1);
  for (guint i = 0; i < n; i++)
    if (options[i].flags & SLUICE_OPTION_CLI && options[i].flags & verb->run_options)
      entries[n_entries++] = make_entry (&options[i], NULL);
  for (const CliRunKey *k = verb->run_keys; k != NULL && k->key != NULL; k++)
    entries[n_entries++] = make_entry (sluice_options_find (k->key), k->help);
  return entries;
}

const char *
sluice_cli_get_option_text (const SluiceOption *option)
{
  return given != NULL ? g_hash_table_lookup (given, option->key) : NULL;
}
