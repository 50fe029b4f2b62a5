/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/base/wire-put.h"

#include <string.h>

enum
{
  VARINT = 0,
  FIXED_64 = 1,
  LENGTH_DELIMITED = 2,
  FIXED_32 = 5
};

void
sluice_wire_put_varint (GByteArray *out, guint64 value)
{
  guint8 bytes[10];
  guint n = 0;
  do
    {
      bytes[n] = (guint8) (value & 0x7f);
      value >>= 7;
      bytes[n++] |= value ? 0x80 : 0;
    }
  while (value);
  g_byte_array_append (out, bytes, n);
}

static void
put_tag (GByteArray *out, guint field, guint type)
{
  sluice_wire_put_varint (out, field << 3 | type);
}

void
sluice_wire_put_bytes (GByteArray *out, guint field, const void *data, gsize length)
{
  put_tag (out, field, LENGTH_DELIMITED);
  sluice_wire_put_varint (out, length);
  g_byte_array_append (out, data, (guint) length);
}

void
sluice_wire_put_int (GByteArray *out, guint field, gint64 value)
{
  if (value == 0)
    return;
  put_tag (out, field, VARINT);
  sluice_wire_put_varint (out, (guint64) value);
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
  put_tag (out, field, FIXED_64);
  append_little_endian (out, double_bits (value), 8);
}

void
sluice_wire_put_float (GByteArray *out, guint field, float value)
{
  guint32 bits;
  memcpy (&bits, &value, sizeof bits);
  put_tag (out, field, FIXED_32);
  append_little_endian (out, bits, 4);
}

void
sluice_wire_put_doubles (GByteArray *out, guint field, const double *values, guint n)
{
  if (n == 0)
    return;
  put_tag (out, field, LENGTH_DELIMITED);
  sluice_wire_put_varint (out, 8 * (guint64) n);
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
