/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Runs a fuzzer without libFuzzer, as a test: seeds, their beginnings, and random mutations. The
 * random seed is the test's own (--seed), so a failure can be repeated. */
#include "tests/fuzz/fuzz-driver.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_RUNS 3000
#define MAX_SIZE     (64 * 1024)

static GPtrArray *seeds;
static int last = -1; /* the file of SLUICE_FUZZ_LAST */

static void
run (const guint8 *data, gsize size)
{
  /* A block of exactly that size, so that AddressSanitizer sees reads beyond it. */
  g_autofree guint8 *copy = g_memdup2 (data, size);
  if (last >= 0)
    {
      g_assert_cmpint (ftruncate (last, 0), ==, 0);
      g_assert_cmpint (pwrite (last, data, size, 0), ==, (gssize) size);
    }
  g_assert_cmpint (LLVMFuzzerTestOneInput (copy, size), ==, 0);
}

static void
test_seeds (void)
{
  for (guint i = 0; i < seeds->len; i++)
    {
      gsize size;
      const guint8 *data = g_bytes_get_data (seeds->pdata[i], &size);
      run (data, size);
    }
}

static void
test_truncated (void)
{
  for (guint i = 0; i < seeds->len; i++)
    {
      gsize size;
      const guint8 *data = g_bytes_get_data (seeds->pdata[i], &size);
      for (gsize n = 0; n < MIN (size, 400); n++)
        run (data, n);
    }
}

static void
mutate (GByteArray *bytes)
{
  guint at = bytes->len > 0 ? (guint) g_test_rand_int_range (0, (gint32) bytes->len) : 0;
  guint wanted = (guint) g_test_rand_int_range (1, 32);
  guint n = MIN (bytes->len - at, wanted);
  guint8 byte = (guint8) g_test_rand_int ();
  static const guint8 telling[] = { 0, 1, 0x7f, 0x80, 0xff, '{', '}', '"', '\\', ':' };
  switch (g_test_rand_int_range (0, 7))
    {
    case 0:
      if (bytes->len > 0)
        bytes->data[at] ^= (guint8) (1 << (byte & 7));
      break;
    case 1:
      if (bytes->len > 0)
        bytes->data[at] = byte;
      break;
    case 2:
      if (bytes->len > 0)
        bytes->data[at] = telling[byte % G_N_ELEMENTS (telling)];
      break;
    case 3: /* a piece goes */
      if (n > 0)
        g_byte_array_remove_range (bytes, at, n);
      break;
    case 4: /* a piece comes twice */
      if (n > 0 && bytes->len + n <= MAX_SIZE)
        {
          g_autofree guint8 *piece = g_memdup2 (bytes->data + at, n);
          g_byte_array_append (bytes, piece, n);
        }
      break;
    case 5: /* the rest is chance */
      g_byte_array_set_size (bytes, at);
      for (n = (guint) g_test_rand_int_range (0, 64); n > 0; n--)
        {
          byte = (guint8) g_test_rand_int ();
          g_byte_array_append (bytes, &byte, 1);
        }
      break;
    default: /* the rest comes from another seed */
      {
        gsize size;
        const guint8 *other =
            g_bytes_get_data (seeds->pdata[g_test_rand_int_range (0, (gint32) seeds->len)], &size);
        gsize from = size > 0 ? (gsize) g_test_rand_int_range (0, (gint32) size) : 0;
        g_byte_array_set_size (bytes, at);
        g_byte_array_append (bytes, other + from, (guint) MIN (size - from, MAX_SIZE - at));
      }
    }
}

static void
test_mutations (void)
{
  const char *text = g_getenv ("SLUICE_FUZZ_RUNS");
  guint runs = text != NULL ? (guint) strtoul (text, NULL, 10) : DEFAULT_RUNS;
  for (guint i = 0; i < runs; i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      gsize size;
      const guint8 *data =
          g_bytes_get_data (seeds->pdata[g_test_rand_int_range (0, (gint32) seeds->len)], &size);
      g_byte_array_append (bytes, data, (guint) MIN (size, MAX_SIZE));
      for (int n = g_test_rand_int_range (1, 6); n > 0; n--)
        mutate (bytes);
      run (bytes->data, bytes->len);
    }
}

static void
test_input (gconstpointer path)
{
  g_autofree char *data = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;
  g_file_get_contents (path, &data, &size, &error);
  g_assert_no_error (error);
  run ((const guint8 *) data, size);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  const char *path = g_getenv ("SLUICE_FUZZ_LAST");
  if (path != NULL)
    {
      last = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
      g_assert_cmpint (last, >=, 0);
    }
  fuzz_init ();
  seeds = fuzz_seeds ();
  g_assert_cmpuint (seeds->len, >, 0);
  const char *input = g_getenv ("SLUICE_FUZZ_INPUT");
  if (input != NULL)
    g_test_add_data_func ("/fuzz/input", input, test_input);
  else
    {
      g_test_add_func ("/fuzz/seeds", test_seeds);
      g_test_add_func ("/fuzz/truncated", test_truncated);
      g_test_add_func ("/fuzz/mutations", test_mutations);
      if (fuzz_check_met != NULL)
        g_test_add_func ("/fuzz/met", fuzz_check_met);
    }
  int status = g_test_run ();
  g_ptr_array_unref (seeds);
  return status;
}
