/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Fuzzes the reader of project.ini. What it takes can be frozen, and reads back the same. */
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/train/project.h"
#include "tests/engine/train/folder.h"
#include "tests/fuzz/fuzz-driver.h"

static Folder original, frozen;

static void
remove_folders (void)
{
  folder_clear (&original);
  folder_clear (&frozen);
}

void
fuzz_init (void)
{
  /* Freezing waits for the disk: thousands of times would be minutes. */
  if (g_access ("/dev/shm", W_OK) == 0)
    g_setenv ("TMPDIR", "/dev/shm", TRUE);
  folder_init (&original);
  folder_init (&frozen);
  atexit (remove_folders);
}

static char *
read_ini (const Folder *folder)
{
  char *text = NULL;
  g_autofree char *path = folder_dup_path (folder, "project.ini");
  g_file_get_contents (path, &text, NULL, NULL);
  return text;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  folder_write (&original, "project.ini", data, size);
  g_autoptr (SluiceProject) project = sluice_project_load (original.path, &error);
  g_assert_true ((project == NULL) == (error != NULL));
  if (project == NULL)
    {
      g_assert_cmpint (error->domain, ==, SLUICE_ERROR);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      return 0;
    }
  /* The graph need not be there for its name to be read; freezing copies it. */
  if (!g_file_test (project->graph_path, G_FILE_TEST_IS_REGULAR)
      || !sluice_project_save (project, frozen.path, NULL))
    return 0;
  g_autofree char *once = read_ini (&frozen);
  g_autoptr (SluiceProject) again = sluice_project_load (frozen.path, &error);
  g_assert_no_error (error);
  g_assert_true (sluice_project_save (again, frozen.path, &error));
  g_autofree char *twice = read_ini (&frozen);
  g_assert_cmpstr (once, ==, twice);
  return 0;
}

GPtrArray *
fuzz_seeds (void)
{
  GPtrArray *seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  static const char *const extras[] = {
    "",
    "[overrides]\nrate=0.5\n",
    "[data]\nshape=2;3\ny-column=a\nscale=1e-3\n",
    "[changes]\n0=rate=1e-3\n10=rate=0.5;keep-last=2\n",
    "[stop]\nmetric=loss:min\npatience=3\ntarget=1\n",
    "[alert a]\nmetric=loss\nabove=2\nnon-finite=true\ncommand=a;b c;\n[alert b]\ndisk-below=2G\n",
    "[train]\nseed=18446744073709551615\nsummary-every=0\n[project]\ndescription=a\\nb\\s\n"
  };
  for (guint i = 0; i < G_N_ELEMENTS (extras); i++)
    {
      folder_write_project (&original, extras[i]);
      char *text = read_ini (&original);
      g_ptr_array_add (seeds, g_bytes_new_take (text, strlen (text)));
    }
  return seeds;
}
