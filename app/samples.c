/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/samples.h"

#include <glib.h>

const char *
sluice_samples_get_folder (void)
{
  static const char *const folders[] = { SLUICE_SAMPLE_DIR, SLUICE_SOURCE_SAMPLE_DIR };
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *path = g_build_filename (folders[i], SLUICE_FIRST_SAMPLE, NULL);
      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        return folders[i];
    }
  return NULL;
}
