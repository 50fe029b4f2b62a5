/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n.h>
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/application.h"
#include "engine/base/pool.h"
#include "engine/passes/passes.h"
#include "kernels/registry.h"

/* From the build folder the settings' schema is beside the program. */
static void
find_schema (const char *program)
{
  g_autofree char *folder = g_path_get_dirname (program);
  g_autofree char *data = g_build_filename (folder, "data", NULL);
  g_autofree char *schema = g_build_filename (data, "gschemas.compiled", NULL);
  if (g_file_test (schema, G_FILE_TEST_EXISTS))
    g_setenv ("GSETTINGS_SCHEMA_DIR", data, FALSE);
}

/* A picture can be drawn without a display: on a private server that draws into memory. */
static GSubprocess *
start_display (int argc, char **argv)
{
  gboolean wants_picture = FALSE;
  for (int i = 1; i < argc; i++)
    wants_picture |= g_str_has_prefix (argv[i], "--screenshot");
  if (!wants_picture || g_getenv ("DISPLAY") != NULL || g_getenv ("WAYLAND_DISPLAY") != NULL)
    return NULL;
  g_autofree char *display = g_strdup_printf (":%d", 1000 + (int) (getpid () % 30000));
  g_autofree char *socket =
      g_strdup_printf ("%s/broadway%d.socket", g_get_user_runtime_dir (), atoi (display + 1) + 1);
  GSubprocess *server =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE, NULL,
                        "gtk4-broadwayd", display, NULL);
  if (server == NULL)
    return NULL;
  for (guint i = 0; i < 200 && !g_file_test (socket, G_FILE_TEST_EXISTS); i++)
    g_usleep (10000);
  g_setenv ("GDK_BACKEND", "broadway", TRUE);
  g_setenv ("BROADWAY_DISPLAY", display, TRUE);
  g_setenv ("GSK_RENDERER", "cairo", FALSE);
  return server;
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, SLUICE_LOCALE_DIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  find_schema (argv[0]);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  g_autoptr (GSubprocess) server = start_display (argc, argv);
  g_autoptr (GSettings) settings = g_settings_new ("org.sluice.Workbench");
  sluice_pool_set_threads (g_settings_get_uint (settings, "threads"));
  g_autoptr (SluiceApplication) application = sluice_application_new ();
  int status = g_application_run (G_APPLICATION (application), argc, argv);
  if (server != NULL)
    g_subprocess_force_exit (server);
  return status != 0 ? status : sluice_application_get_status (application);
}
