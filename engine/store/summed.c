/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Sluice authors */
#include "engine/store/summed.h"

#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

#include "engine/base/pool.h"
#include "engine/store/crc32c.h"

#define CHUNK_BYTES ((gsize) 4 << 20)   /* what a thread takes at a time */
#define PIECE_BYTES ((gsize) 128 << 10) /* fits any second-level cache */
#define CHUNK_NS    1e6                 /* about, for a file in memory */

typedef struct
{
  int fd;
  gint64 offset;
  guint8 *memory;
  gsize length;
  gboolean writes;
  guint32 *crcs; /* by chunk */
  _Atomic int failure;
} Transfer;

/* 0 or an errno. */
static int
move_piece (const Transfer *t, gsize at, gsize length)
{
  while (length > 0)
    {
      gssize n = t->writes ? pwrite (t->fd, t->memory + at, length, t->offset + (gint64) at)
                           : pread (t->fd, t->memory + at, length, t->offset + (gint64) at);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return n < 0 ? errno : ENODATA;
      at += (gsize) n;
      length -= (gsize) n;
    }
  return 0;
}

static void
move_chunks (gpointer data, gint64 begin, gint64 end)
{
  Transfer *t = data;
  for (gint64 chunk = begin; chunk < end && atomic_load (&t->failure) == 0; chunk++)
    {
      gsize at = (gsize) chunk * CHUNK_BYTES, last = MIN (at + CHUNK_BYTES, t->length);
      guint32 crc = 0;
      for (; at < last; at += PIECE_BYTES)
        {
          gsize length = MIN (PIECE_BYTES, last - at);
          int failure = move_piece (t, at, length);
          if (failure != 0)
            {
              atomic_store (&t->failure, failure);
              return;
            }
          crc = sluice_crc32c (crc, t->memory + at, length);
        }
      t->crcs[chunk] = crc;
    }
}

static int
transfer (Transfer *t, guint32 *crc)
{
  gint64 n_chunks = (gint64) ((t->length + CHUNK_BYTES - 1) / CHUNK_BYTES);
  g_autofree guint32 *crcs = g_new0 (guint32, n_chunks + 1);
  t->crcs = crcs;
  sluice_pool_parallel_for (n_chunks, 1, CHUNK_NS, move_chunks, t);
  *crc = 0;
  for (gint64 chunk = 0; chunk < n_chunks; chunk++)
    *crc = sluice_crc32c_join (*crc, crcs[chunk],
                               MIN (CHUNK_BYTES, t->length - (gsize) chunk * CHUNK_BYTES));
  return atomic_load (&t->failure);
}

int
sluice_summed_read (int fd, gint64 offset, void *to, gsize length, guint32 *crc)
{
  Transfer t = { .fd = fd, .offset = offset, .memory = to, .length = length };
  return transfer (&t, crc);
}

int
sluice_summed_write (int fd, gint64 offset, const void *from, gsize length, guint32 *crc)
{
  Transfer t = { .fd = fd,
                 .offset = offset,
                 .memory = (guint8 *) from, /* only read */
                 .length = length,
                 .writes = TRUE };
  return transfer (&t, crc);
}
