/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include "engine/train/project.h"

/* The folder of a sample that comes with the program: it is only read. (transfer full) */
static inline char *
sample_dup_folder (const char *name)
{
  return g_build_filename (g_getenv ("SLUICE_SOURCE_DIR"), "data", "samples", name, NULL);
}

/* (transfer full) */
static inline SluiceProject *
sample_load_project (const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = sample_dup_folder (name);
  SluiceProject *project = sluice_project_load (folder, &error);
  g_assert_no_error (error);
  return project;
}
