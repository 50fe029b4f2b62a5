/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/device/file-access.h"

#include <glib/gstdio.h>
#include <unistd.h>

#include "engine/base/error.h"

static char *root;

static char *
below (const char *name)
{
  return g_build_filename (root, name, NULL);
}

static void
touch (const char *name)
{
  g_autofree char *path = below (name);
  g_assert_true (g_file_set_contents (path, "x", 1, NULL));
}

static void
make_folder (const char *name)
{
  g_autofree char *path = below (name);
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
}

static void
link_to (const char *name, const char *target)
{
  g_autofree char *path = below (name);
  g_assert_cmpint (symlink (target, path), ==, 0);
}

static gboolean
may (SluiceFileAccess *files, const char *name, SluiceFileUse use)
{
  g_autofree char *path = below (name);
  g_autoptr (GError) error = NULL;
  gboolean ok = sluice_file_access_check (files, path, use, &error);
  if (!ok)
    g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_PERMISSION_DENIED);
  return ok;
}

static void
test_folders (void)
{
  g_autoptr (SluiceFileAccess) files = sluice_file_access_new ();
  g_assert_true (may (NULL, "secret", SLUICE_FILE_WRITE));
  g_assert_false (may (files, "own/a", SLUICE_FILE_READ));
  g_autofree char *work = below ("own"), *project = below ("project"), *db = below ("own/db");
  sluice_file_access_allow (files, work, SLUICE_FILE_WRITE);
  sluice_file_access_allow (files, project, SLUICE_FILE_READ);
  sluice_file_access_forbid (files, db);
  static const struct
  {
    const char *name;
    gboolean reads, writes;
  } cases[] = {
    { "own/a", TRUE, TRUE },
    { "own/new", TRUE, TRUE },
    { "own/new/deep/file", TRUE, TRUE },
    { "own-not", FALSE, FALSE },
    { "own/../secret", FALSE, FALSE },
    { "own/../own/a", TRUE, TRUE },
    { "own/none/../../secret", FALSE, FALSE },
    { "project/a", TRUE, FALSE },
    { "secret", FALSE, FALSE },
    { "own/link", FALSE, FALSE },       /* to ../secret */
    { "own/out/secret", FALSE, FALSE }, /* a linked folder */
    { "own/dangling", FALSE, FALSE },   /* would be made where it leads */
    { "own/inside", TRUE, TRUE },       /* a link that stays */
    { "own/loop", FALSE, FALSE },
    { "own/db", TRUE, FALSE },
    { "own/db-wal", TRUE, FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s", cases[i].name);
      g_assert_cmpint (may (files, cases[i].name, SLUICE_FILE_READ), ==, cases[i].reads);
      g_assert_cmpint (may (files, cases[i].name, SLUICE_FILE_WRITE), ==, cases[i].writes);
    }
}

static void
test_relative (void)
{
  g_autoptr (SluiceFileAccess) files = sluice_file_access_new ();
  g_assert_cmpint (chdir (root), ==, 0);
  sluice_file_access_allow (files, "own", SLUICE_FILE_WRITE);
  g_assert_true (sluice_file_access_check (files, "own/a", SLUICE_FILE_WRITE, NULL));
  g_assert_false (sluice_file_access_check (files, "secret", SLUICE_FILE_READ, NULL));
  sluice_file_access_allow (files, "/", SLUICE_FILE_READ);
  g_assert_true (sluice_file_access_check (files, "secret", SLUICE_FILE_READ, NULL));
  g_assert_false (sluice_file_access_check (files, "secret", SLUICE_FILE_WRITE, NULL));
  g_assert_cmpint (chdir ("/"), ==, 0);
}

static void
remove_all (void)
{
  static const char *const names[] = { "own/a",      "own/link", "own/out", "own/dangling",
                                       "own/inside", "own/loop", "own/db",  "project/a",
                                       "secret",     "own",      "project" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = below (names[i]);
      g_assert_cmpint (g_remove (path), ==, 0);
    }
  g_assert_cmpint (g_rmdir (root), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  root = g_dir_make_tmp ("sluice-access-XXXXXX", NULL);
  make_folder ("own");
  make_folder ("project");
  touch ("own/a");
  touch ("own/db");
  touch ("project/a");
  touch ("secret");
  link_to ("own/link", "../secret");
  link_to ("own/out", "..");
  link_to ("own/dangling", "../made");
  link_to ("own/inside", "a");
  link_to ("own/loop", "loop");
  g_test_add_func ("/device/file-access/folders", test_folders);
  g_test_add_func ("/device/file-access/relative", test_relative);
  int status = g_test_run ();
  remove_all ();
  g_free (root);
  return status;
}
