/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/program.h"

#include "kernels/linalg/library.h"

char *
sluice_program_dup_description (void)
{
  g_autofree char *libraries = sluice_libraries_dup_description ();
  return g_strdup_printf ("Sluice %s, %s", SLUICE_VERSION, libraries);
}

const char *
sluice_program_get_version (void)
{
  return SLUICE_VERSION;
}
