/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib/gstdio.h>

/* A folder for what a fuzzer writes; in memory where that can be had: a file that is synced to a
 * disk takes milliseconds. (transfer full) */
static inline char *
fuzz_folder_new (void)
{
  char *folder = g_strdup ("/dev/shm/sluice-fuzz-XXXXXX");
  if (g_mkdtemp (folder) != NULL)
    return folder;
  g_free (folder);
  folder = g_dir_make_tmp ("sluice-fuzz-XXXXXX", NULL);
  g_assert_nonnull (folder);
  return folder;
}

/* The folder with all that is in it. */
static inline void
fuzz_folder_remove (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);
      fuzz_folder_remove (child);
    }
  g_remove (path);
}
