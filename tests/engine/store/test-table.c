/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Tables with blocks that we do not write ourselves: compressed ones, put together byte by byte. */
#include <snappy-c.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/store/crc32c.h"
#include "engine/store/table.h"
#include "engine/base/wire.h"

#define FOOTER_HANDLES 40

static void
put_entry (GByteArray *block, const char *key, const void *value, gsize length)
{
  sluice_wire_put_varint (block, 0);
  sluice_wire_put_varint (block, strlen (key));
  sluice_wire_put_varint (block, length);
  g_byte_array_append (block, (const guint8 *) key, strlen (key));
  g_byte_array_append (block, value, length);
}

/* The block with one restart point, and its handle. */
static void
put_block (GByteArray *out, GByteArray *block, char type, GByteArray *handle)
{
  const guint32 restarts[2] = { 0, GUINT32_TO_LE (1) };
  g_byte_array_append (block, (const guint8 *) restarts, sizeof restarts);
  gsize length = snappy_max_compressed_length (block->len);
  g_autofree char *packed = g_malloc (length);
  g_assert_cmpint (snappy_compress ((const char *) block->data, block->len, packed, &length), ==,
                   SNAPPY_OK);
  const char *stored = type == 0 ? (const char *) block->data : packed;
  gsize n = type == 0 ? block->len : length, begin = out->len;
  sluice_wire_put_varint (handle, begin);
  sluice_wire_put_varint (handle, n);
  g_byte_array_append (out, (const guint8 *) stored, n);
  g_byte_array_append (out, (const guint8 *) &type, 1);
  guint32 crc = sluice_crc32c_stored (out->data + begin, n + 1);
  g_byte_array_append (out, (const guint8 *) &crc, sizeof crc);
}

/* One block of two keys, of that type; index and all. */
static GByteArray *
make_table (char type)
{
  GByteArray *out = g_byte_array_new ();
  g_autoptr (GByteArray) data = g_byte_array_new (), index = g_byte_array_new ();
  g_autoptr (GByteArray) handle = g_byte_array_new (), footer = g_byte_array_new ();
  g_autofree char *zeros = g_malloc0 (5000);
  put_entry (data, "a", zeros, 5000);
  put_entry (data, "b", "bee", 3);
  put_block (out, data, type, handle);
  put_entry (index, "b", handle->data, handle->len);
  g_byte_array_append (footer, (const guint8[]){ 0, 0 }, 2); /* no block of blocks */
  put_block (out, index, type, footer);
  while (footer->len < FOOTER_HANDLES)
    g_byte_array_append (footer, (const guint8[]){ 0 }, 1);
  guint64 magic = GUINT64_TO_LE (0xdb4775248b80fb57u);
  g_byte_array_append (footer, (const guint8 *) &magic, sizeof magic);
  g_byte_array_append (out, footer->data, footer->len);
  return out;
}

static gboolean
count (SluiceSpan key, SluiceSpan value, gpointer data, GError **error)
{
  *(gsize *) data += value.length;
  return TRUE;
}

static void
test_blocks (gconstpointer type)
{
  g_autoptr (GByteArray) bytes = make_table ((char) GPOINTER_TO_INT (type));
  g_autoptr (GError) error = NULL;
  g_autoptr (SluiceTable) table = sluice_table_open ((char *) bytes->data, bytes->len, &error);
  g_assert_no_error (error);
  SluiceSpan value, other;
  gsize sum = 0;
  g_assert_true (sluice_table_find (table, (SluiceSpan){ "b", 1 }, &value, &error));
  g_assert_true (sluice_table_find (table, (SluiceSpan){ "a", 1 }, &other, &error));
  g_assert_cmpmem (value.data, value.length, "bee", 3);
  g_assert_cmpuint (other.length, ==, 5000);
  g_assert_false (sluice_table_find (table, (SluiceSpan){ "aa", 2 }, &value, &error));
  g_assert_no_error (error);
  g_assert_true (sluice_table_foreach (table, count, &sum, &error));
  g_assert_cmpuint (sum, ==, 5003);
}

static void
test_unknown (void)
{
  g_autoptr (GByteArray) bytes = make_table (7);
  g_autoptr (GError) error = NULL;
  g_assert_null (sluice_table_open ((char *) bytes->data, bytes->len, &error));
  g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_UNIMPLEMENTED);
  g_assert_nonnull (strstr (error->message, "type 7"));
}

/* Every bit of the compressed block damaged in turn, with a checksum that says it is well. */
static void
test_damaged (void)
{
  g_autoptr (GByteArray) whole = make_table (1);
  guint failed = 0, end = 0; /* of the first block: where its checksum is right */
  while (!sluice_crc32c_matches (whole->data + end + 1, whole->data, end + 1))
    end++;
  for (guint bit = 0; bit < 8 * end; bit++)
    {
      g_autofree guint8 *bytes = g_memdup2 (whole->data, whole->len);
      bytes[bit / 8] ^= 1 << bit % 8;
      guint32 crc = sluice_crc32c_stored (bytes, end + 1);
      memcpy (bytes + end + 1, &crc, sizeof crc);
      g_autoptr (SluiceTable) torn = sluice_table_open ((char *) bytes, whole->len, NULL);
      g_autoptr (GError) error = NULL;
      SluiceSpan value;
      g_assert_nonnull (torn);
      if (!sluice_table_find (torn, (SluiceSpan){ "a", 1 }, &value, &error) && error != NULL)
        {
          g_assert_error (error, SLUICE_ERROR, SLUICE_ERROR_DATA_LOSS);
          failed++;
        }
    }
  g_assert_cmpuint (failed, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/table/plain", GINT_TO_POINTER (0), test_blocks);
  g_test_add_data_func ("/table/snappy", GINT_TO_POINTER (1), test_blocks);
  g_test_add_func ("/table/unknown", test_unknown);
  g_test_add_func ("/table/damaged", test_damaged);
  return g_test_run ();
}
