/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/wire.h"

#include <string.h>

/* ---- reading ---- */

gboolean
sluice_wire_read_long_varint (const guint8 **at, const guint8 *end, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; *at < end && shift < 70; shift += 7)
    {
      guint8 byte = *(*at)++;
      *value |= (guint64) (byte & 0x7f) << shift;
      if (byte < 0x80)
        return TRUE;
    }
  return FALSE;
}

/* ---- writing ---- */

#define MAX_VARINT 10 /* bytes */

static guint
encode_varint (guint8 bytes[MAX_VARINT], guint64 value)
{
  guint n = 0;
  for (; value >= 0x80; value >>= 7)
    bytes[n++] = (guint8) (value | 0x80);
  bytes[n++] = (guint8) value;
  return n;
}

void
sluice_wire_put_varint (GByteArray *out, guint64 value)
{
  guint8 bytes[MAX_VARINT];
  g_byte_array_append (out, bytes, encode_varint (bytes, value));
}

static void
put_tag (GByteArray *out, guint field, SluiceWireType type)
{
  sluice_wire_put_varint (out, (guint64) field << 3 | type);
}

static void
put_tag_and_varint (GByteArray *out, guint field, SluiceWireType type, guint64 value)
{
  guint8 bytes[2 * MAX_VARINT];
  guint n = encode_varint (bytes, (guint64) field << 3 | type);
  n += encode_varint (bytes + n, value);
  g_byte_array_append (out, bytes, n);
}

void
sluice_wire_put_bytes (GByteArray *out, guint field, const void *data, gsize length)
{
  put_tag_and_varint (out, field, SLUICE_WIRE_BYTES, length);
  g_byte_array_append (out, data, (guint) length);
}

void
sluice_wire_put_number (GByteArray *out, guint field, guint64 value)
{
  put_tag_and_varint (out, field, SLUICE_WIRE_VARINT, value);
}

void
sluice_wire_put_int (GByteArray *out, guint field, gint64 value)
{
  if (value != 0)
    sluice_wire_put_number (out, field, (guint64) value);
}

static void
append_little_endian (GByteArray *out, guint64 bits, guint n)
{
  for (guint i = 0; i < n; i++)
    g_byte_array_append (out, &(guint8){ (guint8) (bits >> (8 * i)) }, 1);
}

static guint64
double_bits (double value)
{
  guint64 bits;
  memcpy (&bits, &value, sizeof bits);
  return bits;
}

void
sluice_wire_put_double (GByteArray *out, guint field, double value)
{
  if (double_bits (value) == 0)
    return;
  put_tag (out, field, SLUICE_WIRE_FIXED_64);
  append_little_endian (out, double_bits (value), 8);
}

void
sluice_wire_put_float (GByteArray *out, guint field, float value)
{
  guint32 bits;
  memcpy (&bits, &value, sizeof bits);
  put_tag (out, field, SLUICE_WIRE_FIXED_32);
  append_little_endian (out, bits, 4);
}

void
sluice_wire_put_doubles (GByteArray *out, guint field, const double *values, guint n)
{
  if (n == 0)
    return;
  put_tag_and_varint (out, field, SLUICE_WIRE_BYTES, 8 * (guint64) n);
  for (guint i = 0; i < n; i++)
    append_little_endian (out, double_bits (values[i]), 8);
}

void
sluice_wire_put_text (GByteArray *out, guint field, const char *text)
{
  sluice_wire_put_bytes (out, field, text, strlen (text));
}

void
sluice_wire_put_message (GByteArray *out, guint field, GByteArray *message)
{
  sluice_wire_put_bytes (out, field, message->data, message->len);
  g_byte_array_set_size (message, 0);
}
