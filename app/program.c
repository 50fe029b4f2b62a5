/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "app/program.h"

#include "kernels/linalg/library.h"

char *
sluice_program_dup_description (void)
{
  return sluice_libraries_dup_build (SLUICE_VERSION);
}

const char *
sluice_program_get_version (void)
{
  return SLUICE_VERSION;
}
