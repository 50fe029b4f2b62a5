/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>
#include <string.h>

/*
 * The wire format of protocol buffers: what writes and reads messages without descriptors
 * (summaries, traces, events, pieces of graphs and of bundles). Whole messages by their descriptors
 * are protobuf-c's (engine/graph/wire.h).
 */

typedef enum
{
  SLUICE_WIRE_VARINT = 0,
  SLUICE_WIRE_FIXED_64 = 1,
  SLUICE_WIRE_BYTES = 2, /* texts, messages and packed lists too */
  SLUICE_WIRE_FIXED_32 = 5
} SluiceWireType;

/* ---- reading ---- */

typedef struct
{
  guint32 number;
  guint wire_type;
  const guint8 *data; /* payload of a length-delimited field; the bytes of a number */
  gsize length;
  guint64 value; /* of a varint */
} SluiceWireField;

/* More than 127. Use sluice_wire_read_varint(). */
gboolean sluice_wire_read_long_varint (const guint8 **at, const guint8 *end, guint64 *value);

/* Seven bits a byte, least first. FALSE where the number is cut off or has more than 10 bytes. */
static inline gboolean
sluice_wire_read_varint (const guint8 **at, const guint8 *end, guint64 *value)
{
  if (G_UNLIKELY (*at >= end || **at >= 0x80))
    return sluice_wire_read_long_varint (at, end, value);
  *value = *(*at)++;
  return TRUE;
}

/**
 * sluice_wire_next:
 * @at: (inout): where the field begins; behind it afterwards, where there is one
 *
 * Reads one field of a message, whose bytes need not be trusted. Inline: who reads gigabytes of
 * small messages spends its time here.
 *
 * Returns: FALSE at the end, and where the bytes are no field: cut off, longer than what is there,
 * of number 0 or of a group's type. Who wants to know which asks whether at < end.
 */
static inline gboolean
sluice_wire_next (const guint8 **at, const guint8 *end, SluiceWireField *field)
{
  const guint8 *next = *at; /* stays there where there is no field */
  guint64 tag, length;
  if (next >= end || !sluice_wire_read_varint (&next, end, &tag) || tag >> 32 != 0 || tag >> 3 == 0)
    return FALSE;
  field->number = (guint32) (tag >> 3);
  field->wire_type = (guint) (tag & 7);
  field->data = next;
  field->value = 0;
  switch (field->wire_type)
    {
    case SLUICE_WIRE_VARINT:
      if (!sluice_wire_read_varint (&next, end, &field->value))
        return FALSE;
      field->length = (gsize) (next - field->data);
      *at = next;
      return TRUE;
    case SLUICE_WIRE_BYTES:
      if (!sluice_wire_read_varint (&next, end, &length))
        return FALSE;
      field->data = next;
      break;
    case SLUICE_WIRE_FIXED_64:
      length = 8;
      break;
    case SLUICE_WIRE_FIXED_32:
      length = 4;
      break;
    default:
      return FALSE;
    }
  if (length > (gsize) (end - next))
    return FALSE;
  field->length = length;
  *at = next + length;
  return TRUE;
}

/* The number that eight or four bytes of a file are, least byte first. */
static inline guint64
sluice_wire_get_fixed_64 (const void *bytes)
{
  guint64 value;
  memcpy (&value, bytes, sizeof value);
  return GUINT64_FROM_LE (value);
}

static inline guint32
sluice_wire_get_fixed_32 (const void *bytes)
{
  guint32 value;
  memcpy (&value, bytes, sizeof value);
  return GUINT32_FROM_LE (value);
}

static inline double
sluice_wire_get_double (const void *bytes)
{
  guint64 bits = sluice_wire_get_fixed_64 (bytes);
  double value;
  memcpy (&value, &bits, sizeof value);
  return value;
}

static inline float
sluice_wire_get_float (const void *bytes)
{
  guint32 bits = sluice_wire_get_fixed_32 (bytes);
  float value;
  memcpy (&value, &bits, sizeof value);
  return value;
}

/* ---- writing ---- */

/* Fields come in order of their numbers, and numbers that are zero are left out (by their bits: -0
 * stays), as TensorFlow's C++ does. */

void sluice_wire_put_varint (GByteArray *out, guint64 value);
void sluice_wire_put_bytes (GByteArray *out, guint field, const void *data, gsize length);
void sluice_wire_put_int (GByteArray *out, guint field, gint64 value); /* nothing where it is 0 */
/* Also 0: of a oneof or of a list. */
void sluice_wire_put_number (GByteArray *out, guint field, guint64 value);
void
sluice_wire_put_double (GByteArray *out, guint field, double value);    /* nothing where it is 0 */
void sluice_wire_put_float (GByteArray *out, guint field, float value); /* also 0: of a oneof */
void sluice_wire_put_doubles (GByteArray *out, guint field, const double *values, guint n);
void sluice_wire_put_text (GByteArray *out, guint field, const char *text);
/* Empties the message, for the next one. */
void sluice_wire_put_message (GByteArray *out, guint field, GByteArray *message);
