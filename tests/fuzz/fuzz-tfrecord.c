/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/*
 * Fuzzes the reader of record and text files. The first byte says how the rest is packed, and
 * whether the records' checksums are made right, because chance does not find them.
 */
#include <string.h>

#include "engine/store/crc32c.h"
#include "engine/store/input.h"
#include "tests/fuzz/fuzz-driver.h"

#define SIGNED    4
#define MAX_BYTES (1 << 22) /* packed data may unfold to any size */

void
fuzz_init (void)
{
}

/* Puts the right checksums where records are. */
static void
sign (guint8 *bytes, gsize size)
{
  gsize at = 0;
  while (size - at >= 12)
    {
      guint64 length;
      guint32 crc = sluice_crc32c_stored (bytes + at, 8);
      memcpy (&length, bytes + at, 8);
      length = GUINT64_FROM_LE (length);
      memcpy (bytes + at + 8, &crc, 4);
      at += 12;
      if (size - at < 4 || length > size - at - 4)
        return;
      crc = sluice_crc32c_stored (bytes + at, length);
      memcpy (bytes + at + length, &crc, 4);
      at += length + 4;
    }
}

typedef SluiceReadResult (*ReadFunc) (SluiceInput *input, GString *out, GError **error);

static void
read_all (const guint8 *bytes, gsize size, SluiceEncoding encoding, ReadFunc read)
{
  g_autoptr (SluiceInput) input = sluice_input_new_bytes (bytes, size, encoding);
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  SluiceReadResult result = SLUICE_READ_ONE;
  while (result == SLUICE_READ_ONE && sluice_input_get_position (input) < MAX_BYTES)
    {
      guint64 before = sluice_input_get_position (input);
      result = read (input, out, &error);
      g_assert_true ((result == SLUICE_READ_FAILED) == (error != NULL));
      g_assert_cmpuint (sluice_input_get_position (input) + (result != SLUICE_READ_ONE), >, before);
    }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  if (size == 0)
    return 0;
  SluiceEncoding encoding = data[0] % 4 % 3;
  g_autofree guint8 *bytes = g_memdup2 (data + 1, size - 1);
  if (data[0] & SIGNED && encoding == SLUICE_ENCODING_NONE)
    sign (bytes, size - 1);
  read_all (bytes, size - 1, encoding, sluice_input_read_record);
  read_all (bytes, size - 1, encoding, sluice_input_read_line);
  return 0;
}

static void
add_seed (GPtrArray *seeds, guint8 mode, const void *bytes, gsize length)
{
  GByteArray *out = g_byte_array_new ();
  g_byte_array_append (out, &mode, 1);
  g_byte_array_append (out, bytes, length);
  g_ptr_array_add (seeds, g_byte_array_free_to_bytes (out));
}

GPtrArray *
fuzz_seeds (void)
{
  /* Records "ab" and "", and zlib's and gzip's form of "a\n". */
  static const guint8 records[] = { 2, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 'a', 'b', 1, 1, 1,
                                    1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1,   1,   1, 1, 1 };
  static const guint8 zlib[] = { 0x78, 0x9c, 0x4b, 0xe4, 0x02, 0x00, 0x00, 0xce, 0x00, 0x6c };
  static const guint8 gzip[] = { 0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x4b,
                                 0xe4, 0x02, 0x00, 0x07, 0xa1, 0xea, 0xdd, 0x02, 0x00, 0x00, 0x00 };
  GPtrArray *seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  add_seed (seeds, SIGNED, records, sizeof records);
  add_seed (seeds, SLUICE_ENCODING_NONE, "one\r\ntwo\n\nend", 13);
  add_seed (seeds, SLUICE_ENCODING_ZLIB, zlib, sizeof zlib);
  add_seed (seeds, SLUICE_ENCODING_GZIP, gzip, sizeof gzip);
  return seeds;
}
