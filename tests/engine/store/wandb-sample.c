/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */

#include "tests/engine/store/wandb-sample.h"

#include <zlib.h>

#include "engine/base/wire.h"

#define BLOCK 32768
#define FRAME 7

void
wandb_sample_begin (GByteArray *log)
{
  g_byte_array_append (log, (const guint8 *) ":W&B\xe1\xbe\0", FRAME);
}

static void
put_frame (GByteArray *log, guint8 type, const guint8 *data, gsize n)
{
  guint8 frame[FRAME] = { 0, 0, 0, 0, (guint8) n, (guint8) (n >> 8), type };
  guint32 sum = (guint32) crc32 (crc32 (0, NULL, 0), &type, 1);
  sum = GUINT32_TO_LE ((guint32) crc32 (sum, data, (uInt) n));
  memcpy (frame, &sum, sizeof sum);
  g_byte_array_append (log, frame, sizeof frame);
  g_byte_array_append (log, data, (guint) n);
}

void
wandb_sample_put (GByteArray *log, const guint8 *record, gsize length)
{
  gboolean is_first = TRUE, is_last = FALSE;
  while (!is_last)
    {
      gsize left = BLOCK - log->len % BLOCK;
      if (left < FRAME)
        {
          g_byte_array_append (log, (const guint8[FRAME]){ 0 }, (guint) left);
          left = BLOCK;
        }
      gsize n = MIN (length, left - FRAME);
      is_last = n == length;
      put_frame (log, is_first && is_last ? 1 : is_first ? 2 : is_last ? 4 : 3, record, n);
      record += n;
      length -= n;
      is_first = FALSE;
    }
}

/* A record with one message in it. */
static void
put_message (GByteArray *log, guint32 field, GByteArray *message)
{
  g_autoptr (GByteArray) record = g_byte_array_new ();
  sluice_wire_put_bytes (record, field, message->data, message->len);
  wandb_sample_put (log, record->data, record->len);
}

static void
put_item (GByteArray *message, const char *key, const char *json)
{
  g_autoptr (GByteArray) item = g_byte_array_new ();
  sluice_wire_put_text (item, 1, key);
  sluice_wire_put_text (item, 16, json);
  sluice_wire_put_bytes (message, 1, item->data, item->len);
}

void
wandb_sample_put_point (GByteArray *log, gint64 step, const char *key, const char *json)
{
  g_autoptr (GByteArray) history = g_byte_array_new (), number = g_byte_array_new ();
  put_item (history, key, json);
  put_item (history, "_timestamp", "1600000000.5");
  sluice_wire_put_int (number, 1, step);
  sluice_wire_put_bytes (history, 2, number->data, number->len);
  put_message (log, 2, history);
}

void
wandb_sample_put_run (GByteArray *log, const char *name, const char *key, const char *json)
{
  g_autoptr (GByteArray) run = g_byte_array_new (), config = g_byte_array_new ();
  put_item (config, key, json);
  sluice_wire_put_text (run, 3, "project");
  sluice_wire_put_bytes (run, 4, config->data, config->len);
  sluice_wire_put_text (run, 6, "group");
  sluice_wire_put_text (run, 8, name);
  sluice_wire_put_text (run, 9, "notes");
  sluice_wire_put_text (run, 10, "tag");
  put_message (log, 17, run);
}

void
wandb_sample_put_exit (GByteArray *log, gint64 code)
{
  g_autoptr (GByteArray) message = g_byte_array_new ();
  sluice_wire_put_int (message, 1, code);
  put_message (log, 18, message);
}

void
wandb_sample_sign (guint8 *bytes, gsize length)
{
  for (gsize at = FRAME; at + FRAME <= length;)
    {
      if (BLOCK - at % BLOCK < FRAME)
        at += BLOCK - at % BLOCK;
      if (at + FRAME > length)
        return;
      gsize n = bytes[at + 4] | (gsize) bytes[at + 5] << 8;
      if (n > length - at - FRAME)
        return;
      guint32 sum = (guint32) crc32 (crc32 (0, NULL, 0), bytes + at + 6, (uInt) n + 1);
      sum = GUINT32_TO_LE (sum);
      memcpy (bytes + at, &sum, sizeof sum);
      at += FRAME + n;
    }
}
