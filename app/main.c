/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gi18n.h>
#include <malloc.h>

#include "app/application.h"
#include "app/help/help-pages.h"
#include "app/language.h"
#include "app/program.h"
#include "app/picture.h"
#include "engine/base/count.h"
#include "engine/base/pool.h"
#include "engine/passes/passes.h"
#include "engine/train/run-file.h"
#include "ui/common/number.h"
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

int
main (int argc, char **argv)
{
  /* What one thread reads, another one frees: with an arena for each, the C library keeps all of
   * them at their greatest size. Tensors have an allocator of their own. */
  mallopt (M_ARENA_MAX, 2);
  /* Pictures come and go: each has pages of its own, and leaves no hole below what came later. The
   * library would raise this limit to the largest that was ever freed. */
  mallopt (M_MMAP_THRESHOLD, 256 << 10);
  mallopt (M_TRIM_THRESHOLD, 1 << 20);
  g_autoptr (GSubprocess) server = sluice_picture_prepare (argc, argv);
  sluice_language_init (argv[0]);
  sluice_help_init (argv[0]);
  find_schema (argv[0]);
  sluice_registry_init (sluice_kernel_modules ());
  sluice_passes_init ();
  sluice_run_file_set_build (sluice_program_dup_description);
  sluice_count_set_format (sluice_format_step);

  g_autoptr (GSettings) settings = g_settings_new ("org.sluice.Workbench");
  sluice_pool_set_threads (g_settings_get_uint (settings, "threads"));
  g_autoptr (SluiceApplication) application = sluice_application_new ();
  int status = g_application_run (G_APPLICATION (application), argc, argv);
  if (server != NULL)
    sluice_picture_end_display (g_steal_pointer (&server));
  return status != 0 ? status : sluice_application_get_status (application);
}
