/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#pragma once

#include <glib.h>

/* Numbers in 7 bits a byte, least first: of protocol buffers, of tables and of bundles. */

static inline void
sluice_put_varint (GByteArray *out, guint64 value)
{
  guint8 bytes[10];
  guint n = 0;
  for (; value >= 128; value >>= 7)
    bytes[n++] = value | 128;
  bytes[n++] = value;
  g_byte_array_append (out, bytes, n);
}

/* Moves *at behind the number; FALSE where it is cut off or has too many bytes. */
static inline gboolean
sluice_get_varint (const char **at, const char *end, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; shift < 64 && *at < end; shift += 7)
    {
      guint8 byte = *(*at)++;
      *value |= (guint64) (byte & 127) << shift;
      if (byte < 128)
        return TRUE;
    }
  return FALSE;
}
