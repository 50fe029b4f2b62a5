/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/language.h"

#include <glib.h>
#include <libintl.h>
#include <locale.h>

char *
sluice_language_dup_folder (const char *program,
                            const char *variable,
                            const char *built,
                            const char *installed)
{
  const char *named = g_getenv (variable);
  if (named != NULL && *named != '\0')
    return g_strdup (named);
  g_autofree char *folder = g_path_get_dirname (program);
  g_autofree char *build = g_build_filename (folder, "build.ninja", NULL);
  if (g_file_test (build, G_FILE_TEST_EXISTS))
    return g_build_filename (folder, built, NULL);
  return g_strdup (installed);
}

void
sluice_language_init (const char *program)
{
  g_autofree char *translations =
      sluice_language_dup_folder (program, "TEXTDOMAINDIR", "po", SLUICE_LOCALE_DIR);
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, translations);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
}
