/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include <glib/gstdio.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/checkpoint.h"

typedef struct
{
  char *folder, *path;
  GArray *tensors;
} Fixture;

static void
named_clear (gpointer data)
{
  SluiceNamedTensor *named = data;
  g_free (named->name);
  sluice_tensor_unref (named->tensor);
}

static void
add (GArray *tensors, const char *name, SluiceTensor *take)
{
  SluiceNamedTensor named = { g_strdup (name), take };
  g_array_append_val (tensors, named);
}

static void
set_up (Fixture *f, gconstpointer unused)
{
  static const SluiceDType dtypes[] = {
    SLUICE_FLOAT,  SLUICE_DOUBLE, SLUICE_INT32,    SLUICE_UINT8,  SLUICE_INT16,
    SLUICE_INT8,   SLUICE_INT64,  SLUICE_BOOL,     SLUICE_UINT16, SLUICE_HALF,
    SLUICE_UINT32, SLUICE_UINT64, SLUICE_BFLOAT16,
  };
  f->folder = g_dir_make_tmp ("sluice-checkpoint-XXXXXX", NULL);
  f->path = g_build_filename (f->folder, "a.safetensors", NULL);
  f->tensors = g_array_new (FALSE, TRUE, sizeof (SluiceNamedTensor));
  g_array_set_clear_func (f->tensors, named_clear);
  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      SluiceTensor *tensor = sluice_tensor_new_zeros (dtypes[i], &SLUICE_SHAPE (2, i + 1));
      guint8 *bytes = tensor->data;
      for (gsize k = 0; k < sluice_tensor_bytes (tensor); k++)
        bytes[k] = dtypes[i] == SLUICE_BOOL ? k % 2 : k * 37 + i;
      add (f->tensors, sluice_dtype_name (dtypes[i]), tensor);
    }
  add (f->tensors, "scalar", sluice_tensor_new_float (1.5f));
  add (f->tensors, "empty", sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (3, 0)));
  add (f->tensors, "odd \"name\"\\ \xc3\xa9/\n", sluice_tensor_new_int64 (G_MININT64));
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  g_remove (f->path);
  g_rmdir (f->folder);
  g_free (f->path);
  g_free (f->folder);
  g_array_unref (f->tensors);
}

static void
write_all (Fixture *f, const char *state)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (sluice_safetensors_write (f->path, f->tensors, state, &error));
  g_assert_no_error (error);
}

static char *
read_file (Fixture *f, gsize *length)
{
  char *bytes;
  g_assert_true (g_file_get_contents (f->path, &bytes, length, NULL));
  return bytes;
}

static void
test_round_trip (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *state = NULL;
  write_all (f, "{\"step\": 7, \"text\": \"\\u00e9 \\\" \"}");
  g_autoptr (GArray) read = sluice_safetensors_read (f->path, &state, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (state, ==, "{\"step\": 7, \"text\": \"\\u00e9 \\\" \"}");
  g_assert_cmpuint (read->len, ==, f->tensors->len);
  for (guint i = 0; i < read->len; i++)
    {
      const SluiceNamedTensor *got = &g_array_index (read, SluiceNamedTensor, i);
      gboolean found = FALSE;
      for (guint k = 0; k < f->tensors->len; k++)
        {
          const SluiceNamedTensor *want = &g_array_index (f->tensors, SluiceNamedTensor, k);
          found |= strcmp (got->name, want->name) == 0
                   && sluice_tensor_identical (got->tensor, want->tensor);
        }
      g_assert_true (found);
    }
}

static void
test_no_state (Fixture *f, gconstpointer unused)
{
  g_autofree char *state = NULL;
  write_all (f, NULL);
  g_autoptr (GArray) read = sluice_safetensors_read (f->path, &state, NULL);
  g_assert_nonnull (read);
  g_assert_null (state);
}

/* Whatever the order in which the tensors came. */
static void
test_same_bytes (Fixture *f, gconstpointer unused)
{
  gsize n, m;
  write_all (f, "{}");
  g_autofree char *first = read_file (f, &n);
  for (guint i = 0; i < f->tensors->len / 2; i++)
    {
      SluiceNamedTensor *a = &g_array_index (f->tensors, SluiceNamedTensor, i);
      SluiceNamedTensor *b =
          &g_array_index (f->tensors, SluiceNamedTensor, f->tensors->len - 1 - i);
      SluiceNamedTensor swap = *a;
      *a = *b;
      *b = swap;
    }
  write_all (f, "{}");
  g_autofree char *second = read_file (f, &m);
  g_assert_cmpmem (first, n, second, m);
  guint64 header;
  memcpy (&header, first, 8);
  g_assert_cmpuint (GUINT64_FROM_LE (header) % 8, ==, 0);
}

static void
assert_damaged (const char *bytes, gsize length)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *copy = g_memdup2 (bytes, length);
  g_autoptr (GArray) read = sluice_safetensors_parse (copy, length, NULL, &error);
  g_assert_null (read);
  g_assert_cmpint (error->domain, ==, SLUICE_ERROR);
}

