/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "kernels/summary/wire.h"

enum
{
  VARINT = 0,
  FIXED_64 = 1,
  LENGTH_DELIMITED = 2,
  FIXED_32 = 5
};

static gboolean
read_varint (const guint8 **at, const guint8 *end, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; shift < 64 && *at < end; shift += 7)
    {
      guint8 byte = *(*at)++;
      *value |= (guint64) (byte & 0x7f) << shift;
      if (!(byte & 0x80))
        return TRUE;
    }
  return FALSE;
}

gboolean
sluice_wire_read (const guint8 **at, const guint8 *end, SluiceWireField *field)
{
  guint64 tag, length = 0, ignored;
  if (!read_varint (at, end, &tag) || tag >> 3 == 0 || tag >> 3 > G_MAXINT32)
    return FALSE;
  field->number = (guint) (tag >> 3);
  field->type = tag & 7;
  if (field->type == VARINT)
    return read_varint (at, end, &ignored);
  if (field->type == LENGTH_DELIMITED && !read_varint (at, end, &length))
    return FALSE;
  if (field->type == FIXED_64)
    length = 8;
  else if (field->type == FIXED_32)
    length = 4;
  else if (field->type != LENGTH_DELIMITED)
    return FALSE;
  if (length > (guint64) (end - *at))
    return FALSE;
  field->data = *at;
  field->length = length;
  *at += length;
  return TRUE;
}
