/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/base/read-file.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "engine/base/error.h"

static char *folder;

static char *
write_file (const char *name, const void *bytes, gsize length)
{
  char *path = g_build_filename (folder, name, NULL);
  g_assert_true (g_file_set_contents (path, bytes, (gssize) length, NULL));
  return path;
}

/* A gzip file of so many zeros. */
static GBytes *
pack_zeros (gsize n)
{
  g_autofree char *path = g_build_filename (folder, "zeros.gz", NULL);
  static const char block[1 << 20];
  gzFile file = gzopen (path, "wb9");
  g_assert_nonnull (file);
  for (; n > 0; n -= MIN (n, sizeof block))
    g_assert_cmpint (gzwrite (file, block, (unsigned) MIN (n, sizeof block)), >, 0);
  g_assert_cmpint (gzclose (file), ==, Z_OK);
  GBytes *bytes = sluice_read_file ("file", path, SLUICE_READ_PLAIN, G_MAXINT32, NULL);
  g_assert_nonnull (bytes);
  return bytes;
}

static void
expect (GBytes *bytes, GError **error, SluiceError code, const char *word)
{
  g_assert_null (bytes);
  g_assert_error (*error, SLUICE_ERROR, (int) code);
  if (strstr ((*error)->message, word) == NULL)
    g_error ("'%s' is not in: %s", word, (*error)->message);
  g_clear_error (error);
}

static void
test_plain (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = write_file ("plain", "12345", 5);
  for (int mode = SLUICE_READ_PLAIN; mode <= SLUICE_READ_MAPPED; mode++)
    {
      g_autoptr (GBytes) bytes = sluice_read_file ("file", path, (SluiceReadMode) mode, 5, &error);
      g_assert_no_error (error);
      g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "12345", 5);
      expect (sluice_read_file ("file", path, (SluiceReadMode) mode, 4, &error), &error,
              SLUICE_ERROR_RESOURCE_EXHAUSTED, "larger than 4 bytes");
    }
  g_autofree char *none = g_build_filename (folder, "none", NULL);
  expect (sluice_read_file ("graph", none, SLUICE_READ_PLAIN, 4, &error), &error,
          SLUICE_ERROR_NOT_FOUND, "graph '");
  expect (sluice_read_file ("graph", folder, SLUICE_READ_PLAIN, 4, &error), &error,
          SLUICE_ERROR_FAILED_PRECONDITION, "directory");
  g_autofree char *empty = write_file ("empty", "", 0);
  g_autoptr (GBytes) nothing = sluice_read_file ("file", empty, SLUICE_READ_PLAIN, 4, &error);
  g_assert_cmpuint (g_bytes_get_size (nothing), ==, 0);
}

static void
test_special (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *pipe = g_build_filename (folder, "pipe", NULL);
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  /* Nobody ever writes: this would wait for ever. */
  expect (sluice_read_file ("graph", pipe, SLUICE_READ_MAPPED, 1 << 20, &error), &error,
          SLUICE_ERROR_INVALID_ARGUMENT, "--special-files");
  expect (sluice_read_file ("graph", "/dev/zero", SLUICE_READ_PLAIN, 1 << 20, &error), &error,
          SLUICE_ERROR_INVALID_ARGUMENT, "character device");
  sluice_read_set_options (&(SluiceReadOptions){ .special_files = TRUE });
  expect (sluice_read_file ("graph", "/dev/zero", SLUICE_READ_PLAIN, 1 << 20, &error), &error,
          SLUICE_ERROR_RESOURCE_EXHAUSTED, "/dev/zero");
  g_autoptr (GBytes) nothing =
      sluice_read_file ("graph", "/dev/null", SLUICE_READ_PLAIN, 1 << 20, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (nothing), ==, 0);
  sluice_read_set_options (&(SluiceReadOptions){ 0 });
}

static void
test_unzip (void)
{
  g_autoptr (GError) error = NULL;
  const gsize mib = 1 << 20;
  g_autoptr (GBytes) small = pack_zeros (3 * mib), bomb = pack_zeros (300 * mib);
  g_assert_true (sluice_read_is_gzip (small));
  g_autoptr (GBytes) zeros = sluice_read_unzip (small, G_MAXINT32, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (zeros), ==, 3 * mib);
  expect (sluice_read_unzip (small, 2 * mib, &error), &error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
          ", the most");
  expect (sluice_read_unzip (bomb, G_MAXINT32, &error), &error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
          "--unpack-limit");
  sluice_read_set_options (&(SluiceReadOptions){ .unpacked_bytes = 300 * mib });
  g_autoptr (GBytes) allowed = sluice_read_unzip (bomb, G_MAXINT32, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (allowed), ==, 300 * mib);
  sluice_read_set_options (&(SluiceReadOptions){ .unpacked_bytes = 100 });
  expect (sluice_read_unzip (small, G_MAXINT32, &error), &error, SLUICE_ERROR_RESOURCE_EXHAUSTED,
          "100 bytes, the --unpack-limit");
  sluice_read_set_options (&(SluiceReadOptions){ 0 });
  g_autoptr (GBytes) torn = g_bytes_new_from_bytes (small, 0, g_bytes_get_size (small) - 9);
  expect (sluice_read_unzip (torn, G_MAXINT32, &error), &error, SLUICE_ERROR_DATA_LOSS, "cut off");
}

/* Two members, one behind the other, are one text. */
static void
test_members (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) one = pack_zeros (5);
  g_autoptr (GByteArray) both = g_byte_array_new ();
  for (guint i = 0; i < 2; i++)
    g_byte_array_append (both, g_bytes_get_data (one, NULL), (guint) g_bytes_get_size (one));
  g_autoptr (GBytes) packed = g_bytes_new (both->data, both->len);
  g_autoptr (GBytes) zeros = sluice_read_unzip (packed, 10, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (zeros), ==, 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("sluice-read-XXXXXX", NULL);
  g_test_add_func ("/base/read-file/plain", test_plain);
  g_test_add_func ("/base/read-file/special", test_special);
  g_test_add_func ("/base/read-file/unzip", test_unzip);
  g_test_add_func ("/base/read-file/members", test_members);
  int status = g_test_run ();
  static const char *const names[] = { "zeros.gz", "plain", "empty", "pipe" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      g_unlink (path);
    }
  g_rmdir (folder);
  g_free (folder);
  return status;
}