static void
test_torn (Fixture *f, gconstpointer unused)
{
  gsize n;
  write_all (f, "{\"step\": 7}");
  g_autofree char *bytes = read_file (f, &n);
  for (gsize length = 0; length < n; length++)
    assert_damaged (bytes, length);
  g_autofree char *longer = g_malloc0 (n + 1);
  memcpy (longer, bytes, n);
  assert_damaged (longer, n + 1);
}

/* Never a crash; either an error or whole tensors. */
static void
test_mutated (Fixture *f, gconstpointer unused)
{
  gsize n;
  write_all (f, "{\"step\": 7}");
  g_autofree char *bytes = read_file (f, &n);
  for (guint round = 0; round < 4000; round++)
    {
      g_autofree char *copy = g_memdup2 (bytes, n);
      for (int k = g_test_rand_int_range (1, 5); k > 0; k--)
        copy[g_test_rand_int_range (0, (gint32) n)] = g_test_rand_int ();
      g_autoptr (GError) error = NULL;
      g_autofree char *state = NULL;
      g_autoptr (GArray) read = sluice_safetensors_parse (copy, n, &state, &error);
      g_assert_true ((read == NULL) == (error != NULL));
    }
}

/* Any bit of it, wherever it lies: header, checksums, data, padding. */
static void
test_flipped (Fixture *f, gconstpointer unused)
{
  gsize n;
  add (f->tensors, "large", sluice_tensor_new_zeros (SLUICE_FLOAT, &SLUICE_SHAPE (5000)));
  write_all (f, "{\"step\": 7}");
  g_autofree char *bytes = read_file (f, &n);
  /* One of each byte of the first part, then one of each 4 KiB. */
  for (gsize at = 0; at < MIN (n, 6000); at++)
    {
      int bit = at < 64 ? (int) (at % 8) : g_test_rand_int_range (0, 8);
      bytes[at] ^= 1 << bit;
      assert_damaged (bytes, n);
      bytes[at] ^= 1 << bit;
    }
  for (gsize block = 0; block < n; block += 4096)
    {
      gsize at = block + (gsize) g_test_rand_int_range (0, (gint32) MIN (4096, n - block));
      int bit = g_test_rand_int_range (0, 8);
      bytes[at] ^= 1 << bit;
      assert_damaged (bytes, n);
      bytes[at] ^= 1 << bit;
    }
  g_autoptr (GArray) read = sluice_safetensors_parse (bytes, n, NULL, NULL);
  g_assert_nonnull (read);
}

/* Which tensor it is, and in which file. */
static void
test_flipped_name (Fixture *f, gconstpointer unused)
{
  gsize n;
  write_all (f, NULL);
  g_autofree char *bytes = read_file (f, &n);
  bytes[n - 1] ^= 1; /* the last by name */
  g_assert_true (g_file_set_contents (f->path, bytes, (gssize) n, NULL));
  g_autoptr (GError) error = NULL;
  g_assert_null (sluice_safetensors_read (f->path, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS);
  g_assert_nonnull (strstr (error->message, f->path));
  g_assert_nonnull (strstr (error->message, "tensor 'uint8'"));
  g_assert_nonnull (strstr (error->message, "checksum"));
}

static void
check_header (const char *header, gsize n_data, gboolean good)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint64 length = GUINT64_TO_LE ((guint64) strlen (header));
  g_autofree guint8 *data = g_malloc0 (n_data + 1);
  g_byte_array_append (bytes, (const guint8 *) &length, 8);
  g_byte_array_append (bytes, (const guint8 *) header, strlen (header));
  g_byte_array_append (bytes, data, n_data);
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) read =
      sluice_safetensors_parse ((const char *) bytes->data, bytes->len, NULL, &error);
  if ((read != NULL) != good)
    g_error ("%s: %s", header, error != NULL ? error->message : "was taken");
  g_assert_true (good || error->domain == SLUICE_ERROR);
}

