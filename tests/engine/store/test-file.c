/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gstdio.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/store/file.h"

/* Bytes; what a large file held is given back by the pool. */
#define SMALL 1000
#define LARGE (65 << 20)

typedef struct
{
  char *folder, *path;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  f->folder = g_dir_make_tmp ("sluice-file-XXXXXX", NULL);
  g_assert_nonnull (f->folder);
  f->path = g_build_filename (f->folder, "file", NULL);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_assert_cmpint (g_rmdir (f->folder), ==, 0);
  g_free (f->folder);
  g_free (f->path);
}

/* Is a descriptor of this process open on that file? */
static gboolean
is_open (const struct stat *file)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/fd", 0, NULL);
  g_assert_nonnull (dir);
  const char *name;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      struct stat info;
      if (fstat ((int) g_ascii_strtoll (name, NULL, 10), &info) == 0 && info.st_ino == file->st_ino
          && info.st_dev == file->st_dev)
        return TRUE;
    }
  return FALSE;
}

static void
write_filled (const char *path, char byte, gsize length)
{
  g_autofree char *data = g_malloc (length);
  memset (data, byte, length);
  g_autoptr (GError) error = NULL;
  SluiceFileWriter *writer = sluice_file_writer_new ("file", path, &error);
  g_assert_no_error (error);
  sluice_file_writer_put (writer, data, length);
  g_assert_cmpint (sluice_file_writer_get_position (writer), ==, length);
  g_assert_true (sluice_file_writer_finish (writer, &error));
  g_assert_no_error (error);
}

static void
assert_filled (const char *path, char byte, gsize length)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GMappedFile) file = sluice_file_map ("file", path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_mapped_file_get_length (file), ==, length);
  const char *data = g_mapped_file_get_contents (file);
  g_assert_cmpint (data[0], ==, byte);
  g_assert_cmpint (memcmp (data, data + 1, length - 1), ==, 0);
}

/* The new stands under the name, who holds the old by another name keeps it, and this process lets
 * go of it: at once where it is small, soon where giving it back takes time. */
static void
test_replace (Fixture *f, gconstpointer data)
{
  gsize length = GPOINTER_TO_SIZE (data);
  g_autofree char *other = g_build_filename (f->folder, "other", NULL);
  write_filled (f->path, 'a', length);
  struct stat old;
  g_assert_cmpint (stat (f->path, &old), ==, 0);
  g_assert_cmpint (link (f->path, other), ==, 0);
  write_filled (f->path, 'b', length);
  if (length == SMALL)
    g_assert_false (is_open (&old));
  while (is_open (&old))
    sched_yield ();
  assert_filled (f->path, 'b', length);
  assert_filled (other, 'a', length);
  g_assert_cmpint (g_remove (f->path), ==, 0);
  g_assert_cmpint (g_remove (other), ==, 0);
}

/* A name that cannot be replaced stays what it is, and nothing is left beside it or open. */
static void
test_refused (Fixture *f, gconstpointer data)
{
  gsize length = GPOINTER_TO_SIZE (data);
  g_assert_cmpint (g_mkdir (f->path, 0700), ==, 0);
  struct stat folder;
  g_assert_cmpint (stat (f->path, &folder), ==, 0);
  g_autofree char *zeros = g_malloc0 (length);
  g_autoptr (GError) error = NULL;
  SluiceFileWriter *writer = sluice_file_writer_new ("file", f->path, &error);
  g_assert_no_error (error);
  sluice_file_writer_put (writer, zeros, length);
  g_assert_false (sluice_file_writer_finish (writer, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_FAILED_PRECONDITION);
  while (is_open (&folder))
    sched_yield ();
  g_assert_cmpint (g_rmdir (f->path), ==, 0);
}

/* What somebody else put there: under the file's name, or under one that a writer might take for
 * the time being. No link is followed, and what it points to stays as it is. */
static void
test_planted (Fixture *f, gconstpointer data)
{
  static const char *const names[] = { "file", "file.part", "file.tmp", "file.XXXXXX",
                                       SLUICE_FILE_TEMPORARY "0000000000000000" };
  g_autofree char *victim = g_build_filename (f->folder, "victim", NULL);
  g_assert_true (g_file_set_contents (victim, "precious", -1, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *link = g_build_filename (f->folder, names[i], NULL);
      g_assert_cmpint (symlink (victim, link), ==, 0);
    }
  write_filled (f->path, 'a', SMALL);
  assert_filled (f->path, 'a', SMALL);
  struct stat info;
  g_assert_cmpint (lstat (f->path, &info), ==, 0);
  g_assert_true (S_ISREG (info.st_mode));
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (victim, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "precious");
  /* What was left by somebody who was killed goes, and nothing else does. */
  sluice_file_sweep (f->folder);
  g_assert_cmpint (lstat (f->path, &info), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *link = g_build_filename (f->folder, names[i], NULL);
      g_assert_cmpint (g_remove (link), ==, i < G_N_ELEMENTS (names) - 1 ? 0 : -1);
    }
  g_assert_cmpint (g_remove (victim), ==, 0);
}

/* A file is not put in the place of a pipe or a device. */
static void
test_no_file (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_assert_cmpint (mkfifo (f->path, 0600), ==, 0);
  g_assert_false (sluice_file_put ("file", f->path, "a", 1, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_INVALID_ARGUMENT);
  g_assert_cmpint (g_remove (f->path), ==, 0);
}

/* What is aborted leaves nothing, and what is written over takes the place of what was put. */
static void
test_abort_and_rewrite (Fixture *f, gconstpointer data)
{
  SluiceFileWriter *writer = sluice_file_writer_new ("file", f->path, NULL);
  sluice_file_writer_put (writer, "abcdef", 6);
  sluice_file_writer_abort (writer);
  g_assert_false (g_file_test (f->path, G_FILE_TEST_EXISTS));
  writer = sluice_file_writer_new ("file", f->path, NULL);
  sluice_file_writer_put (writer, "abcdef", 6);
  sluice_file_writer_rewrite (writer, 1, "XY", 2);
  sluice_file_writer_put (writer, "g", 1);
  g_assert_true (sluice_file_writer_finish (writer, NULL));
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (f->path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "aXYdefg");
  g_assert_cmpint (g_remove (f->path), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, length, func)                                                                    \
  g_test_add ("/store/file/" path, Fixture, GSIZE_TO_POINTER (length), set_up, func, tear_down)
  ADD ("replace-small", SMALL, test_replace);
  ADD ("replace-large", LARGE, test_replace);
  ADD ("refused-small", SMALL, test_refused);
  ADD ("refused-large", LARGE, test_refused);
  ADD ("planted", 0, test_planted);
  ADD ("no-file", 0, test_no_file);
  ADD ("abort-and-rewrite", 0, test_abort_and_rewrite);
  return g_test_run ();
}
