/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "app/cli/run-options.h"

#include <string.h>

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
    if (options[i].flags & SLUICE_OPTION_CLI && strcmp (cli_name (&options[i]), name) == 0)
      return &options[i];
  return NULL;
}

/* A GOptionArgFunc. */
static gboolean
take_option (const char *name, const char *value, gpointer data, GError **error)
{
  const SluiceOption *option = find_by_cli_name (name + strspn (name, "-"));
  const char *text = value;
  if (option->type == SLUICE_OPTION_BOOL)
    text = option->default_value ? "false" : "true";
  if (!sluice_option_parse (option, &sluice_cli_session_options, text, error))
    {
      g_prefix_error (error, "%s %s: ", name, text);
      return FALSE;
    }
  if (given == NULL)
    given = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  g_hash_table_insert (given, (gpointer) option->key, g_strdup (text));
  return TRUE;
}

GOptionEntry *
sluice_cli_make_run_entries (guint flags)
{
  guint n, n_entries = 0;
  const SluiceOption *options = sluice_options_list (&n);
  GOptionEntry *entries = g_new0 (GOptionEntry, n + 1);
  for (guint i = 0; i < n; i++)
    if (options[i].flags & SLUICE_OPTION_CLI && options[i].flags & flags)
      entries[n_entries++] =
          (GOptionEntry){ .long_name = cli_name (&options[i]),
                          .flags = options[i].type == SLUICE_OPTION_BOOL ? G_OPTION_FLAG_NO_ARG : 0,
                          .arg = G_OPTION_ARG_CALLBACK,
                          .arg_data = (gpointer) take_option,
                          .description = options[i].help,
                          .arg_description = options[i].unit };
  return entries;
}

const char *
sluice_cli_get_option_text (const SluiceOption *option)
{
  return given != NULL ? g_hash_table_lookup (given, option->key) : NULL;
}