#define ENTRY(dtype, shape, offsets)                                                               \
  "{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static void
test_headers (Fixture *f, gconstpointer unused)
{
  check_header ("{}", 0, TRUE);
  check_header ("{\"a\":" ENTRY ("F32", "[2]", "[0,8]") "}", 8, TRUE);
  check_header ("{\"a\":" ENTRY ("F32", "[]", "[0,4]") "}   ", 4, TRUE);
  check_header ("{\"b\":" ENTRY ("U8", "[2]", "[4,6]") ",\"a\":" ENTRY ("F32", "[1]", "[0,4]") "}",
                6, TRUE);
  check_header ("{\"__metadata__\":{\"who\":\"else\"}}", 0, TRUE);
  static const char *const bad[] = {
    "",
    "[]",
    "3",
    "null",
    "{",
    "{\"a\":3}",
    "{\"a\":{}}",
    "{\"__metadata__\":3}",
    "{\"a\":" ENTRY ("F31", "[2]", "[0,8]") "}",
    "{\"a\":" ENTRY ("F32", "[3]", "[0,8]") "}",
    "{\"a\":" ENTRY ("F32", "[2]", "[0,7]") "}",
    "{\"a\":" ENTRY ("F32", "[2]", "[8,0]") "}",
    "{\"a\":" ENTRY ("F32", "[2]", "[0,16]") "}",
    "{\"a\":" ENTRY ("F32", "[1]", "[4,8]") "}", /* a hole */
    "{\"a\":" ENTRY ("F32", "[1]", "[0,4]") "}", /* bytes behind it */
    "{\"a\":" ENTRY ("F32", "[2]", "[0,8]") ",\"b\":" ENTRY ("F32", "[1]", "[4,8]") "}",
    "{\"a\":" ENTRY ("F32", "[-2]", "[0,8]") "}",
    "{\"a\":" ENTRY ("F32", "[2.0]", "[0,8]") "}",
    "{\"a\":" ENTRY ("F32", "[\"2\"]", "[0,8]") "}",
    "{\"a\":" ENTRY ("F32", "[[2]]", "[0,8]") "}",
    "{\"a\":" ENTRY ("F32", "[{}]", "[0,8]") "}",
    "{\"a\":" ENTRY ("F32", "[null]", "[0,8]") "}",
    "{\"a\":" ENTRY ("F32", "{}", "[0,8]") "}",
    "{\"a\":" ENTRY ("F32", "[2]", "[0]") "}",
    "{\"a\":" ENTRY ("F32", "[2]", "[0,8,9]") "}",
    "{\"a\":" ENTRY ("F32", "[2]", "[[0],[8]]") "}",
    "{\"a\":" ENTRY ("F32", "[1,1,1,1,1,1,1,1,2]", "[0,8]") "}",
    "{\"a\":" ENTRY ("F32", "[4611686018427387904,4611686018427387904]", "[0,8]") "}",
    "{\"a\":" ENTRY ("F32", "[9223372036854775807]", "[0,8]") "}",
  };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    check_header (bad[i], 8, FALSE);
  g_autofree char *deep = g_strnfill (1000000, '[');
  check_header (deep, 8, FALSE);
  g_autofree char *nested = g_strconcat ("{\"a\":", deep, NULL);
  check_header (nested, 8, FALSE);
}

static void
test_files (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (sluice_safetensors_read (f->path, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_autofree char *nowhere = g_build_filename (f->folder, "none", "a", NULL);
  g_assert_false (sluice_safetensors_write (nowhere, f->tensors, NULL, &error));
  g_assert_cmpint (error->domain, ==, SLUICE_ERROR);
  g_assert_nonnull (strstr (error->message, nowhere));
  g_clear_error (&error);
  add (f->tensors, "text", sluice_tensor_new_string ("x", 1));
  g_assert_false (sluice_safetensors_write (f->path, f->tensors, NULL, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_UNIMPLEMENTED);
  g_assert_nonnull (strstr (error->message, "'text'"));
  g_assert_false (g_file_test (f->path, G_FILE_TEST_EXISTS));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func) g_test_add ("/checkpoint/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("round-trip", test_round_trip);
  ADD ("no-state", test_no_state);
  ADD ("same-bytes", test_same_bytes);
  ADD ("torn", test_torn);
  ADD ("flipped", test_flipped);
  ADD ("flipped-name", test_flipped_name);
  ADD ("mutated", test_mutated);
  ADD ("headers", test_headers);
  ADD ("files", test_files);
  return g_test_run ();
}
