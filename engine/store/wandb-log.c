/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "engine/store/wandb-log.h"

#include <glib/gi18n-lib.h>
#include <string.h>
#include <zlib.h>

#include "engine/base/wire.h"

#define BLOCK       32768
#define FRAME_BYTES 7 /* checksum, length, type */
#define MAX_RECORD  ((gsize) 512 << 20)

static const guint8 header[SLUICE_WANDB_HEADER] = { ':', 'W', '&', 'B', 0xe1, 0xbe, 0 };

enum
{
  FRAME_FULL = 1,
  FRAME_FIRST,
  FRAME_MIDDLE,
  FRAME_LAST,
};

gboolean
sluice_wandb_log_is_one (const guint8 *bytes, gsize length)
{
  return length >= sizeof header && memcmp (bytes, header, sizeof header) == 0;
}

/* next: where reading goes on */
static SluiceWandbResult
fail (const char *message, gsize next, gsize *offset, const char **what)
{
  *what = message;
  *offset = next;
  return SLUICE_WANDB_DAMAGED;
}

/* One frame, whose data begin at *data. */
static SluiceWandbResult
next_frame (const guint8 *bytes,
            gsize length,
            gsize *at,
            gsize *data,
            gsize *n,
            guint *type,
            const char **what)
{
  gsize left = BLOCK - *at % BLOCK;
  if (left < FRAME_BYTES)
    *at += left; /* zeros */
  if (*at >= length)
    return SLUICE_WANDB_END;
  if (length - *at < FRAME_BYTES)
    return SLUICE_WANDB_TORN;
  guint32 sum = sluice_wire_get_fixed_32 (bytes + *at);
  *n = bytes[*at + 4] | (gsize) bytes[*at + 5] << 8;
  *type = bytes[*at + 6];
  *data = *at + FRAME_BYTES;
  if (*type < FRAME_FULL || *type > FRAME_LAST || *n > BLOCK - FRAME_BYTES - *at % BLOCK)
    {
      *what = N_ ("where a record is to begin there is none");
      return SLUICE_WANDB_DAMAGED;
    }
  if (length - *data < *n)
    return SLUICE_WANDB_TORN;
  if (crc32 (crc32 (0, NULL, 0), bytes + *at + 6, (uInt) *n + 1) != sum)
    {
      *what = N_ ("the checksum of a record is wrong");
      return SLUICE_WANDB_DAMAGED;
    }
  *at = *data + *n;
  return SLUICE_WANDB_ONE;
}

SluiceWandbResult
sluice_wandb_log_next (
    const guint8 *bytes, gsize length, gsize *offset, GByteArray *record, const char **what)
{
  gsize at = *offset, data = 0, n = 0;
  guint type = 0;
  gboolean is_open = FALSE;
  g_byte_array_set_size (record, 0);
  do
    {
      gsize begin = at;
      SluiceWandbResult result = next_frame (bytes, length, &at, &data, &n, &type, what);
      if (result == SLUICE_WANDB_END)
        return is_open ? SLUICE_WANDB_TORN : result;
      if (result == SLUICE_WANDB_TORN)
        return result;
      if (result == SLUICE_WANDB_DAMAGED)
        return fail (*what, MIN ((begin / BLOCK + 1) * BLOCK, length), offset, what);
      if (is_open != (type == FRAME_MIDDLE || type == FRAME_LAST))
        return fail (N_ ("a part of a record stands alone"), is_open ? begin : at, offset, what);
      if (record->len + n > MAX_RECORD)
        return fail (N_ ("a record is larger than any can be"), at, offset, what);
      is_open = TRUE;
      g_byte_array_append (record, bytes + data, (guint) n);
    }
  while (type != FRAME_FULL && type != FRAME_LAST);
  *offset = at;
  return SLUICE_WANDB_ONE;
}
