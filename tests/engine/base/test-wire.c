/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

/* Fields of protocol buffers: written, read again, and refused where they are none. */
#include <string.h>

#include "engine/base/wire.h"

/* Bytes as protoc writes them; sluice_wire_next() reads them back. */
static void
test_bytes (void)
{
  static const guint8 expected[] = {
    0x08, 0x96, 0x01,                                                 /* 1: 150 */
    0x12, 0x02, 'h',  'i',                                            /* 2: "hi" */
    0x1d, 0x00, 0x00, 0x80, 0x3f,                                     /* 3: 1.0f */
    0x21, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80,             /* 4: -0.0 */
    0x28, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, /* 5: -1 */
    0x30, 0x00,                                                       /* 6: 0, as of a oneof */
    0x82, 0x01, 0x00,                                                 /* 16: "" */
  };
  g_autoptr (GByteArray) out = g_byte_array_new ();
  sluice_wire_put_int (out, 1, 150);
  sluice_wire_put_text (out, 2, "hi");
  sluice_wire_put_float (out, 3, 1);
  sluice_wire_put_double (out, 4, -0.0);
  sluice_wire_put_int (out, 5, -1);
  sluice_wire_put_number (out, 6, 0);
  sluice_wire_put_int (out, 7, 0);
  sluice_wire_put_double (out, 7, 0);
  sluice_wire_put_bytes (out, 16, NULL, 0);
  g_assert_cmpmem (out->data, out->len, expected, sizeof expected);

  static const guint numbers[] = { 1, 2, 3, 4, 5, 6, 16 };
  static const guint types[] = { SLUICE_WIRE_VARINT,   SLUICE_WIRE_BYTES,  SLUICE_WIRE_FIXED_32,
                                 SLUICE_WIRE_FIXED_64, SLUICE_WIRE_VARINT, SLUICE_WIRE_VARINT,
                                 SLUICE_WIRE_BYTES };
  static const guint64 values[] = { 150, 0, 0, 0, G_MAXUINT64, 0, 0 };
  const guint8 *at = out->data, *end = at + out->len;
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      SluiceWireField field;
      g_assert_true (sluice_wire_next (&at, end, &field));
      g_assert_cmpuint (field.number, ==, numbers[i]);
      g_assert_cmpuint (field.wire_type, ==, types[i]);
      g_assert_cmpuint (field.value, ==, values[i]);
      g_assert_true (field.data + field.length == at);
      if (i == 1)
        g_assert_cmpmem (field.data, field.length, "hi", 2);
    }
  g_assert_true (at == end);
}

static void
test_varints (void)
{
  for (guint shift = 0; shift < 64; shift++)
    for (gint64 off = -1; off <= 1; off++)
      {
        guint64 value = ((guint64) 1 << shift) + (guint64) off, got;
        g_autoptr (GByteArray) out = g_byte_array_new ();
        sluice_wire_put_varint (out, value);
        const guint8 *at = out->data, *end = at + out->len;
        g_assert_cmpuint (out->len, ==, value == 0 ? 1 : (g_bit_storage (value) + 6) / 7);
        g_assert_true (sluice_wire_read_varint (&at, end, &got));
        g_assert_true (at == end);
        g_assert_cmpuint (got, ==, value);
        /* Cut off anywhere it is none. */
        for (guint n = 0; n < out->len; n++)
          {
            at = out->data;
            g_assert_false (sluice_wire_read_varint (&at, out->data + n, &got));
          }
      }
}

/* What is no field, each at the end of its memory: a sanitizer sees who reads on. */
static void
test_nonsense (void)
{
  static const struct
  {
    const char *what, *bytes;
    gsize length;
  } cases[] = {
    { "nothing", "", 0 },
    { "number 0", "\x00\x01", 2 },
    { "a number over 2^29", "\x80\x80\x80\x80\x10\x01", 6 },
    { "a cut-off tag", "\x80", 1 },
    { "no varint behind the tag", "\x08", 1 },
    { "a cut-off varint", "\x08\xff", 2 },
    { "a varint of 11 bytes", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12 },
    { "bytes without length", "\x0a", 1 },
    { "a byte too few", "\x0a\x02x", 3 },
    { "a length near 2^64", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01x", 12 },
    { "a short double", "\x09\0\0\0\0\0\0\0", 8 },
    { "a short float", "\x0d\0\0\0", 4 },
    { "a group", "\x0b\x0c", 2 },
    { "an unknown type", "\x0e\x00", 2 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree guint8 *copy = g_memdup2 (cases[i].bytes, cases[i].length);
      const guint8 *at = copy, *end = copy != NULL ? copy + cases[i].length : NULL;
      SluiceWireField field;
      g_test_message ("%s", cases[i].what);
      g_assert_false (sluice_wire_next (&at, end, &field));
      g_assert_true (at == copy);
    }
}

/* A message empties itself, for the next one. */
static void
test_messages (void)
{
  const double doubles[] = { 1, -2.5 };
  g_autoptr (GByteArray) out = g_byte_array_new (), message = g_byte_array_new ();
  sluice_wire_put_doubles (message, 1, doubles, 2);
  sluice_wire_put_doubles (message, 2, doubles, 0);
  sluice_wire_put_message (out, 3, message);
  g_assert_cmpuint (message->len, ==, 0);
  const guint8 *at = out->data;
  SluiceWireField field, inner;
  g_assert_true (sluice_wire_next (&at, out->data + out->len, &field));
  g_assert_cmpuint (field.number, ==, 3);
  at = field.data;
  g_assert_true (sluice_wire_next (&at, field.data + field.length, &inner));
  g_assert_cmpuint (inner.length, ==, 16);
  guint64 second;
  memcpy (&second, inner.data + 8, 8);
  g_assert_cmphex (GUINT64_FROM_LE (second), ==, 0xc004000000000000);
  g_assert_true (at == out->data + out->len);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wire/bytes", test_bytes);
  g_test_add_func ("/wire/varints", test_varints);
  g_test_add_func ("/wire/nonsense", test_nonsense);
  g_test_add_func ("/wire/messages", test_messages);
  return g_test_run ();
}
